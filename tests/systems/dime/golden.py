"""A sample that is played to the end of its encounter with given cards and answers, told line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from referee.core.agenda import next_of
from referee.core.cards import Pile
from referee.core.plain import write
from referee.core.questions import Choose, Draw, Question, key_of
from referee.core.run import Changed, Event, Run
from referee.core.scene import Scene, State
from referee.core.trace import watching
from referee.core.wording import phrase
from referee.drivers.scripted import Script
from referee.systems.dime import SYSTEM
from referee.testing.scenarios import samples

HERE: Final = Path(__file__).parent


class Claim(NamedTuple):
    """After the claim before it, a line of the story says this and cites that rule; and why."""

    says: str
    rule: str
    why: str


class Told(NamedTuple):
    """What was told: its lines, the rules and rows that took part, the scene and the ending."""

    lines: tuple[str, ...]
    seen: frozenset[str]
    state: State
    ending: Any


def played(sample: str, encounter: str, answers: Mapping[str, Any]) -> Told:
    scene, script = Scene(dict(samples(SYSTEM))[sample]), Script(answers)
    me = scene.who(encounter)
    lines, seen = list[str](), set[str]()
    with watching(seen):
        while (following := next_of(scene, me)) is not None:
            run, told = Run(scene, following.call), 0
            while not run.done:
                lines += map(happened, run.events[told:])
                told = len(run.events)
                part = run.open[0]
                question = run.asking[part]
                answer = script.answer(question, scene)
                lines.append(f"{asked(question)} -> {phrase(question.write(answer))}  [{run.rules[0]}]")
                run.answer(answer, part)
            lines += map(happened, run.events[told:])
    script.check_used_up(())
    return Told(tuple(lines), frozenset(seen), scene.state, scene[me].over(scene, me))


def asked(question: Question[Any]) -> str:
    """Who is asked what, with the modifiers of a flip or the options of an open choice."""
    name = f"{question.who or 'game master'}.{question.name}"
    if isinstance(question, Draw):
        return f"{name}: " + ", ".join(f"{mod.amount:+} {mod.label}" for mod in question.mods)
    options = question.options if isinstance(question, Choose) else ()
    return f"{name}: " + (" / ".join(map(key_of, options)) if len(options) < 10 else "")


def happened(event: Event) -> str:
    """What changed or was told, and by which rules."""
    cited = f"[{' < '.join(event.rules)}]"
    if not isinstance(event, Changed):
        figures = " ".join(f"{name} {phrase(value)}" for name, value in event.line.figures)
        return f"{event.line.key}: {event.line.who or ''} {figures}  {cited}"
    if event.before is None or event.after is None:
        return f"{event.who}: {'comes' if event.before is None else 'goes'}  {cited}"
    if isinstance(event.after, Pile):
        was, now = (getattr(each, "cards", ()) for each in (event.before, event.after))
        moved = " ".join([*(f"-{card}" for card in was if card not in now), *(f"+{c}" for c in now if c not in was)])
        return f"{event.who}: {moved}  {cited}"
    before, after = write(event.before), write(event.after)
    changed = (field for field in {**before, **after} if before.get(field) != after.get(field))
    moved = ", ".join(f"{each} {phrase(before.get(each))} -> {phrase(after.get(each))}" for each in changed)
    return f"{event.who}: {moved}  {cited}"


def check_recording(name: str, told: Told) -> None:
    """As recorded beside this file; `REFEREE_RECORD=1` writes the recording anew."""
    recording, story = HERE / f"{name}.txt", "\n".join(told.lines) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        recording.write_text(story, encoding="utf-8")
    assert story == recording.read_text(encoding="utf-8")


def check_claims(told: Told, claims: Iterable[Claim]) -> None:
    """Every claim is found, in this order, and its rule stands behind it."""
    at = 0
    for claim in claims:
        found = [n for n, line in enumerate(told.lines) if n >= at and claim.says in line]
        assert found, (claim, told.lines[at : at + 12])
        at = found[0]
        rule, _, row = claim.rule.partition("#")
        cited = rule if rule.startswith("referee.") else f"dime.{rule}"
        assert cited in told.lines[at] or cited in told.seen, (claim, told.lines[at])
        assert not row or f"{cited}#{row}" in told.seen, claim
