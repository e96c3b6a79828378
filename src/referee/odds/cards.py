"""Cards drawn without replacement from the rest of a deck: `{value: how many}`."""

from __future__ import annotations

from math import comb, perm

from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input, too_large
from referee.odds.packed import width_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, TypeAlias

    Cards: TypeAlias = Mapping[int, int]

MOST_CARDS: Final = 200
HIGHEST_VALUE: Final = 1000
MOST_WORK: Final = 2_000_000_000
"""Byte operations: cards in the deck × cards drawn × bytes of all sums."""


def draw_total(deck: Cards, cards: int) -> Distribution:
    """The sum of a number of cards."""
    count = _check(deck)
    if not 0 <= cards <= count:
        raise bad_input("draw", f"must be from 0 to {count} cards, not {cards}")
    most = sum(sorted([value for value, copies in deck.items() for _ in range(copies)])[count - cards :])
    width = _width(comb(count, cards), most + 1, count * cards)
    return Distribution.of_sums(_hands(deck, cards, width)[cards], width, 0, comb(count, cards))


def draw_best(deck: Cards, cards: int) -> Distribution:
    """The highest of a number of cards."""
    count = _check(deck)
    if not 1 <= cards <= count:
        raise bad_input("draw", f"must be from 1 to {count} cards, not {cards}")
    counts, below = {}, 0
    for value in sorted(deck):
        up_to = comb(sum([copies for other, copies in deck.items() if other <= value]), cards)
        counts[value], below = up_to - below, up_to
    return Distribution(counts)


def draw_on(again: Cards, ends: Cards) -> Distribution:
    """The sum of cards drawn one by one, as long as each is among those that draw `again`.

    If no card that ends the draw is left, the last card ends it. Every order of a hand of k cards that draw again is
    equally likely, so hands are counted by size and sum only.
    """
    count, chain = _check(again, ends), sum(again.values())
    whole = perm(count, min(chain + 1, count))
    most = sum([value * copies for value, copies in again.items()])
    width = _width(whole, most + max(ends, default=0) + 1, chain * chain)
    hands = _hands(again, chain, width)
    if not any(ends.values()):
        return Distribution.of_sums(hands[chain], width, 0, 1)
    orders, packed = 1, 0
    for size, hand in enumerate(hands):
        packed += hand * (orders * perm(count - size - 1, chain - size))
        orders *= size + 1
    return Distribution.of_sums(packed * _single(ends, width), width, 0, whole)


def draw_on_best(again: Cards, ends: Cards) -> Distribution:
    """The highest of cards drawn one by one, as long as each is among those that draw `again`."""
    count, chain = _check(again, ends), sum(again.values())
    if not any(ends.values()):
        return Distribution({max(value for value, copies in again.items() if copies): 1})
    counts, below = {}, 0
    for value in sorted({*again, *ends}):
        others = sum([copies for other, copies in again.items() if other <= value])
        last = sum([copies for other, copies in ends.items() if other <= value])
        up_to = sum([perm(others, size) * perm(count - size - 1, chain - size) for size in range(others + 1)]) * last
        counts[value], below = up_to - below, up_to
    return Distribution(counts)


def _check(*decks: Cards) -> int:
    """How many cards there are."""
    if any(value < 0 or copies < 0 for deck in decks for value, copies in deck.items()):
        raise bad_input("deck", "must be values and numbers of cards of no less than 0")
    count, highest = sum([sum(deck.values()) for deck in decks]), max([max(deck, default=0) for deck in decks])
    if not count:
        raise bad_input("deck", "must be at least one card")
    if count > MOST_CARDS:
        raise too_large(f"{count} cards; at most {MOST_CARDS} are worked out")
    if highest > HIGHEST_VALUE:
        raise too_large(f"a card of value {highest}; at most {HIGHEST_VALUE} is worked out")
    return count


def _width(whole: int, size: int, steps: int) -> int:
    width = width_for(whole, size)
    if steps * size * width > MOST_WORK:
        raise too_large(f"cards of {steps * size * width} steps of work; at most {MOST_WORK} are worked out")
    return width


def _hands(deck: Cards, most: int, width: int) -> list[int]:
    """Hands of 0, 1, 2 … cards, packed by their sum."""
    hands, held = [1] + [0] * most, 0
    for value, copies in deck.items():
        shift = 8 * width * value
        for _ in range(copies):
            held += 1
            for size in range(min(held, most), 0, -1):
                hands[size] += hands[size - 1] << shift
    return hands


def _single(cards: Cards, width: int) -> int:
    return sum([copies << 8 * width * value for value, copies in cards.items()])
