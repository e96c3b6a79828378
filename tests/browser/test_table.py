"""Evenings at the table, several people at once, each with a browser of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Route, expect
from tests.browser.tables import Seated, begun, by_hand, caught_up, derelict, enter_dice, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People, Serve


def throw(seated: Seated, *groups: str) -> None:
    """Type in what fell."""
    enter_dice(seated, *groups)
    seated.asked.get_by_role("button", name="Enter these dice").click()


def test_a_push_and_a_stress_response(people: People) -> None:
    mo, anna = derelict(people)
    by_hand(anna)
    anna.roll("Observation")
    expect(anna.asked).to_contain_text("Throw the skill roll")
    throw(anna, "2 2 3 4 5 5 2", "4")
    expect(anna.asked).to_contain_text("Push the roll?")
    push = anna.asked.get_by_role("button", name="Push")
    # 7 base dice and 2 stress dice: 1 - (5/6)^9 of a six; 1 - (5/6)^2 of a one on a stress die
    expect(push).to_contain_text("81 %")
    expect(push).to_contain_text("31 %")
    expect(anna.asked.get_by_role("button", name="Let it stand")).to_contain_text("for certain: failure")
    push.click()
    throw(anna, "2 2 3 4 6 5 2", "1 3")
    expect(anna.asked).to_contain_text("the stress response")
    throw(anna, "1")
    for each in (mo, anna):
        each.sees("Ripa tries Observation.")
        each.sees("Stress 1 → 2")
        expect(each.story.locator(".outcome.good")).to_have_count(1)
        expect(each.page.locator("#roster li", has_text="Ripa")).to_contain_text("Stress")
    stress = mo.page.locator("#roster li", has_text="Ripa").locator(".pips.warning i.on")
    expect(stress).to_have_count(2)


def test_dice_are_told_apart_by_shape_and_words(people: People) -> None:
    _, anna = derelict(people)
    by_hand(anna)
    anna.roll("Observation")
    throw(anna, "6 2 3 4 5 5 2", "4")
    anna.answer("Push")
    throw(anna, "2 2 3 4 5 5", "2 3")
    kept = anna.story.locator(".die.kept")
    expect(kept).to_have_text(["6B"])  # a letter tells the kind of die
    expect(anna.story.locator(".dice").last).to_have_attribute(
        "aria-label", "base 6 kept, 2, 2, 3, 4, 5, 5; stress 2, 3"
    )
    expect(anna.story.locator(".dice").last.locator(".die.of-stress")).to_have_count(2)


def test_an_undo_is_seen_by_all(people: People) -> None:
    mo, anna = derelict(people)
    by_hand(anna)
    anna.roll("Observation")
    throw(anna, "6 2 3 4 5 5 2", "4")
    anna.answer("Let it stand")
    began = mo.story.locator(".piece.of-act", has_text="Ripa tries Observation.")
    expect(began).to_have_count(1)
    number = str(began.get_attribute("id")).removeprefix("item-")
    mo.open(f"/history/{number}/undo")
    mo.page.get_by_role("button", name="Undo all this").click()
    mo.open()
    for each in (mo, anna):
        expect(each.story.locator(".piece.undone", has_text="Ripa tries Observation.")).to_have_count(1)
        each.sees("Mo undid what is struck through.")


def test_a_hidden_roll_is_nowhere_in_the_players_page(people: People) -> None:
    mo, anna = derelict(people)
    mo.page.locator("#talk").fill("/roll 3d6")
    mo.page.locator(".talk .to summary").click()
    mo.page.get_by_label("hidden throw").check()
    mo.page.get_by_role("button", name="Say").click()
    mo.sees("rolls 3d6.")
    mo.page.locator("#talk").fill("All is quiet.")
    mo.page.get_by_role("button", name="Say", exact=True).click()
    anna.sees("All is quiet.")
    assert "rolls 3d6" not in anna.page.content()
    assert anna.story.locator(".die").count() == 0
    assert "rolls 3d6" not in anna.open().content()


def test_a_whisper_is_between_two(people: People) -> None:
    mo, anna = derelict(people)
    ben = joined(mo, people("Ben"), "Dallow")
    ben.open()
    anna.page.locator("#talk").fill("I do not **trust** <b>Dallow</b> 🐍 -> run")
    anna.page.locator(".talk .to summary").click()
    anna.page.get_by_role("checkbox", name="Mo").check()
    anna.page.locator("#talk").press("Enter")
    mo.sees("I do not trust <b>Dallow</b> 🐍 -> run")
    expect(mo.story.locator(".said strong")).to_have_text("trust")
    mo.page.locator("#talk").fill("Everybody, listen.")
    mo.page.locator("#talk").press("Enter")
    ben.sees("Everybody, listen.")
    assert "trust" not in ben.page.content()


def test_a_stop_stops_everybody(people: People) -> None:
    mo, anna = derelict(people)
    anna.page.get_by_role("button", name="Call a stop").click()
    for each in (mo, anna):
        expect(each.page.locator("#waiting")).to_contain_text("Somebody has called a stop.")
    anna.user.allow("status of 409")
    anna.roll("Observation")
    expect(anna.page.locator(".skills").first.locator("..").locator(".problem")).to_contain_text("play is stopped")
    mo.page.get_by_role("button", name="Go on").click()
    expect(anna.page.locator("#waiting")).not_to_contain_text("stop")


def test_a_refusal_stands_beside_what_caused_it(people: People) -> None:
    _, anna = derelict(people)
    anna.user.allow("status of 4")
    form = anna.page.locator("#act-skill-roll")
    form.locator("summary").click()
    form.get_by_label("Modifiers").fill("many")
    form.get_by_role("button", name="Skill roll").click()
    expect(form.locator(".problem-here")).to_contain_text("must be a modifier such as '+2 flashlight'")
    assert anna.story.locator(".die").count() == 0


def test_a_form_tells_its_odds_as_it_is_filled_in(people: People) -> None:
    _, anna = derelict(people)
    form = anna.page.locator("#act-skill-roll")
    form.locator("summary").click()
    form.get_by_role("combobox", name="Skill").select_option("Observation")
    expect(form.locator(".forecast")).to_contain_text("77 %")
    form.get_by_label("Modifiers").fill("+2 lamp")
    # 9 base dice and 1 stress die: 1 - (5/6)^10
    expect(form.locator(".forecast")).to_contain_text("84 %")


def with_responses(mo: Seated) -> None:
    mo.user.post(f"{mo.api}/edits", name="Ripa", changes={"responses": ["Jumpy", "Shakes"]})
    mo.user.post(f"{mo.api}/edits", name="Dallow", changes={"responses": ["Deflated"]})


def test_a_later_pick_offers_what_fits_an_earlier_one(people: People) -> None:
    mo, anna = derelict(people)
    with_responses(mo)
    form = mo.page.locator("#act-end-response")
    form.locator("summary").click()
    expect(form.locator("#end-response-response").locator("option")).to_have_text(["Deflated"])
    form.get_by_label("Who").focus()
    form.get_by_label("Who").select_option("Ripa")
    expect(form.locator("#end-response-response").locator("option")).to_have_text(["Jumpy", "Shakes"])
    expect(form.get_by_label("Who")).to_have_value("Ripa")
    expect(form.get_by_label("Who")).to_be_focused()
    form.locator("#end-response-response").select_option("Shakes")
    form.get_by_role("button").click()
    anna.user.until(lambda: responses_of(anna, "Ripa") == ["Jumpy"])


def responses_of(seated: Seated, who: str) -> list[str]:
    return list(seated.user.context.request.get(seated.api).json()["scene"][who]["responses"])


def test_a_later_pick_offers_what_fits_without_a_script(people: People) -> None:
    mo = begun(people("Mo", javascript=False), "alien", "derelict")
    with_responses(mo)
    page = mo.open()
    form = page.locator("#act-end-response")
    form.locator("summary").click()
    form.get_by_label("Who").select_option("Ripa")
    form.get_by_role("button", name="Show the options").click()
    expect(form.locator("#end-response-response").locator("option")).to_have_text(["Jumpy", "Shakes"])


def test_a_whole_fight(people: People) -> None:
    """Round by round until one side stands alone: everybody presses the button that is preselected, an attack."""
    mo = begun(people("Mo"), "distemper", "roadblock")
    table = [mo, joined(mo, people("Anna"), "Ash"), joined(mo, people("Ben", viewport=(360, 740)), "Bell")]
    for foe in ("raider", "lookout"):
        mo.user.post(f"{mo.api}/edits", name=foe, changes={"wp": 5})
    for each in table:
        each.open()
    over = mo.story.get_by_text("The fight is over: ")
    for _ in range(400):
        if over.count():
            break
        _act(table)
    expect(over).to_have_count(1)
    for each in table:
        expect(each.story).to_contain_text("The fight is over: ")
    told = [each.story.locator(".piece.of-act:not(.undone)").all_inner_texts() for each in table]
    assert any(" attacks " in text or " fires rapidly " in text for text in told[0])


def _act(table: list[Seated]) -> None:
    """Whoever is asked attacks if they can, else says no, else takes the first thing there is."""
    caught_up(*table)
    asked = next((each for each in table if each.asked.count()), None)
    if asked is None:
        table[0].page.wait_for_timeout(50)
        return
    ask = asked.asked.first
    with asked.page.expect_response(lambda response: response.url.endswith("/answer")) as answered:
        go = ask.locator(".go").locator("visible=true")
        no = ask.locator("button[name=answer][value=no]")  # its words change when odds arrive
        (go if go.count() else no if no.count() else ask.locator(".option, button.first")).first.click()
    assert answered.value.status == 204


@pytest.mark.slow  # two servers are started
def test_the_server_goes_away_and_comes_back(people: People, serve: Serve) -> None:
    server = serve(DEMO="no")
    mo, anna = derelict(people, server)
    for each in (mo, anna):
        each.user.allow_outage()
    held: list[Route] = []
    anna.page.route("**/chances?*", lambda route: held.append(route), times=1)  # noqa: PLW0108  # playwright wants a function
    anna.open()
    anna.user.until(lambda: held)
    anna.page.locator("#talk").fill("Half a sentence")
    server.kill()
    held[0].abort("connectionreset")
    expect(anna.page.locator(".offline")).to_be_visible()
    server.start()
    expect(anna.page.locator(".offline")).to_be_hidden()
    expect(mo.page.locator(".offline")).to_be_hidden()
    assert anna.page.locator("#talk").input_value() == "Half a sentence"
    mo.page.locator("#talk").fill("We are back.")
    mo.page.locator("#talk").press("Enter")
    anna.sees("We are back.")
    anna.page.locator("#talk").press("Enter")
    mo.sees("Half a sentence")
    expect(anna.page.locator(".skills .p").first).to_contain_text("%")  # what was asked for is asked again


def test_a_second_tab_shows_the_same(people: People) -> None:
    mo, anna = derelict(people)
    second = anna.user.context.new_page()
    second.goto(f"{anna.table}?as=Ripa")
    mo.page.locator("#talk").fill("Both of you hear this.")
    mo.page.locator("#talk").press("Enter")
    for page in (anna.page, second):
        expect(page.locator("#story")).to_contain_text("Both of you hear this.")


def test_the_table_hinders_nobody(people: People, axe: Axe) -> None:
    mo = begun(people("Mo"), "distemper", "roadblock")
    anna = joined(mo, people("Anna", viewport=(360, 740), scheme="dark"), "Ash")
    expect(mo.open().locator("#roster")).to_contain_text("Ash")
    axe(mo.page)
    expect(anna.open().locator(".ask .odds, .ask .option").first).to_be_visible()
    axe(anna.page)
    for tab in ("People", "Sheet", "Story"):
        anna.page.locator(".tabs").get_by_role("link", name=tab).click()
        axe(anna.page)
    axe(anna.open("/sheet/Ash"))


def test_a_first_view_is_small(people: People) -> None:
    mo = begun(people("Mo"), "distemper", "roadblock")
    seen = mo.user.first_view(mo.table)
    assert seen.bytes < 60_000, seen.own
    assert sum(seen.fonts.values()) <= 110_000
    assert len(seen.fonts) == 2


def test_by_keyboard_alone(people: People) -> None:
    _, anna = derelict(people)
    keys = anna.page.keyboard
    expect(anna.page.locator(".skills .p").first).to_contain_text("%")
    keys.press("r")
    line = anna.page.evaluate("document.activeElement.value")
    keys.press("Enter")
    anna.sees(f"Ripa tries {line}.")
    anna.user.until(lambda: anna.story.locator(".die").count() > 0)
    if anna.asked.count():
        keys.press("1")
        keys.press("Enter")
        expect(anna.asked).to_have_count(0)
    keys.press("/")
    keys.type("By keys alone")
    keys.press("Enter")
    anna.sees("By keys alone")


def test_without_a_script(people: People) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    anna = joined(mo, people("Anna", javascript=False), "Ripa")
    page = anna.open()
    anna.roll("Observation")
    expect(page.locator("#story")).to_contain_text("Ripa tries Observation.")
    expect(page.locator("#story .die").first).to_be_visible()
    if page.locator(".ask").count():
        page.get_by_role("link", name="Show the odds").click()
        expect(page.locator(".ask .odds").first).to_contain_text("%")
        page.get_by_role("button", name="Let it stand").click()
        expect(page.locator(".ask")).to_have_count(0)
    page.locator("#talk").fill("No script here")
    page.get_by_role("button", name="Say").click()
    expect(page.locator("#story")).to_contain_text("No script here")
    anna.user.allow("status of 422")
    page.locator("#act-skill-roll summary").click()
    page.locator("#act-skill-roll").get_by_label("Modifiers").fill("many")
    page.locator("#act-skill-roll").get_by_role("button", name="Skill roll").click()
    expect(page.get_by_role("alert")).to_contain_text("a modifier such as")
    page.get_by_role("link", name="Back").click()
    expect(page.locator("#story")).to_contain_text("No script here")


def test_a_button_laid_out_anew_under_the_finger_is_pressed_all_the_same(people: People) -> None:
    mo, anna = derelict(people)
    page = anna.page
    expect(page.locator(".skills .p").first).to_contain_text("%")
    button = page.locator(".skills button", has_text="Observation").first
    button.evaluate("each => { each.dataset.pressed = 'yes' }")
    button.hover()
    page.mouse.down()
    mo.user.post(f"{mo.api}/edits", name="Ripa", changes={"stress": 2})
    expect(page.locator("[data-pressed]")).to_have_count(0)
    page.mouse.up()
    expect(page.locator("#story .die").first).to_be_visible()


def test_chances_arrive_without_touching_the_lines_they_stand_in(people: People) -> None:
    _, anna = derelict(people)
    held: list[Route] = []
    anna.page.route("**/chances?*", lambda route: held.append(route))  # noqa: PLW0108  # playwright wants a function
    anna.open()
    anna.page.locator(".skills button", has_text="Observation").first.evaluate("each => { each.dataset.seen = 'yes' }")
    expect(anna.page.locator(".skills .p").first).to_have_text("")
    held[0].continue_()
    expect(anna.page.locator("[data-seen] .p")).to_contain_text("%")


def test_on_a_phone(people: People) -> None:
    mo = begun(people("Mo"), "alien", "derelict")
    anna = joined(mo, people("Anna", viewport=(360, 740)), "Ripa")
    page = anna.open()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator(".tabs").get_by_role("link", name="Sheet").click()
    expect(page.locator("#rolls")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    anna.roll("Observation")
    expect(page.locator("#story .die").first).to_be_visible()
    page.locator(".tabs").get_by_role("link", name="People").click()
    expect(page.locator("#roster")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_game_master_answers_for_somebody_who_is_away(people: People) -> None:
    mo, anna = derelict(people)
    by_hand(anna)
    anna.roll("Observation")
    throw(anna, "2 2 3 4 5 5 2", "4")
    others = mo.page.locator(".ask.others")
    expect(others).to_contain_text("It is up to Ripa; you may answer for them.")
    expect(mo.page.locator("#waiting")).to_contain_text("Waiting for Ripa.")
    push = others.get_by_role("button", name="Push")

    def is_open() -> bool:  # odds that arrive may close it again
        if not push.is_visible():
            others.locator("summary").click()
        return push.is_visible()

    mo.user.until(is_open)
    expect(push).to_contain_text("81 %")
    others.get_by_role("button", name="Let it stand").click()
    expect(anna.asked).to_have_count(0)
    anna.sees("lets the roll stand.")


def test_who_loses_their_seat_is_told(people: People) -> None:
    mo, anna = derelict(people)
    anna.user.allow("status of 401")  # her odds may be under way
    seat = anna.user.context.request.get(anna.api).json()["you"]["id"]
    gone = mo.user.context.request.delete(f"{mo.api}/seats/{seat}", headers={"Origin": mo.user.server.address})
    assert gone.ok, gone.text()
    expect(anna.page.locator(".offline")).to_contain_text("You have no seat at this table any more.")
    before = len(anna.user.asked)
    form = anna.page.locator("#act-skill-roll")
    form.locator("summary").click()
    form.get_by_label("Modifiers").fill("+2 lamp")
    anna.page.wait_for_timeout(500)  # longer than odds wait for the next key
    assert [each.url for each in anna.user.asked[before:]] == []  # who has no seat asks for no odds


def test_figures_follow_the_scene_and_say_while_they_are_worked_out(people: People) -> None:
    """The figure of a folded action, of an open form and of a line of the sheet: all change when stress does."""
    mo, anna = derelict(people)
    page = anna.page
    folded = page.locator("#act-skill-roll > summary .p")
    line = page.locator("#rolls .p").first
    expect(folded).to_have_text(re.compile("%"))
    expect(line).to_have_text(re.compile("%"))
    before = folded.inner_text(), line.inner_text()
    waiting: list[Route] = []
    page.route(re.compile("/forecast|/chances"), lambda route: waiting.append(route))  # noqa: PLW0108  # it asks for a function
    mo.user.post(f"{mo.api}/edits", name="Ripa", changes={"stress": 5})
    expect(folded).to_have_class(re.compile("pending"))
    expect(folded).to_have_text("")
    expect(line).to_have_class(re.compile("pending"))
    anna.user.until(lambda: len(waiting) >= 2)
    page.route(re.compile("/forecast|/chances"), lambda route: route.continue_())  # comes before the one above
    for each in waiting:
        each.continue_()
    expect(folded).to_have_text(re.compile("%"))
    expect(line).to_have_text(re.compile("%"))
    assert (folded.inner_text(), line.inner_text()) != before
    page.locator("#act-skill-roll > summary").click()
    expect(page.locator("#act-skill-roll .forecast .row b").first).to_have_text(re.compile("%"))
    now = page.locator("#act-skill-roll .forecast").inner_text()
    mo.user.post(f"{mo.api}/edits", name="Ripa", changes={"stress": 0})
    expect(page.locator("#act-skill-roll .forecast")).not_to_have_text(now, use_inner_text=True)
    expect(page.locator("#act-skill-roll .forecast .row b").first).to_have_text(re.compile("%"))
