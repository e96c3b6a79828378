"""Scenario files in old words: they run, the new word is said, and `rewrite_file` changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.testing.old_words import EACH, RENAMED
from referee.testing.scenarios import check_file, rewrite_file

OLD = """\
# A file as it was written long ago.
scenario: A push that works, and costs
system: alien
sheets:
  ana: {attributes: {Agility: 4}, skills: {Piloting: 2}, stress: 1}   # most of the sheet is left out
steps:
  - {table: alien.stress.table, named: Jumpy, expect: {name: Jumpy}}
  - action: skill-roll
    who: ana
    with: {skill: Piloting}
    answers: {skill: 4 5 2 1 1 3 | 4, push: yes 6 6 2 3 4 1 | 1 5, response: 4}
    expect:
      questions:
        - {asked: skill,   "of": ana}      # spaces and quotes stay
        - ana.push
        - asked: push
          dice: {base: 6, stress: 2}
        - 'asked': response
      log: [{told: stress-response, who: ana}]
  - rule: referee.clock.pass
    note: "told: and asked: in a text stay as they are"
    with: {units: -1}
    refused: {lawful: []}
---
scenario: Time
system: alien
clock: {now: 0, deadlines: []}
scene: {passing: {kind: Passing, until: 3}}
steps:
  - {run: passing, most: 1, expect: {clock: 3}}
"""
NEW = (
    OLD.replace("named:", "row:")
    .replace('{asked: skill,   "of": ana}', '{prompt: skill,   "who": ana}')
    .replace("- asked: push", "- prompt: push")
    .replace("'asked':", "'prompt':")
    .replace("{told:", "{story:")
    .replace("lawful:", "legal:")
    .replace("most: 1", "at_most: 1")
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "old.yaml"
    path.write_bytes(OLD.encode())
    return path


def test_a_file_in_old_words_is_read_as_one_in_new_words(file: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.yaml"
    new.write_bytes(NEW.encode())
    old_reports, new_reports = check_file(file), check_file(new)
    assert [each.differences for each in old_reports] == [each.differences for each in new_reports]
    assert [each.story for each in old_reports] == [each.story for each in new_reports]
    assert [(each.steps, each.differences) for each in new_reports] == [(3, []), (1, [])]
    assert not any(each.old_words for each in new_reports)


def test_each_old_word_is_named_with_its_line_and_the_new_one(file: Path) -> None:
    assert [[f"{word.line}: {word}" for word in each.old_words] for each in check_file(file)] == [
        [
            "7: steps[1].named: `named` is now `row`",
            "14: steps[2].expect.questions[1].asked: `asked` is now `prompt`",
            "14: steps[2].expect.questions[1].of: `of` is now `who`",
            "16: steps[2].expect.questions[3].asked: `asked` is now `prompt`",
            "18: steps[2].expect.questions[4].asked: `asked` is now `prompt`",
            "19: steps[2].expect.log[1].told: `told` is now `story`",
            "23: steps[3].refused.lawful: `lawful` is now `legal`",
        ],
        ["30: steps[1].most: `most` is now `at_most`"],
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_rewritten_file_differs_in_those_words_only(file: Path, newline: str) -> None:
    file.write_bytes(OLD.replace("\n", newline).encode())
    assert rewrite_file(file) == 8
    assert file.read_bytes().decode() == NEW.replace("\n", newline)
    assert rewrite_file(file) == 0


def test_letters_of_several_bytes_do_not_shift_the_rewriting(file: Path) -> None:
    file.write_text("scenario: Ääöü – 🎲\nsystem: alien\nsteps:\n  - {run: é, most: 2}\n", encoding="utf-8")
    assert rewrite_file(file) == 1
    assert file.read_text(encoding="utf-8").endswith("- {run: é, at_most: 2}\n")


def test_an_old_word_beside_its_new_one_is_a_mistake(file: Path) -> None:
    file.write_text("system: alien\nsteps:\n  - {run: x, most: 2, at_most: 3}\n", encoding="utf-8")
    (report,) = check_file(file)
    assert str(report.differences[0]).startswith("steps[1].most: 'most' is not known")
    assert rewrite_file(file) == 0


def test_what_is_no_yaml_is_left_alone(file: Path) -> None:
    file.write_text("steps: [", encoding="utf-8")
    assert rewrite_file(file) == 0
    assert file.read_text(encoding="utf-8") == "steps: ["


def test_no_new_word_is_an_old_one_of_the_same_place() -> None:
    for place, words in RENAMED.items():
        assert not set(words) & set(words.values())
        assert place[0] == "steps"
        assert place[1] == EACH
