"""The skill roll: legal ways to make it, and what holds for every roll whatever the sheet and the dice."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import Mod, Mods, Refused, Scene, State, SymbolCounts, Who
from referee.core.questions import Choose, OptionCost, Roll
from referee.core.run import Run, drive
from referee.drivers.policies import always, at_random
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play
from referee.systems.alien import SKILL_ROLL, SYSTEM
from referee.systems.alien.basics import base_dice, check_helpers, skill_roll
from referee.systems.alien.sheet import Colonist, check_sheet

ANA = Who("ana", Colonist)
CREW = tuple(Who(name, Colonist) for name in ("bo", "cy", "di", "eve"))

SKILLS = {
    "Heavy Machinery": "Strength",
    "Stamina": "Strength",
    "Close Combat": "Strength",
    "Mobility": "Agility",
    "Ranged Combat": "Agility",
    "Piloting": "Agility",
    "Observation": "Wits",
    "Comtech": "Wits",
    "Survival": "Wits",
    "Command": "Empathy",
    "Manipulation": "Empathy",
    "Medical Aid": "Empathy",
}
PENALTY = {"Tunnel Vision": "Wits", "Aggravated": "Empathy", "Shakes": "Agility", "Frantic": "Strength"}
LASTING = ("Jumpy", "Tunnel Vision", "Aggravated", "Shakes", "Frantic", "Deflated")

sheets = st.fixed_dictionaries(
    {
        "attributes": st.fixed_dictionaries({name: st.integers(0, 6) for name in dict.fromkeys(SKILLS.values())}),
        "skills": st.dictionaries(st.sampled_from(sorted(SKILLS)), st.integers(0, 5)),
        "stress": st.integers(0, 8),
        "resolve": st.integers(0, 8),
        "responses": st.lists(st.sampled_from(LASTING), unique=True),
    }
)


def scene_with(**sheet: Any) -> Scene:
    return Scene(SYSTEM.state({"ana": sheet, **{each.name: {} for each in CREW}}))


def ana_after(state: State) -> Colonist:
    return Scene(state)[ANA]


# --- legal ways ------------------------------------------------------------------------------------------------------


def test_the_legal_ways_to_roll_are_the_twelve_skills() -> None:
    ways = [arguments["skill"] for arguments in SKILL_ROLL.legal(scene_with(), ANA)]
    assert ways == list(SKILLS)


def test_asking_whether_one_may_roll_gives_the_refusal_that_rolling_would() -> None:
    scene = scene_with()
    asked = SKILL_ROLL.may(scene, ANA, skill="Comtech", helpers=CREW)
    with pytest.raises(Refused) as refused:
        play(SKILL_ROLL.do(ANA, skill="Comtech", helpers=CREW), scene.state)
    assert asked is not None
    assert str(asked) == str(refused.value) == "help: at most 3 may help (alien.basics.helping)"


@pytest.mark.parametrize("helpers", [(), CREW[:1], CREW[:2], CREW[:3]])
def test_up_to_three_others_may_help(helpers: tuple[Who[Colonist], ...]) -> None:
    check_helpers(scene_with(), ANA, helpers)


@pytest.mark.parametrize("helpers", [CREW, (CREW[0], CREW[0]), (ANA,), (Who("zed", Colonist),)])
def test_no_other_helpers_are_legal(helpers: tuple[Who[Colonist], ...]) -> None:
    with pytest.raises(Refused) as refused:
        check_helpers(scene_with(), ANA, helpers)
    assert refused.value.rule == "alien.basics.helping"


# --- the record -------------------------------------------------------------------------------------------------------


def test_a_push_keeps_only_sixes_and_remembers_the_throw_it_was_made_upon() -> None:
    scene = scene_with(attributes={"Wits": 3}, stress=1)
    played = play(skill_roll(ANA, "Comtech"), scene.state, {"skill": "6 2 5 | 3", "push": "yes 1 6 | 2 3"})
    first, _, second = played.asked
    assert isinstance(first, Roll)
    assert isinstance(second, Roll)
    assert first.kept is None
    assert isinstance(second.kept, SymbolCounts)
    assert (second.kept.count("six", "base"), second.kept.count("six", "stress")) == (1, 0)
    assert second.kept.others("six", die="base") == second.kept.others("six", die="stress") == 0
    assert second.kept.record is not None
    assert second.kept.record.pips == ((6, 2, 5), (3,))


# --- what holds for every roll ----------------------------------------------------------------------------------------


@given(
    sheet=sheets,
    skill=st.sampled_from(sorted(SKILLS)),
    amounts=st.lists(st.integers(-9, 9), max_size=4),
    helping=st.integers(0, 3),
)
def test_base_dice_are_the_sum_of_everything_but_never_fewer_than_one(
    sheet: dict[str, Any], skill: str, amounts: list[int], helping: int
) -> None:
    scene = scene_with(**sheet)
    mods: Mods = tuple(Mod(amount) for amount in amounts)
    penalty = 2 * sum(PENALTY.get(name) == SKILLS[skill] for name in sheet["responses"])
    expected = sheet["attributes"][SKILLS[skill]] + sheet["skills"].get(skill, 0) + sum(amounts) + helping - penalty
    items = base_dice(scene, ANA, skill, mods, CREW[:helping])
    assert sum(item.amount for item in items) == expected
    assert all(item.rule.startswith("alien.") for item in items)
    table = Sampled(Random(0))
    asked: list[Any] = []

    def answer(question: Any, at: Scene) -> Any:
        asked.append(question)
        return table.answer(question, at)

    drive(Run(Scene(scene.state), skill_roll(ANA, skill, mods, CREW[:helping])), answer)
    assert asked[0].pool.to_plain() == {"base": max(1, expected), "stress": sheet["stress"]}


@given(sheet=sheets, skill=st.sampled_from(sorted(SKILLS)), seed=st.integers(0, 10_000))
def test_whatever_is_rolled_the_sheet_stays_legal_and_the_books_balance(
    sheet: dict[str, Any], skill: str, seed: int
) -> None:
    scene = scene_with(**sheet)
    result, after = Sampled(Random(seed), at_random(Random(seed))).play(skill_roll(ANA, skill), scene.state)
    ana, held = ana_after(after), tuple(sheet["responses"])
    check_sheet(Scene(after), ANA)
    push = (2 if "Jumpy" in held else 1) * result.pushes
    repeated, messed = result.response in held, result.response == "Mess Up"
    assert ana.stress == sheet["stress"] + push + repeated + messed
    gained = (result.response,) if result.response in LASTING and not repeated else ()
    assert ana.responses == held + gained
    assert result.success == (result.sixes >= 1 and not messed)
    assert result.extra == (max(0, result.sixes - 1) if result.success else 0)
    assert result.messed_up == messed
    assert result.pushes <= (0 if "Deflated" in held else 1)
    assert ana.attributes == scene[ANA].attributes
    assert ana.skills == scene[ANA].skills
    assert ana.resolve == sheet["resolve"]
    assert all(Scene(after)[each] == Scene(scene.state)[each] for each in CREW)


@given(sheet=sheets, seed=st.integers(0, 10_000))
def test_a_push_is_made_unless_a_one_shows_or_the_roller_is_deflated(sheet: dict[str, Any], seed: int) -> None:
    scene = scene_with(**sheet)
    result, _ = Sampled(Random(seed), always(push=True)).play(skill_roll(ANA, "Comtech"), scene.state)
    if result.pushes == 0:
        assert "Deflated" in sheet["responses"] or result.response is not None


def test_a_push_says_what_it_costs() -> None:
    scene = scene_with(attributes={"Agility": 2}, stress=1)
    run = Run(scene, skill_roll(ANA, "Piloting"))
    thrown = run.asking[0]
    assert isinstance(thrown, Roll)
    run.answer(thrown.read({"base": [2, 3], "stress": [4]}))
    question = run.asking[0]
    assert isinstance(question, Choose)
    assert question.cost(True) == OptionCost(1, "stress")
    assert question.cost(None) is None
    assert SYSTEM.words.say("costs.stress", count=1) == "+1 Stress"
    run.close()
