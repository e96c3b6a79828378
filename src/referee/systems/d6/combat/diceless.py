"""What needs no roll in a fight: free actions, and those that count as actions all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    Mods,
    Pick,
    Prompt,
    Scene,
    alter,
    choose,
    formula,
    frozen,
    hand_over,
    refuse,
    rows,
    suggest,
)
from referee.core.things import CARRIED, DROPPED, free_name, thing_of, without_thing
from referee.systems.d6.character import cautious_move, most_move
from referee.systems.d6.codes import check_ability
from referee.systems.d6.combat.reach import PRONE, check_not_locked, check_not_prone, disengage
from referee.systems.d6.combat.round import (
    FIGHT,
    DeclaredAction,
    IndividualCombat,
    RoundPhase,
    check_in_fight,
    check_rank,
    check_turn,
    fight_action,
)
from referee.systems.d6.combat.weapons import check_hands, check_unpinned, item_of, put_away, take_in_hand
from referee.systems.d6.equipment import Item, weapon_of
from referee.systems.d6.resolution import TESTED, TestResult, check_awake, check_skill_in, roll_against
from referee.systems.d6.rolls import ACTION, ANY_ROLL
from referee.systems.d6.sheet import ATTRIBUTES, Hero, Person
from referee.systems.d6.situations import check_situations
from referee.systems.d6.wounds import NEUTRALIZED, ZONE_STATES
from referee.systems.d6.zones import has_bad_leg, legs_carry

FREE: Final = "d6.combat.free-actions"
LISTED: Final = "d6.combat.declared-action-list"
DICELESS: Final = "d6.combat.diceless-actions"
STANDING: Final = "standing"
KNEELING: Final = "kneeling"
LET_GO: Final = Prompt("let-go")


@frozen
class FreeActionRow:
    """Something that is done besides everything else."""

    name: str
    moves: bool = False
    """Whether it takes somebody elsewhere, at cautious speed."""
    drops: bool = False
    """Whether something is let go of, and lies on the ground then."""


@frozen
class DeclaredActionRow:
    """Something that must be declared, and whether it takes a roll."""

    name: str
    roll: bool = False


FREE_ACTIONS: Final = rows(FREE, "free", FreeActionRow)
LISTED_ACTIONS: Final = rows(LISTED, "actions", DeclaredActionRow)
DICELESS_ACTIONS: Final = rows(DICELESS, "actions", DeclaredActionRow)


# --- free actions -----------------------------------------------------------------------------------------------------


def check_free(scene: Scene, who: Person) -> None:
    """At one's initiative rank; whoever has no action left, after it has come. Broken ribs do not keep one from it."""
    check_awake(scene, who)
    if FIGHT in scene and who.name in scene[FIGHT].fighters and scene[FIGHT].phase is RoundPhase.RESOLVE:
        fight = scene[FIGHT]
        spent = not fight.left.get(who.name, 0) and who.name not in fight.surprised
        if spent and fight.rank_has_come(who.name):
            return
    check_rank(scene, who)


def free_actions(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[FREE_ACTIONS].names


def check_free_action(scene: Scene, who: Person, what: str) -> None:
    """What the book lists; nobody lets go of what is not in hand, or takes a step where moving is an effort."""
    row = scene[FREE_ACTIONS].look(what)
    if row.drops and not things_in_hand(scene, who):
        refuse(f"{who} holds nothing", what=what, rule=FREE)
    if row.moves:
        check_not_prone(scene, who)
        check_not_locked(scene, who)
        if has_bad_leg(scene, who):
            refuse("on a bad leg it is an action", what=what, rule=ZONE_STATES.rule, legal=("move",))


def things_in_hand(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].equipment if each.ready)


@fight_action("free-action", FREE, free=True, turn=check_free)
async def free_action(scene: Scene, who: Person, what: Annotated[str, Pick(free_actions, check_free_action)]) -> float:
    """A few words, a step, a button: it is neither declared nor counted. The result is how far a step takes one."""
    row = scene[FREE_ACTIONS][what]
    if row.drops:
        await put_away(who, await choose(who, LET_GO, things_in_hand(scene, who)), dropped=True)
    return cautious_move(scene, who) if row.moves else 0


HeldThing: TypeAlias = Annotated[str, Pick(things_in_hand)]


@fight_action("drop", f"{FREE}/drop", FREE, free=True, turn=check_free)
async def drop(scene: Scene, who: Person, thing: HeldThing) -> None:
    """Let go of what one holds; it lies on the ground."""
    await put_away(who, thing, dropped=True)


# --- declared actions -------------------------------------------------------------------------------------------------


def own_abilities(scene: Scene, who: Person) -> tuple[str, ...]:
    """What somebody has learned, and attributes; any other skill is legal too."""
    sheet = scene[who]
    return (*sheet.skills, *sheet.specializations, *sheet.advanced_skills, *scene[ATTRIBUTES].names)


OwnAbility: TypeAlias = Annotated[str, Pick(own_abilities, check_ability)]
UsualDifficulty: TypeAlias = Annotated[int, suggest(10, 15, 20)]


@fight_action("use-ability", LISTED, bands=TESTED, check=(check_skill_in, check_situations), skilled=False)
async def use_ability(
    scene: Scene,
    who: Person,
    using: OwnAbility,
    difficulty: UsualDifficulty = 15,
    mods: Mods = (),
    situation: tuple[str, ...] = (),
) -> TestResult:
    """Use a skill in a fight, for something else than an attack."""
    return await hand_over(roll_against(who, using, difficulty, mods, (ACTION, ANY_ROLL, *situation)))


def other_actions(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[LISTED_ACTIONS].names


def anything(scene: Scene, who: Person, what: str) -> None:
    """Whatever the game master agrees to."""


@fight_action("other-action", f"{LISTED}/other", LISTED)
async def other_action(scene: Scene, who: Person, what: Annotated[str, Pick(other_actions, anything)]) -> None:
    """Use an action for what another chapter has rules for, or the game master decides about."""


@formula(f"{LISTED}/roll", LISTED, DICELESS)
def takes_a_roll(scene: Scene, action: str) -> bool:
    """Whether something that is declared takes a roll as well."""
    return (scene[DICELESS_ACTIONS] if action in scene[DICELESS_ACTIONS] else scene[LISTED_ACTIONS])[action].roll


# --- actions without dice ---------------------------------------------------------------------------------------------


def sheathed(scene: Scene, who: Person) -> tuple[str, ...]:
    """Weapons that are carried, but not in hand."""
    return tuple(
        each.name for each in scene[who].equipment if each.place == CARRIED and weapon_of(scene, each).category
    )


def check_sheathed(scene: Scene, who: Person, weapon: str) -> None:
    """A weapon at hand; what lies on the ground is picked up first."""
    item = item_of(scene, who, weapon)
    if item.ready:
        refuse("it is in hand already", what=weapon, rule=DICELESS)
    if item.place == DROPPED:
        refuse("it lies on the ground", what=weapon, rule=DICELESS, legal=("pick-up",))
    check_hands(scene, who, item)


@fight_action("ready-weapon", f"{DICELESS}/ready", DICELESS, LISTED)
async def ready_weapon(
    scene: Scene, who: Person, weapon: Annotated[str, Pick(sheathed, check_sheathed)], off_hand: bool = False
) -> None:
    """Draw a weapon."""
    await take_in_hand(who, weapon, off_hand)


@fight_action("sheath-weapon", f"{DICELESS}/sheath", DICELESS, LISTED)
async def sheath_weapon(scene: Scene, who: Person, weapon: HeldThing) -> None:
    """Put a weapon away, if nobody holds it fast."""
    check_unpinned(scene, who, weapon)
    await put_away(who, weapon)


def check_down(scene: Scene, who: Person) -> None:
    if scene[who].posture == STANDING:
        refuse(f"{who} is standing", rule=DICELESS)


@fight_action("stand-up", f"{DICELESS}/stand", DICELESS, check=check_down)
async def stand_up(scene: Scene, who: Person) -> bool:
    """Get up from the ground; on a leg that nobody has fixed, if one can bear it."""
    if has_bad_leg(scene, who) and not await legs_carry(who):
        return False
    await alter(who, in_posture, STANDING)
    return True


@fight_action("drop-prone", DICELESS, check=check_not_prone)
async def drop_prone(scene: Scene, who: Person) -> None:
    """Throw oneself down."""
    await alter(who, in_posture, PRONE)


def check_not_kneeling(scene: Scene, who: Person) -> None:
    if scene[who].posture == KNEELING:
        refuse(f"{who} is kneeling", rule=DICELESS)


@fight_action("kneel", f"{DICELESS}/kneel", DICELESS, check=check_not_kneeling)
async def kneel(scene: Scene, who: Person) -> None:
    """Kneel down."""
    await alter(who, in_posture, KNEELING)


def in_posture(sheet: Hero, posture: str) -> Hero:
    return replace(sheet, posture=posture)


def owners(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Those of whom something lies on the ground."""
    return tuple(each for each in scene.all(Hero) if on_the_ground(scene, who, each))


def on_the_ground(scene: Scene, who: Person, owner: Person) -> tuple[str, ...]:
    return tuple(each.name for each in scene[owner].equipment if each.place == DROPPED)


@fight_action("pick-up", f"{DICELESS}/pick-up", DICELESS)
async def pick_up(
    scene: Scene,
    who: Person,
    owner: Annotated[Person, Pick(owners)],
    thing: Annotated[str, Pick(on_the_ground)],
) -> None:
    """Pick something up from the ground: one's own, or what somebody else has dropped."""
    item = thing_of(scene[owner].equipment, thing)
    if owner != who:
        await alter(owner, having, without_thing(scene[owner].equipment, thing))
        await alter(who, having, (*scene[who].equipment, renamed(item, scene[who].equipment)))
    await take_in_hand(who, thing if owner == who else scene[who].equipment[-1].name)


def renamed(item: Item, among: tuple[Item, ...]) -> Item:
    """A thing by a name that no other of these has, as it is carried."""
    name = free_name(among, item.name)
    return replace(item, name=name, row=item.kind, place=CARRIED) if name != item.name else item.at(CARRIED)


def having(sheet: Hero, things: tuple[Item, ...]) -> Hero:
    return replace(sheet, equipment=things)


def check_metres(scene: Scene, who: Person, metres: float) -> None:
    """As far as one moves in a round at cruise speed; faster movement takes a roll."""
    most = reach(scene, who)
    if not 0 < metres <= most:
        crawls = scene[who].wound == NEUTRALIZED
        because = f"{who} is Neutralized, and crawls" if crawls else f"at most {most} m at cruise speed"
        refuse(because, what=f"{metres:g} m", rule="d6.health.neutralized" if crawls else DICELESS, legal=(str(most),))


def reach(scene: Scene, who: Person) -> float:
    """How far somebody gets in a round at cruise speed, as their health is."""
    return cautious_move(scene, who) if has_bad_leg(scene, who) else most_move(scene, who)


def usual_metres(scene: Scene, who: Person) -> tuple[float, ...]:
    return (reach(scene, who),)


CRUISING: Final = DeclaredAction()
"""What it costs to be faster than cautious speed."""


def is_step(scene: Scene, who: Person, metres: float) -> bool:
    """Whether somebody goes no further than at cautious speed, on good legs: that is no action."""
    return metres <= cautious_move(scene, who) and not has_bad_leg(scene, who)


def check_pace(scene: Scene, who: Person, metres: float) -> None:
    """What is faster than cautious speed takes a declared action."""
    if not is_step(scene, who, metres):
        check_turn(scene, who)
        CRUISING.check(scene, who)


@fight_action(
    "move",
    f"{DICELESS}/move",
    DICELESS,
    LISTED,
    FREE,
    free=True,
    turn=check_free,
    check=(check_not_prone, check_not_locked, check_pace),
)
async def move_in_fight(scene: Scene, who: Person, metres: Annotated[float, Pick(usual_metres, check_metres)]) -> float:
    """Move where the going is easy: at cautious speed besides everything else, at cruise speed as an action.

    On a bad leg cautious speed is an action, too, if one can bear it.
    """
    if is_step(scene, who, metres):
        return metres
    await CRUISING.pay(who)
    went = metres if not has_bad_leg(scene, who) or await legs_carry(who) else 0
    await CRUISING.end(who)
    return went


@fight_action("leave-fight", f"{DICELESS}/leave", DICELESS, check=(check_not_prone, check_not_locked, check_in_fight))
async def leave_fight(scene: Scene, who: Person) -> None:
    """Move away, out of everyone's reach and out of the fight; on a bad leg, if one can bear it."""
    if not has_bad_leg(scene, who) or await legs_carry(who):
        await disengage(who)
        await alter(FIGHT, IndividualCombat.leaving, who.name)
