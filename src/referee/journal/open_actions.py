"""The action behind a step that is open, whichever way the step came to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.core.actions import ActionChoice
from referee.core.replay import Answered, Trail, follow
from referee.core.rules import Call
from referee.core.scene import Scene, State
from referee.journal.journal import Journal


def action_at(journal: Journal, step: int) -> tuple[Call[Any], State, Trail, Mapping[str, Any]]:
    """The action behind an open step, with its arguments.

    An action chosen within the step (in a turn) begins where it was chosen.
    """
    call, state, trail = journal.trail(step)
    answered = ((at, each) for at, each in enumerate(trail) if isinstance(each, Answered))
    chosen = [(at, each.answer) for at, each in answered if isinstance(each.answer, ActionChoice)]
    if not chosen:
        return call, state, trail, journal.record.began(step).arguments
    at, offer = chosen[-1]
    run = follow(call, Scene(state), trail[:at], pause_at_calls=False)
    run.close()
    return offer.call, run.scene.state, trail[at + 1 :], offer.arguments
