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
from dataclasses import replace
from fractions import Fraction
from math import inf
from random import Random
from time import thread_time
from typing import Any, Final, NamedTuple, final

from referee.core.actions import ActionChoice
from referee.core.agenda import next_of
from referee.core.encounter import ending
from referee.core.questions import Choose
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Scene, State, Who
from referee.drivers.policies import Policy, decided
from referee.drivers.sampled import Sampled
from referee.drivers.table import EncounterEnd
from referee.forecast import _round_walk
from referee.forecast._round_walk import (
    ALONE,
    AT_ONCE,
    BRANCHES,
    BY_KIND,
    BY_NAME,
    BY_WHOM,
    FOLLOWING,
    JOINED,
    MISSING,
    MOST,
    OWN,
    PICKED,
    ROOTS,
    TURN,
    UNKNOWN,
    RowArrays,
    hashed,
)
from referee.forecast.rule_ends import FOLLOWS, NoTurnRows, RuleEnds
from referee.kits.breakdown import FighterFacts, breakdown_of

RAREST: Final = 1e-9
"""What kernels leave out as too unlikely must be less than this."""
MOST_FIGHTERS: Final = 50
"""A pair of them must fit into a row's key, and a bit for each into the code of an end."""
MOST_FOLLOWING: Final = 2_000
"""The kinds of what follows from a turn must fit into a row's key."""


class RowEnd(NamedTuple):
    """What can come of a row: the conditions of whoever acts and of the other, and a score of initiative."""

    own: int
    other: int = MISSING
    score: int = 0
    follows: int = MISSING
    """What follows from it: the number of a `FollowUp`, whether it waits, and whether it is the other's, as one."""


class FollowUp(NamedTuple):
    """What can follow from a turn: a rule about somebody whose name is left out."""

    call: Call[Any]
    at: int
    """Which of its arguments that is."""

    @classmethod
    def of(cls, call: Call[Any]) -> tuple[FollowUp, str]:
        """What follows, and of whom."""
        people = [at for at, each in enumerate(call.args) if isinstance(each, Who)]
        if len(people) != 1:
            raise NoTurnRows("what follows from a turn is about several people")
        (at,) = people
        nobody = Who("", call.args[at].kind)
        return cls(replace(call, args=(*call.args[:at], nobody, *call.args[at + 1 :])), at), call.args[at].name

    def about(self, name: str) -> Call[Any]:
        args, at = self.call.args, self.at
        return replace(self.call, args=(*args[:at], Who(name, args[at].kind), *args[at + 1 :]))


@final
class TurnRows:
    """One fight under one policy as rows that grow as they are needed. The walk reads its arrays."""

    def __init__(self, encounter: Who[Any], state: State, policy: Policy) -> None:
        parts = breakdown_of(type(Scene(state)[encounter]))
        if parts is None:
            raise NoTurnRows("its game does not say how such an encounter falls apart")
        if why := parts.refusal(Scene(state), policy):
            raise NoTurnRows(why)
        self.encounter, self.policy, self.parts = encounter, policy, parts
        self.state = state
        self.sides: tuple[tuple[str, ...], ...] = Scene(state)[encounter].parties()
        by_side = [(name, at) for at, side in enumerate(self.sides) for name in side]
        self.at_once = int(parts.at_once)
        self.names: tuple[str, ...] = tuple(name for name, _ in (sorted(by_side) if self.at_once else by_side))
        self.side = array("q", [dict(by_side)[name] for name in self.names])
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
        self.is_led, self.in_round, self.seen = array("q"), array("q"), array("q")
        self.plain, self.aside = array("q"), array("q")
        self._asides: dict[Hashable, int] = {}
        """What conditions leave aside, as numbers; and a condition without it, by condition."""
        self._joined: set[tuple[int, int, int]] = set()
        self._looks: dict[Hashable, int] = {}
        """What can be seen of a fighter, as numbers."""
        # By row: its first slot and how many there are. By slot: its chance, how it is drawn, and what comes of it.
        self.first, self.count = array("q"), array("q")
        self.chances, self.own, self.other, self.score = array("d"), array("q"), array("q"), array("q")
        self.stays, self.alias = array("d"), array("q")
        self.follows = array("q")
        self.following: list[FollowUp] = []
        self.turn_keys, self.turn_rows = array("q", [MISSING]) * 1024, array("q", [MISSING]) * 1024
        """Rows of turns by pairs of conditions: the first free place from `hashed` on."""
        self._turns, self._branches = 0, len(self.names) + 1
        self._rules = RuleEnds(policy, parts.is_immaterial, parts.is_left)
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
            raise NoTurnRows("fighters can be in too many conditions")
        self.conditions.append(condition)
        plain, aside = self.parts.split(condition)
        self.aside.append(self._asides.setdefault(aside, len(self._asides)))
        self.plain.append(number)
        if plain != condition:
            self.plain[number] = self._number(plain)
        return number

    def join(self, plain: int, before: int) -> int:
        """The number of a condition with what was left aside before."""
        if plain == self.plain[before]:
            return before
        key = row_key(JOINED, plain, self.aside[before])
        if not self._has_turn(key):
            aside = self.parts.split(self.conditions[before])[1]
            self._keep_turn(key, self._number(self.parts.joined(self.conditions[plain], aside)))
        return self.turn_rows[self._place_of(key)]

    def join_row(self, row: int, own: int, other: int) -> None:
        """Know all conditions that can come of a row, for two in these."""
        if (row, own, other) not in self._joined:
            self._joined.add((row, own, other))
            self.row(row, own, other)
            self._learn_facts()

    def _plainly(self, found: Mapping[RowEnd, Fraction], own: int, other: int) -> dict[RowEnd, Fraction]:
        """Ends without what conditions leave aside, which nothing may change."""
        if not self.at_once:
            return dict(found)
        for end in found:
            if self.aside[end.own] != self.aside[own] or (other >= 0 and self.aside[end.other] != self.aside[other]):
                raise NoTurnRows("a turn changes what it should leave alone")
        plain: defaultdict[RowEnd, Fraction] = defaultdict(Fraction)
        for end, chance in found.items():
            theirs = self.plain[end.other] if other >= 0 else MISSING
            plain[end._replace(own=self.plain[end.own], other=theirs)] += chance
        return plain

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
            self.is_led.append(facts.is_led)
            self.in_round.append(facts.in_round)
            self.seen.append(self._looks.setdefault(facts.seen, len(self._looks)))
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
            raise NoTurnRows("something besides the fighters has changed")

    def end(self, numbers: Sequence[int]) -> EncounterEnd:
        """How the fight has ended, and who is out, by the encounter itself."""
        state = self.parts.amid_turns(self.rest, self._by_name(numbers), self.names)
        how = ending(Scene(state), self.encounter)
        if how is None:
            raise NoTurnRows("the fight goes on")
        return EncounterEnd(how, tuple(sorted(Scene(state)[self.encounter].out(Scene(state)))))

    # --- rows ---------------------------------------------------------------------------------------------------------

    def learn_begin(self, at: int, numbers: Sequence[int]) -> None:
        """The row of a fighter's initiative; declarations by policy belong to it."""
        name, conditions = self.names[at], self._by_name(numbers)
        state = self.parts.between_rounds(self.rest, conditions)
        begun = {self._begun(state, name, seed) for seed in (1, 2)}
        if len(begun) > 1:
            raise NoTurnRows("how a round begins depends on initiative")
        (own,) = begun
        found: defaultdict[RowEnd, Fraction] = defaultdict(Fraction)
        for result, after, chance in self._rules.ends(self.parts.initiative(Scene(state), name), state):
            if self.parts.rest(after) != self.rest or any(
                self.parts.condition(after, each) != conditions[each] for each in self.names if each != name
            ):
                raise NoTurnRows("initiative changes the scene")
            found[RowEnd(own, MISSING, self.parts.initiative_score(Scene(state), name, result))] += chance
        self.begin_row[self.plain[numbers[at]]] = self._add_row(self._plainly(found, numbers[at], MISSING))
        self._learn_facts()

    def _begun(self, state: State, name: str, seed: int) -> int:
        """The condition in which somebody begins to act in a round."""
        table, scene = Sampled(Random(seed), self.policy), Scene(state)
        while not self.parts.is_amid_turns(scene.state):
            following = next_of(scene, self.encounter)
            if following is None:
                raise NoTurnRows("the fight ends before anybody acts")
            drive(Run(scene, following.call, silent=True), table.answer)
        return self._number(self.parts.condition(scene.state, name))

    def learn_turn(
        self, at: int, target: int, numbers: Sequence[int], order: Sequence[int], equals: Sequence[int] = ()
    ) -> None:
        """The row of a turn: whoever acts, and the foe who is attacked; without a target, MISSING.

        Where two come to know each other by name, others like them have rows of their own. `equals` act as well.
        """
        found = self._turn(self._amid(numbers, order, equals), at, target, numbers)
        key = self._turn_key(at, target, numbers, AT_ONCE if equals else TURN)
        before = [numbers[each] for each in (at, target) if each != MISSING]
        after = {each for end in found for each in (end.own, end.other) if each != MISSING}
        if any(map(self._is_named, after)) and not all(map(self._is_named, before)):
            if not self._has_turn(key):
                self._keep_turn(key, BY_NAME)
            key = key_by_name(key, at, target, len(self.names))
        theirs = numbers[target] if target != MISSING else MISSING
        self._keep_turn(key, self._add_row(self._plainly(found, numbers[at], theirs)))
        self._learn_facts()

    def _amid(self, numbers: Sequence[int], order: Sequence[int], equals: Sequence[int] = ()) -> State:
        """The scene of these conditions while turns are taken."""
        names = [self.names[each] for each in equals]
        return self.parts.amid_turns(self.rest, self._by_name(numbers), [self.names[each] for each in order], names)

    def _turn_key(self, at: int, target: int, numbers: Sequence[int], kind: int) -> int:
        own, other = numbers[at], numbers[target] if target >= 0 else ALONE
        if self.at_once and kind < FOLLOWING:
            own, other = self.plain[own], self.plain[other] if target >= 0 else ALONE
        return row_key(kind, own, other)

    def _turn(self, state: State, at: int, target: int, numbers: Sequence[int]) -> dict[RowEnd, Fraction]:
        """What a turn can come to, by the rules."""
        call = self._turn_of(state, at)
        call, chosen = self._chosen(state, call)
        if chosen not in ("", self.names[target] if target != MISSING else ""):
            raise NoTurnRows(f"{self.names[at]} attacks {chosen}")
        return self._read(self._rules.scenes(call, state), {at, target}, at, target, numbers)

    def _turn_of(self, state: State, at: int) -> Call[Any]:
        following = next_of(Scene(state), self.encounter)
        if following is None or [str(each) for each in following.call.args] != [self.names[at]]:
            raise NoTurnRows(f"it is not the turn of {self.names[at]}")
        return following.call

    def pick(self, kind: int, at: int, numbers: Sequence[int], order: Sequence[int], equals: Sequence[int] = ()) -> int:
        """Whom the rules pick for somebody, learned if need be; MISSING for nobody."""
        size = len(self.names)
        found = _round_walk.picked(size, self.seen, self.turn_keys, self.turn_rows, numbers, 0, kind, at)
        if found != UNKNOWN:
            return found
        state = self._amid(numbers, order, equals)
        if kind < FOLLOWING:
            _, name = self._chosen(state, self._turn_of(state, at))
        else:
            name = self.parts.partner(Scene(state), self._following(kind, at)) or ""
        pick = self.names.index(name) if name else MISSING
        self._keep_pick(kind, at, numbers, pick if pick != MISSING else size)
        return pick

    def _keep_pick(self, kind: int, at: int, numbers: Sequence[int], pick: int) -> None:
        """By what is seen of everyone, one after the other."""
        key = ROOTS + (kind * MOST + at) * OWN + numbers[at]
        for n in (n for n in range(len(self.names)) if n != at):
            found = self.turn_rows[self._place_of(key)]
            if found == MISSING:
                found, self._branches = self._branches, self._branches + 1
                self._keep_turn(key, found)
            key = BRANCHES + found * OWN + self.seen[numbers[n]]
        self._keep_turn(key, pick)

    def learn_follow_up(self, kind: int, at: int, numbers: Sequence[int], order: Sequence[int]) -> None:
        """The row of what follows from a turn; if somebody else has part in it, who that is."""
        call, key, target = self._following(kind, at), row_key(kind, numbers[at], ALONE), MISSING
        if self.turn_rows[self._place_of(key)] >= 0:
            return
        state = self._amid(numbers, order)
        if self.parts.partner(Scene(state), call) is not None:
            if not self._has_turn(key):
                self._keep_turn(key, PICKED)
            target = self.pick(kind, at, numbers, order)
            key = self._turn_key(at, target, numbers, kind) + BY_WHOM
        if not self._has_turn(key):
            found = self._read(self._rules.scenes(call, state), {at, target}, at, target, numbers)
            self._keep_turn(key, self._add_row(found))
            self._learn_facts()

    def _following(self, kind: int, at: int) -> Call[Any]:
        return self.following[kind - FOLLOWING].about(self.names[at])

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
        self, ends: Iterable[tuple[State, Fraction]], may_change: set[int], at: int, other: int, numbers: Sequence[int]
    ) -> dict[RowEnd, Fraction]:
        """Ends as conditions; refused if anything else was touched."""
        found: defaultdict[RowEnd, Fraction] = defaultdict(Fraction)
        for left, chance in ends:
            after, follows = self._followed(left, at, other)
            if self.parts.rest(after) != self.rest:
                raise NoTurnRows("something besides the fighters has changed")
            self.horizon = min(self.horizon, self.parts.horizon(after))
            now = [self._number(self.parts.condition(after, name)) for name in self.names]
            if any(number != numbers[n] for n, number in enumerate(now) if n not in may_change):
                raise NoTurnRows("a turn has changed somebody who had no part in it")
            found[RowEnd(now[at], now[other] if other >= 0 else MISSING, 0, follows)] += chance
        return found

    def _followed(self, state: State, at: int, other: int) -> tuple[State, int]:
        """A scene without what follows from it, and that as a number."""
        later, waiting = state.get(FOLLOWS), self.parts.waiting(state)
        calls = [*([] if later is None else [later]), *(each.call for each in waiting)]
        if not calls:
            return state, MISSING
        if len(calls) > 1:
            raise NoTurnRows("two things follow from a turn")
        what, name = FollowUp.of(calls[0])
        if name not in (self.names[at], self.names[other] if other >= 0 else ""):
            raise NoTurnRows("what follows from a turn is about somebody else")
        if what not in self.following:
            if len(self.following) == MOST_FOLLOWING:
                raise NoTurnRows("too many things follow from turns")
            self.following.append(what)
        number = (self.following.index(what) * 2 + bool(waiting)) * 2 + (name != self.names[at])
        return self.parts.with_waiting(state.but(FOLLOWS, None), ()), number

    def learn_end(self, at: int, numbers: Sequence[int]) -> None:
        """The row of the end of a round for one fighter: the others are as they were at the start of the fight."""
        mine = list(self.start)
        mine[at] = numbers[at]
        found = self._round_end(at, mine)
        self.end_row[self.plain[numbers[at]]] = self._add_row(self._plainly(found, numbers[at], MISSING))
        self._learn_facts()

    def _round_end(self, at: int, numbers: Sequence[int]) -> dict[RowEnd, Fraction]:
        state = self.parts.amid_turns(self.rest, self._by_name(numbers), self.names)
        todo, ends = [(state, Fraction(1))], list[tuple[State, Fraction]]()
        while todo:
            here, chance = todo.pop()
            following = next_of(Scene(here), self.encounter)
            if following is None:
                raise NoTurnRows("the fight ends with a round")
            for after, part in self._rules.scenes(following.call, here):
                (ends if self.parts.is_between_rounds(after) else todo).append((after, chance * part))
        return self._read(ends, set(range(len(self.names))), at, MISSING, numbers)

    def _by_name(self, numbers: Sequence[int]) -> dict[str, Hashable]:
        return dict(zip(self.names, self._as_conditions(numbers), strict=True))

    def _add_row(self, found: Mapping[RowEnd, Fraction]) -> int:
        whole = sum(found.values(), Fraction(0))
        if whole < 1 - RAREST:
            raise NoTurnRows("too much is left out as unlikely")
        row, first, ends = len(self.first), len(self.own), sorted(found.items(), key=lambda each: -each[1])
        self.first.append(first)
        self.count.append(len(ends))
        for end, chance in ends:
            self.chances.append(float(chance / whole))
            self.own.append(end.own)
            self.other.append(end.other)
            self.score.append(end.score)
            self.follows.append(end.follows)
        for stays, other in shared_places([float(chance / whole) for _, chance in ends]):
            self.stays.append(stays)
            self.alias.append(first + other)
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

    def found_turn(self, at: int, target: int, numbers: Sequence[int], kind: int = TURN) -> int:
        """The row of a turn; MISSING if it was not learned."""
        key = self._turn_key(at, target, numbers, kind)
        row = self.turn_rows[self._place_of(key)]
        if row == BY_NAME:
            row = self.turn_rows[self._place_of(key_by_name(key, at, target, len(self.names)))]
        return row

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

    def equals(self, at: int, numbers: Sequence[int], scores: Sequence[int]) -> list[int]:
        """Whoever acts at the same time as somebody; nobody, if no one else does."""
        size = len(self.names)
        if not self.at_once or _round_walk.shared(size, self.able, self.in_round, numbers, scores, 0, at) == TURN:
            return []
        return [each for each in range(size) if scores[each] == scores[at]]

    def preferred(self) -> array[int]:
        """Whom the game master prefers among equals when a fight begins; where they act at once, names are in order."""
        return array("q", range(len(self.names)) if self.at_once else [MISSING] * len(self.names))

    # --- checks -------------------------------------------------------------------------------------------------------

    def check(self, fights: int = 2, seed: int = 0, seconds: float = inf) -> None:
        """Play fights by the plain rules, and refuse the breakdown if anything happens in them that it does not say.

        It is refused as well if that takes more seconds of processor time.
        """
        horizon, until = self.horizon, thread_time() + seconds
        for fight in range(fights):
            _Shadow(self, Sampled(Random(seed + fight), self.policy), until).play()
        self.horizon = horizon

    def row(self, row: int, own: int = MISSING, other: int = MISSING) -> dict[RowEnd, float]:
        """What can come of a row, with the chance of each; for two in these conditions, or without what is aside."""
        slots = range(self.first[row], self.first[row] + self.count[row])
        found: defaultdict[RowEnd, float] = defaultdict(float)
        for slot in slots:
            mine = self.join(self.own[slot], own) if own != MISSING else self.own[slot]
            theirs = self.join(self.other[slot], other) if other != MISSING else self.other[slot]
            found[RowEnd(mine, theirs, self.score[slot], self.follows[slot])] += self.chances[slot]
        return dict(found)

    def turn_row(
        self, at: int, target: int, numbers: Sequence[int], order: Sequence[int], equals: Sequence[int] = ()
    ) -> int:
        """The row of a turn, learned if need be."""
        kind = AT_ONCE if equals else TURN
        if self.found_turn(at, target, numbers, kind) == MISSING:
            self.learn_turn(at, target, numbers, order, equals)
        return self.found_turn(at, target, numbers, kind)


@final
class _Shadow:
    """A fight played by the plain rules, of which everything must be as the rows say."""

    def __init__(self, of: TurnRows, table: Sampled, until: float) -> None:
        self.of, self.table, self.scene, self.until = of, table, Scene(of.state), until
        self.preferred = of.preferred()
        self.places = array("q", range(len(of.names)))
        self.scores = array("q", self.places)
        self.numbers = array("q", of.start)

    def play(self) -> None:
        while not self._is_over():
            if self.of.parts.is_amid_turns(self.scene.state):
                self._turn()
            else:
                self._begin()

    def _is_over(self) -> bool:
        of = self.of
        if of.parts.waiting(self.scene.state):
            return False
        ended = _round_walk.end_code(len(of.names), of.side, of.able, of.stands, self.numbers, 0) != MISSING
        if ended != (ending(self.scene, of.encounter) is not None):
            raise NoTurnRows("the fight does not end when it should")
        return ended

    def _begin(self) -> None:
        """A round begins: conditions, and the order that follows from what was rolled."""
        of, size, before = self.of, len(self.of.names), list(self.numbers)
        self._go_on(of.parts.is_amid_turns)
        for at in range(size):
            if not of.able[before[at]]:
                continue
            if of.begin_row[of.plain[before[at]]] == MISSING:
                of.learn_begin(at, before)
            if self.numbers[at] not in (end.own for end in of.row(of.begin_row[of.plain[before[at]]], before[at])):
                raise NoTurnRows("a round begins otherwise than it should")
        rolled = of.parts.scores(self.scene.state)
        self.scores = array("q", (rolled.get(name, MISSING) for name in of.names))
        order = array("q", bytes(8 * size))
        _round_walk.put_in_order(size, 0, self.scores, self.places, self.preferred, order)
        mine = tuple(of.names[at] for at in self._order() if self.places[at] != MISSING)
        if mine != of.parts.order(self.scene.state):
            raise NoTurnRows("the order of a round is not as it should be")

    def _order(self) -> list[int]:
        return sorted(range(len(self.places)), key=lambda at: (self.places[at] == MISSING, self.places[at]))

    def _turn(self) -> None:
        """A turn, or the end of the round: it comes to the same in the scene as it is and in the scene put together."""
        of, size, before = self.of, len(self.of.names), list(self.numbers)
        at = _round_walk.acting(size, of.ready, of.turns_taken, self.numbers, self.places, 0)
        waiting, now = of.parts.waiting(self.scene.state), of.parts.with_waiting(self.scene.state, ())
        if waiting and (at == MISSING or self.scores[at] != self.scores[of.names.index(waiting[0].by)]):
            self._check_result(waiting[0].call, now, before)
        elif at == MISSING:
            self._go_on(of.parts.is_between_rounds)
            self._check_round_end(before)
            return
        else:
            equals = of.equals(at, before, self.scores)
            target = self._target(at, equals, before)
            theirs = before[target] if target != MISSING else MISSING
            row = of.row(of.turn_row(at, target, before, self._order(), equals), before[at], theirs)
            self._compare(of._turn(now, at, target, before), row)
        self._step()

    def _target(self, at: int, equals: Sequence[int], before: Sequence[int]) -> int:
        of, size = self.of, len(self.of.names)
        if not of.is_led[before[at]]:
            return _round_walk.target(size, of.side, of.target_rank, self.numbers, 0, at)
        return of.pick(AT_ONCE if equals else TURN, at, before, self._order(), equals)

    def _compare(self, real: Mapping[RowEnd, Fraction], row: Mapping[RowEnd, float]) -> None:
        if real.keys() != row.keys() or any(abs(float(real[end]) - row[end]) > RAREST for end in row):
            raise NoTurnRows("a turn depends on more than two conditions")

    def _check_result(self, call: Call[Any], now: State, before: Sequence[int]) -> None:
        """The first of the results that waited: it comes to what its row says."""
        what, name = FollowUp.of(call)
        at, kind = self.of.names.index(name), FOLLOWING + self.of.following.index(what)
        if self.of.found_turn(at, MISSING, before, kind) == MISSING:
            self.of.learn_follow_up(kind, at, before, self._order())
        row = self.of.row(self.of.found_turn(at, MISSING, before, kind))
        self._compare(self.of._read(self.of._rules.scenes(call, now), {at}, at, MISSING, before), row)

    def _check_round_end(self, before: Sequence[int]) -> None:
        for at, number in enumerate(before):
            if self.of.end_row[self.of.plain[number]] == MISSING:
                self.of.learn_end(at, before)
            row = self.of.row(self.of.end_row[self.of.plain[number]], number)
            if self.numbers[at] not in (end.own for end in row):
                raise NoTurnRows("a round ends otherwise than it should")

    def _go_on(self, until: Callable[[State], bool]) -> None:
        while not until(self.scene.state):
            self._step()

    def _step(self) -> None:
        following = next_of(self.scene, self.of.encounter)
        if following is None:
            raise NoTurnRows("the fight ends when it should not")
        if thread_time() > self.until:
            raise NoTurnRows("it takes too long to work out what turns come to")
        drive(Run(self.scene, following.call, silent=True), self.table.answer)
        self.numbers = array("q", self.of.numbers(self.scene.state))


def shared_places(chances: Sequence[float]) -> list[tuple[float, int]]:
    """For slots that are drawn with equal chances: the chance to stay with one, and the slot to go to otherwise."""
    found = [(1.0, at) for at in range(len(chances))]
    left = [chance * len(chances) for chance in chances]
    poor, rich = [at for at, each in enumerate(left) if each < 1], [at for at, each in enumerate(left) if each >= 1]
    while poor and rich:
        at, to = poor.pop(), rich[-1]
        found[at] = left[at], to
        left[to] -= 1 - left[at]
        if left[to] < 1:
            poor.append(rich.pop())
    return found


def row_key(kind: int, own: int, other: int) -> int:
    return kind * BY_KIND + own * OWN + other


def key_by_name(key: int, at: int, target: int, names: int) -> int:
    return (at * names + target + 2) * BY_WHOM + key
