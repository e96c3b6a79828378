"""The flip in all its forms: stacks, face cards, trump, Luck, Jokers; opposed and extended; taking the stat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar, final

from referee.core import (
    YES_NO,
    Bands,
    Card,
    Mod,
    Mods,
    Pick,
    Pile,
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
    hand_over,
    pile_of,
    refuse,
    rows,
    rule,
    rule_on,
    settled,
    suggest,
    tell,
    total,
)
from referee.core.branches import LEFT_OUT, unless_left_out
from referee.core.cards import JOKER
from referee.core.clock import PASSING
from referee.core.composed import KernelCalls
from referee.core.encounter import Encounter
from referee.core.errors import TooLarge, TooLong
from referee.core.modifiers import Itemised
from referee.core.rules import Call, Decide, Ends, after, kernel, outline, sampler
from referee.kits.card_hands import (
    DISCARDS,
    CardValues,
    Owner,
    RandomStacks,
    Stack,
    Stacks,
    best_of,
    contested_ends,
    flip_ends,
    forgotten,
    from_hand,
    is_spoiled,
    is_trump,
    turn_stacks,
)
from referee.systems.dime.deck import card_values, dealer, discard, owner, refill
from referee.systems.dime.sheet import (
    STATS,
    Adventurer,
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

if TYPE_CHECKING:
    from referee.odds.flips import FlipEnds

T = TypeVar("T")

STANDARD_TN: Final = figure("dime.flip.basic", "standard_tn", int)
ABBREVIATIONS: Final = figure("dime.flip.notation", "stat_abbreviations", dict[str, str])
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
        return await spoil(who)
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
        return await spoil(who)
    best = max(so_far, best_of(stacks, card_values(scene)).value)
    if luck and await use_luck(who, best):
        return await hand_over(lay_value(who, trump, best, None, Itemised(()), luck))
    await clear_table(who)
    return Counted(best)


def flip_value_ends(
    scene: Scene,
    decide: Decide,
    who: Person,
    trump: tuple[str, ...],
    mods: Mods = (),
    ask: bool = True,
    luck: bool = True,
) -> Ends[Counted] | None:
    """Every end of a flip, with the card that is played from hand. Equal flips of one card are counted once."""
    return KernelCalls.of(decide).known(_value_ends, scene, who, trump, ask, luck, None)


def _value_ends(
    scene: Scene,
    decide: KernelCalls,
    who: Person,
    trump: tuple[str, ...],
    ask: bool,
    luck: bool,
    steps: tuple[int, ...] | None,
) -> Ends[Counted] | None:
    first = decide(from_hand(scene, owner(scene, who), who, PLAY), scene) if ask else None
    return _laid_ends(scene, decide, FlipSetup(who, trump, first, ask and luck), steps)


def laid_ends(
    scene: Scene,
    decide: Decide,
    who: Person,
    trump: tuple[str, ...],
    so_far: int,
    first: Card | None,
    itemised: Itemised,
    luck: bool,
) -> Ends[Counted] | None:
    """Every end from here on. Stacks of Luck are counted as if they had been open from the start.

    It is played if a Joker is played from hand, or a face while there are few cards, if Luck is used for some values
    and not for others, or if a card that is not of one's own deck is spent.
    """
    return _laid_ends(scene, decide, FlipSetup(who, trump, first, luck, so_far))


def _laid_ends(
    scene: Scene, decide: Decide, setup: FlipSetup, steps: tuple[int, ...] | None = None
) -> Ends[Counted] | None:
    from referee.odds.flips import FlipEnds  # loaded only when odds are asked for

    mine, values, first = owner(scene, setup.who), card_values(scene), setup.first
    on_table, held = scene.get(mine.in_play, Pile()), scene.get(mine.hand, Pile())
    opened, begun, so_far, left, spent = 1, 0, setup.so_far, held, list(on_table.cards)
    if first is not None:
        if first.rank == JOKER:
            return None
        spent.append(first)
        left, opened = left.without(first), int(is_trump(first, setup.trump))
        if values.draws_on(first):
            opened, begun = opened + 1, values.worth(first)
        else:
            so_far = max(so_far, values.worth(first))
    ways: FlipEnds[int] | None = FlipEnds({0: 1}, 0, 0, 1)
    while True:
        if opened:
            ways = _begun_ends(scene, setup, opened, begun, steps)
        if ways is None or (left is not held and not scene[mine.deck]):
            return None  # what has left the hand may come back when the discards become a new deck
        now = after(scene, mine.hand, left) if left is not held else scene
        best = {max(value, so_far) for value in ways.best}
        used = {decide(from_hand(now, mine, setup.who, LUCK, value), now) for value in best} if setup.luck else {None}
        if len(used) > 1:
            check_few_cards(scene, mine)
            return None
        card = next(iter(used), None)
        if card is None and any(pile_of(each.deck, DISCARDS) != mine.discards for each in spent):
            return None
        if card is None:
            return _counted_ends(scene, setup.who, ways, so_far, left, has_turned=bool(opened))
        opened, left = opened + 1, left.without(card)
        spent.append(card)


def _begun_ends(
    scene: Scene, setup: FlipSetup, opened: int, begun: int, steps: tuple[int, ...] | None
) -> FlipEnds[int] | None:
    """How so many stacks end, of which the first may have a bonus already: then few cards are played."""
    mine = owner(scene, setup.who)
    if begun and is_small(scene, mine):
        return None
    try:
        return flip_ends(scene, mine, card_values(scene), setup.trump, opened, begun, steps)
    except TooLarge:
        check_few_cards(scene, mine)
        return None


def _counted_ends(
    scene: Scene, who: Person, ways: FlipEnds[int], so_far: int, left: Pile, *, has_turned: bool
) -> Ends[Counted]:
    mine = owner(scene, who)
    table, held = scene.get(mine.in_play, Pile()), scene.get(mine.hand, Pile())
    cleared = ((mine.in_play, replace(table, cards=())),) if table.cards else ()
    spent = ((mine.hand, left),) if left is not held else ()
    turned = (*cleared, *spent, *forgotten(*((mine.deck,) if has_turned else ()), mine.discards))
    spoiled = (*cleared, *forgotten(mine.deck, mine.discards, mine.hand))
    found = Counter[int]()
    for value, count in ways.best.items():
        found[max(value, so_far)] += count
    return [
        *((Counted(value), turned, count) for value, count in found.items()),
        (Counted(scene[JokerFigures].card_value, joker=True), spoiled, ways.joker),
        (LEFT_OUT, (), ways.unended),
    ]


kernel(flip_value)(flip_value_ends)
kernel(lay_value)(laid_ends)


@kernel(count_suited)
def suited_ends(
    scene: Scene, decide: Decide, who: Person, trump: tuple[str, ...], itemised: Itemised, ask: bool
) -> Ends[Counted] | None:
    """It is played; where there are many cards, that would take too long."""
    check_few_cards(scene, owner(scene, who))
    return None


@sampler(count_suited)
def suited_plays(
    scene: Scene, decide: Decide, plays: int, who: Person, trump: tuple[str, ...], itemised: Itemised, ask: bool
) -> Ends[Counted] | None:
    """Which stack counts in so many flips."""
    first = decide(from_hand(scene, owner(scene, who), who, PLAY), scene) if ask else None
    return _played(scene, decide, plays, FlipSetup(who, trump, first, luck=ask, suited=True))


@sampler(lay_value)
def laid_plays(
    scene: Scene,
    decide: Decide,
    plays: int,
    who: Person,
    trump: tuple[str, ...],
    so_far: int,
    first: Card | None,
    itemised: Itemised,
    luck: bool,
) -> Ends[Counted] | None:
    """What the best stack is worth in so many flips."""
    return _played(scene, decide, plays, FlipSetup(who, trump, first, luck, so_far))


@frozen
class FlipSetup:
    """What a flip begins with."""

    who: Person
    trump: tuple[str, ...]
    first: Card | None
    """The card from hand that begins the first stack."""
    luck: bool
    so_far: int = 0
    suited: bool = False


def _played(scene: Scene, decide: Decide, plays: int, setup: FlipSetup) -> Ends[Counted] | None:
    """The ends of so many flips; None if a card that is not of one's own deck is spent, or the deck runs out."""
    mine = owner(scene, setup.who)
    pile = scene[mine.deck] or scene[mine.discards]
    table = scene.get(mine.in_play, Pile())
    counts = KernelCalls.of(decide).known(_counted_plays, scene, plays, setup, mine, pile.cards)
    held = scene.get(mine.hand, Pile())
    spent = {*table.cards, *(card for _, left in counts for card in held.cards if card not in left.cards)}
    if not counts or any(pile_of(card.deck, DISCARDS) != mine.discards for card in spent):
        return None
    cleared = ((mine.in_play, replace(table, cards=())),) if table.cards else ()
    turned = (*cleared, *forgotten(mine.deck, mine.discards))
    spoiled = (*turned, *forgotten(mine.hand))
    return [
        (counted, spoiled if counted.joker else (*turned, (mine.hand, left)) if left != held else turned, times)
        for (counted, left), times in counts.items()
    ]


def _counted_plays(
    scene: Scene, decide: KernelCalls, plays: int, setup: FlipSetup, mine: Owner, cards: tuple[Card, ...]
) -> dict[tuple[Counted, Pile], int]:
    """What counts in so many flips of these cards, and what is left in hand. Equal flips are sampled once."""
    values, shuffled = card_values(scene), RandomStacks(cards, card_values(scene), setup.trump)
    held = scene.get(mine.hand, Pile())
    hand = SampledHand(scene, decide, setup, mine, held if setup.first is None else held.without(setup.first))
    found = Counter[tuple[int, str | None, int]]()
    for _ in range(plays):
        stacks, spent = shuffled.flip(setup.first), 0
        while stacks and setup.luck and hand.plays_luck(max(setup.so_far, *[each.value for each in stacks]), spent):
            more, spent = shuffled.more(), spent + 1
            stacks = (*stacks, *more) if more else ()
        if shuffled.ran_out:
            return {}
        if not stacks:
            found[-1, None, spent] += 1
        elif not setup.suited:
            found[max(setup.so_far, *[each.value for each in stacks]), None, spent] += 1
        else:
            counted = stacks[0] if len(stacks) == 1 else _counted(scene, decide, setup, stacks, values)
            found[counted.value, counted.suit, spent] += 1
    spoiled = Counted(scene[JokerFigures].card_value, joker=True)
    return {
        (spoiled if value < 0 else Counted(value, suit), hand.after[spent]): times
        for (value, suit, spent), times in found.items()
    }


@final
class SampledHand:
    """The cards that are spent on Luck, one after the other, in many plays of one flip."""

    def __init__(self, scene: Scene, decide: Decide, setup: FlipSetup, mine: Owner, held: Pile) -> None:
        self._scene, self._decide, self._setup, self._mine = scene, decide, setup, mine
        self.after = [held]
        """What is left after none is spent, after the first, and so on."""
        self._known: dict[tuple[int, int], bool] = {}

    def plays_luck(self, best: int, spent: int) -> bool:
        """Whether one more is spent. Where it depends on the flip which one that is, the flip must be played."""
        found = self._known.get((best, spent))
        if found is None:
            found = self._known[best, spent] = self._asked(best, spent)
        return found

    def _asked(self, best: int, spent: int) -> bool:
        left, mine = self.after[spent], self._mine
        now = after(self._scene, mine.hand, left)
        card = self._decide(from_hand(now, mine, self._setup.who, LUCK, best), now) if left else None
        if card is None:
            return False
        if len(self.after) == spent + 1:
            self.after.append(left.without(card))
        if self.after[spent + 1] != left.without(card):
            raise TooLarge("which card is spent depends on the flip")
        return True


def _counted(scene: Scene, decide: Decide, setup: FlipSetup, stacks: Stacks, values: CardValues) -> Stack:
    alike = told_apart(stacks, values)
    return alike[0] if len(alike) == 1 else decide(choose(setup.who, COUNTED, alike, about=stacks), scene)


def counts_best(scene: Scene, decide: Decide, who: Person) -> bool:
    """For outlines: whether somebody lets the stack count that is worth most, as everyone does by default.

    It is asked for the highest number, of a low suit, beside two lower ones of high suits: two questions, so that these
    are not taken for all options of one.
    """
    mine, values = owner(scene, who), card_values(scene)
    cards = [card for card in (scene[mine.deck] or scene[mine.discards]).cards if card.rank in values.numbers]
    ranked = sorted((Stack((card,), values.worth(card)) for card in cards), key=lambda each: values.rank_of(each.suit))
    best = max(ranked, key=lambda each: each.value, default=None)
    lower = [each for each in ranked if best is not None and each.value < best.value]
    questions = (choose(who, COUNTED, (each, best), about=(each, best)) for each in lower[-2:])
    return len(lower) > 1 and all(decide(each, scene) == best for each in questions)


FEW_CARDS: Final = 12
"""Flips of so many cards are played card by card in a moment."""


def is_small(scene: Scene, mine: Owner) -> bool:
    return len(scene[mine.deck] or scene[mine.discards]) <= FEW_CARDS


def check_few_cards(scene: Scene, mine: Owner) -> None:
    """Raise `TooLong` where playing every order of the cards would take too long."""
    if not is_small(scene, mine):
        raise TooLong(f"{mine.name} may turn too many cards for every order of them to be played")


@rule("dime.flip.joker")
async def spoil(scene: Scene, who: Person) -> Counted:
    """A Joker ends the flip: the cards count nothing, and the hand is refilled."""
    await clear_table(who)
    await refill(who)
    return Counted(scene[JokerFigures].card_value, joker=True)


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


def total_ends(
    scene: Scene, decide: Decide, who: Person, stat: str, skill: str, mods: Mods, at: Person | None
) -> Ends[Counted] | None:
    """For outlines: every total of an action; None if the flip ends something, and has to be played."""
    return outlined_totals(scene, decide, who, stat, skill, mods, at, True, lambda counted: counted)


def outlined_totals(
    scene: Scene,
    decide: Decide,
    who: Person,
    stat: str,
    skill: str,
    mods: Mods,
    at: Person | None,
    ask: bool,
    outcome: Callable[[Counted], T],
) -> Ends[T] | None:
    """For outlines: every outcome that the total of an action brings, the same for most totals beside each other."""
    if _does_more(scene, who, stat):
        return None
    added = total(flip_mods(scene, who, stat, skill, at, True) + mods)
    by_total = lambda each: outcome(Counted(each.value + added, None, each.joker))  # noqa: E731
    trump, calls = trump_suits(scene, who, stat), KernelCalls.of(decide)
    steps = _steps(scene, calls, who, ask, by_total)
    ends = calls.known(_value_ends, scene, who, trump, ask, True, steps)
    return None if ends is None else [(unless_left_out(each, by_total), to, ways) for each, to, ways in ends]


def _steps(
    scene: Scene, decide: KernelCalls, who: Person, ask: bool, outcome: Callable[[Counted], Any]
) -> tuple[int, ...] | None:
    """The values above which a flip has another outcome, if a face begins it, and nobody decides by its value."""
    first = decide(from_hand(scene, owner(scene, who), who, PLAY), scene) if ask else None
    if first is None or not card_values(scene).draws_on(first) or not decide.by_name:
        return None
    every = [outcome(Counted(value)) for value in range(HIGHEST)]
    return tuple(value for value, (here, above) in enumerate(pairwise(every)) if here != above)


HIGHEST: Final = 100
"""No flip is worth more."""


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
    found = judged(scene, scene[STANDARD_TN] if tn is None else tn, reached, they_spoiled)
    if may_fumble(scene, who, stat, found):
        await fumble(who)
    return found


@kernel(flip)
def flip_ends_of(
    scene: Scene,
    decide: Decide,
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
) -> Ends[Flip] | None:
    """Every value, judged; it is played if a suit is read, or the flip ends something, or something may fall."""
    if _does_more(scene, who, stat):
        return None
    if suited:
        check_few_cards(scene, owner(scene, who))
        return None
    ends = flip_value_ends(scene, decide, who, trump_suits(scene, who, stat), (), ask)
    return None if ends is None else _judged_ends(scene, ends, who, stat, skill, tn, mods, at, act, they_spoiled)


@outline(flip)
def flip_outline(
    scene: Scene,
    decide: Decide,
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
) -> Ends[Flip] | None:
    """One total for each outcome; where a suit is read, the stack that is worth most must be the one that counts."""
    if _does_more(scene, who, stat) or (suited and not counts_best(scene, decide, who)):
        return None
    added = total(flip_mods(scene, who, stat, skill, at, act) + mods)
    needed = (scene[STANDARD_TN] if tn is None else tn) - added
    trump = trump_suits(scene, who, stat)
    return KernelCalls.of(decide).known(_outlined, scene, who, trump, ask, needed, they_spoiled)


def _outlined(
    scene: Scene, decide: KernelCalls, who: Person, trump: tuple[str, ...], ask: bool, needed: int, they_spoiled: bool
) -> Ends[Flip] | None:
    judging = judgement(scene)
    steps = _steps(scene, decide, who, ask, lambda each: outcome_of(judging.of(needed, each, they_spoiled)))
    ends = decide.known(_value_ends, scene, who, trump, ask, True, steps)
    if ends is None:
        return None
    return by_outcome(
        (each if each is LEFT_OUT else judging.of(needed, each, they_spoiled), ways) for each, _, ways in ends
    )


def outcome_of(flipped: Flip) -> tuple[bool, bool, bool, bool]:
    """What outlines tell apart."""
    return flipped.success, flipped.strong, flipped.critical, flipped.joker


def by_outcome(flips: Iterable[tuple[Flip | Any, int]]) -> Ends[Flip]:
    """For outlines: one flip of each outcome, with the ways of all that have it; what they change is not read."""
    found: dict[Any, tuple[Any, int]] = {}
    for each, ways in flips:
        key = None if each is LEFT_OUT else outcome_of(each)
        alike, before = found.get(key, (each, 0))
        found[key] = (alike, before + ways)
    return [(each, (), ways) for each, ways in found.values()]


@sampler(flip)
def flip_plays(
    scene: Scene,
    decide: Decide,
    plays: int,
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
) -> Ends[Flip] | None:
    """Every stack that counted in so many flips, judged; without suits the flip is played up to its cards."""
    if not suited or _does_more(scene, who, stat):
        return None
    ends = suited_plays(scene, decide, plays, who, trump_suits(scene, who, stat), Itemised(()), ask)
    return None if ends is None else _judged_ends(scene, ends, who, stat, skill, tn, mods, at, act, they_spoiled)


def _does_more(scene: Scene, who: Person, stat: str) -> bool:
    """Whether a flip ends something, or something may fall after it."""
    return without_ended(scene, scene[who], "flip") != scene[who] or stat in encumbered_stats(scene, who)


def _judged_ends(
    scene: Scene,
    ends: Ends[Counted],
    who: Person,
    stat: str,
    skill: str,
    tn: int | None,
    mods: Mods,
    at: Person | None,
    act: bool,
    they_spoiled: bool,
) -> Ends[Flip]:
    added = total(flip_mods(scene, who, stat, skill, at, act) + mods)
    against, judging = scene[STANDARD_TN] if tn is None else tn, judgement(scene)

    def judge(counted: Any) -> Flip | Any:
        """What is left out stays so."""
        if counted is LEFT_OUT:
            return LEFT_OUT
        return judging.of(against, Counted(counted.value + added, counted.suit, counted.joker), they_spoiled)

    return [(judge(counted), to, ways) for counted, to, ways in ends]


@rule("dime.flip.basic/then")
async def flip_then(
    scene: Scene, who: Person, asked: Notation, mods: Mods, at: Person | None, success: Call[None], strong: Call[None]
) -> Flip:
    """A flip, and what follows from a success, or from a strong one."""
    flipped = await flip(who, asked.stat, asked.skill, asked.tn, mods, at)
    if not flipped.success:
        return flipped
    return await settled(flipped, then=strong if flipped.strong else success)


@outline(flip_then)
def flip_then_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    asked: Notation,
    mods: Mods,
    at: Person | None,
    success: Call[None],
    strong: Call[None],
) -> Ends[Flip] | None:
    """That of the flip."""
    return flip_outline(scene, decide, who, asked.stat, asked.skill, asked.tn, mods, at)


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
    return judged(scene, scene[STANDARD_TN] if tn is None else tn, reached)


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
    mine, theirs = Notation(stat, skill), Notation(their_stat, their_skill)
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


@kernel(opposed_flip)
def opposed_ends(
    scene: Scene,
    decide: Decide,
    who: Person,
    mine: Notation,
    other: Person,
    theirs: Notation,
    mods: Mods = (),
    their_mods: Mods = (),
    just: bool = False,
) -> Ends[Flip] | None:
    """Both flips at once, from two decks; it is played if one of them ends something, or something may fall."""
    if _contest_does_more(scene, who, other):
        return None
    their_ends = flip_value_ends(scene, decide, other, trump_suits(scene, other, theirs.stat), (), not just)
    my_ends = flip_value_ends(scene, decide, who, trump_suits(scene, who, mine.stat), (), not just)
    return _contested(scene, my_ends, their_ends, _contest_mods(scene, who, mine, other, theirs, mods, their_mods))


@outline(opposed_flip)
def opposed_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    mine: Notation,
    other: Person,
    theirs: Notation,
    mods: Mods = (),
    their_mods: Mods = (),
    just: bool = False,
) -> Ends[Flip] | None:
    """The same by outcome: it depends on the difference of both totals, and on Jokers."""
    if _contest_does_more(scene, who, other):
        return None
    their_ends = flip_value_ends(scene, decide, other, trump_suits(scene, other, theirs.stat), (), not just)
    my_ends = flip_value_ends(scene, decide, who, trump_suits(scene, who, mine.stat), (), not just)
    if my_ends is None or their_ends is None:
        return None
    added, to_beat = _contest_mods(scene, who, mine, other, theirs, mods, their_mods)
    found, judging = Counter[tuple[int, bool, bool] | None](), judgement(scene)
    for reached, _, ways in my_ends:
        for against, _, more in their_ends:
            left_out = reached is LEFT_OUT or against is LEFT_OUT
            found[None if left_out else (reached.value - against.value, reached.joker, against.joker)] += ways * more
    return by_outcome(
        (judging.of(to_beat, Counted(key[0] + added, joker=key[1]), key[2]) if key else LEFT_OUT, ways)
        for key, ways in found.items()
    )


@sampler(opposed_flip)
def opposed_plays(
    scene: Scene,
    decide: Decide,
    plays: int,
    who: Person,
    mine: Notation,
    other: Person,
    theirs: Notation,
    mods: Mods = (),
    their_mods: Mods = (),
    just: bool = False,
) -> Ends[Flip] | None:
    """Both flips, of which one or both are sampled; twice as often, so that both are as certain as one alone."""
    if _contest_does_more(scene, who, other):
        return None

    def ends(each: Person, stat: str) -> Ends[Counted] | None:
        trump = trump_suits(scene, each, stat)
        try:
            return flip_value_ends(scene, decide, each, trump, (), not just)
        except TooLong:
            first = decide(from_hand(scene, owner(scene, each), each, PLAY), scene) if not just else None
            return _played(scene, decide, 2 * plays, FlipSetup(each, trump, first, luck=not just))

    their_ends, my_ends = ends(other, theirs.stat), ends(who, mine.stat)
    return _contested(scene, my_ends, their_ends, _contest_mods(scene, who, mine, other, theirs, mods, their_mods))


def _contest_does_more(scene: Scene, who: Person, other: Person) -> bool:
    """Whether one of two flips ends something, or something may fall after it, or both are of one deck."""
    ends_something = any(without_ended(scene, scene[each], "flip") != scene[each] for each in (who, other))
    return ends_something or bool(encumbered_stats(scene, who)) or dealer(scene, who) == dealer(scene, other)


def _contest_mods(
    scene: Scene, who: Person, mine: Notation, other: Person, theirs: Notation, mods: Mods, their_mods: Mods
) -> tuple[int, int]:
    """What is added on either side."""
    added = total(flip_mods(scene, who, mine.stat, mine.skill, other, True) + mods)
    return added, total(flip_mods(scene, other, theirs.stat, theirs.skill, who, False) + their_mods)


def _contested(
    scene: Scene, my_ends: Ends[Counted] | None, their_ends: Ends[Counted] | None, added: tuple[int, int]
) -> Ends[Flip] | None:
    if my_ends is None or their_ends is None:
        return None
    (mine, to_beat), judging = added, judgement(scene)

    def contest(reached: Counted, against: Counted) -> Flip:
        total_reached = Counted(reached.value + mine, reached.suit, reached.joker)
        return judging.of(against.value + to_beat, total_reached, against.joker)

    return contested_ends(my_ends, their_ends, contest)


@action("random-number", "dime.flip.random-number", turn=check_awake)
async def random_number(scene: Scene, who: Person, just: bool = False) -> int:
    """The value of one stack, without stat, skill or trump; a Joker gives 0 and refills the hand."""
    return (await flip_value(who, (), ask=not just, luck=False)).value


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
    await alter(who, Adventurer.with_task, Task(name, stat, skill, tn, tally, minutes))


@action("work", "dime.flip.extended", bands=FLIPPED, turn=check_can_act)
async def work(scene: Scene, who: Person, task: TaskName, gear: GearName = "normal", mods: Mods = ()) -> Flip:
    """One interval of an extended action: Mag is added on a success and subtracted on a failure."""
    return await hand_over(work_on(who, task, mods + await gear_mods(gear)))


def task_of(scene: Scene, who: Person, task: str) -> Task:
    return next(each for each in scene[who].tasks if each.name == task)


@rule("dime.flip.extended/interval", "dime.flip.extended")
async def work_on(scene: Scene, who: Person, task: str, mods: Mods) -> Flip:
    """The interval itself."""
    now = task_of(scene, who, task)
    flipped = await flip(who, now.stat, now.skill, now.tn, mods)
    done = replace(now, total=now.total + progress(flipped), intervals=now.intervals + 1)
    if done.total >= now.tally:
        await alter(who, Adventurer.without_task, task)
        await tell("task-complete", who=who, task=task, intervals=done.intervals)
    else:
        await alter(who, Adventurer.with_task, done)
    await advance_clock(in_rounds(scene, now.minutes))
    return flipped


@outline(work_on)
def worked_on(scene: Scene, decide: Decide, who: Person, task: str, mods: Mods) -> Ends[Flip] | None:
    """That of the flip."""
    now = task_of(scene, who, task)
    return flip_outline(scene, decide, who, now.stat, now.skill, now.tn, mods)


def progress(flipped: Flip) -> int:
    """What an interval adds to the running total."""
    return flipped.mag if flipped.success else -flipped.mag
