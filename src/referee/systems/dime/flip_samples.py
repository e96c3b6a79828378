"""Flips at random, many in a moment: samplers for what no kernel can count."""

from __future__ import annotations

from collections import Counter
from typing import final

from referee.core import (
    Card,
    Mods,
    Pile,
    Scene,
    choose,
    pile_of,
    total,
)
from referee.core.composed import KernelCalls
from referee.core.errors import TooLarge, TooLong
from referee.core.modifiers import Itemised
from referee.core.rules import Decide, Ends, after, sampler
from referee.kits.card_hands import (
    DISCARDS,
    CardValues,
    Owner,
    RandomStacks,
    Stack,
    Stacks,
    forgotten,
    from_hand,
)
from referee.systems.dime.deck import card_values, owner
from referee.systems.dime.flip import (
    COUNTED,
    LUCK,
    Counted,
    Flip,
    JokerFigures,
    Notation,
    count_suited,
    flip,
    flip_mods,
    lay_value,
    opposed_flip,
    target_number,
    told_apart,
    trump_suits,
)
from referee.systems.dime.flip_odds import (
    FlipSetup,
    begun_with,
    both_ends,
    cleared,
    contest_mods,
    contested_flips,
    does_more,
    flip_value_ends,
    judged_ends,
)
from referee.systems.dime.sheet import (
    Person,
)


@sampler(count_suited)
def suited_plays(
    scene: Scene, decide: Decide, plays: int, who: Person, trump: tuple[str, ...], itemised: Itemised, ask: bool
) -> Ends[Counted] | None:
    """Which stack counts in so many flips."""
    first = begun_with(scene, decide, who, ask)
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
    turned = (*cleared(scene, mine), *forgotten(mine.deck, mine.discards))
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
    if not suited or does_more(scene, who, stat):
        return None
    ends = suited_plays(scene, decide, plays, who, trump_suits(scene, who, stat), Itemised(()), ask)
    added = total(flip_mods(scene, who, stat, skill, at, act) + mods)
    return judged_ends(scene, ends, added, target_number(scene, tn), they_spoiled)


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

    def ends(each: Person, trump: tuple[str, ...]) -> Ends[Counted] | None:
        try:
            return flip_value_ends(scene, decide, each, trump, (), not just)
        except TooLong:
            first = begun_with(scene, decide, each, not just)
            return _played(scene, decide, 2 * plays, FlipSetup(each, trump, first, luck=not just))

    both = both_ends(scene, who, mine, other, theirs, ends)
    return contested_flips(scene, both, contest_mods(scene, who, mine, other, theirs, mods, their_mods))
