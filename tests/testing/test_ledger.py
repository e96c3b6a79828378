"""From ledger to rulebook: the same entries, by chapter, without where they were found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee.core.errors import BadInput
from referee.core.printed_book import PrintedBook
from referee.testing import ledger
from referee.testing.ledger import rulebook_files, write_rulebook

ARMS = """\
system: inn
part: arms
source: 001_inn.txt
rules:

  # ------------------------------------------------ Arms (lines 1-9)
  - id: inn.arms.blades
    chapter: Arms / Blades
    file: "arms; and
      legs.md"
    lines: [3, 9]
    kind: catalogue
    optional: false
    rule: >-
      Blades are
      sharp.
    values:
      weapons:   # as printed
        - {name: knife, cost: 2}
    source: [summary, lookup]
    refs: [inn.songs.song]

  # ------------------------------------------------ Songs
  - id: inn.songs.song
    chapter: Songs
    lines: [12, 12]
    kind: option
    optional: true
    rule: Who sings is heard.
    values:
      - {name: ballad, cost: 2}
    examples:
      - {given: {song: ballad}, expect: {cost: 2}}
    unclear: How loud is not said.
"""
MORE = """\
system: inn
part: more
source: 002_inn.txt
rules:
  - id: inn.arms.clubs
    chapter: Clubs
    kind: mechanic
    optional: false
    rule: Clubs are blunt.
"""
ARMS_FILE = """\
system: inn
rules:
  - id: inn.arms.blades
    chapter: Arms / Blades
    kind: catalogue
    optional: false
    rule: >-
      Blades are
      sharp.
    values:
      weapons:   # as printed
        - {name: knife, cost: 2}
    refs: [inn.songs.song]

  - id: inn.arms.clubs
    chapter: Clubs
    kind: mechanic
    optional: false
    rule: Clubs are blunt.
"""


def ledgers(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [folder / f"{name}.yaml" for name in texts]


def test_a_rulebook_has_a_file_per_chapter_and_no_provenance(tmp_path: Path) -> None:
    files = rulebook_files(ledgers(tmp_path, arms=ARMS, more=MORE))
    assert list(files) == ["arms.yaml", "songs.yaml"]
    assert files["arms.yaml"] == ARMS_FILE
    assert "lines:" not in files["songs.yaml"]


def test_what_is_written_loads_with_the_same_ids_texts_and_figures(tmp_path: Path) -> None:
    folder = tmp_path / "rulebook"
    written = write_rulebook(ledgers(tmp_path, arms=ARMS, more=MORE), folder)
    assert [each.name for each in written] == ["arms.yaml", "songs.yaml"]
    book = PrintedBook("inn", folder)
    assert book.ids == ("inn.arms.blades", "inn.arms.clubs", "inn.songs.song")
    assert book.entry("inn.arms.blades").rule == "Blades are sharp."
    assert book.entry("inn.arms.blades").values == {"weapons": [{"name": "knife", "cost": 2}]}
    song = book.entry("inn.songs.song")
    assert (song.optional, song.values, song.unclear) == (
        True,
        [{"name": "ballad", "cost": 2}],
        "How loud is not said.",
    )
    assert song.examples == ({"given": {"song": "ballad"}, "expect": {"cost": 2}},)


def test_written_again_it_is_the_same_and_a_file_that_was_worked_on_is_kept(tmp_path: Path) -> None:
    sources, folder = ledgers(tmp_path, arms=ARMS), tmp_path / "rulebook"
    first = {each: each.read_bytes() for each in write_rulebook(sources, folder)}
    assert {each: each.read_bytes() for each in write_rulebook(sources, folder)} == first
    (folder / "songs.yaml").write_text("system: inn\nrules: []\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"songs\.yaml: is there already, and differs"):
        write_rulebook(sources, folder)
    assert (folder / "songs.yaml").read_text("utf-8") == "system: inn\nrules: []\n"


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"a": ARMS, "b": ARMS}, "b.yaml: inn.arms.blades: stands in a.yaml too"),
        ({"a": ARMS, "b": MORE.replace("inn", "pub")}, "ledger: several systems: inn in a.yaml, pub in b.yaml"),
        ({"a": MORE.replace("id: inn.", "id: pub.")}, "a.yaml: pub.arms.clubs: an id of this system begins with inn."),
        ({"a": MORE.replace("system: inn\n", "")}, "a.yaml: names no system"),
        ({"a": "system: inn\nrules: 3\n"}, "a.yaml: is no ledger"),
        ({"a": "system: inn\nrules: [\n"}, "a.yaml: is no ledger"),
        ({"a": f"{MORE}  - {{id: inn.songs.lost, rule: x}}\n"}, "begins with a line `  - id: …`: inn.songs.lost"),
        ({"a": MORE.replace("kind: mechanic", "kind: magic")}, "arms.yaml: inn.arms.clubs: kind: 'magic' is not known"),
    ],
)
def test_a_ledger_that_cannot_be_taken_over_is_refused_by_name(
    tmp_path: Path, texts: dict[str, str], problem: str
) -> None:
    with pytest.raises(BadInput) as refused:
        write_rulebook(ledgers(tmp_path, **texts), tmp_path / "rulebook")
    assert problem in str(refused.value)


def test_it_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = ledgers(tmp_path, arms=ARMS)
    folder = tmp_path / "rulebook"
    monkeypatch.setattr(sys, "argv", ["make rulebook", str(source), "--to", str(folder)])
    ledger.main()
    assert capsys.readouterr().out.split() == [str(folder / "arms.yaml"), str(folder / "songs.yaml")]
    monkeypatch.setattr(sys, "argv", ["make rulebook", str(tmp_path / "none.yaml"), "--to", str(folder)])
    with pytest.raises(SystemExit, match=r"none\.yaml"):
        ledger.main()
