"""`referee sheet`: show or validate sheets, or make a random one."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from referee import registry
from referee.cli.play import sample, scene_file
from referee.cli.show import WORDS
from referee.cli.terminal import BOLD, figures, on_terminal, paint
from referee.core.draft_chance import random_sheet
from referee.core.errors import BadInput
from referee.core.options import present_fields
from referee.core.plain import Plain, as_spelled, unknown
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, Who
from referee.core.system import HOUSE_NAMES
from referee.core.wording import phrase


def show(system: str, name: str, scene: str, *, as_json: bool) -> None:
    """Print a whole sheet of a scene."""
    loaded = registry.load(system)
    _, state = sample(loaded, scene)
    name = as_spelled(name, state)
    if name not in state or name in HOUSE_NAMES:
        raise BadInput(name, unknown(name, tuple(who.name for who in Scene(state).all(loaded.sheet))))
    _print({name: present_fields(state[name], state[BOOK.name])}, as_json=as_json)


def validate(file: str) -> None:
    """Check that every sheet of a scene file is legal; an illegal one raises an error that says why."""
    _, system, state = scene_file(Path(file))
    names = [who.name for who in Scene(state).all(system.sheet)]
    print(WORDS.say("legal-sheets", names=", ".join(names)) if names else WORDS.say("legal-empty"))


def at_random(system: str, seed: str, *, as_json: bool) -> None:
    """Print a random legal sheet."""
    loaded = registry.load(system)
    if loaded.creation is None:
        raise BadInput(system, WORDS.say("no-random-sheets"))
    made = random_sheet(loaded.creation, Book(loaded.printed_book), Random(seed) if seed else Random())
    checked = Scene(loaded.state({}).but("somebody", made))
    loaded.check(checked, Who("somebody", loaded.sheet))
    _print({"somebody": present_fields(made, checked[BOOK])}, as_json=as_json)


def _print(sheet: dict[str, Plain], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(sheet, ensure_ascii=False))
        return
    for name, fields in sheet.items():
        print(paint(name, BOLD))
        if on_terminal():
            print("\n".join(figures(fields, indent="  ")))
        else:
            for field, value in fields.items():
                print(f"  {field:16} {phrase(value)}")
