"""Combat attacks: the roll, the damage of a hit, and panic.

Panic belongs here because the two call each other: a hit can cause panic, and panic can strike out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import (
    BOOK,
    D6,
    Bands,
    Effect,
    Mod,
    Mods,
    Pick,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    applying,
    change,
    choose,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    number_die,
    refuse,
    roll,
    rows,
    rule,
    settled,
    suggest,
    tell,
    total,
)
from referee.core.effects import use
from referee.core.rulebook import Book
from referee.systems.distemper.checks import Check, check_with, dice_check, own_mods
from referee.systems.distemper.combat import (
    ATTACK,
    DEFENSE,
    FIGHT,
    PANICKED,
    ROUND_END,
    Fight,
    is_forbidden,
    take_effect,
    within,
)
from referee.systems.distemper.insight import cheat_death
from referee.systems.distemper.sheet import Character, Item, Person, check_alive, living

# --- attacks ----------------------------------------------------------------------------------------------------------


@frozen
class AttackRow:
    """An attack skill, and the defense against it."""

    name: str
    defense: str


ATTACKS: Final = rows("distemper.combat.attack-roll", "attacks", AttackRow)


def written_names(scene: Scene) -> dict[str, tuple[str, ...]]:
    """The skills that somebody attacks with."""
    return {"items.skill": scene[ATTACKS].names}


UNARMED: Final = "Unarmed Combat"
DAMAGE: Final = "distemper.combat.damage-tracks"


@frozen
class Strike:
    """An attack: its roll, and the damage it does on a hit."""

    check: Check
    hit: bool
    wp: int = 0
    rp: int = 0

    @property
    def total(self) -> int:
        return self.check.total

    @property
    def outcome(self) -> str:
        return self.check.outcome

    @property
    def success(self) -> bool:
        return self.check.success

    @property
    def moment(self) -> str | None:
        return self.check.moment


def weapon_of(scene: Scene, who: Person, weapon: str) -> Item:
    """An item that is carried, held and working; or bare hands."""
    if weapon == UNARMED:
        return next((each for each in scene[who].items if each.name == UNARMED), Item(UNARMED, UNARMED))
    item = scene[who].item(weapon)
    for wrong, because in ((item.jammed, "it is jammed"), (not item.ready, "it is not ready")):
        if wrong:
            by = "distemper.combat-actions.ready-weapon"
            refuse(because, what=item.name, rule=by, legal=("ready-weapon",))
    if item.condition <= 0:
        refuse("it no longer works", what=item.name, rule="distemper.upkeep.check")
    if item.skill not in scene[ATTACKS]:
        refuse("nobody attacks with it", what=item.name, rule=ATTACKS.rule, legal=scene[ATTACKS].names)
    return item


def in_hand(scene: Scene, who: Person) -> str:
    """The first held item that can be used to attack, or bare hands."""
    for item in scene[who].items:
        held = item.ready and not item.jammed and item.condition > 0
        if held and item.skill in scene[ATTACKS] and (item.wp or item.rp):
            return item.name
    return UNARMED


@rule("distemper.combat.attack-roll", "distemper.combat.defensive-modifiers")
async def attack_roll(scene: Scene, who: Person, target: Person, skill: str, cmods: Mods = ()) -> Check:
    """2d6 + AMod + SMod + CMod - the target's Defensive Modifier; both are now involved."""
    own, applied = await ready_attack(who, target, skill)
    return await hand_over(roll_attack(who, own, cmods + applied))


@rule("distemper.combat.attack-roll/roll")
async def roll_attack(scene: Scene, who: Person, own: Mods, cmods: Mods) -> Check:
    """An attack roll with known modifiers."""
    return await hand_over(check_with(who, own, cmods))


@rule("distemper.combat.attack-roll/ready", "distemper.combat.defensive-modifiers")
async def ready_attack(scene: Scene, who: Person, target: Person, skill: str) -> tuple[Mods, Mods]:
    """One's own modifiers on the roll with the target's defense, and those of effects, which are used up by it."""
    row = scene[ATTACKS][skill]
    applied = applying(scene, who, "check", ATTACK, against=target)
    defense = Mod(-defensive_modifier(scene, target, row.defense), f"{target}'s defense", defensive_modifier.id)
    await use(applied)
    await alter(FIGHT, Fight.involving, who.name, target.name, if_present=True)
    return (*own_mods(scene, who, row.name), defense), applied.mods


@formula("distemper.combat.defensive-modifiers")
def defensive_modifier(scene: Scene, target: Person, defense: str) -> int:
    """The modifier on the sheet plus what Defend and Take Cover add."""
    own = scene[target].melee_defense if defense == "Melee" else scene[target].ranged_defense
    return own + total(applying(scene, target, DEFENSE).mods)


@rule("distemper.combat-actions.attack/strike", DAMAGE)
async def strike(
    scene: Scene,
    who: Person,
    target: Person,
    weapon: str,
    cmods: Mods = (),
    wp_percent: int = 100,
    rp_percent: int = 100,
    at_once: bool = False,
) -> Strike:
    """One attack with one weapon; a hit takes Wound Points and Resilience Points, or a share of them rounded down."""
    item = weapon_of(scene, who, weapon)
    check = await attack_roll(who, target, item.skill, cmods)
    if not check.success:
        return Strike(check, False)
    wp, rp = item.wp * wp_percent // 100, item.rp * rp_percent // 100
    damage = hurt(target, wp, rp)
    return await settled(Strike(check, True, wp, rp), then=damage if at_once else take_effect(who, damage))


Points: TypeAlias = Annotated[int, suggest(0, 1, 2, 3)]


def check_damage(scene: Scene, who: None, wp: int, rp: int) -> None:
    """Damage takes points and never gives any."""
    if wp < 0 or rp < 0:
        refuse("damage gives no points")


@action("hurt", DAMAGE, "distemper.panic.trigger", check=check_damage, master=True)
async def hurt(scene: Scene, who: Person, wp: Points, rp: Points) -> None:
    """Points are lost. Resilience at half its total or less can cause panic; without Wound Points, one would die."""
    await alter(who, Character.losing, wp, rp)
    shaken = has_reached_half(scene, who, rp)
    if scene[who].wp <= 0 and not scene[who].dead:
        await die(who)
    if shaken and not scene[who].dead:
        await keep_control(who)


Living: TypeAlias = Annotated[Person, Pick(living, lambda scene, who, value: check_alive(scene, value))]


@action("would-die", f"{DAMAGE}/die", "distemper.insight.cheat-death", name="die", master=True)
async def die(scene: Scene, who: Living) -> None:
    """Someone who would die may cheat death with Insight; otherwise they are dead."""
    if not await cheat_death(who):
        await change(who, replace(scene[who], dead=True))
        await alter(FIGHT, Fight.without, who.name, if_present=True)


# --- panic ------------------------------------------------------------------------------------------------------------

KEEP_CONTROL: Final = Prompt("keep-control")
PANIC: Final = Prompt("panic")
ROUNDS: Final = Prompt("rounds")
VICTIM: Final = Prompt("victim")


@figures("distemper.panic.trigger")
class PanicTrigger:
    """At which share of Resilience control is at stake, and by which checks it is kept."""

    share: int
    checks: tuple[str, ...]


@figures(PANICKED)
class PanicDice:
    """The dice of the table, and the die of how long it lasts."""

    dice: int
    duration: int


@frozen
class PanicRow:
    """One row of the panic table."""

    name: str
    effects: tuple[Effect, ...] = ()
    lasts: bool = False
    attacks: str = ""
    drops: bool = False
    next_round: bool = False
    disengages: bool = False


def panic_totals(book: Book) -> range:
    """What the dice can come to."""
    dice = Scene({BOOK.name: book})[PanicDice].dice
    return range(dice, D6.sides * dice + 1)


PANIC_TABLE: Final = rows(PANICKED, "table", PanicRow, by="roll", numbers=panic_totals)


@formula("distemper.panic.trigger")
def has_reached_half(scene: Scene, who: Person, lost: int) -> bool:
    """Whether a loss has taken Resilience from above half of the original total to half or less."""
    now, share = scene[who].rp, scene[PanicTrigger].share
    return share * now <= scene[who].rp_full < share * (now + lost)


@rule("distemper.panic.trigger")
async def keep_control(scene: Scene, who: Person) -> str | None:
    """A successful check of the player's choice keeps control; otherwise the character panics."""
    return None if await stay_calm(who) else await panic(who)


CALM: Final[Bands[bool]] = Bands(
    of=lambda calm: "keeps-control" if calm else "panics", keys=("keeps-control", "panics")
)


@rule("distemper.panic.trigger/check", bands=CALM)
async def stay_calm(scene: Scene, who: Person) -> bool:
    """Whether the check succeeds."""
    using = await choose(who, KEEP_CONTROL, scene[PanicTrigger].checks)
    return (await dice_check(who, using)).success


@rule(PANICKED)
async def panic(scene: Scene, who: Person) -> str:
    """An unmodified 2d6 on the table."""
    thrown = await roll(PANIC, who, Pool.of((D6, scene[PanicDice].dice)), Total)
    row = scene[PANIC_TABLE].at(thrown.total)
    await tell("panicked", who=who, how=row.name, rule=PANICKED)
    await suffer(who, row)
    return row.name


@rule(f"{PANICKED}/suffer")
async def suffer(scene: Scene, who: Person, row: PanicRow) -> None:
    """The effect of a row: at once, for some rounds after this one, or in the next."""
    duration = Pool.of((number_die(scene[PanicDice].duration), 1))
    rounds = (await roll(ROUNDS, who, duration, Total)).total if row.lasts else 0
    for effect in row.effects:
        lasting = replace(effect, until=ROUND_END, times_until=rounds + 1) if row.lasts else effect
        await lay(who, lasting, source=row.name)
    if is_forbidden(scene, who, "act"):
        await alter(FIGHT, Fight.stopping, who.name, if_present=True)
    if row.drops:
        await alter(who, Character.dropping)
    if row.next_round:
        await alter(FIGHT, Fight.freezing, who.name, if_present=True)
    if row.disengages:
        await alter(FIGHT, Fight.disengaging, who.name, if_present=True)
    if row.attacks == "someone close by":
        await lash_out(who)
    elif row.attacks:
        await alter(FIGHT, Fight.enraging, who.name, if_present=True)


@rule(f"{PANICKED}/lash-out")
async def lash_out(scene: Scene, who: Person) -> None:
    """An immediate attack, no matter whose turn it is, on someone close by; the game master says on whom."""
    if victims := within(scene, who, 0):
        victim = await choose(None, VICTIM, victims)
        await strike(who, victim, in_hand(scene, who), at_once=True)
