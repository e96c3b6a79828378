"""Difficult effects by two routes: aimed for at a penalty, or hoped for with more successes; and bonus effects.

A skill's effects are rows of its rulebook entry, read by `effect_table`. What a row does is data: effects it lays on
someone, so many bonus effects to choose, or a rule of its own (`run`). docs/yearzero.md shows how one is added.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from referee.core import (
    Bands,
    Effect,
    Mod,
    Prompt,
    Refused,
    Scene,
    choose,
    formula,
    frozen,
    hand_over,
    lay,
    offer,
    rows,
    rule,
    tell,
)
from referee.core.rulebook import BOOK, RowsOf
from referee.core.rules import rule_named
from referee.systems.yearzero.rolls import Attempt, RolledPool, roll_once
from referee.systems.yearzero.sheet import SKILLS, Person, others

TWO_ROUTES: Final = "yearzero.core.dm-two-routes"
COMMON: Final = "yearzero.core.common-bonus-effects"
AT_A_THING: Final = "at a thing"
"""The tag of attacks on what is nobody: no effect but damage."""

EFFECT: Final = Prompt("effect")
BONUS: Final = Prompt("bonus-effect")
WHOM: Final = Prompt("whom")
LATER: Final = Prompt("later-skill")

Affected: TypeAlias = Literal["self", "ally", "target"]


@frozen
class EffectRow:
    """A difficult effect: the penalty to aim for it, the successes that bring it by luck, and what it does."""

    name: str
    dm: int = 0
    x: int = 1
    says: str = ""
    """What it does, for people."""
    bonus: int = 0
    """So many bonus effects may be chosen."""
    lays: tuple[Effect, ...] = ()
    affects: Affected = "self"
    against: bool = False
    """Whether what it lays on oneself counts only against the target, or somebody who is chosen."""
    per_extra: bool = False
    """Whether each success beyond those needed counts: what it lays is laid once more for it."""
    skill: Literal["", "same", "later"] = ""
    """Whether what it lays is for the same skill, or for one that is chosen."""
    run: str = ""
    """A rule of its own, called with who, the target and the successes beyond those needed."""
    attribute: str = ""
    """The attribute that an attack hurts with it, where that is another than usual."""
    spares: bool = False
    """Whether it takes the place of the damage of an attack."""
    counts_all: bool = False
    """Whether its rule counts all successes, not only those beyond the needed."""
    specialty: str = ""
    """The specialty it belongs to."""
    tag: str = ""
    """What the roll needs: the kind of attack or weapon."""
    again: bool = False
    """Whether it may be chosen again beside itself, for other questions or facts."""
    option: str = ""
    """The option it depends on."""
    amount: float = 0
    """A figure of its own: hours saved, re-rolls."""
    range_m: int = 0
    """How far it reaches, in metres; 0 if that is not said."""
    opposed: bool = False
    """Whether Insight opposes it."""
    parts: tuple[str, ...] = ()
    """The parts of the body it lets one hit."""
    skills: tuple[str, ...] = ()
    note: str = ""


@frozen
class EffectTable:
    """The effects of a skill, or of one thing it does."""

    rows: RowsOf[EffectRow]
    skill: str
    bonus: RowsOf[EffectRow] | None = None

    @property
    def rule(self) -> str:
        return self.rows.rule

    def effects(self, scene: Scene) -> tuple[EffectRow, ...]:
        """Those that this campaign plays."""
        return tuple(row for row in scene[self.rows] if is_played(scene, row))

    def bonus_effects(self, scene: Scene) -> tuple[EffectRow, ...]:
        """The bonus effects of the skill; those that several skills have are printed once."""
        if self.bonus is None:
            return ()
        common = scene[COMMON_EFFECTS]
        listed = (common.look(row.name) if row.name in common else row for row in scene[self.bonus])
        return tuple(row for row in listed if is_played(scene, row))


def is_played(scene: Scene, row: EffectRow) -> bool:
    return not row.option or scene[BOOK].on(row.option)


COMMON_EFFECTS: Final = rows(COMMON, "effects", EffectRow)
TABLES: Final[dict[str, EffectTable]] = {}
"""Every table of effects, by its rule."""
GENERAL: Final[dict[str, EffectTable]] = {}
"""The general effects of each skill."""


def effect_table(
    rule: str,
    skill: str,
    *,
    path: str = "rows",
    bonus: str = "",
    general: bool = False,
    beside: EffectTable | None = None,
) -> EffectTable:
    """Declare the effects of a skill: rows of an entry, and where its bonus effects are printed, if it has any.

    `beside` are the general effects of the skill, where they may be had as well.
    """
    also = (f"{beside.rule}/{beside.rows.path}",) if beside else ()
    own = rows(rule, path, EffectRow, also=also)
    own_bonus = rows(rule, bonus, EffectRow) if bonus else beside.bonus if beside else None
    found = EffectTable(own, skill, own_bonus)
    TABLES[rule] = found
    if general:
        GENERAL[skill] = found
    return found


# --- the two routes ---------------------------------------------------------------------------------------------------


@frozen
class Outcome:
    """What a roll for effects came to."""

    success: bool
    successes: int
    effects: tuple[str, ...] = ()
    """The row that was reached, and the bonus effects chosen."""
    beyond: int = 0
    """Successes beyond those needed."""
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0
    bought: bool = False
    pride: bool = False

    def after(self, rolled: RolledPool) -> Outcome:
        """With what the dice cost."""
        banes = (rolled.base_banes, rolled.gear_banes)
        return replace(self, pushes=rolled.pushes, base_banes=banes[0], gear_banes=banes[1])


OUTCOME: Final[Bands[Any]] = Bands(
    of=lambda result: "success" if result.success else "failure",
    keys=("success", "failure"),
    extra={"effect": lambda result: bool(getattr(result, "effects", ()))},
    bad={"harm": lambda result: result.base_banes > 0, "wear": lambda result: result.gear_banes > 0},
)


@formula("yearzero.core.dm-two-routes/check")
def aiming(scene: Scene, table: EffectTable, attempt: Attempt, effect: str) -> Attempt:
    """An attempt that aims for an effect takes its penalty, an ordinary modification."""
    if not effect:
        return attempt
    row = scene[table.rows][effect]
    check_fits(scene, row, attempt, table)
    aimed = replace(attempt, specialty=attempt.specialty or row.specialty)
    return aimed.adding(Mod(row.dm, row.name, table.rule)) if row.dm else aimed


@rule(TWO_ROUTES)
async def roll_for_effects(
    scene: Scene, who: Person, attempt: Attempt, table: str, effect: str = "", target: Person | None = None
) -> Outcome:
    """A roll that aims for an effect, or hopes for one."""
    if effect and not grows(scene[TABLES[table].rows][effect]):
        attempt = replace(attempt, surplus=False)
    rolled = await roll_once(who, aiming(scene, TABLES[table], attempt, effect))
    return await hand_over(
        take_effects(who, rolled.bare, attempt, table, effect, target), lambda outcome: outcome.after(rolled)
    )


def grows(row: EffectRow) -> bool:
    """Whether successes beyond those needed add to what an effect does."""
    return row.per_extra or row.counts_all


@rule("yearzero.core.dm-two-routes/take")
async def take_effects(
    scene: Scene, who: Person, rolled: RolledPool, attempt: Attempt, table: str, effect: str, target: Person | None
) -> Outcome:
    """One success is enough for what was aimed for; otherwise one row at or under the successes, if any."""
    row = await reached(who, rolled, attempt, table, effect)
    banes = (rolled.pushes, rolled.base_banes, rolled.gear_banes, rolled.bought, rolled.pride)
    if row is None:
        return Outcome(rolled.success, rolled.successes, (), max(0, rolled.successes - attempt.needed), *banes)
    beyond = rolled.successes - (attempt.needed if effect else row.x)
    counted = rolled.successes if row.counts_all else beyond
    chosen = await carry_out(who, row, attempt, table, target, counted)
    return Outcome(rolled.success, rolled.successes, (row.name, *chosen), beyond, *banes)


@rule("yearzero.core.dm-two-routes/reached")
async def reached(
    scene: Scene, who: Person, rolled: RolledPool, attempt: Attempt, table: str, effect: str
) -> EffectRow | None:
    """The effect that was aimed for, or the one that is chosen of those the successes are enough for."""
    if effect:
        return scene[TABLES[table].rows][effect] if rolled.success else None
    names = tuple(row.name for row in TABLES[table].effects(scene))
    picked = await offer(
        who, EFFECT, names, check=lambda name: check_lucky(scene, attempt, table, name, rolled.successes)
    )
    return scene[TABLES[table].rows][picked] if picked else None


@formula("yearzero.core.dm-two-routes/lucky")
def check_lucky(scene: Scene, attempt: Attempt, table: str, name: str, successes: int) -> None:
    """Enough successes, and whatever else the effect needs."""
    row = scene[TABLES[table].rows].look(name)
    if successes < max(row.x, 1):
        raise Refused(name, because=f"it takes {row.x} successes", rule=table)
    check_fits(scene, row, attempt, TABLES[table])


def check_fits(scene: Scene, row: EffectRow, attempt: Attempt, table: EffectTable) -> None:
    """An effect of a kind of weapon or attack needs one; on a thing no attack has any."""
    if AT_A_THING in attempt.tags:
        raise Refused(row.name, because="the target is nobody, and only damage counts", rule=table.rule, legal=("",))
    if row.tag and row.tag not in attempt.tags:
        why = f"it needs {row.tag}: {row.says}" if row.says else f"it needs {row.tag}"
        raise Refused(row.name, because=why, rule=table.rule, legal=effects_of(scene, table, *attempt.tags)[1:])


def check_somebody(scene: Scene, who: Person, effects: dict[str, EffectRow], table: str, name: str) -> None:
    """An effect on somebody else needs somebody."""
    row = effects[name]
    if (row.affects != "self" or row.against) and not others(scene, who):
        raise Refused(row.name, because="nobody else is here", rule=table)


def is_spared(scene: Scene, table: str, effects: tuple[str, ...]) -> bool:
    """Whether one of these effects takes the place of an attack's damage."""
    listed = scene[TABLES[table].rows]
    return any(name in listed and listed.look(name).spares for name in effects)


def attribute_hurt(scene: Scene, table: str, effects: tuple[str, ...], usual: str) -> str:
    """The attribute that an attack with these effects hurts."""
    listed = scene[TABLES[table].rows]
    named = (listed.look(name).attribute for name in effects if name in listed)
    return next((each for each in named if each), usual)


def effects_of(scene: Scene, table: EffectTable, *tags: str) -> tuple[str, ...]:
    """What may be aimed for by a roll with these tags."""
    if AT_A_THING in tags:
        return ("",)
    return ("", *(row.name for row in table.effects(scene) if not row.tag or row.tag in tags))


def check_aim(scene: Scene, table: EffectTable, effect: str, *tags: str) -> None:
    """An effect of this table, of the kind of weapon or attack that it needs."""
    if effect:
        check_fits(scene, scene[table.rows].look(effect), Attempt(table.skill, tags=tags), table)


# --- what effects do --------------------------------------------------------------------------------------------------


@rule("yearzero.core.dm-two-routes/carry-out", COMMON)
async def carry_out(
    scene: Scene, who: Person, row: EffectRow, attempt: Attempt, table: str, target: Person | None, beyond: int
) -> tuple[str, ...]:
    """What an effect lays, runs or lets one choose; the names of the bonus effects that were chosen."""
    if row.bonus:
        return await choose_bonus_effects(who, row.bonus, attempt, table, target)
    if row.lays:
        await lay_effects(who, row, attempt, target, beyond)
    if row.run and row.affects == "target" and target is None:
        target = (await whom(who, row, target))[0]
    if row.run:
        await rule_named(row.run)(who, target, beyond)
    await tell("effect", who=who, name=row.name, rule=table)
    return ()


@rule(COMMON)
async def choose_bonus_effects(
    scene: Scene, who: Person, count: int, attempt: Attempt, table: str, target: Person | None
) -> tuple[str, ...]:
    """So many different bonus effects; only one that answers questions may be chosen again."""
    taken: tuple[str, ...] = ()
    for _ in range(count):
        fits = {row.name: row for row in TABLES[table].bonus_effects(scene) if row.again or row.name not in taken}
        picked = await offer(who, BONUS, tuple(fits), check=partial(check_somebody, scene, who, fits, table))
        if picked is None:
            break
        if (own := TABLES[table].bonus) is not None:
            _ = scene[own][picked]  # it takes part, even if it is printed elsewhere
        await carry_out(who, fits[picked], attempt, table, target, 0)
        taken += (picked,)
    return taken


@rule("yearzero.core.common-bonus-effects/lay")
async def lay_effects(
    scene: Scene, who: Person, row: EffectRow, attempt: Attempt, target: Person | None, beyond: int
) -> None:
    """Effects wait on whoever they are for, until they are used or over."""
    on, against = await whom(who, row, target)
    tags: frozenset[str] = frozenset()
    if row.skill == "same":
        tags = frozenset((attempt.skill,))
    elif row.skill == "later":
        tags = frozenset((await choose(who, LATER, scene[SKILLS].names),))
    for each in row.lays * (1 + beyond if row.per_extra else 1):
        until = f"turn of {who}" if each.until == "your turn" else each.until
        await lay(on, replace(each, when=each.when | tags, until=until), source=row.name, against=against)


@rule("yearzero.core.common-bonus-effects/whom")
async def whom(scene: Scene, who: Person, row: EffectRow, target: Person | None) -> tuple[Person, Person | None]:
    """On whom an effect is laid, and against whom it counts: the target, or somebody who is chosen."""
    if row.affects == "self" and not row.against:
        return who, None
    other = target if target is not None and row.affects != "ally" else await choose(who, WHOM, others(scene, who))
    return (who, other) if row.against else (other, None)
