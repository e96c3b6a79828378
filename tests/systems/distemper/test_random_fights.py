"""Fights by random legal choices: whatever is chosen and thrown, the scene stays possible and there is a next step.

`FIGHTS=3000 pytest -k many tests/systems/distemper/test_random_fights.py` plays so many, shared out among the setups.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import Any, Final

import pytest

from referee.core import Action, Call, Refused, Scene, State, Who, legal_choices
from referee.core.draft_chance import random_sheet
from referee.core.effects import EFFECTS, NONE, Lasting
from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.core.questions import Chance, Choice, Question, key_of
from referee.core.rulebook import Book
from referee.core.run import Run, drive
from referee.journal.changes import fold
from referee.journal.journal import Journal
from referee.journal.lines import AnswerGiven, Line, StepBegan
from referee.journal.log_items import StepRefused
from referee.journal.seeded_dice import SeededDice
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.attacks import UNARMED, hurt
from referee.systems.distemper.combat import COMBAT_ACTIONS, FIGHT, Fight, Phase
from referee.systems.distemper.sheet import Character, Item, check_sheet, every_ability
from referee.testing.scenarios import samples

MOST_STEPS: Final = 80
NAMES: Final = ("al", "bo", "cy", "di", "ed")
THINGS: Final[tuple[dict[str, Any], ...]] = (
    {"name": "rifle", "skill": "Ranged Combat", "wp": 4, "rp": 3},
    {"name": "bow", "skill": "Ranged Combat", "wp": 2, "rp": 1},
    {"name": "axe", "skill": "Melee Combat", "wp": 3, "rp": 4},
    {"name": "Unarmed Combat", "skill": "Unarmed Combat", "wp": 1, "rp": 2},
    {"name": "dynamite", "skill": "Demolitions", "wp": 6, "rp": 5},
    {"name": "bandage", "skill": "First Aid", "wp": 1, "rp": 1},
    {"name": "rope"},
)


def scene_by_chance(random: Random) -> State:
    """Two to five people on two or three sides, now and then a bystander; gear in any state, some of it jammed."""
    names = list(NAMES[: random.randint(2, 5)])
    sheets = {name: sheet_by_chance(random) for name in names}
    bands = {f"{one} {other}": random.randint(0, 3) for one in names for other in names if one < other}
    random.shuffle(names)
    cut = random.randint(1, len(names) - 1)
    sides = [names[:cut], names[cut:]]
    if len(sides[1]) > 1 and random.random() < 0.2:
        sides = [*sides[:1], sides[1][:1], sides[1][1:]]
    bystander = {"zoe": {"wp": 3, "wp_full": 3}} if random.random() < 0.2 else {}
    return SYSTEM.state({**sheets, **bystander, "fight": {"kind": "Fight", "sides": sides, "bands": bands}})


def sheet_by_chance(random: Random) -> dict[str, Any]:
    player = random.random() < 0.6
    points = {"wp": random.randint(1, 5), "rp": random.randint(2, 8)}
    things = [
        {**thing, "ready": random.random() < 0.8, "jammed": random.random() < 0.2, "condition": random.randint(0, 3)}
        for thing in random.sample(THINGS, random.randint(1, 3))
    ]
    skills = ("Ranged Combat", "Melee Combat", "Inspiration", "Tactics", "Intimidation", "Athletics", "Perception")
    return {
        "attributes": {
            name: random.randint(-2, 4) for name in ("Reason", "Acumen", "Physicality", "Influence", "Dexterity")
        },
        "skills": {name: random.randint(0, 4) for name in random.sample(skills, 5)},
        "player": player,
        "insight": random.randint(0, 3) if player else 0,
        **points,
        **{f"{each}_full": full for each, full in points.items()},
        "melee_defense": random.randint(0, 2),
        "ranged_defense": random.randint(0, 2),
        "items": things,
    }


def legal_at_random(question: Choice[Any], random: Random) -> Any:
    """Any legal answer; of actions rather an attack, so that fights come to an end."""
    violent = [each for each in question.legal if str(getattr(each, "key", "")).startswith(VIOLENT)]
    return random.choice(violent if violent and random.random() < 0.7 else question.legal)


VIOLENT: Final = ("attack", "charge", "rapid-fire", "subdue", "fire-from-cover", "grapple")


@dataclass
class Watched:
    """A fight played step by step, with what must hold after each."""

    start: State
    random: Random
    meddles: float = 0
    """How often the game master lets somebody lose points in between."""
    log: list[tuple[Call[Any], list[Plain]]] = field(default_factory=list)
    """Every step, with the answers to its questions."""
    acted: Counter[str] = field(default_factory=Counter)
    inspired: Counter[str] = field(default_factory=Counter)
    steps: int = 0

    def __post_init__(self) -> None:
        self.scene = Scene(self.start)

    @property
    def fight(self) -> Fight:
        return self.scene[FIGHT]

    def play(self, most: int = MOST_STEPS) -> str | None:
        """To the end, or as far as we have patience."""
        while self.steps < most:
            if (end := self.fight.over(self.scene, FIGHT)) is not None:
                check_end(self.scene, str(end))
                return str(end)
            self.step()
        return None

    def step(self) -> None:
        before, was = self.scene.state, self.fight
        call = self.meddle() if self.meddles > self.random.random() else was.next_step(self.scene, FIGHT)
        self.log.append((call, []))
        result = drive(Run(self.scene, call), self.answer)
        self.steps += 1
        check_possible(self.scene, before)
        check_kept(Scene(before), self.scene)
        match call.rule.id:
            case "distemper.combat.round":
                self.check_begun(was)
            case "distemper.combat-actions.catalogue":
                self.check_acted(Scene(before), call.args[0].name, str(result))
            case "distemper.combat.initiative-order/results":
                gained = [
                    each.call.plain()["who"] for each in was.deferred if each.call.rule.id.endswith("inspire/gain")
                ]
                self.inspired.update(map(str, gained))
                assert self.fight.deferred == ()
            case "distemper.combat.resolution-phase":
                self.check_resolved(was)
            case "distemper.combat.damage-tracks":
                stopped = {name: 0 for name in was.left if stands_still(self.scene, name)}
                left = {**was.left, **stopped}
                assert (self.fight.round, self.fight.phase, dict(self.fight.left)) == (was.round, was.phase, left)
                assert self.fight.deferred == was.deferred
            case unknown:
                pytest.fail(f"a fight does not take the step {unknown}")

    def meddle(self) -> Call[Any]:
        """Somebody who is alive loses points."""
        living = [who for who in self.scene.all(Character) if not self.scene[who].dead]
        return hurt(self.random.choice(living), self.random.randint(0, 2), self.random.randint(0, 3))

    def answer(self, question: Question[Any], scene: Scene) -> Any:
        if question.who is not None:
            assert not scene[question.who].dead, f"the dead are not asked: {question}"
            assert question.name != "action" or scene[FIGHT].is_able(scene, question.who.name), f"gone: {question}"
        _, answers = self.log[-1]
        if isinstance(question, Chance):
            answers.append(question.at_random(self.random.randrange))
            return question.read(answers[-1])
        assert isinstance(question, Choice)
        answer = legal_at_random(question, self.random)
        answers.append(question.write(answer))
        return answer

    def check_begun(self, was: Fight) -> None:
        """A new round: everybody in the fight has a score and at most two actions."""
        assert self.fight.round == was.round + 1
        assert self.fight.phase is Phase.ACTIONS
        assert set(self.fight.scores) == set(was.able(self.scene))
        assert set(self.fight.left) <= set(self.fight.scores)
        assert all(0 < left <= 2 for left in self.fight.left.values())
        assert not any(self.fight.left.get(name, 0) for name in was.frozen)
        assert all(self.fight.left.get(name, 0) <= max(0, 2 - lost) for name, lost in was.lost.items())
        self.acted.clear()
        self.inspired.clear()

    def check_acted(self, before: Scene, who: str, key: str) -> None:
        """Who acted had the turn and an action left; nobody has more actions than two and those inspired."""
        was = before[FIGHT]
        ready = [name for name in was.able(before) if was.left.get(name, 0) > 0]
        assert who in ready
        assert was.scores[who] == max(was.scores[name] for name in ready)
        paid = was.left[who] - self.fight.left[who]
        assert paid == (0 if key.startswith("let-go") else 2 if key.startswith(("charge", "fire-from-cover")) else 1)
        if key == "nothing":
            assert stands_still(before, who)
        self.acted[who] += paid
        for name in set(self.fight.left) - {who}:
            more = self.fight.left[name] - was.left.get(name, 0)
            assert more <= (1 if key == f"inspire {name}" else 0)
            assert more >= (-1 if key.startswith(f"distract {name} ") else 0) or stands_still(self.scene, name)
            self.inspired[name] += max(0, more)
        for name in self.fight.left:
            assert self.acted[name] + self.fight.left[name] <= 2 + self.inspired[name]
        check_waiting(before, self.scene, who)

    def check_resolved(self, was: Fight) -> None:
        """Nobody has an action left; what lasts for a round is over."""
        assert not any(was.left.get(name, 0) for name in was.able(self.scene))
        assert self.fight.phase is Phase.INITIATIVE
        assert not self.fight.steps
        assert not self.fight.scores
        assert not was.deferred
        assert not [laid for laid in lasting(self.scene) if laid.source in ("Defend", "Take Cover", "frozen")]
        able = set(was.able(self.scene))
        quiet = {laid.on for laid in lasting(self.scene) if laid.source == "a quiet round"}
        assert quiet & able == able - was.involved


def stands_still(scene: Scene, who: str) -> bool:
    """Whether somebody panics in a way that leaves them no action."""
    return any(laid.on == who and laid.effect.to_plain().get("forbids") == "act" for laid in lasting(scene))


def lasting(scene: Scene) -> tuple[Lasting, ...]:
    return scene.get(EFFECTS, NONE).lasting


def check_possible(scene: Scene, before: State) -> None:
    """What holds at any time between steps; of sheets those that have changed are looked at."""
    fight = scene[FIGHT]
    able = set(fight.able(scene))
    for who in scene.all(Character):
        sheet = scene[who]
        if sheet is not before[who.name]:
            check_sheet(scene, who)
        assert sheet.insight is None or sheet.insight >= 0
        assert sheet.dead or sheet.wp > 0, f"{who} lives without Wound Points"
        assert all(item.condition >= 0 for item in sheet.items)
    bystanders = {who.name for who in scene.all(Character) if not scene[who].dead} - set(fight.fighters)
    assert {name for pin in fight.pins for name in pin} <= able | bystanders
    assert len(set(fight.pins)) == len(fight.pins)
    assert all(holder != held for holder, held in fight.pins)
    assert bystanders.isdisjoint({*fight.left, *fight.lost, *fight.scores})
    assert {step.who for step in fight.steps} <= able
    assert fight.berserk <= able | bystanders
    assert fight.gone <= set(fight.fighters)
    assert fight.frozen <= set(fight.fighters) | bystanders
    assert all(left >= 0 for left in fight.left.values())
    assert all(apart >= 0 for apart in fight.bands.values())
    assert all(lost > 0 for lost in fight.lost.values())
    assert set(fight.left) <= set(fight.fighters)
    assert not fight.deferred or fight.phase is Phase.ACTIONS
    assert len({fight.scores[each.by] for each in fight.deferred}) <= 1
    check_effects(lasting(scene))


def check_effects(laid: tuple[Lasting, ...]) -> None:
    """Nothing lies twice that cannot, and nothing used up lies at all."""
    once = Counter((each.on, each.source) for each in laid if each.source in ONCE)
    assert all(count == 1 for count in once.values()), once
    assert all(each.effect.uses is None or each.effect.uses == 1 for each in laid)
    assert all(1 <= each.effect.times_until <= (4 if each.source in FOR_ROUNDS else 1) for each in laid)


ONCE: Final = {"Aim", "Defend", "Take Cover", "a quiet round", "frozen"}
FOR_ROUNDS: Final = {"Catatonic", "Severe Anxiety", "Intimidated", "Twitchy"}


def check_kept(before: Scene, after: Scene) -> None:
    """Nobody comes back from the dead or into the fight; nothing is carried that was not, nobody grows."""
    for who in before.all(Character):
        was, now = before[who], after[who]
        assert now.dead or not was.dead
        assert [item.name for item in now.items] == [item.name for item in was.items]
        assert (now.attributes, now.skills, now.wp_full, now.rp_full) == (
            was.attributes,
            was.skills,
            was.wp_full,
            was.rp_full,
        )
        assert was.player or not now.insight
    assert before[FIGHT].gone <= after[FIGHT].gone
    assert before[FIGHT].sides == after[FIGHT].sides


def check_waiting(before: Scene, after: Scene, who: str) -> None:
    """While several act at the same time, what one does changes nobody else, nor how hard anybody is to hit."""
    was = before[FIGHT]
    ready = [name for name in was.able(before) if was.left.get(name, 0) > 0]
    if sum(was.scores[name] == was.scores[who] for name in ready) > 1:
        others = [each for each in before.all(Character) if each.name != who]
        changed = [
            each.name for each in others if before[each].wp != after[each].wp or before[each].rp != after[each].rp
        ]
        assert not changed, f"{changed} were hurt before all had acted"
        lay = {(laid.on, laid.number) for laid in lasting(before)}
        new = [laid for laid in lasting(after) if (laid.on, laid.number) not in lay]
        assert all(laid.on == who and laid.source == "Aim" for laid in new)
        assert set(after[FIGHT].pins) <= set(was.pins)


def check_end(scene: Scene, end: str) -> None:
    standing = [side for side in scene[FIGHT].sides if any(name in scene[FIGHT].able(scene) for name in side)]
    assert len(standing) <= 1
    assert end == (" and ".join(standing[0]) if standing else "nobody")


def watched(seed: int) -> Watched:
    random = Random(seed)
    return Watched(scene_by_chance(random), random)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("first", range(0, 120, 10))
def test_fights_stay_possible_and_come_to_an_end(first: int) -> None:
    ends = [watched(seed).play() for seed in range(first, first + 10)]
    assert sum(end is not None for end in ends) >= 2


# --- many -------------------------------------------------------------------------------------------------------------


def at_the_roadblock(random: Random) -> State:
    return dict(samples(SYSTEM))["roadblock"]


def at_the_market(random: Random) -> State:
    """Bare hands against an axe and a rifle."""
    return dict(samples(SYSTEM))["market"].but("fight", Fight((("Ash", "Bell"), ("trader",))))


def among_strangers(random: Random) -> State:
    """Two to six legal sheets by chance, with something in hand."""
    names = [*NAMES, "fy"][: random.randint(2, 6)]
    cut = random.randint(1, len(names) - 1)
    state = SYSTEM.state({"fight": {"kind": "Fight", "sides": [names[:cut], names[cut:]]}})
    for name in names:
        assert SYSTEM.creation is not None
        items = tuple(Item(**thing) for thing in random.sample(THINGS, 2))
        state = state.but(name, replace(random_sheet(SYSTEM.creation, Book(SYSTEM.printed_book), random), items=items))
    return state


def in_a_crowd(random: Random) -> State:
    """Three against three."""
    sheets = {name: sheet_by_chance(random) for name in (*NAMES, "fy")}
    return SYSTEM.state({**sheets, "fight": {"kind": "Fight", "sides": [["al", "bo", "cy"], ["di", "ed", "fy"]]}})


def in_a_duel(random: Random) -> State:
    sheets = {name: sheet_by_chance(random) for name in ("al", "bo")}
    return SYSTEM.state({**sheets, "fight": {"kind": "Fight", "sides": [["al"], ["bo"]]}})


def in_a_panic(random: Random) -> State:
    """Everybody loses control at the first hit, and few hits kill."""
    armed = {"items": [{"name": "whip", "wp": 1, "rp": 4}, {"name": "bow", "skill": "Ranged Combat", "wp": 1, "rp": 4}]}
    points = {"wp": 9, "wp_full": 9, "rp": 5, "rp_full": 8}
    sheets = {name: {**sheet_by_chance(random), **points, **armed} for name in NAMES}
    return SYSTEM.state({**sheets, "fight": {"kind": "Fight", "sides": [["al", "bo"], ["cy", "di"], ["ed"]]}})


SETUPS: Final[tuple[Callable[[Random], State], ...]] = (
    at_the_roadblock,
    at_the_market,
    among_strangers,
    in_a_crowd,
    in_a_duel,
    in_a_panic,
    scene_by_chance,
)
FIGHTS: Final = int(os.environ.get("FIGHTS", "14"))


@pytest.mark.slow
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.__name__)
def test_many_fights_stay_possible_and_are_played_again_from_their_log(setup: Callable[[Random], State]) -> None:
    """In every second one the game master meddles."""
    failed = {}
    for number in range(-(-FIGHTS // len(SETUPS))):
        random = Random(f"{setup.__name__} {number}")
        fight = Watched(setup(random), random, 0.05 * (number % 2))
        try:
            fight.play(3 * MOST_STEPS)
            check_played_again(fight)
        except (AssertionError, RefereeError, LookupError, TypeError, ValueError) as problem:
            failed[number] = f"step {fight.steps}: {problem!r}"
    assert not failed


def check_played_again(fight: Watched) -> None:
    """At a table with real dice, every answer typed in: the same scene, and the log alone brings it back."""
    journal = Journal(SYSTEM, fight.start)
    for call, answers in fight.log:
        journal.begin("somebody", call.rule.id, call.plain())
        for answer in answers:
            waiting = journal.asking[0]
            journal.answer("somebody", waiting.step, answer, waiting.part)
        assert not journal.asking
    assert journal.state == fight.scene.state
    lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]
    assert Journal(SYSTEM, journal.start, None, lines).state == fight.scene.state
    assert fold(SYSTEM, journal.start, (line for _, line in journal.story)) == fight.scene.state


# --- what may be chosen -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_legal_actions_are_those_that_the_actions_themselves_allow(seed: int) -> None:
    """The short way to all legal actions finds what asking for everybody and everything finds."""
    fight = watched(seed)
    for _ in range(40):
        if fight.fight.over(fight.scene, FIGHT) is not None:
            break
        call = fight.fight.next_step(fight.scene, FIGHT)
        if call.rule.id == "distemper.combat-actions.catalogue":
            found = [each.key for each in legal_choices(COMBAT_ACTIONS, fight.scene, call.args[0])]
            assert sorted(found) == sorted(the_long_way(fight.scene, call.args[0]))
        fight.step()


def the_long_way(scene: Scene, who: Who[Character]) -> Iterator[str]:
    """Whatever can be named for an argument, and a check of every combination."""
    people = scene.all(Character)
    things = {UNARMED, *(item.name for each in people for item in scene[each].items)}
    named: dict[str, Iterable[Any]] = {"target": people, "holder": people, "weapon": things}
    named |= {"using": every_ability(scene, who), "closer": (True, False), "both": (True, False)}
    for action in COMBAT_ACTIONS:
        for values in product(*(named[name] for name in action.picks)):
            if action.may(scene, who, **dict(zip(action.picks, values, strict=True))) is None:
                yield key_of((action.key, *values))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(6))
def test_an_action_is_refused_for_the_reason_its_button_gives(seed: int) -> None:
    """Whoever tries whatever, legal or not: asking and doing agree."""
    fight = watched(seed)
    refused = 0
    for _ in range(30):
        if fight.fight.over(fight.scene, FIGHT) is not None:
            break
        for _ in range(10):
            who = Who(fight.random.choice(fight.fight.fighters), Character)
            action = fight.random.choice(COMBAT_ACTIONS)
            choices = action.choices(fight.scene, who)
            if all(choices.values()):
                arguments = {name: fight.random.choice(values) for name, values in choices.items()}
                why = action.may(fight.scene, who, **arguments)
                assert begun(fight.scene.state, action, who, arguments) == (why and str(why))
                refused += why is not None
        fight.step()
    assert refused


def begun(state: State, action: Action[Any], who: Who[Character], arguments: dict[str, Any]) -> str | None:
    """Why an action cannot be begun, or None."""
    scene = Scene(state)
    try:
        Run(scene, action.do(who, **arguments)).close()
    except Refused as why:
        assert scene.state == state
        return str(why)
    return None


# --- the journal ------------------------------------------------------------------------------------------------------


def journalled(seed: int, moves: int) -> Journal:
    """A fight at a live table, by random legal answers."""
    random = Random(seed)
    journal = Journal(SYSTEM, scene_by_chance(random), SeededDice(seed.to_bytes(8, "big")))
    for _ in range(moves):
        if journal.asking:
            waiting = random.choice(journal.asking)
            assert isinstance(waiting.question, Choice)
            answer = legal_at_random(waiting.question, random)
            journal.answer("somebody", waiting.step, waiting.question.write(answer), waiting.part)
        elif journal.scene[FIGHT].over(journal.scene, FIGHT) is None:
            call = journal.scene[FIGHT].next_step(journal.scene, FIGHT)
            journal.begin("somebody", call.rule.id, call.plain())
        else:
            break
    return journal


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(12))
def test_a_journalled_fight_replays_to_the_same_state(seed: int) -> None:
    """Cut off at any point: the fold of the log, and a table resumed from it, are where the first one was."""
    journal = journalled(seed, 15 + 17 * seed)
    lines = [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in journal.lines]
    again = Journal(SYSTEM, journal.start, journal.source, lines)
    assert again.state == journal.state
    assert SYSTEM.plain(again.state) == SYSTEM.plain(journal.state)
    assert [str(each.question) for each in again.asking] == [str(each.question) for each in journal.asking]
    assert fold(SYSTEM, journal.start, (line for _, line in journal.story)) == journal.state
    assert not any(isinstance(item, StepRefused) for line in lines for item in line.then)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_journalled_fight_is_played_again_by_its_own_answers(seed: int) -> None:
    """Every step begun anew and answered as the log says changes the same."""
    journal = journalled(seed, 120)
    second = Journal(SYSTEM, journal.start, None)
    for line in journal.lines:
        if isinstance(line, StepBegan):
            second.begin(line.by, line.rule, line.arguments)
        elif isinstance(line, AnswerGiven):
            second.answer(line.by, line.step, line.answer, line.part)
    assert [line.then for line in second.lines] == [line.then for line in journal.lines]
    assert second.state == journal.state


@pytest.mark.slow
def test_a_scene_outlives_its_plain_form_in_the_middle_of_any_fight() -> None:
    for seed in range(10):
        fight = watched(seed)
        for _ in range(25):
            if fight.fight.over(fight.scene, FIGHT) is None:
                fight.step()
        assert SYSTEM.state(json.loads(json.dumps(SYSTEM.plain(fight.scene.state)))) == fight.scene.state


def test_acting_out_of_turn_is_refused_to_everybody_else() -> None:
    for seed in range(8):
        fight = watched(seed)
        for _ in range(20):
            if fight.fight.over(fight.scene, FIGHT) is not None or fight.fight.phase is not Phase.ACTIONS:
                break
            group = fight.fight.group(fight.scene)
            for name in set(fight.fight.fighters) - set(group):
                for action in COMBAT_ACTIONS[1:]:
                    assert isinstance(action.may(fight.scene, Who(name, Character)), Refused)
            fight.step()
