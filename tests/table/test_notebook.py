"""Pages and handouts: who reads them, who writes on them, and what follows from the log alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from referee.core.errors import BadInput, Refused
from referee.journal.lines import Line
from referee.table import notebook_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import NotAllowed, Role
from referee.table.notebook import Notebook
from referee.table.setup import TableSetup


class Table:
    """Mo runs it, Ana and Bo play, Zed looks on."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.mo = hub.create("Cellar", "den", {"ana": {}, "bo": {}}, "Mo")
        self.ana, self.bo, self.zed = (
            hub.join(hub.invite(*self.mo[:2], role), name)
            for role, name in ((Role.PLAYER, "Ana"), (Role.PLAYER, "Bo"), (Role.SPECTATOR, "Zed"))
        )

    def write(self, seat: Admitted, page: str, title: str, text: str, *, shared: bool = False, **more: str) -> None:
        self.hub.act(*seat[:2], DeskCommand(notebook_desk.write, page, title, text, shared=shared, **more))

    def pages(self, seat: Admitted) -> list[tuple[str, str]]:
        def read(desk: Desk) -> list[tuple[str, str]]:
            return [(each.title, each.text) for each in desk.campaign.setup.notebook.pages_for(desk.member)]

        return self.hub.read(*seat[:2], read)

    def handouts(self, seat: Admitted) -> list[str]:
        return self.hub.read(
            *seat[:2], lambda d: [each.title or each.text for each in d.campaign.setup.notebook.handouts_for(d.member)]
        )

    def feed(self, seat: Admitted) -> str:
        return str(self.hub.story(*seat[:2], 0, 999))


@pytest.fixture
def table(hub: Hub) -> Table:
    return Table(hub)


def test_a_shared_page_is_read_by_all_and_written_by_all_who_play(table: Table) -> None:
    table.write(table.ana, "p", "The key", "Ana has it.", shared=True)
    table.write(table.bo, "p", "The key", "Bo has it.", shared=True)
    for seat in (table.mo, table.ana, table.bo, table.zed):
        assert table.pages(seat) == [("The key", "Bo has it.")]
    with pytest.raises(NotAllowed):
        table.write(table.zed, "p", "The key", "Zed has it.", shared=True)
    with pytest.raises(Refused, match="cannot be made private"):
        table.write(table.bo, "p", "The key", "Bo has it.")


def test_a_private_page_is_its_owners_and_the_game_masters(table: Table) -> None:
    table.write(table.ana, "p", "Doubts", "Is Bo a spy?")
    assert table.pages(table.ana) == table.pages(table.mo) == [("Doubts", "Is Bo a spy?")]
    assert table.pages(table.bo) == table.pages(table.zed) == []
    assert "spy" not in table.feed(table.bo) + table.feed(table.zed)
    table.write(table.mo, "p", "Doubts", "He is.")  # still Ana's page
    assert table.pages(table.ana) == [("Doubts", "He is.")]
    assert "He is." in table.feed(table.ana)
    assert table.pages(table.bo) == []
    table.write(table.ana, "p", "Doubts", "None.", shared=True)
    assert table.pages(table.bo) == [("Doubts", "None.")]
    assert "spy" not in table.feed(table.bo)


def test_the_game_masters_notes_are_read_by_no_player(table: Table) -> None:
    table.write(table.mo, "p", "Plan", "The cellar floods.")
    for seat in (table.ana, table.bo, table.zed):
        assert table.pages(seat) == []
        assert "floods" not in table.feed(seat)


def test_a_page_someone_may_not_read_is_not_there_for_them(table: Table) -> None:
    table.write(table.mo, "p", "Plan", "The cellar floods.")
    for page in ("p", "q"):
        with pytest.raises(BadInput, match=r"^page: there is no such page$"):
            table.write(table.ana, page, "", "")
    with pytest.raises(BadInput, match=r"^page: there is no such page$"):
        table.write(table.ana, "p", "Mine", "All of it.")
    assert table.pages(table.mo) == [("Plan", "The cellar floods.")]


def test_no_one_writes_over_what_they_have_not_read(table: Table) -> None:
    table.write(table.ana, "p", "The key", "one", shared=True)
    table.write(table.bo, "p", "The key", "two", shared=True, before="one")
    with pytest.raises(Refused, match="someone has written on this page since you opened it"):
        table.write(table.ana, "p", "The key", "three", shared=True, before="one")
    assert table.pages(table.mo) == [("The key", "two")]


def test_a_page_without_title_and_text_is_gone(table: Table) -> None:
    table.write(table.ana, "p", "The key", "one", shared=True)
    table.write(table.bo, "p", "", "", shared=False)
    assert table.pages(table.mo) == []
    table.write(table.bo, "p", "Anew", "", shared=True)
    assert table.pages(table.ana) == [("Anew", "")]


@pytest.mark.parametrize(
    ("title", "text", "because"),
    [
        ("", "a text", "title: a page needs a title"),
        ("a" * 101, "", "text: at most 100"),
        ("a", "b" * 10_001, "text: at most"),
    ],
)
def test_a_page_that_does_not_fit_is_refused(table: Table, title: str, text: str, because: str) -> None:
    with pytest.raises(BadInput, match=re.escape(because)):
        table.write(table.ana, "p", title, text)


def test_handouts_stay_findable_for_those_who_got_them(table: Table) -> None:
    def hand(seat: Admitted, text: str, **more: object) -> None:
        table.hub.act(*seat[:2], DeskCommand(Desk.note, text, **more))  # type: ignore[arg-type]

    hand(table.mo, "just talk")
    hand(table.mo, "A map of the cellar.", title="  The   map ")
    hand(table.mo, "For Ana alone.", title="A letter", to=[table.ana.seat])
    hand(table.bo, "", file="f" * 64)
    assert table.handouts(table.mo) == ["The map", "A letter", ""]
    assert table.handouts(table.ana) == ["The map", "A letter", ""]
    assert table.handouts(table.bo) == table.handouts(table.zed) == ["The map", ""]
    with pytest.raises(BadInput, match="title: must be at most 100"):
        hand(table.mo, "a", title="b" * 101)


def test_it_follows_from_the_log_and_survives_a_checkpoint_and_a_fork(table: Table, hub: Hub) -> None:
    table.write(table.ana, "p", "Doubts", "Is Bo a spy?")
    table.write(table.bo, "q", "The key", "Bo has it.", shared=True)
    hub.act(*table.mo[:2], DeskCommand(Desk.note, "A map.", title="The map", to=[table.ana.seat]))
    lines = [Line.from_plain(row.line) for row in hub.store.lines(table.mo.campaign)]
    setup = TableSetup().after_all(lines)
    assert TableSetup.from_plain(setup.to_plain()) == setup
    assert Notebook.from_plain(setup.notebook.to_plain()) == setup.notebook
    cursor = hub.read(*table.mo[:2], lambda desk: desk.feed.cursor)
    hub.act(*table.mo[:2], DeskCommand(Desk.note, "and now"))
    forked = hub.fork(*table.mo[:2], cursor, "Otherwise")
    assert table.pages(forked) == [("Doubts", "Is Bo a spy?"), ("The key", "Bo has it.")]


SECRETS: dict[str, Callable[[Table, str], object]] = {
    "a page of the game master": lambda table, secret: table.write(table.mo, "p", secret, secret),
    "a page of a player": lambda table, secret: table.write(table.bo, "p", secret, secret),
    "a handout to another": lambda table, secret: table.hub.act(
        *table.mo[:2], DeskCommand(Desk.note, secret, title=secret, to=[table.bo.seat])
    ),
}


@pytest.mark.parametrize("secret", SECRETS)
def test_in_two_worlds_who_may_not_know_is_told_the_same(hub: Hub, secret: str) -> None:
    told = []
    for words, often in (("The cellar floods.", 1), ("Nothing happens at all.", 3)):
        table = Table(hub)
        for _ in range(often):
            SECRETS[secret](table, words)
        hub.act(*table.mo[:2], DeskCommand(Desk.note, "Go on."))
        seen = table.feed(table.ana), str(table.pages(table.ana)), str(table.handouts(table.ana))
        ids = (table.mo.seat, table.ana.seat, table.bo.seat, table.zed.seat)
        told.append(re.sub("|".join(ids) + "|[0-9a-f]{64}", "id", str(seen)))
        assert words in table.feed(table.bo) or secret == "a page of the game master"
    assert told[0] == told[1]
