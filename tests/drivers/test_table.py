"""Tables of chances: they lead where the played rules lead, whoever walks them and however much of them is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any, Final

import pytest

from referee.core import (
    D6,
    Call,
    Die,
    Encounter,
    Faces,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    alter,
    choose,
    frozen,
    roll,
    rule,
    tally,
)
from referee.core.errors import TooLarge
from referee.core.rules import Call as RuleCall
from referee.drivers.chain import ends_of
from referee.drivers.exact import Exact
from referee.drivers.memory import Memory
from referee.drivers.policies import always, by_default
from referee.drivers.sampled import Sampled
from referee.drivers.table import LOST, UNFINISHED, Table
from referee.drivers.walk import Walker, has_numba, played, walk_compiled, walk_plainly
from referee.testing import skirmish
from referee.testing.skirmish import FIGHT, Brawler, duel

COMPILED: Final = pytest.param(  # slow only the first time: it is compiled then
    walk_compiled,
    marks=(pytest.mark.slow, pytest.mark.skipif(not has_numba(), reason="the extra `forecast` is not installed")),
)

# --- the smallest system that needs it: a climb of three steps, with slips and a rest ---------------------------------

STEP: Final = Prompt("step")
REST: Final = Prompt("rest")


@frozen
class Climb(Encounter):
    """A six falls, four or more climbs; whoever rests needs only two. Three steps up it is over."""

    height: Open[int] = 0
    round: Open[int] = tally(0)
    die: Open[Die] = D6
    dice: Open[int] = 1

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return step() if self.height >= 0 else fallen()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "up" if self.height >= 3 else "down" if self.height < -1 else None

    def moved(self, by: int) -> Climb:
        return replace(self, height=self.height + by, round=self.round + 1)

    def hit_the_ground(self) -> Climb:
        return replace(self, height=-2)


CLIMB: Final = Who("climb", Climb)


@rule("table.step")
async def step(scene: Scene) -> None:
    """One step up, or a fall."""
    rests = await choose(None, REST, (True, False))
    shown = (await roll(STEP, None, Pool.of((scene[CLIMB].die, scene[CLIMB].dice)), Total)).total
    if shown == 6:
        await alter(CLIMB, Climb.moved, -1 - scene[CLIMB].height)
    else:
        await alter(CLIMB, Climb.moved, 1 if shown >= (2 if rests else 4) else 0)


@rule("table.fallen")
async def fallen(scene: Scene) -> None:
    """A step without chance."""
    await alter(CLIMB, Climb.hit_the_ground)


START: Final = State({"climb": Climb()})


def ends(table: Table, fights: Any) -> Counter[Any]:
    known = dict(table.end_nodes)
    return Counter(known[node].ending for node in fights.nodes)


def expanded(table: Table, most: int = 10_000) -> dict[Hashable, Fraction]:
    """Everything that can happen, as fractions: the table worked out whole, its rows multiplied out."""
    for _ in table.expand(most):
        pass
    from referee.drivers.chain import absorbed

    rows: dict[int, dict[int, Fraction]] = {}
    for node in range(len(table.first)):
        slots = table.slots_of(node)
        if slots:
            row: dict[int, Fraction] = {}
            for slot in slots:
                row[table.to[slot]] = row.get(table.to[slot], Fraction(0)) + Fraction(
                    table.weight(slot), table.upto[slots[-1]]
                )
            rows[node] = row
    found, _ = absorbed(rows, table.start.node)
    by: dict[Hashable, Fraction] = {}
    for node, chance in found.items():
        ending = dict(table.end_nodes)[node].ending
        by[ending] = by.get(ending, Fraction(0)) + chance
    return by


# --- equal to the played rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("policy", "up"), [(by_default, Fraction(8, 27)), (always(rest=True), Fraction(64, 125))])
def test_a_table_worked_out_whole_is_the_exact_chain(policy: Any, up: Fraction) -> None:
    """Of the throws that move, 2 of 3 go up by default, 4 of 5 with a rest; three in a row are needed."""
    assert expanded(Table(CLIMB, START, policy)) == {"up": up, "down": 1 - up}
    assert ends_of(CLIMB, START, Exact(policy)).of == {"up": up, "down": 1 - up}


def test_a_duel_by_kernels_is_the_exact_chain_of_played_dice() -> None:
    state = duel(Brawler(2, 1, 2, 1), Brawler(1, 1, 2, 1))
    assert expanded(Table(FIGHT, state)) == ends_of(FIGHT, state, Exact(kernels=False)).of


@pytest.mark.slow
def test_sampled_and_walked_duels_agree_within_four_standard_errors() -> None:
    state, fights = duel(Brawler(3, 2, 3, 3), Brawler(3, 3, 3, 2)), 4_000
    won = ends(table := Table(FIGHT, state), played(table, range(fights)))["al"] / fights
    sampled = Sampled(Random(3))
    count = sum(sampled.play_out(FIGHT, state)[0] == "al" for _ in range(400)) / 400
    assert abs(won - count) < 4 * sqrt(count * (1 - count) * (1 / 400 + 1 / fights))
    exact = float(ends_of(FIGHT, state).of["al"])
    assert abs(won - exact) < 4 * sqrt(exact * (1 - exact) / fights)


def test_rounds_and_steps_are_counted_although_no_scene_remembers_them() -> None:
    table = Table(CLIMB, START, always(rest=True))
    fights = played(table, range(300))
    assert fights is not None
    known = dict(table.end_nodes)
    for node, steps, rounds in zip(fights.nodes, fights.steps, fights.rounds, strict=True):
        assert steps == rounds + (known[node].ending == "down")  # hitting the ground is a step, not a round
    assert min(fights.rounds) == 1


# --- whoever walks, however much is known -----------------------------------------------------------------------------


@pytest.mark.parametrize("walker", [walk_plainly, COMPILED])
def test_every_walker_walks_the_same_fights(walker: Walker) -> None:
    one, other = Table(FIGHT, duel(Brawler(), Brawler())), Table(FIGHT, duel(Brawler(), Brawler()))
    first, second = played(one, range(300), 5, walker=walk_plainly), played(other, range(300), 5, walker=walker)
    assert first is not None
    assert second is not None
    assert (first.steps, first.rounds, first.keys) == (second.steps, second.rounds, second.keys)
    ways = ([dict(table.end_nodes)[n] for n in f.nodes] for table, f in ((one, first), (other, second)))
    assert next(ways) == next(ways)


@pytest.mark.slow
@pytest.mark.skipif(not has_numba(), reason="the extra `forecast` is not installed")
def test_compiled_keys_are_those_of_plain_python() -> None:
    from referee.drivers.table import fight_key

    fights = played(Table(CLIMB, START), range(2**40, 2**40 + 1_000), 2**63 + 11)
    assert fights is not None
    assert list(fights.keys) == [fight_key(2**63 + 11, number) for number in fights.numbers]


@pytest.mark.parametrize("most_nodes", [3, 4, 6, 1_000])
def test_a_full_table_plays_the_rest_and_comes_to_the_same(most_nodes: int) -> None:
    roomy, tight = Table(CLIMB, START), Table(CLIMB, START, most_nodes=most_nodes)
    one, other = played(roomy, range(200)), played(tight, range(200))
    assert one is not None
    assert other is not None
    assert len(tight.first) <= max(most_nodes, len(roomy.first))
    assert (one.steps, one.rounds) == (other.steps, other.rounds)
    assert ends(roomy, one) == ends(tight, other)


def test_a_fight_is_the_same_alone_and_among_others() -> None:
    table = Table(FIGHT, duel(Brawler(), Brawler()))
    many = played(table, range(50), 9)
    alone = played(Table(FIGHT, duel(Brawler(), Brawler())), range(17, 18), 9)
    assert many is not None
    assert alone is not None
    assert (many.steps[17], many.rounds[17]) == (alone.steps[0], alone.rounds[0])


def test_what_is_stopped_gives_nothing() -> None:
    assert played(Table(CLIMB, START), range(100), stop=lambda: True) is None


# --- chance that no table holds, and what never ends ------------------------------------------------------------------


def test_chance_with_too_many_outcomes_is_thrown_die_by_die() -> None:
    """Thirty d100 have weights that do not fit into the table."""
    big = Die("d100", tuple(range(1, 101)))
    table = Table(CLIMB, State({"climb": Climb(die=big, dice=30)}))
    fights = played(table, range(20))
    assert fights is not None
    assert ends(table, fights) == {"up": 20}
    with pytest.raises(TooLarge, match="does not fit into a table"):
        list(table.expand(100))


def test_a_die_thrown_again_and_again_leaves_a_chance_that_is_called_lost() -> None:
    wild = Die("wild", D6.faces, again={6})
    table = Table(CLIMB, State({"climb": Climb(die=wild)}))
    for _ in table.expand(100):
        pass
    found = expanded(table)
    assert 0 < found[LOST.ending] < Fraction(1, 10**10)
    assert sum(found.values()) == 1


@frozen
class Treadmill(Encounter):
    """It never ends; with a die, or without."""

    dice: Open[bool] = True

    def next_step(self, scene: Scene, me: Who[Any]) -> RuleCall[Any]:
        return tread(self.dice)

    def over(self, scene: Scene, me: Who[Any]) -> None:
        return None


@rule("table.tread")
async def tread(scene: Scene, dice: bool) -> None:
    """A step that leads nowhere."""
    if dice:
        _ = await roll(STEP, None, Pool.of((D6, 1)), Faces)


@pytest.mark.parametrize("walker", [walk_plainly, COMPILED])
def test_an_encounter_without_end_is_unfinished(walker: Walker) -> None:
    table = Table(Who("mill", Treadmill), State({"mill": Treadmill()}))
    fights = played(table, range(3), walker=walker)
    assert ends(table, fights) == {UNFINISHED.ending: 3}


def test_an_encounter_that_goes_on_without_chance_is_refused() -> None:
    with pytest.raises(TooLarge, match="for ever without chance"):
        Table(Who("mill", Treadmill), State({"mill": Treadmill(dice=False)}))


# --- reduced scenes ---------------------------------------------------------------------------------------------------


def test_scores_become_ranks_and_keep_their_side_of_zero() -> None:
    from referee.core import Levels

    fight = skirmish.Skirmish((("a", "b"), ("c", "d")), scores=Levels({"a": 17, "b": -4, "c": 17, "d": 0}))
    assert fight.in_ranks().scores == Levels({"a": 1, "b": -1, "c": 1, "d": 0})
    assert replace(fight, scores=Levels({"a": 2, "b": 1})).in_ranks().scores == Levels({"a": 2, "b": 1})


def test_what_a_kernel_comes_to_is_worked_out_once_for_what_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    state, worked = duel(Brawler(2, 1, 2, 1), Brawler(1, 1, 2, 1)), list[RuleCall[Any]]()
    real = Table._worked_out

    def noting(self: Table, call: RuleCall[Any], scene: Scene) -> Any:
        worked.append(call)
        return real(self, call, scene)

    monkeypatch.setattr(Table, "_worked_out", noting)
    table = Table(FIGHT, state)
    remembered = ends(table, played(table, range(200)))
    once = len(worked)
    monkeypatch.setattr(Memory, "recall", lambda *_: None)
    table = Table(FIGHT, state)
    assert ends(table, played(table, range(200))) == remembered
    assert 0 < once < len(worked) - once
