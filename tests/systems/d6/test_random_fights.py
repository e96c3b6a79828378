"""Fights by random legal choices: whatever is chosen and thrown, the scene stays possible and there is a next step.

`FIGHTS=3000 pytest -m slow -k many tests/systems/d6/test_random_fights.py` plays so many, shared out among the setups;
to play them in pieces, `FIRST=600` begins with the 600th of each setup. `AGAIN=10` plays only every tenth from its log
too, `STEPS=200` leaves a fight that goes on after so many.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import pytest

from referee.core import Call, Refused, Scene, State, Who
from referee.core.actions import LegalChoices
from referee.core.agenda import next_of
from referee.core.effects import EFFECTS, NONE, Adds, Lasting
from referee.core.encounter import ending
from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.core.questions import Chance, Choice, Question, Ruling
from referee.core.run import Run, drive
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.journal.lines import Line
from referee.journal.log_items import StepRefused
from referee.journal.seeded_dice import SeededDice
from referee.registry import load
from referee.systems.d6.combat.round import FIGHT, FIGHT_ACTIONS, IndividualCombat, RoundPhase
from referee.systems.d6.sheet import Hero
from referee.testing.scenarios import samples

SYSTEM: Final = load("d6")
MOST_STEPS: Final = 60
CLOCK: Final = "referee.clock"
NAMES: Final = ("al", "bo", "cy", "di", "ed", "fy")
THINGS: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Sword"},
    {"name": "Dagger"},
    {"name": "Colt", "row": "Automatic pistol (Colt .45)", "loaded": 3},
    {"name": "Magnum", "row": "Heavy Pistol (.357 Magnum)", "loaded": 1},
    {"name": "Uzi", "row": "Submachine gun (Uzi)", "loaded": 30},
    {"name": "Chain mail", "place": "worn"},
    {"name": "rope"},
    {"name": "Buckler", "category": "shield", "parry": "1D", "body": "3D", "condition": "Lightly damaged"},
    {"name": "Old Uzi", "row": "Submachine gun (Uzi)", "condition": "Lightly damaged"},
)
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "re-roll"},
    {"d6.combat.initiative-base": "fixed", "d6.core.fate-points": "whole round"},
    {
        "d6.core.fate-points": "single action",
        "d6.core.fumble-selection": "all ones",
        "d6.combat.initiative-fumble": True,
    },
    {"d6.health.localized-zones": True, "d6.core.high-margin": True},
)
VIOLENT: Final = ("melee-attack", "shoot", "brawl", "short-burst", "charge", "grapple", "pick-up", "ready-weapon")
IDLE: Final = ("free-action", "leave-fight", "other-action", "drop")


# --- scenes -----------------------------------------------------------------------------------------------------------


def code(random: Random, least: int = 1, most: int = 5) -> str:
    return f"{random.randint(least, most)}D+{random.randint(0, 2)}"


def sheet_by_chance(random: Random, options: dict[str, Any]) -> dict[str, Any]:
    """Somebody with a few skills and things, hurt now and then."""
    attributes = ("Agility", "Coordination", "Strength", "Knowledge", "Perception", "Charisma", "Technical")
    skills = ("Dodge", "Brawling", "Melee Combat", "Firearms", "Stamina", "Willpower")
    held = [
        {**thing, "place": thing.get("place") or random.choice(("held", "held", "carried", "dropped"))}
        for thing in THINGS
    ]
    fate = {"fate_points": random.randint(0, 1)} if options.get("d6.core.fate-points") else {}
    traits = {"merits": [{"name": "Combat sense"}]} if random.random() < 0.2 else {}
    return {
        "player": random.random() < 0.5,
        "attributes": {name: code(random) for name in attributes},
        "skills": {name: code(random, 5, 6) for name in random.sample(skills, 4)},
        "equipment": random.sample(held, random.randint(1, 3)),
        "character_points": random.choice((0, 0, 0, 2)),
        "wound": random.choice(("Healthy", "Healthy", "Healthy", "Wounded")),
        "posture": random.choice(("standing", "standing", "kneeling", "prone")),
        **fate,
        **traits,
    }


def scene_of(random: Random, sizes: tuple[int, ...], options: dict[str, Any]) -> State:
    names = list(NAMES[: sum(sizes)])
    sheets = {name: sheet_by_chance(random, options) for name in names}
    sides, at = [], 0
    for size in sizes:
        sides.append(names[at : at + size])
        at += size
    surprised = [random.choice(names)] if random.random() < 0.2 else []
    fight = {"kind": "IndividualCombat", "sides": sides, "surprised": surprised}
    return SYSTEM.state({**sheets, "fight": fight, "book": {"kind": "Book", "system": "d6", "options": options}})


def scene_by_chance(random: Random) -> State:
    """Two to five people, by any of the options."""
    size = random.randint(2, 5)
    cut = random.randint(1, size - 1)
    return scene_of(random, (cut, size - cut), random.choice(OPTIONS))


def in_a_duel(random: Random) -> State:
    return scene_of(random, (1, 1), random.choice(OPTIONS))


def in_a_crowd(random: Random) -> State:
    return scene_of(random, (3, 3), random.choice(OPTIONS))


def on_three_sides(random: Random) -> State:
    return scene_of(random, (1, 2, 1), random.choice(OPTIONS))


def at_the_loading_dock(random: Random) -> State:
    return dict(samples(SYSTEM))["loading-dock"]


SETUPS: Final[tuple[Callable[[Random], State], ...]] = (
    in_a_duel,
    in_a_crowd,
    on_three_sides,
    scene_by_chance,
    at_the_loading_dock,
)


# --- play -------------------------------------------------------------------------------------------------------------


def legal_at_random(question: Choice[Any], random: Random) -> Any:
    """Any legal answer; of actions rather an attack, so that fights come to an end. The game master rules as usual."""
    if isinstance(question, Ruling):
        return question.default
    if not isinstance(question.legal, LegalChoices):
        return random.choice(question.legal)
    keys = list(dict.fromkeys(each.key for each in FIGHT_ACTIONS))
    random.shuffle(keys)
    bold = [key for key in keys if key in VIOLENT] if random.random() < 0.7 else []
    rest = [key for key in keys if key not in IDLE or random.random() < 0.1]
    for key in (*bold, *rest, *keys):
        if (way := question.legal.at_random(key, random)) is not None:
            return way
    raise AssertionError("nothing is legal")


@dataclass
class Watched:
    """A fight played step by step, with what must hold after each."""

    start: State
    random: Random
    log: list[tuple[Call[Any], list[Plain]]] = field(default_factory=list)
    steps: int = 0
    keys: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.scene = Scene(self.start)

    @property
    def fight(self) -> IndividualCombat:
        return self.scene[FIGHT]

    def play(self, most: int = MOST_STEPS) -> str | None:
        """To the end, or as far as we have patience; time that is passing has passed then."""
        while (following := next_of(self.scene, FIGHT)) is not None:
            if self.steps >= most and not following.call.rule.id.startswith(CLOCK):
                return None
            self.step(following.call)
        end = str(ending(self.scene, FIGHT))
        check_end(self.scene, end)
        return end

    def step(self, call: Call[Any]) -> None:
        before = self.scene.state
        self.log.append((call, []))
        result = drive(Run(self.scene, call), self.answer)
        self.steps += 1
        check_possible(self.scene, before)
        check_kept(Scene(before), self.scene)
        match call.rule.id:
            case "d6.combat.round/begin":
                check_begun(Scene(before)[FIGHT], self.fight)
            case "d6.combat.adapting-actions":
                self.keys[str(result).split(" ")[0]] += 1
                check_acted(Scene(before), self.scene, call.args[0].name, str(result))
            case "d6.combat.end-of-round":
                check_ended(self.scene)

    def answer(self, question: Question[Any], scene: Scene) -> Any:
        if question.who is not None and not isinstance(question, Chance):
            assert scene[question.who].wound != "Dead", f"the dead are not asked: {question}"
        _, answers = self.log[-1]
        if isinstance(question, Chance):
            answers.append(question.at_random(self.random.randrange))
            return question.read(answers[-1])
        assert isinstance(question, Choice)
        answer = legal_at_random(question, self.random)
        answers.append(question.write(answer))
        return answer


def lasting(scene: Scene) -> tuple[Lasting, ...]:
    return scene.get(EFFECTS, NONE).lasting


def check_possible(scene: Scene, before: State) -> None:
    """What holds at any time between steps; of sheets those that have changed are looked at."""
    fight = scene[FIGHT]
    for who in scene.all(Hero):
        sheet = scene[who]
        if sheet is not before[who.name]:
            SYSTEM.check_sheet(scene.state, who.name)
        assert sheet.posture in ("standing", "kneeling", "prone")
        assert sheet.character_points >= 0
        assert sheet.fate_points >= 0
        assert 0 <= sheet.new_stuns <= sheet.stuns
        assert len({each.name for each in sheet.equipment}) == len(sheet.equipment)
    here = set(fight.fighters)
    for field_ in (fight.left, fight.declared, fight.added, fight.taken, fight.scores, fight.reactions):
        assert set(field_) <= here
        assert all(number >= 0 for number in field_.values())
    assert len(set(fight.scores.values())) == len(fight.scores)
    assert all(fight.left.get(name, 0) <= fight.declared.get(name, 0) for name in here)
    assert fight.surprised.isdisjoint(fight.declared)
    assert fight.surprised.isdisjoint(fight.reactions)
    assert all(not fight.left.get(each.who, 0) for each in fight.full)
    assert len({each.who for each in fight.full}) == len(fight.full)
    for name in fight.fighters:
        several = fight.total_actions(name)
        laid = sum(
            each.effect.does.amount if isinstance(each.effect.does, Adds) else 0
            for each in lasting(scene)
            if each.on == name and (each.source.endswith(" actions") or each.source == "added reaction")
        )
        assert laid == -max(0, several - 1), (name, laid, several)


def check_kept(before: Scene, after: Scene) -> None:
    """Nobody comes back from the dead or into the fight, and nobody grows."""
    for who in before.all(Hero):
        was, now = before[who], after[who]
        assert now.wound == "Dead" or was.wound != "Dead"
        assert (now.attributes, now.skills, now.merits) == (was.attributes, was.skills, was.merits)
    assert before[FIGHT].gone <= after[FIGHT].gone
    assert before[FIGHT].sides == after[FIGHT].sides


def check_begun(was: IndividualCombat, now: IndividualCombat) -> None:
    """Nobody has acted; only those whom spray fire still covers may have reacted to it, some of them fully."""
    assert now.round == was.round + 1
    assert not any(now.left.values())
    assert not now.taken
    assert {each.who for each in now.full} <= {name for name, reacted in now.reactions.items() if reacted}
    assert now.phase is not RoundPhase.BEGIN


def check_acted(before: Scene, after: Scene, who: str, key: str) -> None:
    """Who acted had an action left, and nobody who had acted less often, or came before, waited for them."""
    was, now = before[FIGHT], after[FIGHT]
    ready = [name for name in was.able(before) if was.left.get(name, 0) > 0]
    assert who in ready
    assert was.taken.get(who, 0) == min(was.taken.get(name, 0) for name in ready)
    same = [name for name in ready if was.taken.get(name, 0) == was.taken.get(who, 0)]
    assert was.scores[who] == max(was.scores[name] for name in same)
    acted = now.taken.get(who, 0) - was.taken.get(who, 0)
    assert acted in (0, 1)
    if acted and who not in {each.who for each in now.full}:
        assert now.left.get(who, 0) < was.left[who], key


def check_ended(scene: Scene) -> None:
    fight = scene[FIGHT]
    assert fight.phase is RoundPhase.BEGIN
    kept = (fight.left, fight.declared, fight.added, fight.full, fight.surprised, fight.fumbled)
    assert not any(kept)
    assert not [each for each in lasting(scene) if each.source.endswith((" actions", "added reaction"))]


def check_end(scene: Scene, end: str) -> None:
    standing = scene[FIGHT].standing(scene)
    assert len(standing) <= 1
    assert end == (" and ".join(standing[0]) if standing else "nobody")


# --- tests ------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(1)
@pytest.mark.parametrize("first", range(0, 60, 3))
def test_fights_stay_possible(first: int) -> None:
    for seed in range(first, first + 3):
        random = Random(seed)
        Watched(scene_by_chance(random), random).play(30)


FIGHTS: Final = int(os.environ.get("FIGHTS", "20"))
FIRST: Final = int(os.environ.get("FIRST", "0"))
AGAIN: Final = int(os.environ.get("AGAIN", "1"))
STEPS: Final = int(os.environ.get("STEPS", str(6 * MOST_STEPS)))


@pytest.mark.slow
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.__name__)
def test_many_fights_stay_possible_and_are_played_again_from_their_log(setup: Callable[[Random], State]) -> None:
    failed = {}
    ends: Counter[bool] = Counter()
    for number in range(FIRST, FIRST - (-FIGHTS // len(SETUPS))):
        random = Random(f"{setup.__name__} {number}")
        fight = Watched(setup(random), random)
        try:
            ends[fight.play(STEPS) is not None] += 1
            if number % AGAIN == 0:
                check_played_again(fight)
        except (AssertionError, RefereeError, LookupError, TypeError, ValueError) as problem:
            failed[number] = f"step {fight.steps}: {problem!r}"
    assert not failed
    assert ends[True]


def check_played_again(fight: Watched) -> None:
    """At a table with real dice, every answer typed in: the same scene, and the log alone brings it back."""
    journal = Journal(SYSTEM, fight.start)
    for call, answers in fight.log:
        if not call.rule.id.startswith(CLOCK):  # the journal plays what is due by itself
            journal.begin("somebody", call.rule.id, call.plain())
        for answer in answers:
            waiting = journal.asking[0]
            journal.answer("somebody", waiting.step, answer, waiting.part)
        assert not journal.asking
    assert journal.state == fight.scene.state
    lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]
    assert Journal(SYSTEM, journal.start, None, lines).state == fight.scene.state
    assert fold(SYSTEM, journal.start, (line for _, line in journal.story)) == fight.scene.state


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(12))
def test_a_journalled_fight_replays_to_the_same_state(seed: int) -> None:
    """Cut off at any point: the fold of the log, and a table resumed from it, are where the first one was."""
    random = Random(seed)
    journal = Journal(SYSTEM, scene_by_chance(random), SeededDice(seed.to_bytes(8, "big")))
    for _ in range(12 + 5 * seed):
        if journal.asking:
            waiting = random.choice(journal.asking)
            assert isinstance(waiting.question, Choice)
            answer = legal_at_random(waiting.question, random)
            journal.answer("somebody", waiting.step, waiting.question.write(answer), waiting.part)
        elif (following := next_of(journal.scene, FIGHT)) is not None:
            journal.begin("somebody", following.call.rule.id, following.call.plain())
        else:
            break
    lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]
    again = Journal(SYSTEM, journal.start, journal.source, lines)
    assert again.state == journal.state
    assert [str(each.question) for each in again.asking] == [str(each.question) for each in journal.asking]
    assert fold(SYSTEM, journal.start, (line for _, line in journal.story)) == journal.state
    assert not any(isinstance(item, StepRefused) for line in lines for item in line.then)


@pytest.mark.slow
def test_a_scene_outlives_its_plain_form_in_the_middle_of_any_fight() -> None:
    for seed in range(10):
        random = Random(seed)
        fight = Watched(scene_by_chance(random), random)
        fight.play(25)
        assert SYSTEM.state(json.loads(json.dumps(SYSTEM.plain(fight.scene.state)))) == fight.scene.state


def test_acting_out_of_turn_is_refused_to_everybody_else() -> None:
    for seed in range(3):
        random = Random(seed)
        fight = Watched(scene_by_chance(random), random)
        fight.play(12)
        group = fight.fight.group(fight.scene)
        for name in set(fight.fight.fighters) - set(group):
            for action in FIGHT_ACTIONS:
                if action.price is not None:
                    assert isinstance(action.may(fight.scene, Who(name, Hero)), Refused)
