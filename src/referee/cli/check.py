"""`referee check`."""

from __future__ import annotations

import json
from pathlib import Path

from referee.cli.show import WORDS
from referee.cli.terminal import DIM, GREEN, RED, paint
from referee.testing.scenarios import ScenarioReport, check_file, rewrite_file


def check_files(files: list[str], *, explain: bool, rewrite: bool, as_json: bool) -> bool:
    """Whether every scenario of every file plays as it expects; with `rewrite`, renamed keys are replaced first."""
    paths = [Path(file) for file in files]
    changed = {path: rewrite_file(path) for path in paths} if rewrite else {}
    played = {path: check_file(path) for path in paths}
    found = [(file, report) for file, several in played.items() for report in several]
    if as_json:
        print(json.dumps([_plain(file, report) for file, report in found], ensure_ascii=False, indent=1))
    else:
        for file, count in changed.items():
            print(WORDS.say("rewritten" if count else "not-rewritten", file=file, count=count))
        for file, report in found:
            _print(file, report, explain=explain)
        for file in (file for file, several in played.items() if not several):
            print(WORDS.say("no-scenario", file=file))
        if any(report.old_words for _, report in found):
            print(WORDS.say("rewrite-hint"))
        wrong = sum(bool(report.differences) for _, report in found)
        print(WORDS.say("checked", passed=len(found) - wrong, failed=wrong))
    return bool(found) and not any(report.differences for _, report in found)


def _print(file: Path, report: ScenarioReport, *, explain: bool) -> None:
    said = paint(f"{WORDS.say('differs'):8}", RED) if report.differences else paint(f"{WORDS.say('plays'):8}", GREEN)
    print(f"{said}{file}: {report.title or WORDS.say('untitled')}")
    if explain:
        for line in report.story:
            print(f"    {line}")
    for word in report.old_words:
        print(paint(f"  {file}:{word.line}: {word}", DIM))
    for difference in report.differences:
        print(f"  {file}:{difference.line}: {difference}")


def _plain(file: Path, report: ScenarioReport) -> dict[str, object]:
    return {
        "file": str(file),
        "scenario": report.title,
        "passed": not report.differences,
        "steps": report.steps,
        "differences": [{"line": d.line, "where": list(d.where), "problem": d.problem} for d in report.differences],
        "renamed": [{"line": w.line, "where": list(w.where), "new": w.new} for w in report.old_words],
        "story": report.story,
    }
