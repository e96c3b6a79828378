"""`referee create`: build a character in a terminal, by the steps the system declares."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from referee import registry
from referee.cli.show import WORDS
from referee.cli.terminal import BOLD, paint
from referee.core.draft_chance import filled, random_sheet, thrown_by
from referee.core.draft_form import DraftForm, FieldState, spelled
from referee.core.drafts import NAME, Draft, PickSeveral, RollDice, SpreadPoints
from referee.core.errors import BadInput
from referee.core.files import load_yaml, load_yaml_file
from referee.core.plain import Plain, read, write
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State, Who
from referee.core.wording import phrase


def create(
    system: str, words: Sequence[str], *, template: str, file: str, by_chance: bool, seed: str, as_json: bool
) -> None:
    """Answer what was said (and by chance what was not), then print what is missing, or the finished sheet."""
    loaded = registry.load(system)
    if loaded.creation is None:
        raise BadInput(system, WORDS.say("no-creation"))
    form = DraftForm(loaded.creation, Book(loaded.printed_book), Draft())
    if template:
        form = form.at(form.from_template(template))
    if file:
        form = form.at(form.from_answers(read(dict[str, Any], load_yaml_file(Path(file)), file)))
    random = Random(seed) if seed else Random()
    for word in words:
        form = form.at(_answered(form, word, random))
    if by_chance:
        form = form.at(filled(form, random, lambda _, pool: thrown_by(random.randrange, pool)))
    if as_json:
        print(json.dumps({"answers": dict(form.draft.answers), **form.to_plain(), **_sheet(form)}, ensure_ascii=False))
        return
    print("\n".join(_told(form)))
    sheet = _sheet(form)
    if sheet:
        name = form.draft.one(NAME.key)
        loaded.check(Scene(form.scene.state.but(name, form.finished())), Who(name, loaded.sheet))
        print(paint(name, BOLD))
        for field, value in sheet["sheet"].items():
            print(f"  {field:16} {phrase(value)}")


def create_many(system: str, count: int, *, seed: str, as_json: bool) -> None:
    """Random characters, each held to the rules; then how many there are, and how long it took."""
    loaded = registry.load(system)
    if loaded.creation is None:
        raise BadInput(system, WORDS.say("no-creation"))
    book, random, began = Book(loaded.printed_book), Random(seed) if seed else Random(), monotonic()
    for _ in range(count):
        sheet = random_sheet(loaded.creation, book, random)
        loaded.check(Scene(State({BOOK.name: book, "x": sheet})), Who("x", loaded.sheet))
        if as_json:
            print(json.dumps(write(sheet), ensure_ascii=False))
    if not as_json:
        print(WORDS.say("created-many", count=count, seconds=f"{monotonic() - began:.1f}"))


def _answered(form: DraftForm, word: str, random: Random) -> Draft:
    """One answer: `age=Young`, `trade=Smith,Baker`, `levels.riding=2`, `purse=roll`."""
    key, equals, said = word.partition("=")
    if not equals:
        raise BadInput(word, WORDS.say("create-hint"))
    field, _, part = key.partition(".")
    found = form.field(field)
    field = found.key
    if isinstance(found, RollDice) and said == "roll":
        return form.draft.but(field, thrown_by(random.randrange, form.throw(field)[1]))
    if part or isinstance(found, SpreadPoints):
        return form.answered(field, load_yaml(said), part or None)
    if isinstance(found, PickSeveral):
        return form.answered(field, [each.strip() for each in said.split(",") if each.strip()])
    return form.answered(field, said)


def _sheet(form: DraftForm) -> dict[str, Plain]:
    return {} if form.lacks else {"sheet": write(form.finished())}


def _told(form: DraftForm) -> Iterator[str]:
    """Every step: what was answered, what may be, what it costs, what is barred and why."""
    for step in form.laid_out:
        yield paint(step.key, BOLD)
        for budget in step.budgets:
            left = WORDS.say("budget-left", left=spelled(budget.left), total=spelled(budget.total))
            yield f"  {budget.budget.key}: {left}"
        for field in step.fields:
            yield f"  {field.field.key}: {_answer(form, field)}"
            yield from (f"    ! {each.because} ({each.rule})" for each in field.problems)
            yield from _open(field)
    for state in form.unspent:
        yield WORDS.say("unspent", left=spelled(state.left), what=state.budget.key)
    if form.lacks:
        yield paint(WORDS.say("still-missing"), BOLD)
        yield from (f"  {each.key}: {each.because} ({each.rule})" for each in form.lacks)


def _answer(form: DraftForm, field: FieldState) -> str:
    if field.barred is not None and field.answer is None:
        return f"({field.barred.because}; {field.barred.rule})"
    if field.parts:
        return phrase({each.part.name: each.part.write(each.level) for each in field.parts})
    return phrase(field.answer, nothing=field.missing or "-")


def _open(field: FieldState) -> Iterator[str]:
    """The options of a field, each with its price or why it is barred."""
    for each in field.options:
        price = f" ({spelled(each.option.price)})" if each.option.price else ""
        mark = "*" if each.chosen else "-"
        barred = f": {each.barred.because} ({each.barred.rule})" if each.barred else ""
        yield f"    {mark} {each.option.name}{price}{barred}"
