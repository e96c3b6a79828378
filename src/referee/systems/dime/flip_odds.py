"""How likely flips are: kernels over the cards that are left, and outlines by what comes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

from referee.core import (
    Card,
    Mods,
    Pile,
    Scene,
    choose,
    frozen,
    pile_of,
    total,
)
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.cards import JOKER
from referee.core.composed import KernelCalls
from referee.core.errors import TooLarge, TooLong
from referee.core.modifiers import Itemised
from referee.core.outlines import Keeps
from referee.core.rules import Call, Decide, Ends, after, kernel, outline
from referee.kits.card_hands import (
    DISCARDS,
    Owner,
    Stack,
    Stacks,
    contested_ends,
    flip_ends,
    forgotten,
    from_hand,
    is_trump,
)
from referee.systems.dime.deck import card_values, dealer, owner
from referee.systems.dime.flip import (
    COUNTED,
    LUCK,
    PLAY,
    Counted,
    Flip,
    JokerFigures,
    Notation,
    count_suited,
    encumbered_stats,
    flip,
    flip_mods,
    flip_then,
    flip_value,
    judgement,
    lay_stacks,
    lay_value,
    opposed_flip,
    target_number,
    trump_suits,
)
from referee.systems.dime.sheet import (
    Person,
    without_ended,
)

if TYPE_CHECKING:
    from referee.odds.flips import FlipEnds

T = TypeVar("T")


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
    first = begun_with(scene, decide, who, ask)
    return _laid_ends(scene, decide, FlipSetup(who, trump, first, ask and luck), steps)


def begun_with(scene: Scene, decide: Decide, who: Person, ask: bool) -> Card | None:
    """The card from hand that somebody begins a flip with, if they are asked."""
    return decide(from_hand(scene, owner(scene, who), who, PLAY), scene) if ask else None


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
    spent = ((mine.hand, left),) if left is not scene.get(mine.hand, Pile()) else ()
    turned = (*cleared(scene, mine), *spent, *forgotten(*((mine.deck,) if has_turned else ()), mine.discards))
    spoiled = (*cleared(scene, mine), *forgotten(mine.deck, mine.discards, mine.hand))
    found = Counter[int]()
    for value, count in ways.best.items():
        found[max(value, so_far)] += count
    return [
        *((Counted(value), turned, count) for value, count in found.items()),
        (Counted(scene[JokerFigures].card_value, joker=True), spoiled, ways.joker),
        (LEFT_OUT, (), ways.unended),
    ]


def cleared(scene: Scene, mine: Owner) -> Changed:
    """What the end of a flip changes on the table."""
    table = scene.get(mine.in_play, Pile())
    return ((mine.in_play, replace(table, cards=())),) if table.cards else ()


kernel(flip_value)(flip_value_ends)
kernel(lay_value)(laid_ends)


@kernel(lay_stacks)
def stacks_ends(
    scene: Scene, decide: Decide, who: Person, trump: tuple[str, ...], first: Card | None = None, mods: Mods = ()
) -> Ends[Stacks] | None:
    """They are played; where there are many cards, that would take too long. A plain number from hand turns none."""
    if first is None or card_values(scene).draws_on(first) or is_trump(first, trump):
        check_few_cards(scene, owner(scene, who))
    return None


@kernel(count_suited)
def suited_ends(
    scene: Scene, decide: Decide, who: Person, trump: tuple[str, ...], itemised: Itemised, ask: bool
) -> Ends[Counted] | None:
    """It is played; where there are many cards, that would take too long."""
    check_few_cards(scene, owner(scene, who))
    return None


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
    if does_more(scene, who, stat):
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
    first = begun_with(scene, decide, who, ask and decide.by_name)
    if first is None or not card_values(scene).draws_on(first):
        return None
    every = [outcome(Counted(value)) for value in range(HIGHEST)]
    return tuple(value for value, (here, above) in enumerate(pairwise(every)) if here != above)


HIGHEST: Final = 100
"""No flip is worth more."""


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
    if does_more(scene, who, stat):
        return None
    if suited:
        check_few_cards(scene, owner(scene, who))
        return None
    ends = flip_value_ends(scene, decide, who, trump_suits(scene, who, stat), (), ask)
    added = total(flip_mods(scene, who, stat, skill, at, act) + mods)
    return judged_ends(scene, ends, added, target_number(scene, tn), they_spoiled)


FLIP_KEPT: Final[Keeps] = {Flip: ("success", "strong", "critical", "joker")}
"""What outlines keep of a flip: neither its total nor its suit."""


@outline(flip, keeps=FLIP_KEPT)
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
    if does_more(scene, who, stat) or (suited and not counts_best(scene, decide, who)):
        return None
    added = total(flip_mods(scene, who, stat, skill, at, act) + mods)
    needed = target_number(scene, tn) - added
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


def does_more(scene: Scene, who: Person, stat: str) -> bool:
    """Whether a flip ends something, or something may fall after it."""
    return without_ended(scene, scene[who], "flip") != scene[who] or stat in encumbered_stats(scene, who)


def judged_ends(scene: Scene, ends: Ends[Counted] | None, added: int, tn: int, they_spoiled: bool) -> Ends[Flip] | None:
    if ends is None:
        return None
    judging = judgement(scene)

    def judge(counted: Counted) -> Flip:
        return judging.of(tn, Counted(counted.value + added, counted.suit, counted.joker), they_spoiled)

    return [(unless_left_out(counted, judge), to, ways) for counted, to, ways in ends]


@outline(flip_then, keeps=FLIP_KEPT)
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
    both = both_ends(scene, who, mine, other, theirs, partial(flip_value_ends, scene, decide, ask=not just))
    return contested_flips(scene, both, contest_mods(scene, who, mine, other, theirs, mods, their_mods))


@outline(opposed_flip, keeps=FLIP_KEPT)
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
    both = both_ends(scene, who, mine, other, theirs, partial(flip_value_ends, scene, decide, ask=not just))
    if both is None:
        return None
    my_ends, their_ends = both
    added, to_beat = contest_mods(scene, who, mine, other, theirs, mods, their_mods)
    found, judging = Counter[tuple[int, bool, bool] | None](), judgement(scene)
    for reached, _, ways in my_ends:
        for against, _, more in their_ends:
            left_out = reached is LEFT_OUT or against is LEFT_OUT
            found[None if left_out else (reached.value - against.value, reached.joker, against.joker)] += ways * more
    return by_outcome(
        (judging.of(to_beat, Counted(key[0] + added, joker=key[1]), key[2]) if key else LEFT_OUT, ways)
        for key, ways in found.items()
    )


def both_ends(
    scene: Scene,
    who: Person,
    mine: Notation,
    other: Person,
    theirs: Notation,
    ends: Callable[[Person, tuple[str, ...]], Ends[Counted] | None],
) -> tuple[Ends[Counted], Ends[Counted]] | None:
    """The ends of each flip, by person and trump suits.

    None if one of them has to be played, ends something, or lets something fall, or if both are of one deck.
    """
    ends_something = any(without_ended(scene, scene[each], "flip") != scene[each] for each in (who, other))
    if ends_something or encumbered_stats(scene, who) or dealer(scene, who) == dealer(scene, other):
        return None
    their_ends = ends(other, trump_suits(scene, other, theirs.stat))
    my_ends = ends(who, trump_suits(scene, who, mine.stat))
    return None if my_ends is None or their_ends is None else (my_ends, their_ends)


def contest_mods(
    scene: Scene, who: Person, mine: Notation, other: Person, theirs: Notation, mods: Mods, their_mods: Mods
) -> tuple[int, int]:
    """What is added on either side."""
    added = total(flip_mods(scene, who, mine.stat, mine.skill, other, True) + mods)
    return added, total(flip_mods(scene, other, theirs.stat, theirs.skill, who, False) + their_mods)


def contested_flips(
    scene: Scene, both: tuple[Ends[Counted], Ends[Counted]] | None, added: tuple[int, int]
) -> Ends[Flip] | None:
    if both is None:
        return None
    (mine, to_beat), judging = added, judgement(scene)

    def contest(reached: Counted, against: Counted) -> Flip:
        total_reached = Counted(reached.value + mine, reached.suit, reached.joker)
        return judging.of(against.value + to_beat, total_reached, against.joker)

    return contested_ends(*both, contest)
