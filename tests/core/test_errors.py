"""One family of errors: what was tried, why not, by which rule, and what would be legal."""

from __future__ import annotations

import pytest

from referee.core.errors import (
    BadAnswer,
    BadInput,
    ForeignAwait,
    RefereeError,
    Refused,
    ReplayMismatch,
    RulebookError,
    TooLarge,
)
from referee.core.trace import watching

EACH = [
    Refused("push", because="once", rule="some.rule", legal=("stay",)),
    BadAnswer("push", because="once", rule="answer"),
    BadInput("sheets.ana", "is odd"),
    RulebookError("file.yaml: some.rule", "is odd"),
    ReplayMismatch("this", "that"),
    ForeignAwait("sleep", "some.rule"),
    TooLarge("too many"),
]


@pytest.mark.parametrize("error", EACH, ids=lambda error: type(error).__name__)
def test_every_error_is_referees_and_says_something(error: RefereeError) -> None:
    assert isinstance(error, RefereeError)
    assert str(error)


def test_a_refusal_says_what_why_by_which_rule_and_what_would_be_legal() -> None:
    assert str(EACH[0]) == "push: once (some.rule); legal: stay"
    assert str(EACH[1]) == "push: once (answer)"


def test_a_refusal_takes_part_by_its_rule() -> None:
    with watching(set()) as seen:
        Refused("push", because="once", rule="some.rule")
    assert seen == {"some.rule"}


def test_an_illegal_answer_is_a_refusal_but_a_malformed_thing_is_not() -> None:
    assert issubclass(BadAnswer, Refused)
    assert issubclass(RulebookError, BadInput)
    assert not issubclass(BadInput, Refused)


@pytest.mark.parametrize(
    ("inner", "outer", "where"),
    [
        ("stress", "ana", "ana.stress"),
        ("[2].name", "ana.items", "ana.items[2].name"),
        ("", "ana", "ana"),
    ],
)
def test_a_complaint_is_told_from_further_out(inner: str, outer: str, where: str) -> None:
    told = BadInput(inner, "is odd").within(outer)
    assert (told.where, told.problem) == (where, "is odd")


def test_a_complaint_without_a_place_is_just_told() -> None:
    assert str(BadInput("", "is odd")) == "is odd"


def test_a_mismatch_shows_first_and_second() -> None:
    assert str(ReplayMismatch("a", "b")) == "run again, the rule asked b where it had first asked a"
