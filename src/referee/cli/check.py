"""`referee check`."""

from __future__ import annotations

import json
from pathlib import Path

from referee.testing.scenarios import Told, check_file


def check_files(files: list[Path], *, explain: bool, as_json: bool) -> bool:
    """Whether every scenario of every file plays as it says."""
    found = [(file, told) for file in files for told in check_file(file)]
    if as_json:
        print(json.dumps([_plain(file, told) for file, told in found], ensure_ascii=False, indent=1))
    else:
        for file, told in found:
            _print(file, told, explain=explain)
        wrong = sum(bool(told.differences) for _, told in found)
        print(f"{len(found) - wrong} passed, {wrong} failed")
    return bool(found) and not any(told.differences for _, told in found)


def _print(file: Path, told: Told, *, explain: bool) -> None:
    print(f"{'differs' if told.differences else 'ok':8}{file}: {told.title or 'a scenario'}")
    if explain:
        for line in told.story:
            print(f"    {line}")
    for difference in told.differences:
        print(f"  {file}:{difference.line}: {difference}")


def _plain(file: Path, told: Told) -> dict[str, object]:
    return {
        "file": str(file),
        "scenario": told.title,
        "passed": not told.differences,
        "steps": told.steps,
        "differences": [{"line": d.line, "where": list(d.where), "problem": d.problem} for d in told.differences],
        "story": told.story,
    }
