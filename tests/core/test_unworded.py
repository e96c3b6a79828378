"""What a system has no words for is listed by the key under which they would stand."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from referee.core import Levels, Open, frozen
from referee.core.system import System
from referee.core.unworded import unworded


@frozen
class Hold:
    """Whom somebody holds, and how firmly."""

    foe: str
    margin: int = 0


@frozen
class Wrestler:
    """Somebody who is never called by field names."""

    stamina: Open[int] = 5
    hold: Open[Hold | None] = None
    grudges: Open[Levels] = field(default_factory=Levels)
    motto: Open[str] = ""


WORDS = "changes: {hold: {set: '{who} holds {foe}.', cleared: ''}}"
LOOK = "vitals: [{words: Stamina, field: stamina, drawn: figure}]\nquiet: [hold.margin, grudges]"


def listed(folder: Path, look: str = "") -> set[str]:
    (folder / "words").mkdir()
    (folder / "words" / "en.yaml").write_text(WORDS, encoding="utf-8")
    if look:
        (folder / "look.yaml").write_text(look, encoding="utf-8")
    return set(unworded(System("wrestling", "Wrestling", folder, 1, Wrestler)))


def test_changes_without_words_are_listed(tmp_path: Path) -> None:
    grudges = {f"changes.grudges.{end}" for end in ("gained", "lost", "changed")}
    assert listed(tmp_path) == {"changes.stamina.changed", *grudges}


def test_what_is_drawn_with_a_label_and_what_is_quiet_needs_none(tmp_path: Path) -> None:
    assert listed(tmp_path, LOOK) == set()
