"""Odds by outcome bands alone: as played, die by die."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any, Final

import pytest

from referee.core import Mod, Scene, State, Who, frozen, hand_over, rule
from referee.core.bands import Bands
from referee.core.errors import NotKept
from referee.core.rules import Call
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.forecast.bands import counted, forecast
from referee.kits.dice_codes import Code
from referee.registry import load
from referee.systems.d6.combat.blows import STRUCK, BlowSituation, MeleeBlow, weapon_blow
from referee.systems.d6.combat.bursts import BURST_BANDS, burst_hits, burst_zone, hold_zone, under_burst
from referee.systems.d6.combat.charges import CHARGED, ram_outcome
from referee.systems.d6.combat.mastery import MANEUVERED, try_maneuver
from referee.systems.d6.combat.melee import blow_outcome
from referee.systems.d6.combat.melee_shots import INTO, may_be_highest, shoot_into_melee, stray_hits, stray_shot
from referee.systems.d6.combat.ranged import SHOT, Aim, Shot, shot_of, shot_outcome
from referee.systems.d6.combat.teasing import TEASED, tease
from referee.systems.d6.resolution import TESTED, PlannedAction, roll_against
from referee.systems.d6.sheet import Hero, SprayZone
from referee.systems.d6.skills import SEVERAL_DONE, several_rolls
from referee.systems.d6.social import ADDRESSED, Hearing, speak
from referee.testing.conformance import compare_outline

SYSTEM: Final = load("d6")
ANA: Final = Who("ana", Hero)
BO: Final = Who("bo", Hero)
CY: Final = Who("cy", Hero)
WILD: Final = {"d6.core.wild-die": True, "d6.core.wild-1": "complication", "d6.core.wild-6": "good fortune"}
FAR: Final = {"d6.core.high-margin": True}
FAR_FUMBLES: Final = {"d6.core.fumble-selection": "high margin of failure"}
MASTERY: Final = {f"d6.advanced.mastery-{each}": True for each in ("general", "offensive", "defensive")}
GUN: Final = {"name": "gun", "damage": "1D", "range": [40], "skill": "Firearms", "held": True}
SWORD: Final = {"name": "Sword", "held": True, "difficulty": 6}


def table(options: dict[str, Any], **more: Any) -> State:
    sheet = {"attributes": {"Agility": "1D+1", "Strength": "1D"}, "skills": {"Firearms": "2D", "Dodge": "1D+2"}}
    people = {name: {**sheet, "equipment": [GUN, SWORD], "player": False, **more} for name in ("ana", "bo", "cy")}
    return SYSTEM.state({**people, "book": {"kind": "Book", "system": "d6", "options": options}})


def a_shot(state: State) -> Shot:
    return shot_of(Scene(state), ANA, BO, "gun", Aim(5.0, difficulty=8))


def agree(call: Call[Any], state: State, policy: Policy, bands: Bands[Any]) -> None:
    """By the bands of a card; and a rule with an outline of its own, in all that this keeps."""
    if call.rule.outline is not None:
        _ = compare_outline(call, state, policy)
    outlined = Exact(policy, by_bands=True).results(call, state)
    played = Exact(policy, kernels=False).results(call, state)
    assert outlined.by(lambda each: counted(bands, each)) == played.by(lambda each: counted(bands, each))


@pytest.mark.parametrize("reaction", [None, "combat-parry"])
def test_a_blow(reaction: str | None) -> None:
    state = table({})
    call = blow_outcome(ANA, BO, weapon_blow(Scene(state), ANA, "Sword"), BlowSituation())
    agree(call, state, always(reaction=reaction), STRUCK)


@pytest.mark.parametrize("reaction", [None, "combat-dodge"])
@pytest.mark.parametrize("options", [{}, WILD], ids=["plain", "wild"])
def test_a_shot(options: dict[str, Any], reaction: str | None) -> None:
    state = table(options)
    agree(shot_outcome(ANA, BO, a_shot(state)), state, always(reaction=reaction), SHOT)


@pytest.mark.parametrize("reaction", [None, "combat-parry"])
def test_a_charge(reaction: str | None) -> None:
    call = ram_outcome(ANA, BO, MeleeBlow("Running", 3, 1), Code(1), Code(0, 1), BlowSituation())
    agree(call, table({}), always(reaction=reaction), CHARGED)


@pytest.mark.parametrize("reaction", [None, "combat-dodge"])
def test_those_whom_a_burst_reaches(reaction: str | None) -> None:
    state = table({})
    policy, call = always(reaction=reaction), burst_hits(ANA, (BO, CY), a_shot(state), 7)
    outlined = Exact(policy, by_bands=True).results(call, state)
    played = Exact(policy, kernels=False).results(call, state)

    def who(hits: Any) -> Any:
        return tuple((each.who, each.hit, each.reaction) for each in hits)

    assert outlined.by(who) == played.by(who)
    agree(burst_zone(ANA, (BO,), a_shot(state)), state, policy, BURST_BANDS)


@pytest.mark.parametrize("way", [None, "move-out"])
def test_a_zone_under_fire(way: str | None) -> None:
    state = table({})
    call = hold_zone(ANA, SprayZone("gun", 1, 5, 5, inside=("bo",)), a_shot(state))
    agree(call, state, always(**{"under-fire": way}), BURST_BANDS)


@pytest.mark.parametrize("attack", [5, 8])
def test_chance_says_who_is_hit_in_a_melee(attack: int) -> None:
    state = table({})
    call = stray_hits(ANA, (BO, CY), 0, a_shot(state), attack)
    odds = [Exact(always(), by_bands=True), Exact(always(), kernels=False)]
    fast, played = (each.results(call, state).chance(lambda found: any(hit.hit for hit in found[1])) for each in odds)
    assert fast == played == Fraction(attack >= 8)


def test_a_shot_into_a_melee() -> None:
    state = table({}, melee=[{"foe": "bo"}, {"foe": "cy"}])
    agree(shoot_into_melee(ANA, "gun", (BO, CY), Aim(5.0)), state, always(), INTO)


@pytest.mark.parametrize("reaction", [None, "combat-dodge", "full-dodge"])
@pytest.mark.parametrize("options", [{}, WILD, FAR], ids=["plain", "wild", "far"])
def test_whom_a_single_shot_into_a_melee_comes_to(options: dict[str, Any], reaction: str | None) -> None:
    state = table(options)
    agree(stray_shot(ANA, (BO, CY), 0, a_shot(state)), state, always(reaction=reaction), INTO)


@pytest.mark.parametrize("reaction", [None, "combat-dodge", "full-dodge"])
@pytest.mark.parametrize("attack", [5, 8])
def test_one_of_those_whom_a_burst_reaches(attack: int, reaction: str | None) -> None:
    state = table({})
    call, policy = under_burst(ANA, BO, a_shot(state), attack), always(reaction=reaction)
    odds = [Exact(policy, by_bands=True), Exact(policy, kernels=False)]
    outlined, played = (each.results(call, state).by(lambda hit: (hit.hit, hit.reaction)) for each in odds)
    assert outlined == played


@pytest.mark.parametrize("options", [{}, WILD, FAR], ids=["plain", "wild", "far"])
@pytest.mark.parametrize("difficulty", [1, 5, 12, 20])
def test_a_roll_against_a_difficulty(options: dict[str, Any], difficulty: int) -> None:
    mods = (Mod(1, "pips", unit="pips"), Mod(2, "harder", unit="difficulty"))
    agree(roll_against(ANA, "Dodge", difficulty, mods), table(options), always(), TESTED)


@pytest.mark.parametrize("sums", [True, False])
@pytest.mark.parametrize("options", [{}, WILD, FAR])
def test_several_rolls_of_one_action(options: dict[str, Any], sums: bool) -> None:
    both = (PlannedAction("Dodge", 6), PlannedAction("Strength", 4))
    agree(several_rolls(ANA, both, sums, ()), table(options), always(), SEVERAL_DONE)


@pytest.mark.parametrize("crowd", [None, Code(1)])
def test_a_speech_to_several_people(crowd: Code | None) -> None:
    both = (Hearing(BO, (), 0), Hearing(CY, (Mod(1, "deeds", unit="total"),), 2))
    said = speak(ANA, "Dodge", (), ("action", "any roll"), both, "Strength", (), crowd)
    agree(said, table({}), always(), ADDRESSED)


def test_a_roll_against_a_difficulty_with_points() -> None:
    """Compared with its kernel, since open-ended dice are without end."""
    state, policy = table({}, character_points=2), always(**{"character-point": True})
    outlined, counted_up = (
        Exact(policy, by_bands=on).results(roll_against(ANA, "Dodge", 9), state) for on in (True, False)
    )
    assert outlined.by(lambda each: counted(TESTED, each)) == counted_up.by(lambda each: counted(TESTED, each))


@pytest.mark.parametrize("reaction", [None, "combat-parry", "pinning-parry", "aggressive-parry"])
def test_a_blow_that_a_master_may_parry(reaction: str | None) -> None:
    """What such a parry does to the attacker comes after the result."""
    mastery = {"advanced_skills": {"Melee mastery <swords> (A)": "1D+1"}}
    known = [{"name": "Pinning parry"}, {"name": "Aggressive parry"}]
    state = table(MASTERY, maneuvers=known, **mastery)
    call = blow_outcome(ANA, BO, weapon_blow(Scene(state), ANA, "Sword"), BlowSituation())
    agree(call, state, always(reaction=reaction), STRUCK)


@pytest.mark.parametrize("maneuver", ["Feint", "Disarm", "Pin", "Power strike"])
@pytest.mark.parametrize("reaction", [None, "combat-parry"])
def test_a_maneuver(maneuver: str, reaction: str | None) -> None:
    """Its consequences follow from its result, and change nothing of it."""
    mastery = {"advanced_skills": {"Melee mastery <swords> (A)": "1D"}}
    state = table(MASTERY, maneuvers=[{"name": maneuver, "dice": 1}], **mastery)
    agree(try_maneuver(ANA, BO, maneuver), state, always(reaction=reaction), MANEUVERED)


def test_teasing() -> None:
    mastery = {"advanced_skills": {"Melee mastery <swords> (A)": "1D"}}
    state = table(MASTERY, maneuvers=[{"name": "Teasing"}], **mastery)
    agree(tease(ANA, BO), state, always(), TEASED)


@pytest.mark.parametrize("dice", range(1, 5))
def test_the_ways_in_which_some_dice_are_the_highest(dice: int) -> None:
    people = tuple(Who(str(at), Hero) for at in range(dice))
    shown = (list(zip(people, pips, strict=True)) for pips in product(range(1, 7), repeat=dice))
    highest = Counter(tuple(who for who, each in rows if each == max(pips for _, pips in rows)) for rows in shown)
    assert dict(may_be_highest(6, people)) == highest


@frozen
class Carried:
    """By how much something was carried."""

    margin: int


CARRIED: Final = Bands[Carried](
    of=lambda found: "well" if found.margin >= 6 else "barely" if found.margin >= 0 else "not",
    keys=("well", "barely", "not"),
)


@rule("tests.outlines.carry", bands=CARRIED)
async def carry(scene: Scene, who: Who[Hero]) -> Carried:
    """It ends with a roll, and its margin matters."""
    return await hand_over(
        roll_against(who, "Strength", 10),
        read=lambda rolled: Carried(rolled.margin if rolled.success else -rolled.margin),
    )


def test_whoever_reads_a_margin_gets_it_although_an_outline_leaves_it_open() -> None:
    state = SYSTEM.state({"ana": {"attributes": {"Strength": "4D"}}})
    card = forecast(carry(ANA), state, CARRIED, Exact(by_bands=True))
    assert card.bands == {"well": Fraction(145, 432), "barely": Fraction(245, 432), "not": Fraction(7, 72)}


def test_a_margin_that_an_outline_leaves_open_cannot_be_read() -> None:
    state = SYSTEM.state({"ana": {"attributes": {"Strength": "4D"}}})
    outlined = Exact(by_bands=True).results(roll_against(ANA, "Strength", 10), state)
    with pytest.raises(NotKept, match=r"TestResult\.margin"):
        outlined.chance(lambda roll: roll.margin > 3)


@pytest.mark.parametrize("options", [{}, WILD, FAR, FAR_FUMBLES], ids=["plain", "wild", "far", "far fumbles"])
def test_a_test_of_a_skill(options: dict[str, Any]) -> None:
    """Far margins are fumbles and criticals in one campaign, and nothing in another."""
    agree(roll_against(ANA, "Firearms", 13), table(options, skills={"Firearms": "4D"}), always(), TESTED)
