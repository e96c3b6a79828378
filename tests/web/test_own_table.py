"""A table of one's own is walked through page by page, for every system; what is wrong on the way is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from referee import registry
from referee.core.errors import BadInput, Refused
from referee.core.rulebook import BOOK
from referee.drivers.stop import NEVER_STOP
from referee.testing.conform import Finding
from referee.web.own_table import OWN_TABLE, encounters, own_server, people, sheets

SHORT = ("alien", "distemper")


def silent(part: str, done: int, of: int) -> None:
    pass


def walked(part: Callable[..., Finding], system: str) -> Finding:
    return part(registry.load(system), NEVER_STOP, silent)


@pytest.mark.parametrize("part", OWN_TABLE, ids=lambda part: part.__name__)
@pytest.mark.parametrize(
    "system", [pytest.param(each, marks=() if each in SHORT else pytest.mark.slow) for each in registry.OURS]
)
def test_a_table_of_ones_own_is_walked_in_every_system(part: Callable[..., Finding], system: str) -> None:
    found = walked(part, system)
    assert (found.problems, found.complete) == ((), True)
    assert not found.done.startswith("0 of")


def test_a_game_without_ready_people_creation_or_encounters_is_walked_too(systems: None) -> None:
    assert [walked(part, "coin").problems for part in OWN_TABLE] == [(), (), ()]


def test_a_form_that_changes_what_nobody_touched_is_named_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgets(kind: Any, form: Any, before: Any) -> dict[str, Any]:
        return {"stress": 3} if "stress" in before and not before["stress"] else {}

    monkeypatch.setattr("referee.web.pages.master.people.said", forgets)
    problems = walked(sheets, "alien").problems
    assert any(
        re.search(r"alien/samples/derelict\.yaml:\d+: Dallow: saved untouched, it changes stress$", each)
        for each in problems
    )


def test_a_sample_that_no_table_opens_with_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise BadInput("sample", "is torn in two")

    monkeypatch.setattr("referee.web.pages.home.sample_scene", refuses)
    found = walked(sheets, "alien")
    (problem,) = found.problems
    assert re.search(r"alien/samples/derelict\.yaml: sample: is torn in two$", problem)
    assert found.done.startswith("0 of 3")


def test_whoever_cannot_be_added_is_named_with_what_was_raised_and_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("no dice")

    monkeypatch.setattr("referee.table.master_desk.add_all", broken)
    problems = walked(people, "alien").problems
    assert len(problems) == 3
    assert re.search(r"derelict\.yaml:\d+: Ripa: ZeroDivisionError: no dice \(.*test_own_table\.py:\d+\)$", problems[0])


def test_an_encounter_that_the_rules_refuse_is_named_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise Refused("fight", because="nobody is angry", rule="distemper.combat")

    monkeypatch.setattr("referee.table.encounter_desk.check_people", refuses)
    found = walked(encounters, "distemper").problems
    assert {re.sub(r".*distemper/look\.yaml:\d+: ", "", each) for each in found} == {
        "fight: fight: nobody is angry",
        "chase tracker: fight: nobody is angry",
    }


def test_an_encounter_in_which_nobody_acts_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.web.own_table.MOST_ANSWERS", 0)
    found = walked(encounters, "distemper").problems
    assert [each.rpartition(": ")[2] for each in found] == ["nobody has acted after 0 answers"] * 2


def test_the_walk_opens_its_tables_from_the_start_page() -> None:
    with own_server(registry.load("distemper")) as server:
        table = server.begin()
        assert table.people == []
        assert table.read(lambda at: at.journal.scene[BOOK].options) == dict(registry.load("distemper").new_table)
        assert server.begin("market").people != []
