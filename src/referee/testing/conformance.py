"""One suite for all drivers: a step must have the same result with each of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Final, TypeVar, final

from referee import registry
from referee.core.actions import Action
from referee.core.agenda import next_of, undecided
from referee.core.bands import DONE
from referee.core.branches import LEFT_OUT
from referee.core.describe import describe_type
from referee.core.errors import BadInput, OutOfTime, Refused, TooLarge
from referee.core.knowledge import fully_known
from referee.core.outlines import kept
from referee.core.plain import Plain, read, write
from referee.core.questions import Choice, Question, key_of
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call
from referee.core.run import Run, Stake, drive
from referee.core.scene import Forgotten, Scene, State, Who
from referee.core.system import System, check_step
from referee.core.trace import watching
from referee.drivers.call_odds import Odds
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always, by_default
from referee.drivers.sampled import Sampled
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.bands import forecast
from referee.forecast.figures import RuleSoFar
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven, CheckFailed, Line
from referee.journal.log_items import StepEnded
from referee.journal.open_actions import action_at
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open, call_of
from referee.testing.scenarios import samples

T = TypeVar("T")


def agree(call: Call[T], state: State, policy: Policy = by_default, *, samples: int = 100, seed: int = 0) -> Odds[T]:
    """The odds of a step, after checking that all drivers agree about it.

    Cached and uncached odds are equal, and so are those of the results alone; every result of the sampled table is
    among the exact results; its answers, written as plain data and read back, give the same result. What a kernel has
    forgotten is not compared.
    """
    odds = Exact(policy).of(call, state)
    compare_results(call, state, policy)
    forgotten = {name for _, after, _ in odds.ends for name in after if isinstance(after.unread(name), Forgotten)}
    if _shares(odds, forgotten) != _shares(Exact(policy, remember=False).of(call, state), forgotten):
        raise AssertionError(f"remembered and unremembered odds of {call} differ")
    ends = {(result, _without(after, forgotten)) for result, after, _ in odds.ends}
    for _, after in () if forgotten else ends:
        check_step(call, state, after)
    table = Sampled(Random(seed), policy)
    for _ in range(samples):
        end, written = _written_down(call, state, table)
        if (end[0], _without(end[1], forgotten)) not in ends:
            raise AssertionError(f"sampled play came to {end}, which exact odds do not know")
        if _read_back(call, state, written) != end:
            raise AssertionError(f"read back from {written}, the step does not come to {end}")
    return odds


def compare_results(
    call: Call[Any], state: State, policy: Policy = by_default, *, seconds: float | None = None
) -> None:
    """Check that the odds of the results alone, without the consequences, are those of the whole step.

    `TooLarge` if either takes longer than it may. What a chain without an end loses may differ.
    """
    alone = Exact(policy, seconds=seconds).results(call, state)
    try:
        whole = Exact(policy, seconds=seconds).of(call, state)
    except Refused as why:
        raise AssertionError(f"{call}: its consequences are refused, and its odds do not show it: {why}") from why
    chances, found, lost = whole.of, alone.of, whole.lost + alone.lost
    for result in {**chances, **found}:
        if abs(chances.get(result, Fraction(0)) - found.get(result, Fraction(0))) > lost:
            raise AssertionError(
                f"{call}: {result} has a chance of {chances.get(result, 0)} in the whole step, "
                f"but of {found.get(result, 0)} by its results alone; what runs after settled() must not change it"
            )


def compare_outline(call: Call[Any], state: State, policy: Policy = by_default, *, kernels: bool = False) -> bool:
    """Check that a rule ends by its outline as it does when it is played, die by die, in all that the outline keeps.

    False if the outline does not apply here. With `kernels` it is compared with those, which other tests prove.
    """
    rule, exact = call.rule, Exact(policy, kernels=kernels)
    rows = rule.outlined(Scene(state), exact.kernel_calls, call.args)
    if rows is None:
        return False

    def end(result: Any, after: State) -> Hashable:
        return kept(result, rule.keeps), after if rule.outlines_changes else None

    whole, found, lost = sum(ways for _, _, ways in rows), defaultdict[Hashable, Fraction](Fraction), Fraction(0)
    for result, changes, ways in rows:
        if result is LEFT_OUT:
            lost += Fraction(ways, whole)
        else:
            found[end(result, state.after((each.name, value) for each, value in changes))] += Fraction(ways, whole)
    if rule.outlines_changes:
        whole_step = exact.of(call, state)
        chances, lost = whole_step.by_end(lambda result, scene: end(result, scene.state)), lost + whole_step.lost
    else:
        alone = exact.results(call, state)
        chances, lost = alone.by(lambda result: end(result, state)), lost + alone.lost
    for each in {**found, **chances}:
        if abs(found.get(each, Fraction(0)) - chances.get(each, Fraction(0))) > lost:
            raise AssertionError(
                f"{call}: {each} has a chance of {chances.get(each, 0)} as it is played, "
                f"but of {found.get(each, 0)} by the outline"
            )
    return True


def compare_answers(journal: Journal, waiting: Open, *, seconds: float | None = None) -> int:
    """Check that what would come of each answer to a question is the same by kernels and as played, die by die.

    Returns how many answers were compared; those that take too long, or are refused, are not.
    """
    question = waiting.question
    if not isinstance(question, Choice):
        return 0
    call, state, trail, _ = action_at(journal, waiting.step)
    run = follow(call, Scene(state), trail, pause_at_calls=False)
    stakes = run.stakes
    run.close()
    every = [Answered(question, waiting.part, each) for each in question.legal]
    return sum(_compare_answers(each, trail[each.given :], every, str(question.who), seconds) for each in stakes)


def _compare_answers(stake: Stake, trail: Trail, every: Iterable[Answered], who: str, seconds: float | None) -> int:
    """The same for what one of the rules in progress decides."""
    call, state, compared = RuleSoFar(stake.call, fully_known(stake.state)).weighed, stake.state, 0
    bands = (stake.call.rule.bands or DONE).told_to(who)
    for answered in every:
        given = (*trail, answered)
        try:
            counted = forecast(call, state, bands, Exact(by_bands=True, seconds=seconds), given)
            played = forecast(call, state, bands, Exact(kernels=False, seconds=seconds), given)
        except (TooLarge, Refused):
            continue
        for key, chance in played.bands.items():
            if abs(counted.bands[key] - chance) > played.lost + counted.lost:
                raise AssertionError(
                    f"{call}: if {answered.question.name} is answered by {key_of(answered.answer)}, {key} has a "
                    f"chance of {float(chance)} as it is played, but of {float(counted.bands[key])} by kernels"
                )
        compared += 1
    return compared


def _written_down(call: Call[T], state: State, table: Sampled) -> tuple[tuple[T, State], list[Plain]]:
    """Play at random, and record every answer in its plain form."""
    written: list[Plain] = []

    def answer(question: Question[Any], scene: Scene) -> Any:
        given = table.answer(question, scene)
        written.append(question.write(given))
        return given

    scene = Scene(state)
    return (drive(Run(scene, call), answer), scene.state), written


def _read_back(call: Call[T], state: State, written: Iterable[Plain]) -> tuple[T, State]:
    spoken = iter(written)
    scene = Scene(state)
    return drive(Run(scene, call), lambda question, _: question.read(next(spoken))), scene.state


def _shares(odds: Odds[Any], forgotten: set[str]) -> dict[Any, Fraction]:
    found: defaultdict[Any, int] = defaultdict(int)
    for result, state, weight in odds.ends:
        found[result, _without(state, forgotten)] += weight
    return {end: Fraction(weight, odds.whole) for end, weight in found.items()}


def _without(state: State, names: set[str]) -> State:
    return state.after((name, None) for name in names) if names else state


@final
@dataclass
class ConformanceWalk:
    """A random walk through legal play at a live table, which checks at every move that nothing is lost or invented."""

    system: System
    start: State
    seed: int = 0
    most_branches: int = 1000
    """Steps with more branches than this are not computed exactly."""
    seconds: float = 2.0
    """Nor are those that take longer."""
    check: bool = True
    """Whether to check at all, or only to walk."""
    stop: Stop = NEVER_STOP
    """When to walk no further."""
    actions: tuple[Action[Any], ...] | None = None
    """What may be begun where no encounter says what comes next; all actions of the system unless it says otherwise."""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.journal = Journal(self.system, self.start, SeededDice(self.seed.to_bytes(8, "big")))
        self.compared = 0

    def go(self, moves: int) -> None:
        """Make some moves: answer questions, start something legal, and sometimes undo and redo."""
        for _ in range(moves):
            if self.stop.is_past:
                return
            before = len(self.journal.lines)
            if not self.journal.asking and self.journal.story and self.random.random() < 0.1:
                self._undo_and_redo()
            elif not self.move():
                return
            if self.check:
                self._check_resumed()
            if broken := [line for line in self.journal.lines[before:] if isinstance(line, CheckFailed)]:
                raise AssertionError(f"after {broken[0].rule}: {broken[0].text}")
            for line in self.journal.lines[before:]:
                if line.ends and self.check:
                    self._check_exact(line)

    def move(self) -> bool:
        """One answer or one start; returns whether there was any. A refusal in the middle of a step is part of play."""
        if not self.journal.asking:
            return self._begin()
        with suppress(Refused):
            self._answer()
        return True

    def _answer(self) -> None:
        waiting = self.random.choice(self.journal.asking)
        if isinstance(waiting.question, Choice):
            answer = self.random.choice(waiting.question.legal)
            self.journal.answer("somebody", waiting.step, waiting.question.write(answer), waiting.part)

    def _begin(self) -> bool:
        """Start something legal: the next step of an encounter, or someone's action."""
        scene = self.journal.scene
        if choice := undecided(scene):
            self.journal.play("somebody", self.random.choice(choice).name)
            scene = self.journal.scene
        if (following := next_of(scene)) and not following.awaited:
            self.journal.begin("somebody", following.call.rule.id, following.call.plain())
            return True
        everybody = [
            (action, who)
            for action in (self.system.actions if self.actions is None else self.actions)
            for who in ((None,) if action.master else scene.all(self.system.sheet))
        ]
        self.random.shuffle(everybody)
        for action, who in everybody:
            if (way := legal_way(action, scene, who, self.random)) is not None:
                check_options(action, action.choices(scene, who))
                self.journal.begin("somebody", action.rule.id, action.plain(who, **way))
                return True
        return False

    def _undo_and_redo(self) -> None:
        """Undoing any line restores the scene before it; redoing it restores the scene after it."""
        number, _ = self.random.choice(self.journal.story)
        now = self.journal.state
        self.journal.undo("somebody", number)
        if self.journal.state != fold(self.system, self.start, (line for _, line in self.journal.story)):
            raise AssertionError(f"undoing line {number} does not bring back the scene before it")
        self.journal.redo("somebody")
        if self.journal.state != now:
            raise AssertionError(f"redoing line {number} does not bring back the scene after it")

    def _check_resumed(self) -> None:
        """The log alone restores the table: same scene, same questions, and a fold without rules agrees."""
        lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in self.journal.lines]
        again = Journal(self.system, self.start, self.journal.source, lines)
        if (again.state, again.asking) != (self.journal.state, self.journal.asking):
            raise AssertionError("resumed from its log, the table is not where it was")
        if fold(self.system, self.start, (line for _, line in self.journal.story)) != self.journal.state:
            raise AssertionError("the fold of the log is not the scene")

    def _check_exact(self, ended: Line) -> None:
        """The table's result is among the exact results for the decisions that were made."""
        mine = [(number, line) for number, line in self.journal.story if line.step == ended.step]
        decided = [line for _, line in mine if isinstance(line, AnswerGiven) and line.throw is None]
        policy = {line.prompt: line.answer for line in decided}
        last = ended.then[-1]
        if not mine or not isinstance(last, StepEnded) or len(policy) != len(decided):
            return  # refused, or one question answered twice: no policy by name can express that
        number, began = mine[0][0], self.journal.record.began(mine[0][1].step or 0)
        before = fold(self.system, self.start, (line for at, line in self.journal.story if at < number))
        try:
            exact = Exact(always(**policy), most_runs=self.most_branches, seconds=self.seconds)
            odds = exact.of(call_of(began), before)
        except TooLarge:
            return
        self.compared += 1
        if last.ended not in [write(result) for result, _, _ in odds.ends]:
            raise AssertionError(f"the table came to {last.ended}, which exact odds do not know")


MOST_PICKED: Final = 2000
"""So often something is picked for an argument before a legal way is no longer looked for."""


@final
class PatientRandom(Random):
    """Picks as another does, and gives up after many."""

    def __init__(self, random: Random) -> None:
        super().__init__(0)
        self._random = random
        self._left = MOST_PICKED

    def sample(self, *args: Any, **named: Any) -> list[Any]:
        self._left -= 1
        if self._left < 0:
            raise OutOfTime("no legal way was found in time")
        return self._random.sample(*args, **named)


def legal_way(action: Action[Any], scene: Scene, who: Who[Any] | None, random: Random) -> dict[str, Any] | None:
    """A legal way of an action; None if there is none, or if it is too hard to find."""
    try:
        return action.legal_at_random(scene, who, PatientRandom(random))
    except OutOfTime:
        return None


def first_option(question: Choice[Any], scene: Scene) -> Any:
    """A policy that does whatever it can: the first option is hardly ever to do nothing."""
    return question.legal[0]


@final
@dataclass
class OddsComparison:
    """Compares the odds of results with those of whole steps, for every action that a walk from a scene meets."""

    system: System
    start: State
    seconds: float = 1.0
    """How long the odds of one action may take."""
    stop: Stop = NEVER_STOP
    """When to compare no more."""
    compared: set[str] = field(default_factory=set)
    """The keys of actions that were compared."""
    too_large: set[str] = field(default_factory=set)
    """The keys of those that took longer."""

    def go(self, seed: int, moves: int) -> None:
        walk = ConformanceWalk(self.system, self.start, seed, check=False)
        for _ in range(moves):
            self.compare(walk.journal.state, walk.random)
            if self.stop.is_past or not walk.move():
                return

    def compare(self, state: State, random: Random) -> None:
        """Compare the actions that are legal now, each in one way, if they were not met before."""
        scene = Scene(state)
        for action in self.system.actions:
            if self.stop.is_past or action.key in self.compared | self.too_large:
                continue
            for who in (None,) if action.master else scene.all(self.system.sheet):
                if (way := legal_way(action, scene, who, random)) is not None:
                    self._compare(action.key, action.do(who, **way), state)
                    break

    def _compare(self, key: str, call: Call[Any], state: State) -> None:
        try:
            for policy in (by_default, first_option):
                with suppress(Refused):  # a refusal in the middle of a step is part of play
                    compare_results(call, state, policy, seconds=self.seconds)
        except TooLarge:
            self.too_large.add(key)
        else:
            self.compared.add(key)


@final
@dataclass
class AnswerComparison:
    """Compares the odds of answers by kernels with those of play, for every question that a walk from a scene meets."""

    system: System
    start: State
    seconds: float = 1.0
    """How long the odds of one answer may take."""
    stop: Stop = NEVER_STOP
    """When to compare no more."""
    met: set[tuple[str, str]] = field(default_factory=set)
    """The questions by rule and name, each looked at once."""
    compared: int = 0

    def go(self, seed: int, moves: int) -> None:
        walk = ConformanceWalk(self.system, self.start, seed, check=False)
        for _ in range(moves):
            for waiting in walk.journal.asking:
                key = action_at(walk.journal, waiting.step)[0].rule.id, str(waiting.question.name)
                if key not in self.met:
                    self.met.add(key)
                    self.compared += compare_answers(walk.journal, waiting, seconds=self.seconds)
            if self.stop.is_past or not walk.move():
                return


def check_options(action: Action[Any], choices: Mapping[str, tuple[Any, ...]]) -> None:
    """What may be picked for an argument is of the argument's own type: no type checker compares the two."""
    for name, value in ((name, value) for name, values in choices.items() for value in values):
        kind, given = action.parameters[name].annotation, (value,) if action.picks[name].many else value
        try:
            fits = read(kind, write(given)) == given
        except BadInput:
            fits = False
        if not fits:
            raise AssertionError(f"{action.key}: {value!r} may be picked for {name!r}, which is {describe_type(kind)}")


def never_reached(system: System, states: Iterable[State], *, walks: int = 20, moves: int = 30) -> list[str]:
    """Computable rules of a system that random legal play from its samples did not reach."""
    seen: set[str] = set()
    with watching(seen):
        for state in states:
            for seed in range(walks):
                ConformanceWalk(system, state, seed, check=False).go(moves)
    entries = [system.printed_book.entry(id_) for id_ in system.printed_book.ids]
    return [entry.id for entry in entries if entry.computable and entry.id not in seen]


def main() -> None:
    """Walk through every system from its samples, and list the rules that were never reached."""
    for name in registry.OURS:
        system = registry.load(name)
        missing = never_reached(system, [state for _, state in samples(system)])
        print(f"{name}: {'never reached: ' + ', '.join(missing) if missing else 'every rule was reached'}")


if __name__ == "__main__":
    main()
