"""Turns that are no question: what one may do stands in kinds, for whoever has the turn, foes first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.web.conftest import Visitor
from tests.web.pages.test_fight import between, plain

from referee.web.pages.parts.chances import ChanceRow, Chances
from referee.web.pages.parts.questions import Answer, Group, weighed

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client, SeatClient


class Highway(NamedTuple):
    """Juno and Okonkwo, whom Anna plays, against Rusk and Vee; it is Okonkwo's turn, then Rusk's."""

    mo: Visitor
    anna: Visitor


@pytest.fixture
def highway(running: Running, client: Client) -> Iterator[Highway]:
    mo = client.create("The highway", "yearzero", sample="roadblock", master="Mo")
    anna = client.join(mo.invite(controls=["Juno", "Okonkwo"]).code, "Anna")
    found = Highway(*(Visitor(running.address, mo.campaign, each.seated.token) for each in (mo, anna)))
    yield found
    for each in found:
        each.http.close()


def turn(visitor: Visitor) -> str:
    return between(visitor.get(""), '<div id="turn"', '<aside class="side-right"')


def test_the_page_acts_for_whoever_has_the_turn(highway: Highway) -> None:
    assert "you play Okonkwo" in plain(highway.anna.get(""))
    assert "you play Juno" in plain(highway.anna.get("?as=Juno"))
    assert "Okonkwo, it is your turn" in turn(highway.anna)
    assert "it is your turn" not in highway.anna.get("?as=Juno")
    assert "it is your turn" not in highway.mo.get("")


def test_the_game_master_has_the_turns_of_those_no_one_plays(highway: Highway) -> None:
    highway.anna.post("/act", action="end-go", who="Okonkwo")
    assert "it is your turn" not in highway.anna.get("")
    assert "Rusk, it is your turn" in turn(highway.mo)


def test_a_turn_is_laid_out_by_kind_and_foes_come_first(highway: Highway) -> None:
    page = turn(highway.anna)
    kinds = re.findall(r'<label class="kind"[^>]*>.*?<span>([^<]+) <span', page, re.DOTALL)
    assert kinds == ["Attack", "Defend", "Move", "Help", "Other"]
    shoot = between(page, 'id="act-shoot"', "</form>")
    people = between(shoot, "At whom", "</fieldset>")
    assert re.findall(r'name="arg-target" value="(\w+)"', people) == ["Rusk", "Vee", "Juno"]
    assert re.findall(r'class="face (\w+)', people) == ["foe", "foe", "ally"]
    assert re.findall(r'data-letter="(\w)"', people) == ["Q", "W", "E"]
    assert page.count('id="act-shoot"') == highway.anna.get("").count('id="act-shoot"') == 1


def test_ways_are_tiles_with_one_form_in_sight_and_the_button_says_what_it_does(highway: Highway) -> None:
    page = turn(highway.anna)
    tiles = re.findall(r'id="how-([\w-]+)" autocomplete="off"( checked)?><label class="how"', page)
    attacks = ["shoot", "punch", "grapple", "shove", "disarm", "tackle", "charge", "aim", "overwatch"]
    assert [key for key, _ in tiles][:9] == attacks
    chosen = [key for key, checked in tiles if checked]
    assert (chosen[0], len(chosen)) == ("shoot", 5)  # one of each kind
    assert '<span class="go-words">Shoot or throw: Rusk</span>' in between(page, 'id="form-shoot"', "</form>")
    assert "no roll" in between(page, 'for="how-charge"', "</label>")


def test_without_a_script_the_form_that_is_filled_in_stays_in_sight(highway: Highway) -> None:
    sent = {"action": "tackle", "who": "Okonkwo", "arg-target": "Vee"}
    page = between(highway.anna.post("/pick", 200, **sent), '<div id="turn"', '<aside class="side-right"')
    attack = page[: page.index('class="panel" id="act-tackle"')]
    assert re.findall(r'id="how-([\w-]+)" autocomplete="off" checked', attack) == ["tackle"]
    assert 'id="turn-kind-1" autocomplete="off" checked' in page
    assert '<span class="go-words">Tackle: Vee</span>' in between(page, 'id="form-tackle"', "</form>")


def test_what_one_rarely_says_and_what_is_barred_are_folded(highway: Highway) -> None:
    page = turn(highway.anna)
    assert '<details class="more-fields" id="more-shoot"' in page
    barred = between(page, 'id="acts-barred"', "</details>")
    assert "What is not possible now, and why" in barred
    assert "has no talent for it" in barred


SHOT = {"action": "shoot", "who": "Okonkwo", "arg-target": "Vee", "arg-weapon": "hunting rifle"}


def test_a_turn_waits_until_what_was_done_is_resolved(highway: Highway) -> None:
    highway.anna.post("/act", **SHOT)
    assert "Defend your comrade?" in highway.mo.get("")
    assert "it is your turn" not in highway.anna.get(""), "nobody acts in the middle of a shot"


def test_what_one_rarely_chooses_is_one_tap_further_on_a_phone(highway: Highway) -> None:
    page = turn(highway.anna)
    folded = re.findall(r'class="tab rare" type="radio" name="turn-how-1" id="how-([\w-]+)"', page)
    assert folded == ["tackle", "charge", "aim", "overwatch", "forward-observer", "call-correction"]
    assert "6 more" in between(page, 'for="more-hows-1"', "</label>")
    assert 'id="more-hows-2"' not in page, "a few need no fold"


def test_odds_stand_beside_each_target_and_each_effect_aimed_or_hoped_for(highway: Highway) -> None:
    """Agility 5, Marksmanship 3, a bonus of 1: 1 - (5/6)^9 = 81 %; hoped for, two of nine sixes, 46 %.

    The rifle does 3: one six breaks Vee, who has Strength 3, two break Rusk, who has 4; Juno has a coat besides.
    """
    found = highway.anna.post("/beside", 200, **SHOT)
    while more := re.search(r'hx-post="[^"]*(/beside\?again=\d)"', found):  # what came too late for the first look
        found = highway.anna.post(more[1], 200, **SHOT)
    slots = dict(re.findall(r'id="whom-shoot-target-(\w+)" data-late>([^<]+)<', found))
    assert slots == {"Rusk": "81 %", "Vee": "81 %", "Juno": "81 %"}
    then = dict(re.findall(r'id="then-shoot-target-(\w+)" data-late>([^<]+)<', found))
    assert then == {"Rusk": "46 % is Broken", "Vee": "81 % is Broken", "Juno": "40 % is Broken"}, (
        "who has fallen to Strength 0"
    )
    rows = re.findall(r'<th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td>', found)
    assert rows == [
        ("choose a body part", "72 %", "46 %"),
        ("hit a face-sized area", "67 %", "18 %"),
        ("hit an eyeball-sized area", "60 %", "5 %"),
    ]


def test_the_last_action_is_offered_again_as_long_as_it_is_legal(highway: Highway) -> None:
    assert "Same again" not in turn(highway.anna)
    highway.anna.post("/act", **SHOT, **{"arg-distance": "Medium"})
    for _ in range(40):
        page = highway.mo.get("")
        if at_once := re.findall(r'name="answer-to-([^"]+)"', page):
            highway.mo.post("/answers", **{f"answer-to-{key}": "no" for key in at_once})
            continue
        question = re.search(r'name="question" value="([^"]+)"', page)
        if question is None:
            break
        asked = page[question.start() :].partition("</section>")[0]
        offered = re.findall(r'<(?:button|option|input)[^>]* value="([^"]+)"', asked)[1:]
        highway.mo.post("/answer", question=question[1], answer="no" if "no" in offered else offered[0])
    assert "Same again" not in turn(highway.anna), "a go has one slow action"
    for _ in range(4):
        highway.mo.post("/act", action="next-go")
        if "Okonkwo, it is your turn" in turn(highway.anna):
            break  # whoever was shot may have no turn
    again = between(turn(highway.anna), "Same again", "</form>")
    assert "Shoot or throw: Vee, hunting rifle, Medium" in plain(again)
    sent = dict(re.findall(r'name="([^"]+)" value="([^"]+)"', between(turn(highway.anna), "<form", "Same again")))
    assert sent == {**SHOT, "arg-distance": "Medium"}
    assert re.search(r'<span class="p" [^>]*>\d+ %</span>', highway.anna.post("/forecast?brief=true", 200, **sent))


def test_many_actions_are_shown_by_kind_and_few_are_not(running: Running, client: Client) -> None:
    many = client.create("Quay", "d6", sample="warehouse", master="Mo")
    few = client.create("Ship", "alien", sample="derelict", master="Mo")
    pages = {}
    for seat, who in ((many, "Mara"), (few, "Ripa")):
        visitor = Visitor(running.address, seat.campaign, seat.seated.token)
        pages[who] = visitor.get(f"?as={who}")
        visitor.http.close()
    assert re.findall(r'class="act-kind"[^>]*><summary><span>([^<]+)', pages["Mara"])[:2] == ["Attack", "Defend"]
    assert 'class="act-kind"' not in pages["Ripa"]
    assert "1 Character Point" not in pages["Ripa"]


def test_a_new_round_is_ruled_off(running: Running, client: Client) -> None:
    mo = client.create("Ford", "dime", sample="ambush", master="Mo")
    visitor = Visitor(running.address, mo.campaign, mo.seated.token)
    assert '<p class="new-round"><span>Round 1</span></p>' in visitor.get("")
    visitor.http.close()


@pytest.fixture
def alone(client: Client) -> SeatClient:
    """A D6 fight of eight, run by Mo alone."""
    return client.create("The dock", "d6", sample="loading-dock", master="Mo")


@pytest.fixture
def dock(running: Running, alone: SeatClient) -> Iterator[Visitor]:
    """The page of that fight."""
    found = Visitor(running.address, alone.campaign, alone.seated.token)
    yield found
    found.http.close()


def test_one_person_answers_for_all_eight_once_and_for_all(dock: Visitor) -> None:
    """Twelve questions before the first turn are one card, and none any more once both are answered for good."""
    page = dock.get("")
    assert page.count('class="ask together"') == 1
    assert "Spend a Character Point on initiative?" in plain(page)
    dock.post("/standing", prompt="initiative-point", answer="no")
    page = plain(dock.get(""))
    assert "How many actions this round?" in page
    assert "Always “1 action”, and do not ask me this again" in page
    dock.post("/standing", prompt="actions", answer="1")
    page = plain(dock.get(""))
    assert "one action left" in page
    assert "You are no longer asked: How many actions this round?" in page


def test_who_is_played_by_somebody_is_asked_whatever_the_game_master_said_for_all(
    client: Client, alone: SeatClient
) -> None:
    anna = client.join(alone.invite(controls=["Mara"]).code, "Anna")
    alone.standing_answer("initiative-point", "no")
    alone.standing_answer("actions", "1")
    assert {each.key for each in anna.questions().questions} == {"Mara.initiative-point", "Mara.actions"}


def test_each_number_of_actions_says_what_it_costs(running: Running, client: Client, alone: SeatClient) -> None:
    anna = client.join(alone.invite(controls=["Mara"]).code, "Anna")
    page = Visitor(running.address, alone.campaign, anna.seated.token)
    found = re.findall(r'aria-hidden="true">(\d) <small> (each [^<]+)</small>', page.get(""))
    page.http.close()
    assert found[:3] == [("2", "each \N{MINUS SIGN}1D"), ("3", "each \N{MINUS SIGN}2D"), ("4", "each \N{MINUS SIGN}3D")]


def test_one_card_answers_for_everyone(dock: Visitor) -> None:
    page = dock.get("")
    fields = dict.fromkeys(re.findall(r'name="answer-to-([^"]+\.actions)"', page), "2")
    points = dict.fromkeys(re.findall(r'name="answer-to-([^"]+\.initiative-point)"', page), "no")
    assert len(fields) == 8
    assert len(points) == 4
    dock.post("/answers", **{f"answer-to-{key}": value for key, value in (fields | points).items()})
    page = dock.get("")
    assert 'class="ask together"' not in page
    assert "2 actions left" in plain(page)


def test_many_actions_are_a_number_in_the_strip(dock: Visitor) -> None:
    dock.post("/standing", prompt="initiative-point", answer="no")
    asked = re.findall(r'name="answer-to-([^"]+\.actions)"', dock.get(""))
    dock.post("/answers", **{f"answer-to-{key}": "4" for key in dict.fromkeys(asked)})
    strip = between(dock.get(""), '<div id="strip"', "</section>")
    assert 'aria-label="4 of 4 actions left"><i class="on"></i>4</span>' in strip


def test_who_is_out_is_no_first_target(dock: Visitor, alone: SeatClient) -> None:
    for name in ("cutter", "foreman", "guard"):
        alone.edit(name, wound="Dead")
    for prompt, answer in (
        ("character-point", "no"),
        ("initiative-point", "no"),
        ("fate-point", "no"),
        ("reaction", "no"),
        ("actions", "1"),
    ):
        dock.post("/standing", prompt=prompt, answer=answer)
    page = dock.get("")
    assert plain(between(page, '<div id="strip"', "</section>")).count(" dead ") == 3
    first = re.findall(r'<fieldset class="targets">.*?<b>(\w+)</b>', page, re.DOTALL)
    assert first
    assert not {"cutter", "foreman", "guard"} & set(first)


def test_the_answer_marked_best_is_best_for_whoever_is_asked() -> None:
    def told(chance: float) -> Chances:
        return Chances((ChanceRow("a hit", chance, ""),))

    group = Group("", (Answer("no", "No", 0, told(0.75)), Answer("dodge", "Dodge", 1, told(0.2))))
    costs = {"no": 0, "dodge": 1}
    best = {
        against: [each.value for each in weighed(group, costs, against, is_whole=True).answers if each.best]
        for against in (False, True, None)
    }
    assert best == {False: ["no"], True: ["dodge"], None: []}
