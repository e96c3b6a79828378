"""An encounter as a table of chances that grows as it is walked: what was played once is looked up from then on.

A *node* is a place in the encounter where chance is asked: a scene, the step that comes next in it, and the answers
of chance given in that step so far. Its *slots* are the outcomes, with whole-number weights; each leads to another
node, to an end, or to something that has not been played yet. Where the encounter says so (`by_kernels`), a rule with
a kernel is one node, whose slots are its ends. Decisions are by policy, and steps without chance are passed through, so
nothing else is left to decide. Scenes and weights are those of the played rules: the table is no second truth.

Fights are numbered, and every number they draw follows from the seed, the fight, its step and how many were drawn in
that step. So it makes no difference who walks (`walk.py`), in how many processes, or how much of the table is known;
and two variants of an encounter meet the same luck step by step.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, NamedTuple, TypeVar, cast, final

from referee.core.agenda import ending_of, next_of
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls
from referee.core.encounter import Encounter
from referee.core.errors import RefereeError, TooLarge
from referee.core.plain import frozen
from referee.core.questions import Chance, Choose, Question, Request
from referee.core.replay import Answered, KnownResult
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Read, Scene, State, Who
from referee.drivers.kernels import outcomes
from referee.drivers.memory import Memory
from referee.drivers.policies import Policy, by_default, decided

T = TypeVar("T")

UNSEEN: Final = -1
"""The target of a slot that has not been played yet, and the node of what is played beside the table."""
CHANCE: Final = -1
"""The end of a node that is none."""
MOST_NODES: Final = 2_000_000
"""How large a table may get; what does not fit is played every time."""
MOST_STEPS: Final = 10_000
"""After this many steps an encounter counts as unfinished."""
WIDEST: Final = 2**63
MOST_SLOTS: Final = 10_000
"""Chance with larger weights or more outcomes does not fit into the table, and is drawn die by die."""
DRAWS: Final = 2**16
"""The most numbers that one step may draw."""

_ALL: Final = 2**64 - 1


def mixed(number: int) -> int:
    """A number of 64 bits that looks like chance (splitmix64)."""
    number = (number + 0x9E3779B97F4A7C15) & _ALL
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _ALL
    return number ^ (number >> 31)


def fight_key(seed: int, number: int) -> int:
    """What all numbers that a fight draws follow from."""
    return mixed(mixed(seed & _ALL) ^ mixed(number))


@final
@frozen
class EncounterEnd:
    """How an encounter ended, and who was out of it by then."""

    ending: Hashable
    out: tuple[str, ...] = ()


LOST: Final = EncounterEnd("lost")
"""An outcome of dice that are thrown again and again, too unlikely to be followed; reported, never hidden."""
UNFINISHED: Final = EncounterEnd("unfinished")
"""More than the most steps."""


@final
@dataclass(slots=True)
class WalkedFight:
    """One encounter on its way through the table."""

    key: int
    node: int
    steps: int = 0
    rounds: int = 0
    draws: int = 0
    """How many numbers it has drawn in this step."""

    def below(self, bound: int) -> int:
        """The next number it draws, evenly from 0 up to a bound."""
        limit = 2**64 - 2**64 % bound
        while True:
            number = mixed(self.key ^ mixed(self.steps * DRAWS + self.draws))
            self.draws += 1
            if number < limit:
                return number % bound

    def go(self, way: Lead) -> None:
        """Go on to another node; a new step draws its numbers anew."""
        self.node, self.steps, self.rounds = way.node, self.steps + way.steps, self.rounds + way.rounds
        if way.steps:
            self.draws = 0


class Lead(NamedTuple):
    """Where something leads before chance is asked again: the node, and the steps and rounds on the way."""

    node: int
    steps: int = 0
    rounds: int = 0


class _Live(NamedTuple):
    """A step that waits for chance: its node, if it is in the table, and the round in which it began."""

    run: Run[Any]
    chance: _Chance
    node: int
    round: int


class _Chance(NamedTuple):
    """What can happen next in a step, and the weights added up; without any, chance is drawn die by die."""

    items: Sequence[Answered | KnownResult | None]
    """What is done to the step; None stands for all that is too unlikely to be followed."""
    upto: Sequence[int]


@final
class Table:
    """The nodes of one encounter under one policy. It starts with the first node and grows by `explore`."""

    def __init__(
        self, encounter: Who[Any], state: State, policy: Policy = by_default, *, most_nodes: int = MOST_NODES
    ) -> None:
        self.encounter = encounter
        self._is_by_kernels: bool = Scene(state)[encounter].by_kernels
        self.policy = policy
        self.most_nodes = most_nodes
        self.first = array("q")
        """By node: its first slot."""
        self.slots = array("q")
        """By node: how many slots it has; 0 for an end, and for chance that does not fit into the table."""
        self.end = array("q")
        """By node: the number of its end, or CHANCE."""
        self.upto = array("Q")
        """By slot: its weight and those of all earlier slots of its node."""
        self.to = array("q")
        """By slot: the node it leads to, or UNSEEN."""
        self.more_steps = array("q")
        self.more_rounds = array("q")
        """By slot: the steps that end, and the rounds that begin, on the way."""
        self.ends: list[EncounterEnd] = []
        self._end_nodes: dict[EncounterEnd, int] = {}
        self._ways: dict[State, Lead] = {}
        self._scenes: dict[int, State] = {}
        """By node that is the first of its step: the scene."""
        self._from = array("q")
        """By node: the slot that leads to it within its step; UNSEEN for the first of its step."""
        self._of = array("q")
        """By slot: its node."""
        self._calls = KernelCalls(self._decide)
        self._kernels: Memory[tuple[_Chance | None]] = Memory()
        """What kernels have come to, for what they read."""
        self.lost = self._end_node(LOST)
        self.unfinished = self._end_node(UNFINISHED)
        self.start, live = self._led_to(state)
        _close(live)

    @property
    def is_full(self) -> bool:
        return len(self.first) >= self.most_nodes

    def fight(self, number: int, seed: int = 0) -> WalkedFight:
        """A fight at its beginning."""
        return WalkedFight(fight_key(seed, number), *self.start)

    @property
    def end_nodes(self) -> Iterable[tuple[int, EncounterEnd]]:
        return ((node, end) for end, node in self._end_nodes.items())

    # --- growing ------------------------------------------------------------------------------------------------------

    def explore(self, fight: WalkedFight) -> None:
        """Play on where the table has nothing yet, and add what is met, until a known place or an end is reached."""
        live: _Live | None = self._resumed(fight.node)
        try:
            while live is not None:
                slot, item = self._drawn(live, fight)
                if slot == UNSEEN or self.to[slot] == UNSEEN:
                    way, live = self._played_on(live, slot, item)
                else:
                    way = Lead(self.to[slot], self.more_steps[slot], self.more_rounds[slot])
                    _close(live)
                    live = None
                fight.go(way)
                if fight.steps > MOST_STEPS:
                    fight.node = self.unfinished
                    return
        finally:
            _close(live)

    def expand(self, most_nodes: int) -> Iterator[None]:
        """Play everything that is not in the table yet, a slot at a time."""
        at = 0
        while at < len(self.first):
            if self.end[at] == CHANCE and not self.slots[at]:
                raise TooLarge("some chance of this encounter does not fit into a table")
            for slot in self.slots_of(at):
                if self.to[slot] != UNSEEN:
                    continue
                if len(self.first) >= min(most_nodes, self.most_nodes):
                    raise TooLarge(f"more than {most_nodes} places can follow from this one; sample it instead")
                live = self._resumed(at)
                _close(self._played_on(live, slot, live.chance.items[slot - self.first[at]])[1])
                yield
            at += 1

    def slots_of(self, node: int) -> range:
        return range(self.first[node], self.first[node] + self.slots[node])

    def weight(self, slot: int) -> int:
        return self.upto[slot] - (self.upto[slot - 1] if slot > self.first[self._of[slot]] else 0)

    # --- playing ------------------------------------------------------------------------------------------------------

    def _drawn(self, live: _Live, fight: WalkedFight) -> tuple[int, Answered | KnownResult | None]:
        """What happens by chance, and its slot, if the table has one."""
        if not live.chance.upto:
            part = live.run.open[0]
            question: Any = live.run.asking[part]
            return UNSEEN, Answered(question, part, question.read(question.at_random(fight.below)))
        at = bisect_right(live.chance.upto, fight.below(live.chance.upto[-1]))
        return UNSEEN if live.node == UNSEEN else self.first[live.node] + at, live.chance.items[at]

    def _played_on(self, live: _Live, slot: int, item: Answered | KnownResult | None) -> tuple[Lead, _Live | None]:
        """Play on to the next chance; without a step that waits there, its node was known."""
        run, further = live.run, None
        if item is None:
            run.close()
            way = Lead(self.lost)
        else:
            item.onto(run)
            chance = self._next_chance(run)
            if chance is not None:
                further = _Live(run, chance, UNSEEN if slot == UNSEEN else self._chance_node(chance, slot), live.round)
                way = Lead(further.node)
            else:
                rounds = self._round(run.scene) - live.round
                way, further = self._led_to(run.scene.state)
                way = Lead(way.node, way.steps + 1, way.rounds + rounds)
        if UNSEEN not in (slot, way.node):
            self.to[slot], self.more_steps[slot], self.more_rounds[slot] = way
        return way, further

    def _led_to(self, state: State) -> tuple[Lead, _Live | None]:
        """Where a scene leads; with the step that waits there, if the scene was not known."""
        scene = Scene(self._reduced(state))
        begin, steps, rounds = scene.state, 0, 0
        while (known := self._ways.get(scene.state)) is None:
            following = next_of(scene, self.encounter)
            if following is None:
                known = Lead(self._end_node(self._end(scene)))
                break
            here, now = scene.state, self._round(scene)
            run = Run(scene, following.call, pause_at_calls=True, silent=True)
            if (chance := self._next_chance(run)) is not None:
                node = self._chance_node(chance, UNSEEN, here)
                way = Lead(node, steps, rounds)
                if node != UNSEEN:
                    self._ways[begin], self._ways[here] = way, Lead(node)
                return way, _Live(run, chance, node, now)
            rounds += self._round(scene) - now
            scene = Scene(self._reduced(scene.state))
            steps += 1
            if steps > MOST_STEPS:
                raise TooLarge("the encounter can go on for ever without chance")
        way = Lead(known.node, known.steps + steps, known.rounds + rounds)
        if not self.is_full:
            self._ways[begin] = way
        return way, None

    def _next_chance(self, run: Run[Any]) -> _Chance | None:
        """Answer decisions by policy until chance has its say; None if the step ends first."""
        while not run.done:
            if run.at_call is not None:
                if (chance := self._by_kernel(run, run.at_call)) is not None:
                    return chance
                run.enter()
                continue
            part = run.open[0]
            question = run.asking[part]
            if isinstance(question, Chance):
                return _by_question(question, part)
            run.answer(decided(self.policy, question, run.scene), part)
        return None

    def _by_kernel(self, run: Run[Any], call: Call[Any]) -> _Chance | None:
        """All ends of a rule that has a kernel; None where it must be played."""
        if not self._is_by_kernels or call.rule.kernel is None or run.repeats is not None:
            return None
        state = run.scene.state
        if (known := self._kernels.recall(call, state)) is None:
            reads: set[Read] = set()
            known = (self._worked_out(call, Scene(state, reads)),)
            self._kernels.keep(call, state, tuple(reads), known)
        return known[0]

    def _worked_out(self, call: Call[Any], scene: Scene) -> _Chance | None:
        try:
            ends = call.rule.ends(scene, self._calls, call.args)
        except RefereeError:
            return None
        if ends is None:
            return None
        items: list[Answered | KnownResult | None] = []
        weights: list[int] = []
        for result, changes, ways in ends:
            if ways:
                to = {who.name: value for who, value in changes}
                items.append(None if result is LEFT_OUT else KnownResult(call, result, ((to, ways),), ()))
                weights.append(ways)
        upto = tuple(accumulate(weights))
        return None if upto[-1] >= WIDEST or len(upto) > MOST_SLOTS else _Chance(items, upto)

    def _decide(self, question: Request[T], scene: Scene) -> T:
        """As in a run, a choice with one option is not asked."""
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        return cast(T, decided(self.policy, cast(Question[Any], question), scene))

    def _resumed(self, node: int) -> _Live:
        """The step of a node, played again up to there."""
        slots: list[int] = []
        at = node
        while self._from[at] != UNSEEN:
            slots.append(self._from[at])
            at = self._of[self._from[at]]
        scene = Scene(self._scenes[at])
        now, following = self._round(scene), next_of(scene, self.encounter)
        run = None if following is None else Run(scene, following.call, pause_at_calls=True, silent=True)
        chance = None if run is None else self._next_chance(run)
        for slot in reversed(slots):
            item = chance.items[slot - self.first[self._of[slot]]] if chance is not None else None
            if run is None or item is None:
                break
            item.onto(run)
            chance = self._next_chance(run)
        if run is None or chance is None:
            raise ValueError(f"the step of node {node} does not ask the same again")
        return _Live(run, chance, node, now)

    def _reduced(self, state: State) -> State:
        """A scene without what no later step depends on, as its encounters declare."""
        for name, value in state.items():
            if isinstance(value, Encounter) and (reduced := value.reduced()) is not value:
                state = state.but(name, reduced)
        return state

    def _round(self, scene: Scene) -> int:
        return int(getattr(scene[self.encounter], "round", 0))

    def _end(self, scene: Scene) -> EncounterEnd:
        value: Encounter = scene[self.encounter]
        return EncounterEnd(ending_of(scene, self.encounter), tuple(sorted(value.out(scene))))

    # --- storing ------------------------------------------------------------------------------------------------------

    def _end_node(self, end: EncounterEnd) -> int:
        if end not in self._end_nodes:
            self._end_nodes[end] = self._new_node((), len(self.ends), UNSEEN)
            self.ends.append(end)
        return self._end_nodes[end]

    def _chance_node(self, chance: _Chance, slot: int, scene: State | None = None) -> int:
        """A new node; UNSEEN if the table is full."""
        if self.is_full:
            return UNSEEN
        node = self._new_node(chance.upto, CHANCE, slot)
        if scene is not None:
            self._scenes[node] = scene
        return node

    def _new_node(self, upto: Sequence[int], end: int, slot: int) -> int:
        node, count = len(self.first), len(upto)
        self.first.append(len(self.to))
        self.slots.append(count)
        self.end.append(end)
        self._from.append(slot)
        self.upto.extend(upto)
        self.to.extend([UNSEEN] * count)
        self.more_steps.extend([0] * count)
        self.more_rounds.extend([0] * count)
        self._of.extend([node] * count)
        return node


def _by_question(question: Chance[Any], part: int) -> _Chance:
    """What a throw or a draw can come to."""
    try:
        rows = outcomes(question)
    except TooLarge:
        return _Chance((), ())
    left_out = question.left_out
    upto = tuple(accumulate((*(weight for _, weight in rows), *([left_out] if left_out else []))))
    if upto[-1] >= WIDEST or len(upto) > MOST_SLOTS:
        return _Chance((), ())
    items = [Answered(question, part, answer) for answer, _ in rows]
    return _Chance([*items, None] if left_out else items, upto)


def _close(live: _Live | None) -> None:
    if live is not None:
        live.run.close()
