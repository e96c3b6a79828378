"""What the odds of a question are about, as a page says it: the innermost rule, the one around it, another's choice."""

from __future__ import annotations

import re
from typing import Any, Final

from referee import registry
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.journal.journal import Journal
from referee.web.pages.page import show
from referee.web.pages.parts.chances import chances
from referee.web.pages.parts.questions import Answer, Ask, Group
from referee.web.pages.table.table import AskOdds

DISTEMPER: Final = registry.load("distemper")
TRADERS: Final[dict[str, Any]] = {"al": {"insight": 0}, "bo": {"insight": 0, "skills": {"Barter": 3}}}


def shown(ask: Ask) -> str:
    """The words of the odds of a question, in a row."""
    page = bytes(show(AskOdds(ask, "", "", again=0)).body).decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_rule_around_a_decision_stands_in_a_second_line() -> None:
    """By which check Bo answers is about the rebuttal; around it the negotiation is open.

    After a gambit of 7 a rebuttal needs 8: with Barter 3 that is 26 of 36, and it makes a deal as often.
    """
    journal = Journal(DISTEMPER, DISTEMPER.new_state(TRADERS))
    journal.begin("gm", "distemper.social.negotiation-gambit", {"who": "al", "other": "bo", "using": "Barter"})
    for answer in ([3, 4], "no", "yes"):
        journal.answer("gm", journal.asking[0].step, answer)
    card = question_query(journal, journal.asking[0], Seat("gm", master=True)).card(Budget(None))
    assert card.around is not None
    assert (card.about, card.around.about) == (
        "distemper.social.negotiation-rebuttal",
        "distemper.social.negotiation-gambit",
    )
    inner, outer = (chances(each.asked["Barter"].to_plain(), DISTEMPER, each.good) for each in (card, card.around))
    answers = Group("", (Answer("Barter", "Barter", 0, inner, outer),))
    ask = Ask("key", "Which check?", "bo", "choose", has_odds=True, mark="m", groups=(answers,), around="Gambit")
    said = shown(ask)
    assert re.search(r"success \d+ %.* Gambit .* \d+ %", said), said


def test_an_answer_is_weighed_against_each_of_those_chosen_at_the_same_time() -> None:
    told = chances({"bands": {"hit": {"float": 0.5, "exact": "1/2"}}, "extra": {}, "bad": {}}, DISTEMPER, ("hit",))
    answers = Group("", (Answer("speed", "Speed", 0, beside=(("If the other one chooses “Safety”", told),)),))
    said = shown(Ask("key", "Speed or safety?", "ana", "choose", has_odds=True, mark="m", groups=(answers,)))
    assert "If the other one chooses “Safety”: hit" in said
    assert "50 %" in said
