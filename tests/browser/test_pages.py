"""Every page, in a real browser: it hinders nobody, fits a phone, needs no script and nobody else's server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect
from tests.browser.tables import Seated, begun, joined

if TYPE_CHECKING:
    from tests.browser.conftest import Axe, People

PUBLIC = (
    "/",
    "/join/abc",
    "/docs",
    "/rules",
    "/rules?search=stress",
    "/rules/alien",
    "/rules/alien/alien.stress.table",
    "/odds/alien",
    "/odds/alien?check=5b3s",
    "/odds/distemper?check=2d6%2B3",
)
AT_A_TABLE = (
    "",
    "?as=Ash",
    "/sheet/Ash",
    "/drafts",
    "/things",
    "/things?find=rifle",
    "/rules",
    "/rules/distemper.checks.outcomes",
    "/rules/distemper.combat-actions.catalogue",
    "/odds",
    "/odds?who=Ash&action=check&arg-using=Perception",
    "/history",
    "/history/2",
    "/history/recap",
)
MASTERS = ("/master", "/master/seats", "/master/rules", "/master/table", "/history/audit", "/history/2/undo")
LOOKS: tuple[tuple[tuple[int, int], Literal["light", "dark"]], ...] = (((1280, 800), "light"), ((360, 740), "dark"))


def roadblock(people: People, viewport: tuple[int, int], scheme: Literal["light", "dark"]) -> tuple[Seated, Seated]:
    """A fight of which a little has happened; Anna plays Ash."""
    mo = begun(people("Mo", viewport=viewport, scheme=scheme), "distemper", "roadblock")
    anna = joined(mo, people("Anna", viewport=viewport, scheme=scheme), "Ash")
    anna.user.post(f"{anna.api}/answers", question="Ash.initiative-before", answer="no")
    mo.user.post(f"{mo.api}/notes", text="The truck is on its side.")
    return mo, anna


def check_page(seated: Seated, rest: str, axe: Axe, width: int) -> None:
    page = seated.open(rest)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{rest} scrolls sideways"
    axe(page)


@pytest.mark.parametrize(("viewport", "scheme"), LOOKS, ids=["wide-light", "narrow-dark"])
def test_pages_for_everybody_hinder_nobody(
    people: People, axe: Axe, viewport: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    mo = people("Mo", viewport=viewport, scheme=scheme)
    for path in PUBLIC:
        page = mo.open(path)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport[0], f"{path} scrolls sideways"
        axe(page)


@pytest.mark.parametrize(("viewport", "scheme"), LOOKS, ids=["wide-light", "narrow-dark"])
def test_a_players_pages_hinder_nobody(
    people: People, axe: Axe, viewport: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    _, anna = roadblock(people, viewport, scheme)
    for rest in AT_A_TABLE:
        check_page(anna, rest, axe, viewport[0])


@pytest.mark.parametrize(("viewport", "scheme"), LOOKS, ids=["wide-light", "narrow-dark"])
def test_the_game_masters_pages_hinder_nobody(
    people: People, axe: Axe, viewport: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    mo, _ = roadblock(people, viewport, scheme)
    for rest in ("", *MASTERS):
        check_page(mo, rest, axe, viewport[0])


def test_no_page_needs_a_script(people: People) -> None:
    mo = begun(people("Mo", javascript=False), "distemper", "roadblock")
    for path in (*PUBLIC, *(f"{mo.table}{rest}" for rest in (*AT_A_TABLE, *MASTERS))):
        assert mo.user.open(path).get_by_role("heading", level=1).is_visible(), path


@pytest.mark.parametrize("path", ["/", "/rules", "/odds/alien", "/docs"])
def test_a_first_view_is_small(people: People, path: str) -> None:
    seen = people("Mo").first_view(path)
    assert seen.bytes < 60_000, seen.own
    assert sum(seen.fonts.values()) <= 110_000


@pytest.mark.parametrize("rest", ["", "/sheet/Ash", "/master", "/history", "/odds", "/rules"])
def test_a_first_view_at_a_table_is_small(people: People, rest: str) -> None:
    mo = begun(people("Mo"), "distemper", "roadblock")
    seen = mo.user.first_view(f"{mo.table}{rest}")
    assert seen.bytes < 60_000, seen.own


def test_a_page_does_not_jump(people: People) -> None:
    """What moves on the first view, by the browser's own measure, is next to nothing."""
    mo = begun(people("Mo"), "distemper", "roadblock")
    watch = """() => {
        window.shift = 0;
        const add = each => { if (!each.hadRecentInput) window.shift += each.value; };
        const watch = new PerformanceObserver(list => list.getEntries().forEach(add));
        watch.observe({ type: "layout-shift", buffered: true });
    }"""
    pages = {}
    for path in ("/", mo.table, f"{mo.table}?as=Ash", f"{mo.table}/sheet/Ash"):
        pages[path] = mo.user.context.new_page()
        pages[path].goto(path)
        pages[path].evaluate(watch)
    mo.page.wait_for_timeout(1500)  # for what comes later, on all of them at once
    for path, page in pages.items():
        assert page.evaluate("document.visibilityState") == "visible"  # otherwise nothing is measured
        assert page.evaluate("window.shift") < 0.1, path
