"""A player who looks ahead fights mirrored fights against plain policies; what it chose at each decision is printed.

`BOUTS=20 pytest -s -m slow -k d6 tests/testing/test_optimiser.py` plays so many and prints the lists;
`SEED=7` plays others.
An option that is taken nearly always is a hole in the rules, or a reading to defend (docs/policies.md).
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Call, Prompt, Scene, Who, choose, rule
from referee.core.actions import LegalChoices, legal_choices, ways_of
from referee.core.agenda import next_of
from referee.core.questions import Choice
from referee.drivers.policies import Policy
from referee.testing.optimiser import Bout, Health, Optimiser, encounter_calls, report, round_of

BOUTS: Final = int(os.environ.get("BOUTS", "2"))
SEED: Final = int(os.environ.get("SEED", "0"))
ROUNDS: Final = (2, 3, 6)
SIDES: Final = (("ana",), ("bo",))


def mirrored(system: str, sheet: Mapping[str, Any], fight: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"ana": dict(sheet), "bo": dict(sheet), fight: {"kind": kind, "sides": [["ana"], ["bo"]], **fields}}


def bout_of(system: str, sheet: Mapping[str, Any], fight: str, kind: str, health: Health, **fields: Any) -> Bout:
    state = registry.load(system).new_state(mirrored(system, sheet, fight, kind, **fields))
    me: Who[Any] = Who(fight, registry.load(system).kind(kind))
    return Bout(state, SIDES, encounter_calls(me), health, round_of(me))


# --- Distemper, Dime Adventures, the D6 System ------------------------------------------------------------------------


def distemper() -> tuple[Bout, Policy]:
    from referee.systems.distemper.policies import aggressive
    from referee.systems.distemper.sheet import Character

    sheet = {
        "attributes": {"Reason": 1, "Acumen": 1, "Physicality": 2, "Influence": 1, "Dexterity": 2},
        "skills": {"Ranged Combat": 2, "Melee Combat": 2, "Tactics": 1, "Intimidation": 1, "Athletics": 1},
        "items": [
            {"name": "rifle", "skill": "Ranged Combat", "wp": 3, "rp": 2},
            {"name": "axe", "skill": "Melee Combat", "wp": 3, "rp": 2},
        ],
    } | {"wp": 10, "wp_full": 10, "rp": 8, "rp_full": 8, "melee_defense": 1, "ranged_defense": 1}

    def health(scene: Scene, name: str) -> float:
        who = scene[Who(name, Character)]
        return max(0, who.wp) / who.wp_full * (0.5 + 0.5 * max(0, who.rp) / who.rp_full)

    return bout_of("distemper", sheet, "fight", "Fight", health, bands={"ana bo": 1}), aggressive


def dime() -> tuple[Bout, Policy]:
    from referee.systems.dime.policies import aggressive
    from referee.systems.dime.sheet import hp, hp_score

    sword = {"name": "sabre", "held": True, "damage": {"spades": 4, "hearts": 2, "diamonds": 1}, "strength": True}
    revolver = {
        "name": "revolver",
        "skill": "guns",
        "held": True,
        "damage": {"spades": 7, "hearts": 5, "diamonds": 4, "clubs": 2},
        "properties": {"Range": 2, "Shots": 6},
    }
    sheet = {
        "stats": dict.fromkeys(("Strength", "Dexterity", "Speed", "Endurance", "Perception"), 5),
        "skills": {"melee": 2, "athletics": 2, "guns": 2, "awareness": 1, "deception": 1},
        "items": [revolver, {**sword, "properties": {"Defense": 1}}],
    }

    def health(scene: Scene, name: str) -> float:
        return max(0.0, hp(scene, scene.who(name)) / hp_score(scene, scene.who(name)))

    zones = {"zones": [{"name": "Road"}, {"name": "Barn"}], "borders": [{"one": "Road", "other": "Barn"}]}
    where = {"zones": {**zones, "places": {"ana": "Road", "bo": "Road"}}}
    return bout_of("dime", sheet, "fight", "ZoneFight", health, **where), aggressive


def d6() -> tuple[Bout, Policy]:
    from referee.systems.d6.combat.round import FIGHT
    from referee.systems.d6.policies import aggressive
    from referee.systems.d6.wounds import WOUND_LEVELS

    sheet = {
        "attributes": dict.fromkeys(("Agility", "Coordination", "Strength", "Perception", "Charisma"), "3D"),
        "skills": {"Dodge": "4D", "Brawling": "4D", "Melee Combat": "4D", "Firearms": "4D"},
        "equipment": [
            {"name": "Sword", "place": "held"},
            {"name": "Colt", "row": "Automatic pistol (Colt .45)", "loaded": 7, "place": "held"},
        ],
        "character_points": 3,
    }

    def health(scene: Scene, name: str) -> float:
        levels = scene[WOUND_LEVELS].names
        who: Any = scene[scene.who(name)]
        fights = FIGHT in scene and any(name in side for side in scene[FIGHT].standing(scene))
        return 1 - levels.index(who.wound) / len(levels) if fights else 0.0

    return bout_of("d6", sheet, FIGHT.name, "IndividualCombat", health), aggressive


# --- Year Zero, of whose many actions some are weighed ---------------------------------------------------------------

GO: Final = Prompt("go")
SKILLS: Final = ("melee", "marksmanship", "might", "move", "insight", "influence", "command", "stealth")
IN_FIGHTS: Final = {
    f"referee.systems.yearzero.{chapter}" for chapter in ("action_types", "initiative", "goes", *SKILLS)
}
"""The chapters whose actions are weighed; those of camps and workshops take hours."""
YEARZERO: Final = registry.load("yearzero")
BATTLE: Final[Who[Any]] = Who("battle", YEARZERO.kind("Battle"))


@rule("look-ahead.go")
async def take_action(scene: Scene, who: Who[Any]) -> None:
    """Whoever's go it is acts, or ends it."""
    actions = (each for each in YEARZERO.actions_in(scene, master=False) if each.rule.body.__module__ in IN_FIGHTS)
    if scene[BATTLE].plan(who.name):  # one changes one's mind as often as one likes
        actions = (each for each in actions if each.key != "declare-actions")
    options = legal_choices(actions, scene, who)
    chosen = await choose(who, GO, options, default=YEARZERO.action("end-go").by(who))
    await chosen.call


PLAINLY: Final = dict.fromkeys(("effect", "location", "part"), "".__eq__) | dict.fromkeys(
    ("mods", "helpers"), ().__eq__
)


def strikes(question: Choice[Any], scene: Scene) -> Any:
    """Strikes or shoots, if that is left, and ends the go."""
    if not isinstance(question.legal, LegalChoices):
        return question.default
    for key in ("slash", "grapple-attack", "break-free", "punch"):
        if found := ways_of(question.legal, key, **PLAINLY):
            return found[0]
    return question.default


def yearzero() -> tuple[Bout, Policy]:
    from referee.systems.yearzero.sheet import Survivor

    sheet = {
        "attributes": {"Strength": 4, "Agility": 4, "Wits": 3, "Empathy": 3},
        "skills": {"Melee": 2, "Might": 2, "Move": 2, "Marksmanship": 2, "Insight": 1, "Influence": 1, "Stealth": 1},
        "willpower": 2,
        "things": [{"name": "Battleaxe", "place": "held"}, {"name": "Knife", "place": "held"}],
    }

    def following(scene: Scene) -> Call[Any]:
        due = next_of(scene)
        if due is not None and due.is_clocks:
            return due.call
        return take_action(Who(scene[BATTLE].turn, Survivor))

    def health(scene: Scene, name: str) -> float:
        who = scene[Who(name, Survivor)]
        return 0.0 if who.broken else sum(who.now(each) / who.full(each) for each in ("Strength", "Agility")) / 2

    fight = {"initiative": {"ana": 40, "bo": 20}, "turn": "ana"}
    state = YEARZERO.new_state(mirrored("yearzero", sheet, BATTLE.name, "Battle", **fight))
    return Bout(state, SIDES, following, health, round_of(BATTLE)), strikes


def shoots(question: Choice[Any], scene: Scene) -> Any:
    """Shoots rapidly, gets the weapon ready again, or ends the go."""
    if not isinstance(question.legal, LegalChoices):
        return question.default
    plainly = {name: among for name, among in PLAINLY.items() if name != "location"}
    for ammo in (3, 0):
        if found := ways_of(question.legal, "shoot", **plainly, ammo=ammo.__eq__, flanking=_is_not):
            return found[0]
    return next(
        (found[0] for key in ("reload", "clear-jam") if (found := ways_of(question.legal, key))), question.default
    )


def _is_not(value: object) -> bool:
    return not value


def firefight() -> tuple[Bout, Policy]:
    """Two with assault rifles, who can run between three zones and get behind something."""
    bout, _ = yearzero()
    sheet = {
        "attributes": {"Strength": 4, "Agility": 4, "Wits": 3, "Empathy": 3},
        "skills": {"Marksmanship": 2, "Move": 2, "Insight": 1, "Influence": 1},
        "willpower": 2,
        "things": [
            {"name": "AKM", "place": "held", "loaded": 30},
            {"name": "7.62mm", "amount": 60},
            {"name": "Police Kevlar Vest", "place": "worn"},
        ],
    }
    zones = {
        "zones": [{"name": "yard"}, {"name": "hall"}, {"name": "street"}],
        "borders": [{"one": "yard", "other": "hall"}, {"one": "hall", "other": "street"}],
        "places": [{"who": "ana", "zone": "yard"}, {"who": "bo", "zone": "street"}],
    }
    fight = {"initiative": {"ana": 40, "bo": 20}, "turn": "ana", "zones": zones}
    state = YEARZERO.new_state(mirrored("yearzero", sheet, BATTLE.name, "Battle", **fight))
    return replace(bout, state=state), shoots


SETUPS: Final[Mapping[str, Callable[[], tuple[Bout, Policy]]]] = {
    "d6": d6,
    "dime": dime,
    "distemper": distemper,
    "yearzero": yearzero,
    "yearzero with rifles": firefight,
}


@pytest.mark.slow
@pytest.mark.parametrize("system", SETUPS)
def test_whoever_looks_ahead_chooses_of_what_is_offered(system: str) -> None:
    bout, plain = SETUPS[system]()
    offered, chosen, led = Counter[tuple[str, str]](), Counter[tuple[str, str]](), 0.0
    for number in range(BOUTS):
        player = Optimiser(bout, number % 2, plain, Random(SEED + number), rounds=ROUNDS)
        led += bout.lead(Scene(player.play(most_steps=60)), number % 2)
        offered += player.offered
        chosen += player.chosen
    sys.stdout.write(f"\n{system}: after {BOUTS} fights, ahead by {led / BOUTS:+.2f}\n{report(offered, chosen)}\n")
    assert chosen
    assert all(number <= offered[each] for each, number in chosen.items())
