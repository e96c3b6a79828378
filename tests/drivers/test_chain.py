"""Encounters as chains: how they end and how long they last, against closed forms."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, final

import pytest

from referee.core import (
    D6,
    BadInput,
    Call,
    Encounter,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    Total,
    Who,
    alter,
    change,
    choose,
    number_die,
    roll,
    rule,
    tally,
)
from referee.core.errors import TooLarge
from referee.drivers.chain import ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import always
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import play_out

DIE = Prompt("die")
STAKE = Prompt("stake")


@final
@dataclass(frozen=True, slots=True)
class Game(Encounter):
    """A gambler with some coins of so many; up to `up` faces of the die win one, from `down` on they lose one."""

    coins: Open[int]
    all: Open[int]
    up: Open[int] = 3
    down: Open[int] = 4
    round: Open[int] = tally()

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return bet()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return {0: "ruined", self.all: "rich"}.get(self.coins)

    def plus(self, coins: int) -> Game:
        return replace(self, coins=self.coins + coins, round=self.round + 1)


GAME = Who("game", Game)


@rule("tests.chain.bet")
async def bet(scene: Scene) -> int:
    """One throw for one coin."""
    thrown = await roll(DIE, None, Pool.of((D6, 1)), Total)
    won = 1 if thrown.total <= scene[GAME].up else -1 if thrown.total >= scene[GAME].down else 0
    await alter(GAME, Game.plus, won)
    return won


def start(**game: Any) -> State:
    return State({"game": Game(**game)})


def ruin(p: Fraction, q: Fraction, coins: int, of: int) -> Fraction:
    """The chance of a gambler's ruin, in closed form."""
    if p == q:
        return 1 - Fraction(coins, of)
    r = q / p
    return (r**coins - r**of) / (1 - r**of)


def duration(p: Fraction, q: Fraction, coins: int, of: int) -> Fraction:
    """How many bets it takes in the mean; those that come to nothing stretch it."""
    if p == q:
        return Fraction(coins * (of - coins)) / (p + q)
    return (coins - of * (1 - ruin(p, q, coins, of))) / (q - p)


@pytest.mark.parametrize("coins", [1, 4, 6])
@pytest.mark.parametrize(("up", "down"), [(3, 4), (2, 3), (4, 5), (2, 5), (1, 5), (3, 6)])
def test_a_gamblers_ruin_has_its_closed_form(coins: int, up: int, down: int) -> None:
    p, q = Fraction(up, 6), Fraction(7 - down, 6)
    ends = ends_of(GAME, start(coins=coins, all=7, up=up, down=down))
    assert ends.of == {"ruined": ruin(p, q, coins, 7), "rich": 1 - ruin(p, q, coins, 7)}
    assert ends.steps == duration(p, q, coins, 7)
    assert ends.lost == 0


def test_standing_still_changes_the_time_and_not_the_end() -> None:
    fair, slow = (ends_of(GAME, start(coins=2, all=6, up=up, down=7 - up)) for up in (3, 1))
    assert fair.of == slow.of
    assert slow.steps == 3 * fair.steps


def test_an_encounter_that_is_over_has_ended_as_it_is() -> None:
    ends = ends_of(GAME, start(coins=5, all=5))
    assert ends.of == {"rich": 1}
    assert ends.steps == 0


def test_ends_may_be_told_apart_by_anything_in_the_scene() -> None:
    ends = ends_of(GAME, start(coins=1, all=4))
    assert ends.by(lambda scene: scene[GAME].coins) == {0: Fraction(3, 4), 4: Fraction(1, 4)}
    assert sum(ends.scenes.values()) == 1


def test_the_exact_table_tells_the_same() -> None:
    assert Exact().ends_of(GAME, start(coins=1, all=4)) == {"ruined": Fraction(3, 4), "rich": Fraction(1, 4)}


def test_sampled_games_end_as_often_as_the_chain_says() -> None:
    table = Sampled(Random(7))
    state = start(coins=2, all=5, up=2, down=4)
    rich = sum(table.play_out(GAME, state)[0] == "rich" for _ in range(400))
    chance = ends_of(GAME, state).of["rich"]
    error = float(chance * (1 - chance) / 400) ** 0.5
    assert abs(rich / 400 - float(chance)) < 4 * error


def test_a_scripted_game_goes_the_way_it_is_written() -> None:
    played = play_out(GAME, start(coins=1, all=3), {"die": ["1", "6", "2", "3"]})
    assert played.result == "rich"
    assert Scene(played.state)[GAME].round == 4


# --- what has no end --------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Walk(Encounter):
    """Goes round, or on and on."""

    at: Open[int] = 0
    circle: Open[int] = 0

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return walk()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "home" if self.at < 0 else None


WALK = Who("walk", Walk)


@rule("tests.chain.walk")
async def walk(scene: Scene) -> None:
    """One step on, round the circle if there is one; a six leads home, where the way is straight."""
    circle = scene[WALK].circle
    home = not circle and (await roll(DIE, None, Pool.of((D6, 1)), Total)).total == 6
    at = -1 if home else (scene[WALK].at + 1) % circle if circle else scene[WALK].at + 1
    await change(WALK, replace(scene[WALK], at=at))


@pytest.mark.parametrize("circle", [1, 2, 5])
def test_an_encounter_that_goes_round_for_ever_is_an_error_and_not_a_hang(circle: int) -> None:
    with pytest.raises(TooLarge, match="the encounter can go on for ever without moving"):
        ends_of(WALK, State({"walk": Walk(circle=circle)}))


def test_an_encounter_with_too_many_scenes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.drivers.chain.MOST_SCENES", 50)
    with pytest.raises(TooLarge, match="more than 50 scenes can follow from this one; sample it instead"):
        ends_of(WALK, State({"walk": Walk()}))


def test_what_is_no_encounter_has_no_end() -> None:
    with pytest.raises(BadInput, match="game: is not an encounter"):
        ends_of(Who("game", object), State({"game": 3}))
    with pytest.raises(BadInput, match="'game' is not known"):
        ends_of(GAME, State({}))


# --- decisions and floors ---------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Bold(Encounter):
    """A gambler who may stake one coin or all."""

    coins: Open[int]
    all: Open[int]

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return dare()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return {0: "ruined", self.all: "rich"}.get(self.coins)


BOLD = Who("bold", Bold)


@rule("tests.chain.dare")
async def dare(scene: Scene) -> None:
    """One third wins the stake, which is never more than is missing."""
    most = min(scene[BOLD].coins, scene[BOLD].all - scene[BOLD].coins)
    stake = await choose(BOLD, STAKE, tuple(dict.fromkeys((most, 1))), default=1)
    won = (await roll(DIE, None, Pool.of((number_die(3), 1)), Total)).total == 3
    await change(BOLD, replace(scene[BOLD], coins=scene[BOLD].coins + (stake if won else -stake)))


def test_decisions_follow_the_policy() -> None:
    state = State({"bold": Bold(2, 4)})
    timid = ends_of(BOLD, state)
    bold = ends_of(BOLD, state, Exact(always(stake=2)))
    assert timid.of["rich"] == 1 - ruin(Fraction(1, 3), Fraction(2, 3), 2, 4)
    assert bold.of["rich"] == Fraction(1, 3)
    assert bold.steps == 1


@final
@dataclass(frozen=True, slots=True)
class Patience(Encounter):
    """Two sixes, each thrown for until it comes."""

    sixes: Open[int] = 0

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return six()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "done" if self.sixes == 2 else None


PATIENCE = Who("patience", Patience)


@rule("tests.chain.six")
async def six(scene: Scene) -> None:
    """Throw until a six comes: a step without an end."""
    while (await roll(DIE, None, Pool.of((D6, 1)), Total)).total < 6:
        pass
    await change(PATIENCE, Patience(scene[PATIENCE].sixes + 1))


def test_what_a_floor_leaves_out_of_each_step_is_reported_for_the_whole() -> None:
    ends = ends_of(PATIENCE, State({"patience": Patience()}), Exact(floor=Fraction(1, 1000)))
    each = 1 - Fraction(5, 6) ** 4
    assert ends.of == {"done": each**2}
    assert ends.lost == 1 - each**2
