"""Kernels are never a second truth: throws against brute force, rules against play, and when they are used at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any, Final

import pytest

from referee import registry
from referee.core import (
    D6,
    Card,
    Die,
    Open,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    change,
    choose,
    draw,
    hand_over,
    marked_die,
    number_die,
    roll,
    rule,
)
from referee.core.composed import KernelCalls, WeightedEnds
from referee.core.dice import Faces
from referee.core.errors import OutOfTime, ReplayMismatch, TooLarge
from referee.core.questions import Choice
from referee.core.replay import Answered
from referee.core.requests import move_all
from referee.core.rules import RULES, Call, Decide, Ends, after, kernel
from referee.core.trace import watching
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.kernels import FEW, outcomes
from referee.drivers.policies import Policy, always
from referee.odds import dice as sum_of
from referee.odds import draw_on
from referee.testing.conformance import agree

THROW: Final = Prompt("throw")
ROOT: Final = Path(__file__).parent.parent.parent

# --- throws -----------------------------------------------------------------------------------------------------------

BASE: Final = marked_die("base", 6, six=6)
STRESS: Final = marked_die("stress", 6, one=1, six=6)
GEAR: Final = Die("gear", ("one", "blank", "six", "six"))
KEPT: Final = (
    None,
    SymbolCounts(()),
    SymbolCounts((("stress", (("six", 2),)),)),
    SymbolCounts((("base", (("six", 1),)), ("stress", ()))),
    SymbolCounts((("gear", (("blank", 1), ("six", 1))), ("base", ()))),
)


def same(pool: Pool, reading: type[Any], kept: Any = None) -> None:
    """The kernel's outcomes are those of the reading: none twice, none missing, each in as many ways."""
    question = roll(THROW, None, pool, reading, kept=kept)
    found = outcomes(question)
    assert len(dict(found)) == len(found)
    assert dict(found) == dict(question.outcomes())


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("counts", list(product(range(4), range(4), range(3))), ids=str)
def test_symbols_of_all_small_pools_are_counted_as_by_brute_force(
    counts: tuple[int, int, int], kept: SymbolCounts | None
) -> None:
    same(Pool(tuple(zip((BASE, STRESS, GEAR), counts, strict=True))), SymbolCounts, kept)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_numbers_read_as_symbols_too(count: int) -> None:
    same(Pool.of((number_die(12), count)), SymbolCounts, SymbolCounts((("d12", ((12, 1),)),)))


@pytest.mark.parametrize("kept", [None, Total(7), Total(-3)])
@pytest.mark.parametrize("counts", [(FEW, 0), (FEW + 1, 0), (5, 5), (0, 12), (30, 20)])
def test_sums_of_many_dice_are_those_of_adding_die_by_die(counts: tuple[int, int], kept: Total | None) -> None:
    odd = Die("odd", (-1, 0, 0, 5))
    same(Pool(tuple(zip((D6, odd), counts, strict=True))), Total, kept)


def test_sums_too_far_apart_to_be_packed_are_added_one_by_one() -> None:
    same(Pool.of((Die("far", (0, 10**9)), FEW + 1)), Total)


def test_other_readings_have_no_kernel_and_need_none() -> None:
    same(Pool.of((D6, 4)), Faces, Faces((1, 6)))


def test_a_pool_with_too_many_readings_is_refused_either_way() -> None:
    question = roll(THROW, None, Pool.of(*((marked_die(f"d{n}", 6, one=1, six=6), 9) for n in range(5))), SymbolCounts)
    for count in (outcomes, type(question).outcomes):
        with pytest.raises(TooLarge, match="can show 503284375 different things"):
            count(question)


def test_a_kind_of_die_with_too_many_readings_is_refused_before_it_is_counted() -> None:
    with pytest.raises(TooLarge, match="can show too many"):
        outcomes(roll(THROW, None, Pool.of((number_die(100), 100)), SymbolCounts))


# --- a rule with a kernel ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sailor:
    """Whoever hauls at a rope."""

    load: Open[int] = 10
    tired: Open[int] = 0


ANA: Final = Who("ana", Sailor)
BO: Final = Who("bo", Sailor)
HAUL: Final = Prompt("haul")
BRACE: Final = Prompt("brace")
START: Final = State({"ana": Sailor(), "bo": Sailor(load=3)})


@rule("tests.kernels.haul")
async def haul(scene: Scene, who: Who[Sailor], dice: int) -> bool:
    """Who braces throws a die more and tires; dice as high as the load lift it."""
    check_haul(scene, who)
    more = 1 if await choose(who, BRACE, (True, False)) else 0
    if more:
        await change(who, braced(scene[who]))
    return (await roll(HAUL, who, Pool.of((D6, dice + more)), Total)).total >= scene[who].load


def check_haul(scene: Scene, who: Who[Sailor]) -> None:
    if scene[who].tired > 1:
        raise Refused("haul", because="tired out", rule="tests.kernels.haul")


def braced(sailor: Sailor) -> Sailor:
    return replace(sailor, tired=sailor.tired + 1)


@kernel(haul)
def hauled(scene: Scene, decide: Decide, who: Who[Sailor], dice: int) -> Ends[bool] | None:
    """Too many dice for anybody to hold are left to play."""
    if dice > 5:
        return None
    check_haul(scene, who)
    more = 1 if decide(choose(who, BRACE, (True, False)), scene) else 0
    changes = ((who, braced(scene[who])),) if more else ()
    lifts = sum_of(dice + more).at_least(scene[who].load)
    return [(True, changes, lifts.numerator), (False, changes, lifts.denominator - lifts.numerator)]


@rule("tests.kernels.together")
async def haul_together(scene: Scene, dice: int) -> tuple[bool, str]:
    """Ana hauls, then Bo, who may be tired out."""
    first = await haul(ANA, dice)
    try:
        return first, "lifted" if await haul(BO, dice) else "dropped"
    except Refused as why:
        return first, why.because


def shares(odds: Odds[Any]) -> dict[tuple[Any, State], Fraction]:
    return {(result, state): Fraction(weight, odds.whole) for result, state, weight in odds.ends}


def played(call: Call[Any], state: State, policy: Policy) -> dict[tuple[Any, State], Fraction]:
    found = shares(Exact(policy, kernels=False).of(call, state))
    assert found == shares(Exact(policy, remember=False).of(call, state))
    return found


@pytest.mark.parametrize("braces", [True, False])
@pytest.mark.parametrize("load", [1, 5, 10, 40])
@pytest.mark.parametrize("dice", range(1, 4))
def test_a_rule_with_a_kernel_comes_to_what_it_comes_to_played(dice: int, load: int, braces: bool) -> None:
    state = START.but("ana", Sailor(load))
    exact = Exact(always(brace=braces))
    assert shares(exact.of(haul(ANA, dice), state)) == played(haul(ANA, dice), state, exact.policy)
    assert exact.runs == 0
    agree(haul_together(dice), state, always(brace=braces), samples=20)


def test_a_kernel_that_does_not_apply_leaves_the_rule_to_be_played() -> None:
    exact = Exact()
    assert shares(exact.of(haul(ANA, 6), START)) == played(haul(ANA, 6), START, exact.policy)
    assert exact.runs > 0


def test_what_a_rule_refuses_its_kernel_leaves_for_it_to_refuse() -> None:
    state = START.but("bo", Sailor(tired=2))
    odds = Exact().of(haul_together(2), state)
    assert {result for result, _, _ in odds.ends} == {(True, "tired out"), (False, "tired out")}
    assert shares(odds) == played(haul_together(2), state, Exact().policy)
    with pytest.raises(Refused, match="tired out"):
        Exact().of(haul(BO, 2), state)


@pytest.mark.parametrize("exact", [Exact(kernels=False), Exact(remember=False), Exact(floor=Fraction(1, 10**9))])
def test_it_is_played_where_kernels_are_not_wanted_or_nothing_is_remembered(exact: Exact) -> None:
    exact.of(haul(ANA, 2), START)
    assert exact.runs > 0


ASKED: Final = choose(ANA, BRACE, (True, False))
BRACED: Final = Answered(ASKED, 0, True)


def test_after_a_decision_the_kernel_goes_on_with_that_answer() -> None:
    exact, state = Exact(), START.but("ana", Sailor(7))
    odds = exact.of(haul(ANA, 1), state, (BRACED,))
    assert odds.of == {True: Fraction(21, 36), False: Fraction(15, 36)}
    assert shares(odds) == shares(Exact(kernels=False).of(haul(ANA, 1), state, (BRACED,)))
    assert exact.runs == 0


def test_after_a_throw_the_rule_is_played() -> None:
    thrown = Answered(roll(HAUL, ANA, Pool.of((D6, 2)), Total), 0, Total(9))
    exact, state = Exact(), START.but("ana", Sailor(7))
    assert exact.of(haul(ANA, 1), state, (BRACED, thrown)).of == {True: 1}
    assert exact.runs > 0


def test_a_kernel_that_asks_something_else_leaves_the_rule_to_be_played() -> None:
    asked = choose(BO, BRACE, (True, False))
    with pytest.raises(ReplayMismatch):
        Exact().of(haul(ANA, 1), START, (Answered(asked, 0, True),))


@rule("tests.kernels.turns")
async def haul_in_turn(scene: Scene, dice: int) -> int:
    """Ana hauls, then Bo."""
    return int(await haul(ANA, dice)) + int(await haul(BO, dice))


@kernel(haul_in_turn)
def in_turns(scene: Scene, decide: Decide, dice: int) -> Ends[int]:
    found = WeightedEnds[int]()
    for changes, whole, both in KernelCalls.of(decide).pairs(haul(ANA, dice), haul(BO, dice), scene):
        found.add_all([(int(one) + int(other), ways) for (one, other), ways in both], changes, 1, whole)
    return found.ends()


BO_BRACED: Final = Answered(choose(BO, BRACE, (True, False)), 0, True)
LIFTED: Final = Answered(roll(HAUL, ANA, Pool.of((D6, 2)), Total), 0, Total(12))


@pytest.mark.parametrize("trail", [(), (BRACED,), (BRACED, LIFTED), (BRACED, LIFTED, BO_BRACED)], ids=len)
def test_a_kernel_made_of_others_goes_on_from_anywhere_in_them(trail: tuple[Answered, ...]) -> None:
    exact = Exact(always(brace=True))
    found = shares(exact.of(haul_in_turn(1), START, trail))
    assert found == shares(Exact(exact.policy, kernels=False).of(haul_in_turn(1), START, trail))
    assert found == shares(Exact(exact.policy, remember=False).of(haul_in_turn(1), START, trail))
    assert exact.runs == (1 if LIFTED in trail else 0)


def test_what_a_kernel_read_is_what_it_is_remembered_by() -> None:
    exact = Exact()
    heavy, light = START, START.but("ana", Sailor(load=2))
    assert exact.of(haul(ANA, 1), light).of == {True: Fraction(5, 6), False: Fraction(1, 6)}
    assert exact.of(haul(ANA, 1), heavy).of == {False: 1}
    elsewhere = light.but("bo", Sailor(load=99))
    assert exact.worked(haul(ANA, 1), elsewhere) is exact.worked(haul(ANA, 1), light)


def by_the_other(question: Choice[Any], scene: Scene) -> Any:
    return scene[BO].load > 5


def test_so_is_what_the_policy_looked_at() -> None:
    exact = Exact(by_the_other)
    for load, chance in ((3, 0), (6, Fraction(6, 36)), (3, 0)):
        state = START.but("bo", Sailor(load))
        assert exact.of(haul(ANA, 1), state).chance(bool) == chance


def test_a_rule_worked_out_by_its_kernel_has_taken_part() -> None:
    with watching(set()) as seen:
        Exact().of(haul(ANA, 1), START)
    assert "tests.kernels.haul" in seen


def test_a_scene_after_a_change_tells_what_was_read_of_it() -> None:
    scene = Scene(START, set())
    later = after(scene, ANA, Sailor(tired=1))
    last = after(later, Who("cy", Sailor), Sailor(load=5))
    assert (last[ANA].tired, later[ANA].tired, scene.reads) == (1, 1, set())
    assert (last[BO].load, scene.reads) == (3, {"bo"})
    assert (scene[ANA].tired, scene.reads) == (0, {"ana", "bo"})


# --- mistakes in a kernel are found -----------------------------------------------------------------------------------


@rule("tests.kernels.wrong")
async def wrong(scene: Scene, who: Who[Sailor]) -> int:
    """Whatever its kernel makes of it."""
    return (await roll(HAUL, who, Pool.of((D6, 1)), Total)).total


def test_a_kernel_takes_what_its_rule_takes() -> None:
    def other(scene: Scene, decide: Decide, whom: Who[Sailor]) -> Ends[int]:
        return []

    with pytest.raises(TypeError, match=r"kernel of tests\.kernels\.wrong takes \(whom\), not \(who\)"):
        kernel(wrong)(other)  # type: ignore[arg-type]  # the type checker finds it too


@pytest.mark.parametrize("weights", [(), (0, 0), (3, -1)])
def test_a_kernel_weighs_its_ends_with_whole_numbers(weights: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong, "kernel", lambda *_: [(place, (), weight) for place, weight in enumerate(weights)])
    with pytest.raises(ValueError, match=r"the kernel of tests\.kernels\.wrong\(ana\) weighs its ends"):
        Exact().of(wrong(ANA), START)


def test_the_conformance_suite_finds_a_kernel_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong, "kernel", lambda *_: [(n, (), 1) for n in range(1, 6)])
    with pytest.raises(AssertionError, match="remembered and unremembered odds"):
        agree(wrong(ANA), START)


# --- rules that hand over ---------------------------------------------------------------------------------------------


@rule("tests.kernels.relay")
async def relay(scene: Scene, legs: int) -> str:
    """Each leg tires by what is thrown; the last one tells how it went, unless somebody is tired out."""
    thrown = await roll(HAUL, ANA, Pool.of((number_die(2), 2)), Total)
    await change(ANA, replace(scene[ANA], tired=min(5, scene[ANA].tired + thrown.total - 1)))
    if legs == 1:
        return await hand_over(told())
    return await hand_over(relay(legs - 1))


@rule("tests.kernels.told")
async def told(scene: Scene) -> str:
    """How it went, by what Bo, who looks on, can lift."""
    if scene[ANA].tired == 4:
        raise Refused("tell", because="out of breath", rule="tests.kernels.told")
    await change(Who("medal", Sailor), Sailor(tired=scene[ANA].tired))
    return "won" if scene[ANA].tired > scene[BO].load else "lost"


@rule("tests.kernels.race")
async def race(scene: Scene, legs: int) -> str:
    """A relay, and what is said of it."""
    try:
        return f"they {await (stumble() if legs == 0 else relay(legs))}"
    except Refused as why:
        return why.because


@rule("tests.kernels.stumble")
async def stumble(scene: Scene) -> str:
    """One in six falls; the others go the last leg."""
    if (await roll(HAUL, ANA, Pool.of((D6, 1)), Total)).total == 1:
        raise Refused("run", because="fallen", rule="tests.kernels.stumble")
    return await hand_over(look())


@rule("tests.kernels.look")
async def look(scene: Scene) -> str:
    """A look at the finish."""
    return "finished" if scene[ANA].tired < 5 else "were late"


@pytest.mark.parametrize("legs", range(5))
def test_a_rule_that_hands_over_ends_as_the_rule_it_hands_over_to(legs: int) -> None:
    odds = agree(race(legs), START, samples=20)
    expected = {"they won", "they lost", "out of breath"} if legs else {"they finished", "fallen"}
    assert {result for result, _, _ in odds.ends} <= expected


def test_what_a_rule_hands_over_to_is_not_run_again_for_each_of_its_ends() -> None:
    exact = Exact()
    tame = START.but("ana", Sailor(tired=5))  # who is as tired as can be, and goes on for ever
    assert exact.of(relay(100), tame).of == {"won": 1}
    assert exact.runs < 100 * 2 * 3


def test_what_it_hands_over_to_is_remembered_by_what_that_one_reads() -> None:
    exact = Exact()
    for load, end in ((3, "won"), (7, "lost"), (3, "won")):
        assert exact.of(relay(3), State({"ana": Sailor(tired=5), "bo": Sailor(load)})).of == {end: 1}


# --- budgets ----------------------------------------------------------------------------------------------------------


@rule("tests.kernels.many")
async def many(scene: Scene, throws: int) -> int:
    """Many throws, each kept apart."""
    sums = 0
    for _ in range(throws):
        sums = sums * 6 + (await roll(HAUL, None, Pool.of((D6, 1)), Total)).total
    return sums


def test_the_most_runs_are_those_of_one_question() -> None:
    exact = Exact(most_runs=36, remember=False)
    for _ in range(3):
        assert len(exact.of(many(2), START).ends) == 36
    assert exact.runs == 3 * 36
    with pytest.raises(TooLarge, match="too many branches"):
        exact.of(many(3), START)


def test_odds_are_given_up_when_their_time_is_up() -> None:
    with pytest.raises(OutOfTime, match="longer than there is time for"):
        Exact(seconds=0.05).of(many(9), START)
    with pytest.raises(OutOfTime):
        Exact(seconds=0).of(haul(ANA, 1), START)
    assert Exact(seconds=60).of(many(1), START).lost == 0


# --- cards ------------------------------------------------------------------------------------------------------------

DECK: Final = Who("deck", Pile)
TURNED: Final = Who("turned", Pile)
GONE: Final = Who("gone", Pile)
CARD: Final = Prompt("card")


@rule("tests.kernels.turn")
async def turn(scene: Scene) -> int:
    """Cards are turned and added up as long as they are spades; then all are shuffled back."""
    total = 0
    while scene[DECK]:
        card = await draw(CARD, DECK, TURNED)
        total += worth(card)
        if card.suit != "spades":
            break
    await move_all(TURNED, DECK)
    return total


def worth(card: Card) -> int:
    return 1 if card.rank == "A" else int(card.rank)


@kernel(turn)
def turned(scene: Scene, decide: Decide) -> Iterator[tuple[int, tuple[()], int]] | None:
    """What lies turned already would be shuffled in as well: that is left to play."""
    if scene[TURNED]:
        return None
    if not scene[DECK]:
        return iter([(0, (), 1)])
    again = Counter(worth(card) for card in scene[DECK].cards if card.suit == "spades")
    ends = Counter(worth(card) for card in scene[DECK].cards if card.suit != "spades")
    return ((total, (), ways) for total, ways in draw_on(again, ends).items())


def table(cards: tuple[str, ...], lying: str = "") -> State:
    def pile(names: tuple[str, ...]) -> Pile:
        return Pile(tuple(Card(name, "deck") for name in names))

    return State({"deck": pile(cards), "turned": pile(tuple(lying.split())), "gone": pile(("KS", "2C"))})


DECKS: Final = [
    cards for size in range(6) for cards in combinations_with_replacement(("AS", "2S", "5S", "AH", "7D"), size)
]


def test_drawing_on_from_all_small_decks_is_what_its_kernel_says() -> None:
    for cards in DECKS:
        exact = Exact()
        found = shares(exact.of(turn(), table(cards)))
        assert exact.runs == 0
        assert found == shares(Exact(kernels=False).of(turn(), table(cards))), cards


def test_with_cards_already_turned_it_is_played() -> None:
    exact = Exact()
    state = table(("AS", "7D"), "5S")
    assert shares(exact.of(turn(), state)) == shares(Exact(remember=False).of(turn(), state))
    assert exact.runs > 0


def test_a_whole_deck_of_spades_and_others_takes_no_time() -> None:
    cards = tuple(f"{rank}{suit}" for suit in "SHDC" for rank in ("A", *map(str, range(2, 11))))
    odds = Exact(seconds=5).of(turn(), table(cards))
    assert sum(odds.of.values()) == 1
    assert odds.of[2] == Fraction(3, 40) + Fraction(1, 40) * Fraction(3, 39)  # a two, or the ace of spades and an ace


# --- whose kernels are proven -----------------------------------------------------------------------------------------

PROVEN: Final = {
    "alien.basics.skill-roll/throw": "tests/systems/alien/test_kernels.py",
    "d6.combat.apply-results/harm": "tests/systems/d6/test_shots.py",
    "d6.combat.apply-results/outcome": "tests/systems/d6/test_shots.py",
    "d6.combat.apply-results/shot": "tests/systems/d6/test_shots.py",
    "d6.combat.combat-reaction": "tests/systems/d6/test_reactions.py",
    "d6.combat.combat-reaction/attack": "tests/systems/d6/test_reactions.py",
    "d6.combat.combat-reaction/defend": "tests/systems/d6/test_reactions.py",
    "d6.combat.full-reaction/attack": "tests/systems/d6/test_reactions.py",
    "d6.battle.generals-roll/opposed": "tests/systems/d6/test_battle.py",
    "d6.combat.melee-attack/exchange": "tests/systems/d6/test_melee_odds.py",
    "d6.combat.melee-attack/outcome": "tests/systems/d6/test_melee_odds.py",
    "d6.maneuver.ramming/outcome": "tests/systems/d6/test_melee_odds.py",
    "d6.vehicle-combat.missile-lock/contest": "tests/systems/d6/test_vehicle_kernels.py",
    "d6.vehicle-damage.systems/random": "tests/systems/d6/test_vehicle_kernels.py",
    "d6.vehicle-damage.table/difference": "tests/systems/d6/test_vehicle_kernels.py",
    "d6.skirmish.resolve-actions/strike": "tests/systems/d6/test_battle.py",
    "d6.core.character-points": "tests/systems/d6/test_kernels.py",
    "d6.core.character-points/extra-die": "tests/systems/d6/test_kernels.py",
    "d6.core.opposed-roll/contest": "tests/systems/d6/test_kernels.py",
    "d6.core.roll": "tests/systems/d6/test_kernels.py",
    "d6.core.roll/ability": "tests/systems/d6/test_kernels.py",
    "d6.core.roll/dice": "tests/systems/d6/test_kernels.py",
    "d6.core.success-test/against": "tests/systems/d6/test_kernels.py",
    "d6.health.damage-roll/difference": "tests/systems/d6/test_kernels.py",
    "dime.attack.basic/flip-at": "tests/systems/dime/test_samplers.py",
    "d6.health.damage-table/harm": "tests/systems/d6/test_melee_odds.py",
    "dime.flip.basic": "tests/systems/dime/test_odds.py",
    "dime.flip.opposed/contest": "tests/systems/dime/test_odds.py",
    "dime.flip.stacks/lay": "tests/systems/dime/test_odds.py",
    "dime.flip.stacks/suited": "tests/systems/dime/test_samplers.py",
    "dime.flip.stacks/value": "tests/systems/dime/test_odds.py",
    "dime.flip.trump": "tests/systems/dime/test_samplers.py",
    "distemper.checks.dice-check/with": "tests/systems/distemper/test_kernels.py",
    "distemper.checks.dice-check": "tests/systems/distemper/test_kernels.py",
    "distemper.combat.initiative-check": "tests/systems/distemper/test_kernels.py",
    "distemper.combat.initiative-check/roll": "tests/systems/distemper/test_kernels.py",
    "distemper.checks.opposed": "tests/systems/distemper/test_kernels.py",
    "distemper.checks.opposed/attempt": "tests/systems/distemper/test_kernels.py",
    "distemper.checks.opposed/initiative": "tests/systems/distemper/test_kernels.py",
    "distemper.checks.opposed/at-once": "tests/systems/distemper/test_kernels.py",
    "distemper.insight.uses/throw": "tests/systems/distemper/test_kernels.py",
    "yearzero.core.push": "tests/systems/yearzero/test_odds.py",
    "yearzero.core.roll-procedure/throw": "tests/systems/yearzero/test_odds.py",
}
"""Every rule of a system that has a kernel, and where the two are compared."""


def test_every_kernel_of_a_system_is_proven_somewhere() -> None:
    for name in registry.OURS:
        registry.load(name)
    homes = {id_: each.body.__module__ for id_, each in RULES.items() if each.kernel}
    ours = {
        id_: RULES[id_]
        for id_, home in homes.items()
        if home.startswith("referee.") and not home.startswith("referee.testing.")  # test_table.py proves that one
    }
    assert ours.keys() == PROVEN.keys()
    for id_, each in ours.items():
        text = (ROOT / PROVEN[id_]).read_text("utf-8")
        assert each.name in text
        assert "kernels=False" in text


def test_every_outline_is_proven_by_a_named_test() -> None:
    """All that it keeps is compared with the rule as it is played."""
    for name in registry.OURS:
        registry.load(name)
    for each in RULES.values():
        home = each.body.__module__
        if each.outline is not None and home.startswith("referee.systems."):
            text = (ROOT / f"tests/systems/{home.split('.')[2]}/test_outlines.py").read_text("utf-8")
            assert each.name in text
            assert "compare_outline(" in text


def test_every_sampler_is_proven_by_a_named_test() -> None:
    """Its shares are compared with the chances of the rule as it is played."""
    for name in registry.OURS:
        registry.load(name)
    for each in RULES.values():
        home = each.body.__module__
        if each.sampler is not None and home.startswith("referee.systems."):
            text = (ROOT / f"tests/systems/{home.split('.')[2]}/test_samplers.py").read_text("utf-8")
            assert each.name in text
            assert "kernels=False" in text
