"""Forecasts of encounters: chances with their errors, what a change does, and what a viewer may know."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any, Final

import pytest

from referee import registry
from referee.core import BadInput, Hidden, Levels, Prompt, Scene, State, Who, choose, frozen
from referee.core.agenda import next_of
from referee.core.errors import NotKnown
from referee.core.knowledge import fully_known, known_to
from referee.core.questions import Chance as Asked
from referee.core.run import Run, drive
from referee.core.visibility import Exposure, Limit, Seat, Veil
from referee.drivers.chain import ends_of
from referee.drivers.kernels import outcomes
from referee.drivers.policies import answering, by_default, by_person, decided
from referee.forecast.encounters import (
    EncounterForecast,
    EncounterPlan,
    Estimate,
    Prepared,
    Sampler,
    Tally,
    difference,
    exact_forecast,
    forecasts,
    prepared,
)
from referee.forecast.transport import pack, unpack_plan
from referee.systems.distemper.combat import FIGHT as BRAWL
from referee.systems.distemper.combat import Fight
from referee.systems.distemper.sheet import Character
from referee.testing.scenarios import samples
from referee.testing.skirmish import FIGHT, Brawler, duel, skirmish

DISTEMPER: Final = registry.load("distemper")
ROADBLOCK: Final = fully_known(dict(samples(DISTEMPER))["roadblock"])
HIDING: Final = Veil(frozenset({"lookout"}))
VEILED: Final = fully_known(ROADBLOCK.but("veil", HIDING))


def plan(state: State) -> Prepared:
    return Prepared(FIGHT, fully_known(state), by_default)


# --- what came of it --------------------------------------------------------------------------------------------------


def test_a_small_duel_is_forecast_exactly() -> None:
    state = duel(Brawler(2, 1, 2, 1), Brawler(1, 1, 2, 1))
    found = exact_forecast(plan(state), plan(state).table(), 5.0)
    assert found is not None
    assert found.is_exact
    exact = ends_of(FIGHT, state).of
    assert {ending: chance.share for ending, chance in found.endings.items()} == exact
    assert found.wins(("al",)).error == 0.0
    assert found.out["al"].share == exact["bo"]  # who is out has lost
    assert sum(found.rounds.values()) == pytest.approx(1)


def test_a_large_fight_is_not_worked_out_whole() -> None:
    sides = ({f"{side}{at}": Brawler() for at in range(4)} for side in "ab")
    state = skirmish(*sides)
    assert exact_forecast(plan(state), plan(state).table(), 0.05) is None


def test_sampled_chances_are_those_of_the_exact_forecast() -> None:
    state = duel(Brawler(2, 1, 2, 1), Brawler(1, 1, 2, 1))
    exact = exact_forecast(plan(state), plan(state).table(), 5.0)
    tally = Sampler([plan(state)]).play(range(3_000))
    assert exact is not None
    assert tally is not None
    (found,) = forecasts([plan(state)], tally)
    won = found.wins(("al",))
    assert abs(float(won.share - exact.wins(("al",)).share)) < 4 * won.error
    assert found.mean_rounds == pytest.approx(exact.mean_rounds, rel=0.1)
    assert found.fights == 3_000
    assert sum(found.rounds.values()) == pytest.approx(1)


def test_what_never_happened_is_not_taken_for_certain() -> None:
    assert Estimate(Fraction(0), 100).error == pytest.approx(0.0098, abs=1e-4)
    assert Estimate(Fraction(1, 2), 100).error == pytest.approx(0.05)
    assert Estimate(Fraction(1, 3)).error == 0.0


def test_a_change_is_measured_fight_by_fight() -> None:
    """Ten fights of a hundred are won only with the change, two only without."""
    pairs = Counter({("al", "al"): 60, ("bo", "al"): 10, ("al", "bo"): 2, ("bo", "bo"): 28})
    moved = difference(Tally([Counter(), Counter()], pairs, fights=100), "al")
    assert moved.share == pytest.approx(0.08)
    assert moved.error == pytest.approx(((13 / 100 - 0.0064) / 100) ** 0.5)


def test_without_a_difference_every_fight_goes_the_same_way() -> None:
    state = duel(Brawler(), Brawler())
    tally = Sampler([plan(state), plan(state)]).play(range(200))
    assert tally is not None
    assert difference(tally, "al").share == 0.0
    assert all(one == two for one, two in tally.pairs)


def test_a_better_sword_helps() -> None:
    tally = Sampler([plan(duel(Brawler(), Brawler())), plan(duel(Brawler(damage=7), Brawler()))]).play(range(600))
    assert tally is not None
    moved = difference(tally, "al")
    assert moved.share > 4 * moved.error


# --- changes ----------------------------------------------------------------------------------------------------------


def test_changes_set_fields_options_and_policies() -> None:
    found = prepared(DISTEMPER, ROADBLOCK, changes=("Ash.wp=5", "Ash.skills.Tactics=3", "Ash=cautious"))
    ash: Any = found.state["Ash"]
    assert (ash.wp, ash.skills["Tactics"], ash.skills["Barter"]) == (5, 3, 1)
    assert found.encounter == BRAWL
    assert found.parties == (("Ash", "Bell"), ("raider", "lookout"))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("Ash=brave", "'brave' is not known"),
        ("policy=brave", "'brave' is not known"),
        ("nobody=cautious", "'nobody' is not known"),
        ("Ash.luck=3", "'luck' is not known"),
        ("Ash.wp=many", "wp"),
        ("Ash.wp=99", "more than all"),
        ("cautious", "must be a change"),
    ],
)
def test_a_change_that_cannot_be_is_refused(change: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        prepared(DISTEMPER, ROADBLOCK, changes=(change,))


def test_a_field_without_levels_names_those_that_have_some() -> None:
    for path in ("items.x", "wp.x", "dead.x.y"):
        with pytest.raises(BadInput, match=r"Ash\.\w+: has no levels by name; attributes, skills have"):
            prepared(DISTEMPER, ROADBLOCK, changes=(f"Ash.{path}=1",))


@pytest.mark.parametrize("change", ["veil.names=none", "clock.time=0", "book.set=1", "veil=cautious", "clock=cautious"])
def test_what_belongs_to_the_table_is_not_supposed(change: str) -> None:
    with pytest.raises(BadInput, match=r"is not known; one of policy, Ash, Bell, lookout, raider$"):
        prepared(DISTEMPER, VEILED, changes=(change,))


def test_an_encounter_is_named_where_there_are_none_or_several() -> None:
    with pytest.raises(BadInput, match="there is none here"):
        prepared(DISTEMPER, fully_known(dict(samples(DISTEMPER))["market"]))
    with pytest.raises(BadInput, match="'brawl' is not known"):
        prepared(DISTEMPER, ROADBLOCK, "brawl")


def test_policies_by_person_and_by_answer() -> None:
    def left(question: Any, scene: Scene) -> str:
        return "left"

    def right(question: Any, scene: Scene) -> str:
        return "right"

    turn = choose(Who("al", Brawler), Prompt("turn"), ("left", "right", "back"))
    scene = Scene(State({}))
    assert by_person({"al": left}, right)(turn, scene) == "left"
    assert by_person({"bo": left}, right)(turn, scene) == "right"
    assert answering({"al.turn": "back"}, left)(turn, scene) == "back"
    assert answering({"turn": "up"}, left)(turn, scene) == "left"  # not legal


# --- knowledge --------------------------------------------------------------------------------------------------------


@frozen
class Masked(Brawler):
    """A brawler whose strength only the game master knows."""

    secret: Hidden[int] = 2
    strength: Hidden[int] = 3


def test_what_a_viewer_does_not_know_is_named() -> None:
    state = duel(Brawler(), Masked())
    known = known_to(state, Seat("anna", frozenset({"al"})))
    with pytest.raises(NotKnown, match=r"bo\.strength"):
        Sampler([Prepared(FIGHT, known, by_default)]).play(range(50))
    assert Sampler([plan(state)]).play(range(5)) is not None


ANNA: Final = Seat("anna", frozenset({"Ash"}))


def test_a_player_supposes_nothing_of_somebody_hidden() -> None:
    known = known_to(VEILED, ANNA)
    for change in ("zzz=1", "lookout.wp=9999", "lookout=cautious", "veil.names=none"):
        with pytest.raises(BadInput, match=r"is not known; one of policy, Ash, Bell, raider$"):
            prepared(DISTEMPER, known, changes=(change,))
    assert prepared(DISTEMPER, known).parties == (("Ash", "Bell"), ("raider",))


def test_a_plan_travels_with_what_is_known_and_nothing_else() -> None:
    limited = replace(HIDING, limits=(Limit("raider", Exposure.STATE, ("dead",)),))
    packed = pack(EncounterPlan("distemper", known_to(VEILED.but("veil", limited), ANNA)), DISTEMPER)
    assert b"rifle" in packed
    assert b"lookout" not in packed
    assert b"machete" not in packed
    there = unpack_plan(packed).prepared()
    assert there.parties == (("Ash", "Bell"), ("raider",))
    with pytest.raises(NotKnown, match=r"raider\.wp"):
        _ = Scene(there.state)[Who("raider", Character)].wp > 0


# --- Distemper: of initiative only the order matters ------------------------------------------------------------------


def step(state: State, random: Random) -> tuple[State, list[str]]:
    """One step of the fight at random, and what was asked."""
    scene = Scene(state)
    following = next_of(scene, BRAWL)
    assert following is not None
    asked: list[str] = []

    def answer(question: Any, at: Scene) -> Any:
        asked.append(str(question))
        if isinstance(question, Asked):
            rows = outcomes(question)
            return random.choices([one for one, _ in rows], [weight for _, weight in rows])[0]
        return decided(DISTEMPER.policies["aggressive"], question, at)

    drive(Run(scene, following.call), answer)
    return scene.state, asked


def reduced(state: State) -> State:
    fight = state["fight"]
    assert isinstance(fight, Fight)
    return state.but("fight", fight.reduced())


@pytest.mark.parametrize("seed", range(4))
def test_reduced_fights_go_on_as_the_fights_they_stand_for(seed: int) -> None:
    """The same luck asks the same questions, and leads to scenes that are reduced to the same."""
    random, state, steps = Random(seed), State(ROADBLOCK), 0
    while next_of(Scene(state), BRAWL) is not None:
        luck = random.getrandbits(64)
        (after, asked), (twin, asked_too) = step(state, Random(luck)), step(reduced(state), Random(luck))
        assert asked == asked_too
        assert reduced(after) == reduced(twin)
        state, steps = after, steps + 1
    assert steps > 5


def test_initiative_is_reduced_to_its_order() -> None:
    fight = Fight((("a",), ("b",)), scores=Levels({"a": 12, "b": 7}))
    assert fight.reduced() == replace(fight, scores=Levels({"a": 2, "b": 1}))


def test_a_fight_is_told_by_who_wins_and_a_chase_by_how_it_ends() -> None:
    half, sides = Estimate(Fraction(1, 2), 4), (("al", "cy"), ("bo",))
    fight = EncounterForecast(sides, {"bo": half, "nobody": half}, {}, {})
    assert fight.told == ("al and cy", "bo", "nobody")
    assert EncounterForecast(sides, {"unfinished": half}, {}, {}).told == ("al and cy", "bo", "unfinished")
    assert EncounterForecast(sides, {"escaped": half, "caught": half}, {}, {}).told == ("escaped", "caught")
