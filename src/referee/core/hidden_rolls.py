"""Which results of a throw that somebody cannot see make a difference: a rule that ends the same goes on the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from referee.core.errors import RefereeError
from referee.core.questions import Chance
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call
from referee.core.run import Run
from referee.core.scene import Scene, State


class _Entered(NamedTuple):
    """A rule that runs: the scene it began in, how much of the trail came before it, and how deep in others it is."""

    call: Call[Any]
    state: State
    at: int
    depth: int


def told_apart(
    call: Call[Any], state: State, trail: Trail, part: int, question: Chance[Any], check: Callable[[], None]
) -> list[tuple[Any, int]]:
    """The outcomes of what is asked at the end of a trail, with their weights: one for all that end a rule alike.

    The rule that asks is run from where it began, with every outcome. Those after which it has the same result, and has
    changed the same, are one from then on. They are tried in the outermost rule that ends without another question.
    """
    asked = [(Answered(question, part, outcome), weight) for outcome, weight in question.outcomes()]
    *around, innermost = _running(call, state, trail) or [_Entered(call, state, 0, 0)]
    found = _grouped(innermost, trail, asked, check)
    for entered in around:
        if _end(entered, trail, found[0][0]) is not None:
            found = _grouped(entered, trail, found, check)
            break
    return [(each.answer, weight) for each, weight in found]


def _grouped(
    entered: _Entered, trail: Trail, asked: list[tuple[Answered, int]], check: Callable[[], None]
) -> list[tuple[Answered, int]]:
    """One answer for all after which a rule ends alike."""
    found: dict[Hashable, tuple[Answered, int]] = {}
    for at, (each, weight) in enumerate(asked):
        check()
        key = _end(entered, trail, each) or at
        alike, before = found.get(key, (each, 0))
        found[key] = (alike, before + weight)
    return list(found.values())


class _End(NamedTuple):
    """How a rule has ended: its result, what it has changed, and what follows from it."""

    result: Hashable
    changed: Hashable
    then: Call[Any] | None


def _end(entered: _Entered, trail: Trail, answer: Answered) -> _End | None:
    """How a rule ends after an answer; None if it asks something else first, or if ends cannot be compared."""
    try:
        run = follow(entered.call, Scene(entered.state), trail[entered.at :], pause_at_calls=False)
        run.pause_at_calls = True
        answer.onto(run)
        while run.at_call is not None and not (run.at_consequence and run.ends_here):
            run.enter()
        found = _End(run.result, _changes(run), run.at_call) if run.result_stands else None
        stands = run.done or run.at_call is not None
        run.close()
        hash(found)
    except (RefereeError, TypeError):
        return None
    return found if stands else None


def _running(call: Call[Any], state: State, trail: Trail) -> list[_Entered]:
    """The rules that run at the end of a trail, the outermost first."""
    run, found = Run(Scene(state), call, pause_at_calls=True, silent=True), list[_Entered]()
    for at in range(len(trail) + 1):
        while run.at_call is not None:
            found = [each for each in found if each.depth <= run.depth]
            found.append(_Entered(run.at_call, run.scene.state, at, run.depth + (not run.hands_over)))
            run.enter()
        if at < len(trail):
            trail[at].onto(run)
    found = [each for each in found if each.depth <= run.depth]
    run.close()
    return found


def _changes(run: Run[Any]) -> Hashable:
    return tuple(sorted((name, run.scene.state.unread(name)) for name in run.scene.written))
