"""A whole fight of two against three with fixed dice: its story as recorded, and claims reckoned by hand.

The recording (`golden_fight.txt`) says that nothing has changed; the claims say that it is right. They are checked
against the fight itself, never against the recording. `REFEREE_RECORD=1 pytest …` writes the recording anew.
"""

from __future__ import annotations

import os
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from referee.core import Scene
from referee.core.files import load_yaml
from referee.core.plain import write
from referee.core.questions import Choose, Question, Roll
from referee.core.rules import Call
from referee.core.run import Changed, Event, Run
from referee.core.wording import phrase
from referee.journal.journal import Journal
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.combat import FIGHT

HERE: Final = Path(__file__).parent
RECORDING: Final = HERE / "golden_fight.txt"
FILE: Final[dict[str, Any]] = load_yaml((HERE / "golden_fight.yaml").read_text("utf-8"))

Said: TypeAlias = deque[Any]
"""What people say and throw; a mapping is an action of the game master's."""


class Claim(NamedTuple):
    """In a round, after the claim before it, a line of the story says this and cites that rule; and why."""

    round: int
    says: str
    rule: str
    why: str


RECKONED: Final = (
    # The first round: initiative.
    (1, "Ash.initiative 3 4 (+5 Init Mod)", "combat.initiative-check", "Dexterity 2, Acumen 2, Perception 1"),
    (1, "Bell.initiative 4 4 (+1 Init Mod)", "combat.initiative-check", "Acumen 1"),
    (1, "Rat.initiative 5 3 (+1 Init Mod)", "combat.initiative-check", "Dexterity 1"),
    (1, "Lou.initiative 2 2 (+3 Init Mod)", "combat.initiative-check", "Dexterity 2, Acumen 1"),
    (1, "Moth.initiative 1 3 (+0 Init Mod)", "combat.initiative-check", "none of the three"),
    (1, "-> {Ash: 12, Bell: 9, Lou: 7, Moth: 4, Rat: 9}", "combat.round", "7+5, 8+1, 4+3, 4+0, 8+1"),
    (1, "left {} -> {Ash: 2, Bell: 2, Lou: 2, Moth: 2, Rat: 2}", "combat.round", "two Combat Actions each"),
    # Ash aims and shoots.
    (1, "-> {Ash: 1, Bell: 2, Lou: 2, Moth: 2, Rat: 2}", "combat.actions-per-round", "aiming costs one"),
    (1, "effects: +Aim on Ash", "combat-actions.aim", "for the next attack on Lou"),
    (1, "effects: -Aim on Ash", "combat-actions.aim", "it benefits one attack"),
    (1, "Ash.check 3 3 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, +2 Aim)", "combat.attack-roll", "12 hits"),
    (1, "Lou: rp 7 -> 4, wp 7 -> 3", "combat.damage-tracks", "a rifle takes 4 and 3; twice 4 is above 7, no panic"),
    # Bell and Rat act at the same time.
    (1, "Bell.check 3 4 (+2 Physicality, +2 Melee Combat, +0 Rat's defense)", "combat.attack-roll", "11 hits"),
    (1, "fight: deferred 0 -> 1", "combat-actions.attack", "Rat has not acted yet, so nothing happens yet"),
    (1, "fight: deferred 1 -> 2", "combat-actions.defend", "nor is Bell's guard up yet"),
    (1, "Rat.check 4 5 (+2 Physicality, +1 Melee Combat, -1 Bell's defense)", "combat.attack-roll", "the sheet's 1"),
    (1, "fight: deferred 2 -> 3", "combat-actions.attack", "11 hits"),
    (1, "Rat.check 5 4 (+0 Influence, +1 Intimidation)", "combat-actions.distract", "10 is 9 or more"),
    (1, "fight: deferred 3 -> 4", "combat-actions.distract", "it waits too"),
    (1, "Rat: rp 8 -> 6, wp 9 -> 5", "combat.damage-tracks", "an axe takes 4 and 2"),
    (1, "effects: +Defend on Bell", "combat-actions.defend", "+2 for the rest of the round"),
    (1, "Bell: rp 10 -> 7, wp 12 -> 7", "combat.damage-tracks", "a machete takes 5 and 3; twice 7 is above 10"),
    (1, "fight: lost {} -> {Ash: 1}", "combat-actions.distract", "Ash has none left: one of the next round"),
    # Lou in cover; Moth and the truck.
    (1, "effects: +Take Cover on Lou", "combat-actions.take-cover", "+2 for the rest of the round"),
    (1, "fight: cover [] -> [Lou]", "combat-actions.take-cover", "cover to fire from"),
    (1, "Lou.check 4 4 (+2 Dexterity, +1 Ranged Combat, -1 Ash's defense)", "combat-actions.cover-fire", "10 hits"),
    (1, "effects: +Cover Fire on Ash", "combat-actions.cover-fire", "-2 on the next action in place of damage"),
    (1, "-> {Ash Lou: 2, Ash Moth: 0, Ash Rat: 1, Bell Lou: 2, Bell Moth: 1}", "combat-actions.move", "one band"),
    (1, "Moth.check 5 5 (+0 Acumen, -3 Lock-Picking)", "combat-actions.dice-check", "starred and never learned"),
    # Resolution.
    (1, "effects: +a quiet round on Moth", "combat.initiative-uninvolved-bonus", "all others were in attacks"),
    (1, "effects: -Defend on Bell, -Take Cover on Lou", "combat.resolution-phase", "the round is over"),
    # The second round: initiative.
    (2, "Bell.initiative 1 1 (+1 Init Mod)", "combat.initiative-check", "a double one means nothing here"),
    (2, "effects: -a quiet round on Moth", "combat.initiative-uninvolved-bonus", "for the next roll only"),
    (2, "Moth.initiative 2 2 (+0 Init Mod, +1 a quiet round)", "combat.initiative-check", "+1 for it"),
    (2, "-> {Ash: 8, Bell: 3, Lou: 14, Moth: 5, Rat: 6}", "combat.round", "3+5, 2+1, 11+3, 4+1, 5+1"),
    (2, "-> {Ash: 1, Bell: 2, Lou: 2, Moth: 2, Rat: 2}", "combat.round", "Ash was distracted"),
    # Lou fires from cover; Bell keeps control.
    (2, "-> {Ash: 1, Bell: 2, Lou: 0, Moth: 2, Rat: 2}", "combat.actions-per-round", "it uses both actions"),
    (2, "Lou.check 5 4 (+2 Dexterity, +1 Ranged Combat, +0 Bell's defense)", "combat-actions.fire-from-cover",
        "12 hits; Bell's 1 is against melee"),
    (2, "Bell: rp 7 -> 5, wp 7 -> 4", "combat.damage-tracks", "a pistol takes 3 and 2"),
    (2, "Bell.keep-control Inspiration", "panic.trigger", "twice 5 is 10, twice 7 was more"),
    (2, "Bell.check 1 2 (+2 Influence, +2 Inspiration)", "panic.trigger", "7 fails"),
    (2, "Bell: insight 3 -> 2", "insight.dice-economy", "and 3 is 10, which keeps control"),
    (2, "effects: +Take Cover on Lou", "combat-actions.fire-from-cover", "back in cover"),
    # The game master: the fire takes a point of Resilience.
    (2, "Lou: rp 4 -> 3", "combat.damage-tracks", "as the game master says"),
    (2, "Lou.keep-control Reason", "panic.trigger", "twice 3 is 6, twice 4 was more than 7"),
    (2, "Lou.check 2 2 (+0 Reason)", "panic.trigger", "4 fails; an attribute alone has no SMod"),
    (2, "panicked: Lou how Frozen in Place", "panic.table", "4+5 is 9, the eighth row"),
    (2, "fight: frozen [] -> [Lou]", "panic.table", "the next round is lost"),
    # Ash, distracted and under fire.
    (2, "-> {Ash: 0, Bell: 2, Lou: 0, Moth: 2, Rat: 2}", "combat.actions-per-round", "Ash had only one"),
    (2, "Ash.check 6 6 (+2 Dexterity, +2 Ranged Combat, +0 Rat's defense, -2 Cover Fire)", "combat.attack-roll",
        "a double six, whatever the rest"),
    (2, "Ash: insight unset -> 3", "insight.dice-economy", "the two one begins with, and one for the moment"),
    (2, "Rat: rp 6 -> 3, wp 5 -> 1", "combat.damage-tracks", "4 and 3"),
    (2, "Rat.check 2 3 (+0 Reason)", "panic.trigger", "twice 3 is less than 8, twice 6 was more; 5 fails"),
    (2, "panicked: Rat how Intimidated", "panic.table", "3+3 is 6"),
    (2, "Rat.rounds 2", "panic.table", "for one to three rounds"),
    (2, "effects: +Intimidated on Rat", "panic.table", "-3 on attacks"),
    (2, "effects: -Cover Fire on Ash", "combat-actions.attack", "it was on one action"),
    # Rat strikes Bell down, nearly, and grapples.
    (2, "Rat.check 6 5 (+2 Physicality, +1 Melee Combat, -1 Bell's defense, -3 Intimidated)", "combat.attack-roll",
        "10 hits"),
    (2, "Bell: rp 5 -> 2, wp 4 -> -1", "combat.damage-tracks", "5 and 3; at half before, so no panic again"),
    (2, "Bell: rp 2 -> 4, wp -1 -> 2", "insight.cheat-death", "two dice: one of each, counted from 0"),
    (2, "Bell: insight 2 -> 0", "insight.dice-economy", "all of them"),
    (2, "Rat.initiative 3 3 (+1 Init Mod)", "checks.opposed", "7"),
    (2, "Bell.initiative 4 4 (+1 Init Mod)", "checks.opposed", "9, so Bell rolls first"),
    (2, "Bell.check 3 2 (+2 Physicality, +0 Athletics)", "checks.opposed", "7; Athletics is Bell's choice"),
    (2, "Rat.check 4 4 (+2 Physicality, +0 Unarmed Combat)", "checks.opposed", "10; grappling is no attack to fear"),
    (2, "fight: pins [] -> [[Rat, Bell]]", "combat-actions.grappling", "10 beats 7"),
    # Moth charges.
    (2, "-> {Ash: 0, Bell: 2, Lou: 0, Moth: 0, Rat: 0}", "combat.actions-per-round", "it uses both actions"),
    (2, "-> {Ash Lou: 2, Ash Moth: 0, Ash Rat: 1, Bell Lou: 2, Bell Moth: 0}", "combat-actions.charge", "two moves"),
    (2, "Moth.check 4 4 (+1 Physicality, +0 Melee Combat, -1 Bell's defense)", "combat-actions.charge", "8 misses"),
    # Bell breaks free and strikes back.
    (2, "Rat.initiative 1 2 (+1 Init Mod)", "checks.opposed", "4"),
    (2, "Bell.initiative 2 1 (+1 Init Mod)", "checks.opposed", "4 too: both throw at once"),
    (2, "Rat.check 2 2 (+2 Physicality, +0 Unarmed Combat)", "checks.opposed", "6"),
    (2, "Bell.check 5 4 (+2 Physicality, +0 Unarmed Combat)", "checks.opposed", "11"),
    (2, "fight: pins [[Rat, Bell]] -> []", "combat-actions.grappling", "11 beats 6"),
    (2, "Bell.check 3 3 (+2 Physicality, +2 Melee Combat, +0 Rat's defense)", "combat.attack-roll", "10 hits"),
    (2, "Rat: rp 3 -> 1, wp 1 -> -3", "combat.damage-tracks", "4 and 2"),
    (2, "Rat: dead no -> yes", "combat.damage-tracks", "an NPC has no Insight to cheat death with"),
    (2, "effects: -Take Cover on Lou", "combat.resolution-phase", "nobody was left out of this round"),
    # The third round: Lou is frozen, the dead do not roll.
    (3, "-> {Ash: 13, Bell: 8, Lou: 5, Moth: 6}", "combat.round", "8+5, 7+1, 2+3, 6+0"),
    (3, "effects: +frozen on Lou", "panic.table", "no actions in this round"),
    (3, "-> {Ash: 2, Bell: 2, Moth: 2}", "combat.round", "none for Lou"),
    (3, "Ash.check 4 4 (+1 Reason, +1 Tactics)", "combat-actions.coordinate", "10 is 9 or more"),
    (3, "effects: +Coordinate on Bell", "combat-actions.coordinate", "an ally who is close; not Ash"),
    (3, "Bell.check 3 3 (+2 Influence, +2 Inspiration)", "combat-actions.inspire", "10 is 9 or more"),
    (3, "left {Ash: 0, Bell: 1, Moth: 2} -> {Ash: 1, Bell: 1, Moth: 2}", "combat-actions.inspire", "one more"),
    (3, "Ash.check 2 3 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, -1 Rapid Fire)",
        "combat-actions.rapid-fire", "8 misses; Ash had acted and acts at once, Lou's cover is over"),
    (3, "Ash: insight 3 -> 2", "insight.dice-economy", "for throwing the 2 again"),
    (3, "Ash.re-roll 1", "insight.uses", "7 misses all the more, and the new face stands"),
    (3, "Ash.check 1 2 (+2 Dexterity, +2 Ranged Combat, +0 Lou's defense, -3 Rapid Fire)",
        "combat-actions.rapid-fire", "4 misses"),
    (3, "Bell.check 4 2 (+2 Physicality, +0 Athletics)", "combat-actions.sprint", "8 fails"),
    (3, "-> {Ash Lou: 2, Ash Moth: 0, Ash Rat: 1, Bell Lou: 0, Bell Moth: 0}", "combat-actions.sprint",
        "the ground is covered: three bands, of which there were two"),
    (3, "fight: lost {} -> {Bell: 1}", "combat-actions.sprint", "the price of failing"),
    (3, "Moth.check 1 1 (+1 Physicality, +0 Melee Combat, +0 Ash's defense)", "combat.attack-roll", "misses"),
    (3, "Moth.check 5 5 (+1 Physicality, +0 Melee Combat, +0 Ash's defense)", "combat-actions.subdue", "11 hits"),
    (3, "Ash: rp 9 -> 7, wp 11 -> 10", "combat-actions.subdue", "half of 3 rounded down, all of 2"),
    (3, "-> {Ash Lou: 1, Ash Moth: 0, Ash Rat: 1, Bell Lou: 0, Bell Moth: 0}", "combat.resolution-phase",
        "Ash's move comes now"),
    (3, "effects: +a quiet round on Bell", "combat.initiative-uninvolved-bonus", "to inspire and run is no attack"),
    (3, "effects: -frozen on Lou", "combat.resolution-phase", "the round is over"),
    # The fourth round.
    (4, "Bell.initiative 6 6 (+1 Init Mod, +1 a quiet round)", "combat.initiative-check", "no moment here either"),
    (4, "-> {Ash: 9, Bell: 14, Lou: 9, Moth: 3}", "combat.round", "4+5, 12+2, 6+3, 3+0"),
    (4, "-> {Ash: 2, Bell: 1, Lou: 2, Moth: 2}", "combat.round", "Bell's sprint"),
    (4, "effects: -Coordinate on Bell", "combat-actions.coordinate", "it benefits one attack, a round later too"),
    (4, "Bell.check 2 3 (+2 Physicality, +2 Melee Combat, +0 Lou's defense, +2 Coordinate)", "combat.attack-roll",
        "11 hits"),
    (4, "Lou: rp 3 -> 1, wp 3 -> -1", "combat.damage-tracks", "4 and 2"),
    (4, "Lou: dead no -> yes", "combat.damage-tracks", "without Wound Points"),
    (4, "Ash.check 4 4 (+2 Dexterity, +2 Ranged Combat, +0 Moth's defense)", "combat.attack-roll", "12 hits"),
    (4, "Moth: rp 6 -> 3, wp 6 -> 2", "combat.damage-tracks", "at once: Lou, equally fast, is dead"),
    (4, "Moth.keep-control Inspiration", "panic.trigger", "twice 3 is 6"),
    (4, "Moth.check 3 4 (+1 Influence, +0 Inspiration)", "panic.trigger", "8 fails"),
    (4, "panicked: Moth how Escape", "panic.table", "5+6 is 11"),
    (4, "fight: gone [] -> [Moth]", "panic.table", "Moth disengages"),
)  # fmt: skip
CLAIMS: Final = tuple(Claim(*each) for each in RECKONED)

IN_VAIN: Final = (
    "Moth.action dice-check Lock-Picking",
    "Moth.action charge Bell club",
    "Ash.action rapid-fire Lou rifle no",
    "Moth.action attack Ash club",
)
"""What fails or misses, and so does nothing to anybody else."""


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
    return "unset" if value is None else phrase(value, whole=True)


def next_call(scene: Scene, left: Said) -> Call[Any]:
    """The next step: what the game master does, or what the fight comes to."""
    if left and not isinstance(left[0], str):
        ((key, arguments),) = left.popleft().items()
        action = SYSTEM.action(key).rule
        return action(*action.arguments(arguments))
    return scene[FIGHT].next_step(scene, FIGHT)


def answer_of(question: Question[Any], left: Said) -> str | list[int] | None:
    """What the file says to a question; None if it does not speak of it."""
    asked, _, words = str(left[0]).partition(" ")
    if asked != f"{question.who}.{question.name}":
        return None
    left.popleft()
    return [int(word) for word in words.split()] if isinstance(question, Roll) else words


class Fought:
    """The fight, played from the file and told line by line as it happens."""

    def __init__(self) -> None:
        self.left: Said = deque(FILE["said"])
        self.lines: list[str] = []
        self.scene = Scene(SYSTEM.state(FILE["scene"]))
        while self.scene[FIGHT].over(self.scene, FIGHT) is None:
            self.step()
        self.lines.append(f"over: {self.scene[FIGHT].over(self.scene, FIGHT)}")

    def step(self) -> None:
        call = next_call(self.scene, self.left)
        self.lines.append(f"{call}")
        run: Run[Any] = Run(self.scene, call)
        told = 0
        while True:
            self.lines += (f"  {in_words(event)}" for event in run.events[told:])
            told = len(run.events)
            if run.done:
                return
            part = run.open[0]
            run.answer(self.answer(run.asking[part], run.rules), part)

    def answer(self, question: Question[Any], rules: tuple[str, ...]) -> Any:
        """What the file says next; an offer it does not speak of is declined."""
        spoken_of = self.left[0]
        given = answer_of(question, self.left)
        if given is None:
            assert isinstance(question, Choose), f"{question} is asked, but the file goes on with {spoken_of}"
            assert question.may_decline, f"{question} is asked, but the file goes on with {spoken_of}"
            return question.default
        mods = f" ({', '.join(map(str, question.mods))})" if isinstance(question, Roll) and question.mods else ""
        self.lines.append(f"  {spoken_of}{mods}  [{' < '.join(rules)}]")
        return question.read(given)


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
    for claim in CLAIMS:
        here = (
            n
            for n in range(at, len(story))
            if claim.says in story[n] and f"distemper.{claim.rule}" in cited(story[n]) and round_at(n) == claim.round
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


def test_every_change_of_a_sheet_is_claimed() -> None:
    """Points, dice and deaths: not one that nobody has reckoned."""
    people = tuple(f"  {name}: " for name in FILE["scene"] if name != "fight")
    changes = {n for n, line in enumerate(fought().lines) if line.startswith(people)}
    assert changes - set(placed()) == set()


@pytest.mark.parametrize("tried", IN_VAIN)
def test_what_fails_does_nothing_to_anybody_else(tried: str) -> None:
    story = fought().lines
    begin = next(n for n, line in enumerate(story) if line.startswith(f"  {tried}  ["))
    end = next(n for n in range(begin, len(story)) if not story[n].startswith(" "))
    changed = {line.split(":")[0].strip() for line in story[begin + 1 : end] if " -> " in line}
    assert changed <= {"fight", "effects", tried.partition(".")[0]}


def test_the_end_of_it() -> None:
    """Reckoned by hand: what everybody has left."""
    after = SYSTEM.plain(fought().scene.state)
    kept = ("wp", "rp", "insight", "dead")
    assert {name: [after[name][each] for each in kept] for name in ("Ash", "Bell", "Rat", "Lou", "Moth")} == {
        "Ash": [10, 7, 2, False],
        "Bell": [2, 4, 0, False],
        "Rat": [-3, 1, None, True],
        "Lou": [-1, 1, None, True],
        "Moth": [2, 3, None, False],
    }
    assert after["fight"]["round"] == 4
    assert after["fight"]["gone"] == ["Moth"]
    assert fought().lines[-1] == "over: Ash and Bell"


def test_the_same_fight_at_a_live_table_with_real_dice_comes_to_the_same() -> None:
    """Every answer typed in; the log alone brings back the scene."""
    journal = Journal(SYSTEM, SYSTEM.state(FILE["scene"]))
    left: Said = deque(FILE["said"])
    while journal.scene[FIGHT].over(journal.scene, FIGHT) is None:
        if not journal.asking:
            call = next_call(journal.scene, left)
            journal.begin("master", call.rule.id, call.plain())
            continue
        step, part, question = journal.asking[0]
        given = answer_of(question, left)
        journal.answer("somebody", step, "no" if given is None else given, part)
    assert not left
    assert journal.state == fought().scene.state
    assert Journal(SYSTEM, journal.start, None, journal.lines).state == fought().scene.state
