"""The odds beside a question as whoever is asked sees them: `questions: [{prompt: push, odds: {yes: {…}}}]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.questions import Choice, Question
from referee.core.system import System
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.drivers.stop import NEVER_STOP
from referee.forecast.bands import Forecast
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk_card import NO_FIGURES, RiskCard
from referee.testing.expectations import BESIDE, Difference, Misplaced, Where, same_chance
from referee.testing.recordings import Recording

HIDDEN: Final = "hidden"
NO_ODDS: Final = (*NO_FIGURES, HIDDEN)
"""Why there are no figures."""
PATIENCE: Final = 600.0
"""So many seconds a card may take; what takes longer has no figure, and differs."""


def compare_question_odds(
    expected: Plain, recording: Recording | None, system: System, where: Where
) -> Iterator[Difference]:
    """Compare the cards of those questions of which odds are expected."""
    for at, wanted in enumerate(expected):
        if isinstance(wanted, Mapping) and any(each in wanted for each in BESIDE):
            yield from _compare_question(wanted, at, recording, system, (*where, at))


def _compare_question(
    wanted: Mapping[str, Plain], at: int, recording: Recording | None, system: System, where: Where
) -> Iterator[Difference]:
    """The question that came after so many answers."""
    if recording is None:
        raise Misplaced(where, "odds stand beside the questions of an action, a rule or an encounter")
    journal = recording.journal(system, at)
    waiting = journal.asking[0]
    who = waiting.question.who
    seat = Seat("gm", master=True) if who is None else Seat(who.name, frozenset({who.name}))
    query = question_query(journal, waiting, seat, plan=False)
    card = query.card(Budget(PATIENCE), NEVER_STOP)
    if "about" in wanted and wanted["about"] != card.about:
        yield Difference((*where, "about"), f"{wanted['about']} expected, but it is {card.about or 'about nothing'}")
    if "odds" in wanted:
        yield from _compare_card(wanted["odds"], card, waiting.question, (*where, "odds"))


def _compare_card(wanted: Plain, card: RiskCard, question: Question[Any], where: Where) -> Iterator[Difference]:
    none = card.missing.get("")
    why = HIDDEN if card.unknown else none and none.because
    if wanted in NO_ODDS or why:
        if wanted != why:
            of = f" ({card.unknown})" if card.unknown else ""
            instead = f"there are none: {why}{of}" if why else "there are figures"
            yield Difference(where, f"{phrase(wanted, whole=True)} expected, but {instead}")
        return
    if not isinstance(wanted, Mapping):
        raise Misplaced(where, f"must be chances by answer, or one of {', '.join(NO_ODDS)}")
    if not isinstance(question, Choice):
        yield from _compare_figures(wanted, card.now, where)
        return
    for answer, chances in wanted.items():
        key = _answer(answer, (*card.asked, *card.missing), where)
        yield from _compare_figures(chances, card.asked.get(key), (*where, key))


def _answer(written: object, keys: Sequence[str], where: Where) -> str:
    """An answer as it is written in `answers`: a card needs no deck, yes and no are words."""
    name = {True: "yes", False: "no"}.get(written) if isinstance(written, bool) else str(written)
    found = [each for each in keys if name in (each, each.partition("@")[0])]
    if len(found) != 1:
        raise Misplaced((*where, str(name)), unknown(str(name), tuple(keys)))
    return found[0]


def _compare_figures(wanted: Plain, figures: Forecast | None, where: Where) -> Iterator[Difference]:
    if figures is None:
        yield Difference(where, f"{phrase(wanted, whole=True)} expected, but there is no figure")
        return
    found = {**figures.bands, **figures.extra, **figures.bad}
    for name, chance in wanted.items():
        if str(name) not in found:
            raise Misplaced((*where, str(name)), unknown(str(name), found))
        yield from _compare_chance(str(chance), found[str(name)], figures, (*where, str(name)))


def _compare_chance(wanted: str, found: Fraction, figures: Forecast, where: Where) -> Iterator[Difference]:
    if figures.samples:
        yield Difference(where, f"{wanted} expected, but it is only estimated (about {float(found):.4f})")
        return
    try:
        is_same = same_chance(wanted, found, figures.lost)
    except BadInput as problem:
        raise Misplaced(where, problem.problem) from None
    if not is_same:
        yield Difference(where, f"{wanted} expected, but it is {found} (about {float(found):.6f})")
