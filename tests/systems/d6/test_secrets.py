"""What players are told of hidden difficulties and hidden rolls: of the one their total, of the other nothing."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from referee.core.plain import Plain
from referee.journal.lines import SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.systems.d6 import SYSTEM
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.members import Member, NotAllowed, Role

SECRETS: Final[dict[str, Plain]] = {"book": {"kind": "Book", "options": {"d6.merits.secret": True}}}
ANA: Final[dict[str, Plain]] = {
    "attributes": {"Perception": "3D", "Technical": "3D"},
    "merits": [{"name": "Danger sense"}],
}


def table(**sheets: Plain) -> Campaign:
    campaign = Campaign(SYSTEM, SYSTEM.state({"ana": ANA, "bo": {"player": False}, **sheets}), SeededDice(b"hidden"))
    for seat, role, controls in (("gm", Role.MASTER, []), ("ana's", Role.PLAYER, ["ana"])):
        sits = {"id": seat, "name": seat, "role": role.value, "controls": controls}
        campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
    campaign.advance()
    return campaign


def told(campaign: Campaign, seat: str = "ana's") -> list[dict[str, Any]]:
    """What a seat is told after it sat down."""
    return [each for each in Desk(campaign, seat).feed.items if each["kind"] != "said"]


def seen_after(action: str, arguments: dict[str, Plain], who: str | None = "ana") -> str:
    campaign = table()
    Desk(campaign, "gm").act(action, who, arguments)
    return json.dumps(told(campaign))


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("roll", {"using": "Search", "hidden_difficulty": 12}),
        ("task", {"using": "Traps", "hidden_difficulty": 12}),
        ("roll-code", {"code": "3D", "hidden_difficulty": 12}),
        ("graded-roll", {"using": "Search", "grades": [{"name": "the trapdoor", "difficulty": 12}]}),
    ],
)
def test_with_a_hidden_difficulty_the_player_is_told_the_total_and_nothing_else(
    action: str, arguments: dict[str, Plain]
) -> None:
    seen = seen_after(action, arguments)
    assert "announces-total" in seen
    assert '"total": ' in seen
    for secret in ("success", "margin", "12", "trapdoor", "found"):
        assert secret not in seen, secret


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("roll", {"using": "Search", "hidden": True}),
        ("roll", {"using": "Search", "hidden_difficulty": 12, "hidden": True}),
        ("graded-roll", {"using": "Search", "grades": [{"name": "the trapdoor", "difficulty": 12}], "hidden": True}),
        ("resist", {"trait": "Danger sense", "difficulty": 12}),
    ],
)
def test_a_hidden_roll_is_not_even_announced(action: str, arguments: dict[str, Plain]) -> None:
    campaign = table()
    before = told(campaign)
    Desk(campaign, "gm").act(action, "ana", arguments)
    assert told(campaign) == before
    assert not Desk(campaign, "ana's").view()["questions"]


def test_a_hidden_task_takes_time_and_says_no_more() -> None:
    seen = seen_after("task", {"using": "Traps", "hidden": True, "base_time": 1, "unit": "minute"})
    assert '"now": 10' in seen
    for secret in ("Traps", "announces", "success"):
        assert secret not in seen, secret


def test_only_the_game_master_hides_a_roll() -> None:
    with pytest.raises(NotAllowed, match="only the game master"):
        Desk(table(), "ana's").act("roll", "ana", {"using": "Search", "hidden": True})


def test_that_a_secret_is_given_is_one() -> None:
    campaign = table(**SECRETS)
    gift: dict[str, Plain] = {"hero": "ana", "flaws": [{"name": "Age old"}], "merits": [{"name": "Voice"}]}
    Desk(campaign, "gm").act("give-secret", None, gift)
    assert "Voice" in json.dumps(told(campaign, "gm"))
    for secret in ("Voice", "Age old", "d6.merits.secret"):
        assert secret not in json.dumps(told(campaign)), secret


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("roll", {"using": "Search", "difficulty": 15}),
        ("quality-roll", {"using": "Search"}),
        ("roll-code", {"code": "3D"}),
        ("perception-roll", {"difficulty": 15}),
        ("opposed-roll", {"using": "Search", "other": "cy", "against": "Hide"}),
        ("several-actions", {"planned": [{"using": "Search"}, {"using": "Hide"}], "in_this_order": True}),
    ],
)
def test_that_the_game_masters_people_roll_is_secret_where_their_rolls_are(
    action: str, arguments: dict[str, Plain]
) -> None:
    campaign, openly = (
        table(cy={"player": False}, book={"kind": "Book", "options": {"d6.intro.roll-visibility": visibility}})
        for visibility in ("secret", "open")
    )
    before = told(campaign)
    for each in (campaign, openly):
        Desk(each, "gm").act(action, "bo", arguments)
    assert told(campaign) == before
    assert len(told(openly)) > len(before)


def test_players_are_told_nothing_of_the_game_masters_initiative_but_the_order() -> None:
    campaign = table()
    Desk(campaign, "gm").act("begin-fight", None, {"one": ["ana"], "other": ["bo"], "danger": 97})
    for each in [each["key"] for each in Desk(campaign, "gm").view()["questions"]]:
        Desk(campaign, "gm").answer(each, 1)
    seen = json.dumps(told(campaign))
    assert '"initiative", "figures"' in seen
    assert '"scores": {"' in seen
    assert '"initiative": {' not in seen
    assert "97" not in seen
    assert "initiative" not in Desk(campaign, "ana's").view()["scene"]["fight"]
