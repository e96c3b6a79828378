"""What odds assume about hidden hands stands beside the figure: in a forecast, and beside a question."""

from __future__ import annotations

from typing import Final

from tests.hard_scenes.dime import ANNE, SYSTEM, contest, two
from tests.seen import seen_by

from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.web.pages.page import show
from referee.web.pages.parts.chances import chances
from referee.web.pages.parts.questions import Ask
from referee.web.pages.parts.story import assumed
from referee.web.pages.table.forecast import ForecastScreen
from referee.web.pages.table.table import AskOdds
from referee.wire.replies import OddsCard

CARD: Final = odds_of(contest(), *seen_by(ANNE, two(bo="9C 4D")), budget=Budget(seconds=None)).to_plain()
SAID: Final = (
    "Assuming that Bo answers “luck” with “no”.",
    "Assuming that Bo answers “play card” with “no”.",
)


def test_assumptions_are_said_in_words() -> None:
    assert assumed(CARD, SYSTEM) == SAID
    assert assumed({}, SYSTEM) == ()


def test_a_forecast_says_what_it_assumes() -> None:
    now = chances(CARD["now"], SYSTEM, ("critical", "success"))
    page = bytes(show(ForecastScreen(now, assumes=assumed(CARD, SYSTEM))).body).decode()
    assert all(each in page for each in SAID)
    assert "61 %" in page


def test_the_odds_of_a_question_bring_what_they_assume_to_its_place() -> None:
    ask = Ask("key", "Play a card?", "ana", "choose", has_odds=True, computed=True, mark="m", assumes=SAID)
    page = bytes(show(AskOdds(ask, "", "", again=0)).body).decode()
    assert 'id="ask-key-m-assumes" data-late' in page
    assert all(each in page for each in SAID)


def test_programs_are_told_too() -> None:
    reply = OddsCard.model_validate(CARD)
    assert reply.assumes == [
        {"who": "bo", "prompt": "luck", "answer": "no"},
        {"who": "bo", "prompt": "play-card", "answer": "no"},
    ]
