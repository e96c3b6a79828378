"""The history in the browser: pages, steps, going back, forks, who did what, and the recap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from referee.web.pages.history.recap import evenings, set_out
from referee.web.pages.parts.story import undone_in

if TYPE_CHECKING:
    from tests.web.conftest import Market, Visitor

PIECE = re.compile(r'id="item-(\d+)"')
SCRIPT = "<script>alert(1)</script> \N{WOLF FACE} ->"


def text_of(page: str) -> str:
    """What is read of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def items_of(page: str) -> list[int]:
    return [int(each) for each in PIECE.findall(page)]


def check(who: Visitor, character: str = "Ash") -> None:
    """A check, in which no Insight is spent."""
    who.post("/act", action="check", who=character, **{"arg-using": "Reason"})
    for _ in range(4):
        asked = re.search(r'name="question" value="([^"]+)"', who.raw(""))
        if asked is None:
            return
        who.post("/answer", question=asked[1], answer="no")


def hurt(market: Market, character: str, points: str) -> None:
    market.mo.post("/act", action="hurt", **{"arg-who": character, "arg-wp": points, "arg-rp": "0"})


# --- the story --------------------------------------------------------------------------------------------------------


def test_the_story_reads_by_pages_of_sixty_the_newest_first(market: Market) -> None:
    for number in range(70):
        market.mo.post("/say", text=f"word {number}")
    newest, older = market.zoe.get("/history"), market.zoe.get("/history?page=2")
    assert "Page 1 of 2" in text_of(newest)
    assert newest.index("word 20") < newest.index("word 69")
    assert "word 69" not in older
    assert "Evening of" in older
    assert "Evening of" not in newest
    assert market.zoe.get("/history?page=99") == older
    assert not set(items_of(newest)) & set(items_of(older))


def test_a_whisper_stays_with_those_it_was_for(market: Market) -> None:
    market.mo.post("/say", text="the vault is open", to=market.seats["Anna"])
    assert "the vault is open" in market.anna.get("/history")
    assert "the vault is open" not in market.zoe.get("/history")
    for seat in market[:3]:
        assert "the vault is open" not in seat.get("/history/recap.md")


def test_what_was_undone_on_a_later_page_is_marked_on_the_earlier(market: Market) -> None:
    hurt(market, "Ash", "2")
    item = max(items_of(market.mo.get("/history")))
    for number in range(60):
        market.mo.post("/say", text=f"word {number}")
    market.mo.post("/undo", item=item)
    assert re.search(rf'class="piece[^"]* undone" id="item-{item}"', market.mo.raw("/history?page=2"))


def test_undone_items_are_told_from_any_place_on() -> None:
    items = [
        {"id": 4, "kind": "began"},
        {"id": 5, "kind": "said"},
        {"id": 6, "kind": "edited"},
        {"id": 7, "kind": "undone", "to": 2},
        {"id": 8, "kind": "redone", "from": 2},
        {"id": 9, "kind": "undone", "to": 6},
    ]
    assert undone_in(items) == {6}


# --- step by step -----------------------------------------------------------------------------------------------------


def test_a_step_shows_what_changed_and_leads_on_and_back(market: Market) -> None:
    hurt(market, "Ash", "3")
    items = items_of(market.anna.get("/history"))
    page = market.anna.get(f"/history/{items[-1]}")
    assert "Ash: Wounds 10 7 distemper." in text_of(page)
    assert f'href="{market.anna.table}/history/{items[-2]}" data-key="ArrowLeft"' in page
    assert f'href="{market.anna.table}/history/{items[0]}" data-key="Home"' in page
    assert 'data-key="ArrowRight"' not in page
    assert 'data-key="End"' not in page
    before = market.anna.get(f"/history/{items[-2]}")
    assert f'href="{market.anna.table}/history/{items[-1]}" data-key="ArrowRight"' in before
    assert f'id="item-{items[-1]}"' not in before


def test_there_is_no_step_that_was_not_told(market: Market) -> None:
    assert "no such item" in market.anna.get("/history/9999", 422)
    market.anna.get("/history/nothing", 422)
    market.anna.get(f"/history/{'9' * 5000}", 422)


# --- going back -------------------------------------------------------------------------------------------------------


def test_what_would_go_is_listed_before_it_goes(market: Market) -> None:
    hurt(market, "Ash", "3")
    first = max(items_of(market.mo.get("/history")))
    hurt(market, "Bell", "2")
    page = market.mo.get(f"/history/{first}/undo")
    assert "Ash: Wounds 10 → 7" in text_of(page)
    assert "Bell: Wounds 10 → 8" in text_of(page)
    assert "Undo all this" in page
    assert "Ash: Wounds 10 → 7" in text_of(market.anna.get(""))
    assert "undid what" not in market.anna.get("/history")
    market.mo.post("/undo", item=re.findall(r'name="item" value="(\d+)"', page)[0])
    assert "Mo undid what is struck through." in market.anna.get("/history")
    assert f'href="{market.mo.table}/history/{first}/undo"' not in market.mo.get(f"/history/{first}")
    assert "Redo what was undone" in market.mo.get("/history")
    market.mo.post("/redo")
    assert "Mo took back the undo." in market.anna.get("/history")


def test_who_may_not_go_back_is_told_why_and_has_no_button(market: Market) -> None:
    hurt(market, "Ash", "3")
    item = max(items_of(market.anna.get("/history")))
    page = market.anna.get(f"/history/{item}/undo")
    assert "others have made decisions since" in page
    assert "let all this go" not in page
    spectator = market.zoe.get(f"/history/{item}/undo")
    assert "You cannot" in spectator


# --- forks ------------------------------------------------------------------------------------------------------------


def test_a_fork_goes_on_from_before_a_step(market: Market) -> None:
    hurt(market, "Ash", "3")
    item = max(items_of(market.mo.get("/history")))
    to = market.mo.post(f"/history/{item}/fork", name=f"Otherwise {SCRIPT}")
    assert to.startswith("/table/")
    assert to != market.mo.table
    page = market.mo.http.get(to)
    assert page.status_code == 200
    assert "&lt;script&gt;" in page.text
    assert "Wounds <b>10" not in page.text
    assert "Ash: Wounds 10 → 7" in text_of(market.mo.get(""))
    assert market.anna.post(f"/history/{item}/fork", 403, name="Mine")
    assert "name" in market.mo.post(f"/history/{item}/fork", 422, name="")


# --- who did what -----------------------------------------------------------------------------------------------------


def test_an_undo_is_told_with_the_dice_that_were_seen(market: Market) -> None:
    check(market.anna)
    act = re.search(r'class="piece of-act" id="item-(\d+)"', market.mo.raw("/history"))
    assert act
    market.mo.post("/undo", item=act[1])
    page = text_of(market.mo.get("/history/audit"))
    assert re.search(r"Line \d+ Mo went back, over \d+ lines\. Had fallen before: Ash, check: \d, \d", page)
    assert "undone by Mo" in text_of(market.mo.get("/history/audit?what=all&by=dice"))


@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ("what=all&by=dice", "dice answered", "Mo edited"),
        ("what=all&who=Bell", "Bell", "Ash"),
        ("what=all&rule=distemper.checks", "distemper.checks", "edited"),
    ],
)
def test_lines_are_found_by_actor_character_and_rule(market: Market, query: str, there: str, not_there: str) -> None:
    check(market.anna)
    market.mo.post("/master/person", name="Bell", **{"f-wp": "4"})
    found = market.mo.get(f"/history/audit?{query}")
    lines = text_of(found[found.index('<ol class="leaf rows audit">') :])
    assert there in lines
    assert not_there not in lines


# --- the recap --------------------------------------------------------------------------------------------------------


def test_a_recap_is_written_from_the_log_without_dice(market: Market) -> None:
    check(market.anna)
    hurt(market, "Bell", "3")
    found = market.zoe.http.get(f"{market.zoe.table}/history/recap.md")
    assert found.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "attachment" in found.headers["content-disposition"]
    lines = found.text.splitlines()
    assert lines[0] == "# The market"
    assert lines[2].startswith("## Evening of ")
    assert "joined" not in found.text
    assert lines[4].startswith("- **Ash** tries Reason.")
    assert re.search(r"(Success|Failure) with -?\d+\.", lines[4])
    assert lines[5].endswith("Bell: Wounds 10 to 7.")


@pytest.mark.parametrize(
    ("length", "says"), [("short", "**Ash** tries Reason, and "), ("page", "**Ash** tries Reason, and ")]
)
def test_a_recap_has_three_lengths_and_the_short_ones_no_figures(market: Market, length: str, says: str) -> None:
    check(market.anna)
    hurt(market, "Bell", "3")
    text = market.zoe.get(f"/history/recap.md?length={length}")
    assert says in text
    assert not re.search(r"with \d|Wounds", text)
    assert market.zoe.get("/history/recap.md?length=whole") == market.zoe.get("/history/recap.md")
    page = market.zoe.get(f"/history/recap?length={length}")
    assert f'length={length}" aria-current="page"' in page


def test_who_has_nothing_left_is_told_in_words_and_figures_below_zero_have_a_minus(market: Market) -> None:
    hurt(market, "Bell", "11")
    assert "Bell has no Wounds left." in market.zoe.get("/history/recap.md?length=short")
    assert "Bell: Wounds 10 to \N{MINUS SIGN}1." in market.zoe.get("/history/recap.md?length=whole")


def test_a_file_is_called_as_the_campaign_is(market: Market) -> None:
    found = market.zoe.http.get(f"{market.zoe.table}/history/recap.md")
    assert "filename*=UTF-8''The%20market%20recap.md" in found.headers["content-disposition"]


def test_everyone_begins_with_a_capital_in_a_recap(market: Market) -> None:
    market.mo.post(
        "/act", action="opposed-check", who="Ash", arg__using="Reason", arg__other="trader", arg__answering="Reason"
    )
    for length in ("short", "page", "whole"):
        text = market.zoe.get(f"/history/recap.md?length={length}")
        assert "Trader" in text
        assert "trader" not in text


def test_what_was_undone_is_not_in_the_recap(market: Market) -> None:
    hurt(market, "Bell", "3")
    assert "Bell: Wounds 10 to 7." in market.mo.get("/history/recap.md")
    market.mo.post("/undo", item=max(items_of(market.mo.get("/history"))))
    assert "Bell: Wounds" not in market.mo.get("/history/recap.md")


def test_a_hidden_foe_is_in_nobodys_recap_and_no_players_history(market: Market) -> None:
    market.mo.post("/master/person", new="yes", name="Stalker", hidden="yes", **{"f-player": "no"})
    hurt(market, "Stalker", "2")
    check(market.mo, "Stalker")
    assert "Stalker" in market.mo.get("/history")
    draft = market.mo.get("/history/recap")
    assert "Stalker" not in draft
    for page in ("/history", "/history/recap", "/history/recap.md"):
        assert "Stalker" not in market.anna.get(page)
        assert "Stalker" not in market.zoe.get(page)
    last = max(items_of(market.anna.get("/history")))
    assert "Stalker" not in market.anna.get(f"/history/{last}")


def test_the_game_master_changes_the_recap_for_everybody_and_the_latest_counts(market: Market) -> None:
    market.mo.post("/history/recap", text="first words")
    to = market.mo.post("/history/recap", text=f"# So far\n\n## One\n\n- *Ash* met {SCRIPT}")
    assert to == f"{market.mo.table}/history/recap?saved=true"
    page = market.anna.raw("/history/recap")
    assert "<h3>One</h3>" in page
    assert "<em>Ash</em> met &lt;script&gt;alert(1)&lt;/script&gt; \N{WOLF FACE} -&gt;" in page
    assert "Written by Mo." in page
    assert "first words" not in page
    assert market.anna.get("/history/recap.md").startswith("# So far")
    assert 'name="text"' not in page.partition("<main")[2]
    assert "Mo has written down what happened so far." in market.anna.get("/history")
    assert "The market" in market.mo.get("/history/recap?anew=true").partition("<textarea")[2]
    assert market.anna.post("/history/recap", 403, text="mine")
    assert "20000 characters" in market.mo.post("/history/recap", 422, text=" ")


def test_a_long_silence_begins_a_new_evening() -> None:
    items = [{"id": number, "at": at} for number, at in enumerate((0, 60, 10_860, 10_861, 21_662))]
    assert [(at, [each["id"] for each in some]) for at, some in evenings(items)] == [(0, [0, 1, 2, 3]), (21_662, [4])]


def test_a_recap_is_set_out_with_headings_and_lists() -> None:
    assert (
        set_out("# One\n- a\n- <b>\n\n###### deep") == "<h2>One</h2><ul><li>a</li><li>&lt;b&gt;</li></ul><h4>deep</h4>"
    )
