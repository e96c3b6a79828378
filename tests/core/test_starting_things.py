"""Things of a catalogue in a draft: what may be picked, and what comes of it."""

from __future__ import annotations

from random import Random

from referee.core.catalogue import CatalogueKind, CatalogueRow
from referee.core.drafts import DraftOption, Reason
from referee.core.starting_things import (
    at_first,
    one_at_random,
    rows_picked,
    thing_options,
    things_picked,
    under_own_names,
)
from referee.core.things import CARRIED, HELD
from referee.kits.things import Thing

KNIFE = CatalogueRow("knife", "knife", (("Damage", "2"), ("Range", "close")), Thing("knife"), 3)
LAMP = CatalogueRow("lamp (The cellar)", "lamp", (), Thing("lamp"))
KINDS = (CatalogueKind("melee", "Melee weapons", (KNIFE,)), CatalogueKind("other", "Other things", (LAMP,)))
RARE = Reason("it is rare", "docs.rare")


def test_rows_are_offered_by_kind_with_what_they_say_their_price_and_why_not() -> None:
    options = thing_options(KINDS, lambda row: row.price or 0, lambda row: RARE if row is LAMP else None)  # type: ignore[arg-type,return-value]  # whole prices
    assert list(options) == [
        DraftOption("knife", 3, None, "damage 2, range close", "Melee weapons"),
        DraftOption("lamp (The cellar)", 0, RARE, "", "Other things"),
    ]


def test_what_was_picked_is_found_again_in_its_order_and_own_words_stay_words() -> None:
    assert list(rows_picked(KINDS, ["a coin", "Lamp (the cellar)", "knife"])) == ["a coin", LAMP, KNIFE]


def test_own_words_become_things_only_where_somebody_says_how() -> None:
    assert list(things_picked(KINDS, ["a coin", "knife"])) == [KNIFE.thing]
    assert list(things_picked(KINDS, ["a coin", "knife"], Thing)) == [Thing("a coin"), KNIFE.thing]


def test_two_of_one_name_are_told_apart_and_keep_their_row() -> None:
    found = under_own_names([Thing("knife"), Thing("Knife"), Thing("lamp")])
    assert [(each.name, each.row) for each in found] == [("knife", ""), ("Knife 2", "Knife"), ("lamp", "")]


def test_only_the_first_that_fits_is_put_in_hand() -> None:
    things = at_first([Thing("lamp"), Thing("knife"), Thing("sword")], lambda thing: thing.name != "lamp", HELD)
    assert [each.place for each in things] == [CARRIED, HELD, CARRIED]
    assert at_first([Thing("lamp")], lambda thing: False, HELD) == (Thing("lamp"),)


def test_chance_takes_one_that_can_be_had_and_has_a_weight() -> None:
    options = [DraftOption("knife"), DraftOption("lamp", barred=RARE), DraftOption("rope"), DraftOption("coin")]
    weights = {"knife": 1, "lamp": 1, "rope": 0}
    assert {tuple(one_at_random(options, weights, Random(seed))) for seed in range(20)} == {("knife",)}
    assert one_at_random([], weights, Random(1)) == []
