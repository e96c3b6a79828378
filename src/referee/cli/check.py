"""`referee check`."""

from __future__ import annotations

import json
from pathlib import Path

from referee.cli.show import WORDS
from referee.cli.terminal import GREEN, RED, paint
from referee.testing.scenarios import ScenarioReport, check_file


def check_files(files: list[str], *, explain: bool, as_json: bool) -> bool:
    """Whether every scenario of every file plays as it says."""
    played = {path: check_file(path) for path in map(Path, files)}
    found = [(file, told) for file, several in played.items() for told in several]
    if as_json:
        print(json.dumps([_plain(file, told) for file, told in found], ensure_ascii=False, indent=1))
    else:
        for file, told in found:
            _print(file, told, explain=explain)
        for file in (file for file, several in played.items() if not several):
            print(WORDS.say("no-scenario", file=file))
        wrong = sum(bool(told.differences) for _, told in found)
        print(WORDS.say("checked", passed=len(found) - wrong, failed=wrong))
    return bool(found) and not any(told.differences for _, told in found)


def _print(file: Path, told: ScenarioReport, *, explain: bool) -> None:
    said = paint(f"{WORDS.say('differs'):8}", RED) if told.differences else paint(f"{WORDS.say('plays'):8}", GREEN)
    print(f"{said}{file}: {told.title or WORDS.say('untitled')}")
    if explain:
        for line in told.story:
            print(f"    {line}")
    for difference in told.differences:
        print(f"  {file}:{difference.line}: {difference}")


def _plain(file: Path, told: ScenarioReport) -> dict[str, object]:
    return {
        "file": str(file),
        "scenario": told.title,
        "passed": not told.differences,
        "steps": told.steps,
        "differences": [{"line": d.line, "where": list(d.where), "problem": d.problem} for d in told.differences],
        "story": told.story,
    }
