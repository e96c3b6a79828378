"""A player who looks ahead, to find holes in rules: it takes what promises most, whatever the book may have meant.

At each decision it plays on from every option a number of times, everyone else and its own later decisions by a plain
policy, and takes the option after which its side stands best. What it chose is counted against what was offered:

    bout = Bout(state, (("ana",), ("bo",)), encounter_calls(FIGHT), health, round_of(FIGHT))
    player = Optimiser(bout, 0, aggressive, Random(1))
    player.play()
    print(report(player.offered, player.chosen))

An option that it takes nearly always is a hole in the rules, or a reading to defend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeAlias, final

from referee.core.actions import ActionChoice, LegalChoices
from referee.core.agenda import next_of
from referee.core.errors import RefereeError
from referee.core.questions import Chance, Choose, Question, key_of
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Scene, State, Who
from referee.drivers.policies import Policy, decided

NextCall: TypeAlias = Callable[[Scene], Call[Any] | None]
Health: TypeAlias = Callable[[Scene, str], float]
BARRED: Final = float("-inf")
"""The worth of what is refused on the way."""


@final
@dataclass(frozen=True)
class Bout:
    """A fight: who is against whom, what comes next, how somebody stands (0 is out, 1 unhurt), which round it is."""

    state: State
    sides: tuple[tuple[str, ...], ...]
    next_call: NextCall
    health: Health
    round: Callable[[Scene], int]

    def lead(self, scene: Scene, side: int) -> float:
        """How much better a side stands than the others."""
        sums = [sum(self.health(scene, name) for name in names) for names in self.sides]
        return 2 * sums[side] - sum(sums)

    def is_over(self, scene: Scene) -> bool:
        """Whether only one side, or none, still has somebody."""
        return sum(any(self.health(scene, name) > 0 for name in names) for names in self.sides) < 2


def encounter_calls(encounter: Who[Any]) -> NextCall:
    """What comes next in an encounter."""

    def following(scene: Scene) -> Call[Any] | None:
        step = next_of(scene, encounter) if encounter in scene else None
        return None if step is None else step.call

    return following


def round_of(encounter: Who[Any]) -> Callable[[Scene], int]:
    """The round of an encounter."""
    return lambda scene: scene[encounter].round if encounter in scene else 0


@final
@dataclass
class Optimiser:
    """One side of a fight, played by looking ahead; the others are played by a plain policy."""

    bout: Bout
    side: int
    plain: Policy
    random: Random
    rounds_ahead: int = 2
    """It is played on until so many rounds are over, the present one among them."""
    most_ahead: int = 30
    """But for no more steps than these."""
    ways: int = 3
    """How many ways to take one action are weighed, picked at random."""
    rounds: tuple[int, ...] = (2, 4, 8, 16)
    """How often each option is played; after each of these the better half goes on."""
    offered: Counter[tuple[str, str]] = field(default_factory=Counter)
    chosen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def play(self, most_steps: int = 300) -> State:
        """A whole fight, or so many steps of it: the scene afterwards."""
        state = self.bout.state
        for _ in range(most_steps):
            call = None if self.bout.is_over(Scene(state)) else self.bout.next_call(Scene(state))
            if call is None:
                break
            state = self._step(call, state)
        return state

    def _step(self, call: Call[Any], state: State) -> State:
        given: list[Any] = []

        def answer(question: Question[Any], scene: Scene) -> Any:
            if isinstance(question, Choose) and self._is_mine(question):
                answered = self._best(question, call, state, given)
            else:
                answered = _answer(question, scene, self.plain, self.random)
            given.append(answered)
            return answered

        return _played(call, state, answer)

    def _is_mine(self, question: Choose[Any]) -> bool:
        mine = question.who is not None and question.who.name in self.bout.sides[self.side]
        return mine and not question.is_no_choice

    def _best(self, question: Choose[Any], call: Call[Any], state: State, given: Sequence[Any]) -> Any:
        options = _some(question.legal, self.ways, self.random)
        worths: dict[int, list[float]] = {at: [] for at in range(len(options))}
        left = list(worths)
        for number in self.rounds:
            for at in left:
                seeds = range(len(worths[at]), len(worths[at]) + number)
                worths[at] += (self._worth(call, state, (*given, options[at]), seed) for seed in seeds)
            left = sorted(left, key=lambda at: -_mean(worths[at]))[: max(1, (len(left) + 1) // 2)]
        best = options[left[0]]
        prompt = str(question.name)
        self.offered.update({(prompt, each): 1 for each in {_sort_of(option) for option in options}})
        self.chosen[prompt, _sort_of(best)] += 1
        if isinstance(best, ActionChoice):
            self._count_arguments(prompt, best, options)
        return best

    def _count_arguments(self, prompt: str, best: ActionChoice, options: Sequence[Any]) -> None:
        """Within the action that was taken: which values of its arguments were offered, and which one was taken."""
        same = [each for each in options if isinstance(each, ActionChoice) and each.action.key == best.action.key]
        offered = {name for each in same for name in _said(each.arguments)}
        if len(offered) > len(_said(best.arguments)):
            self.offered.update({(f"{prompt} {best.action.key}", each): 1 for each in offered})
            self.chosen.update({(f"{prompt} {best.action.key}", each): 1 for each in _said(best.arguments)})

    def _worth(self, call: Call[Any], state: State, given: Sequence[Any], seed: int) -> float:
        """How the side stands a few steps later, if the step began with these answers."""
        random, answers = Random(seed), iter(given)

        def answer(question: Question[Any], scene: Scene) -> Any:
            known = next(answers, _NOTHING)
            return _answer(question, scene, self.plain, random) if known is _NOTHING else known

        end = self.bout.round(Scene(state)) + self.rounds_ahead
        try:
            state = _played(call, state, answer)
            for _ in range(self.most_ahead):
                following = None if self.bout.is_over(Scene(state)) else self.bout.next_call(Scene(state))
                if following is None or self.bout.round(Scene(state)) >= end:
                    break
                state = _played(following, state, lambda q, scene: _answer(q, scene, self.plain, random))
        except RefereeError:
            return BARRED
        return self.bout.lead(Scene(state), self.side)


def report(offered: Counter[tuple[str, str]], chosen: Counter[tuple[str, str]]) -> str:
    """What was chosen, of what was offered, question by question; the most often chosen first."""
    shares = {each: chosen[each] / number for each, number in offered.items()}
    lines = []
    for prompt in dict.fromkeys(prompt for prompt, _ in offered):
        mine = sorted((each for each in shares if each[0] == prompt), key=lambda each: (-shares[each], each))
        lines.append(f"{prompt}:")
        lines += [f"  {chosen[e]:4} of {offered[e]:4} {100 * shares[e]:4.0f} %  {e[1]}" for e in mine]
    return "\n".join(lines)


_NOTHING: Final = object()


def _played(call: Call[Any], state: State, answer: Callable[[Question[Any], Scene], Any]) -> State:
    scene = Scene(state)
    drive(Run(scene, call, silent=True), answer)
    return scene.state


def _answer(question: Question[Any], scene: Scene, policy: Policy, random: Random) -> Any:
    if isinstance(question, Chance):
        return question.read(question.at_random(random.randrange))
    return decided(policy, question, scene)


def _some(options: Sequence[Any], ways: int, random: Random) -> list[Any]:
    """Every option; of an action that can be taken in many ways some of them."""
    if not isinstance(options, LegalChoices):
        return list(options)
    found: list[Any] = []
    for key in options.keys:
        picked = (options.at_random(key, random) for _ in range(ways))
        found += {each.key: each for each in picked if each is not None}.values()
    return found


def _sort_of(option: Any) -> str:
    return option.action.key if isinstance(option, ActionChoice) else key_of(option)


def _said(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The arguments that say how: names of effects and ways, numbers, yes or no."""

    def plain() -> Iterator[str]:
        for name, value in arguments.items():
            if isinstance(value, (str, int)):
                yield f"{name} {key_of(value)}"

    return tuple(plain())


def _mean(worths: Sequence[float]) -> float:
    return sum(worths) / len(worths)
