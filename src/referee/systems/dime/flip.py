"""The flip in all its forms: stacks, face cards, trump, Luck, Jokers; opposed and extended; taking the stat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Bands,
    Card,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    adds,
    alter,
    applying,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    settled,
    total,
)
from referee.core.clock import PASSING
from referee.core.encounter import Encounter
from referee.core.modifiers import Itemised
from referee.core.rules import Call
from referee.kits.card_hands import (
    CardValues,
    Stacks,
    best_of,
    check_held,
    from_hand,
    is_spoiled,
    turn_stacks,
)
from referee.systems.dime.deck import card_values, discard, owner, refill
from referee.systems.dime.sheet import (
    ABBREVIATIONS,
    SKILLS,
    STAT_NAMES,
    Adventurer,
    Person,
    check_awake,
    check_skill,
    check_stat,
    encumbered,
    learned_skills,
    others,
    skill_level,
    skill_named,
    stat_level,
    stat_named,
    without_ended,
)

STANDARD_TN: Final = figure("dime.flip.basic", "standard_tn", int)
TRUMP: Final = figure("dime.flip.trump", "trump_by_stat", dict[str, str])
STRONG: Final = figure("dime.flip.mag", "strong", int)

TURN: Final = Prompt("turn")
PLAY: Final = Prompt("play")
LUCK: Final = Prompt("luck")
COUNTED: Final = Prompt("stack")
GEAR: Final = Prompt("gear")
FUMBLE: Final = Prompt("fumble")


@figures("dime.flip.critical")
class Critical:
    """From which Mag on a success or failure is critical."""

    critical_hit_mag: int
    critical_failure_mag: int


@figures("dime.flip.joker")
class JokerFigures:
    """What the cards of a flip with a Joker count, and the least Mag of its failure."""

    card_value: int
    min_mag: int


@frozen
class GearRow:
    """The modifier for the gear at hand, or the range the game master chooses it from."""

    name: str
    min: int
    max: int


GEAR_MODS: Final = rows("dime.flip.equipment-mods", "mods", GearRow)


# --- the cards --------------------------------------------------------------------------------------------------------


@frozen
class Counted:
    """What counts of a flip: the value of a stack, and its suit where one is read. After a Joker, nothing."""

    value: int
    suit: str | None = None
    joker: bool = False


@rule("dime.moxie.play-card")
async def play_card(scene: Scene, who: Person) -> Card | None:
    """Instead of turning the top card, a card from hand may begin the first stack."""
    return await from_hand(scene, owner(scene, who), who, PLAY)


@rule("dime.moxie.luck")
async def use_luck(scene: Scene, who: Person, so_far: int) -> bool:
    """Once the cards are seen, discard one from hand for a further stack."""
    card = await from_hand(scene, owner(scene, who), who, LUCK, so_far)
    if card is not None:
        check_held(scene, owner(scene, who), card)
        await discard(owner(scene, who).hand, (card,))
    return card is not None


@rule("dime.flip.trump")
async def lay_stacks(
    scene: Scene, who: Person, trump: tuple[str, ...], first: Card | None = None, mods: Mods = ()
) -> Stacks:
    """Each card of a trump suit opens a further stack; a Joker ends the flip at once."""
    return await turn_stacks(scene, owner(scene, who), who, TURN, card_values(scene), trump, first, mods)


@rule("dime.flip.stacks/laid")
async def flip_stacks(
    scene: Scene, who: Person, trump: tuple[str, ...], mods: Mods, ask: bool, luck: bool = True
) -> Stacks:
    """All cards of a flip: the first stack from the deck or from hand, those of trump, those of Luck."""
    stacks = await lay_stacks(who, trump, await play_card(who) if ask else None, mods)
    while ask and luck and not is_spoiled(stacks) and await use_luck(who, best_of(stacks, card_values(scene)).value):
        stacks += await lay_stacks(who, trump)
    return stacks


@rule("dime.flip.stacks")
async def flip_suited(scene: Scene, who: Person, trump: tuple[str, ...], mods: Mods = (), ask: bool = True) -> Counted:
    """The player lets one stack count, with its value and its suit."""
    return await hand_over(count_suited(who, trump, Itemised(mods), ask))


@rule("dime.flip.stacks/suited")
async def count_suited(scene: Scene, who: Person, trump: tuple[str, ...], itemised: Itemised, ask: bool) -> Counted:
    """Stacks from the deck or from hand, of which one counts."""
    stacks = await flip_stacks(who, trump, itemised.mods, ask)
    if is_spoiled(stacks):
        return await spoil(who, ask)
    counted = await choose(who, COUNTED, told_apart(stacks, card_values(scene)), about=stacks)
    await clear_table(who)
    return Counted(counted.value, counted.suit)


def told_apart(stacks: Stacks, values: CardValues) -> Stacks:
    """One stack of each value and suit, the best one last."""
    ordered = sorted(stacks, key=lambda stack: (stack.value, values.rank_of(stack.suit)))
    return tuple({(stack.value, stack.suit): stack for stack in ordered}.values())


@rule("dime.flip.stacks/value")
async def flip_value(
    scene: Scene, who: Person, trump: tuple[str, ...], mods: Mods = (), ask: bool = True, luck: bool = True
) -> Counted:
    """Where no suit is read, the stack that is worth most counts."""
    first = await play_card(who) if ask else None
    return await hand_over(lay_value(who, trump, 0, first, Itemised(mods), ask and luck))


@rule("dime.flip.stacks/lay")
async def lay_value(
    scene: Scene, who: Person, trump: tuple[str, ...], so_far: int, first: Card | None, itemised: Itemised, luck: bool
) -> Counted:
    """Stacks that may be worth more than those so far; then Luck may be used for others."""
    stacks = await lay_stacks(who, trump, first, itemised.mods)
    if is_spoiled(stacks):
        return await spoil(who, luck)
    best = max(so_far, best_of(stacks, card_values(scene)).value)
    if luck and await use_luck(who, best):
        return await hand_over(lay_value(who, trump, best, None, Itemised(()), luck))
    await clear_table(who)
    return Counted(best)


@rule("dime.flip.joker")
async def spoil(scene: Scene, who: Person, luck: bool = True) -> Counted:
    """A Joker ends the flip: Luck is no help, the cards count nothing, and the hand is refilled."""
    if luck:
        await offer(who, LUCK, owner(scene, who).held(scene), check=no_luck)
    await clear_table(who)
    await refill(who)
    return Counted(scene[JokerFigures].card_value, joker=True)


def no_luck(card: Card) -> None:
    refuse("there is no Luck after a Joker", what=str(card), rule="dime.flip.joker")


@rule("dime.flip.deck/clear")
async def clear_table(scene: Scene, who: Person) -> None:
    """The cards of a flip are discarded once it is settled."""
    in_play = owner(scene, who).in_play
    await discard(in_play, scene[in_play].cards)


# --- the flip ---------------------------------------------------------------------------------------------------------


@frozen
class Flip:
    """The result of a flip."""

    total: int
    success: bool
    mag: int
    strong: bool
    """Whether the Mag is high enough for a stronger result."""
    critical: bool
    suit: str | None = None
    joker: bool = False


FLIPPED: Final[Bands[Any]] = Bands(
    of=lambda result: (
        ("strong-success" if result.strong else "success")
        if result.success
        else ("critical-failure" if result.critical else "failure")
    ),
    keys=("strong-success", "success", "failure", "critical-failure"),
    good=("strong-success", "success"),
    bad={"joker": lambda result: result.joker},
)
"""For a flip, and for whatever has the fields of one."""


@frozen
class Notation:
    """A flip as the book writes it: a stat, perhaps a skill, perhaps a TN."""

    stat: str
    skill: str = ""
    tn: int | None = None


_NOTATION: Final = re.compile(r"([A-Z][a-z]+)(?:/([a-z]+(?: \([^)]+\))?))?(?:-(\d+))?")


@formula("dime.flip.notation")
def spelled_out(scene: Scene, text: str) -> Notation:
    """`Dex/medicine-10` is Dexterity with medicine against 10, `End` is Endurance alone."""
    found = _NOTATION.fullmatch(text)
    if found is None or found[1] not in scene[ABBREVIATIONS]:
        refuse("it is no flip", what=text, legal=("Dex/medicine-10", "Det-12", "End"))
    return Notation(scene[ABBREVIATIONS][found[1]], found[2] or "", int(found[3]) if found[3] else None)


@formula("dime.flip.trump")
def trump_suits(scene: Scene, who: Person, stat: str) -> tuple[str, ...]:
    """The trump suit of a stat, and those that traits add."""
    return tuple(dict.fromkeys((scene[TRUMP][stat], *(each.trump for each in scene[who].traits if each.trump))))


@formula("dime.flip.stat-based-penalties")
def flip_mods(scene: Scene, who: Person, stat: str, skill: str, at: Person | None, act: bool) -> Mods:
    """What adds to a flip: stat and skill, and every effect upon flips of that stat; all of it adds up."""
    own: Mods = (Mod(stat_level(scene, who, stat), stat, "dime.chargen.stats"),)
    if skill:
        own += (Mod(skill_level(scene, who, skill), skill, "dime.chargen.skills"),)
    applied = applying(scene, who, *situation(scene, who, stat, skill, at, act), against=at)
    return own + tuple(mod for mod in applied.mods if not mod.unit)


def situation(
    scene: Scene, who: Person, stat: str, skill: str = "", at: Person | None = None, act: bool = True
) -> Iterator[str]:
    """The tags of a flip; `at` is whom it is aimed at, `act` whether it is an action."""
    yield from ("flip", stat, skill)
    if act:
        yield "action"
    if at is not None:
        yield f"at {at}"
    for each in scene[who].consequences:
        if each.subject and (at is None or at.name != each.subject) and scene.read(each.subject) is not None:
            yield f"without {each.subject}"


@frozen
class Judgement:
    """The figures by which flips are judged, read once for many of them."""

    strong: int
    least_with_joker: int
    critical_hit: int
    critical_failure: int

    def critical(self, success: bool, mag: int, joker: bool) -> bool:
        return mag >= self.critical_hit if success else joker or mag >= self.critical_failure

    def of(self, tn: int, reached: Counted, they_spoiled: bool = False) -> Flip:
        success = not reached.joker and (they_spoiled or reached.value >= tn)
        mag = reached.value - tn if success else tn - reached.value
        if reached.joker or they_spoiled:
            mag = max(mag, self.least_with_joker)
        critical = self.critical(success, mag, reached.joker)
        return Flip(reached.value, success, mag, mag >= self.strong, critical, reached.suit, reached.joker)


def judgement(scene: Scene) -> Judgement:
    bounds = scene[Critical]
    least = scene[JokerFigures].min_mag
    return Judgement(scene[STRONG], least, bounds.critical_hit_mag, bounds.critical_failure_mag)


@formula("dime.flip.critical")
def is_critical(scene: Scene, success: bool, mag: int, joker: bool = False) -> bool:
    """A success with Mag 5 is critical, and so is a failure with Mag 5 or a Joker."""
    return judgement(scene).critical(success, mag, joker)


@formula("dime.flip.mag", "dime.flip.joker", "dime.flip.critical")
def judged(scene: Scene, tn: int, reached: Counted, they_spoiled: bool = False) -> Flip:
    """Equal to the TN or above is a success; Mag is the difference. A Joker fails, on either side, by 5 at least."""
    return judgement(scene).of(tn, reached, they_spoiled)


def target_number(scene: Scene, tn: int | None) -> int:
    """The TN that is given, or the usual one."""
    return scene[STANDARD_TN] if tn is None else tn


@rule("dime.flip.basic/total")
async def flip_total(
    scene: Scene,
    who: Person,
    stat: str,
    skill: str = "",
    mods: Mods = (),
    at: Person | None = None,
    act: bool = True,
    ask: bool = True,
    suited: bool = False,
) -> Counted:
    """The value of the counted stack, stat, skill and modifiers; `suited` if its suit is read."""
    every = flip_mods(scene, who, stat, skill, at, act) + mods
    turned = flip_suited if suited else flip_value
    counted = await turned(who, trump_suits(scene, who, stat), every, ask)
    await use_bolstered(who)
    return replace(counted, value=counted.value + total(every))


@rule("dime.flip.basic")
async def flip(
    scene: Scene,
    who: Person,
    stat: str,
    skill: str = "",
    tn: int | None = None,
    mods: Mods = (),
    at: Person | None = None,
    act: bool = True,
    ask: bool = True,
    suited: bool = False,
    they_spoiled: bool = False,
) -> Flip:
    """A flip against a target number: equal to it or above is a success. The other side may have spoiled theirs."""
    reached = await flip_total(who, stat, skill, mods, at, act, ask, suited)
    found = judged(scene, target_number(scene, tn), reached, they_spoiled)
    if may_fumble(scene, who, stat, found):
        await fumble(who)
    return found


@rule("dime.flip.basic/then")
async def flip_then(
    scene: Scene, who: Person, asked: Notation, mods: Mods, at: Person | None, success: Call[None], strong: Call[None]
) -> Flip:
    """A flip, and what follows from a success, or from a strong one."""
    flipped = await flip(who, asked.stat, asked.skill, asked.tn, mods, at)
    if not flipped.success:
        return flipped
    return await settled(flipped, then=strong if flipped.strong else success)


@rule("dime.consequence.encumbered/drop")
async def fumble(scene: Scene, who: Person) -> None:
    """On a critical failure of a flip that being Encumbered hinders, what is held may fall."""
    if await rule_on(FUMBLE, True, options=YES_NO):
        await alter(who, Adventurer.dropping)


def may_fumble(scene: Scene, who: Person, stat: str, found: Flip) -> bool:
    """Whether something held may fall after a flip."""
    if found.success or not found.critical or not any(item.held for item in scene[who].items):
        return False
    return stat in encumbered_stats(scene, who)


def encumbered_stats(scene: Scene, who: Person) -> frozenset[str]:
    """The stats that being Encumbered hinders; none for somebody who is not."""
    hinders = (each for held in encumbered(scene, scene[who]) for each in held.effects(scene))
    return frozenset(tag for each in hinders for tag in each.effect.when)


@rule("dime.consequence.bolstered")
async def use_bolstered(scene: Scene, who: Person) -> None:
    """Being Bolstered ends with the first flip that benefits, all severities at once."""
    if (after := without_ended(scene, scene[who], "flip")) != scene[who]:
        await change(who, after)


# --- what people do ---------------------------------------------------------------------------------------------------


def check_can_act(scene: Scene, who: Person) -> None:
    """Whoever is awake and not stunned."""
    check_awake(scene, who)
    applying(scene, who).check_allowed("act", rule="dime.consequence.stun")


def check_calm(scene: Scene, who: Person) -> None:
    """Neither rushed nor threatened: nothing is going on that will not wait."""
    for name in going_on(scene):
        refuse(f"{who} is threatened while {name} goes on", rule="dime.flip.taking-stat")


def check_has_time(scene: Scene, _: object) -> None:
    """What takes minutes or hours waits until nothing else is going on."""
    for name in going_on(scene):
        refuse(f"there is no time for it while {name} goes on", legal=("after it",))


def going_on(scene: Scene) -> Iterator[str]:
    """What is going on that will not wait."""
    return (name for name, value in scene.state.items() if isinstance(value, Encounter) and name != PASSING.name)


def check_tn(scene: Scene, who: Person, tn: int | None) -> None:
    if tn is not None and tn < 0:
        refuse("a TN is not below 0", rule="dime.flip.basic")


def check_theirs(scene: Scene, who: Person, other: Person, their_stat: str, their_skill: str) -> None:
    """The other side is awake, and what it flips is a stat and a skill."""
    check_awake(scene, other)
    check_skill(scene, who, skill_named(scene, their_skill))
    check_stat(scene, who, their_stat)


def skill_names(scene: Scene) -> dict[str, str]:
    """The skills of the list, besides those that somebody has learned."""
    return {each: each for each in scene[SKILLS].names}


Stat: TypeAlias = Annotated[str, STAT_NAMES]
Skill: TypeAlias = Annotated[str, Pick(learned_skills, check_skill, also=skill_names)]
GearName: TypeAlias = Annotated[str, GEAR_MODS]
Other: TypeAlias = Annotated[Person, Pick(others)]


@rule("dime.flip.equipment-mods")
async def gear_mods(scene: Scene, gear: str) -> Mods:
    """The modifier for the gear at hand; where the book has a range, the game master chooses."""
    row = scene[GEAR_MODS][gear]
    amount = row.max
    if row.min < row.max:
        amount = await rule_on(GEAR, (row.min + row.max) // 2, low=row.min, high=row.max)
    return (adds(amount, f"{gear} gear"),) if amount else ()


@action("flip", "dime.flip.basic/action", bands=FLIPPED, turn=check_can_act, check=check_tn)
async def make_flip(
    scene: Scene,
    who: Person,
    stat: Stat,
    skill: Skill = "",
    tn: int | None = None,
    gear: GearName = "normal",
    mods: Mods = (),
    just: bool = False,
) -> Flip:
    """Flip a stat and perhaps a skill against a TN. Just a flip asks neither for a card from hand nor for Luck."""
    return await hand_over(flip(who, stat, skill, tn, mods + await gear_mods(gear), ask=not just))


@action("take-stat", "dime.flip.taking-stat", bands=FLIPPED, turn=check_can_act, check=(check_calm, check_tn))
async def take_stat(
    scene: Scene,
    who: Person,
    stat: Stat,
    skill: Skill = "",
    tn: int | None = None,
    gear: GearName = "normal",
    mods: Mods = (),
) -> Flip:
    """When neither rushed nor threatened, the stat stands in for the card; nothing is turned."""
    every = flip_mods(scene, who, stat, skill, None, True) + mods + await gear_mods(gear)
    await use_bolstered(who)
    reached = Counted(stat_level(scene, who, stat) + total(every))
    return judged(scene, target_number(scene, tn), reached)


@action("opposed-flip", "dime.flip.opposed", bands=FLIPPED, turn=check_can_act, check=check_theirs)
async def opposed_action(
    scene: Scene,
    who: Person,
    stat: Stat,
    other: Other,
    skill: Skill = "",
    their_stat: str = "Perception",
    their_skill: str = "",
    mods: Mods = (),
    just: bool = False,
) -> Flip:
    """Flip against somebody who flips too."""
    mine, theirs = Notation(stat, skill), Notation(stat_named(scene, their_stat), skill_named(scene, their_skill))
    return await hand_over(opposed_flip(who, mine, other, theirs, mods, just=just))


@rule("dime.flip.opposed/contest", "dime.flip.opposed", "dime.flip.joker")
async def opposed_flip(
    scene: Scene,
    who: Person,
    mine: Notation,
    other: Person,
    theirs: Notation,
    mods: Mods = (),
    their_mods: Mods = (),
    just: bool = False,
) -> Flip:
    """Both flip; the other's total is the TN, so a tie goes to the acting side. A Joker loses, by 5 at least."""
    to_beat = await flip_total(other, theirs.stat, theirs.skill, their_mods, who, False, not just)
    spoiled = to_beat.joker
    return await hand_over(
        flip(who, mine.stat, mine.skill, to_beat.value, mods, other, ask=not just, they_spoiled=spoiled)
    )


@action("random-number", "dime.flip.random-number", turn=check_awake)
async def random_number(scene: Scene, who: Person, just: bool = False) -> int:
    """The value of one stack, without stat, skill or trump; a Joker gives 0 and refills the hand."""
    return (await flip_value(who, (), ask=not just, luck=False)).value
