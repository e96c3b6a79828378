"""Every system's creation keeps its word: chance builds legal characters, and every reason names a rule of the book."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from referee import registry
from referee.core.draft_chance import filled, random_sheet, thrown_by
from referee.core.draft_form import DraftForm
from referee.core.drafts import HOUSE, Creation, Draft
from referee.core.rulebook import Book
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.systems.d6.equipment import weapon_of
from referee.systems.dime.weapons import is_weapon
from referee.systems.distemper.attacks import in_hand

SYSTEMS = [each for name in registry.OURS if (each := registry.load(name)).creation is not None]


@pytest.fixture(params=SYSTEMS, ids=lambda system: system.name)
def creation(request: pytest.FixtureRequest) -> tuple[System, Creation]:
    system: System = request.param
    assert system.creation is not None
    return system, system.creation


@pytest.mark.parametrize("seed", range(25))
def test_chance_builds_legal_characters_only(creation: tuple[System, Creation], seed: int) -> None:
    system, declared = creation
    book = Book(system.printed_book)
    sheet = random_sheet(declared, book, Random(seed))
    assert isinstance(sheet, system.sheet)
    system.check(Scene(State({"book": book, "ana": sheet})), Who("ana", system.sheet))
    assert system.value(system.plain_value(sheet)) == sheet


def reasons(form: DraftForm) -> Iterator[str]:
    for step in form.laid_out:
        for field in step.fields:
            yield field.field.rule
            yield from (each.option.barred.rule for each in field.options if each.option.barred)
            yield from (each.part.why.rule for each in field.parts if each.part.why)
        yield from (each.budget.rule for each in step.budgets)
    yield from (each.rule for each in form.lacks)


def test_a_draft_has_a_sheet_at_every_step(creation: tuple[System, Creation]) -> None:
    system, declared = creation
    random = Random(3)
    form = DraftForm(declared, Book(system.printed_book), Draft())
    for step in ("", *(each.key for each, _ in form.steps)):
        draft = filled(form, random, lambda _, pool: thrown_by(random.randrange, pool), step) if step else form.draft
        form = form.at(draft)
        assert isinstance(declared.finish(form.scene, draft), system.sheet), step


def test_every_reason_names_a_rule_of_the_book(creation: tuple[System, Creation]) -> None:
    system, declared = creation
    form = DraftForm(declared, Book(system.printed_book), Draft())
    full = form.at(filled(form, Random(1), lambda _, pool: thrown_by(Random(1).randrange, pool)))
    for rule in {*reasons(form), *reasons(full)} - {HOUSE}:
        assert rule in system.printed_book.ids


def test_every_step_has_a_question(creation: tuple[System, Creation]) -> None:
    system, declared = creation
    for step in declared.steps:
        assert f"drafts.steps.{step.key}.ask" in system.words


def test_a_new_draft_lacks_something_and_is_refused(creation: tuple[System, Creation]) -> None:
    system, declared = creation
    form = DraftForm(declared, Book(system.printed_book), Draft())
    assert "name" in [each.key for each in form.lacks]
    form = form.at(filled(form, Random(1), lambda _, pool: thrown_by(Random(1).randrange, pool)))
    assert [each.key for each in form.lacks] == ["name"]
    assert form.at(form.answered("name", "Ana")).lacks == ()


def can_attack(system: str, scene: Scene, who: Who[Any], foe: Who[Any]) -> bool:
    """Whether somebody has a weapon in hand that an attack may be made with, or that adds its dice."""
    sheet = scene[who]
    match system:
        case "alien":
            return any(each.place == "held" for each in sheet.things)
        case "distemper":
            return in_hand(scene, who) != "Unarmed Combat" and attack(scene, who, foe, in_hand(scene, who))
        case "dime":
            return any(is_weapon(scene, each) for each in sheet.items)
        case "yearzero":
            held = [each.name for each in sheet.things if each.place == "held"]
            ways = [SYSTEM_OF[system].action(key) for key in ("slash", "stab", "shoot")]
            return any(way.may(scene, who, weapon=name, target=foe) is None for way in ways for name in held)
        case _:
            held = [each for each in sheet.equipment if each.ready]
            return any(weapon_of(scene, each).category in ("melee", "thrown", "firearm") for each in held)


def attack(scene: Scene, who: Who[Any], foe: Who[Any], weapon: str) -> bool:
    return SYSTEM_OF["distemper"].action("attack").may(scene, who, target=foe, weapon=weapon) is None


SYSTEM_OF = {each.name: each for each in SYSTEMS}


@pytest.mark.parametrize("seed", range(12))
def test_a_random_character_has_something_in_hand_to_fight_with(creation: tuple[System, Creation], seed: int) -> None:
    system, declared = creation
    book, random = Book(system.printed_book), Random(seed)
    ana, bo = (random_sheet(declared, book, random) for _ in range(2))
    scene = Scene(State({"book": book, "ana": ana, "bo": bo}))
    assert can_attack(system.name, scene, Who("ana", system.sheet), Who("bo", system.sheet))


@pytest.mark.parametrize("way", ["assigned", "picked", "bought"])
@pytest.mark.parametrize("seed", range(6))
def test_every_way_to_gear_of_year_zero_ends_armed(way: str, seed: int) -> None:
    system = SYSTEM_OF["yearzero"]
    assert system.creation is not None
    book = Book(system.printed_book, options={"yearzero.creation.starting-gear": way})
    sheet = random_sheet(system.creation, book, Random(seed))
    scene = Scene(State({"book": book, "ana": sheet, "bo": sheet}))
    assert can_attack("yearzero", scene, Who("ana", system.sheet), Who("bo", system.sheet))
