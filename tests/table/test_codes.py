"""Codes that can be read out loud, and typed as they were heard."""

from __future__ import annotations

import re

import pytest

from referee.core.errors import Refused
from referee.table.codes import WORDS, as_written, new_code
from referee.table.hub import Hub
from referee.table.members import Role


def test_a_code_is_four_plain_words_and_a_number() -> None:
    assert re.fullmatch(r"([a-z]{3,8}-){4}[1-9][0-9]", new_code())
    assert len({new_code() for _ in range(500)}) == 500


def test_every_word_is_short_and_there_once() -> None:
    assert len(set(WORDS)) == len(WORDS) == 256
    assert all(word.isalpha() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)


@pytest.mark.parametrize(
    "typed",
    [
        "amber-river-piano-tiger-47",
        "Amber River Piano Tiger 47",
        " AMBER, river; piano. tiger47 ",
        "amber_river–piano/tiger 47",
    ],
)
def test_it_may_be_typed_as_it_was_heard(typed: str) -> None:
    assert as_written(typed) == "amber-river-piano-tiger-47"


def test_a_code_typed_otherwise_opens_the_table_once(hub: Hub) -> None:
    mo = hub.create("Cellar", "den", {"ana": {}}, "Mo")
    code = hub.invite(mo.campaign, mo.seat, Role.PLAYER)
    joined = hub.join(code.replace("-", " ").upper(), "Ana")
    assert joined.campaign == mo.campaign
    with pytest.raises(Refused):
        hub.join(code, "Bo")
    with pytest.raises(Refused):
        hub.join("", "Bo")
