"""Playing over HTTP: seats, actions, questions, notes, undo, and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.pictures import png

from referee.client import ApiError, Client, SeatClient
from referee.wire.replies import FeedItem

if TYPE_CHECKING:
    from tests.web.conftest import Party, Running

PNG = png()


def answered(seat: SeatClient, answer: str = "no") -> int:
    """Answer whatever is asked until nothing is; gives how many questions there were."""
    count = 0
    while asked := seat.questions().questions:
        seat.answer(asked[0].key, answer)
        count += 1
    return count


def refused(status: int, error: str) -> pytest.RaisesExc[ApiError]:
    return pytest.RaisesExc(ApiError, check=lambda why: (why.status, why.error) == (status, error))


# --- seats ------------------------------------------------------------------------------------------------------------


def test_whoever_joins_sits_at_the_table_and_plays_whom_the_invitation_names(party: Party) -> None:
    seats = {each.name: each for each in party.zoe.seats()}
    assert {name: each.role for name, each in seats.items()} == {
        "Mo": "game master",
        "Anna": "player",
        "Ben": "player",
        "Zoe": "spectator",
    }
    assert seats["Anna"].controls == ["Ripa"]
    assert party.anna.view().you.id == seats["Anna"].id


def test_an_invitation_is_used_up(party: Party, client: Client) -> None:
    code = party.mo.invite().code
    client.join(code, "One")
    with refused(404, "not-found") as why:
        client.join(code, "Two")
    assert "expired" in why.value.message


def test_an_invitation_can_be_taken_back(party: Party, client: Client) -> None:
    code = party.mo.invite(uses=3).code
    for each in party.mo.invitations():
        party.mo.revoke_invitation(each.id)
    assert party.mo.invitations() == []
    with refused(404, "not-found"):
        client.join(code, "Two")


def test_only_the_game_master_invites(party: Party) -> None:
    with refused(403, "not-allowed") as why:
        party.anna.invite()
    assert why.value.rule == "referee.table.seats"


def test_a_dismissed_seat_is_known_no_more(party: Party) -> None:
    party.mo.remove_seat(party.ben.seat)
    with refused(401, "not-signed-in"):
        party.ben.view()
    assert party.ben.seat not in {each.id for each in party.mo.seats()}


def test_a_character_is_handed_over(party: Party) -> None:
    party.mo.hand_over(party.anna.seat, "Dallow")
    seats = {each.name: each.controls for each in party.mo.seats()}
    assert (seats["Anna"], seats["Ben"]) == (["Dallow", "Ripa"], [])


def test_the_table_is_handed_over(party: Party) -> None:
    party.mo.hand_over(party.anna.seat, table=True)
    roles = {each.name: each.role for each in party.zoe.seats()}
    assert (roles["Mo"], roles["Anna"]) == ("player", "game master")
    with refused(403, "not-allowed"):
        party.mo.hide("Ripa")


def test_one_sets_ones_own_name_and_no_other(party: Party) -> None:
    party.anna.change_seat(party.anna.seat, name="Annie -> <3 🎲")
    assert party.ben.seats()[1].name == "Annie -> <3 🎲"
    with refused(403, "not-allowed"):
        party.anna.change_seat(party.ben.seat, name="Benny")


def test_a_program_gets_a_token_that_can_be_revoked(party: Party) -> None:
    made = party.anna.new_token("dice tower")
    program = party.anna.with_token(made.token)
    assert program.view().you.name == "Anna"
    assert {each.name for each in party.anna.tokens()} == {"browser", "dice tower"}
    party.anna.revoke(made.id)
    with refused(401, "not-signed-in"):
        program.view()
    assert party.anna.view().you.name == "Anna"


def test_a_campaign_is_renamed_by_its_game_master(party: Party) -> None:
    assert party.mo.rename("Friday nights").name == "Friday nights"
    assert party.anna.view().campaign.name == "Friday nights"
    assert [each.name for each in party.anna.campaigns()] == ["Friday nights"]
    with refused(403, "not-allowed"):
        party.anna.rename("Mine")


# --- playing ----------------------------------------------------------------------------------------------------------


def test_an_action_is_asked_odds_of_taken_and_told(party: Party) -> None:
    legal = {each.action: each for each in party.anna.actions("Ripa")}
    assert legal["skill-roll"].legal
    assert "Observation" in (legal["skill-roll"].choices or {})["skill"]
    odds = party.anna.odds("skill-roll", "Ripa", skill="Observation")
    assert odds.now is not None
    assert odds.now["bands"]["success"]["exact"] == "1288991/1679616"
    told = party.anna.act("skill-roll", "Ripa", skill="Observation")
    answered(party.anna)
    items = party.ben.log().items
    assert told <= party.ben.view().cursor == items[-1].id + 1
    assert any(each.kind == "began" for each in items)
    roll, *_ = (each.model_extra["roll"] for each in items if each.model_extra and "roll" in each.model_extra)
    assert [each["die"] for each in roll["dice"]] == ["base", "stress"]
    assert {mod["label"] for mod in roll["mods"]} == {"Wits", "Observation", "stress"}


def test_an_open_question_has_odds_and_legal_answers(party: Party) -> None:
    party.mo.settings(throws={"*": "leave it"})
    party.anna.act("skill-roll", "Ripa", skill="Observation")
    party.anna.answer("Ripa.skill", [[1, 2, 3, 4, 5, 1, 2], [4]])
    (question,) = party.anna.questions().questions
    assert (question.key, question.options) == ("Ripa.push", ["yes", "no"])
    assert set(party.anna.odds_at("Ripa.push").asked) == {"yes", "no"}
    with refused(422, "bad-answer") as why:
        party.anna.answer("Ripa.push", "perhaps")
    assert (why.value.rule, why.value.legal) == ("alien.basics.skill-roll", ("yes", "no"))
    assert question.rule == "alien.basics.skill-roll"
    party.anna.answer("Ripa.push", "no")


def test_a_curve_shows_what_stress_would_change(party: Party) -> None:
    found = party.anna.curve("skill-roll", "Ripa", "stress", [0, 1, 2], skill="Observation")
    assert found.at == ["0", "1", "2"]
    assert found.lines["as it stands"][1]["exact"] == "1288991/1679616"


def test_an_answer_can_stand(party: Party) -> None:
    party.anna.standing_answer("push", "no")
    for _ in range(3):
        party.anna.act("skill-roll", "Ripa", skill="Observation")
        assert party.anna.questions().questions == []
    assert party.anna.view().you.standing == {"push": "no"}
    party.anna.standing_answer("push", None)
    assert party.anna.view().you.standing == {}


def test_a_step_is_called_off_by_the_game_master(party: Party) -> None:
    party.mo.settings(throws={"*": "leave it"})
    party.anna.act("skill-roll", "Ripa", skill="Observation")
    with refused(403, "not-allowed"):
        party.anna.cancel("Ripa.skill")
    party.mo.cancel("Ripa.skill")
    assert party.anna.questions().questions == []


def test_a_stop_keeps_everybody_from_going_on(party: Party) -> None:
    party.zoe.stop()
    with refused(409, "refused") as why:
        party.anna.act("skill-roll", "Ripa", skill="Observation")
    assert (why.value.rule, why.value.legal) == ("referee.table.stop", ("resume, by the game master",))
    with refused(403, "not-allowed"):
        party.anna.resume()
    party.mo.resume()
    party.anna.act("skill-roll", "Ripa", skill="Observation")


def test_plain_dice_are_thrown_and_hidden_ones_are_the_game_masters(party: Party) -> None:
    party.anna.roll("3d6", "1d20")
    told = party.anna.view().cursor
    party.mo.roll("1d100", hidden=True)
    assert party.anna.view().cursor == told
    assert [each.kind for each in party.mo.log().items[-3:]] == ["began", "answered", "happened"]
    with refused(403, "not-allowed"):
        party.anna.roll("1d6", hidden=True)


def test_what_is_in_hiding_is_not_there_for_the_others(party: Party) -> None:
    party.mo.edit("Stowaway", kind="Colonist", stress=3)
    party.mo.hide("Stowaway")
    assert "Stowaway" in party.mo.view().scene
    assert "Stowaway" not in party.anna.view().scene
    party.mo.hide("Stowaway", hidden=False)
    assert "Stowaway" in party.anna.view().scene
    party.mo.remove("Stowaway")
    assert "Stowaway" not in party.anna.view().scene


def test_house_rules_reach_the_rulebook_of_the_campaign(party: Party, client: Client) -> None:
    party.mo.house_rules(set={"alien.push.procedure": {"stress_gain": 2}})
    assert party.anna.rule("alien.push.procedure").values["stress_gain"] == 2
    assert client.rule("alien", "alien.push.procedure").values["stress_gain"] == 1
    with refused(403, "not-allowed"):
        party.anna.house_rules(set={"alien.push.procedure": {"stress_gain": 0}})


def test_the_rulebook_is_searched(party: Party, client: Client) -> None:
    assert client.rules("alien", "pusing")[0].id.startswith("alien.push")
    assert party.anna.rules("push")[0].on
    assert {each.kind for each in party.anna.rules(kind="table")} <= {"table"}


# --- notes and pictures -----------------------------------------------------------------------------------------------


def said(seat: SeatClient) -> list[object]:
    return [(item.model_extra or {}).get("text") for item in seat.log().items if item.kind == "said"]


def test_a_whisper_is_for_whom_it_names_and_the_game_master(party: Party) -> None:
    before = party.ben.view().cursor
    party.anna.note("psst", to=[party.zoe.seat])
    assert [("psst" in said(each)) for each in party] == [True, True, False, True]
    assert party.ben.view().cursor == before


def test_a_picture_is_seen_by_whom_it_was_handed_to(party: Party, running: Running) -> None:
    file = party.mo.upload_picture("map.png", PNG)
    party.mo.note("The deck plan", to=[party.anna.seat], file=file)
    assert party.anna.picture(file) == PNG
    with refused(404, "not-found"):
        party.ben.picture(file)
    address = f"{running.address}/api/v1{party.anna.path}/files/{file}"
    headers = httpx.get(address, headers={"Authorization": f"Bearer {party.anna.token}"}).headers
    assert headers["content-type"] == "image/png"
    assert headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in headers["content-security-policy"]


def test_a_file_that_claims_to_be_what_it_is_not_is_only_for_saving(party: Party, running: Running) -> None:
    """As an imported campaign may bring one."""
    file = running.hub.store.keep_file(party.mo.campaign, "map.html", "text/html", b"<script>alert(1)</script>")
    address = f"{running.address}/api/v1{party.mo.path}/files/{file}"
    headers = httpx.get(address, headers={"Authorization": f"Bearer {party.mo.token}"}).headers
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"] == "attachment"


@pytest.mark.parametrize("data", [b"", b"<svg onload=alert(1)>", b"GIF89a", b"%PDF-1.7", b"RIFFxxxxWAVE"])
def test_only_pictures_are_kept(party: Party, data: bytes) -> None:
    with refused(422, "bad-input"):
        party.anna.upload_picture("map.png", data)


# --- back and forth ---------------------------------------------------------------------------------------------------


def test_undo_lists_what_goes_and_takes_it_back_for_everybody(party: Party) -> None:
    before = party.ben.view()
    for stress in (3, 4, 5):
        party.mo.edit("Ripa", stress=stress)
    gone = party.mo.undo_preview(before.cursor)
    assert [each.id for each in gone] == [before.cursor, before.cursor + 1, before.cursor + 2]
    for other in (party.anna, party.zoe):
        with pytest.raises(ApiError):
            other.undo(before.cursor)
    party.mo.undo(before.cursor)
    assert party.ben.view().scene == before.scene
    assert party.ben.log().items[-1].kind == "undone"
    party.mo.redo()
    assert party.ben.view().scene["Ripa"]["stress"] == 5


def test_the_log_comes_in_pages(party: Party) -> None:
    for number in range(25):
        party.anna.note(f"line {number}")
    told = party.anna.view().cursor
    page: list[FeedItem] = []
    before = None
    while True:
        found = party.anna.log(before, 10)
        assert len(found.at) == len(found.items)
        assert found.at == sorted(found.at)
        assert abs(found.at[-1] - time()) < 60
        page = [*found.items, *page]
        before = found.earlier
        if before is None:
            break
    assert [each.id for each in page] == list(range(told))
    assert said(party.anna)[-1] == "line 24"


def test_who_did_what_is_for_the_game_master(party: Party) -> None:
    party.mo.edit("Ripa", stress=4)
    assert {each["by"] for each in party.mo.audit(by=party.mo.seat)} == {party.mo.seat}
    assert any(each["kind"] == "edited" for each in party.mo.audit(who="Ripa"))
    with refused(403, "not-allowed"):
        party.anna.audit()


# --- once, and in time ------------------------------------------------------------------------------------------------


def test_the_same_key_twenty_times_at_once_is_done_once(party: Party) -> None:
    before = party.mo.view().cursor
    with ThreadPoolExecutor(20) as pool:
        told = set(pool.map(lambda _: party.anna.do("/rolls", key="k-1", dice=["2d6"]), range(20)))
    assert len(told) == 1
    assert party.mo.view().cursor == told.pop()
    assert party.mo.view().cursor > before


def test_a_campaign_and_a_seat_are_made_once_under_one_key(client: Client) -> None:
    with ThreadPoolExecutor(10) as pool:
        made = list(
            pool.map(lambda _: client.create("Once", "alien", master="Mo", key="once-and-only-once-1"), range(10))
        )
    assert len({each.campaign for each in made}) == 1
    code = made[0].invite(uses=10).code
    with ThreadPoolExecutor(10) as pool:
        seats = {
            each.seat for each in pool.map(lambda _: client.join(code, "Anna", key="once-and-only-once-2"), range(10))
        }
    assert len(seats) == 1
    assert len(made[0].seats()) == 2


def test_a_key_is_not_used_for_two_things_but_by_two_seats(party: Party) -> None:
    party.anna.act("skill-roll", "Ripa", skill="Observation", key="k-2")
    with refused(422, "key-reused"):
        party.anna.act("skill-roll", "Ripa", skill="Command", key="k-2")
    answered(party.anna)
    party.ben.act("skill-roll", "Dallow", skill="Piloting", key="k-2")
    assert any(
        each.kind == "began" and (each.model_extra or {})["by"] == party.ben.seat for each in party.mo.log().items
    )


def test_who_decided_on_an_old_view_is_told_to_look_again(party: Party) -> None:
    old = party.anna.view().cursor
    party.ben.note("wait")
    with refused(409, "out-of-date") as why:
        party.anna.act("skill-roll", "Ripa", skill="Observation", expected=old)
    assert "look again" in why.value.message
    party.anna.act("skill-roll", "Ripa", skill="Observation", expected=party.anna.view().cursor)


def test_what_one_is_not_told_of_makes_nothing_out_of_date(party: Party) -> None:
    party.mo.edit("Stowaway", kind="Colonist")
    party.mo.hide("Stowaway")
    old = party.anna.view().cursor
    party.mo.edit("Stowaway", stress=4)
    party.ben.note("psst", to=[party.zoe.seat])
    party.anna.act("skill-roll", "Ripa", skill="Observation", expected=old)
