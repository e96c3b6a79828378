"""What may be done from a seat: every command by every role, and everything that is refused, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from referee import registry
from referee.core.errors import BadAnswer, BadInput, Refused
from referee.core.plain import Plain
from referee.journal.lines import AnswerLine, SeatTaken, StepBegan
from referee.journal.log_items import StepRefused
from referee.journal.seeded_dice import SeededDice
from referee.systems.alien import SYSTEM as ALIEN
from referee.systems.distemper import SYSTEM as DISTEMPER
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import MOST_SEATS, Member, NotAllowed, NotSeated, Role
from referee.table.seat_desk import new_seat
from referee.wire.limits import LONGEST_NOTE

CREW: Final[dict[str, Plain]] = {
    "ana": {"attributes": {"Wits": 3}, "stress": 1},
    "bo": {"attributes": {"Wits": 2}},
    "cy": {},
}
ROLES: Final = {"gm": Role.MASTER, "ana's": Role.PLAYER, "bo's": Role.PLAYER, "guest": Role.SPECTATOR}


def seated(campaign: Campaign, **plays: list[str]) -> Campaign:
    for seat, role in ROLES.items():
        sits = {"id": seat, "name": seat, "role": role.value, "controls": plays.get(seat.partition("'")[0], [])}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    return campaign


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def table(now: list[float]) -> Campaign:
    campaign = Campaign(ALIEN, ALIEN.state(CREW), SeededDice(b"crew"), clock=lambda: now[0])
    return seated(campaign, ana=["ana"], bo=["bo"])


def at(table: Campaign, seat: str) -> Desk:
    return Desk(table, seat)


def asked(table: Campaign, seat: str) -> list[str]:
    return [each["key"] for each in at(table, seat).view()["questions"]]


def last(table: Campaign, seat: str) -> dict[str, Plain]:
    return at(table, seat).feed.items[-1]


def rolling(table: Campaign, who: str = "ana", **throws: str) -> None:
    """A skill roll, with throws handled in some way."""
    master_desk.settings(at(table, "gm"), {"throws": throws})
    at(table, f"{who}'s").act("skill-roll", who, {"skill": "Comtech"})


# --- who may do what --------------------------------------------------------------------------------------------------

COMMANDS: Final[dict[str, tuple[str, Callable[[Desk], object]]]] = {
    "act as ana": ("gm ana's", lambda desk: desk.act("skill-roll", "ana", {"skill": "Comtech"})),
    "act as nobody's": ("gm", lambda desk: desk.act("skill-roll", "cy", {"skill": "Comtech"})),
    "the master's action": ("gm", lambda desk: desk.act("pass-time", None, {"amount": 1, "unit": "Round"})),
    "see ana's actions": ("gm ana's", lambda desk: desk.actions("ana")),
    "see the master's actions": ("gm", lambda desk: desk.actions(None)),
    "odds of ana's": ("gm ana's", lambda desk: desk.odds("skill-roll", "ana", {"skill": "Comtech"})),
    "roll": ("gm ana's bo's", lambda desk: desk.roll("3d6", "1d20")),
    "roll in secret": ("gm", lambda desk: desk.roll("3d6", hidden=True)),
    "leave an answer": ("gm ana's bo's", lambda desk: desk.standing("push", "no")),
    "speak": ("gm ana's bo's guest", lambda desk: desk.note("hello")),
    "whisper": ("gm ana's bo's guest", lambda desk: desk.note("psst", to=["gm"])),
    "stop": ("gm ana's bo's guest", Desk.stop),
    "look": ("gm ana's bo's guest", Desk.view),
    "go on": ("gm ana's bo's", Desk.resume),
    "edit": ("gm", lambda desk: master_desk.edit(desk, "ana", {"stress": 3})),
    "bring": ("gm", lambda desk: master_desk.edit(desk, "dee", {"kind": "Colonist"})),
    "remove": ("gm", lambda desk: master_desk.remove(desk, "cy")),
    "hide": ("gm", lambda desk: master_desk.hide(desk, "cy")),
    "house rules": (
        "gm",
        lambda desk: master_desk.house_rules(desk, {"set": {"alien.push.procedure": {"stress_gain": 2}}}),
    ),
    "settings": ("gm", lambda desk: master_desk.settings(desk, {"turns": False})),
    "rename oneself": ("gm ana's bo's guest", lambda desk: seat_desk.change_seat(desk, desk.member.id, name="Me")),
    "take real dice": ("gm ana's bo's guest", lambda desk: seat_desk.change_seat(desk, desk.member.id, real_dice=True)),
    "rename another": (
        "gm",
        lambda desk: seat_desk.change_seat(desk, "bo's" if desk.member.id != "bo's" else "gm", name="You"),
    ),
    "give a role": ("gm", lambda desk: seat_desk.change_seat(desk, "guest", role="player")),
    "give a character": (
        "gm",
        lambda desk: seat_desk.change_seat(
            desk, "ana's" if desk.member.id != "ana's" else "bo's", controls=["ana", "cy"]
        ),
    ),
    "leave": ("ana's bo's guest", lambda desk: seat_desk.dismiss(desk, desk.member.id)),
    "send away": ("gm", lambda desk: seat_desk.dismiss(desk, "guest" if desk.member.id != "guest" else "bo's")),
}


@pytest.mark.parametrize("seat", ROLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_who_may_do_what(table: Campaign, seat: str, command: str) -> None:
    may, do = COMMANDS[command]
    before = table.count
    if seat in may.split():
        do(at(table, seat))
        return
    with pytest.raises(Refused) as told:
        do(at(table, seat))
    assert isinstance(told.value, NotAllowed) or "a table needs a game master" in told.value.because
    assert told.value.rule == "referee.table.seats"
    assert table.count == before


@pytest.mark.parametrize(("seat", "may"), [("gm", True), ("ana's", True), ("bo's", False), ("guest", False)])
def test_a_question_is_answered_by_who_is_asked_or_by_the_game_master(table: Campaign, seat: str, may: bool) -> None:
    rolling(table)
    assert (asked(table, seat) == ["ana.push"]) is may
    assert at(table, "guest").view()["waiting_for"] == ["ana"]
    if may:
        at(table, seat).answer("ana.push", "no")
        assert asked(table, seat) == []
    else:
        with pytest.raises(BadInput, match="you have no open question"):
            at(table, seat).answer("ana.push", "no")


@pytest.mark.parametrize("seat", ["ana's", "bo's", "guest"])
def test_only_the_game_master_cancels_a_step(table: Campaign, seat: str) -> None:
    rolling(table)
    with pytest.raises(NotAllowed, match="only the game master may do this"):
        master_desk.cancel(at(table, seat), "ana.push")
    master_desk.cancel(at(table, "gm"), "ana.push")
    assert asked(table, "gm") == []


@pytest.mark.parametrize(
    ("do", "complaint"),
    [
        (lambda desk: desk.act("fly", "ana"), "action: 'fly' is not known"),
        (lambda desk: desk.act("skill-roll"), "who: say who acts"),
        (lambda desk: desk.act("skill-roll", "ana"), "skill: is missing"),
        (lambda desk: desk.act("skill-roll", "ana", {"skil": "Comtech"}), "skil: 'skil' is not known"),
        (lambda desk: desk.act("skill-roll", "ana", {"skill": 3}), "skill: must be text, not 3"),
        (lambda desk: desk.act("skill-roll", "ana", {"skill": "Magic"}), "Magic"),
        (lambda desk: desk.act("skill-roll", "ana", {"skill": "Comtech", "helpers": ["zed"]}), "helpers: 'zed' is not"),
        (lambda desk: desk.actions("zed"), "act: you do not play zed"),
        (lambda desk: desk.answer("ana.push", "no"), "question: you have no open question"),
        (lambda desk: desk.roll(), "dice: must be 1 to 100 dice"),
        (lambda desk: desk.roll("6d"), "dice: must be dice such as 3d6"),
        (lambda desk: desk.roll("99d6", "99d6"), "dice: must be 1 to 100 dice"),
        (lambda desk: desk.roll("1d1001"), "dice: must have 1 to 1000 sides, not 1001"),
        (lambda desk: desk.note(" "), "text: must be 1 to 10000 characters"),
        (lambda desk: desk.note("a" * (LONGEST_NOTE + 1)), "text: must be 1 to 10000 characters"),
        (lambda desk: desk.note("a", to=["zed"]), "seat: 'zed' is not known"),
        (lambda desk: undo_desk.undo(desk, 99), "item: your log has no such item"),
        (lambda desk: undo_desk.would_undo(desk, -1), "item: your log has no such item"),
        (lambda desk: undo_desk.undo(desk, 0), "undo: that has been undone already"),
        (undo_desk.redo, "redo: only the game master may do this"),
        (
            lambda desk: seat_desk.change_seat(desk, "ana's", name=""),
            "name: must be a name of 1 to 60 characters that can be seen",
        ),
        (
            lambda desk: seat_desk.change_seat(desk, "ana's", name="\u3164 \u2800"),
            "name: must be a name of 1 to 60 characters",
        ),
        (lambda desk: seat_desk.change_seat(desk, "ana's", name="\uff27 m"), "name: that is the game master's name"),
        (lambda desk: seat_desk.change_seat(desk, "ana's", real_dice="yes"), "real_dice: must be yes or no, not 'yes'"),
    ],
)
def test_what_a_player_gets_wrong_is_refused_and_leaves_nothing(
    table: Campaign, do: Callable[[Desk], object], complaint: str
) -> None:
    before = table.count
    with pytest.raises((BadInput, Refused)) as told:
        do(at(table, "ana's"))
    assert str(told.value).startswith(complaint)
    assert table.count == before


@pytest.mark.parametrize(
    ("do", "complaint"),
    [
        (lambda desk: master_desk.edit(desk, "zed", {"stress": 1}), "scene: 'zed' is not known; one of"),
        (
            lambda desk: master_desk.edit(desk, "ana", {"stres": 1}),
            "ana.stres: 'stres' is not known; did you mean 'stress'?",
        ),
        (lambda desk: master_desk.edit(desk, "ana", {"stress": -1}), "ana: stress: it is never below 0"),
        (lambda desk: master_desk.edit(desk, "zed", {"kind": "Robot"}), "zed.kind: 'Robot' is not known"),
        (lambda desk: master_desk.remove(desk, "zed"), "scene: 'zed' is not known"),
        (lambda desk: master_desk.remove(desk, "clock"), "clock: every scene needs it"),
        (lambda desk: master_desk.hide(desk, "zed"), "scene: 'zed' is not known"),
        (lambda desk: master_desk.hide(desk, "book"), "scene: 'book' is not known"),
        (lambda desk: master_desk.hide(desk, "ana", hidden=False), "scene: 'ana' is not known; there are none"),
        (
            lambda desk: master_desk.house_rules(desk, {"set": {"alien.push.procedure": {"gain": 2}}}),
            "alien.yaml: alien.push.procedure",
        ),
        (lambda desk: master_desk.cancel(desk, "ana.push"), "question: you have no open question"),
        (lambda desk: master_desk.settings(desk, {"undo": "nobody"}), "undo: 'nobody' is not known"),
        (lambda desk: master_desk.settings(desk, {"colour": "red"}), "colour: 'colour' is not known"),
        (lambda desk: master_desk.settings(desk, {"offer_after": -1}), "offer_after: must be 0 to 86400 seconds"),
        (lambda desk: master_desk.settings(desk, {"throws": {"push": "maybe"}}), "throws.push: 'maybe' is not known"),
        (lambda desk: seat_desk.change_seat(desk, "zed", name="Z"), "seat: 'zed' is not known"),
        (lambda desk: seat_desk.change_seat(desk, "bo's", colour="red"), "colour: 'colour' is not known"),
        (lambda desk: seat_desk.change_seat(desk, "bo's", id="gm"), "id: 'id' is not known"),
        (
            lambda desk: seat_desk.change_seat(desk, "bo's", standing={"push": "yes"}),
            "standing: 'standing' is not known",
        ),
        (lambda desk: seat_desk.change_seat(desk, "bo's", role="king"), "role: 'king' is not known"),
        (
            lambda desk: seat_desk.change_seat(desk, "bo's", controls=["bo", "ana"]),
            "seat: someone else plays that character",
        ),
        (lambda desk: seat_desk.change_seat(desk, "guest", controls=["cy"]), "seat: a spectator plays no character"),
        (lambda desk: seat_desk.change_seat(desk, "ana's", role="spectator"), "seat: a spectator plays no character"),
        (lambda desk: seat_desk.change_seat(desk, "gm", role="player"), "seat: a table needs a game master"),
        (lambda desk: seat_desk.dismiss(desk, "gm"), "seat: a table needs a game master"),
        (lambda desk: seat_desk.dismiss(desk, "zed"), "seat: 'zed' is not known"),
    ],
)
def test_what_the_game_master_gets_wrong_is_refused_and_leaves_nothing(
    table: Campaign, do: Callable[[Desk], object], complaint: str
) -> None:
    before = table.count
    with pytest.raises((BadInput, Refused)) as told:
        do(at(table, "gm"))
    assert str(told.value).startswith(complaint)
    assert table.count == before


# --- undo -------------------------------------------------------------------------------------------------------------


def acted(table: Campaign) -> dict[str, int]:
    """Ana lets time pass by rolling, then Bo; the item of each as everybody counts them."""
    items = {}
    for who in ("ana", "bo"):
        items[who] = at(table, "guest").feed.cursor
        at(table, f"{who}'s").roll("1d6")
    return items


@pytest.mark.parametrize(
    ("setting", "may"),
    [
        ("game master", {"gm": "ana bo", "ana's": "", "bo's": "", "guest": ""}),
        ("own", {"gm": "ana bo", "ana's": "", "bo's": "", "guest": ""}),
        ("anyone", {"gm": "ana bo", "ana's": "ana bo", "bo's": "ana bo", "guest": ""}),
    ],
)
@pytest.mark.parametrize("seat", ROLES)
@pytest.mark.parametrize("whose", ["ana", "bo"])
def test_who_may_undo_is_a_setting(table: Campaign, setting: str, may: dict[str, str], seat: str, whose: str) -> None:
    master_desk.settings(at(table, "gm"), {"undo": setting})
    item = acted(table)[whose]
    desk = at(table, seat)
    if whose in may[seat].split():
        undo_desk.undo(desk, item)
        assert desk.feed.items[-1] == {
            "id": item + (6 if whose == "ana" else 3),
            "kind": "undone",
            "by": seat,
            "to": item,
        }
    else:
        with pytest.raises(Refused):
            undo_desk.undo(desk, item)


def test_the_dice_belong_to_the_decision_before_them(table: Campaign) -> None:
    """Bo could undo what Ana's dice showed, if dice were nobody's."""
    at(table, "ana's").roll("1d6")
    dice = next(item["id"] for item in at(table, "bo's").feed.items if item["kind"] == "answered")
    with pytest.raises(Refused, match="others have made decisions since"):
        undo_desk.undo(at(table, "bo's"), dice)
    with pytest.raises(Refused, match="dice have fallen since"):
        undo_desk.undo(at(table, "ana's"), dice)


def decided(table: Campaign) -> int:
    """Ana rolls without a six, and lets it stand: a decision that no dice follow."""
    rolling(table, skill="leave it")
    at(table, "gm").answer("ana.skill", [[2, 2, 3], [4]])
    item = at(table, "ana's").feed.cursor
    at(table, "ana's").answer("ana.push", "no")
    return item


def test_before_dice_have_fallen_one_takes_back_ones_own_last_step(table: Campaign) -> None:
    item = decided(table)
    assert undo_desk.last_step(at(table, "ana's")) == item
    assert undo_desk.may_undo(at(table, "ana's"), item) is None
    with pytest.raises(Refused, match="others have made decisions since"):
        undo_desk.undo(at(table, "bo's"), item)
    undo_desk.undo(at(table, "ana's"), item)
    assert asked(table, "ana's") == ["ana.push"]


def test_a_throw_nobody_saw_keeps_no_one_from_an_undo(table: Campaign) -> None:
    item = decided(table)
    at(table, "gm").roll("1d6", hidden=True)
    undo_desk.undo(at(table, "ana's"), item)
    assert asked(table, "ana's") == ["ana.push"]


# --- asking for an undo -----------------------------------------------------------------------------------------------


def test_once_dice_have_fallen_one_asks_and_the_game_master_goes_back(table: Campaign) -> None:
    item = acted(table)["ana"]
    ana, gm = at(table, "ana's"), at(table, "gm")
    assert undo_desk.last_step(ana) == item
    undo_desk.ask_undo(ana, item)
    assert undo_desk.undo_requests(ana) == {"ana's": item}
    wanted = undo_desk.undo_requests(gm)["ana's"]
    undo_desk.undo(gm, wanted)
    assert undo_desk.undo_requests(gm) == undo_desk.undo_requests(ana) == {}
    assert ana.feed.items[-1] == {"id": ana.feed.cursor - 1, "kind": "undone", "by": "gm", "to": item}


def test_a_request_for_an_undo_is_between_two(table: Campaign) -> None:
    before = {seat: at(table, seat).feed.cursor for seat in ("bo's", "guest")}
    item = acted(table)["ana"]
    undo_desk.ask_undo(at(table, "ana's"), item)
    told = {seat: [each for each in at(table, seat).feed.items if each.get("about") == "undo-asked"] for seat in ROLES}
    assert told["bo's"] == told["guest"] == []
    assert [(each["seat"], each["item"]) for each in told["ana's"]] == [("ana's", item)]
    assert [each["seat"] for each in told["gm"]] == ["ana's"]
    assert undo_desk.undo_requests(at(table, "bo's")) == {}
    assert all(at(table, seat).feed.cursor > count for seat, count in before.items())


def test_a_request_for_an_undo_is_declined_or_taken_back(table: Campaign) -> None:
    item = acted(table)["ana"]
    for seat in ("gm", "ana's"):
        undo_desk.ask_undo(at(table, "ana's"), item)
        with pytest.raises(NotAllowed, match="only the game master may do this"):
            undo_desk.decline_undo(at(table, "bo's"), "ana's")
        undo_desk.decline_undo(at(table, seat), "ana's")
        assert undo_desk.undo_requests(at(table, "gm")) == {}
    count = table.count
    undo_desk.decline_undo(at(table, "gm"), "ana's")  # there is none any more
    assert table.count == count


def test_a_request_lapses_with_what_it_is_about(table: Campaign) -> None:
    items = acted(table)
    undo_desk.ask_undo(at(table, "bo's"), items["bo"])
    undo_desk.ask_undo(at(table, "ana's"), items["ana"])
    undo_desk.undo(at(table, "gm"), undo_desk.undo_requests(at(table, "gm"))["bo's"])
    assert undo_desk.undo_requests(at(table, "gm")).keys() == {"ana's"}


def test_who_watches_asks_for_nothing(table: Campaign) -> None:
    item = acted(table)["ana"]
    for seat in ("guest", "gm"):
        with pytest.raises(NotAllowed, match="only the player may do this"):
            undo_desk.ask_undo(at(table, seat), item)
    with pytest.raises(BadInput, match="your log has no such item"):
        undo_desk.ask_undo(at(table, "ana's"), 999)


def test_what_would_go_is_listed_first(table: Campaign) -> None:
    item = acted(table)["ana"]
    gone = undo_desk.would_undo(at(table, "guest"), item)
    assert [each["kind"] for each in gone] == ["began", "answered", "happened"] * 2
    assert [each["id"] for each in gone] == list(range(item, item + 6))


def test_an_undo_across_an_open_step_opens_what_was_answered(table: Campaign) -> None:
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    rolling(table)
    push = at(table, "ana's").feed.cursor
    at(table, "ana's").answer("ana.push", "yes")
    stress: Any = at(table, "ana's").view()["scene"]["ana"]["stress"]
    assert stress >= 2
    at(table, "bo's").note("careful")
    master_desk.edit(at(table, "gm"), "bo", {"stress": 4})
    undo_desk.undo(at(table, "bo's"), push)
    view = at(table, "ana's").view()
    assert (view["scene"]["ana"]["stress"], view["scene"]["bo"]["stress"]) == (1, 0)
    assert asked(table, "ana's") == ["ana.push"]
    assert "careful" in [item.get("text") for item in at(table, "bo's").feed.items]
    undo_desk.redo(at(table, "gm"))
    view = at(table, "ana's").view()
    assert (view["scene"]["ana"]["stress"], view["scene"]["bo"]["stress"]) == (stress, 4)


def test_after_an_undo_dice_wait_until_somebody_goes_on_so_that_it_can_be_taken_back(table: Campaign) -> None:
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    at(table, "ana's").roll("1d6")
    dice = next(item for item in at(table, "ana's").feed.items if item["kind"] == "answered")
    undo_desk.undo(at(table, "ana's"), dice["id"])
    assert table.journal.asking
    assert asked(table, "ana's") == []  # it is not hers to say how they fall
    assert at(table, "guest").view()["waiting_for"] == ["game master"]
    undo_desk.redo(at(table, "gm"))
    assert not table.journal.asking
    undo_desk.undo(at(table, "ana's"), dice["id"])
    at(table, "ana's").resume()
    again = [item for item in at(table, "ana's").feed.items if item["kind"] == "answered"]
    assert [line.thrown for line in table.journal.lines if line.thrown] == [1, 2]
    assert len(again) == 2
    assert not table.journal.asking


def test_a_redo_is_for_the_game_master(table: Campaign) -> None:
    """Whether it can still be taken back depends on what others may not know of."""
    item = acted(table)["bo"]
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    undo_desk.undo(at(table, "bo's"), item)
    for seat in ("bo's", "ana's", "guest"):
        with pytest.raises(NotAllowed, match="only the game master may do this"):
            undo_desk.redo(at(table, seat))
    undo_desk.redo(at(table, "gm"))
    with pytest.raises(BadInput, match="nothing was undone just now"):
        undo_desk.redo(at(table, "gm"))


def test_a_redo_is_refused_once_something_has_happened(table: Campaign) -> None:
    undo_desk.undo(at(table, "gm"), acted(table)["bo"])
    at(table, "ana's").roll("1d6")
    with pytest.raises(BadInput, match="nothing was undone just now"):
        undo_desk.redo(at(table, "gm"))


def test_what_nobody_else_was_told_of_is_in_nobodys_way_and_stays(table: Campaign) -> None:
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist"})
    master_desk.hide(at(table, "gm"), "dee")
    item = decided(table)
    master_desk.edit(at(table, "gm"), "dee", {"stress": 5})
    master_desk.add(at(table, "gm"), "eve", {"kind": "Colonist", "stress": 2}, hidden=True)
    undo_desk.undo(at(table, "ana's"), item)
    scene = at(table, "gm").view()["scene"]
    assert (scene["dee"]["stress"], scene["eve"]["stress"]) == (5, 2)
    assert "eve" not in at(table, "bo's").view()["scene"]
    told = last(table, "gm")
    assert told["kind"] == "undone"
    assert [at(table, "gm").feed.items[each]["kind"] for each in told["but"]] == ["edited"] * len(told["but"])
    assert "but" not in last(table, "bo's")
    undo_desk.redo(at(table, "gm"))
    assert at(table, "gm").view()["scene"]["dee"]["stress"] == 5


def test_the_game_masters_undo_takes_hidden_edits_too(table: Campaign) -> None:
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist"})
    master_desk.hide(at(table, "gm"), "dee")
    acted(table)
    item = next(each["id"] for each in reversed(at(table, "gm").feed.items) if each["kind"] == "began")
    master_desk.edit(at(table, "gm"), "dee", {"stress": 5})
    undo_desk.undo(at(table, "gm"), item)
    assert at(table, "gm").view()["scene"]["dee"]["stress"] == 0


def test_a_hidden_edit_goes_if_it_would_come_to_light(table: Campaign) -> None:
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist"})
    item = at(table, "bo's").feed.cursor
    master_desk.hide(at(table, "gm"), "dee")
    master_desk.edit(at(table, "gm"), "dee", {"stress": 5})
    undo_desk.undo(at(table, "bo's"), item)
    assert at(table, "bo's").view()["scene"]["dee"]["stress"] == 0


def test_a_hidden_edit_goes_with_what_it_was_made_to(table: Campaign) -> None:
    """The one it was about came into the scene with what is undone."""
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    item = at(table, "bo's").feed.cursor
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist"})
    master_desk.hide(at(table, "gm"), "dee")
    master_desk.edit(at(table, "gm"), "dee", {"stress": 5})
    undo_desk.undo(at(table, "bo's"), item)
    assert "dee" not in at(table, "gm").view()["scene"]


def test_a_hidden_step_that_is_over_stays(table: Campaign) -> None:
    master_desk.settings(at(table, "gm"), {"undo": "anyone"})
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist", "stress": 3})
    master_desk.hide(at(table, "gm"), "dee")
    item = acted(table)["bo"]
    at(table, "gm").roll("3d6", hidden=True)
    thrown = [line.answer for line in table.journal.lines if isinstance(line, AnswerLine)]
    undo_desk.undo(at(table, "bo's"), item)
    kept = [line.answer for _, line in table.journal.story if isinstance(line, AnswerLine)]
    assert thrown[-1] in kept
    assert table.journal.asking == ()


# --- throws -----------------------------------------------------------------------------------------------------------


def test_a_throw_the_table_makes_is_never_asked(table: Campaign) -> None:
    at(table, "ana's").roll("2d6")
    assert [item["kind"] for item in at(table, "ana's").feed.items[-3:]] == ["began", "answered", "happened"]


def test_a_throw_that_is_left_is_typed_in_by_who_plays_them(table: Campaign) -> None:
    rolling(table, skill="leave it")
    assert asked(table, "ana's") == asked(table, "gm") == ["ana.skill"]
    assert asked(table, "bo's") == []
    with pytest.raises(BadAnswer):
        at(table, "ana's").answer("ana.skill", [[7, 1, 1], [1]])
    at(table, "ana's").answer("ana.skill", [[6, 1, 1], [2]])
    answered = next(item for item in at(table, "bo's").feed.items if item["kind"] == "answered")
    assert (answered["by"], answered["answer"]) == ("ana's", [[6, 1, 1], [2]])
    assert "overruled" not in answered


@pytest.mark.parametrize("given", [None, [[6, 6, 6], [6]]])
def test_a_throw_that_is_asked_about_is_held_and_only_the_game_master_sees_it(table: Campaign, given: Plain) -> None:
    rolling(table, **{"*": "ask"})
    assert asked(table, "ana's") == []
    assert at(table, "ana's").view()["waiting_for"] == ["game master"]
    (question,) = at(table, "gm").view()["questions"]
    held = question["held"]
    last = table.journal.line(table.count - 1)
    assert isinstance(last, AnswerLine)
    assert held == last.answer
    assert str(held) not in str([at(table, seat).feed.items for seat in ("ana's", "bo's", "guest")])
    at(table, "gm").answer("ana.skill", given)
    told = next(item for item in at(table, "ana's").feed.items if item["kind"] == "answered")
    assert told["answer"] == (given or held)
    assert told.get("overruled", False) is (given is not None)
    assert "instead_of" not in told
    masters = next(item for item in at(table, "gm").feed.items if item["kind"] == "answered")
    assert masters.get("instead_of") == (held if given else None)


def test_who_says_what_had_fallen_anyway_has_overruled_it_too(table: Campaign) -> None:
    """Otherwise the mark would tell that something else had fallen."""
    rolling(table, **{"*": "ask"})
    (question,) = at(table, "gm").view()["questions"]
    at(table, "gm").answer("ana.skill", question["held"])
    assert next(item for item in at(table, "ana's").feed.items if item["kind"] == "answered")["overruled"] is True


def test_handling_goes_by_the_name_of_a_throw_and_else_by_the_rule_for_all(table: Campaign) -> None:
    rolling(table, **{"*": "leave it", "skill": "do it"})
    assert asked(table, "ana's") == ["ana.push"]
    at(table, "ana's").answer("ana.push", "yes")
    assert [each["prompt"] for each in at(table, "ana's").view()["questions"]] == ["push"]
    assert at(table, "ana's").view()["questions"][0]["dice"]


def test_a_throw_that_waits_falls_when_the_table_is_set_to_make_it(table: Campaign) -> None:
    rolling(table, skill="leave it")
    master_desk.settings(at(table, "gm"), {"throws": {}})
    assert asked(table, "ana's") == ["ana.push"]


def test_calling_a_step_off_changes_everything_back(table: Campaign) -> None:
    before = at(table, "gm").view()["scene"]
    master_desk.edit(at(table, "gm"), "combat", {"kind": "Combat"})
    rolling(table, push="leave it")
    at(table, "bo's").note("wait")
    at(table, "ana's").answer("ana.push", "yes")
    assert at(table, "gm").view()["scene"]["ana"]["stress"] == 2
    master_desk.edit(at(table, "gm"), "bo", {"stress": 2})
    master_desk.cancel(at(table, "gm"), "ana.push")
    scene = at(table, "gm").view()["scene"]
    assert scene["ana"] == before["ana"]
    assert scene["bo"]["stress"] == 2
    assert last(table, "guest")["kind"] == "cancelled"
    assert not table.journal.asking


def test_real_dice_are_a_seats_own_and_remembered_through_a_push(table: Campaign) -> None:
    """Typed first roll, typed push, and the response it triggers; Bo's dice are the table's."""
    seat_desk.change_seat(at(table, "ana's"), "ana's", real_dice=True)
    at(table, "ana's").act("skill-roll", "ana", {"skill": "Comtech"})
    at(table, "ana's").answer("ana.skill", [[2, 3, 4], [5]])
    at(table, "ana's").answer("ana.push", "yes")
    (question,) = at(table, "ana's").view()["questions"]
    assert (question["key"], question["dice"]) == ("ana.push", {"base": 3, "stress": 2})
    at(table, "ana's").answer("ana.push", [[6, 1, 2], [1, 3]])
    assert asked(table, "ana's") == ["ana.response"]
    at(table, "ana's").answer("ana.response", [[1]])
    throws = [line.answer for line in table.journal.lines if isinstance(line, AnswerLine) and line.throw]
    assert throws == [[[2, 3, 4], [5]], [[6, 1, 2], [1, 3]], [[1]]]
    assert at(table, "gm").view()["scene"]["ana"]["stress"] == 2
    at(table, "bo's").act("skill-roll", "bo", {"skill": "Comtech"})
    assert table.journal.lines[-1].by == "dice"


def test_a_throw_one_may_not_see_is_not_ones_own_to_make() -> None:
    table = seated(Campaign(DISTEMPER, DISTEMPER.state({"al": {}, "bo": {}}), SeededDice(b"gut")), ana=["al"])
    seat_desk.change_seat(at(table, "ana's"), "ana's", real_dice=True)
    at(table, "gm").act("gut-instinct", "al", {"using": "Acumen", "hidden": True})
    while asked(table, "ana's"):
        at(table, "ana's").answer(asked(table, "ana's")[0], "no")
    assert "check" not in str([item for item in at(table, "ana's").feed.items if item["kind"] == "answered"])
    assert any(line.by == "dice" for line in table.journal.lines)


# --- standing answers -------------------------------------------------------------------------------------------------


def test_an_answer_that_stands_is_given_whenever_it_is_asked_for(table: Campaign) -> None:
    at(table, "ana's").standing("push", "no")
    rolling(table)
    assert not table.journal.asking
    (given,) = [item for item in at(table, "bo's").feed.items if item.get("prompt") == "push"]
    assert (given["by"], given["answer"]) == ("ana's", "no")
    assert "standing" not in str(at(table, "bo's").feed.items)
    at(table, "ana's").standing("push", None)
    assert at(table, "ana's").view()["you"]["standing"] == {}
    rolling(table)
    assert asked(table, "ana's") == ["ana.push"]


def test_an_answer_that_is_left_while_the_question_is_open_is_given_at_once(table: Campaign) -> None:
    rolling(table)
    at(table, "bo's").standing("push", "yes")
    assert asked(table, "ana's") == ["ana.push"]  # it is not bo's question
    at(table, "ana's").standing("push", "no")
    assert not table.journal.asking


def asked_again(table: Campaign, by: str) -> None:
    """Ana was asked whether to push, and declined; that was undone."""
    rolling(table)
    at(table, "ana's").answer("ana.push", "no")
    undo_desk.undo(at(table, by), undo_desk.last_step(at(table, by)) or 0)
    assert asked(table, "ana's") == ["ana.push"]


def test_an_answer_that_is_left_after_an_undo_is_given_at_once(table: Campaign) -> None:
    asked_again(table, "gm")
    at(table, "ana's").standing("push", "no")
    assert not table.journal.asking
    assert not table.is_halted


def test_an_answer_left_after_an_undo_by_somebody_else_answers_nothing(table: Campaign) -> None:
    asked_again(table, "gm")
    at(table, "bo's").standing("push", "no")
    at(table, "gm").standing("push", "no")  # Ana's are her own
    assert asked(table, "ana's") == ["ana.push"]


def test_taking_an_answer_back_after_an_undo_answers_nothing(table: Campaign) -> None:
    asked_again(table, "gm")
    at(table, "ana's").standing("push", None)
    at(table, "ana's").standing("push", "perhaps")  # which is no legal answer
    assert asked(table, "ana's") == ["ana.push"]


def test_whoever_may_undo_and_was_told_of_it_may_let_play_go_on(table: Campaign) -> None:
    asked_again(table, "gm")
    assert [seat for seat in ROLES if at(table, seat).may_resume] == ["gm", "ana's", "bo's"]
    master_desk.settings(at(table, "gm"), {"undo": "game master"})
    assert [seat for seat in ROLES if at(table, seat).may_resume] == ["gm"]
    at(table, "gm").resume()
    assert not at(table, "gm").may_resume


def test_whoever_was_not_told_of_an_undo_is_not_told_that_play_waits(table: Campaign) -> None:
    at(table, "gm").roll("1d6", hidden=True)
    undo_desk.undo(at(table, "gm"), undo_desk.last_step(at(table, "gm")) or 0)
    assert [seat for seat in ROLES if at(table, seat).may_resume] == ["gm"]


def test_an_answer_that_stands_and_is_not_legal_is_not_given(table: Campaign) -> None:
    at(table, "ana's").standing("push", "perhaps")
    rolling(table)
    assert asked(table, "ana's") == ["ana.push"]
    at(table, "ana's").standing("push", {"nonsense": [1]})
    assert asked(table, "ana's") == ["ana.push"]
    at(table, "ana's").answer("ana.push", "no")


def test_two_answers_left_by_one_desk_both_stand(table: Campaign) -> None:
    desk = at(table, "ana's")
    desk.standing("push", "no")
    desk.standing("dodge", "yes")
    assert desk.member.standing == {"push": "no", "dodge": "yes"}


def test_a_standing_answer_that_gets_its_step_refused_does_no_harm(systems: None) -> None:
    """Both show heads by standing answers; who cannot pay has the whole step refused, and play goes on."""
    coin = registry.load("coin")
    table = seated(
        Campaign(coin, coin.state({"ana": {"purse": 0}, "bo": {}}), SeededDice(b"coin")), ana=["ana"], bo=["bo"]
    )
    for seat in ("ana's", "bo's"):
        at(table, seat).standing("show", "heads")
    at(table, "bo's").act("bluff", "bo", {"against": "ana"})
    assert table.journal.asking == ()
    (refused,) = [item for line in table.journal.lines for item in line.then if isinstance(item, StepRefused)]
    assert refused.refused.startswith("bluff: ana cannot pay")
    assert at(table, "gm").view()["scene"]["bo"]["purse"] == 3


# --- stop, hiding, seats ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ROLES)
def test_anybody_may_call_a_stop_and_the_game_master_goes_on(table: Campaign, seat: str) -> None:
    rolling(table)
    at(table, seat).stop()
    at(table, seat).stop()
    assert last(table, "guest")["about"] == "stopped"
    doing: tuple[tuple[str, Callable[[Desk], None]], ...] = (
        ("ana's", lambda desk: desk.answer("ana.push", "no")),
        ("bo's", lambda desk: desk.act("skill-roll", "bo", {"skill": "Comtech"})),
        ("gm", lambda desk: desk.roll("1d6")),
    )
    for player, do in doing:
        with pytest.raises(Refused, match="play is stopped"):
            do(at(table, player))
    for player in ("ana's", "guest"):
        with pytest.raises(NotAllowed):
            at(table, player).resume()
    master_desk.edit(at(table, "gm"), "ana", {"stress": 0})
    at(table, "gm").resume()
    at(table, "ana's").answer("ana.push", "no")


def test_what_is_hidden_is_gone_to_the_others_and_appears_again(table: Campaign) -> None:
    master_desk.hide(at(table, "gm"), "cy")
    assert "cy" not in at(table, "ana's").view()["scene"]
    assert "cy" in at(table, "gm").view()["scene"]
    assert last(table, "ana's")["then"] == [{"gone": "cy", "rules": ["referee.table.edit"]}]
    told = at(table, "ana's").feed.cursor
    master_desk.edit(at(table, "gm"), "cy", {"stress": 3})
    at(table, "gm").act("skill-roll", "cy", {"skill": "Comtech"})
    while asked(table, "gm"):
        at(table, "gm").answer(asked(table, "gm")[0], "no")
    assert at(table, "ana's").feed.cursor == told
    with pytest.raises(BadInput, match="helpers: 'cy' is not known"):
        at(table, "ana's").act("skill-roll", "ana", {"skill": "Comtech", "helpers": ["cy"]})
    master_desk.hide(at(table, "gm"), "cy", hidden=False)
    assert last(table, "ana's")["then"][0]["new"]["stress"] >= 3
    assert at(table, "ana's").view()["scene"]["cy"]["stress"] >= 3


def test_who_plays_somebody_in_hiding_is_told_to_nobody(table: Campaign) -> None:
    master_desk.hide(at(table, "gm"), "cy")
    seat_desk.change_seat(at(table, "gm"), "gm", controls=["cy"])
    assert "cy" not in str(at(table, "ana's").view())
    assert "cy" not in str([item for item in at(table, "ana's").feed.items if item["kind"] == "said"])
    assert "cy" in str(at(table, "gm").view()["seats"])


def test_house_rules_change_what_is_legal() -> None:
    rolled: list[int] = []
    for gain in (1, 3):
        table = seated(Campaign(ALIEN, ALIEN.state(CREW), SeededDice(b"crew")), ana=["ana"])
        master_desk.house_rules(at(table, "gm"), {"set": {"alien.push.restrictions": {"pushes_per_roll": gain}}})
        seat_desk.change_seat(at(table, "ana's"), "ana's", real_dice=True)
        at(table, "ana's").act("skill-roll", "ana", {"skill": "Comtech"})
        at(table, "ana's").answer("ana.skill", [[2, 2, 2], [2]])
        pushes = 0
        while asked(table, "ana's") == ["ana.push"]:
            (question,) = at(table, "ana's").view()["questions"]
            dice = question.get("dice")
            pushes += dice is None
            answer = "yes" if dice is None else [[2] * count for count in dice.values()]
            at(table, "ana's").answer("ana.push", answer)
        rolled.append(pushes)
    assert rolled == [1, 3]


def test_a_seat_that_is_taken_away_while_it_is_asked_leaves_its_question_to_the_game_master(
    table: Campaign, now: list[float]
) -> None:
    rolling(table)
    desk = at(table, "ana's")
    seat_desk.dismiss(at(table, "gm"), "ana's")
    for do in (desk.view, desk.stop, lambda: desk.answer("ana.push", "no"), lambda: Desk(table, "ana's")):
        with pytest.raises(NotSeated, match="it is not at this table any more"):
            do()
    now[0] = 1000.0
    (question,) = at(table, "gm").view()["questions"]
    assert question["offered"] is False  # it is nobody else's
    at(table, "gm").answer("ana.push", "no")
    seat_desk.change_seat(at(table, "gm"), "bo's", controls=["ana", "bo"])
    rolling(table, "bo")
    assert asked(table, "bo's") in (["bo.push"], [])


def test_nobody_is_played_twice(table: Campaign) -> None:
    with pytest.raises(Refused, match="someone else plays that character"):
        new_seat(table, "gm", "Dee", Role.PLAYER, frozenset({"ana"}))
    with pytest.raises(Refused, match="a spectator plays no character"):
        new_seat(table, "gm", "Dee", Role.SPECTATOR, frozenset({"cy"}))
    seat = new_seat(table, "gm", "Dee", Role.PLAYER, frozenset({"cy"}))
    assert table.member(seat).controls == {"cy"}


def test_a_table_has_only_so_many_seats(table: Campaign) -> None:
    for number in range(MOST_SEATS - len(table.members)):
        new_seat(table, "gm", f"Guest {number}", Role.SPECTATOR)
    with pytest.raises(Refused, match="at most 64 seats"):
        new_seat(table, "gm", "One more", Role.SPECTATOR)


def test_game_mastery_is_handed_over(table: Campaign) -> None:
    at(table, "gm").roll("1d6", hidden=True)
    secret = at(table, "gm").feed.items[-1]
    seat_desk.change_seat(at(table, "gm"), "bo's", role="game master")
    seat_desk.change_seat(at(table, "gm"), "gm", role="player")
    with pytest.raises(NotAllowed):
        master_desk.edit(at(table, "gm"), "ana", {"stress": 3})
    master_desk.edit(at(table, "bo's"), "ana", {"stress": 3})
    at(table, "bo's").roll("1d8", hidden=True)
    assert last(table, "gm") != last(table, "bo's")
    assert secret in at(table, "gm").feed.items  # what was told was told
    assert secret not in at(table, "bo's").feed.items


# --- asking -----------------------------------------------------------------------------------------------------------


def test_a_question_is_offered_to_the_game_master_after_the_set_time(table: Campaign, now: list[float]) -> None:
    master_desk.settings(at(table, "gm"), {"offer_after": 30})
    now[0] = 100.0
    rolling(table)
    now[0] = 129.9
    assert [each["offered"] for each in at(table, "gm").view()["questions"]] == [False]
    now[0] = 130.0
    assert [each["offered"] for each in at(table, "gm").view()["questions"]] == [True]
    assert "offered" not in at(table, "ana's").view()["questions"][0]
    at(table, "bo's").note("still there?")
    assert [each["offered"] for each in at(table, "gm").view()["questions"]] == [True]
    at(table, "ana's").answer("ana.push", "yes")
    rolling(table, "bo", skill="leave it")
    assert not any(each["offered"] for each in at(table, "gm").view()["questions"])


def test_a_held_throw_is_the_game_masters_and_never_offered(table: Campaign, now: list[float]) -> None:
    rolling(table, **{"*": "ask"})
    now[0] = 10_000.0
    assert [each["offered"] for each in at(table, "gm").view()["questions"]] == [False]


def test_odds_are_asked_from_a_seat_as_from_anywhere(table: Campaign) -> None:
    card = at(table, "ana's").odds("skill-roll", "ana", {"skill": "Comtech"})
    assert card.now is not None
    rolling(table)
    assert set(at(table, "ana's").odds_at("ana.push").asked) == {"yes", "no"}
    with pytest.raises(BadInput, match="you have no open question"):
        at(table, "bo's").odds_at("ana.push")


def test_a_default_that_others_may_not_give_is_no_secret() -> None:
    """A check's secret modifier is the game master's to give; where none is given, odds are plain odds."""
    table = seated(Campaign(DISTEMPER, DISTEMPER.state({"al": {"insight": 0}}), SeededDice(b"odds")), ana=["al"])
    card = at(table, "ana's").odds("check", "al", {"using": "Acumen"})
    assert card.now is not None
    assert not card.curve
    for do in (at(table, "ana's").odds, at(table, "ana's").act):
        with pytest.raises(NotAllowed, match="only the game master may do this"):
            do("check", "al", {"using": "Acumen", "secret": 3})
    at(table, "gm").act("check", "al", {"using": "Acumen", "secret": 3})
    assert "secret" not in str(at(table, "ana's").feed.items)


def test_what_somebody_writes_down_is_their_own_and_the_game_masters(table: Campaign) -> None:
    at(table, "ana's").write_down("bo", "owes me a lamp")
    at(table, "ana's").write_down("ana", "tired")
    assert at(table, "ana's").view()["you"]["notes"] == {"bo": "owes me a lamp", "ana": "tired"}
    assert at(table, "bo's").view()["you"]["notes"] == {}
    assert "lamp" not in str(at(table, "bo's").feed.items)
    assert "lamp" in str(at(table, "gm").feed.items)
    at(table, "ana's").write_down("bo", " ")
    assert at(table, "ana's").view()["you"]["notes"] == {"ana": "tired"}
    seat_desk.change_seat(at(table, "gm"), "ana's", role="player", controls=["ana"])
    assert at(table, "ana's").view()["you"]["notes"] == {"ana": "tired"}


def test_a_note_costs_its_own_length_and_one_that_did_not_change_nothing(table: Campaign) -> None:
    at(table, "ana's").write_down("bo", "b" * 5_000)
    before = len(table.journal.lines)
    at(table, "ana's").write_down("ana", "tired")
    at(table, "ana's").write_down("ana", " tired ")
    written = table.journal.lines[before:]
    assert len(written) == 1
    assert "bbb" not in str(written[0].to_plain())
    assert at(table, "ana's").view()["you"]["notes"] == {"bo": "b" * 5_000, "ana": "tired"}


def test_notes_are_about_those_one_knows_and_not_without_end(table: Campaign) -> None:
    master_desk.edit(at(table, "gm"), "dee", {"kind": "Colonist"})
    master_desk.hide(at(table, "gm"), "dee")
    for desk, about, text, says in (
        ("ana's", "dee", "secret?", "who: 'dee' is not known"),
        ("ana's", "bo", "a" * 10_001, "text: must be at most 10000 characters"),
        ("guest", "bo", "hm", "notes: only the game master or player may do this"),
    ):
        with pytest.raises((BadInput, NotAllowed), match=says):
            at(table, desk).write_down(about, text)


def test_the_log_has_names_as_they_are_spelled(table: Campaign) -> None:
    at(table, "ana's").act("skill-roll", "ana", {"skill": "comtech"})
    began = next(line for line in table.journal.lines if isinstance(line, StepBegan))
    assert began.arguments == {"who": "ana", "skill": "Comtech"}  # read again without a scene
