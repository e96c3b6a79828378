"""Two worlds: with a draft and without, with a hidden namesake and without. Who may not know sees the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import pytest

from referee.core import Levels, Open, Prompt, Scene, System, Who, choose, rule
from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.core.visibility import VEIL
from referee.journal.lines import SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.table import draft_desk, master_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member

SEATS = {"mo": "game master", "ann": "player", "bob": "player", "gil": "spectator"}
OTHERS = ("bob", "gil")
HOWL = Prompt("howl")


@final
@dataclass(frozen=True, slots=True)
class Ring:
    """Something that mentions people in every way."""

    order: Open[tuple[str, ...]] = ()
    scores: Open[Levels] = field(default_factory=Levels)
    pairs: Open[frozenset[tuple[str, str]]] = frozenset()
    next: Open[str | None] = None
    near: Open[tuple[Who[Any], ...]] = ()


@rule("drafts.howl")
async def howl(scene: Scene, who: Who[Any]) -> str:
    """Somebody is asked something."""
    return await choose(who, HOWL, ("loud", "soft"))


class World:
    """A table, and everything each seat has been sent."""

    def __init__(self, system: System, scene: Mapping[str, Plain], plays: Mapping[str, str] | None = None) -> None:
        self.campaign = Campaign(system, system.state(dict(scene)), SeededDice(b"worlds"), clock=lambda: 0.0)
        for seat, role in SEATS.items():
            controls = [name for name, by in (plays or {}).items() if by == seat]
            sits = {"id": seat, "name": seat, "role": role, "controls": controls, "real_dice": False}
            self.campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
        self.campaign.advance()
        self.errors: dict[str, list[str]] = {seat: [] for seat in SEATS}

    def do(self, seat: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        try:
            function(Desk(self.campaign, seat), *args, **kwargs)
        except RefereeError as why:
            self.errors[seat].append(str(why))

    def sent(self, seat: str) -> bytes:
        """Everything a seat was told or can see, and every refusal it got."""
        view = self.campaign.view(seat)
        found = draft_desk.drafts_of(Desk(self.campaign, seat)) if seat != "gil" else []
        drafts = [each.to_plain() for each in found]
        return json.dumps([self.campaign.feeds[seat].items, view, drafts, self.errors[seat]], sort_keys=True).encode()

    def scene(self, seat: str = "mo") -> Any:
        return self.campaign.view(seat)["scene"]


@pytest.fixture
def ringed(guild: System) -> System:
    return replace(guild, kinds=(Ring,))


BUILD: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("ann", draft_desk.begin, ("a",)),
    ("ann", draft_desk.start_from, ("a", "Journeyman")),
    ("ann", draft_desk.roll, ("a", "purse")),
    ("ann", draft_desk.answer, ("a", "tools", ["Anvil", "Anvil"])),
    ("ann", draft_desk.answer, ("a", "traits", 1, "Brawn")),
    ("ann", draft_desk.answer, ("a", "traits", 4, "Brawn")),
    ("ann", draft_desk.answer, ("a", "secret", "I am not who I seem.")),
    ("mo", draft_desk.answer, ("a", "motto", "Hold fast.")),
    ("mo", draft_desk.begin, ("m",)),
    ("mo", draft_desk.fill, ("m",)),
    ("mo", draft_desk.discard, ("m",)),
]
MEANWHILE: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("bob", Desk.note, ("Is anybody here?",)),
    ("bob", draft_desk.answer, ("a", "age", "Old")),
    ("bob", draft_desk.finish, ("a",)),
    ("gil", draft_desk.begin, ("g",)),
    ("mo", master_desk.edit, ("Odo", {"coins": 3})),
    ("bob", draft_desk.begin, ("b",)),
    ("bob", draft_desk.answer, ("b", "age", "Young")),
]


def test_a_third_seat_gets_the_same_bytes_whether_somebody_builds_or_not(ringed: System) -> None:
    quiet, busy = (World(ringed, {"Odo": {}}) for _ in range(2))
    steps = iter(BUILD)
    for seat, function, args in MEANWHILE:
        for _ in range(2):
            if (drafted := next(steps, None)) is not None:
                busy.do(drafted[0], drafted[1], *drafted[2])
        for world in (quiet, busy):
            world.do(seat, function, *args)
        for viewer in OTHERS:
            assert quiet.sent(viewer) == busy.sent(viewer)
    assert quiet.sent("ann") != busy.sent("ann")
    assert quiet.sent("mo") != busy.sent("mo")
    assert busy.errors["bob"] == ["draft: you have no such draft", "draft: you have no such draft"]


def scenes(hidden: str, **more: Plain) -> Iterator[dict[str, Plain]]:
    """The same scene without and with somebody hidden whom everything mentions."""
    shown = {"Odo": {}, "Pia": {}, **more}
    ring: dict[str, Plain] = {"kind": "Ring", "order": ["Odo", "Pia"], "scores": {"Odo": 1}}
    yield {**shown, "ring": ring}
    secret = {
        **ring,
        "order": ["Odo", hidden, "Pia"],
        "scores": {"Odo": 1, hidden: 2, f"Odo {hidden}": 3},
        "pairs": [["Odo", hidden]],
        "next": hidden,
        "near": [hidden],
    }
    hand = {"kind": "Pile", "facing": "hand", "owner": hidden, "cards": ["7S"]}
    veil = {"kind": "Veil", "names": [hidden]}
    yield {**shown, "ring": secret, hidden: {"coins": 9}, f"{hidden}-hand": hand, VEIL.name: veil}


def build(world: World, name: str) -> None:
    world.do("ann", draft_desk.begin, "a", template="Journeyman")
    world.do("ann", draft_desk.roll, "a", "purse")
    world.do("ann", draft_desk.answer, "a", "secret", "none")
    world.do("ann", draft_desk.answer, "a", "name", name)
    world.do("ann", draft_desk.finish, "a")


@pytest.mark.parametrize(
    ("hidden", "name", "moved"),
    [
        ("Wolf", "Wolf", "Wolf 2"),
        ("Wolf", "Old Wolf", "Wolf 2"),
        ("Wolf", "Wolf 2", "Wolf 3"),
        ("Wolf", "Wolf 2 of the Wolf 3", "Wolf 4"),
        ("Wolf", "wolf", "Wolf"),
        ("Wolf", "Wolfram", "Wolf"),
        ("Old Wolf", "Wolf", "Old Wolf"),
        ("a.b", "a.b", "a.b 2"),
    ],
)
def test_a_name_that_something_hidden_bears_is_taken_without_a_word(
    ringed: System, hidden: str, name: str, moved: str
) -> None:
    empty, haunted = (World(ringed, scene) for scene in scenes(hidden))
    for world in (empty, haunted):
        build(world, name)
        assert world.errors["ann"] == []
        assert world.scene("bob")[name]["traits"]["Brawn"] == 4
        world.do("mo", master_desk.set_entry, "ring", "scores", name, 5)
        world.do("ann", Desk.write_down, name, "It is me.")
        for viewer in ("ann", *OTHERS):
            assert world.scene(viewer)["ring"]["scores"] == {"Odo": 1, name: 5}
    for viewer in ("ann", *OTHERS):
        assert empty.sent(viewer) == haunted.sent(viewer)
    scene = haunted.scene()
    assert scene["veil"]["names"] == [moved]
    assert scene[moved]["coins"] == 9
    assert scene[f"{moved}-hand"]["owner"] == moved
    assert hidden == moved or f"{hidden}-hand" not in scene
    ring = scene["ring"]
    assert (ring["order"], ring["next"], ring["pairs"]) == (["Odo", moved, "Pia"], moved, [["Odo", moved]])
    assert ring["near"] == [moved]
    assert ring["scores"] == {"Odo": 1, moved: 2, f"Odo {moved}": 3, name: 5}


def test_undoing_it_and_building_again_tells_nothing_either(ringed: System) -> None:
    empty, haunted = (World(ringed, scene) for scene in scenes("Wolf"))
    for world in (empty, haunted):
        build(world, "Wolf")
        item = next(
            each["id"] for each in world.campaign.feeds["mo"].items if each.get("rule") == "referee.table.enter"
        )
        world.do("mo", undo_desk.undo, item)
        world.do("ann", draft_desk.reopen, "a")
        world.do("ann", draft_desk.finish, "a")
        assert world.errors["ann"] == []
    for viewer in ("ann", *OTHERS):
        assert empty.sent(viewer) == haunted.sent(viewer)
    assert haunted.scene()["Wolf 2"]["coins"] == 9


def test_whoever_plays_the_hidden_namesake_and_notes_about_it_move_with_it(ringed: System) -> None:
    empty, haunted = (World(ringed, scene, {"Wolf": "bob"} if "Wolf" in scene else {}) for scene in scenes("Wolf"))
    haunted.do("mo", Desk.write_down, "Wolf", "It waits.")
    for world in (empty, haunted):
        build(world, "Wolf")
    for viewer in ("ann", "gil"):
        assert empty.sent(viewer) == haunted.sent(viewer)
    assert haunted.campaign.members["bob"].controls == {"Wolf 2"}
    assert haunted.campaign.members["ann"].controls == {"Wolf"}
    assert haunted.campaign.members["mo"].notes == {"Wolf 2": "It waits."}


def test_a_hidden_step_of_the_namesake_is_cancelled_and_only_the_game_master_is_told(ringed: System) -> None:
    empty, haunted = (World(ringed, scene) for scene in scenes("Wolf"))
    haunted.campaign.journal.begin("mo", howl.id, {"who": "Wolf"})
    haunted.campaign.advance()
    assert haunted.campaign.journal.asking
    for world in (empty, haunted):
        build(world, "Wolf")
    assert not haunted.campaign.journal.asking
    assert "cancelled" in [each["kind"] for each in haunted.campaign.feeds["mo"].items]
    for viewer in ("ann", *OTHERS):
        assert empty.sent(viewer) == haunted.sent(viewer)


def test_the_game_master_is_refused_openly(ringed: System) -> None:
    *_, scene = scenes("Wolf")
    world = World(ringed, scene)
    world.do("mo", draft_desk.begin, "m", template="Journeyman")
    world.do("mo", draft_desk.roll, "m", "purse")
    world.do("mo", draft_desk.answer, "m", "secret", "none")
    world.do("mo", draft_desk.answer, "m", "name", "Wolf")
    world.do("mo", draft_desk.finish, "m")
    assert world.errors["mo"] == ["name: Wolf is in the scene already"]
