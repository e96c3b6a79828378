"""What the chances beside a question are about: the rule that decides something people hope for, and is still open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Scene
from referee.core.knowledge import known_to
from referee.core.plain import Plain
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice

GM: Final = Seat("gm", master=True)
EXACT: Final = Budget(None)
SURVIVOR: Final = {"ana": {"attributes": {"Strength": 3, "Empathy": 2}, "willpower": 4}}
WRESTLERS: Final = {"ana": {"attributes": {"Strength": 3}}, "bo": {"attributes": {"Strength": 2}}}
DERRINGER: Final = {"name": "derringer", "skill": "guns", "held": True, "damage": {"spades": 3}}
CHASED: Final[dict[str, Any]] = {
    "ana": {"stats": {"Dexterity": 6}, "items": [{**DERRINGER, "properties": {"Conceal": 1}}]},
    "bo": {"stats": {"Perception": 5}},
    "chase": {"kind": "Chase", "sides": [["ana"], ["bo"]], "interval": 1, "phase": "leg up", "leg_up": ["ana"]},
}
HURT: Final = {
    "ana": {"moxie": 2, "hp": -3},
    "ana.hand": {"kind": "Pile", "cards": ["3H@ana", "JH@ana"], "facing": "hand", "owner": "ana"},
}
LEG_UP: Final = {"me": "chase", "side": "quarry"}
OBSTRUCTED: Final = {**CHASED, "book": {"kind": "Book", "options": {"dime.chase.obstacles": True}}}
AHEAD: Final[dict[str, Any]] = {
    **CHASED,
    "fight": {"kind": "ZoneFight", "sides": [["ana"], ["bo"]], "left": {"ana": 2, "bo": 2}},
}
GREEDY: Final = {"who": "ana", "subject": "gold"}
STRIKES: Final = {"who": "ana", "foe": "bo"}
FACING: Final[dict[str, Any]] = {
    "ana": {"stats": {"Charisma": 6, "Dexterity": 1, "Speed": 10}, "skills": {"empathy": 2}, "items": [DERRINGER]},
    "bo": {"player": False, "dr": 9, "items": [DERRINGER]},
    "duel": {"kind": "Duel", "sides": [["ana"], ["bo"]]},
}
TRICK: Final = {"me": "chase", "side": "quarry", "how": "help"}
RESOLVED: Final = {"who": "ana", "points": 1}
INJURED: Final = {"who": "ana", "location": "Head", "kind": "slash"}

Case = tuple[str, Mapping[str, Any], str, Mapping[str, Plain], str, str, str]
STAKES: Final[tuple[Case, ...]] = (
    # game, scene, what is played, with what, the question, what it is about, the best that is hoped for
    (
        "yearzero",
        SURVIVOR,
        "injuries.critical-trigger",
        INJURED,
        "critical-again",
        "injuries.critical-trigger",
        "injury",
    ),
    ("yearzero", SURVIVOR, "stress.suppression", {"who": "ana"}, "push", "stress.suppression", "success"),
    ("yearzero", SURVIVOR, "stress.suppression", {"who": "ana"}, "ignore-suppression", "stress.suppression", "success"),
    ("yearzero", SURVIVOR, "panic.check", {"who": "ana"}, "push", "panic.check", "calm"),
    ("yearzero", SURVIVOR, "talents.combat/resilient", RESOLVED, "resilient", "talents.combat/resilient", "unhurt"),
    ("yearzero", WRESTLERS, "melee.tackle/stand", {"who": "ana", "by": "bo"}, "push", "melee.tackle/stand", "success"),
    (
        "dime",
        CHASED,
        "weapon.properties/search",
        {"who": "bo", "whom": "ana"},
        "hide",
        "weapon.properties/conceal",
        "hidden",
    ),
    ("dime", CHASED, "chase.leg-up/choice", LEG_UP, "leg-up", "chase.leg-up/choice", "gone"),
    ("dime", OBSTRUCTED, "chase.obstacles/shot", LEG_UP, "opening", "chase.obstacles/shot", "critical-hit"),
    ("dime", AHEAD, "reaction.zone-of-control", STRIKES, "zone-of-control", "reaction.zone-of-control", "critical-hit"),
    (
        "dime",
        CHASED,
        "consequence.desire",
        {"who": "ana", "subject": "gold"},
        "nature",
        "consequence.desire",
        "resists",
    ),
    ("dime", FACING, "duel.face-off", {"me": "duel"}, "tactic", "duel.face-off", "stares-down"),
    ("dime", CHASED, "chase.leg-up/trick", TRICK, "stat", "chase.procedure/fitting", "strong-success"),
    ("dime", HURT, "damage.below-zero", {"who": "ana"}, "play", "damage.below-zero", "stays-up"),
)


@pytest.mark.parametrize("case", STAKES, ids=lambda case: f"{case[0]} {case[4]} in {case[2]}")
def test_what_is_at_stake(case: Case) -> None:
    game, scene, played, given, prompt, about, best = case
    card = card_at(game, scene, f"{game}.{played}", given, prompt)
    assert (card.about, card.good[0], card.against) == (f"{game}.{about}", best, False)
    figures = {key: each.bands for key, each in card.asked.items()}
    assert len({tuple(sorted(each.items())) for each in figures.values()}) > 1, "it makes a difference what is answered"


def test_another_throw_for_an_injury_of_the_head_is_lethal_by_eleven_and_twelve() -> None:
    card = card_at("yearzero", SURVIVOR, "yearzero.injuries.critical-trigger", INJURED, "critical-again")
    assert card.asked["yes"].bands == {"injury": Fraction(5, 6), "lethal-injury": Fraction(1, 6)}


def test_a_tactic_is_weighed_by_itself_whatever_the_other_tries() -> None:
    """Each is a flip against the Willpower of 10; of both flips a little is left out as too unlikely."""
    card, system = card_at("dime", FACING, "dime.duel.face-off", {"me": "duel"}, "tactic"), registry.load("dime")
    assert not card.pairs
    for tactic, stat, skill in (("Str/persuade", "Strength", "persuade"), ("Chr/empathy", "Charisma", "empathy")):
        known = known_to(system.new_state(FACING), GM)
        flip = system.action("flip").by(Scene(known).who("ana"), stat=stat, skill=skill, tn=10)
        flipped = odds_of(flip, known, GM, budget=EXACT, decisions=False).now
        assert flipped is not None
        hoped = flipped.chance_of(("strong-success", "success"))
        assert float(card.asked[tactic].bands["stares-down"]) == pytest.approx(float(hoped), abs=1e-4)


def test_speed_and_safety_are_weighed_against_what_the_other_may_choose() -> None:
    """Ana hits by Speed 10 but hardly by Dexterity 1; whoever is quick may not react, whoever is safe may."""
    scene = {**FACING, "duel": {**FACING["duel"], "phase": "opening shots"}}
    card = card_at("dime", scene, "dime.duel.opening-shots", {"me": "duel"}, "pace", Budget(None, plays=60))
    assert (card.about, card.asked, card.best) == ("dime.duel.opening-shots", {}, None)
    assert card.pairs.keys() == {"speed / speed", "speed / safety", "safety / speed", "safety / safety"}
    assert all(
        set(each.bands) == {"hits-unscathed", "both-hit", "nobody-hit", "is-hit"} for each in card.pairs.values()
    )
    hits = {key: each.chance_of(("hits-unscathed", "both-hit")) for key, each in card.pairs.items()}
    assert min(hits["speed / speed"], hits["speed / safety"]) > max(hits["safety / speed"], hits["safety / safety"])


def test_insight_before_initiative_is_weighed_as_if_nobody_else_spent_any() -> None:
    """2d6 against 2d6, and equals act at once; with +3, and with a third die."""
    people = {"al": {"insight": 1}, "bo": {"insight": 1}, "fight": {"kind": "Fight", "sides": [["al"], ["bo"]]}}
    card = card_at("distemper", people, "distemper.combat.round", {}, "initiative-before")
    assert (card.about, card.pairs, card.best) == ("distemper.combat.initiative-check/everyone", {}, None)
    assert {key: each.bands["acts-first"] for key, each in card.asked.items()} == {
        "no": Fraction(721, 1296),
        "bonus": Fraction(545, 648),
        "extra die": Fraction(1099, 1296),
    }


def test_character_points_on_initiative_are_about_acting_first() -> None:
    """Bo has 12 and Ana 10 with two dice: only a third die that shows 1 leaves her behind him."""
    person = {"attributes": {"Perception": "2D"}}
    fight = {"kind": "IndividualCombat", "sides": [["ana"], ["bo"]]}
    scene = {"ana": {**person, "character_points": 1}, "bo": person, "fight": fight}
    system = registry.load("d6")
    journal = Journal(system, system.new_state(scene))
    journal.begin("gm", "d6.combat.initiative-variable", {})
    journal.answer("gm", journal.asking[0].step, [5, 5])
    journal.answer("gm", journal.asking[0].step, [6, 6])
    card = question_query(journal, journal.asking[0], GM, plan=False).card(EXACT)
    assert (card.about, card.against) == ("d6.combat.initiative-variable", False)
    assert {key: each.bands["acts-later"] for key, each in card.asked.items()} == {"no": 1, "yes": Fraction(1, 6)}


def test_a_level_of_a_battle_is_about_what_becomes_of_one_there() -> None:
    scene = {
        "ana": {"attributes": {"Perception": "3D", "Strength": "3D"}, "skills": {"Strategy and Tactics": "4D"}},
        "bo": {},
        "battle": {"kind": "LargeBattle", "sides": [["ana"], ["bo"]], "generals": ["ana", "bo"], "heroes": ["ana"]},
    }
    card = card_at("d6", scene, "d6.battle.engagement-levels/ask", {"who": "ana"}, "engagement-level")
    unhurt = {level: each.bands["none"] for level, each in card.asked.items()}
    assert unhurt["Not involved"] == 1
    assert unhurt["Support"] > unhurt["Disengaged"] > unhurt["Engaged"] > unhurt["First line"]
    assert {level: each.because for level, each in card.missing.items()} == {"Specops": "refused"}


def card_at(
    game: str, scene: Mapping[str, Any], played: str, given: Mapping[str, Plain], prompt: str, budget: Budget = EXACT
) -> RiskCard:
    """The card beside the first question of a name; whatever is asked before is declined."""
    system = registry.load(game)
    journal = Journal(system, system.new_state(scene), SeededDice(b"r2"))
    journal.begin("gm", played, given)
    while journal.asking[0].question.name != prompt:
        journal.answer("gm", journal.asking[0].step, "no")
    return question_query(journal, journal.asking[0], GM, plan=False).card(budget)
