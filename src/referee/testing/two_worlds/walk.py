"""Two worlds that differ only in secrets: someone who may not know the secrets must not be able to tell them apart.

One script of random, mostly legal commands is played at two tables. After every command, the seats that may not know
the difference are compared byte for byte: their views, items, actions, odds and refusals. The comparison ends for a
seat when a rule reveals the difference to it (`facts`).

    walk = Walk(stage, open_table, seed)
    walk.go(30)

The caller opens the tables; this module knows only the protocols below.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple, Protocol, final

from referee.core.audience import Audience
from referee.core.errors import RefereeError
from referee.core.knowledge import KnownState
from referee.core.plain import Plain
from referee.core.questions import Chance
from referee.core.scene import State
from referee.core.system import System
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.figures import Budget
from referee.forecast.risk import OddsQuery
from referee.forecast.risk_card import RiskCard
from referee.forecast.transport import digest
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Handling, Open
from referee.testing.two_worlds.facts import SeatFacts, in_hiding
from referee.views.feed import Feed

MASTER: Final = "gm"
GUEST: Final = "guest"
BUDGET: Final = Budget(seconds=None, runs=40, plays=4)
ACTIONS_EVERY: Final = 3


class DeskLike(Protocol):
    """What can be seen from a seat."""

    @property
    def feed(self) -> Feed: ...
    @property
    def known(self) -> KnownState: ...
    def view(self) -> Mapping[str, Plain]: ...
    def actions(self, who: str | None, /) -> list[dict[str, Plain]]: ...
    def choices(
        self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None, /
    ) -> dict[str, Plain]: ...
    def odds(
        self, action: str, who: str | None, arguments: Mapping[str, Plain] | None = None, /, budget: Budget = ...
    ) -> RiskCard: ...
    def question_query(self, question: str, /) -> OddsQuery: ...
    def odds_at(self, question: str, /, budget: Budget = ...) -> RiskCard: ...


class Command(NamedTuple):
    """Something done from a seat: its name and its arguments."""

    seat: str
    does: str
    given: tuple[Plain, ...] = ()
    named: Mapping[str, Plain] = {}


class TableLike(Protocol):
    """A table to play at: its journal, and its seats by name."""

    @property
    def journal(self) -> Journal: ...
    def desk(self, seat: str, /) -> DeskLike: ...
    def do(self, command: Command, /) -> None: ...
    def questions(self, seat: str, /) -> Mapping[str, Open]: ...


OpenTable = Callable[[System, State, SeededDice, Mapping[str, tuple[str, ...]]], TableLike]
"""Opens a table with a game master `gm`, a spectator `guest`, and players with the characters they play."""


class ScriptMove(NamedTuple):
    """A command in the first world, and one in the other."""

    here: Command | None
    there: Command | None

    @classmethod
    def alike(cls, seat: str, does: str, *given: Plain, **named: Plain) -> ScriptMove:
        return cls(*(Command(seat, does, given, named),) * 2)


Moves = Callable[[Random, "Walk"], ScriptMove | None]


@final
@dataclass(frozen=True)
class Secret:
    """A kind of secret: who may know it, how the scenes differ by it, and which moves play with it."""

    kind: str
    knowers: frozenset[str]
    here: Mapping[str, Plain] = field(default_factory=dict)
    there: Mapping[str, Plain] = field(default_factory=dict)
    """What is in the scene of the first world, and of the other."""
    moves: tuple[Moves, ...] = ()
    first: tuple[ScriptMove, ...] = ()
    """What is done before anything else."""
    held: bool = False
    """Whether held throws have other results in the other world."""


@final
@dataclass(frozen=True)
class Stage:
    """A system with a scene, and what may be secret in it."""

    system: System
    scene: Mapping[str, Plain]
    plays: Mapping[str, tuple[str, ...]]
    """The players' seats, and the characters they play."""
    secrets: Callable[[Random], tuple[Secret, ...]]
    """Some random secrets."""
    moves: tuple[Moves, ...]
    """What everyone does."""
    odds_every: int = 4
    """Odds take long in systems with many rules, so they are compared only about once in this many moves."""

    @property
    def seats(self) -> tuple[str, ...]:
        return (MASTER, *self.plays, GUEST)


class Leak(AssertionError):
    """Someone could tell two worlds apart."""


@final
class TwoWorldDice:
    """Dice and cards that are equal in both worlds when everyone sees them, and different when they are secret."""

    commitment: Final = "not committed to"

    def __init__(self, seed: int, world: int, knowers: frozenset[str], *, held: bool) -> None:
        self.seed = seed
        self.world = world
        self.knowers = knowers
        """The characters whose players may know."""
        self.held = held
        self.journal: Journal | None = None
        self._fallen = {True: 0, False: 0}

    def throw(self, counter: int) -> Callable[[int], int]:
        secret = self._is_secret()
        self._fallen[secret] += 1
        return Random(f"{self.seed} {secret and self.world} {self._fallen[secret]}").randrange

    def _is_secret(self) -> bool:
        """Whether the current throw is secret."""
        if self.journal is None:
            return False
        for each in self.journal.asking:
            if not isinstance(each.question, Chance) or (each.step, each.part) in self.journal.held:
                continue
            handling = self.journal.handle(each)
            if handling is not Handling.LEAVE:
                return self._is_kept(each, self.journal) or (self.held and handling is Handling.ASK)
        return False

    def _is_kept(self, waiting: Open, journal: Journal) -> bool:
        who, audience = waiting.question.who, waiting.question.audience
        began = journal.record.began(waiting.step)
        if who is None:
            return Audience.MASTER in (audience, began.audience) or began.hidden
        is_owners = audience in (Audience.OWNER, Audience.PRIVATE) and who.name in self.knowers
        return audience is Audience.MASTER or is_owners or who.name in in_hiding(journal.state)


@final
class World:
    """One of the two worlds: its table, and the facts each seat knows there."""

    def __init__(self, stage: Stage, open_table: OpenTable, start: State, source: Any) -> None:
        self.stage = stage
        self.table = open_table(stage.system, start, source, stage.plays)
        source.journal = self.table.journal
        self.heard = {seat: SeatFacts(stage.system, frozenset(stage.plays.get(seat, ()))) for seat in stage.seats}
        self.marks: list[int] = []
        """The length of the log before each move."""

    def do(self, command: Command | None) -> str:
        """Carry out a command; returns how it was refused, if it was."""
        before, hidden = self.table.journal.count, in_hiding(self.table.journal.state)
        self.marks.append(before)
        refused = self._do(command) if command else ""
        hidden |= in_hiding(self.table.journal.state)
        for heard in self.heard.values():
            heard.hear(self.table.journal, before, hidden)
        return refused

    def _do(self, command: Command) -> str:
        try:
            self.table.do(command)
        except RefereeError as why:
            return f"{type(why).__name__}: {why}"
        return ""

    def seen(self, seat: str) -> Iterator[tuple[str, str]]:
        """Everything a seat can look at, by name."""
        desk = self.table.desk(seat)
        yield "view", json.dumps(desk.view())
        yield "told", "\n".join(json.dumps(item) for item in desk.feed.items)

    def actions(self, seat: str) -> Iterator[tuple[str, str]]:
        """What a seat may do, as far as it knows."""
        yield "what it knows", digest(self.table.desk(seat).known).hex()
        for who in self.stage.plays.get(seat, ()):
            yield f"actions of {who}", _or_refused(self.table.desk(seat).actions, who)

    def odds(self, seat: str, random: Random) -> Iterator[tuple[str, str]]:
        """Odds that a seat can ask for: for one of its actions, and for the questions it is asked."""
        desk = self.table.desk(seat)
        for who in self.stage.plays.get(seat, ()):
            legal = [each for each in desk.actions(who) if each["legal"] and "choices" in each]
            for action in random.sample(legal, min(1, len(legal))):
                given = chosen(action, random)
                asked = action["action"], who, given
                yield f"choices for {asked}", _or_refused(desk.choices, *asked)
                yield f"odds of {asked}", _or_refused(desk.odds, *asked, BUDGET)
        for key in self.table.questions(seat):
            yield f"odds at {key}", _or_refused(desk.odds_at, key, BUDGET)
            yield f"what is packed for {key}", _or_refused(_packed, desk, key)


def chosen(action: Mapping[str, Plain], random: Random) -> dict[str, Plain] | None:
    """Random arguments for an action; None if there is nothing to choose from."""
    choices: Mapping[str, list[Plain]] = action["choices"]
    return {name: random.choice(each) for name, each in choices.items()} if all(choices.values()) else None


def _packed(desk: DeskLike, question: str) -> Plain:
    """A key for everything that is handed to whoever computes the odds at a question."""
    return digest(desk.question_query(question)).hex()


def _or_refused(read: Callable[..., Plain], *given: Any) -> str:
    try:
        found = read(*given)
        return json.dumps(found.to_plain() if isinstance(found, RiskCard) else found)
    except RefereeError as why:
        return f"{type(why).__name__}: {why}"


@final
class Walk:
    """One script in two worlds."""

    def __init__(self, stage: Stage, open_table: OpenTable, seed: int, stop: Stop = NEVER_STOP) -> None:
        self.stage = stage
        self.stop = stop
        self.random = Random(f"walk {seed}")
        self.secrets = stage.secrets(self.random)
        self.knowers = frozenset({MASTER}).union(*(each.knowers for each in self.secrets))
        known = frozenset(who for seat in self.knowers for who in stage.plays.get(seat, ()))
        held = any(each.held for each in self.secrets)
        scenes = [{**stage.scene}, {**stage.scene}]
        for secret in self.secrets:
            scenes[0] |= secret.here
            scenes[1] |= secret.there
        self.worlds = [
            World(stage, open_table, stage.system.new_state(_only(scene)), TwoWorldDice(seed, at, known, held=held))
            for at, scene in enumerate(scenes)
        ]
        self.viewers = [seat for seat in stage.seats if seat not in self.knowers]
        self.pairs = len(self.viewers)
        """How many viewers are compared in this script."""
        self.compared = 0
        self.revealed: list[str] = []
        """The seats to which a rule has revealed the difference."""
        self.script: list[tuple[ScriptMove, str, str]] = []

    def go(self, moves: int) -> None:
        """Make some moves, and compare after each of them."""
        for first in (each for secret in self.secrets for each in secret.first):
            self.make(first)
        ways = [*self.stage.moves, *(each for secret in self.secrets for each in secret.moves * 3)]
        for _ in range(moves):
            if not self.viewers or self.stop.is_past:
                return
            move = self.random.choice(ways)(self.random, self)
            if move is not None:
                self.make(move)

    def make(self, move: ScriptMove) -> None:
        outcomes = self.worlds[0].do(move.here), self.worlds[1].do(move.there)
        self.script.append((move, *outcomes))
        if move.here and move.here.seat == MASTER and bool(outcomes[0]) is not bool(outcomes[1]):
            self.viewers.clear()  # the game master did it in one world only, so it is no longer the same script
        for viewer in list(self.viewers):
            if self.worlds[0].heard[viewer] != self.worlds[1].heard[viewer]:
                self.viewers.remove(viewer)
                self.revealed.append(viewer)
                continue
            self.compared += 1
            if move.here and viewer == move.here.seat:
                self._check(viewer, f"refusal of {move.here.does}", *outcomes)
            self._compare(viewer)

    def _compare(self, viewer: str) -> None:
        self._check_all(viewer, *(world.seen(viewer) for world in self.worlds))
        if not self.random.randrange(ACTIONS_EVERY):
            self._check_all(viewer, *(world.actions(viewer) for world in self.worlds))
        if not self.random.randrange(self.stage.odds_every):
            seed = self.random.random()
            self._check_all(viewer, *(world.odds(viewer, Random(seed)) for world in self.worlds))

    def _check_all(self, viewer: str, here: Iterator[tuple[str, str]], there: Iterator[tuple[str, str]]) -> None:
        for (what, one), (_, other) in zip(here, there, strict=True):
            self._check(viewer, what, one, other)

    def _check(self, viewer: str, what: str, here: str, there: str) -> None:
        if here != there:
            at = next((at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0)
            near = slice(max(0, at - 200), at + 200)
            kinds = ", ".join(secret.kind for secret in self.secrets)
            raise Leak(
                f"{viewer} can tell by {what} ({kinds}), after {self.script[-3:]}:\n{here[near]}\nor\n{there[near]}"
            )


def _only(scene: Mapping[str, Plain]) -> dict[str, Plain]:
    """A scene without the entries that are None."""
    return {name: value for name, value in scene.items() if value is not None}
