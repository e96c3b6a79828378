"""Odds by outcome bands alone: as played, card by card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Mod, Scene, State, Who
from referee.core.bands import Bands
from referee.core.questions import Choice, Choose
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.forecast.bands import counted
from referee.systems.dime.attacks import STRUCK, strike, strike_with
from referee.systems.dime.damage import give_first_aid
from referee.systems.dime.extended_actions import work_on
from referee.systems.dime.flip import (
    COUNTED,
    FLIPPED,
    Notation,
    flip,
    flip_then,
    make_flip,
    opposed_action,
    opposed_flip,
    use_bolstered,
)
from referee.systems.dime.hits import AttackManner
from referee.systems.dime.interact import THREATENED, threaten
from referee.systems.dime.inventions import build, conceive, remove_flaws
from referee.systems.dime.sheet import Adventurer
from referee.systems.dime.social import CHALLENGED, challenge
from referee.testing.conformance import compare_outline

DIME: Final = registry.load("dime")
ANA: Final = Who("ana", Adventurer)
BO: Final = Who("bo", Adventurer)
DECKS: Final = (
    ("KS", "QD", "5S", "9D", "3C", "4H"),
    ("Joker1", "10S", "2S", "JC", "7H"),
    ("8H", "8S", "8D", "QS", "AC"),
)
GUN: Final = {"name": "gun", "skill": "guns", "held": True, "damage": {"clubs": 1, "hearts": 4, "spades": 6}}

FIELDS: Final = {"concept": "academics (electricity)", "applied": "trade (instruments)", "minutes": 480}


def pile(who: str, cards: tuple[str, ...], facing: str = "down") -> dict[str, Any]:
    return {"kind": "Pile", "facing": facing, "owner": who, "cards": [f"{each}@{who}" for each in cards]}


def scene_with(deck: tuple[str, ...], hand: tuple[str, ...] = (), **more: Any) -> State:
    ana = {
        "moxie": len(hand),
        "stats": {"Dexterity": 4, "Intelligence": 3, "Determination": 5},
        "skills": {"guns": 2, "medicine": 1, "academics (electricity)": 3, "trade (instruments)": 1, "persuade": 2},
        "items": [GUN],
        "wealth": 6,
        "tasks": [{"name": "safe", "stat": "Dexterity", "skill": "guns", "tn": 11, "tally": 9, "minutes": 60}],
        "inventions": [{"name": "lantern", "tn": 10, **FIELDS}, {"name": "pigeon", "tn": 12, "flaws": 3, **FIELDS}],
        **more,
    }
    bo = {"moxie": 0, "hp_full": 30, "consequences": [{"name": "Cover", "severity": 1}]}
    piles = {"ana.deck": pile("ana", deck), "ana.hand": pile("ana", hand, "hand")}
    book = {"kind": "Book", "system": "dime", "options": {"dime.invention.qc": True}}
    return DIME.new_state({"book": book, "ana": ana, "bo": bo, **piles, "bo.deck": pile("bo", ("KS", "2D", "8C"))})


def lowest_stack(question: Choice[Any], scene: Scene) -> Any:
    is_stack = isinstance(question, Choose) and question.name == COUNTED
    return question.legal[0] if is_stack else question.default


POLICIES: Final = {
    "default": always(),
    "a number from hand": always(play="8H@ana"),
    "Luck": always(luck="3S@ana"),
    "the lowest stack": lowest_stack,
}
CALLS: Final[dict[str, Callable[[], tuple[Call[Any], Bands[Any]]]]] = {
    "an attack": lambda: (strike(ANA, BO, "gun"), STRUCK),
    "an attack with a modifier": lambda: (strike(ANA, BO, "gun", mods=(Mod(2, "wind", "x"),)), STRUCK),
    "a shot at the head": lambda: (strike(ANA, BO, "gun", AttackManner("Head")), STRUCK),
    "a flip": lambda: (make_flip(ANA, "Dexterity", "guns", 12), FLIPPED),
    "a flip with consequences": lambda: (
        flip_then(ANA, Notation("Dexterity", "guns", 12), (), BO, use_bolstered(BO), use_bolstered(BO)),
        FLIPPED,
    ),
    "a threat": lambda: (
        threaten(ANA, Notation("Dexterity", "guns"), (), None, (("bo", 9), ("ana", 12))),
        THREATENED,
    ),
    "first aid": lambda: (give_first_aid(ANA, BO, ()), FLIPPED),
    "an interval": lambda: (work_on(ANA, "safe", ()), FLIPPED),
    "a concept": lambda: (conceive(ANA, "lantern"), FLIPPED),
    "a prototype": lambda: (build(ANA, "lantern"), FLIPPED),
    "quality control": lambda: (remove_flaws(ANA, "pigeon", "trade (instruments)", ()), FLIPPED),
    "a social challenge": lambda: (challenge(ANA, "Charisma", "persuade", (), True), CHALLENGED),
    "an opposed flip": lambda: (opposed_action(ANA, "Dexterity", BO, "guns", "Endurance"), FLIPPED),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("deck", DECKS, ids=" ".join)
def test_bands_by_outline_are_those_of_played_rules(deck: tuple[str, ...], call: Any, policy: Policy) -> None:
    made, bands = call()
    state = scene_with(deck, ("8H", "3S") if "8H" not in deck else ("3S",))
    outlined = Exact(policy, by_bands=True).results(made, state)
    played = Exact(policy, kernels=False).results(made, state)
    assert outlined.by(lambda each: counted(bands, each)) == played.by(lambda each: counted(bands, each))
    if made.rule.outline is not None:
        _ = compare_outline(made, state, policy)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_flip_that_ends_a_bonus_is_played_and_has_the_same_bands(call: Any) -> None:
    made, bands = call()
    state = scene_with(DECKS[1], consequences=[{"name": "Bolstered", "severity": 2}])
    outlined, played = Exact(by_bands=True).results(made, state), Exact(kernels=False).results(made, state)
    assert outlined.by(lambda each: counted(bands, each)) == played.by(lambda each: counted(bands, each))


@pytest.mark.parametrize(
    "call", [flip(ANA, "Dexterity", "guns", 12), threaten(ANA, Notation("Dexterity", "guns"), (), None, (("bo", 9),))]
)
def test_a_flip_that_ends_a_bonus_has_no_outline(call: Call[Any]) -> None:
    assert compare_outline(call, scene_with(DECKS[0]))
    assert not compare_outline(call, scene_with(DECKS[0], consequences=[{"name": "Bolstered", "severity": 2}]))


def test_rules_with_an_outline_are_among_those_played_here() -> None:
    flips = (flip, flip_then, opposed_flip, strike_with, threaten, give_first_aid, work_on, challenge)
    assert all(each.outline is not None for each in (*flips, conceive, build, remove_flaws))


@pytest.mark.parametrize("face", ["KD", "KS"], ids=["plain", "trump"])
@pytest.mark.parametrize("call", ["a flip", "a social challenge", "an opposed flip"])
def test_a_face_from_hand_on_a_full_deck_has_the_bands_of_all_its_values(call: str, face: str) -> None:
    pytest.importorskip("numpy")
    made, bands = CALLS[call]()
    deck = tuple(f"{rank}{suit}" for rank in ("A", *range(2, 11), "J", "Q", "K") for suit in "CDHS")
    state = scene_with(tuple(each for each in deck if each != face), (face,))
    policy = always(play=f"{face}@ana")
    outlined, whole = (Exact(policy, by_bands=on).results(made, state) for on in (True, False))
    assert not outlined.samples
    assert len(outlined.rows) <= len(whole.rows)
    by_outline, by_value = (each.by(lambda result: counted(bands, result)) for each in (outlined, whole))
    assert {key: float(chance) for key, chance in by_outline.items()} == pytest.approx(
        {key: float(chance) for key, chance in by_value.items()}, abs=1e-9
    )


def test_whoever_reads_results_is_told_the_suit() -> None:
    by_suit = Exact().results(strike(ANA, BO, "gun"), scene_with(DECKS[0])).by(lambda struck: struck.flip.suit)
    assert None not in by_suit


def test_a_full_deck_has_exact_odds_to_hit_and_samples_its_damage() -> None:
    state = DIME.new_state({"ana": {"items": [GUN]}, "bo": {}})
    exact = Exact(by_bands=True).results(strike(ANA, BO, "gun"), state)
    assert not exact.samples
    assert exact.lost < 1e-9
    flipped = Exact().results(flip(ANA, "Dexterity", "guns", 10), state)
    hits = float(exact.chance(lambda struck: struck.hit))
    assert hits == pytest.approx(float(flipped.chance(lambda flip: flip.success)), abs=1e-9)
    sampled = Exact(plays=2000).results(strike(ANA, BO, "gun"), state)
    assert sampled.samples == 2000
    assert hits == pytest.approx(float(sampled.chance(lambda struck: struck.hit)), abs=0.045)
