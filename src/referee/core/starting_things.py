"""Things in a draft: what may be picked of the catalogue, and the values that come of the names that were picked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from referee.core.catalogue import CatalogueKind, CatalogueRow
from referee.core.drafts import DraftOption, Price, Reason
from referee.core.things import free_name, name_of, named, put_at

Kinds = Iterable[CatalogueKind]


def at_no_price(row: CatalogueRow) -> Price:
    """For games in which things have no price."""
    return 0


def never_barred(row: CatalogueRow) -> Reason | None:
    """For games in which everything can be had."""
    return None


def thing_options(
    kinds: Kinds,
    price: Callable[[CatalogueRow], Price] = at_no_price,
    barred: Callable[[CatalogueRow], Reason | None] = never_barred,
) -> Iterator[DraftOption]:
    """The rows of a catalogue by kind, each with what it says."""
    for kind in kinds:
        for row in kind.rows:
            yield DraftOption(row.key, price(row), barred(row), row.sentence, kind.words)


def rows_picked(kinds: Kinds, names: Iterable[str]) -> Iterator[CatalogueRow | str]:
    """The rows of what was picked, in that order; of something in one's own words, the words."""
    rows = {row.key.casefold(): row for kind in kinds for row in kind.rows}
    yield from (rows.get(name.casefold(), name) for name in names)


def things_picked(kinds: Kinds, names: Iterable[str], own: Callable[[str], Any] | None = None) -> Iterator[Any]:
    """The things that were picked; something in one's own words as `own` makes it, or not at all."""
    for each in rows_picked(kinds, names):
        if isinstance(each, CatalogueRow):
            yield each.thing
        elif own is not None:
            yield own(each)


def under_own_names(things: Iterable[Any]) -> tuple[Any, ...]:
    """The same things, of which no two have one name: a second knife is `knife 2`."""
    found: tuple[Any, ...] = ()
    for each in things:
        found = (*found, named(each, free_name(found, name_of(each))))
    return found


def at_first(things: Iterable[Any], fits: Callable[[Any], bool], place: str) -> tuple[Any, ...]:
    """The same things, with the first that fits in a place: in hand, or worn."""
    listed = list(things)
    first = next((number for number, each in enumerate(listed) if fits(each)), None)
    return tuple(put_at(each, place) if number == first else each for number, each in enumerate(listed))


def one_at_random(options: Iterable[DraftOption], weights: Mapping[str, int], random: Random) -> list[str]:
    """One of those that can be had and have a weight; none if there is none."""
    names = [each.name for each in options if each.barred is None and each.name in weights]
    return random.choices(names, [weights[name] for name in names]) if names else []
