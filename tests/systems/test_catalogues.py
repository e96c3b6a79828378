"""The catalogues: what each game lists for people to have, and what is said of it."""

from __future__ import annotations

import pytest

from referee import registry
from referee.core import BadInput
from referee.core.catalogue import CatalogueRow, catalogue, find_row
from referee.core.rulebook import Book


def row(system: str, key: str) -> CatalogueRow:
    loaded = registry.load(system)
    return find_row(loaded, Book(loaded.printed_book), key)


def kinds(system: str) -> list[str]:
    loaded = registry.load(system)
    return [kind.words for kind in catalogue(loaded, Book(loaded.printed_book))]


def test_a_weapon_of_d6_says_what_its_row_says() -> None:
    found = row("d6", "Assault rifle (M16)")
    assert found.sentence == (
        "damage 5D, range 5/10/30/60 m, rounds 30, short burst 3, spray fire 15, skill Firearms (rifles), body 3D"
    )
    assert found.rule == "d6.weapons.firearms"
    assert found.plain["name"] == "Assault rifle (M16)"


def test_names_are_found_however_they_are_written() -> None:
    assert row("d6", "chain MAIL").sentence.startswith("protection 1D, zones Head, Torso")


def test_prices_of_year_zero_are_those_of_its_tables() -> None:
    assert row("yearzero", "Battleaxe").price == 60
    assert row("yearzero", "Battleaxe").sentence == (
        "gear bonus +2, damage 2, features Edged, Heavy, Hook, weight 2, supply 3"
    )
    assert row("yearzero", "hunting rifle").sample == "Four on Highway 20, eastbound"
    assert row("yearzero", "rope").price is None


def test_a_game_without_tables_lists_what_its_samples_have() -> None:
    assert kinds("distemper") == ["Ranged Combat", "Melee Combat"]
    assert row("distemper", "rifle").sentence == "damage 4 Wounds, 3 Resilience, skill Ranged Combat"
    assert kinds("dime") == ["Melee weapons", "Armor", "Guns", "Other things"]


def test_of_two_alike_the_one_with_a_price_is_listed() -> None:
    assert row("dime", "derringer").price == 3
    loaded = registry.load("dime")
    names = [each.name for kind in catalogue(loaded, Book(loaded.printed_book)) for each in kind.rows]
    assert names.count("derringer") == 1


def test_nothing_of_the_catalogue_is_held_spent_or_worn() -> None:
    assert not row("dime", "derringer").thing.held
    assert row("yearzero", "hunting rifle").thing.place == "carried"
    assert row("yearzero", "old revolver").thing.wear == 0


def test_weapons_of_alien_are_of_the_kind_of_their_table() -> None:
    assert kinds("alien") == ["Close combat weapons", "Handguns", "Rifles"]


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(BadInput, match="knife"):
        row("distemper", "halberd")


@pytest.mark.parametrize("name", ["alien", "d6", "dime", "distemper", "yearzero"])
def test_everything_in_a_catalogue_can_be_given(name: str) -> None:
    system = registry.load(name)
    book = Book(system.printed_book)
    keys = [each.key for kind in catalogue(system, book) for each in kind.rows]
    assert len(set(keys)) == len(keys)
    for key in keys:
        given = {system.look.items: [find_row(system, book, key).plain]}
        assert system.state({"ana": given})


def test_rows_that_a_table_adds_are_listed() -> None:
    system = registry.load("yearzero")
    added = {"name": "Scythe", "price": 45, "gear_bonus": 2, "damage": 2, "features": ["2H"], "weight": 2, "supply": 2}
    book = Book(system.printed_book, add={"yearzero.gear.melee-weapons": {"weapons": [added]}})
    assert find_row(system, book, "scythe").price == 45
