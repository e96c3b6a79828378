"""The odds at an open question, for a seat: the one place that sees both a log and what a seat may know of it.

What it makes is a query, which holds what the seat knows and nothing else; whatever computes is handed that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.core.actions import ActionChoice
from referee.core.errors import NotKnown
from referee.core.knowledge import bare, known_call, known_question, known_to, seen_trail
from referee.core.questions import Choice, Choose
from referee.core.replay import Answered, OutsideChange, Trail, follow
from referee.core.rules import Call
from referee.core.scene import Scene, State
from referee.core.visibility import Seat, hidden_names
from referee.drivers.policies import Policy, by_default
from referee.drivers.stop import NEVER_STOP, Stop
from referee.forecast.figures import NORMAL, Budget
from referee.forecast.risk import OddsQuery, QuestionQuery, UnknownQuery, offers_query
from referee.forecast.risk_card import RiskCard
from referee.forecast.transport import digest
from referee.forecast.tree import at_once
from referee.journal.journal import Journal
from referee.journal.open_actions import action_at
from referee.journal.steps import Open


def odds_at(
    journal: Journal,
    waiting: Open,
    viewer: Seat,
    *,
    policy: Policy = by_default,
    budget: Budget = NORMAL,
    stop: Stop = NEVER_STOP,
) -> RiskCard:
    """The odds for each answer to an open question: of the innermost rule in progress that decides something."""
    query = question_query(journal, waiting, viewer)
    return (query if isinstance(query, UnknownQuery) else replace(query, policy=policy)).card(budget, stop)


def question_query(journal: Journal, waiting: Open, viewer: Seat, *, plan: bool = True) -> OddsQuery:
    """What each answer to an open question would bring. The journal is read now; the odds may be computed later."""
    now = journal.state
    question = known_question(waiting.question, now, viewer)
    call, state, trail, given = action_at(journal, waiting.step)
    options = question.options if isinstance(question, Choose) and call.rule.bands is None else ()
    if offers := [each for each in options if isinstance(each, ActionChoice)]:
        staked = {each.key: each for each in offers if each.action.rule.bands is not None}
        return offers_query(staked, known_to(now, viewer), viewer)
    unnoticed = _unnoticed(call, state, trail, viewer)
    trail, parts, asked = _before_secrets(call, state, trail)
    trail = tuple(each for each in trail if not any(each is other for other in unnoticed))
    try:
        seen = seen_trail(trail, viewer, now)
    except NotKnown as unknown:
        return UnknownQuery(unknown.what)
    for each in (question, *(part for _, part in parts)):  # not even the options of a choice from a hidden hand
        if isinstance(each, Choose) and not viewer.sees(each.options_for, each.who and each.who.name):
            return UnknownQuery(f"what {each.who or 'the game master'} chooses")
    choices = [(part, known_question(each, now, viewer)) for part, each in parts]
    at_once = tuple(each for each in choices if not (isinstance(each[1], Choose) and each[1].is_no_choice))
    at_once = at_once if len(at_once) > 1 else ()
    unseen = frozenset[str]() if viewer.master else hidden_names(now)
    known = known_call(call, viewer, given, unseen), known_to(state, viewer)
    question = question if isinstance(question, Choice) else bare(question)
    return QuestionQuery(*known, seen, asked, question, waiting.part, viewer, at_once, plan)


def _unnoticed(call: Call[Any], state: State, trail: Trail, viewer: Seat) -> list[OutsideChange]:
    """The changes from outside after which a viewer knows what it knew before: not even how many there were is told."""
    found: list[OutsideChange] = []
    for at, each in enumerate(trail):
        if isinstance(each, OutsideChange):
            run = follow(call, Scene(state), trail[:at], pause_at_calls=False)
            run.close()
            if digest(known_to(run.scene.state, viewer)) == digest(known_to(each.to, viewer)):
                found.append(each)
    return found


def _before_secrets(
    call: Call[Any], state: State, trail: Trail
) -> tuple[Trail, list[tuple[int, Choice[Any]]], tuple[str, ...]]:
    """What is asked now. If several choose at once: their choices, and the trail without the answers already given."""
    run = follow(call, Scene(state), trail, pause_at_calls=False)
    run.close()
    asked = tuple(str(each.name) for each in run.asking)
    if not at_once(run):
        return trail, [], asked
    choices = [(part, each) for part, each in enumerate(run.asking) if isinstance(each, Choice)]
    without_choice = sum(isinstance(each, Choose) and each.is_no_choice for each in run.asking)
    given = len(run.asking) - len(run.open) - without_choice
    chosen = [at for at, each in enumerate(trail) if isinstance(each, Answered)][-given:] if given else ()
    return tuple(each for at, each in enumerate(trail) if at not in chosen), choices, asked
