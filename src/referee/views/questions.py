"""What one seat may see of a table: scene, log and questions. Nothing else is ever sent to it."""

from __future__ import annotations

from typing import Any

from referee.core.audience import Audience
from referee.core.knowledge import is_no_choice, known_question
from referee.core.plain import Plain
from referee.core.questions import Chance, Choose, Draw, Question, Roll, asked_by, described
from referee.core.scene import State
from referee.core.visibility import Seat, hidden_names, visible_scene
from referee.journal.details import itemised
from referee.journal.journal import Journal
from referee.journal.json_fields import to_plain
from referee.journal.steps import Open
from referee.views.feed import Feed
from referee.views.redaction import redacted_arguments, redacted_mods


def view(journal: Journal, seat: Seat) -> Plain:
    """The table as a seat may see it."""
    feed = Feed(journal.system)
    for number, line in enumerate(journal.lines):
        feed.add(number, line, seat)
    in_force = {number for number, _ in journal.story}
    mine = [each for each in journal.asking if is_asked(each, journal, seat)]
    others = (each for each in journal.asking if each not in mine)
    return {
        "scene": visible_scene(journal.state, seat),
        "log": [item for item, place in zip(feed.items, feed.places, strict=True) if place in in_force],
        "questions": [asked(each, seat, journal.state, rule=knows_rule(each, journal, seat)) for each in mine],
        "waiting": any(is_known(each, journal, seat) for each in others),
    }


def is_asked(waiting: Open, journal: Journal, seat: Seat) -> bool:
    """Whether this seat answers an open question.

    The game master answers if a throw is held, if the seat may not see its result, or if the character asked is hidden,
    but not what is private.
    """
    who = waiting.question.who
    if not _may_answer(waiting.question, seat):
        return False
    if seat.master or who is None:
        return seat.master
    if (waiting.step, waiting.part) in journal.held or who.name in hidden_names(journal.state):
        return False
    unseen = isinstance(waiting.question, Chance) and not seat.sees(waiting.question.audience, who.name)
    return seat.answers_for(who.name) and not unseen


def _may_answer(question: Question[Any], seat: Seat) -> bool:
    """Whether a seat may see what there is to choose from, or what would be drawn, if that is private."""
    who = question.who and question.who.name
    seen = (question.audience, question.options_for if isinstance(question, Choose) else Audience.EVERYONE)
    return Audience.PRIVATE not in seen or seat.sees(Audience.PRIVATE, who)


def is_known(waiting: Open, journal: Journal, seat: Seat) -> bool:
    """Whether a seat may know that a question is open: always, in a step that it knows of."""
    who = waiting.question.who and waiting.question.who.name
    began = journal.record.began(waiting.step)
    if seat.master:
        return True
    is_open = began.audience is Audience.EVERYONE and not began.hidden
    if not is_open or is_no_choice(waiting.question, journal.state):
        return False
    return who not in hidden_names(journal.state)


def knows_rule(waiting: Open, journal: Journal, seat: Seat) -> bool:
    """Whether a seat may know which rule asks a question: it was told how the step began, with all its arguments."""
    began = journal.record.began(waiting.step)
    if seat.master:
        return True
    is_open = began.audience is Audience.EVERYONE and not began.hidden
    return is_open and len(redacted_arguments(began, seat)) == len(began.arguments)


def asked(waiting: Open, seat: Seat, state: State | None = None, *, rule: bool = True) -> dict[str, Plain]:
    """An open question, for the seat that is asked; `rule` says whether it may know which rule asks."""
    question = waiting.question if state is None else known_question(waiting.question, state, seat)
    plain = described(question if rule else asked_by(question, ""))
    if isinstance(question, (Roll, Draw)):
        hidden = frozenset[str]() if state is None else hidden_names(state)
        plain["mods"] = [to_plain(each) for each in redacted_mods(itemised(question.mods, hidden), seat)]
    return plain
