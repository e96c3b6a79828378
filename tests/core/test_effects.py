"""Effects as data: gathered by tags, laid on people, used up, ended by moments, renewed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    Active,
    BadInput,
    Effect,
    Levels,
    Mod,
    Open,
    Refused,
    Scene,
    State,
    Who,
    applying,
    by_unit,
    figure,
    frozen,
    rule,
    total,
)
from referee.core.effects import (
    EFFECTS,
    Adds,
    ApplicableEffects,
    At,
    Effects,
    Extra,
    Forbids,
    Grants,
    Lasting,
    Sets,
    Swaps,
    add_effect,
    moment,
    remove_effects,
    renew_uses,
    use,
)
from referee.core.plain import write
from referee.core.printed_book import PrintedBook
from referee.core.rulebook import Book
from referee.core.run import Changed
from referee.core.scene import Read
from referee.core.trace import Citation, running, watching
from referee.drivers.scripted import Played, play

GAIN = figure("inn.push", "gain", int)
TALENT = "inn.talents"


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody with talents: each an effect, under a name."""

    talents: Open[tuple[tuple[str, Effect], ...]] = ()

    def effects(self, scene: Scene) -> Iterable[Active]:
        for name, effect in self.talents:
            yield Active(effect, name, TALENT)


@dataclass(frozen=True, slots=True)
class Chair:
    """Something that bears no effects."""

    legs: Open[int] = 4


ANA = Who("ana", Guest)
BO = Who("bo", Guest)
CY = Who("cy", Guest)
CHAIR = Who("chair", Chair)


def effect(**plain: Any) -> Effect:
    return Effect.from_plain(plain)


def scene_with(*talents: tuple[str, Effect]) -> Scene:
    return Scene({"ana": Guest(talents), "bo": Guest(), "cy": Guest(), "chair": Chair()})


@rule("inn.attack")
async def attack(scene: Scene, who: Who[Guest], target: Who[Guest]) -> int:
    """What the attack is worth; the effects that took part lose a use."""
    applied = applying(scene, who, "attack", against=target)
    await use(applied)
    return total(applied.mods)


def after(*calls: Any, state: State | None = None) -> Scene:
    """A scene after some steps."""
    now = state or scene_with().state
    for call in calls:
        now = play(call, now).state
    return Scene(now)


def worth(scene: Scene, who: Who[Guest] = ANA, against: Who[Guest] | None = None) -> int:
    return total(applying(scene, who, "attack", against=against).mods)


# --- forms ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plain", "does"),
    [
        ({"adds": -2, "when": ["Wits"]}, Adds(-2)),
        ({"sets": "inn.push/gain", "to": 2}, Sets("inn.push/gain", 2)),
        ({"swaps": "Wits", "for": "Strength"}, Swaps("Wits", "Strength")),
        ({"grants": "dance"}, Grants("dance")),
        ({"forbids": "push", "until": "round end"}, Forbids("push")),
        ({"extra": "re-roll", "times": 2, "uses": 1, "per": "day"}, Extra("re-roll", 2)),
        ({"at": "dawn", "run": "inn.attack"}, At("dawn", "inn.attack")),
    ],
)
def test_each_kind_is_written_as_the_book_writes_it(plain: dict[str, Any], does: object) -> None:
    read = Effect.from_plain(plain)
    assert read.does == does
    assert Effect.from_plain(write(read)) == read
    assert {name: value for name, value in write(read).items() if name in plain} == plain


def test_an_extra_is_one_unless_more_is_said() -> None:
    assert effect(extra="push").does == Extra("push", 1)


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ({}, "must be one of adds, sets, swaps, grants, forbids, extra, at, caps in {}"),
        ("+2", "must be one of adds, sets, swaps, grants, forbids, extra, at, caps in '+2'"),
        ({"adds": 1, "forbids": "push"}, "must be one of adds, sets, swaps, grants, forbids, extra, at, caps in"),
        ({"adds": "two"}, "adds.amount: must be a whole number, not 'two'"),
        ({"sets": "inn.push/gain"}, "sets.to: is missing"),
        ({"swaps": "Wits"}, "swaps.for: is missing"),
        ({"adds": 1, "wen": ["Wits"]}, "adds.wen: 'wen' is not known"),
        ({"adds": 1, "when": [3]}, "when[0]: must be text, not 3"),
        ({"adds": 1, "uses": "once"}, "uses: must be a whole number, not 'once'"),
        ({"adds": 1, "until": 3}, "until: must be text, not 3"),
        ({"adds": 1, "times_until": None}, "times_until: must be a whole number, not None"),
        ({"at": "dawn"}, "at.run: is missing"),
    ],
)
def test_what_is_no_effect_is_complained_of_by_place(plain: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as told:
        Effect.from_plain(plain)
    assert str(told.value).startswith(complaint)


# --- applying ---------------------------------------------------------------------------------------------------------


def test_no_effects_apply_to_who_bears_none() -> None:
    assert applying(scene_with(), ANA, "attack") == ApplicableEffects(ANA, ())
    assert applying(scene_with(), CHAIR, "attack") == ApplicableEffects(CHAIR, ())


@settings(max_examples=40)
@given(st.frozensets(st.sampled_from("abc")), st.frozensets(st.sampled_from("abcd")))
def test_an_effect_holds_where_all_its_tags_hold(when: frozenset[str], tags: frozenset[str]) -> None:
    scene = scene_with(("keen", Effect(Adds(2), when)))
    assert bool(applying(scene, ANA, *tags).mods) is (when <= tags)


def test_modifiers_carry_source_and_rule() -> None:
    scene = scene_with(("keen", effect(adds=2)), ("weary", effect(adds=-1)))
    assert applying(scene, ANA).mods == (Mod(2, "keen", TALENT), Mod(-1, "weary", TALENT))


def test_what_is_forbidden_is_refused_by_the_rule_that_asks() -> None:
    scene = scene_with(("deflated", effect(forbids="push")))
    applying(scene, ANA).check_allowed("dance", rule="inn.push")
    with pytest.raises(Refused, match=r"push: ana cannot, because of deflated \(inn\.push\)"):
        applying(scene, ANA).check_allowed("push", rule="inn.push")


def test_grants_extras_swaps_and_moments_are_asked_by_name() -> None:
    applied = applying(
        scene_with(
            ("nimble", effect(grants="dance")),
            ("lucky", effect(extra="re-roll", times=2)),
            ("blessed", effect(extra="re-roll")),
            ("clever", effect(swaps="Wits", **{"for": "Strength"})),
            ("cursed", effect(at="dawn", run="inn.attack")),
            ("doomed", effect(at="dusk", run="inn.attack")),
        ),
        ANA,
    )
    assert (applied.granted("dance"), applied.granted("push")) == (True, False)
    assert (applied.extra("re-roll"), applied.extra("push")) == (3, 0)
    assert (applied.swapped("Strength"), applied.swapped("Wits")) == ("Wits", "Wits")
    assert (applied.at("dawn"), applied.at("noon")) == (("inn.attack",), ())


def test_an_effect_may_set_a_figure_for_one_person(tmp_path: Path) -> None:
    (tmp_path / "inn.yaml").write_text(
        "rules:\n  - id: inn.push\n    chapter: c\n    kind: mechanic\n    rule: r\n    values: {gain: 1, other: 1}\n",
        encoding="utf-8",
    )
    jumpy, other = effect(sets="inn.push/gain", to=2), effect(sets="inn.push/other", to=9)
    scene = Scene(scene_with(("odd", other), ("jumpy", jumpy)).state.but("book", Book(PrintedBook("inn", tmp_path))))
    assert applying(scene, ANA).figure(scene, GAIN) == 2
    assert applying(scene, BO).figure(scene, GAIN) == 1


def test_a_figure_set_to_the_wrong_form_is_an_error(tmp_path: Path) -> None:
    scene = Scene(
        scene_with(("odd", effect(sets="inn.push/gain", to="two"))).state.but(
            "book", Book(PrintedBook("inn", tmp_path))
        )
    )
    with pytest.raises(BadInput, match="must be a whole number, not 'two'"):
        applying(scene, ANA).figure(scene, GAIN)


def test_applying_is_noted_as_use_of_the_row_while_a_rule_runs() -> None:
    scene = scene_with(("keen", effect(adds=2, when="attack")), ("weary", effect(adds=-1, when="flight")))
    with watching(set()) as seen, running(Citation("brawl", TALENT)):
        applying(scene, ANA, "attack")
    assert seen == {TALENT, f"{TALENT}#keen"}


# --- laid on people ---------------------------------------------------------------------------------------------------

NEXT = effect(adds=2, when="attack", uses=1)


def test_plus_two_on_the_next_attack_against_this_target_is_used_up_once() -> None:
    scene = after(add_effect(ANA, NEXT, "aim", "inn.aim", BO))
    assert worth(scene, against=BO) == 2
    first = play(attack(ANA, BO), scene.state)
    second = play(attack(ANA, BO), first.state)
    assert (first.result, second.result) == (2, 0)
    assert Scene(first.state)[EFFECTS].lasting == ()


def test_against_another_target_it_does_not_count_and_stays() -> None:
    scene = after(add_effect(ANA, NEXT, "aim", "inn.aim", BO))
    elsewhere = play(attack(ANA, CY), scene.state)
    assert elsewhere.result == 0
    assert play(attack(ANA, BO), elsewhere.state).result == 2
    assert worth(scene) == 0


def test_it_lies_on_one_person_only() -> None:
    scene = after(add_effect(ANA, NEXT, "aim", "inn.aim"))
    assert (worth(scene, ANA), worth(scene, BO)) == (2, 0)


def test_an_effect_of_several_uses_loses_one_at_a_time() -> None:
    scene = after(add_effect(ANA, effect(adds=1, when="attack", uses=3), "luck", "inn.luck"))
    results = []
    for _ in range(4):
        played = play(attack(ANA, BO), scene.state)
        results.append(played.result)
        scene = Scene(played.state)
    assert results == [1, 1, 1, 0]


def test_looking_uses_nothing_up() -> None:
    scene = after(add_effect(ANA, NEXT, "aim", "inn.aim"))
    for _ in range(3):
        assert worth(scene) == 2


def test_two_of_the_same_both_count_and_are_used_up_apart() -> None:
    scene = after(add_effect(ANA, NEXT, "aim", "inn.aim"), add_effect(ANA, NEXT, "aim", "inn.aim", BO))
    first = play(attack(ANA, CY), scene.state)
    assert (first.result, worth(Scene(first.state), against=BO)) == (2, 2)
    assert [each.number for each in Scene(first.state)[EFFECTS].lasting] == [2]


def test_numbers_are_never_given_twice() -> None:
    scene = after(
        add_effect(ANA, NEXT, "aim", "inn.aim"), remove_effects(ANA, "aim"), add_effect(ANA, NEXT, "aim", "inn.aim")
    )
    assert [each.number for each in scene[EFFECTS].lasting] == [2]


def test_what_is_laid_is_cited_by_the_rule_that_grants_it() -> None:
    played = play(add_effect(ANA, NEXT, "aim", "inn.aim"), scene_with().state)
    assert [cited(event) for event in played.events] == [("inn.aim", "referee.effects.lay")]
    used = play(attack(ANA, BO), played.state)
    assert [cited(event) for event in used.events] == [("inn.aim", "referee.effects.use", "inn.attack")]


def cited(event: object) -> tuple[str, ...]:
    assert isinstance(event, Changed)
    return event.rules


# --- moments ----------------------------------------------------------------------------------------------------------


def test_an_effect_ends_at_its_moment_and_at_no_other() -> None:
    scene = after(add_effect(ANA, effect(adds=2, until="round end"), "stun", "inn.stun"))
    assert worth(after(moment("dawn"), state=scene.state)) == 2
    assert worth(after(moment("round end"), state=scene.state)) == 0


def test_a_moment_may_come_for_one_person() -> None:
    stun = effect(adds=2, until="turn end")
    scene = after(add_effect(ANA, stun, "stun", "inn.stun"), add_effect(BO, stun, "stun", "inn.stun"))
    scene = after(moment("turn end", BO), state=scene.state)
    assert (worth(scene, ANA), worth(scene, BO)) == (2, 0)


def test_so_many_moments_must_pass() -> None:
    scene = after(add_effect(ANA, effect(adds=2, until="round end", times_until=3), "stun", "inn.stun"))
    values = []
    for _ in range(4):
        values.append(worth(scene))
        scene = after(moment("round end"), state=scene.state)
    assert values == [2, 2, 2, 0]


def test_a_moment_that_ends_nothing_changes_nothing() -> None:
    assert play(moment("round end"), scene_with().state).events == ()


def test_an_effect_without_an_end_outlasts_every_moment() -> None:
    scene = after(add_effect(ANA, effect(adds=2), "curse", "inn.curse"), moment("round end"), moment("dawn"))
    assert worth(scene) == 2


# --- lifting ----------------------------------------------------------------------------------------------------------


def test_lifting_ends_all_that_a_source_laid_on_one_person() -> None:
    scene = after(
        add_effect(ANA, effect(adds=2), "curse", "inn.curse"),
        add_effect(ANA, effect(forbids="push"), "curse", "inn.curse"),
        add_effect(ANA, effect(adds=5), "bless", "inn.bless"),
        add_effect(BO, effect(adds=2), "curse", "inn.curse"),
        remove_effects(ANA, "curse"),
    )
    assert (worth(scene, ANA), worth(scene, BO)) == (5, 2)
    applying(scene, ANA).check_allowed("push", rule="x")


def test_what_does_not_lie_there_cannot_be_lifted() -> None:
    scene = after(add_effect(BO, effect(adds=2), "curse", "inn.curse"))
    with pytest.raises(Refused, match="remove effects: ana has no effect called curse"):
        play(remove_effects(ANA, "curse"), scene.state)


# --- uses per round, day or session -----------------------------------------------------------------------------------

ONCE = effect(adds=1, when="attack", uses=1, per="round")


def attacks(state: State, many: int) -> tuple[list[int], State]:
    results = []
    for _ in range(many):
        played: Played[int] = play(attack(ANA, BO), state)
        results.append(played.result)
        state = played.state
    return results, state


def test_a_talent_once_a_round_is_back_in_the_next() -> None:
    results, state = attacks(scene_with(("quick", ONCE)).state, 3)
    assert results == [1, 0, 0]
    assert attacks(play(renew_uses("round", ANA), state).state, 2)[0] == [1, 0]


def test_a_new_round_does_not_renew_what_a_day_renews() -> None:
    daily = effect(adds=1, when="attack", uses=2, per="day")
    results, state = attacks(scene_with(("grit", daily)).state, 3)
    assert results == [1, 1, 0]
    renewed = play(renew_uses("round", ANA), state)
    assert renewed.events == ()
    assert attacks(play(renew_uses("day", ANA), renewed.state).state, 1)[0] == [1]


def test_uses_are_counted_and_renewed_for_each_person_apart() -> None:
    state = scene_with(("quick", ONCE)).state.but("bo", Guest((("quick", ONCE),)))
    for who, target in ((ANA, BO), (BO, ANA)):
        state = play(attack(who, target), state).state
    assert (worth(Scene(state), ANA), worth(Scene(state), BO)) == (0, 0)
    state = play(renew_uses("round", BO), state).state
    assert (worth(Scene(state), ANA), worth(Scene(state), BO)) == (0, 1)


def test_uses_of_one_talent_do_not_use_up_another() -> None:
    state = scene_with(("quick", ONCE), ("keen", effect(adds=3, when="attack", uses=1, per="day"))).state
    results, state = attacks(state, 2)
    assert results == [4, 0]
    assert attacks(play(renew_uses("day", ANA), state).state, 1)[0] == [3]


def test_two_limited_effects_of_one_source_are_used_up_apart() -> None:
    elsewhere = effect(adds=3, when="parry", uses=1, per="day")
    state = scene_with(("quick", ONCE), ("quick", elsewhere)).state
    results, state = attacks(state, 2)
    assert results == [1, 0]
    assert applying(Scene(state), ANA, "parry").active[0].effect == elsewhere
    assert attacks(play(renew_uses("round", ANA), state).state, 1)[0] == [1]


def test_an_effect_without_limit_is_never_used_up() -> None:
    results, state = attacks(scene_with(("keen", effect(adds=1, when="attack"))).state, 3)
    assert results == [1, 1, 1]
    assert EFFECTS not in Scene(state)


def test_effects_in_a_scene_may_be_written_by_hand() -> None:
    scene = Scene(scene_with().state.but("effects", Effects((Lasting(1, "ana", NEXT, "aim", "inn.aim", "bo"),))))
    assert worth(scene, against=BO) == 2


def test_an_effect_adds_in_a_unit_and_without_one_it_is_written_as_ever() -> None:
    plain = {"adds": 2, "unit": "pips", "when": ["attack"]}
    assert Effect.from_plain(plain) == Effect(Adds(2, "pips"), frozenset({"attack"}))
    assert Effect.from_plain(plain).to_plain() == plain
    assert Effect.from_plain({"adds": -1}).to_plain() == {"adds": -1}
    with pytest.raises(BadInput, match="in: "):
        Effect.from_plain({"adds": 2, "in": "pips"})


def test_effects_are_gathered_by_unit_in_one_call() -> None:
    """The smallest system that needs it: a talent that adds pips, a wound that takes dice, and one old entry."""
    laid = [{"adds": 2, "unit": "pips"}, {"adds": -1, "unit": "dice"}, {"adds": 1}]
    lasting = (Lasting(n, "ana", Effect.from_plain(each), f"source {n}", "some.rule") for n, each in enumerate(laid))
    scene = Scene(State({"ana": 1, EFFECTS.name: Effects(tuple(lasting))}))
    mods = applying(scene, Who("ana", int)).mods
    assert [str(mod) for mod in mods] == ["+2 pips source 0", "-1 die source 1", "+1 source 2"]
    assert by_unit(mods, "dice", "pips") == {"pips": 2, "dice": 0}


class Wary:
    """A sheet that counts how often it is asked, and whose effects may depend on someone else."""

    def __init__(self, other: Who[int] | None = None) -> None:
        self.other = other
        self.asked = 0

    def effects(self, scene: Scene) -> Iterator[Active]:
        self.asked += 1
        amount = 1 if self.other is None else scene[self.other]
        yield Active(Effect(Adds(amount)), "Wary", "tests.effects.wary")


def amounts(scene: Scene) -> list[int]:
    return [each.amount for each in applying(scene, Who("ana", Wary)).mods]


def test_a_sheet_that_reads_itself_alone_is_asked_once() -> None:
    sheet, reads = Wary(), set[Read]()
    state = State({"ana": sheet, "book": 1})
    assert amounts(Scene(state, reads)) == amounts(Scene(state)) == amounts(Scene(state.but("bo", 4))) == [1]
    assert sheet.asked == 1
    assert "ana" in reads
    amounts(Scene(state.but("book", 2)))
    assert sheet.asked == 2, "another rulebook may have other figures"
    assert amounts(Scene(state.but("ana", other := Wary()))) == [1]
    assert other.asked == 1


def test_a_sheet_that_reads_another_is_asked_again_and_what_it_read_is_noted() -> None:
    sheet, reads = Wary(Who("bo", int)), set[Read]()
    state = State({"ana": sheet, "bo": 2})
    assert amounts(Scene(state, reads)) == [2]
    assert {"ana", "bo"} <= reads
    assert amounts(Scene(state.but("bo", 5))) == [5]
    assert sheet.asked == 2


# --- what holds an ability down ---------------------------------------------------------------------------------------


@frozen
class Rider:
    levels: Open[Levels] = field(default_factory=Levels)
    caps: Open[tuple[str, ...]] = ()

    def effects(self, scene: Scene) -> Iterator[Active]:
        made = {
            "mounted": {"caps": "*", "by": "Riding", "unless": 4},
            "off hand": {"caps": "Sword", "by": "Ambidexterity"},
            "abroad": {"caps": "*", "by": "Languages", "when": ["talk"], "unless": 5},
        }
        return (Active(Effect.from_plain(made[each]), each, f"some.{each}") for each in self.caps)


KAY = Who("kay", Rider)


@pytest.mark.parametrize(
    ("levels", "caps", "name", "tags", "found", "by"),
    [
        ({"Sword": 5, "Riding": 3}, ["mounted"], "Sword", (), 3, "mounted"),
        ({"Sword": 5, "Riding": 4}, ["mounted"], "Sword", (), 5, None),
        ({"Sword": 2, "Riding": 3}, ["mounted"], "Sword", (), 2, None),
        ({"Sword": 5, "Riding": 3}, ["mounted"], "Riding", (), 3, None),
        ({"Sword": 9, "Ambidexterity": 8}, ["off hand"], "Sword", (), 8, "off hand"),
        ({"Bow": 9, "Ambidexterity": 1}, ["off hand"], "Bow", (), 9, None),
        ({"Sword": 5, "Riding": 3, "Ambidexterity": 1}, ["mounted", "off hand"], "Sword", (), 1, "off hand"),
        ({"Con": 5, "Languages": 4}, ["abroad"], "Con", (), 5, None),
        ({"Con": 5, "Languages": 4}, ["abroad"], "Con", ("talk",), 4, "abroad"),
        ({"Con": 6, "Languages": 5}, ["abroad"], "Con", ("talk",), 6, None),
    ],
)
def test_an_ability_is_capped_by_another_short_of_its_mastery(
    levels: dict[str, int], caps: list[str], name: str, tags: tuple[str, ...], found: int, by: str | None
) -> None:
    scene = Scene(State({"kay": Rider(Levels(levels), tuple(caps))}))
    level, why = applying(scene, KAY, *tags).lowered(levels[name], (name,), levels.__getitem__)
    assert (level, why and why.source, why and why.rule) == (found, by, by and f"some.{by}")


@pytest.mark.parametrize(
    "plain",
    [
        {"caps": "*", "by": "Riding", "unless": "4D"},
        {"caps": "Hide", "by": "Traps"},
        {"caps": "*", "by": "Languages", "unless": ["thought"], "when": ["talk"]},
    ],
)
def test_a_cap_is_written_as_it_is_read(plain: dict[str, Any]) -> None:
    assert Effect.from_plain(plain).to_plain() == plain


def test_effects_that_may_not_be_there_are_removed_all_the_same() -> None:
    scene = Scene(State({"kay": Rider()}))
    assert play(remove_effects(KAY, "curse", True), scene.state).state == scene.state
    with pytest.raises(Refused, match="kay has no effect called curse"):
        play(remove_effects(KAY, "curse"), scene.state)
