"""A whole negotiation with fixed dice: told as it is recorded beside this file, and right by claims made by hand.

The recording says that nothing has changed; the claims, that what it says is what the book says. After a change that
was meant, `REFEREE_RECORD=1` writes the recording anew; the claims have to hold as they stand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from referee.core.plain import write
from referee.core.questions import Choose, Question, Roll, key_of
from referee.core.run import Changed, Event, Run
from referee.core.scene import Scene
from referee.core.trace import watching
from referee.core.wording import phrase
from referee.drivers.scripted import Script
from referee.systems.distemper import SYSTEM

RECORDING: Final = Path(__file__).with_name("golden_negotiation.txt")

SHEETS: Final = {
    "Ash": {"attributes": {"Influence": 2, "Acumen": 1}, "skills": {"Charm": 1}},
    "Bell": {"attributes": {"Acumen": 1}, "skills": {"Perception": 2, "Barter": 1}, "insight": 1},
}
ARGUMENTS: Final = {
    "who": "Ash",
    "other": "Bell",
    "using": "Charm",
    "cmods": ["+2 a gift", "-1 late"],
    "other_cmods": ["-4 sleepless"],
}
ANSWERS: Final = {
    "Ash.insight-before": ["extra die", "no"],
    "Ash.check": "2 3",
    "Ash.extra-die": "4",
    "Ash.insight-after": "bonus",
    "Bell.agrees": "no",
    "Bell.rebuts": "yes",
    "Bell.using": "Perception",
    "Bell.insight-before": "no",
    "Bell.check": "1 6",
    "Bell.insight-after": "re-roll low",
    "Bell.re-roll": "6",
}


class Told(NamedTuple):
    """The negotiation as it was played: its lines, the rules and rows that took part, what came of it."""

    lines: list[str]
    seen: set[str]
    result: Any
    scene: Scene


def played() -> Told:
    script, lines, seen = Script(ANSWERS), [f"negotiate {phrase(ARGUMENTS, whole=True)}"], set[str]()
    action = SYSTEM.action("negotiate")
    scene = Scene(SYSTEM.state(SHEETS))
    with watching(seen):
        run = Run(scene, action.rule(*action.rule.arguments(ARGUMENTS)))
        told = 0
        while not run.done:
            lines += map(happened, run.events[told:])
            told = len(run.events)
            (question,), by = run.asking, run.rules[0]
            answer = script.answer(question, scene)
            lines.append(f"{question.who}.{question.name}: {asked(question)} -> {answered(question, answer)}  [{by}]")
            run.answer(answer)
        lines += map(happened, run.events[told:])
    script.check_used_up(run.not_asked)
    lines += (f"{name} {phrase(value, whole=True)}" for name, value in write(run.result).items())
    return Told(lines, seen, run.result, scene)


def asked(question: Question[Any]) -> str:
    if isinstance(question, Roll):
        mods = "".join(f", {mod} ({mod.rule})" for mod in question.mods)
        return f"{question.pool}{mods}"
    assert isinstance(question, Choose)
    return " / ".join(map(key_of, question.options))


def answered(question: Question[Any], answer: Any) -> str:
    plain = question.write(answer)
    return " ".join(str(pip) for group in plain for pip in group) if isinstance(question, Roll) else str(plain)


def happened(event: Event) -> str:
    assert isinstance(event, Changed)
    before, after = write(event.before), write(event.after)
    moved = ", ".join(
        f"{field} {phrase(before[field], whole=True)} -> {phrase(after[field], whole=True)}"
        for field in differing(event)
    )
    return f"{event.who}: {moved}  [{event.rules[0]}]"


def differing(event: Changed) -> Iterator[str]:
    before, after = write(event.before), write(event.after)
    return (field for field in after if before[field] != after[field])


# --- the recording ----------------------------------------------------------------------------------------------------


def test_the_negotiation_is_told_as_recorded() -> None:
    story = "\n".join(played().lines) + "\n"
    if os.environ.get("REFEREE_RECORD"):
        RECORDING.write_text(story, encoding="utf-8")
    assert story == RECORDING.read_text(encoding="utf-8")


# --- the claims, reckoned by hand from the ledger ---------------------------------------------------------------------


class Claim(NamedTuple):
    """On the line of the story that begins so stands this figure, by this rule."""

    line: str
    figure: str
    rule: str


CLAIMS: Final = (
    # Charm is not in the list of skills; it goes with Influence (2), and Ash has level 1.
    Claim("Ash.check:", ", +2 Influence (distemper.checks.amod)", "distemper.skills.unlisted-referenced#Charm"),
    Claim("Ash.check:", ", +1 Charm (distemper.checks.smod)", "distemper.checks.smod"),
    Claim(
        "Ash.check:", ", +2 a gift (distemper.checks.cmod), -1 late (distemper.checks.cmod)", "distemper.checks.cmod"
    ),
    Claim("Ash.check:", "Ash.check: 2 d6,", "distemper.checks.dice-check"),
    # A player begins with two dice; the third die costs one of them and is declared before the roll.
    Claim("Ash: insight nothing", "-> 1", "distemper.insight.dice-economy"),
    Claim("Ash.insight-before:", "extra die / bonus / no -> extra die", "distemper.insight.uses#extra die"),
    Claim("Ash.extra-die:", "1 d6 -> 4", "distemper.insight.uses"),
    # The bonus is declared after the roll and costs the other.
    Claim(
        "Ash.insight-after:",
        "re-roll low / re-roll high / re-roll both / bonus / no -> bonus",
        "distemper.insight.uses#bonus",
    ),
    Claim("Ash: insight 1", "-> 0", "distemper.insight.dice-economy"),
    # 2 + 3 + 4 + 2 + 1, and 2 - 1 + 3: 16 is 14 or more.
    Claim("gambit", "total: 16", "distemper.checks.dice-check"),
    Claim("gambit", "outcome: Wild Success", "distemper.checks.outcomes#Wild Success"),
    Claim("gambit", "moment: nothing", "distemper.insight.moments"),
    # Bell need not agree, may answer, and by one of four checks.
    Claim("Bell.agrees:", "yes / no -> no", "distemper.social.negotiation-gambit"),
    Claim("Bell.rebuts:", "yes / no -> yes", "distemper.social.negotiation-gambit"),
    Claim(
        "Bell.using:", "Acumen / Barter / Perception / Survival -> Perception", "distemper.social.negotiation-rebuttal"
    ),
    # Perception goes with Acumen (1), level 2; a Wild Success is -3 to any rebuttal.
    Claim("Bell.check:", ", +1 Acumen (distemper.checks.amod)", "distemper.skills.unlisted-referenced#Perception"),
    Claim("Bell.check:", ", +2 Perception (distemper.checks.smod)", "distemper.checks.smod"),
    Claim("Bell.check:", ", -4 sleepless (distemper.checks.cmod)", "distemper.checks.cmod"),
    Claim(
        "Bell.check:",
        ", -3 Wild Success of the gambit (distemper.social.negotiation-gambit)",
        "distemper.social.negotiation-gambit#Wild Success",
    ),
    # The 1 is thrown again, for Bell's one die, and beside the other 6 it makes a Moment of High Insight.
    Claim("Bell.insight-after:", "-> re-roll low", "distemper.insight.uses#re-roll"),
    Claim("Bell.re-roll:", "1 d6 -> 6", "distemper.insight.uses"),
    Claim("Bell: insight 1", "-> 0", "distemper.insight.dice-economy"),
    Claim("Bell: insight 0", "-> 1", "distemper.insight.dice-economy"),
    # 6 + 6 + 1 + 2, and -3 - 4 held at -5: 10, which would only succeed; the double makes it wild.
    Claim("rebuttal", "total: 10", "distemper.checks.cmod"),
    Claim("rebuttal", "outcome: Wild Success", "distemper.insight.moments#High"),
    Claim("rebuttal", "moment: High", "distemper.insight.moments#High"),
    Claim("end", "deal", "distemper.social.negotiation-rebuttal#Wild Success"),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.line} {claim.figure}")
def test_every_line_says_what_the_book_says(claim: Claim) -> None:
    told = played()
    lines = [line for line in told.lines if line.startswith(claim.line)]
    assert any(claim.figure in line for line in lines), lines
    assert claim.rule in told.seen


def test_the_claims_leave_no_question_and_no_change_out() -> None:
    """Every line of the story but the first is claimed, or is an offer nobody took."""
    claimed = [line for line in played().lines[1:] if any(line.startswith(claim.line) for claim in CLAIMS)]
    others = [line for line in played().lines[1:] if line not in claimed]
    assert [line.partition(":")[0] for line in others] == ["Bell.insight-before"]


def test_what_is_left_of_it_on_the_sheets() -> None:
    told = played()
    ash, bell = (SYSTEM.plain_value(told.scene.state[name]) for name in ("Ash", "Bell"))
    assert (ash["insight"], bell["insight"]) == (0, 1)
    assert told.result.end == "deal"
