"""Fights broken down into turns: what a turn can come to is worked out once for each pair of conditions.

`kits/breakdown.py` says how a fight falls apart into its fighters. Here the rules are played in scenes put together
from conditions, with every outcome that chance can have, and what comes of it is kept as *rows*: with which chance the
two conditions become which. Nothing in a row was written by hand. `round_walk.py` walks fights through the rows.

Whether a fight falls apart as its game says is checked. Before it is used, fights are played by the plain rules, and
everything that happens in them must be what the rows say (`check`). And every row is refused in which a rule touches
anything but the two conditions, or somebody else acts, or attacks somebody else, than was expected.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from random import Random
from time import thread_time
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast, final

from referee.core.actions import ActionChoice
from referee.core.agenda import next_of
from referee.core.branches import LEFT_OUT
from referee.core.composed import KernelCalls
from referee.core.encounter import ending
from referee.core.errors import RefereeError
from referee.core.questions import Chance, Choose, Question, Request
from referee.core.replay import Answered, Changes, KnownResult
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Read, Scene, State, Who
from referee.drivers.exact import Memory
from referee.drivers.kernels import outcomes
from referee.drivers.policies import Policy, decided
from referee.drivers.sampled import Sampled
from referee.drivers.table import EncounterEnd
from referee.forecast import _round_walk
from referee.forecast._round_walk import BY_NAME, MISSING, RowArrays, hashed
from referee.kits.breakdown import FighterFacts, breakdown_of

T = TypeVar("T")

RAREST: Final = 1e-9
"""What kernels leave out as too unlikely must be less than this."""
MOST_CONDITIONS: Final = 2**20
"""The number of a pair of conditions must fit into 64 bits."""
MOST_FIGHTERS: Final = 50
"""So do a pair of fighters besides, and a bit for each of them."""
ALONE: Final = MOST_CONDITIONS - 1
"""Stands for the condition of a target, where there is none."""


class NotBrokenDown(RefereeError):
    """Why a fight has to be played by the plain rules."""


class RowEnd(NamedTuple):
    """What can come of a row: the conditions of whoever acts and of the other, and a score of initiative."""

    own: int
    other: int = MISSING
    score: int = 0


class RuleEnd(NamedTuple):
    """How a rule or a stretch of steps can end: its result, the scene after it, and the chance of that."""

    result: Any
    state: State
    chance: Fraction


class _KnownEnds(NamedTuple):
    """The ends of a rule: results, what each changes, its chance; and what the rule has read."""

    rows: list[tuple[Any, Changes, Fraction]]
    reads: tuple[Read, ...]


@final
@dataclass(frozen=True, slots=True)
class _Enter:
    """In a trail: a rule that has to be played is entered."""

    def onto(self, run: Run[Any]) -> None:
        run.enter()


_ENTER: Final = _Enter()
_Item: TypeAlias = "Answered | KnownResult | _Enter"


@final
class BrokenDown:
    """One fight under one policy as rows that grow as they are needed. The walk reads its arrays."""

    def __init__(self, encounter: Who[Any], state: State, policy: Policy) -> None:
        parts = breakdown_of(type(Scene(state)[encounter]))
        if parts is None:
            raise NotBrokenDown("its game does not say how such an encounter falls apart")
        if why := parts.refusal(Scene(state), policy):
            raise NotBrokenDown(why)
        self.encounter, self.policy, self.parts = encounter, policy, parts
        self.state = state
        self.sides: tuple[tuple[str, ...], ...] = Scene(state)[encounter].parties()
        self.names: tuple[str, ...] = tuple(name for side in self.sides for name in side)
        self.side = array("q", [at for at, side in enumerate(self.sides) for _ in side])
        self.rest = parts.rest(state)
        self.horizon = 10**9
        """From this round on something can come due that conditions leave out."""
        self.conditions: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._facts: list[FighterFacts] = []
        # By condition: the facts, and the rows for the beginning and the end of a round.
        self.able, self.stands, self.ready, self.turns_taken = array("q"), array("q"), array("q"), array("q")
        self.target_rank = array("q")
        """Lower is attacked first; MISSING is not attacked."""
        self.begin_row, self.end_row = array("q"), array("q")
        # By row: its first slot and how many there are. By slot: chances added up, and what comes of it.
        self.first, self.count = array("q"), array("q")
        self.upto, self.own, self.other, self.score = array("d"), array("q"), array("q"), array("q")
        self.turn_keys, self.turn_rows = array("q", [MISSING]) * 1024, array("q", [MISSING]) * 1024
        """Rows of turns by pairs of conditions: the first free place from `hashed` on."""
        self._turns = 0
        self._calls = KernelCalls(self._decide)
        self._known: Memory[_KnownEnds] = Memory()
        """How rules can end, for what they read."""
        self.start = array("q", [self._number(parts.condition(state, name)) for name in self.names])
        self._learn_facts()
        self._check_whole(state, dict(zip(self.names, self._as_conditions(self.start), strict=True)))

    def rows(self) -> RowArrays:
        """What the walk reads."""
        arrays = {name: getattr(self, name) for name in RowArrays._fields if name != "names"}
        return RowArrays(names=len(self.names), **arrays)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def _number(self, condition: Hashable) -> int:
        """The number of a condition; a new one is given its facts."""
        found = self._numbers.get(condition)
        if found is not None:
            return found
        number = self._numbers[condition] = len(self.conditions)
        if number >= ALONE or len(self.names) > MOST_FIGHTERS:
            raise NotBrokenDown("fighters can be in too many conditions")
        self.conditions.append(condition)
        return number

    def numbers(self, state: State) -> list[int]:
        """The numbers of everyone's conditions in a scene."""
        found = [self._number(self.parts.condition(state, name)) for name in self.names]
        self._learn_facts()
        return found

    def _learn_facts(self) -> None:
        """The facts about conditions that are new."""
        if len(self._facts) == len(self.conditions):
            return
        for number in range(len(self._facts), len(self.conditions)):
            others = self._as_conditions(self.start) if self._facts else [self.conditions[number]] * len(self.names)
            at = next((n for n, name in enumerate(self.names) if self._is_of(number, name)), 0)
            mine = {**dict(zip(self.names, others, strict=True)), self.names[at]: self.conditions[number]}
            state = self.parts.amid_turns(self.rest, mine, self.names)
            facts = self.parts.facts(Scene(state), self.names[at])
            self._facts.append(facts)
            self.able.append(facts.able)
            self.stands.append(facts.stands)
            self.ready.append(facts.ready)
            self.turns_taken.append(facts.turns_taken)
            self.begin_row.append(MISSING)
            self.end_row.append(MISSING)
        ranks = sorted({each.target_rank for each in self._facts if each.target_rank is not None})
        self.target_rank = array(
            "q",
            (MISSING if each.target_rank is None else bisect_left(ranks, each.target_rank) for each in self._facts),
        )

    def _is_of(self, number: int, name: str) -> bool:
        """Whether a condition can be this fighter's: some are those of one person alone."""
        return self.parts.only_of(self.conditions[number]) in ("", name)

    def _is_named(self, number: int) -> bool:
        return bool(self.parts.only_of(self.conditions[number]))

    def _as_conditions(self, numbers: Iterable[int]) -> list[Hashable]:
        return [self.conditions[number] for number in numbers]

    def _check_whole(self, state: State, conditions: Mapping[str, Hashable]) -> None:
        """Refuse a scene that conditions and the rest do not give back."""
        rebuilt = self.parts.between_rounds(self.rest, conditions)
        if self.parts.rest(state) != self.rest or any(
            self.parts.condition(rebuilt, name) != condition for name, condition in conditions.items()
        ):
            raise NotBrokenDown("something besides the fighters has changed")

    def end(self, numbers: Sequence[int]) -> EncounterEnd:
        """How the fight has ended, and who is out, by the encounter itself."""
        state = self.parts.amid_turns(self.rest, self._by_name(numbers), self.names)
        how = ending(Scene(state), self.encounter)
        if how is None:
            raise NotBrokenDown("the fight goes on")
        return EncounterEnd(how, tuple(sorted(Scene(state)[self.encounter].out(Scene(state)))))

    # --- rows ---------------------------------------------------------------------------------------------------------

    def learn_begin(self, at: int, numbers: Sequence[int]) -> None:
        """The row of a fighter's initiative; declarations by policy belong to it."""
        name, conditions = self.names[at], self._by_name(numbers)
        state = self.parts.between_rounds(self.rest, conditions)
        begun = {self._begun(state, name, seed) for seed in (1, 2)}
        if len(begun) > 1:
            raise NotBrokenDown("how a round begins depends on initiative")
        (own,) = begun
        found: defaultdict[RowEnd, Fraction] = defaultdict(Fraction)
        for result, after, chance in self._ends(self.parts.initiative(Scene(state), name), state):
            if after != state:
                raise NotBrokenDown("initiative changes the scene")
            found[RowEnd(own, MISSING, self.parts.initiative_score(Scene(state), name, result))] += chance
        self.begin_row[numbers[at]] = self._add_row(found)
        self._learn_facts()

    def _begun(self, state: State, name: str, seed: int) -> int:
        """The condition in which somebody begins to act in a round."""
        table, scene = Sampled(Random(seed), self.policy), Scene(state)
        while not self.parts.is_amid_turns(scene.state):
            following = next_of(scene, self.encounter)
            if following is None:
                raise NotBrokenDown("the fight ends before anybody acts")
            drive(Run(scene, following.call, silent=True), table.answer)
        return self._number(self.parts.condition(scene.state, name))

    def learn_turn(self, at: int, target: int, numbers: Sequence[int], order: Sequence[int]) -> None:
        """The row of a turn: whoever acts, and the foe who is attacked; without a target, MISSING.

        Where two come to know each other by name, others like them have rows of their own.
        """
        state = self.parts.amid_turns(self.rest, self._by_name(numbers), [self.names[each] for each in order])
        found = self._turn(state, at, target, numbers)
        key = turn_key(numbers[at], numbers[target] if target != MISSING else ALONE)
        before = [numbers[each] for each in (at, target) if each != MISSING]
        after = {each for end in found for each in (end.own, end.other) if each != MISSING}
        if any(map(self._is_named, after)) and not all(map(self._is_named, before)):
            if not self._has_turn(key):
                self._keep_turn(key, BY_NAME)
            key = key_by_name(key, at, target, len(self.names))
        self._keep_turn(key, self._add_row(found))
        self._learn_facts()

    def _turn(self, state: State, at: int, target: int, numbers: Sequence[int]) -> dict[RowEnd, Fraction]:
        """What a turn can come to, by the rules."""
        scene = Scene(state)
        following = next_of(scene, self.encounter)
        if following is None or [str(each) for each in following.call.args] != [self.names[at]]:
            raise NotBrokenDown(f"it is not the turn of {self.names[at]}")
        call, chosen = self._chosen(state, following.call)
        if chosen not in ("", self.names[target] if target != MISSING else ""):
            raise NotBrokenDown(f"{self.names[at]} attacks {chosen}")
        return self._read(self._ends(call, state), {at, target}, at, target, numbers)

    def _chosen(self, state: State, call: Call[Any]) -> tuple[Call[Any], str]:
        """What the policy does with a turn, and against whom."""
        run = Run(Scene(state), call, silent=True)
        try:
            question: Any = run.asking[0] if run.asking else None
            if not isinstance(question, Choose):
                return call, ""
            answer = decided(self.policy, question, run.scene)
        finally:
            run.close()
        if not isinstance(answer, ActionChoice):
            return call, ""
        return answer.call, str(answer.arguments.get("target", ""))

    def _read(
        self, ends: Iterable[RuleEnd], may_change: set[int], at: int, other: int, numbers: Sequence[int]
    ) -> dict[RowEnd, Fraction]:
        """Ends as conditions; refused if anything else was touched."""
        found: defaultdict[RowEnd, Fraction] = defaultdict(Fraction)
        for _, after, chance in ends:
            if self.parts.rest(after) != self.rest:
                raise NotBrokenDown("something besides the fighters has changed")
            self.horizon = min(self.horizon, self.parts.horizon(after))
            now = [self._number(self.parts.condition(after, name)) for name in self.names]
            if any(number != numbers[n] for n, number in enumerate(now) if n not in may_change):
                raise NotBrokenDown("a turn has changed somebody who had no part in it")
            found[RowEnd(now[at], now[other] if other != MISSING else MISSING)] += chance
        return found

    def learn_end(self, at: int, numbers: Sequence[int]) -> None:
        """The row of the end of a round for one fighter: the others are as they were at the start of the fight."""
        mine = list(self.start)
        mine[at] = numbers[at]
        found = self._round_end(at, mine)
        self.end_row[numbers[at]] = self._add_row(found)
        self._learn_facts()

    def _round_end(self, at: int, numbers: Sequence[int]) -> dict[RowEnd, Fraction]:
        state = self.parts.amid_turns(self.rest, self._by_name(numbers), self.names)
        todo, ends = [RuleEnd(None, state, Fraction(1))], list[RuleEnd]()
        while todo:
            _, here, chance = todo.pop()
            following = next_of(Scene(here), self.encounter)
            if following is None:
                raise NotBrokenDown("the fight ends with a round")
            for result, after, part in self._ends(following.call, here):
                whole = RuleEnd(result, after, chance * part)
                (ends if self.parts.is_between_rounds(after) else todo).append(whole)
        return self._read(ends, {at}, at, MISSING, numbers)

    def _by_name(self, numbers: Sequence[int]) -> dict[str, Hashable]:
        return dict(zip(self.names, self._as_conditions(numbers), strict=True))

    def _add_row(self, found: Mapping[RowEnd, Fraction]) -> int:
        whole = sum(found.values(), Fraction(0))
        if whole < 1 - RAREST:
            raise NotBrokenDown("too much is left out as unlikely")
        row, total = len(self.first), Fraction(0)
        self.first.append(len(self.upto))
        self.count.append(len(found))
        for end, chance in sorted(found.items(), key=lambda each: -each[1]):
            total += chance
            self.upto.append(float(total / whole))
            self.own.append(end.own)
            self.other.append(end.other)
            self.score.append(end.score)
        return row

    def _keep_turn(self, key: int, row: int) -> None:
        self._turns += 1
        if 2 * self._turns > len(self.turn_keys):
            old = [(k, r) for k, r in zip(self.turn_keys, self.turn_rows, strict=True) if k != MISSING]
            size = 2 * len(self.turn_keys)
            self.turn_keys, self.turn_rows = array("q", [MISSING]) * size, array("q", [MISSING]) * size
            for each in old:
                self._put(*each)
        self._put(key, row)

    def knows_turn(self, at: int, target: int, numbers: Sequence[int]) -> bool:
        key = turn_key(numbers[at], numbers[target] if target != MISSING else ALONE)
        if self.turn_rows[self._place_of(key)] == BY_NAME:
            key = key_by_name(key, at, target, len(self.names))
        return self._has_turn(key)

    def _has_turn(self, key: int) -> bool:
        return self.turn_keys[self._place_of(key)] == key

    def _place_of(self, key: int) -> int:
        """Where the row of a turn is kept, or would be."""
        place = hashed(key, len(self.turn_keys))
        while self.turn_keys[place] not in (MISSING, key):
            place = (place + 1) % len(self.turn_keys)
        return place

    def _put(self, key: int, row: int) -> None:
        place = self._place_of(key)
        self.turn_keys[place], self.turn_rows[place] = key, row

    # --- checks -------------------------------------------------------------------------------------------------------

    def check(self, fights: int = 2, seed: int = 0, seconds: float = inf) -> None:
        """Play fights by the plain rules, and refuse the breakdown if anything happens in them that it does not say.

        It is refused as well if that takes more seconds of processor time.
        """
        horizon, until = self.horizon, thread_time() + seconds
        for fight in range(fights):
            _Shadow(self, Sampled(Random(seed + fight), self.policy), until).play()
        self.horizon = horizon

    def row(self, row: int) -> dict[RowEnd, float]:
        """What can come of a row, with the chance of each."""
        slots = range(self.first[row], self.first[row] + self.count[row])
        before = [0.0, *(self.upto[slot] for slot in slots)]
        return {
            RowEnd(self.own[slot], self.other[slot], self.score[slot]): self.upto[slot] - before[at]
            for at, slot in enumerate(slots)
        }

    def turn_row(self, at: int, target: int, numbers: Sequence[int], order: Sequence[int]) -> int:
        """The row of a turn, learned if need be."""
        if not self.knows_turn(at, target, numbers):
            self.learn_turn(at, target, numbers, order)
        key = turn_key(numbers[at], numbers[target] if target != MISSING else ALONE)
        row = self.turn_rows[self._place_of(key)]
        return self.turn_rows[self._place_of(key_by_name(key, at, target, len(self.names)))] if row == BY_NAME else row

    # --- all that the rules can come to -------------------------------------------------------------------------------

    def _ends(self, call: Call[Any], state: State) -> list[RuleEnd]:
        """Every end of a step once, with its chance."""
        return [RuleEnd(result, state.after(changes), chance) for result, changes, chance in self._of(call, state).rows]

    def _of(self, call: Call[Any], state: State) -> _KnownEnds:
        """Every end of a rule once; rules within it are worked out in the same way."""
        known = self._known.recall(call, state)
        if known is None:
            reads: set[Read] = set()
            rows = self._worked_out(call, Scene(state, reads))
            known = _KnownEnds(rows, tuple(reads))
            self._known.keep(call, state, known.reads, known)
        return known

    def _worked_out(self, call: Call[Any], scene: Scene) -> list[tuple[Any, Changes, Fraction]]:
        by_kernel = self._by_kernel(call, scene)
        if by_kernel is not None:
            return by_kernel
        found: defaultdict[tuple[Any, Changes], Fraction] = defaultdict(Fraction)
        todo: list[tuple[tuple[_Item, ...], Fraction]] = [((), Fraction(1))]
        while todo:
            trail, chance = todo.pop()
            here = Scene(scene.state, scene.reads)
            run: Run[Any] = Run(here, call, pause_at_calls=True, silent=True)
            for item in trail:
                item.onto(run)
            passed, items = self._next_chance(run)
            if items:
                run.close()
                todo.extend(((*trail, *passed, item), chance * part) for item, part in items)
            else:
                changes = tuple((name, here.state.get(name)) for name in sorted(here.written))
                found[run.result, changes] += chance
        return [(result, changes, chance) for (result, changes), chance in found.items()]

    def _next_chance(self, run: Run[Any]) -> tuple[list[_Item], list[tuple[_Item, Fraction]]]:
        """What happens until chance has its say, and what chance can say; nothing if the rule ends first."""
        passed: list[_Item] = []
        while not run.done:
            items = self._of_call(run, run.at_call) if run.at_call is not None else self._of_question(run)
            if len(items) > 1:
                return passed, items
            passed.append(items[0][0])
            items[0][0].onto(run)
        return passed, []

    def _of_call(self, run: Run[Any], call: Call[Any]) -> list[tuple[_Item, Fraction]]:
        """Every way in which a rule that was called can end."""
        if run.repeats is not None:
            return [(_ENTER, Fraction(1))]
        rows, reads = self._of(call, run.scene.state)
        return [(KnownResult(call, result, ((dict(changes), 1),), reads), chance) for result, changes, chance in rows]

    def _of_question(self, run: Run[Any]) -> list[tuple[_Item, Fraction]]:
        """Every answer of chance, or that of the policy."""
        part = run.open[0]
        question = run.asking[part]
        if not isinstance(question, Chance):
            return [(Answered(question, part, decided(self.policy, question, run.scene)), Fraction(1))]
        rows = outcomes(question)
        if self.parts.is_immaterial(question):
            rows = [min(rows, key=lambda row: row[0].total)]
        whole = sum(ways for _, ways in rows)
        return [(Answered(question, part, outcome), Fraction(ways, whole)) for outcome, ways in rows]

    def _by_kernel(self, call: Call[Any], scene: Scene) -> list[tuple[Any, Changes, Fraction]] | None:
        """Every end of a rule from its outline or kernel; None if it has none, or has to be played."""
        try:
            ends = call.rule.outlined(scene, self._calls, call.args) or call.rule.ends(scene, self._calls, call.args)
        except RefereeError:
            return None
        if ends is None:
            return None
        whole = sum(ways for _, _, ways in ends)
        return [
            (result, tuple((who.name, value) for who, value in changes), Fraction(ways, whole))
            for result, changes, ways in ends
            if ways and result is not LEFT_OUT
        ]

    def _decide(self, question: Request[T], scene: Scene) -> T:
        """As in a run, a choice with one option is not asked."""
        if isinstance(question, Choose) and question.is_no_choice:
            return cast(T, question.options[0])
        return cast(T, decided(self.policy, cast(Question[Any], question), scene))


@final
class _Shadow:
    """A fight played by the plain rules, of which everything must be as the rows say."""

    def __init__(self, of: BrokenDown, table: Sampled, until: float) -> None:
        self.of, self.table, self.scene, self.until = of, table, Scene(of.state), until
        self.preferred = array("q", [MISSING]) * len(of.names)
        self.places = array("q", range(len(of.names)))
        self.numbers = array("q", of.start)

    def play(self) -> None:
        while not self._is_over():
            if self.of.parts.is_amid_turns(self.scene.state):
                self._turn()
            else:
                self._begin()

    def _is_over(self) -> bool:
        of = self.of
        ended = _round_walk.end_code(len(of.names), of.side, of.able, of.stands, self.numbers, 0) != MISSING
        if ended != (ending(self.scene, of.encounter) is not None):
            raise NotBrokenDown("the fight does not end when it should")
        return ended

    def _begin(self) -> None:
        """A round begins: conditions, and the order that follows from what was rolled."""
        of, size, before = self.of, len(self.of.names), list(self.numbers)
        self._go_on(of.parts.is_amid_turns)
        for at in range(size):
            if of.able[before[at]] and of.begin_row[before[at]] == MISSING:
                of.learn_begin(at, before)
            if of.able[before[at]] and self.numbers[at] not in (end.own for end in of.row(of.begin_row[before[at]])):
                raise NotBrokenDown("a round begins otherwise than it should")
        rolled = of.parts.scores(self.scene.state)
        scores = array("q", (rolled.get(name, MISSING) for name in of.names))
        _round_walk.put_in_order(size, 0, scores, self.places, self.preferred)
        mine = tuple(of.names[at] for at in self._order() if self.places[at] != MISSING)
        if mine != of.parts.order(self.scene.state):
            raise NotBrokenDown("the order of a round is not as it should be")

    def _order(self) -> list[int]:
        return sorted(range(len(self.places)), key=lambda at: (self.places[at] == MISSING, self.places[at]))

    def _turn(self) -> None:
        """A turn, or the end of the round: it comes to the same in the scene as it is and in the scene put together."""
        of, size, before = self.of, len(self.of.names), list(self.numbers)
        at = _round_walk.acting(size, of.ready, of.turns_taken, self.numbers, self.places, 0)
        if at == MISSING:
            self._go_on(of.parts.is_between_rounds)
            self._check_round_end(before)
            return
        target = _round_walk.target(size, of.side, of.target_rank, self.numbers, 0, at)
        row = of.row(of.turn_row(at, target, before, self._order()))
        real = of._turn(self.scene.state, at, target, before)
        if real.keys() != row.keys() or any(abs(float(real[end]) - row[end]) > RAREST for end in row):
            raise NotBrokenDown("a turn depends on more than two conditions")
        self._step()

    def _check_round_end(self, before: Sequence[int]) -> None:
        for at, number in enumerate(before):
            if self.of.end_row[number] == MISSING:
                self.of.learn_end(at, before)
            if self.numbers[at] not in (end.own for end in self.of.row(self.of.end_row[number])):
                raise NotBrokenDown("a round ends otherwise than it should")

    def _go_on(self, until: Callable[[State], bool]) -> None:
        while not until(self.scene.state):
            self._step()

    def _step(self) -> None:
        following = next_of(self.scene, self.of.encounter)
        if following is None:
            raise NotBrokenDown("the fight ends when it should not")
        if thread_time() > self.until:
            raise NotBrokenDown("it takes too long to work out what turns come to")
        drive(Run(self.scene, following.call, silent=True), self.table.answer)
        self.numbers = array("q", self.of.numbers(self.scene.state))


def turn_key(own: int, other: int) -> int:
    return own * MOST_CONDITIONS + other


def key_by_name(key: int, at: int, target: int, names: int) -> int:
    return (at * names + target + 2) * MOST_CONDITIONS**2 + key
