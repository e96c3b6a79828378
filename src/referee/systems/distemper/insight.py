"""Moments of Insight and Insight Dice, in all their uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from referee.core import (
    D6,
    YES,
    YES_NO,
    Audience,
    Bands,
    Faces,
    Mod,
    Mods,
    Pool,
    Prompt,
    Scene,
    Total,
    action,
    alter,
    change,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    refuse,
    roll,
    rows,
    rule,
    rule_on,
    tell,
)
from referee.core.branches import Changed
from referee.core.composed import End, KernelCalls, WeightedEnds, after_all, joined
from referee.core.modifiers import Itemised
from referee.core.questions import Choose, OptionCost, Roll
from referee.core.rules import Decide, Ends, after, kernel
from referee.systems.distemper.sheet import Character, Person, check_alive, insight

PER_MOMENT: Final = figure("distemper.insight.dice-economy", "per_moment", int)

BEFORE: Final = Prompt("insight-before")
AFTER: Final = Prompt("insight-after")
BEFORE_INITIATIVE: Final = Prompt("initiative-before")
AFTER_INITIATIVE: Final = Prompt("initiative-after")
EXTRA_DIE: Final = Prompt("extra-die")
RE_ROLL: Final = Prompt("re-roll")
CHEAT_DEATH: Final = Prompt("cheat-death")
CONSENT: Final = Prompt("consent")


@figures("distemper.insight.cheat-death")
class CheatDeath:
    """What each surrendered die gives back."""

    wp_per_die: int
    rp_per_die: int


@frozen
class MomentRow:
    """Two equal dice that settle a check, whatever the modifiers."""

    name: str
    face: int
    outcome: str


@frozen
class UseRow:
    """A use of Insight Dice: what it costs (None: all of them), what it gives, and when it may be declared."""

    name: str
    cost: int | None
    dice: int = 0
    rerolls: int = 0
    cmod: int = 0
    before: bool = False
    after: bool = False


MOMENTS: Final = rows("distemper.insight.moments", "moments", MomentRow)
USES: Final = rows("distemper.insight.uses", "uses", UseRow)

EXTRA: Final = "extra die"
RE_ROLLING: Final = "re-roll"
BENDING: Final = "bending reality"
CHEATING: Final = "cheat death"
LOW: Final = "re-roll low"
HIGH: Final = "re-roll high"
BOTH: Final = "re-roll both"


@frozen
class Dice:
    """The two dice of a check, a third if one was bought, and bonuses bought with Insight."""

    faces: tuple[int, ...]
    extra: int = 0
    bonus: Mods = ()

    @property
    def sum(self) -> int:
        return sum(self.faces) + self.extra


@rule("distemper.insight.uses/throw")
async def throw_dice(
    scene: Scene, who: Person, name: Prompt, count: int, itemised: Itemised, spend: bool, hidden: bool
) -> Dice:
    """Insight before the roll, the roll, Insight after it; dice that no one sees cannot be improved."""
    audience = Audience.MASTER if hidden else Audience.EVERYONE
    bought = await spend_before(who, Dice(())) if spend else await spend_nothing(who, BEFORE, Dice(()))
    thrown = await roll(name, who, Pool.of((D6, count)), Faces, mods=itemised.mods + bought.bonus, audience=audience)
    extra = await throw_extra(who, bought.extra, audience)
    dice = Dice(thrown.faces, extra, bought.bonus)
    if spend:
        return dice if hidden else await hand_over(spend_after(who, dice))
    return await spend_nothing(who, AFTER, dice)


@kernel(throw_dice)
def every_throw(
    scene: Scene, decide: Decide, who: Person, name: Prompt, count: int, itemised: Itemised, spend: bool, hidden: bool
) -> Ends[Dice]:
    return thrown_dice(scene, decide, who, count, spend, hidden)


def thrown_dice(
    scene: Scene, decide: Decide, who: Person, count: int, spend: bool, hidden: bool
) -> list[tuple[Dice, Changed, int]]:
    """For kernels: every throw of the dice, with what is bought before it and after it."""
    bought, changes, improves = KernelCalls.of(decide).known(bought_for, scene, who, count, spend, hidden)
    if not improves:
        return [(dice, changes, ways) for dice, ways in throws_of(bought, count)]
    thrown = improved_throws(after_all(scene, changes), decide, who, bought, count)
    return [(dice, joined(changes, more), ways) for dice, more, ways in thrown]


def bought_for(
    scene: Scene, decide: Decide, who: Person, count: int, spend: bool, hidden: bool
) -> tuple[Dice, Changed, bool]:
    """For kernels: what is bought before a throw, what that changes, and whether Insight is spent afterwards too."""
    bought, paid = bought_before(scene, decide, who) if spend else (Dice(()), scene)
    improves = spend and not hidden and spends_after(paid, decide, who, bought, count)
    return bought, ((who, paid[who]),) if paid is not scene else (), improves


def improved_throws(
    scene: Scene, decide: Decide, who: Person, bought: Dice, count: int
) -> list[tuple[Dice, Changed, int]]:
    """For kernels: every throw of so many dice and of those bought, with what is spent after it."""
    calls, found = KernelCalls.of(decide), WeightedEnds[Dice]()
    for dice, ways in throws_of(bought, count):
        for improved_dice, changes, times, whole in calls.known(spent_after, scene, who, dice):
            found.add(improved_dice, changes, ways * times, whole)
    return found.ends()


def spent_after(scene: Scene, decide: Decide, who: Person, dice: Dice) -> list[End[Dice]]:
    """For kernels: `spend_after`, to every end."""
    calls = KernelCalls.of(decide)
    use = calls.known(used_after, scene, who, alike(dice) if calls.by_name else dice)
    if use is None:
        return [(dice, (), 1, 1)]
    row = scene[USES][_row_name(use)]
    paid: Changed = ((who, poorer(scene, who, row)),)
    left = replace(dice, faces=kept_dice(dice, use, row)) if row.rerolls else dice
    ends = calls.known(spent_again, after_all(scene, paid), who, left, row, len(dice.faces))
    return [(end, joined(paid, changes), ways, whole) for end, changes, ways, whole in ends]


def spent_again(scene: Scene, decide: Decide, who: Person, left: Dice, row: UseRow, count: int) -> list[End[Dice]]:
    """For kernels: a use that is paid for, and what is spent after it; of dice thrown again only those that stay."""
    calls, found = KernelCalls.of(decide), WeightedEnds[Dice]()
    for better, ways in improvements(who, left, row, count):
        for end, changes, times, whole in calls.known(spent_after, scene, who, better):
            found.add(end, changes, ways * times, whole)
    ends = found.ends()
    whole = sum(ways for _, _, ways in ends)
    return [(*end, whole) for end in ends]


def used_after(scene: Scene, decide: Decide, who: Person, dice: Dice, when: Prompt = AFTER) -> str | None:
    """For kernels: what is spent on these dice."""
    return decide(offer_use(scene, who, when, uses_after(scene), dice), scene)


def alike(dice: Dice) -> Dice:
    """For kernels: dice after which the same is legal: it depends on whether both show the same, and on a third one."""
    return Dice((1, 1) if len(set(dice.faces)) == 1 else (1, 2), dice.extra)


def improvements(who: Person, left: Dice, row: UseRow, count: int) -> list[tuple[Dice, int]]:
    """What dice may become by a use after the roll, with the number of ways."""
    if row.rerolls:
        thrown = thrown_again(who, left.faces, count - len(left.faces)).outcomes()
        return [(replace(left, faces=shown.faces), ways) for shown, ways in thrown]
    extra = roll(EXTRA_DIE, who, Pool.of((D6, row.dice)), Total).outcomes() if row.dice else ((Total(0), 1),)
    return [
        (replace(left, extra=left.extra + more.total, bonus=left.bonus + _bonus(row)), ways) for more, ways in extra
    ]


def re_roll(who: Person, dice: Dice, use: str, row: UseRow) -> Roll[Faces]:
    """The throw of one or both of the original dice; the others stay as they are."""
    kept = kept_dice(dice, use, row)
    return thrown_again(who, kept, len(dice.faces) - len(kept))


def kept_dice(dice: Dice, use: str, row: UseRow) -> tuple[int, ...]:
    """What stays as it is when one or both of the original dice are thrown again."""
    again = row.rerolls if use == BOTH else 1
    return dice.faces[:-again] if use == HIGH else dice.faces[again:]


def thrown_again(who: Person, kept: tuple[int, ...], again: int) -> Roll[Faces]:
    return roll(RE_ROLL, who, Pool.of((D6, again)), Faces, kept=Faces(kept))


def bought_before(scene: Scene, decide: Decide, who: Person) -> tuple[Dice, Scene]:
    """For kernels: what is bought before a roll, and the scene after it is paid for."""
    bought = Dice(())
    while (use := decide(offer_use(scene, who, BEFORE, uses_before(scene), bought), scene)) is not None:
        row = scene[USES][use]
        bought, scene = improved(bought, row), after(scene, who, poorer(scene, who, row))
    return bought, scene


@lru_cache(maxsize=64)
def throws_of(bought: Dice, count: int) -> tuple[tuple[Dice, int], ...]:
    """Every throw of so many dice and of those bought, with its number of ways."""
    extra = roll(EXTRA_DIE, None, Pool.of((D6, bought.extra)), Total).outcomes() if bought.extra else ((Total(0), 1),)
    return tuple(
        (replace(bought, faces=thrown.faces, extra=more.total), ways * times)
        for thrown, ways in roll(EXTRA_DIE, None, Pool.of((D6, count)), Faces).outcomes()
        for more, times in extra
    )


def spends_after(scene: Scene, decide: Decide, who: Person, bought: Dice, count: int, when: Prompt = AFTER) -> bool:
    """For kernels: whether Insight is spent after any throw."""
    calls = KernelCalls.of(decide)
    if calls.by_name:
        some = (replace(bought, faces=faces) for faces in ((1, 1), (1, 2)))
        return any(calls.known(used_after, scene, who, alike(dice), when) is not None for dice in some)
    return any(calls.known(used_after, scene, who, dice, when) is not None for dice, _ in throws_of(bought, count))


async def throw_extra(who: Person, count: int, audience: Audience = Audience.EVERYONE) -> int:
    """The dice bought in addition to the two original ones."""
    return (await roll(EXTRA_DIE, who, Pool.of((D6, count)), Total, audience=audience)).total if count else 0


@rule("distemper.checks.group/insight")
async def spend_nothing(scene: Scene, who: Person, when: Prompt, dice: Dice) -> Dice:
    """No Insight is spent on a group check."""
    uses = uses_before(scene) if when == BEFORE else uses_after(scene)
    await offer(who, when, uses, check=not_for_groups, about=dice)
    return dice


def not_for_groups(use: str) -> None:
    refuse("no Insight is spent on a group check", what=use, rule="distemper.checks.group")


@rule("distemper.insight.uses/before")
async def spend_before(scene: Scene, who: Person, bought: Dice) -> Dice:
    """At most one third die, and bonuses; each costs an Insight Die and is declared separately."""
    use = await offer_use(scene, who, BEFORE, uses_before(scene), bought)
    return bought if use is None else await hand_over(buy(who, bought, use))


@rule("distemper.insight.uses/buy")
async def buy(scene: Scene, who: Person, bought: Dice, use: str) -> Dice:
    """What was declared before the roll is paid for; something else may be declared then."""
    row = await pay(who, use)
    return await hand_over(spend_before(who, improved(bought, row)))


@rule("distemper.insight.uses/after")
async def spend_after(scene: Scene, who: Person, dice: Dice) -> Dice:
    """Re-roll one or both of the original dice, or add a bonus, as long as there are Insight Dice to pay with."""
    use = await offer_use(scene, who, AFTER, uses_after(scene), dice)
    return dice if use is None else await hand_over(improve(who, dice, use))


@rule("distemper.insight.uses/improve")
async def improve(scene: Scene, who: Person, dice: Dice, use: str) -> Dice:
    """What was declared after the roll is paid for and done; something else may be declared then."""
    row = await pay(who, _row_name(use))
    if row.rerolls:
        thrown = await re_roll(who, dice, use, row)
        return await hand_over(spend_after(who, replace(dice, faces=thrown.faces)))
    extra = await throw_extra(who, row.dice)
    more = replace(dice, extra=dice.extra + extra, bonus=dice.bonus + _bonus(row))
    return await hand_over(spend_after(who, more))


def improved(bought: Dice, row: UseRow) -> Dice:
    """What was bought before the roll, and one use more."""
    return replace(bought, extra=bought.extra + row.dice, bonus=bought.bonus + _bonus(row))


def uses_before(scene: Scene) -> tuple[str, ...]:
    """The uses that may be declared before a roll."""
    return tuple(row.name for row in scene[USES] if row.before)


def uses_after(scene: Scene) -> tuple[str, ...]:
    """The uses that may be declared after a roll; a re-roll is of the lower die, the higher die, or both."""
    ways = ((LOW, HIGH, BOTH) if row.rerolls else (row.name,) for row in scene[USES] if row.after)
    return tuple(use for each in ways for use in each)


def offer_use(scene: Scene, who: Person, when: Prompt, uses: Iterable[str], dice: Dice) -> Choose[str | None]:
    """The uses of Insight that are legal now."""
    return offer(
        who, when, uses, check=lambda use: check_use(scene, who, use, dice), about=dice, cost=partial(cost, scene, who)
    )


def cost(scene: Scene, who: Person, use: str) -> OptionCost:
    """How many Insight Dice a use takes."""
    row = scene[USES].look(_row_name(use))
    return OptionCost(insight(scene, who) if row.cost is None else row.cost, "insight-dice")


def check_use(scene: Scene, who: Person, use: str, dice: Dice | None = None) -> None:
    """Someone must have dice to pay with; the pool is three dice at most; on a double, either die is the same."""
    row = scene[USES].look(_row_name(use))
    if insight(scene, who) < max(1, row.cost or 1):
        refuse(f"{who} has no Insight Die left", what=use, rule="distemper.insight.dice-economy")
    if dice is not None and use == EXTRA and dice.extra >= row.dice:
        refuse("the pool is three dice at most", what=use, rule=USES.rule)
    if dice is not None and use == HIGH and len(set(dice.faces)) == 1:
        refuse("both dice are alike", what=use, rule=USES.rule, legal=(LOW, BOTH))


def _row_name(use: str) -> str:
    return RE_ROLLING if use in (LOW, HIGH, BOTH) else use


def _bonus(row: UseRow) -> Mods:
    return (Mod(row.cmod, "Insight", USES.rule),) if row.cmod else ()


@rule("distemper.insight.uses", "distemper.insight.dice-economy")
async def pay(scene: Scene, who: Person, use: str) -> UseRow:
    """A used die goes back to the game master."""
    check_use(scene, who, use)
    row = scene[USES][use]
    await change(who, poorer(scene, who, row), rule="distemper.insight.dice-economy")
    return row


def poorer(scene: Scene, who: Person, row: UseRow) -> Character:
    """Someone who has paid for a use."""
    return scene[who].with_insight(0 if row.cost is None else insight(scene, who) - row.cost)


def check_bend_reality(scene: Scene, who: Person) -> None:
    """It costs an Insight Die."""
    check_alive(scene, who)
    check_use(scene, who, BENDING)


@action("bend-reality", "distemper.insight.uses/bend-reality", name=BENDING, check=check_bend_reality)
async def bend_reality(scene: Scene, who: Person, what: str = "") -> bool:
    """An unexpected clue, or an item one happens to have, if the game master agrees."""
    if not await rule_on(CONSENT, True, options=YES_NO):
        return False
    await pay(who, BENDING)
    await tell("bent-reality", who=who, what=what)
    return True


@formula("distemper.insight.moments")
def moment_of(scene: Scene, faces: tuple[int, ...]) -> MomentRow | None:
    """Double one or double six on the two original dice."""
    return next((scene[MOMENTS][row.name] for row in scene[MOMENTS] if set(faces) == {row.face}), None)


@rule("distemper.insight.moments/gain", "distemper.insight.dice-economy")
async def gain_insight(scene: Scene, who: Person) -> None:
    """A player who rolled the moment gains an Insight Die; an NPC does not."""
    if (gaining := with_moment(scene, who)) is not None:
        await change(who, gaining, rule="distemper.insight.dice-economy")


def with_moment(scene: Scene, who: Person) -> Character | None:
    """Someone with the Insight Die of a moment; None if they gain none."""
    return scene[who].with_insight(insight(scene, who) + scene[PER_MOMENT]) if scene[who].player else None


LIVES: Final[Bands[bool]] = Bands(of=lambda cheated: "lives" if cheated else "dies", keys=("lives", "dies"))


@rule("distemper.insight.cheat-death", "distemper.insight.uses", bands=LIVES)
async def cheat_death(scene: Scene, who: Person) -> bool:
    """Instead of dying, surrender all Insight Dice for a Wound Point and a Resilience Point each."""
    price = cost(scene, who, CHEATING)
    if not await offer(who, CHEAT_DEATH, YES, check=lambda _: check_use(scene, who, CHEATING), cost=lambda _: price):
        return False
    dice, each = insight(scene, who), scene[CheatDeath]
    await alter(who, Character.recovering, dice * each.wp_per_die, dice * each.rp_per_die)
    await pay(who, CHEATING)
    return True
