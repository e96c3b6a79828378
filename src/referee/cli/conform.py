"""`referee conform`."""

from __future__ import annotations

import json
import signal
import sys
from types import FrameType
from typing import NoReturn

from referee import registry
from referee.cli.show import WORDS
from referee.cli.terminal import DIM, GREEN, RED, paint
from referee.table.rehearsal import open_table
from referee.testing.conform import Effort, Finding, conform
from referee.web.own_table import OWN_TABLE


def conform_system(name: str, effort: Effort, *, as_json: bool) -> bool:
    """Whether a system conforms; every part is printed when it is done."""
    system = registry.unchecked(name)
    found: list[Finding] = []
    if not as_json:
        print(WORDS.say("conform-title", title=system.title, version=system.version))
        print(paint(_time(effort), DIM))
    stopping = _Stopping()
    usual = signal.signal(signal.SIGINT, stopping.heard)

    def told(part: str, done: int, of: int) -> None:
        stopping.check()
        if not as_json:
            _progress(part, done, of)

    try:
        for each in conform(system, open_table, OWN_TABLE, effort, told):
            found.append(each)
            if not as_json:
                _print(each)
    except KeyboardInterrupt:
        _clear()
        print(WORDS.say("conform-stopped", parts=len(found)), file=sys.stderr)
        raise
    finally:
        signal.signal(signal.SIGINT, usual)
    conforms = not any(each.problems for each in found)
    if as_json:
        print(json.dumps({"conforms": conforms, "parts": [each.to_plain() for each in found]}, indent=1))
    else:
        print(WORDS.say("conforms" if conforms else "conforms-not", title=system.title))
    return conforms


def _time(effort: Effort) -> str:
    """How long it may take."""
    if effort.minutes is None:
        return WORDS.say("conform-thorough")
    return WORDS.say("conform-time", time=f"{effort.minutes:g}")


class _Stopping:
    """Ctrl-C stops what is checked, also where Python would ignore it: while something is being cleaned up."""

    asked = False

    def heard(self, _signal: int, _frame: FrameType | None) -> NoReturn:
        self.asked = True
        raise KeyboardInterrupt

    def check(self) -> None:
        if self.asked:
            raise KeyboardInterrupt


def _print(finding: Finding) -> None:
    _clear()
    said = paint(f"{WORDS.say('differs'):8}", RED) if finding.problems else paint(f"{WORDS.say('plays'):8}", GREEN)
    cut = "" if finding.complete else f"; {WORDS.say('conform-cut')}"
    print(f"{said}{finding.part}: {finding.done}{cut}")
    for problem in finding.problems:
        print(f"  {problem}")
    for rule in finding.unreached:
        print(paint(f"  {WORDS.say('conform-unreached', rule=rule)}", DIM))
    for key in finding.unworded:
        print(paint(f"  {WORDS.say('conform-unworded', what=key)}", DIM))
    for action in finding.too_large:
        print(paint(f"  {WORDS.say('conform-too-large', action=action)}", DIM))


def _progress(part: str, done: int, of: int) -> None:
    """A line that is written over, where someone is looking."""
    if sys.stdout.isatty():
        print(f"\r\033[K{WORDS.say('conform-progress', part=part, done=done, of=of)}", end="", flush=True)


def _clear() -> None:
    if sys.stdout.isatty():
        print("\r\033[K", end="")
