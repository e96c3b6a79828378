"""The two games of the tutorial, installed from outside, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.browser.tables import begun, joined
from tests.tutorial_package import install

if TYPE_CHECKING:
    from tests.browser.conftest import People, Serve, Server


@pytest.fixture
def outside(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server on a computer where the tutorial's package is installed."""
    (tmp_path / "tutorial").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(install(tmp_path / "tutorial")))
    return serve()


def test_the_dice_game_is_played(people: People, outside: Server) -> None:
    mo = begun(people("Mo", at=outside), "pig", "sty")
    anna = joined(mo, people("Anna", at=outside), "ana")
    page = anna.open()
    expect(page.locator("body")).to_contain_text("Score 12")
    assert "#8a2f5c" in page.evaluate("getComputedStyle(document.body).getPropertyValue('--accent')")
    page.get_by_text("Throw", exact=True).first.click()
    page.locator(".chip-pick", has_text="2").click()
    page.get_by_role("button", name="Throw", exact=True).click()
    anna.sees("throws 2 dice.")
    mo.open()
    mo.sees("throws 2 dice.")


def test_the_card_game_shows_a_hand_to_its_owner_alone(people: People, outside: Server) -> None:
    mo = begun(people("Mo", at=outside), "topper", "parlour")
    anna = joined(mo, people("Anna", at=outside), "ana")
    bert = joined(mo, people("Bert", at=outside), "bo")
    page, other = anna.open(), bert.open()
    expect(page.get_by_role("img", name="ace of spades")).to_be_attached()
    assert "ace of spades" not in other.content()
    expect(other.get_by_role("img", name="3 of clubs")).to_be_attached()
    assert "3 of clubs" not in page.content()

    page.get_by_text("Play a card", exact=True).first.click()
    page.locator(".chip-pick", has_text="AS").click()
    page.get_by_role("button", name="Play a card", exact=True).click()
    anna.sees("plays AS.")
    bert.sees("plays AS.")
    expect(other.get_by_role("img", name="ace of spades")).to_be_attached()
    assert "7 of diamonds" not in other.content()
    expect(page.locator("body")).to_contain_text("Score 1")
