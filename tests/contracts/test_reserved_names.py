"""Nobody is called like something that the rules or the table use themselves, however they come to the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee import registry
from referee.core.cards import Pile
from referee.core.errors import BadInput, Refused
from referee.core.rulebook import BOOK
from referee.core.scene import Scene
from referee.core.system import System
from referee.journal.journal import Journal
from referee.store.sqlite import SQLiteStore
from referee.table import draft_desk, encounter_desk, master_desk, seat_desk
from referee.table.access import Admitted
from referee.table.desk import DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import scene_of

RESERVED = ("gm", "GM", "game master", "book", "Clock", "clock", "effects", "passing", "playing", "veil")
PILES = ("gm.deck", "bo.deck", "bo.hand", "Bo.Discards", "bo.in-play", "bo.ante")
IN_PLAY = {"dime": PILES, "yearzero": ("interrogation of bo",)}


def spellings(name: str) -> Iterator[str]:
    """How else somebody may write a name that people, or the table, would take for it."""
    yield from (name.upper(), name.title(), name.swapcase())
    yield "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in name)  # full width
    yield f"{name[0]}\N{COMBINING GRAPHEME JOINER}{name[1:]}\N{VARIATION SELECTOR-16}"
    yield from (f"{name[:1]} {name[1:]}", f"{name[:1]}-{name[1:]}", f"{name[:1]}_{name[1:]}", f"{name},")
    yield from (name.replace(" ", ""), name.replace(" ", "-"), name.replace(" ", "  "))
    yield name.replace("k", "\N{KELVIN SIGN}").replace(".", "\N{ONE DOT LEADER}")


def unreadable(name: str) -> Iterator[str]:
    """Names with something that nobody sees, or nothing else."""
    for blank in (
        " ",
        "\t",
        "\n",
        "\N{NO-BREAK SPACE}",
        "\N{ZERO WIDTH SPACE}",
        "\N{ZERO WIDTH JOINER}",
        "\N{SOFT HYPHEN}",
    ):
        yield from (f"{blank}{name}", f"{name}{blank}")
    yield from (f"{name}\N{RIGHT-TO-LEFT OVERRIDE}", f"{name}\0", f"{name}\N{WORD JOINER}")
    yield from ("", " ", "\N{ZERO WIDTH SPACE}", "\N{HANGUL FILLER}", "\N{BRAILLE PATTERN BLANK}", "--")


@pytest.fixture(params=registry.OURS)
def system(request: pytest.FixtureRequest) -> System:
    return registry.load(request.param)


def names_of(system: System) -> tuple[str, ...]:
    return (*RESERVED, *(each.name for each in system.places), *IN_PLAY.get(system.name, ()))


def test_a_new_scene_has_nobody_with_a_reserved_name(system: System) -> None:
    for name in names_of(system):
        with pytest.raises(BadInput, match="reserved"):
            system.new_state({"ana": {}, name: {}})


def test_a_scenario_has_nobody_with_a_reserved_name(system: System) -> None:
    for name in (each for each in names_of(system) if each not in ("book", "clock")):
        with pytest.raises(BadInput, match="reserved"):
            scene_of({"system": system.name, "sheets": {name: {}}, "steps": []})


def test_nobody_with_a_reserved_name_is_added_to_a_table(system: System) -> None:
    table = Journal(system, system.new_state({"ana": {}}))
    before = table.state
    for name in names_of(system):
        with pytest.raises(BadInput, match="reserved"):
            table.edit("mo", name, kind=system.sheet.__name__)
    assert table.state == before


def test_a_draft_cannot_be_finished_with_a_reserved_name(system: System) -> None:
    book = Scene(system.new_state({}))[BOOK]
    for name in names_of(system):
        with pytest.raises(BadInput, match="reserved name; use another"):
            system.check_name(name, system.value({}, name), book)


@pytest.mark.parametrize("name", ["Dr. Gm", "Deck", "J.R.", "Ana", "fighter", "Hand"])
def test_ordinary_names_are_free(system: System, name: str) -> None:
    assert name in system.new_state({name: {}})


def test_people_of_stored_tables_keep_the_names_they_have() -> None:
    system = registry.load("dime")
    table = Journal(system, system.state({"gm": {}}))
    table.edit("mo", "gm", wealth=3)
    assert system.plain(table.state)["gm"]["wealth"] == 3


# --- every way to the table -------------------------------------------------------------------------------------------


class Evening:
    """A table of a system with two people, its game master and a player who plays nobody yet."""

    def __init__(self, hub: Hub, system: System) -> None:
        self.hub, self.system = hub, system
        self.mo = hub.create("Evening", system.name, {"ana": {}, "bo": {}}, "Mo")
        self.ben = hub.join(hub.invite(self.mo.campaign, self.mo.seat, Role.PLAYER, frozenset()), "Ben")

    def do(self, seat: Admitted, act: Callable[..., Any], /, *args: Any, **named: Any) -> None:
        self.hub.act(self.mo.campaign, seat.seat, DeskCommand(act, *args, **named))

    def people(self) -> set[str]:
        return self.hub.read(self.mo.campaign, self.mo.seat, lambda desk: set(desk.journal.state))

    # The ways. Each tries to bring somebody to the table under a name.

    def built(self, name: str) -> None:
        """By chance, and named by the player in the end."""
        self.do(self.ben, draft_desk.answer, self.draft, "name", name)
        self.do(self.ben, draft_desk.finish, self.draft)

    def begin(self) -> None:
        self.draft = "d"
        self.do(self.ben, draft_desk.begin, self.draft, fill=True)

    def imported(self, name: str) -> None:
        """A finished sheet, as a file has it."""
        kind = self.system.sheet.__name__
        self.do(self.mo, master_desk.edit, name, {**self.system.plain_value(self.system.value({}, "x")), "kind": kind})

    def added(self, name: str) -> None:
        self.do(self.mo, master_desk.add, name, {"kind": self.system.sheet.__name__})

    def added_hidden(self, name: str) -> None:
        self.do(self.mo, master_desk.add, name, {"kind": self.system.sheet.__name__}, hidden=True)

    def copied(self, name: str) -> None:
        self.do(self.mo, master_desk.add_all, [name], {"kind": self.system.sheet.__name__}, like="bo")

    def from_a_sample(self, name: str) -> None:
        self.do(self.mo, encounter_desk.load_scene, {name: {"kind": self.system.sheet.__name__}})

    def at_a_new_table(self, name: str) -> None:
        self.hub.create("Another", self.system.name, {name: {}}, "Mo")


WAYS: Final = (
    Evening.built,
    Evening.imported,
    Evening.added,
    Evening.added_hidden,
    Evening.copied,
    Evening.from_a_sample,
    Evening.at_a_new_table,
)


@pytest.fixture
def evening(hub: Hub, system: System) -> Evening:
    return Evening(hub, system)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    yield hub
    hub.close()


def test_no_spelling_of_a_reserved_name_is_free(system: System) -> None:
    book, value = Scene(system.new_state({}))[BOOK], system.value({}, "x")
    taken = [each for name in names_of(system) for each in (name, *spellings(name), *unreadable(name))]
    let_through = []
    for each in taken:
        try:
            system.check_name(each, value, book)
            let_through.append(each)
        except BadInput:
            pass
    assert let_through == []


def test_no_way_to_the_table_lets_a_reserved_name_through(evening: Evening) -> None:
    """A scene file's own names are numbered where they are taken; all others are refused."""
    evening.begin()
    for name in ("gm", "G\uff2d", "c\u034flock", "Game-Master", "veil", *names_of(evening.system)[len(RESERVED) :]):
        for way in WAYS:
            before = evening.people()
            try:
                way(evening, name)
                assert way is Evening.from_a_sample, f"{name!r} got in: {way.__name__}"
                assert f"{name} 2" in evening.people() - before or evening.people() == before
            except (BadInput, Refused):
                assert evening.people() == before


def test_a_player_sits_under_no_name_of_the_game_master(evening: Evening) -> None:
    for name in ("GM", "gm", "Game Master", "game-master", "\uff27\uff2d", "G\u034fM"):
        with pytest.raises(Refused, match="that is the game master's name"):
            evening.do(evening.ben, seat_desk.change_seat, evening.ben.seat, name=name)
        code = evening.hub.invite(evening.mo.campaign, evening.mo.seat, Role.SPECTATOR, frozenset())
        with pytest.raises(Refused, match="that is the game master's name"):
            evening.hub.join(code, name)
    evening.do(evening.mo, seat_desk.change_seat, evening.mo.seat, name="GM")


def test_what_rules_put_into_a_scene_keeps_its_name(system: System) -> None:
    book = Scene(system.new_state({}))[BOOK]
    for form, kind in system.passing_names.items():
        value = Pile() if kind is Pile else system.value({"kind": kind.__name__, **GIVEN.get(kind.__name__, {})})
        system.check_name(form.replace("*", "bo"), value, book)


GIVEN = {"Interrogation": {"victim": "bo", "torturer": "ana"}}
