"""Every item and every job as printed: its penalty if one aims for it, its successes if one hopes for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core import Scene, Who
from referee.core.files import load_yaml
from referee.drivers.scripted import play
from referee.registry import load
from referee.systems.yearzero.crafting import craft, made_by, shapes
from referee.systems.yearzero.items import ITEMS
from referee.systems.yearzero.sheet import Survivor
from referee.systems.yearzero.technical import JOBS, pick_lock, technical_work
from referee.systems.yearzero.workplace import Workplace

PRINTED: Final[Any] = load_yaml((Path(__file__).parent / "printed_work.yaml").read_text("utf-8"))
ANA, SHOP = Who("ana", Survivor), Who("shop", Workplace)
LEVEL: Final = 9


@cache
def scene() -> Scene:
    """A master of every craft, with Wits 1, and material for everything."""
    skills = dict.fromkeys(("Crafting", "Technical", "Survival"), LEVEL)
    needs = ("wool", "pelt", "iron ore", "copper ore", "silver ore", "copper", "stone", "flax", "grain")
    things = [{"name": name, "amount": 3} for name in needs]
    ana = {"attributes": {"Wits": 1}, "skills": skills, "things": things}
    shop = {"kind": "Workplace", "buildings": ["workshop"], "laboratory": 0}
    return Scene(load("yearzero").state({"ana": ana, "shop": shop}))


def dice(successes: int, skill: int) -> str:
    """One base die that shows nothing, and skill dice with so many sixes; below nothing they are negative."""
    shown = ["6"] * successes + ["2"] * (abs(skill) - successes)
    return " ".join(["2", *shown])


def check_both_routes(attempt: Any, dm: int, x: int) -> None:
    """Aimed for, one six among fewer dice does it; hoped for, it takes all its sixes among all dice."""
    aimed = LEVEL + dm
    assert play(attempt(True), scene().state, {"roll": dice(1, aimed)}).result.success
    assert play(attempt(False), scene().state, {"roll": dice(x, LEVEL)}).result.success
    assert not play(attempt(False), scene().state, {"roll": dice(x - 1, LEVEL)}).result.success


def printed(kind: str) -> list[Any]:
    return [
        pytest.param(by, names, row["dm"], row["x"], id=f"{by} at {row['dm']}")
        for row in PRINTED[kind]
        for by, names in row["by"].items()
    ]


@pytest.mark.parametrize(("by", "items", "dm", "x"), printed("items"))
def test_every_item_is_made_as_printed(by: str, items: list[str], dm: int, x: int) -> None:
    for item in items:
        shape = next(iter(shapes(scene(), ANA, item)), "")
        check_both_routes(
            lambda intended, item=item, shape=shape: craft(ANA, item, by, shape, intended=intended), dm, x
        )


@pytest.mark.parametrize(("by", "jobs", "dm", "x"), printed("jobs"))
def test_every_job_is_done_as_printed(by: str, jobs: list[str], dm: int, x: int) -> None:
    for job in jobs:
        assert scene()[JOBS][job].specialty == by
        check_both_routes(lambda intended, job=job: technical_work(ANA, job, intended=intended, at=SHOP), dm, x)


@pytest.mark.parametrize(
    ("locks", "dm", "x"),
    [
        (("simple locks", "basic locks", "old locks"), 0, 1),
        (("standard deadbolts", "basic safes", "office security locks"), -2, 2),
        (("high-security deadbolts", "multiple-cylinder locks", "modern car locks", "basic alarm systems"), -3, 3),
        (("professional safe designs", "high-security electronic locks"), -4, 3),
        (("advanced car security systems", "sophisticated vault locks"), -4, 3),
    ],
)
def test_every_lock_is_picked_as_printed(locks: tuple[str, ...], dm: int, x: int) -> None:
    for lock in locks:
        check_both_routes(lambda intended, lock=lock: pick_lock(ANA, lock, intended=intended), dm, x)


def test_nothing_is_made_that_is_not_printed() -> None:
    listed = {item for row in PRINTED["items"] for items in row["by"].values() for item in items}
    assert {row.name for row in scene()[ITEMS]} == listed
    jobs = {job for row in PRINTED["jobs"] for jobs in row["by"].values() for job in jobs}
    assert {row.name for row in scene()[JOBS]} == jobs


@pytest.mark.parametrize(
    ("item", "made", "amount", "used"),
    [
        ("18 stone bullets", "stone bullet", 18, {}),
        ("18 iron bullets", "iron bullet", 18, {}),
        ("6 paper from 1 wool", "paper", 6, {"wool": 1}),
        ("3 leather from 3 pelts", "leather", 3, {"pelt": 3}),
        ("3 iron arrowheads", "iron arrowhead", 3, {}),
        ("iron arrowheads", "iron arrowhead", 1, {}),
        ("iron from ore", "iron", 1, {"iron ore": 1}),
        ("copper from ore", "copper", 4, {"copper ore": 1}),
        ("silver from ore", "silver", 1, {"silver ore": 1}),
        ("brass from copper", "brass", 1, {"copper": 1}),
        ("glass from stone", "glass", 1, {"stone": 1}),
        ("cloth from wool", "cloth", 1, {"wool": 1}),
        ("linen from flax", "linen", 1, {"flax": 1}),
        ("alcohol distilled from grain", "alcohol", 1, {"grain": 1}),
        ("food from vegetables or meat", "food", 1, {}),
        ("one extra unit of food when cooking for a QD", "food", 1, {}),
    ],
)
def test_material_becomes_what_is_printed(item: str, made: str, amount: int, used: dict[str, int]) -> None:
    row = scene()[ITEMS][item]
    played = play(craft(ANA, item, row.by[0]), scene().state, {"roll": {"skill": {"six": 1}}})
    now = {each.name: each.amount for each in played.scene[ANA].things}
    assert now[made] == amount
    assert {name: 3 - now.get(name, 0) for name in used} == used


@pytest.mark.parametrize(
    ("shield", "bonus"),
    [
        ("Trash can lid", 1),
        ("Riot Shield, Round", 1),
        ("Riot Shield, Standard", 2),
        ("Ballistic Shield, Micro", 1),
        ("Ballistic Shield, Small", 1),
        ("Ballistic Shield, Standard", 2),
        ("Ballistic Pavise", 3),
        ("Ceramic AP Shield", 2),
    ],
)
def test_a_shield_is_made_with_its_bonus(shield: str, bonus: int) -> None:
    made = play(craft(ANA, "shields", "Smith", shield), scene().state, {"roll": {"skill": {"six": 1}}})
    assert made.result.gear_bonus == bonus


BUILDINGS: Final = 30 + 38
"""Those of no penalty, and those at -2."""


def test_buildings_and_consumables_are_what_they_are() -> None:
    assert sum(row.building for row in scene()[ITEMS]) == BUILDINGS
    assert {row.name for row in scene()[ITEMS] if row.consumable} == {
        "poisons",
        "antidotes",
        "food from vegetables or meat",
        "Quality 1 Advanced Meal",
        "Quality 2 Advanced Meal",
        "Quality 3 Advanced Meal",
        "alcohol distilled from grain",
        "healing ointments",
        "remedies for disease",
        "one extra unit of food when cooking for a QD",
        "stimulants",
        "meal that heals 1 EMPATHY",
        "alcohol that heals 1 EMPATHY",
        "stimulant that suppresses a condition",
        "combat stimulant",
    }


@pytest.mark.parametrize(
    ("thing", "row"),
    [("Staff", "wooden clubs and staves"), ("Broadsword", "basic melee weapons"), ("rope", "rope"), ("laser", None)],
)
def test_a_thing_is_repaired_as_it_is_made(thing: str, row: str | None) -> None:
    found = made_by(scene(), thing)
    assert (found.name if found else None) == row
