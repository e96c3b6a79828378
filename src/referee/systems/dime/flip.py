"""The flip in all its forms: stacks, face cards, trump, Luck, Jokers; opposed and extended; taking the stat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Annotated, Any, Final, TypeAlias

from referee.core import (
    YES_NO,
    Audience,
    Bands,
    Card,
    Mod,
    Mods,
    Pick,
    Prompt,
    Scene,
    action,
    adds,
    advance_clock,
    alter,
    applying,
    change,
    choose,
    figure,
    figures,
    formula,
    frozen,
    move,
    offer,
    refuse,
    rows,
    rule,
    rule_on,
    suggest,
    tell,
    total,
)
from referee.core.cards import JOKER
from referee.core.clock import PASSING
from referee.core.encounter import Encounter
from referee.systems.dime.deck import FACE_BONUS, discard, hand_of, refill, table_of, turn, value_of
from referee.systems.dime.sheet import (
    STATS,
    Character,
    Person,
    Task,
    check_awake,
    check_skill,
    encumbered,
    every_stat,
    learned_skills,
    others,
    skill_level,
    stat_level,
    without_ended,
)
from referee.systems.dime.time import minutes as in_rounds

STANDARD_TN: Final = figure("dime.flip.basic", "standard_tn", int)
ABBREVIATIONS: Final = figure("dime.flip.notation", "stat_abbreviations", dict[str, str])
TRUMP: Final = figure("dime.flip.trump", "trump_by_stat", dict[str, str])
STRONG: Final = figure("dime.flip.mag", "strong", int)

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
class Stack:
    """One stack of a flip: the sum of its cards, and the suit of the first."""

    value: int
    suit: str | None
    joker: bool = False
    trumps: int = 0
    """How many of its cards are trump."""
    cards: tuple[str, ...] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        return f"{self.value} {self.suit}"


@rule("dime.flip.face-cards", "dime.flip.stacks")
async def lay_stack(scene: Scene, who: Person, trump: tuple[str, ...], first: Card | None, mods: Mods) -> Stack:
    """A card begins a stack; a face card calls for the next card of the deck, anything else ends it."""
    cards: tuple[Card, ...] = ()
    following = first or await turn(who, mods)
    while following is not None:
        cards += (following,)
        following = await turn(who) if cards[-1].rank in scene[FACE_BONUS] else None
    return Stack(
        sum(value_of(scene, card) for card in cards),
        cards[0].suit if cards else None,
        any(card.rank == JOKER for card in cards),
        sum(card.suit in trump for card in cards),
        tuple(card.name for card in cards),
    )


@rule("dime.flip.trump", "dime.flip.joker")
async def lay_stacks(
    scene: Scene, who: Person, trump: tuple[str, ...], first: Card | None, mods: Mods = ()
) -> tuple[Stack, ...]:
    """Each card of a trump suit opens a further stack; a Joker ends the flip at once."""
    laid: tuple[Stack, ...] = ()
    to_come = 1
    while to_come and not any(stack.joker for stack in laid):
        laid += (await lay_stack(who, trump, None if laid else first, () if laid else mods),)
        to_come += laid[-1].trumps - 1
    return laid


@rule("dime.moxie.play-card")
async def play_card(scene: Scene, who: Person) -> Card | None:
    """Instead of turning the top card, a card from hand may begin the first stack."""
    card = await offer(who, PLAY, scene[hand_of(who)].cards, options_for=Audience.OWNER)
    if card is not None:
        await move(card, hand_of(who), table_of(who))
    return card


@rule("dime.moxie.luck")
async def use_luck(scene: Scene, who: Person, laid: tuple[Stack, ...]) -> bool:
    """Once the cards are seen, discard one from hand for a further stack."""
    card = await offer(who, LUCK, scene[hand_of(who)].cards, options_for=Audience.OWNER, about=laid)
    if card is not None:
        await discard(hand_of(who), (card,))
    return card is not None


@rule("dime.flip.stacks")
async def flip_cards(scene: Scene, who: Person, trump: tuple[str, ...], mods: Mods = (), ask: bool = True) -> Stack:
    """All cards of a flip, and the stack that its player lets count; after a Joker, none does."""
    laid = await lay_stacks(who, trump, await play_card(who) if ask else None, mods)
    while ask and not any(stack.joker for stack in laid) and await use_luck(who, laid):
        laid += await lay_stacks(who, trump, None)
    if any(stack.joker for stack in laid):
        return await spoil(who)
    alike = {stack.key: stack for stack in laid}
    counted = await choose(who, COUNTED, sorted(alike.values(), key=lambda stack: stack.value), about=laid)
    await discard(table_of(who), scene[table_of(who)].cards)
    return counted


@rule("dime.flip.joker")
async def spoil(scene: Scene, who: Person) -> Stack:
    """A Joker ends the flip: the cards count nothing, and the hand is refilled."""
    await discard(table_of(who), scene[table_of(who)].cards)
    await refill(who)
    return Stack(scene[JokerFigures].card_value, None, joker=True)


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


@formula("dime.flip.critical")
def is_critical(scene: Scene, success: bool, mag: int, joker: bool = False) -> bool:
    """A success with Mag 5 is critical, and so is a failure with Mag 5 or a Joker."""
    bounds = scene[Critical]
    return mag >= bounds.critical_hit_mag if success else joker or mag >= bounds.critical_failure_mag


@formula("dime.flip.mag", "dime.flip.joker")
def judged(scene: Scene, reached: int, tn: int, counted: Stack) -> Flip:
    """Equal to the TN or above is a success; Mag is the difference, with a Joker 5 at least."""
    success = reached >= tn and not counted.joker
    mag = reached - tn if success else tn - reached
    if counted.joker:
        mag = max(mag, scene[JokerFigures].min_mag)
    critical = is_critical(scene, success, mag, counted.joker)
    return Flip(reached, success, mag, mag >= scene[STRONG], critical, counted.suit, counted.joker)


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
) -> Flip:
    """The value of the counted stack, stat, skill and modifiers against a target number."""
    every = flip_mods(scene, who, stat, skill, at, act) + mods
    counted = await flip_cards(who, trump_suits(scene, who, stat), every, ask)
    await use_bolstered(who)
    found = judged(scene, counted.value + total(every), scene[STANDARD_TN] if tn is None else tn, counted)
    if found.critical and not found.success and stat in encumbered_stats(scene, who):
        await fumble(who)
    return found


@rule("dime.consequence.encumbered/drop")
async def fumble(scene: Scene, who: Person) -> None:
    """On a critical failure of a flip that being Encumbered hinders, what is held may fall."""
    if any(item.held for item in scene[who].items) and await rule_on(FUMBLE, True, options=YES_NO):
        await alter(who, Character.dropping)


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
    for name, value in scene.state.items():
        if isinstance(value, Encounter) and name != PASSING.name:
            refuse(f"{who} is threatened while {name} goes on", rule="dime.flip.taking-stat")


def check_tn(scene: Scene, who: Person, tn: int | None) -> None:
    if tn is not None and tn < 0:
        refuse("a TN is not below 0", rule="dime.flip.basic")


def check_theirs(scene: Scene, who: Person, their_stat: str, their_skill: str) -> None:
    """What the other side flips must be a stat and a skill."""
    check_skill(scene, who, their_skill)
    if their_stat not in scene[STATS]:
        refuse("there is no such stat", what=their_stat, rule=STATS.rule, legal=scene[STATS])


Stat: TypeAlias = Annotated[str, Pick(every_stat)]
Skill: TypeAlias = Annotated[str, Pick(learned_skills, check_skill)]
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
    return await flip(who, stat, skill, tn, mods + await gear_mods(gear), ask=not just)


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
    reached = stat_level(scene, who, stat) + total(every)
    return judged(scene, reached, scene[STANDARD_TN] if tn is None else tn, Stack(0, None))


@action("opposed-flip", "dime.flip.opposed/action", bands=FLIPPED, turn=check_can_act, check=check_theirs)
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
    return await opposed_flip(who, stat, skill, other, their_stat, their_skill, mods, ask=not just)


@rule("dime.flip.opposed", "dime.flip.joker")
async def opposed_flip(
    scene: Scene,
    who: Person,
    stat: str,
    skill: str,
    other: Person,
    their_stat: str,
    their_skill: str = "",
    mods: Mods = (),
    their_mods: Mods = (),
    ask: bool = True,
) -> Flip:
    """Both flip; the other's total is the TN, so a tie goes to the acting side. A Joker loses, by 5 at least."""
    theirs = await flip(other, their_stat, their_skill, 0, their_mods, who, act=False, ask=ask)
    mine = await flip(who, stat, skill, theirs.total, mods, other, ask=ask)
    if not theirs.joker or mine.joker:
        return mine
    mag = max(mine.total - theirs.total, scene[JokerFigures].min_mag)
    critical = is_critical(scene, True, mag)
    return replace(mine, success=True, mag=mag, strong=mag >= scene[STRONG], critical=critical)


@action("random-number", "dime.flip.random-number", turn=check_awake)
async def random_number(scene: Scene, who: Person, just: bool = False) -> int:
    """The value of one stack, without stat, skill or trump; a Joker gives 0 and refills the hand."""
    first = None if just else await play_card(who)
    stack = await lay_stack(who, (), first, ())
    if stack.joker:
        return (await spoil(who)).value
    await discard(table_of(who), scene[table_of(who)].cards)
    return stack.value


# --- extended actions -------------------------------------------------------------------------------------------------


def tasks_of(scene: Scene, who: Person | None) -> tuple[str, ...]:
    return tuple(each.name for each in scene[who].tasks) if who else ()


def check_new_task(scene: Scene, _: None, name: str, who: Person) -> None:
    if not name or name in tasks_of(scene, who):
        refuse("a task has a name of its own")


TaskName: TypeAlias = Annotated[str, Pick(tasks_of)]
Someone: TypeAlias = Annotated[Person, Pick(others)]
NewTask: TypeAlias = Annotated[str, Pick(lambda scene, who: (), check_new_task)]
Number: TypeAlias = Annotated[int, suggest(8, 10, 12, 14)]
Minutes: TypeAlias = Annotated[int, suggest(10, 60, 480, 1440)]


@action("set-task", "dime.flip.extended/set", master=True)
async def set_task(
    scene: Scene,
    who: Someone,
    name: NewTask,
    stat: Stat,
    tn: Number,
    skill: str = "",
    tally: Number = 10,
    minutes: Minutes = 60,
) -> None:
    """The game master sets an extended action: what is flipped, against what, up to which Tally, and how long."""
    await alter(who, Character.with_task, Task(name, stat, skill, tn, tally, minutes))


@action("work", "dime.flip.extended", bands=FLIPPED, turn=check_can_act)
async def work(scene: Scene, who: Person, task: TaskName, gear: GearName = "normal", mods: Mods = ()) -> Flip:
    """One interval of an extended action: Mag is added on a success and subtracted on a failure."""
    now = next(each for each in scene[who].tasks if each.name == task)
    flipped = await flip(who, now.stat, now.skill, now.tn, mods + await gear_mods(gear))
    done = replace(now, total=now.total + progress(flipped), intervals=now.intervals + 1)
    if done.total >= now.tally:
        await alter(who, Character.without_task, task)
        await tell("task-complete", who=who, task=task, intervals=done.intervals)
    else:
        await alter(who, Character.with_task, done)
    await advance_clock(in_rounds(scene, now.minutes))
    return flipped


def progress(flipped: Flip) -> int:
    """What an interval adds to the running total."""
    return flipped.mag if flipped.success else -flipped.mag
