"""`make docs`: a page about each system, generated from its declarations; its `*.notes.md` goes at the top."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, get_args

from referee import registry
from referee.core.actions import Action
from referee.core.audience import audiences
from referee.core.describe import describe_type
from referee.core.encounter import Encounter
from referee.core.plain import hints, write
from referee.core.printed_book import Entry
from referee.core.rulebook import Book, RowsOf, declared
from referee.core.rules import FORMULAS, RULES
from referee.core.system import System
from referee.core.wording import phrase

PAGES: Final = Path("docs/systems")


def page(system: System, notes: str) -> str:
    """The whole page of a system."""
    entries = [system.printed_book.entry(id_) for id_ in system.printed_book.ids]
    computable = [entry for entry in entries if entry.computable]
    encounters = [kind for kind in system.kinds if issubclass(kind, Encounter)]
    others = [kind for kind in system.kinds if kind not in encounters]
    told = f"{len(entries)} rules, {len(computable)} of them computed. Arguments marked ? may be left out."
    told += " This page is written by `make docs`."
    parts = [f"# {system.title}", notes.strip(), told, *_kind("Sheet", system.sheet)]
    for kind in encounters:
        parts += _kind("Encounter", kind)
    for kind in others:
        parts += _kind("Kind", kind)
    for kind in parts_of((system.sheet, *system.kinds)):
        parts += _part(kind)
    parts += _section("Actions", ("action", "arguments", "asks", "outcomes", "rule"), map(_action, system.actions))
    parts += _section("Results", ("of", "says"), _results(system))
    parts += _section("Further questions", ("question", "rule"), _further_questions(system))
    parts += _section("Options", ("option", "rule", "choices", "not with"), map(_option, system.printed_book.options))
    parts += _section("Tables", ("table", "rows"), _tables(system, computable))
    parts += _section("Rules", ("rule", "kind", "carried out by"), (_cited(system, entry) for entry in computable))
    return "\n\n".join(parts) + "\n"


def _section(title: str, columns: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A heading and a table; nothing if the table would be empty."""
    if found := [" | ".join(each.replace("|", "\\|") for each in line) for line in lines]:
        rows = [" | ".join(columns), "|".join("---" for _ in columns), *found]
        yield f"## {title}"
        yield "\n".join(f"| {row} |" if "---" not in row else f"|{row}|" for row in rows)


def _kind(what: str, kind: type[Any]) -> Iterator[str]:
    known, seen = hints(kind), audiences(kind)
    lines = [
        (f"`{each.name}`", describe_type(known[each.name]), _default(each), seen[each.name].value)
        for each in fields(kind)
    ]
    return _section(f"{what}: `{kind.__name__}`", ("field", "takes", "default", "seen by"), lines)


def parts_of(kinds: Iterable[type[Any]]) -> list[type[Any]]:
    """The kinds of values that sheets are made of: a thing, a wound, a time limit."""
    shown, found = {*kinds}, list[type[Any]]()
    waiting = [*kinds]
    while waiting:
        for hint in hints(waiting.pop(0)).values():
            for each in _dataclasses_in(hint):
                if each not in shown and each.__module__.startswith(("referee.systems", "referee.kits")):
                    shown.add(each)
                    found.append(each)
                    waiting.append(each)
    return found


def _dataclasses_in(hint: Any) -> Iterator[type[Any]]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for each in get_args(hint):
        yield from _dataclasses_in(each)


def _part(kind: type[Any]) -> Iterator[str]:
    """What a part of a sheet is made of."""
    known = hints(kind)
    lines = [(f"`{each.name}`", describe_type(known[each.name]), _default(each)) for each in fields(kind)]
    return _section(f"Part: `{kind.__name__}`", ("field", "takes", "default"), lines)


def _default(of: Field[Any]) -> str:
    given = of.default if of.default_factory is MISSING else of.default_factory()
    return "required" if given is MISSING else f"`{phrase(write(given), whole=True)}`"


def _results(system: System) -> Iterator[tuple[str, str]]:
    """What actions return: their fields, and what they say besides when asked."""
    of: dict[type[Any], list[str]] = {}
    for action in system.actions:
        for kind in _dataclasses_in(action.rule.gives):
            of.setdefault(kind, []).append(f"`{action.key}`")
    for kind, keys in of.items():
        asked = (name for name, each in inspect.getmembers(kind) if isinstance(each, property))
        says = dict.fromkeys((*(each.name for each in fields(kind)), *asked))
        yield ", ".join(keys), ", ".join(f"`{name}`" for name in says)


def _further_questions(system: System) -> Iterator[tuple[str, str]]:
    """Questions that no action is known to ask, because a row of a table names the rule that asks them."""
    known = {prompt for action in system.actions for prompt in action.rule.prompts}
    for rule in sorted({each.id: each for each in RULES.values()}.values(), key=lambda each: each.id):
        if rule.id.startswith(f"{system.name}."):
            for prompt in rule.prompts:
                if prompt not in known:
                    known.add(prompt)
                    yield f"`{prompt}`", f"`{rule.id}`"


def _action(action: Action[Any]) -> tuple[str, ...]:
    required = inspect.Parameter.empty
    arguments = (f"`{n}`" if p.default is required else f"`{n}`?" for n, p in action.parameters.items())
    beside = (*action.bands.extra, *action.bands.bad)
    outcomes = f"{', '.join(action.bands.keys)}{'; perhaps ' if beside else ''}{', '.join(beside)}"
    asks = ", ".join(f"`{prompt}`" for prompt in action.rule.prompts)
    by = " (game master)" if action.master else ""
    return f"`{action.key}`{by}", ", ".join(arguments), asks, outcomes, f"`{action.rule.cites}`"


def _option(entry: Entry) -> tuple[str, ...]:
    keys = (*entry.choices, "off") if entry.optional else tuple(entry.choices)
    return f"`{entry.id}`", entry.rule, ", ".join(keys or ("on", "off")), ", ".join(f"`{e}`" for e in entry.excludes)


def _tables(system: System, entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    book = Book(system.printed_book)
    for entry in entries:
        for lookup, paths in _paths(entry).items():
            found = book.read(lookup)
            named = ", ".join(each for each in found.names if found.printed_under(each) == entry.id)
            yield f"`{entry.id}` {', '.join(paths)}", named


def _paths(entry: Entry) -> dict[RowsOf[Any], list[str]]:
    """The tables that code reads of an entry, and where in it."""
    found: dict[RowsOf[Any], list[str]] = {}
    for lookup, path in declared(entry):
        if isinstance(lookup, RowsOf):
            found.setdefault(lookup, []).append(path)
    return found


def _cited(system: System, entry: Entry) -> tuple[str, ...]:
    carried = sorted(
        f"`{cited.body.__module__.removeprefix(f'referee.systems.{system.name}.')}.{cited.name}`"
        for cited in {**RULES, **FORMULAS}.values()
        if any(id_.partition("/")[0] == entry.id for id_ in cited.ids)
    )
    return f"`{entry.id}`", entry.kind, ", ".join(dict.fromkeys(carried)) or "figures alone"


def pages(folder: Path) -> dict[Path, str]:
    """The page of each built-in system, by file."""
    found = {}
    for name in registry.OURS:
        notes = folder / f"{name}.notes.md"
        found[folder / f"{name}.md"] = page(
            registry.load(name), notes.read_text(encoding="utf-8") if notes.exists() else ""
        )
    return found


def main() -> None:
    for file, text in pages(PAGES).items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
