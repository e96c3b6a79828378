"""Words live in one place, and a key nobody has written words for reads as itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core.errors import BadInput
from referee.core.words import Words


def words(folder: Path, text: str, language: str = "en") -> Words:
    (folder / f"{language}.yaml").write_text(text, encoding="utf-8")
    return Words(folder, language)


def test_texts_are_found_under_dotted_keys_with_figures_in_their_places(tmp_path: Path) -> None:
    said = words(tmp_path, 'prompts:\n  push: Push?\nstory:\n  hurt: "{who} loses {n}."\n')
    assert said.say("prompts.push") == "Push?"
    assert said.say("story.hurt", who="Ana", n=2) == "Ana loses 2."
    assert "prompts.push" in said
    assert "push" not in said


def test_a_key_without_words_reads_as_itself(tmp_path: Path) -> None:
    assert words(tmp_path, "a: b").say("prompts.end-response", who="x") == "end response"


def test_each_language_has_a_file_of_its_own(tmp_path: Path) -> None:
    words(tmp_path, "push: Push?")
    assert words(tmp_path, "push: Nochmal?", "de").say("push") == "Nochmal?"


def test_a_missing_file_has_no_words(tmp_path: Path) -> None:
    assert Words(tmp_path / "nowhere").texts == {}


@pytest.mark.parametrize("text", ["push: 3", "prompts: [push]", "", "prompts:\n  push:\n"])
def test_what_is_no_text_is_complained_of_by_file_and_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"en\.yaml: .*must be keys with texts"):
        words(tmp_path, text).say("push")
