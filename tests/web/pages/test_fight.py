"""A fight as a page: the strip, the board, choosing, undo, how it ends; without a script, for every seat."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from tests.web.conftest import Visitor

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client

RIFLE: Final = {"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3}
AXE: Final = {"name": "axe", "skill": "Melee Combat", "wp": 4, "rp": 2}
POINTS: Final = {"wp": 10, "wp_full": 10, "rp": 10, "rp_full": 10}
PEOPLE: Final[dict[str, dict[str, Any]]] = {
    "Ash": {**POINTS, "items": [RIFLE], "skills": {"Ranged Combat": 2}},
    "Bell": {**POINTS, "items": [AXE]},
    "raider": {**POINTS, "player": False, "wp": 4},
    "lookout": {**POINTS, "player": False},
}
FIGHT: Final[dict[str, Any]] = {
    "kind": "Fight",
    "sides": [["Ash", "Bell"], ["raider", "lookout"]],
    "phase": "actions",
    "round": 2,
    "scores": {"Ash": 11, "Bell": 8, "raider": 9, "lookout": 12},
    "left": {"Ash": 2, "Bell": 2, "raider": 2, "lookout": 0},
    "bands": {"Ash lookout": 2, "Ash raider": 1},
}


class Roadblock(NamedTuple):
    """Ash and Bell against two, in the second round; it is Ash's turn."""

    mo: Visitor
    anna: Visitor
    ben: Visitor

    def edit(self, name: str, **changes: Any) -> None:
        """The game master sets something."""
        api = self.mo.table.replace("/table/", "/api/v1/campaigns/")
        done = self.mo.http.post(f"{api}/edits", json={"name": name, "changes": changes})
        assert done.status_code == 200, done.text

    def begin(self, **changes: Any) -> None:
        self.edit("fight", **{**FIGHT, **changes})


@pytest.fixture
def road(running: Running, client: Client) -> Iterator[Roadblock]:
    """The people are there; the fight begins when a test says so."""
    mo = client.create("Route 9", "distemper", sample="market", master="Mo")
    made = [
        mo,
        client.join(mo.invite(controls=["Ash"]).code, "Anna"),
        client.join(mo.invite(controls=["Bell"]).code, "Ben"),
    ]
    road = Roadblock(*(Visitor(running.address, mo.campaign, each.seated.token) for each in made))
    for name, plain in PEOPLE.items():
        road.edit(name, kind="Character", **plain)
    yield road
    for each in road:
        each.http.close()


def between(page: str, start: str, end: str) -> str:
    return page.partition(start)[2].partition(end)[0]


def plain(text: str) -> str:
    """A piece of a page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).strip()


def strip(visitor: Visitor) -> list[str]:
    return [plain(each) for each in between(visitor.get(""), 'class="turns"', "</ol>").split("<li")[1:]]


def lanes(visitor: Visitor) -> list[str]:
    board = between(visitor.get(""), 'class="lanes"', "</section>").partition('<details class="taking')[0]
    return [plain(each.partition(">")[2]) for each in board.split('<div class="lane')[1:]]


def choices(visitor: Visitor, action: str) -> list[str]:
    """What may be sent for an action, in the order of the page."""
    found = re.findall(r'name="answer" value="([^"]+)"', visitor.get(""))
    return [each for each in dict.fromkeys(map(html.unescape, found)) if each.split()[0] == action]


# --- the strip --------------------------------------------------------------------------------------------------------


def test_the_strip_stands_in_the_order_of_turns_with_vitals(road: Roadblock) -> None:
    road.begin()
    assert [each.split()[each.split().index("Order") + 2] for each in strip(road.ben)] == [
        "lookout",
        "Ash",
        "raider",
        "Bell",
    ]
    lookout, ash, raider, _ = strip(road.ben)
    assert "done" in lookout
    assert 'aria-current="step"' in ash
    assert "10 /10" in ash
    assert "4 /10" in raider
    page = road.ben.get("")
    assert 'aria-label="2 of 2 actions left"' in page
    assert re.search(r'level health low[^>]*aria-label="Wounds 4 of 10"', page), "half or less is low"


def test_without_an_encounter_there_is_no_strip(road: Roadblock) -> None:
    assert 'class="turns"' not in road.anna.get("")


def test_who_is_out_stays_in_the_strip_and_is_called_so(road: Roadblock) -> None:
    road.edit("raider", dead=True)
    road.begin()
    assert next(each for each in strip(road.anna) if "raider" in each).endswith("dead 4 /10 10 /10")


# --- the board --------------------------------------------------------------------------------------------------------


def test_the_board_shows_distances_from_ones_own_character(road: Roadblock) -> None:
    road.begin(cover=["lookout"])
    assert lanes(road.anna) == [
        "You Ash",
        "Close Bell",
        "1 band away raider",
        "2 bands away lookout in cover",
        "3 bands away",
    ]
    assert lanes(road.ben)[:2] == ["You Bell", "Close Ash raider lookout in cover"]


def test_who_holds_whom_stands_in_one_frame(road: Roadblock) -> None:
    road.begin(pins=[["raider", "Bell"]], bands={})
    assert "Close engaged Bell raider lookout" in lanes(road.anna)


def test_a_frame_does_not_move_people_who_are_elsewhere(road: Roadblock) -> None:
    road.begin(pins=[["raider", "Bell"]], bands={"Ash raider": 1})
    assert lanes(road.anna)[1:3] == ["Close Bell lookout", "1 band away raider"]


def test_the_game_master_sets_a_distance_by_form_and_a_player_cannot(road: Roadblock) -> None:
    road.begin()
    assert 'action="' + road.mo.table + '/distance"' in road.mo.get("?as=Ash")
    assert "/distance" not in road.anna.get("")
    road.mo.post("/distance", encounter="fight", pair="Ash raider", band="3")
    assert lanes(road.anna)[-1] == "3 bands away raider"
    road.anna.post("/distance", 403, encounter="fight", pair="Ash raider", band="0")


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_kind_of_action_then_how_then_at_whom(road: Roadblock) -> None:
    road.begin()
    page = road.anna.get("")
    assert plain(between(page, 'class="ask turning"', "</h2>")).endswith("Ash, 2 actions left")
    kinds = re.findall(r'<label class="kind"[^>]*>(.*?)</label>', page, re.DOTALL)
    assert [plain(each).split()[0] for each in kinds] == ["Attack", "Defend", "Move", "Team", "Other"]
    hows = [plain(each) for each in re.findall(r'<label class="how"[^>]*>(.*?)</label>', page, re.DOTALL)]
    assert hows[:4] == ["Attack 1 action", "Rapid Fire 1 action", "Cover Fire 1 action", "Charge 2 actions"]
    assert "Take Cover 1 action no roll" in hows
    assert 'value="attack raider rifle" id="ask-Ash-action-attack-raider-rifle" checked' in page


def test_foes_come_first_the_nearest_on_top_and_friends_are_folded_away(road: Roadblock) -> None:
    road.begin()
    assert choices(road.anna, "attack")[:3] == ["attack raider rifle", "attack lookout rifle", "attack Bell rifle"]
    form = between(road.anna.get(""), 'value="attack raider rifle"', 'class="confirm"')
    assert form.index("attack lookout rifle") < form.index('<details class="fold"') < form.index("attack Bell rifle")
    assert choices(road.anna, "inspire") == ["inspire Bell"], "a friend is meant here, and foes are not close"


def test_the_price_says_when_it_is_the_last_action(road: Roadblock) -> None:
    road.begin(left={**FIGHT["left"], "Ash": 1})
    page = road.anna.get("")
    assert "Ash, one action left" in page
    assert "Attack last action" in [
        plain(each) for each in re.findall(r'<label class="how"[^>]*>(.*?)</label>', page, re.DOTALL)
    ]
    assert "how-charge" not in page, "it takes two"


def test_what_takes_effect_later_says_so(road: Roadblock) -> None:
    road.begin()
    assert "Takes effect when all who act now have acted." not in road.anna.get("")
    road.begin(scores={**FIGHT["scores"], "raider": 11})
    assert "Takes effect when all who act now have acted." in road.anna.get("")


def test_a_result_that_waits_is_on_the_board(road: Roadblock) -> None:
    road.begin(scores={**FIGHT["scores"], "raider": 11})
    road.anna.post("/answer", question="Ash.action", answer="defend")
    assert "Takes effect when everyone who acts at the same time has acted: Ash." in road.ben.get("")


def test_the_same_again_is_one_form(road: Roadblock) -> None:
    road.begin()
    assert 'class="again"' not in road.anna.get("")
    road.anna.post("/answer", question="Ash.action", answer="aim raider")
    again = between(road.anna.get(""), '<button class="again"', "</button>")
    assert 'value="aim raider"' in again
    assert plain(again.partition(">")[2]).startswith("Same again Aim: raider")


def test_what_an_action_asks_first_is_answered_with_it(road: Roadblock) -> None:
    road.edit("Ash", insight=1)
    road.begin()
    page = road.anna.get("")
    ahead = between(page, 'name="ahead-insight-before"', "</select>")
    assert re.findall(r'value="([^"]+)"', ahead) == ["no", "extra die", "bonus"]
    road.anna.post("/answer", question="Ash.action", answer="attack raider rifle", ahead__insight__before="extra die")
    page = road.anna.get("")
    has_new = "Insight Dice 0 → 1" in plain(page)  # a double brings one
    assert has_new or "Spend Insight" not in between(page, 'id="asks"', "<aside"), "nothing is left to spend"
    assert "The extra die" in page


def test_without_an_answer_ahead_it_is_asked(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/answer", question="Ash.action", answer="attack raider rifle")
    assert "Spend Insight before the roll?" in road.anna.get("")


def test_an_answer_ahead_that_is_not_legal_is_asked_for(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/answer", question="Ash.action", answer="attack raider rifle", ahead__insight__before="luck")
    assert "Spend Insight before the roll?" in road.anna.get("")


# --- initiative -------------------------------------------------------------------------------------------------------


def initiative(road: Roadblock) -> None:
    road.begin(phase="initiative", round=0, scores={}, left={})


def test_everyone_is_asked_at_once_at_initiative(road: Roadblock) -> None:
    initiative(road)
    for each in (road.anna, road.ben):
        assert "Spend Insight before everyone rolls initiative?" in each.get("")


def test_an_offer_can_be_declined_once_and_for_all_and_made_again(road: Roadblock) -> None:
    initiative(road)
    assert "No, and do not ask me this again" in road.anna.get("")
    for prompt in ("initiative-before", "initiative-after"):
        road.anna.post("/standing", prompt=prompt, answer="no")
        road.ben.post("/standing", prompt=prompt, answer="no")
    assert "You are no longer asked: Spend Insight before everyone rolls initiative?" in road.anna.get("")
    assert "Round 1" in road.anna.get(""), "nobody was asked anything more"
    road.anna.post("/standing", prompt="initiative-before", answer="")
    assert "You are no longer asked: Spend Insight before" not in road.anna.get("")


# --- undo -------------------------------------------------------------------------------------------------------------


def undo_box(visitor: Visitor) -> str:
    return between(visitor.get(""), 'id="undo"', "story-scroll")


def item_in(box: str) -> str:
    return between(box, 'name="item" value="', '"')


def test_before_dice_have_fallen_undo_lists_what_goes_and_is_one_form_away(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/answer", question="Ash.action", answer="aim raider")
    box = undo_box(road.anna)
    assert plain(box).startswith(
        "Undo U This goes, and with it all that followed: Ash aims at raider."
    ) or "Ash aims at raider." in plain(box)
    road.anna.post("/undo", item=item_in(box))
    assert "Ash, 2 actions left" in road.anna.get("")


def test_after_dice_have_fallen_the_same_button_asks_and_the_game_master_grants_it(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/answer", question="Ash.action", answer="attack lookout rifle", ahead__insight__before="no")
    road.anna.post("/answer", question="Ash.insight-after", answer="no")
    road.anna.post("/answer", question="Ash.action", answer="attack lookout rifle", ahead__insight__before="no")
    box = undo_box(road.anna)
    assert "Ask the game master to undo this" in box
    assert "dice have fallen since" in box
    road.anna.post("/undo", 409, item=item_in(box))
    assert "asks to undo this" not in road.mo.get("")
    road.anna.post("/undo/ask", item=item_in(box))
    assert "The game master has been asked." in undo_box(road.anna)
    asked = between(road.mo.get(""), "Anna asks to undo this:", "</section>")
    assert "/undo/decline" in asked
    assert "asks to undo this" not in road.ben.get("")
    road.mo.post("/undo", item=item_in(asked))
    assert "asks to undo this" not in road.mo.get("")
    assert "Mo undid what is struck through." in road.anna.get("")


def test_a_request_can_be_left_as_it_is(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/answer", question="Ash.action", answer="attack lookout rifle", ahead__insight__before="no")
    road.anna.post("/undo/ask", item=item_in(undo_box(road.anna)))
    seat = between(between(road.mo.get(""), "Anna asks to undo this:", "</section>"), 'name="seat" value="', '"')
    road.mo.post("/undo/decline", seat=seat)
    assert "asks to undo this" not in road.mo.get("")
    assert "Ask the game master to undo this" in undo_box(road.anna)
    road.anna.post("/undo/ask", 422, item="soon")


def test_after_an_undo_that_leaves_nothing_to_answer_play_goes_on_by_a_button(road: Roadblock) -> None:
    road.begin()
    road.anna.post("/say", text="/roll 2d6")
    box = undo_box(road.mo)
    road.mo.post("/undo", item=item_in(box))
    assert road.mo.get("").count("Something was undone. Play waits.") <= 1
    road.mo.post("/resume")
    assert "Something was undone. Play waits." not in road.mo.get("")


def test_after_an_undo_the_game_master_sees_that_play_waits_while_a_player_is_asked(road: Roadblock) -> None:
    road.begin()
    assert "Ash, " in road.mo.get("")
    road.anna.post("/say", text="/roll 2d6")
    road.mo.post("/undo", item=item_in(undo_box(road.mo)))
    assert road.anna.get("").count('<section class="ask ') == 1
    assert "Something was undone. Play waits." in road.mo.get("")
    assert "Something was undone. Play waits." not in road.anna.get("")  # whose answer lets it go on


# --- the end ----------------------------------------------------------------------------------------------------------


def test_a_fight_that_is_over_says_how_and_what_comes_next(road: Roadblock) -> None:
    road.begin(left={**FIGHT["left"], "lookout": 0})
    for name in ("raider", "lookout"):
        road.edit(name, dead=True)
    road.anna.post("/answer", question="Ash.action", answer="aim Bell")
    card = between(road.mo.get(""), 'class="ask aftermath"', "</section>")
    assert "The fight is over: Ash and Bell won." in card
    assert "Down: lookout, raider." in card
    assert f'href="{road.mo.table}/history/recap"' in card
    assert f'href="{road.mo.table}/master"' in card
    hers = between(road.anna.get(""), 'class="ask aftermath"', "</section>")
    assert f'href="{road.anna.table}/sheet/Ash"' in hers
    assert "/master" not in hers
    road.anna.post("/act", action="check", who="Ash", arg__using="Perception")
    assert "aftermath" not in road.anna.get(""), "play has gone on"


def test_the_player_of_somebody_who_is_out_is_told_what_they_can_do(road: Roadblock) -> None:
    road.begin()
    road.edit("Bell", dead=True)
    page = road.ben.get("")
    assert "Bell is out of action." in page
    assert "You still see everything and can talk to the others." in page
    assert f'class="button" href="{road.ben.table}/drafts"' in page
    assert "is out of action." not in road.anna.get("")


def test_who_has_no_action_left_is_told_when_they_are_asked_again(road: Roadblock) -> None:
    road.begin(left={**FIGHT["left"], "Bell": 0})
    assert "Bell has no action left in this round." in road.ben.get("")
    assert "has no action left" not in road.anna.get("")


# --- other games ------------------------------------------------------------------------------------------------------


def test_a_combat_without_turns_has_a_strip_of_everyone(client: Client, running: Running) -> None:
    mo = client.create("Cold Harbour", "alien", sample="derelict", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    api = visitor.table.replace("/table/", "/api/v1/campaigns/")
    done = visitor.http.post(
        f"{api}/edits", json={"name": "combat", "changes": {"kind": "Combat", "round": 3, "spent": ["Ripa"]}}
    )
    assert done.status_code == 200, done.text
    page = visitor.get("")
    assert "Round 3" in page
    ripa = next(each for each in strip(visitor) if "Ripa" in each)
    assert "done" in ripa
    assert "Stress" in ripa
    assert lanes(visitor)[0].startswith("Here ")
    visitor.http.close()
