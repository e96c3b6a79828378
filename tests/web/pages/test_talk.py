"""What is typed below the story: talk, commands, and the notes of a table."""

from __future__ import annotations

import re

import pytest
from tests.pictures import png
from tests.web.conftest import Market, Running, Visitor

from referee.client import Client

PNG = png()


def story(visitor: Visitor) -> str:
    page = visitor.get("")
    told = page[page.index('id="story"') : page.index('id="waiting"')]
    return " ".join(re.sub(r"<time.*?</time>|<[^>]+>", " ", told).split())


@pytest.mark.parametrize("command", ["/roll 2d6+1", "/r 2d6+1", "/R 2d6 + 1"])
def test_dice_are_rolled_and_their_total_said(market: Market, command: str) -> None:
    market.anna.post("/say", text=command)
    for each in (market.mo, market.anna, market.zoe):
        assert re.search(r"Anna rolls 2d6 ?\+ ?1\. \d \d 2d6\+1 = \d+", story(each))


def test_only_the_highest_count(market: Market) -> None:
    market.anna.post("/say", text="/r 4d6kh3")
    found = re.search(
        r"Anna rolls 4d6kh3\. (\d) (\d) (\d) (\d) 4d6kh3 = (\d+) \(not counted: (\d)\)", story(market.zoe)
    )
    assert found
    *dice, total, dropped = map(int, found.groups())
    assert total == sum(dice) - min(dice)
    assert dropped == min(dice)


def test_the_game_masters_hidden_dice_stay_hidden(market: Market) -> None:
    market.mo.post("/say", text="/r 2d6+1", hidden="yes")
    assert "2d6+1 = " in story(market.mo)
    assert "2d6" not in story(market.anna) + story(market.zoe)


def test_me_tells_what_somebody_does(market: Market) -> None:
    market.anna.post("/say", text="/me looks *around*")
    page = market.zoe.get("")
    assert re.search(r'<div class="say emote"><b>Anna</b>\s*<div class="said"><p>looks <em>around</em></p>', page)
    assert "/me" not in story(market.zoe)


@pytest.mark.parametrize("text", ["/w Zoe look out", "/W zoe: look out", "/whisper zo look out"])
def test_a_whisper_reaches_one_and_the_game_master(market: Market, text: str) -> None:
    market.anna.post("/say", text=text)
    assert "Anna whispers to Zoe look out" in story(market.zoe)
    assert "Anna whispers to Zoe look out" in story(market.mo)


def test_a_whisper_is_heard_by_no_one_else(market: Market, client: Client, running: Running) -> None:
    mo = Visitor(running.address, market.mo.table.rpartition("/")[2], market.mo.http.cookies["referee"])
    ben = client.join(_code(mo), "Ben Ash")
    visitor = Visitor(running.address, ben.campaign, ben.seated.token)
    before = visitor.get("")
    market.anna.post("/say", text="/w Zoe look out")
    market.mo.post("/say", text="/w ASH, only for you")  # by whom they play; Ben Ash is not meant
    assert _told(visitor.get("")) == _told(before)
    assert "Mo whispers to Anna only for you" in story(market.anna)
    market.anna.post("/say", text="/w ben ash hello there")
    assert "Anna whispers to Ben Ash hello there" in story(visitor)
    market.zoe.post("/say", text="/w gm is it my turn?")
    assert "Zoe whispers to Mo is it my turn?" in story(market.mo)
    assert "is it my turn" not in market.anna.raw("") + visitor.raw("")
    for each in (visitor, mo):
        each.http.close()


def _code(mo: Visitor) -> str:
    found = re.search(
        r'<code class="code">([^<]+)</code>', mo.post("/master/invitations", 200, role="player", uses="1")
    )
    assert found
    return found[1]


def _told(page: str) -> str:
    return page[page.index('id="story"') : page.index('id="asks"')]


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("/w", "say to whom you whisper, such as /w Anna look out; at the table are Mo, Zoe"),
        ("/w nobody hello", "at the table are Mo, Zoe"),
        ("/w Anna hello", "at the table are Mo, Zoe"),  # not to oneself
        ("/w Zoe", "say what you whisper"),
        ("/roll", "say which dice, such as /roll 2d6+1"),
        ("/roll many", "dice: must be dice such as 3d6"),
        ("/me", "say what you do"),
        ("/whsiper Zoe hello", "/whsiper means nothing here; /help shows what you can type"),
    ],
)
def test_a_command_that_is_wrong_is_never_said_aloud(market: Market, text: str, because: str) -> None:
    before = story(market.zoe)
    assert because in market.anna.post("/say", 422, text=text)
    assert story(market.zoe) == before


def test_two_slashes_say_one(market: Market) -> None:
    market.anna.post("/say", text="//roll is a command")
    assert "Anna /roll is a command" in story(market.zoe)


def test_help_is_shown_to_the_one_who_asks(market: Market) -> None:
    before = story(market.zoe)
    page = market.anna.post("/say", 200, text="/help")
    for part in ("/roll 2d6+1", "/r 4d6kh3", "/me looks around", "/w Anna look out"):
        assert f"<code>{part}</code>" in page
    assert "hidden throw" not in page
    assert "hidden throw" in market.mo.post("/say", 200, text="/?")
    assert story(market.zoe) == before
    live = market.anna.http.post(f"{market.anna.table}/say", data={"text": "/help"}, headers={"HX-Request": "true"})
    assert live.status_code == 200
    assert live.text.strip().startswith('<dl class="talk-help">')


def test_pages_are_shared_edited_and_removed_by_forms(market: Market) -> None:
    assert (
        market.anna.post("/notes", title="The key", text="**Ash** has it.", shared="yes")
        == f"{market.anna.table}/notes"
    )
    page = market.zoe.get("/notes")
    assert "<p><strong>Ash</strong> has it.</p>" in page
    assert "Last written by Anna." in page
    assert "<form" not in page[page.index("<main") :]  # who looks on writes nothing
    assert "Anna wrote “The key” in the journal." in story(market.zoe)
    key = _page_id(market.anna.get("/notes"))
    before = {"shared": "yes", "before": "**Ash** has it."}
    market.mo.post(f"/notes/{key}", title="The key", text="Bell has it.", **before)
    assert "Last written by Mo." in market.zoe.get("/notes")
    said = market.anna.post(f"/notes/{key}", 409, title="The key", text="Mine", **before)
    assert "someone has written on this page since you opened it" in said
    market.anna.post(f"/notes/{key}", title="The key", remove="yes", before="Bell has it.")
    assert "The key" not in market.zoe.get("/notes")


def _page_id(page: str) -> str:
    found = re.search(r'id="page-([0-9a-f]+)"', page)
    assert found
    return found[1]


def test_private_notes_are_on_no_page_of_another(market: Market) -> None:
    market.mo.post("/notes", title="Plan", text="The trader lies.")
    market.anna.post("/notes", title="Doubts", text="The trader is odd.")
    assert "The trader lies." in market.mo.get("/notes")
    assert "The trader is odd." in market.mo.get("/notes")
    mine = market.anna.get("/notes")
    assert "The trader is odd." in mine
    assert "trader lies" not in mine
    plan = _page_id(market.mo.get("/notes"))
    assert market.anna.post(f"/notes/{plan}", 404, title="x") == market.anna.post("/notes/abcdef", 404, title="x")
    for path in ("", "/notes", "/history"):
        assert "trader lies" not in market.anna.raw(path) + market.zoe.raw(path)
        assert "trader is odd" not in market.zoe.raw(path)


def test_a_handout_stays_on_the_page_of_those_who_got_it(market: Market) -> None:
    market.mo.post("/notes/handouts", title="A letter", text="Come *alone*.", to=market.seats["Anna"])
    answer = market.mo.http.post(
        f"{market.mo.table}/notes/handouts", data={"title": "The map"}, files={"picture": ("map.png", PNG, "image/png")}
    )
    assert answer.status_code == 303
    page = market.anna.get("/notes")
    assert "<h3>A letter</h3>" in page
    assert "From Mo, to Anna." in page
    assert "Come <em>alone</em>." in page
    picture = re.search(r'<img class="handout" src="([^"]+)" alt="The map"', page)
    assert picture
    assert market.anna.http.get(picture[1]).content == PNG
    assert "From Mo, to everyone." in market.zoe.get("/notes")
    assert "letter" not in market.zoe.raw("/notes") + market.zoe.raw("")
    assert "Mo hands “A letter” to Anna Come alone ." in story(market.anna)
    assert "Mo hands out “The map”" in story(market.zoe)
    assert "give it a title, or choose a picture" in market.mo.post("/notes/handouts", 422, text="hm")


def test_in_two_worlds_the_pages_of_who_may_not_know_are_the_same(running: Running, client: Client) -> None:
    seen = []
    for secret, often in (("The trader lies.", 1), ("All is well.", 2)):
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        anna, ben = (client.join(mo.invite().code, name) for name in ("Anna", "Ben"))
        first, second, third = (Visitor(running.address, mo.campaign, each.seated.token) for each in (mo, anna, ben))
        for _ in range(often):
            first.post("/notes", title=secret, text=secret)
            third.post("/notes", title=secret, text=secret)
            first.post("/notes/handouts", title=secret, to=ben.seat)
            third.post("/say", text=f"/w Mo {secret}")
        second.post("/notes", title="Mine", text="My own.")
        pages = [second.raw(path) for path in ("", "/notes", "/history", "/history/recap.md")]
        for at, each in enumerate((mo.campaign, mo.seat, anna.seat, ben.seat)):
            pages = [page.replace(each, f"id-{at}") for page in pages]
        plain = re.sub(r"<time.*?</time>|seen=[0-9a-f]{16}|page-[0-9a-f]+|notes/[0-9a-f]+", "…", "".join(pages))
        assert secret not in plain
        seen.append(plain)
        for visitor in (first, second, third):
            visitor.http.close()
    assert seen[0] == seen[1]


def test_programs_write_and_read_the_same_pages(running: Running, client: Client) -> None:
    mo = client.create("The market", "distemper", sample="market", master="Mo")
    anna, ben = (client.join(mo.invite().code, name) for name in ("Anna", "Ben"))
    anna.write_page("The key", "Ash has it.", shared=True)
    anna.write_page("Doubts", "Does he?")
    mo.note("Come alone.", title="A letter", to=[anna.seat])
    assert [(each.title, each.shared) for each in anna.notebook().pages] == [("The key", True), ("Doubts", False)]
    assert [each.title for each in ben.notebook().pages] == ["The key"]
    assert [each.title for each in anna.notebook().handouts] == ["A letter"]
    assert ben.notebook().handouts == []
    key = ben.notebook().pages[0]
    ben.write_page(key.title, "Bell has it.", page=key.id, shared=True, before=key.text)
    assert [each.text for each in mo.notebook().pages] == ["Bell has it.", "Does he?"]
