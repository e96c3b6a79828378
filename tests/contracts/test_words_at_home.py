"""The words, looks and names of a system live in its folder: nothing outside contains them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import referee
from referee import registry
from referee.core.files import load_yaml_file
from referee.core.proofreading import Declared
from referee.core.system import System
from referee.core.unworded import unworded

HOUSE = Path(referee.__file__).parent
SYSTEMS = [registry.load(name) for name in registry.OURS]
TEXTS = {".py", ".yaml", ".html", ".css", ".js"}
OUTSIDE = [
    file
    for file in sorted(HOUSE.rglob("*"))
    if file.suffix in TEXTS and HOUSE / "systems" not in file.parents and "vendor" not in file.parts
]
SCREENS = [file for file in OUTSIDE if file.suffix == ".yaml"]

ORDINARY_TEXT = """
about, acted, action, actions, added, ahead, aid, all, answer, average, away, before, beginning, book, bought,
broken, build, busy, buy, caught, cautious, character, chase, check, close, cold, computer, computers, conditions,
count, days, discard, done, down, drop, dropped, effect, ended, engaged, failed, falls, field, first, flashlight,
found, free, gain, game master, gone, ground, hands, held, hidden, hide, history, hold, house, hurt, improve,
initiative, items, journey, laid, large, last, left, limited, load, long, lose, lost, map, mechanic, mine, modifier,
motion, move, moved, name, neck, nobody, none, nothing, of, one, open, order, other, others, overrule, part, passed,
past, pick-up, place, planned, play, played, player, points, price, put, quarry, question, range, reach, react, rest,
riding, road, roll, rolled, round, rounds, route, run, same, search, seats, secret, set, short, sides, sight, size,
slash, slow, some, spent, steps, still, stop, supplies, surprise, systems, taken, template, terrain, things, throw,
thrown, total, training, tried, turn, type, unhurt, up, value, wait, watch, wear, well, what, whom, window, wins,
within, work, works, worn, worse, zones
"""
ORDINARY = frozenset(each.strip() for each in ORDINARY_TEXT.split(","))
"""What a system says too, but anybody might: plain words that screens need for themselves."""


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_nothing_outside_names_a_system(system: System) -> None:
    named = re.compile(rf"(?<![\w]){re.escape(system.name)}(?!\w)", re.IGNORECASE)
    if re.fullmatch(r"d\d+", system.name):  # a die has this name too: then it is what rules and modules are called by
        named = re.compile(rf"(?<![\w]){system.name}\.[a-z]|\"{system.title}\"", re.MULTILINE)
    found = [str(file.relative_to(HOUSE)) for file in OUTSIDE if named.search(file.read_text("utf-8"))]
    assert found == ["registry.py"]  # the list of those that come with Referee


def vocabulary(system: System) -> set[str]:
    """Every word of a system's book: fields, kinds, actions, bands, prompts, dice, rows; not its arguments."""
    known = Declared(system)
    names = {*known.actions, *known.bands, *known.prompts, *known.kinds}
    names |= {each.name for kind in known.kinds.values() for each in fields(kind)}
    names |= {*system.look.dice, *system.look.marks, *system.look.results}
    for id_ in system.printed_book.ids:
        names |= {row for row in system.printed_book.entry(id_).rows if not row.isdecimal()}
    return {name.casefold() for name in names if len(name) > 1}


def words_of(plain: Any) -> Iterator[str]:
    """Every key and every word of a file of words, in lower case."""
    if isinstance(plain, dict):
        for key, value in plain.items():
            yield str(key).casefold()
            yield from words_of(value)
    elif plain is not None:
        text = re.sub(r"\{[^}]*\}", " ", str(plain)).casefold()
        yield from re.findall(r"[\w-]+", text)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize("file", SCREENS, ids=lambda file: str(file.relative_to(HOUSE)))
def test_the_words_of_screens_hold_no_words_of_a_system(file: Path, system: System) -> None:
    assert (set(words_of(load_yaml_file(file))) & vocabulary(system)) - ORDINARY == set()


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_code_outside_knows_no_key_of_a_system(system: System) -> None:
    """A key of two words or more is nobody else's: actions, arguments, bands, prompts, fields; what a kit has, is."""
    of_kits = {each.key for each in system.actions if each.rule.body.__module__.startswith("referee.kits.")}
    known = (vocabulary(system) | {*Declared(system).arguments}) - of_kits
    keys = {name for name in known if "-" in name or "_" in name}
    found = set()
    for file in OUTSIDE:
        if file.suffix == ".py":
            texts = (
                node.value for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Constant)
            )
            found |= {text for text in texts if isinstance(text, str)} & keys
    assert found == set()


def test_what_is_called_ordinary_is_said_by_both() -> None:
    said = {word for file in SCREENS for word in words_of(load_yaml_file(file))}
    assert ORDINARY - (said & set().union(*map(vocabulary, SYSTEMS))) == set()


PAGES = HOUSE / "web" / "pages" / "words" / "en.yaml"
SAID = "\n".join(file.read_text("utf-8") for file in OUTSIDE if file.suffix != ".yaml" or file.name == "look.yaml")
SAID_WHOLE = frozenset(re.findall(r"[\w.-]+", SAID))
SAID_IN_PARTS = frozenset(re.findall(r"([\w.-]+)\.[\"{]", SAID))
"""How those begin that are put together: `say("nav." ~ page)`."""

IN_LISTS = ("keys.", "talk.help.", "master.settings.")
"""Those of which a template says all, in a loop."""


def word_keys(words: dict[str, Any], above: str = "") -> Iterator[str]:
    for key, found in words.items():
        yield from word_keys(found, f"{above}{key}.") if isinstance(found, dict) else (f"{above}{key}",)


def is_said(key: str) -> bool:
    return key in SAID_WHOLE or key.rpartition(".")[0] in SAID_IN_PARTS or key.startswith(IN_LISTS)


def test_every_word_of_the_pages_is_said_somewhere() -> None:
    assert [key for key in word_keys(load_yaml_file(PAGES)) if not is_said(key)] == []


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_field_and_ending_of_ours_has_words(system: System) -> None:
    """So the story never makes a sentence of a field's name; `referee conform` lists the same of any system."""
    assert unworded(system) == ()
