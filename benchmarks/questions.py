"""What a fight of four against four asks its people: `python benchmarks/questions.py [system …]`.

Everybody attacks the first who may be attacked with the first thing that may be attacked with, and answers all else by
its default: offers are declined. A *turn* is no question: it is what one came for. What the button of an action answers
together with it (`ahead` in the look) is none either. What is asked at the same moment is one card: one person answers
for all eight. *Once and for all* leaves out what a seat may answer for good (`standing` in the look).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from referee import registry
from referee.core.actions import ActionChoice
from referee.core.agenda import next_of
from referee.core.errors import RefereeError
from referee.core.files import load_yaml_file
from referee.core.look import Look, look_in
from referee.core.plain import write
from referee.core.questions import Choice, Choose
from referee.core.rulebook import BOOK
from referee.core.scene import Who
from referee.core.system import System
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open
from referee.testing.scenarios import scene_of

ROUNDS: Final = 3
MOST_STEPS: Final = 400
SEEDS: Final = 3
FIGHTS: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "d6": ("loading-dock", ("Mara", "Otto", "Ines", "Kwame"), ("foreman", "guard", "stevedore", "cutter")),
    "distemper": ("roadblock", ("Ash", "Bell"), ("raider", "lookout")),
    "dime": ("ambush", ("Ada", "Rourke"), ("Thug", "Gunner")),
    "yearzero": ("roadblock", ("Juno", "Okonkwo"), ("Rusk", "Vee")),
}
"""The sample of each system that fights, and who is on each side; where they are two, everyone is there twice."""


@dataclass
class Counted:
    """What one fight asked."""

    before: int = 0
    """Cards before the first turn."""
    rounds: int = 0
    turns: int = 0
    attacks: int = 0
    cards: Counter[str] = field(default_factory=Counter)
    """From the first turn on, by prompt."""
    offered: Counter[str] = field(default_factory=Counter)
    """Of these, what may be answered once and for all."""
    kept: set[str] = field(default_factory=set)
    """Those who cannot attack."""

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.before + other.before,
            self.rounds + other.rounds,
            self.turns + other.turns,
            self.attacks + other.attacks,
            self.cards + other.cards,
            self.offered + other.offered,
        )

    def line(self, system: str) -> str:
        asked, standing = self.cards.total(), self.offered.total()
        rounds, turns = max(1, self.rounds), max(1, self.turns)
        return (
            f"| {system} | {self.before / SEEDS:.1f} | {turns / rounds:.1f} | {asked / turns:.2f} | "
            f"{(asked - standing) / turns:.2f} | {asked / rounds:.1f} | {(asked - standing) / rounds:.1f} |"
        )


def fight_of(name: str) -> tuple[System, Any]:
    """Four against four."""
    sample, *sides = FIGHTS[name]
    plain: Any = load_yaml_file(registry.load(name).folder / "samples" / f"{sample}.yaml")
    sheets, scene = plain["sheets"], plain["scene"]
    twice = [[each, f"{each} two"] for side in sides for each in side] if len(sides[0]) == 2 else []
    for one, two in twice:
        sheets[two] = sheets[one]
    whole = [[name for one in side for name in (one, *(f"{one} two" for _ in twice[:1]))] for side in sides]
    for key, value in scene.items():
        if isinstance(value, dict) and "sides" in value:
            scene[key] = {"kind": value["kind"], "sides": whole, **standing_about(value.get("zones"), dict(twice))}
    plain.pop("piles", None)
    plain["sheets"] = {each: sheets[each] for side in whole for each in side}
    return scene_of(plain)


def standing_about(zones: Any, twice: Mapping[str, str]) -> dict[str, Any]:
    """A map with its people; whoever is there twice stands beside themselves."""
    if zones is None:
        return {}
    there = [each for each in zones["places"] if each["who"] in twice]
    more = [{"who": twice[each["who"]], "zone": each["zone"]} for each in there]
    return {"zones": {**zones, "places": [*there, *more]}}


def is_turn(question: Any) -> bool:
    return isinstance(question, Choose) and any(isinstance(each, ActionChoice) for each in list(question.options)[:1])


def attack_of(options: Any, look: Look, foes: frozenset[str]) -> ActionChoice | None:
    """The first way to attack somebody of the other side."""
    attacks = next((group.of for group in look.groups if group.icon == "attack" and group.encounter), ())
    attacks = attacks or next((group.of for group in look.groups if group.icon == "attack"), ())
    at = {key: number for number, key in enumerate(attacks)}
    meant = [each for each in options if isinstance(each, ActionChoice) and each.action.key in at]
    there = [
        each for each in meant if any(isinstance(one, Who) and one.name in foes for one in each.arguments.values())
    ]
    return min(there, key=lambda each: at[each.action.key], default=None)


def played(name: str, seed: int) -> Counted:
    system, state = fight_of(name)
    journal, found = Journal(system, state, SeededDice(f"{name}{seed}".encode())), Counted()
    look = look_in(system.look, journal.scene[BOOK])
    has_begun = False
    for _ in range(MOST_STEPS):
        here = tuple(each for each in journal.asking if isinstance(each.question, Choice))
        if here:
            cards = list(cards_of(here, look))
            for prompt, is_standing in cards:
                if not has_begun:
                    found.before += 1
                else:
                    found.cards[prompt] += 1
                    found.offered[prompt] += is_standing
            for each in here:
                has_begun = answered(journal, each, look, found) or has_begun
            continue
        following = next_of(journal.scene)
        if following is None:
            break
        number = round_of(journal)
        if number > ROUNDS:
            break
        try:
            journal.begin("table", following.call.rule.id, following.call.plain())
        except RefereeError:
            break
        found.rounds = max(found.rounds, round_of(journal))
    return found


def round_of(journal: Journal) -> int:
    rounds = (getattr(each, "round", 0) for each in journal.state.values())
    return max((each for each in rounds if isinstance(each, int)), default=0)


def cards_of(here: tuple[Open, ...], look: Look) -> Iterator[tuple[str, bool]]:
    """What stands open as cards: all that is asked at the same moment is one, named by its first question."""
    asked = [str(each.question.name) for each in here if not is_turn(each.question)]
    asked = [each for each in asked if each not in look.ahead]
    if asked:
        yield asked[0], all(each in look.standing for each in asked)


def answered(journal: Journal, waiting: Open, look: Look, found: Counted) -> bool:
    """Give the answer; whether it was a turn."""
    question = waiting.question
    assert isinstance(question, Choice)
    answer: Any = question.default
    turn = is_turn(question)
    if turn and question.who is not None and question.who.name not in found.kept:
        chosen = attack_of(question.legal, look, foes_of(journal, question.who.name))
        found.turns += 1
        found.attacks += chosen is not None
        answer = chosen or answer
    if all((each.step, each.part) != (waiting.step, waiting.part) for each in journal.asking):
        return turn
    try:
        journal.answer("bench", waiting.step, write(question.write(answer)), waiting.part)
    except RefereeError:  # somebody flees, or is kept from it otherwise
        found.kept.add(question.who.name if question.who else "")
    return turn


def foes_of(journal: Journal, who: str) -> frozenset[str]:
    for each in journal.state.values():
        if sides := getattr(each, "sides", None):
            return frozenset(name for side in sides for name in side if who not in side)
    return frozenset()


def counted(name: str) -> Counted:
    found = Counted()
    for seed in range(SEEDS):
        found += played(name, seed)
    return found


def main() -> None:
    print(
        "| game | before the first turn | turns a round | an action | once and for all | a round | once and for all |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or FIGHTS:
        found = counted(name)
        print(found.line(name), flush=True)
        print("   ", dict(found.cards), f"{found.attacks} attacks of {found.turns} turns, {found.rounds} rounds")


if __name__ == "__main__":
    main()
