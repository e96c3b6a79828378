"""A whole fight of two against two with fixed dice: its story as recorded, and claims reckoned by hand.

The recording (`golden_fight.txt`) says that nothing has changed; the claims say that it is right. They are checked
against the fight itself, never against the recording. `REFEREE_RECORD=1 pytest …` writes the recording anew.
"""

from __future__ import annotations

import os
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core import Scene
from referee.core.files import load_yaml
from referee.core.plain import spoken, write
from referee.core.questions import Choose, Question, Roll
from referee.core.run import Changed, Event, Run
from referee.drivers.journal import Journal
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.fight import FIGHT

HERE: Final = Path(__file__).parent
RECORDING: Final = HERE / "golden_fight.txt"
FILE: Final[dict[str, Any]] = load_yaml((HERE / "golden_fight.yaml").read_text("utf-8"))

# The round, what a line of its story must say, and a rule that the line must cite; in the order of the story.
CLAIMS: Final = (
    # 3+4 and Dexterity 2, Acumen 2, Perception 1; Bell and Rat 9 each, Lou 2+2 and 3.
    (1, "fight: scores {} -> {Ash: 12}", "combat.round"),
    (1, "-> {Ash: 12, Bell: 9, Lou: 7, Rat: 9}", "combat.round"),
    (1, "left {} -> {Ash: 2, Bell: 2, Lou: 2, Rat: 2}", "combat.round"),
    # 3+3, Dexterity 2, Ranged Combat 2, Aim 2, no defense: 12 hits for 4 and 3. Twice 4 is more than 7: no panic.
    (1, "Ash.check 3 3 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, +2 Aim)", "combat.attack-roll"),
    (1, "Lou: rp 7 -> 4, wp 7 -> 3", "combat.damage-tracks"),
    # Bell hits with 3+4+2+2 and defends; Rat, equally fast, hits all the same: 4+5+2+1-1, the sheet's defense alone.
    (1, "Rat.check 4 5 (+2 Physicality, +1 Melee Combat, -1 Bell's defense)", "combat.attack-roll"),
    # Then all of it happens: 4 and 2 to Rat, 5 and 3 to Bell.
    (1, "Rat: rp 8 -> 6, wp 9 -> 5", "combat.damage-tracks"),
    (1, "Bell: rp 10 -> 7, wp 12 -> 7", "combat.damage-tracks"),
    # Rat distracts with 5+4+0+1; Ash has no action left and loses one of the next round.
    (1, "fight: lost {} -> {Ash: 1}", "combat-actions.distract"),
    # 4+4+2+1-1 hits: -2 on Ash's next action, and no damage.
    (1, "effects: +Cover Fire on Ash", "combat-actions.cover-fire"),
    # What lasted for the round ends; everybody was involved, so nobody has a quiet round.
    (1, "effects: -Defend on Bell, -Take Cover on Lou", "combat.resolution-phase"),
    # Lou 5+6+3, Ash 1+2+5, Rat 2+3+1, Bell 1+1+1, and a double one is no moment here. Ash has one action.
    (2, "-> {Ash: 8, Bell: 3, Lou: 14, Rat: 6}", "combat.round"),
    (2, "left {Ash: 0, Bell: 0, Lou: 0, Rat: 0} -> {Ash: 1, Bell: 2, Lou: 2, Rat: 2}", "combat.round"),
    # 5+4+2+1: 3 and 2. Twice 5 is 10: Bell must keep control; 1+2+2+2 fails, with Insight it is 10.
    (2, "Bell: rp 7 -> 5, wp 7 -> 4", "combat.damage-tracks"),
    (2, "Bell.keep-control Inspiration", "panic.trigger"),
    (2, "Bell: insight 3 -> 2", "insight.dice-economy"),
    # Both actions, and the cover is back.
    (2, "effects: +Take Cover on Lou", "combat-actions.fire-from-cover"),
    (2, "left {Ash: 1, Bell: 2, Lou: 2, Rat: 2} -> {Ash: 1, Bell: 2, Lou: 0, Rat: 2}", "combat.actions-per-round"),
    # Ash, distracted and under fire: double six hits whatever the -2, and brings a die; 5-4 and 6-3.
    (2, "Ash.check 6 6 (+2 Dexterity, +2 Ranged Combat, +0 Rat's defense, -2 Cover Fire)", "combat.attack-roll"),
    (2, "Ash: insight unset -> 3", "insight.dice-economy"),
    (2, "Rat: rp 6 -> 3, wp 5 -> 1", "combat.damage-tracks"),
    # Twice 3 is less than 8, twice 6 was more. 2+3 fails, 3+3 is Intimidated: -3 for this round and two more.
    (2, "panicked: Rat how Intimidated", "panic.table"),
    (2, "effects: +Intimidated on Rat", "panic.table"),
    (2, "effects: -Cover Fire on Ash", "combat.actions-per-round"),
    # 6+5+2+1-1-3 is 10 and hits: 4-5 is -1, and Bell gives both dice for two points of each, counted from 0.
    (2, "Rat.check 6 5 (+2 Physicality, +1 Melee Combat, -1 Bell's defense, -3 Intimidated)", "combat.attack-roll"),
    (2, "Bell: rp 5 -> 2, wp 4 -> -1", "combat.damage-tracks"),
    (2, "Bell: rp 2 -> 4, wp -1 -> 2", "insight.cheat-death"),
    (2, "Bell: insight 2 -> 0", "insight.dice-economy"),
    # Grappling: 4+4+2 against 3+2+2. The penalty on attacks is none on this.
    (2, "Rat.check 4 4 (+2 Physicality, +0 Unarmed Combat)", "checks.opposed"),
    (2, "fight: pins [] -> [[Rat, Bell]]", "combat-actions.grappling"),
    # Breaking free: 5+4+2 against 2+2+2. Then 3+3+2+2: 1-4.
    (2, "fight: pins [[Rat, Bell]] -> []", "combat-actions.grappling"),
    (2, "Rat: rp 3 -> 1, wp 1 -> -3", "combat.damage-tracks"),
    (2, "Rat: dead no -> yes", "combat.damage-tracks"),
    # Ash 4+4+5, Bell 6+1+1, Lou 1+1+3; the dead do not roll. All have two actions.
    (3, "-> {Ash: 13, Bell: 8, Lou: 5}", "combat.round"),
    (3, "-> {Ash: 2, Bell: 2, Lou: 2}", "combat.round"),
    # 4+4, Reason 1, Tactics 1: Bell, who is close, has +2 on the next attack on Lou.
    (3, "effects: +Coordinate on Bell", "combat-actions.coordinate"),
    # 3+3+2+2 inspires Ash, who has acted and acts at once.
    (3, "left {Ash: 0, Bell: 2, Lou: 2} -> {Ash: 1, Bell: 2, Lou: 2}", "combat-actions.inspire"),
    # Two shots: 2+3+4-1 is 8, the 2 thrown again is a 1 and makes it 7; 1+2+4-3 is 4. Lou's cover is over.
    (3, "Ash.check 2 3 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, -1 Rapid Fire)", "combat-actions.rapid-fire"),
    (3, "Ash: insight 3 -> 2", "insight.dice-economy"),
    (3, "Ash.check 1 2 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, -3 Rapid Fire)", "combat-actions.rapid-fire"),
    # 4+2+2 fails: the ground is covered, one action of the next round is lost.
    (3, "Bell Lou: 2} -> {Ash Lou: 2, Ash Rat: 1, Bell Lou: 0}", "combat-actions.sprint"),
    (3, "fight: lost {} -> {Bell: 1}", "combat-actions.sprint"),
    # A double one misses; an NPC learns nothing from it. 5+5+2+1-1 subdues: half of 3 rounded down, all of 2.
    (3, "Ash: rp 9 -> 7, wp 11 -> 10", "combat-actions.subdue"),
    # Ash's move comes last.
    (3, "-> {Ash Lou: 1, Ash Rat: 1, Bell Lou: 0}", "combat.resolution-phase"),
    # Bell 6+6+1, Ash 2+2+5, Lou 3+3+3. Bell has one action: 2+3+2+2 and 2 for the coordination is 11; 3-4.
    (4, "-> {Ash: 9, Bell: 13, Lou: 9}", "combat.round"),
    (4, "-> {Ash: 2, Bell: 1, Lou: 2}", "combat.round"),
    (4, "Bell.check 2 3 (+2 Physicality, +2 Melee Combat, +0 Lou's defense, +2 Coordinate)", "combat.attack-roll"),
    (4, "Lou: rp 4 -> 2, wp 3 -> -1", "combat.damage-tracks"),
    (4, "Lou: dead no -> yes", "combat.damage-tracks"),
)  # fmt: skip


def in_words(event: Event) -> str:
    """What changed or was told, and by which rules."""
    cited = f"[{' < '.join(event.rules)}]"
    if not isinstance(event, Changed):
        figures = " ".join(f"{name} {value}" for name, value in event.line.figures)
        return f"{event.line.key}: {event.line.who} {figures}  {cited}"
    before, after = plain(event.before), plain(event.after)
    if event.who == "effects":
        was, now = ([f"{each['source']} on {each['on']}" for each in e.get("lasting", ())] for e in (before, after))
        moved = [*(f"+{each}" for each in now if each not in was), *(f"-{each}" for each in was if each not in now)]
        return f"effects: {', '.join(moved) or 'as before'}  {cited}"
    moved = [
        f"{name} {said(before.get(name))} -> {said(after[name])}"
        for name in sorted(after)
        if before.get(name) != after[name]
    ]
    return f"{event.who}: {', '.join(moved)}  {cited}"


def plain(value: object) -> dict[str, Any]:
    """Fields as plain data; of results that wait, how many there are."""
    found: dict[str, Any] = write(value) or {}
    return {name: len(each) if name == "deferred" else each for name, each in found.items()}


def said(value: Any) -> str:
    return "unset" if value is None else spoken(value)


class Fought:
    """The fight, played from the file and told line by line as it happens."""

    def __init__(self) -> None:
        self.left: deque[str] = deque(FILE["said"])
        self.lines: list[str] = []
        self.scene = Scene(SYSTEM.state(FILE["scene"]))
        while self.scene[FIGHT].over(self.scene) is None:
            self.step()
        self.lines.append(f"over: {self.scene[FIGHT].over(self.scene)}")

    def step(self) -> None:
        call = self.scene[FIGHT].next_step(self.scene)
        self.lines.append(f"{call}")
        run: Run[Any] = Run(self.scene, call)
        told = 0
        while True:
            self.lines += (f"  {in_words(event)}" for event in run.events[told:])
            told = len(run.events)
            if run.done:
                return
            run.answer(self.answer(run.asking[0], run.rules))

    def answer(self, question: Question[Any], rules: tuple[str, ...]) -> Any:
        """What the file says next; an offer it does not speak of is declined."""
        asked, _, words = self.left[0].partition(" ")
        if asked != f"{question.who}.{question.name}":
            assert isinstance(question, Choose), f"{question} is asked, but the file goes on with {self.left[0]}"
            assert question.may_decline, f"{question} is asked, but the file goes on with {self.left[0]}"
            return question.default
        mods = f" ({', '.join(map(str, question.mods))})" if isinstance(question, Roll) and question.mods else ""
        self.lines.append(f"  {self.left.popleft()}{mods}  [{' < '.join(rules)}]")
        return question.read([int(word) for word in words.split()] if isinstance(question, Roll) else words)


@cache
def fought() -> Fought:
    return Fought()


def test_the_fight_is_told_as_it_was_recorded() -> None:
    story = "".join(f"{line}\n" for line in fought().lines)
    if "REFEREE_RECORD" in os.environ:
        RECORDING.write_text(story, encoding="utf-8")
    assert story == RECORDING.read_text(encoding="utf-8")


def test_every_answer_of_the_file_was_asked_for() -> None:
    assert not fought().left


@pytest.mark.parametrize("number", range(len(CLAIMS)))
def test_a_claim_holds(number: int) -> None:
    """It stands in the story of its round, after the claim before it, and cites its rule."""
    places = placed()
    assert number < len(places), f"no line says {CLAIMS[len(places)]}"


@cache
def placed() -> tuple[int, ...]:
    """The lines at which the claims hold, in order, as far as they do."""
    story, places, at = fought().lines, [], 0
    for number, figure, rule in CLAIMS:
        here = (
            n
            for n in range(at, len(story))
            if figure in story[n] and f"distemper.{rule}" in cited(story[n]) and round_at(n) == number
        )
        if (found := next(here, None)) is None:
            break
        places.append(found)
        at = found + 1
    return tuple(places)


def cited(line: str) -> list[str]:
    return line.rpartition("[")[2].rstrip("]").split(" < ")


def round_at(line: int) -> int:
    return sum(each.startswith("distemper.combat.round(") for each in fought().lines[: line + 1])


def test_the_end_of_it() -> None:
    """Reckoned by hand: what everybody has left."""
    after = SYSTEM.plain(fought().scene.state)
    kept = ("wp", "rp", "insight", "dead")
    assert {name: [after[name][each] for each in kept] for name in ("Ash", "Bell", "Rat", "Lou")} == {
        "Ash": [10, 7, 2, False],
        "Bell": [2, 4, 0, False],
        "Rat": [-3, 1, None, True],
        "Lou": [-1, 2, None, True],
    }
    assert after["fight"]["round"] == 4
    assert fought().lines[-1] == "over: Ash and Bell"


def test_the_same_fight_at_a_live_table_with_real_dice_comes_to_the_same() -> None:
    """Every answer typed in; the log alone brings back the scene."""
    journal = Journal(SYSTEM, SYSTEM.state(FILE["scene"]))
    left = deque(FILE["said"])
    while journal.scene[FIGHT].over(journal.scene) is None:
        if not journal.asking:
            call = journal.scene[FIGHT].next_step(journal.scene)
            journal.begin("master", call.rule.id, call.plain())
            continue
        step, part, question = journal.asking[0]
        asked, _, words = left[0].partition(" ")
        if asked != f"{question.who}.{question.name}":
            journal.answer("somebody", step, "no", part)
        else:
            left.popleft()
            journal.answer(asked, step, [int(w) for w in words.split()] if isinstance(question, Roll) else words, part)
    assert not left
    assert journal.state == fought().scene.state
    assert Journal(SYSTEM, journal.start, None, journal.lines).state == fought().scene.state
