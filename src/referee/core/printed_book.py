"""The printed rulebook of a system: its YAML files, split into entries that are parsed one at a time, when needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, final

import yaml

from referee.core.errors import BadInput, RulebookError
from referee.core.files import load_yaml
from referee.core.plain import frozen, read, unknown

KINDS: Final = ("procedure", "mechanic", "formula", "table", "catalogue", "option", "guidance")
PROVENANCE: Final = ("file", "lines", "source")
"""Where an entry of a ledger was found in its source; the rulebook does without."""
OFF: Final = "off"
"""The choice of an optional rule that is not used."""
_CONDITIONAL: Final = re.compile(r"^    (optional: (?!false)|choices:|excludes:|option:)", re.MULTILINE)
_ENTRY: Final = re.compile(r"^  - id: (\S+)$", re.MULTILINE)


@final
@frozen
class Entry:
    """One rule of the book."""

    id: str
    chapter: str
    kind: str
    rule: str
    optional: bool = False
    """Whether a campaign may leave it out; it does unless it says otherwise."""
    choices: dict[str, str] = field(default_factory=dict)
    """The ways to play it, with their words; a campaign plays one of them, by default the first."""
    excludes: tuple[str, ...] = ()
    """Options that cannot be used together with it: `rule.id`, or one choice of it, `rule.id=choice`."""
    option: tuple[str, ...] = ()
    """Options without which it is not played, in the same form."""
    values: Any = field(default_factory=dict)
    refs: tuple[str, ...] = ()
    examples: tuple[Any, ...] = ()
    unclear: str = ""

    @property
    def computable(self) -> bool:
        return self.kind != "guidance"

    @property
    def is_option(self) -> bool:
        """Whether a campaign decides about it."""
        return self.optional or bool(self.choices)

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows of its tables, by name, or its choices: what coverage counts besides the rule itself."""
        if self.choices:
            return tuple(self.choices)
        if self.kind not in ("table", "catalogue"):
            return ()
        if _is_by_name(self.values):
            return tuple(map(str, self.values))
        tables = self.values.values() if isinstance(self.values, Mapping) else (self.values,)
        return tuple(
            name
            for table in tables
            for name in (
                map(row_name, table, range(len(table)))
                if isinstance(table, list)
                else (str(name) for name in (table if _is_by_name(table) else ()) if name != "like")
            )
        )


def _is_by_name(table: Any) -> bool:
    """Whether a table has its rows by their names; it may be `like` another one."""
    rows = [row for name, row in table.items() if name != "like"] if isinstance(table, Mapping) else []
    return bool(rows) and all(isinstance(row, Mapping) for row in rows)


def row_name(row: Any, at: int) -> str:
    """The name of a row: its name, or the first text in it, or its position."""
    if isinstance(row, Mapping):
        return str(row.get("name") or next((v for v in row.values() if isinstance(v, str)), at))
    return str(row)


@final
class PrintedBook:
    """The rulebook of one system as it is printed: its YAML files, split into entries that are parsed when needed."""

    def __init__(self, system: str, folder: Path) -> None:
        self.system = system
        self.folder = folder
        self._parsed: dict[str, Entry] = {}
        self.read_figures: dict[Any, Any] = {}
        """What code reads of it, as printed; campaigns that change none of it share this."""

    @cached_property
    def _texts(self) -> dict[str, tuple[str, str]]:
        """The file and the raw text of each entry."""
        found: dict[str, tuple[str, str]] = {}
        for file in sorted(self.folder.glob("*.yaml")):
            text = file.read_text(encoding="utf-8")
            marks = list(_ENTRY.finditer(text))
            for mark, after in zip_longest(marks, marks[1:]):
                id_ = mark[1]
                if id_ in found:
                    raise RulebookError(f"{file.name}: {id_}", f"stands in {found[id_][0]} too")
                found[id_] = file.name, text[mark.start() : after.start() if after else len(text)]
        return found

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def text(self, id_: str) -> str:
        return self._texts[id_][1]

    def with_key(self, path: str) -> tuple[str, ...]:
        """The entries in whose text the keys of a path occur: those that may have it, without reading the others."""
        keys = [re.compile(rf"(?<![\w-]){re.escape(step)}['\"]?:") for step in path.split("/")]
        return tuple(id_ for id_, (_, text) in self._texts.items() if all(key.search(text) for key in keys))

    def file(self, id_: str) -> str:
        return self._texts[id_][0] if id_ in self._texts else f"{self.system} rulebook"

    def entry(self, id_: str) -> Entry:
        if id_ not in self._parsed:
            if id_ not in self._texts:
                raise RulebookError(f"{self.system} rulebook", unknown(id_, self._near(id_)))
            file, text = self._texts[id_]
            try:
                self._parsed[id_] = _entry(load_yaml(text)[0])
            except (yaml.YAMLError, BadInput) as problem:
                raise RulebookError(f"{file}: {id_}", str(problem)) from None
        return self._parsed[id_]

    def _near(self, id_: str) -> tuple[str, ...]:
        """The few ids that may have been meant, or else all of them."""
        from difflib import get_close_matches

        named = tuple(each for each in self._texts if each.rpartition(".")[2] == id_.rpartition(".")[2])
        return named or tuple(get_close_matches(id_, self._texts, 5)) or self.ids

    @cached_property
    def conditional(self) -> dict[str, Entry]:
        """The entries that are not part of every campaign: options, and what depends on them."""
        found = {id_: self.entry(id_) for id_, (_, text) in self._texts.items() if _CONDITIONAL.search(text)}
        for entry in found.values():
            for name, given in (("excludes", entry.excludes), ("option", entry.option)):
                for other in given:
                    self._check_option(f"{self.file(entry.id)}: {entry.id}: {name}", other, found)
            if entry.excludes and not entry.is_option:
                raise RulebookError(f"{self.file(entry.id)}: {entry.id}: excludes", "only an option excludes another")
            if entry.id in _needed(entry, found):
                raise RulebookError(f"{self.file(entry.id)}: {entry.id}: option", "depends on itself")
        return {id_: entry for id_, entry in found.items() if entry.is_option or entry.option}

    @property
    def options(self) -> tuple[Entry, ...]:
        """What a campaign decides about: switches, and rules with several choices."""
        return tuple(entry for entry in self.conditional.values() if entry.is_option)

    def check_option(self, where: str, option: str) -> None:
        """Refuse a name, such as `rule.id` or `rule.id=choice`, that is not an option of this book."""
        self._check_option(where, option, self.conditional)

    def _check_option(self, where: str, option: str, known: Mapping[str, Entry]) -> None:
        id_, is_choice, choice = option.partition("=")
        if id_ not in known or not known[id_].is_option:
            options = tuple(each for each, entry in known.items() if entry.is_option)
            raise RulebookError(where, unknown(id_, options))
        if is_choice and choice not in known[id_].choices:
            raise RulebookError(where, unknown(choice, known[id_].choices))

    @cached_property
    def version(self) -> str:
        """A hash of the printed book."""
        from hashlib import sha256

        return sha256("".join(text for _, text in self._texts.values()).encode()).hexdigest()[:12]


def _needed(entry: Entry, known: Mapping[str, Entry]) -> set[str]:
    """The ids of the options an entry depends on, directly or through others."""
    found: set[str] = set()
    todo = list(entry.option)
    while todo:
        id_ = todo.pop().partition("=")[0]
        if id_ not in found and id_ in known:
            found.add(id_)
            todo += known[id_].option
    return found


def _entry(raw: Any) -> Entry:
    plain = {name: value for name, value in raw.items() if name not in PROVENANCE}
    if isinstance(named := raw.get("choices"), list):
        plain["choices"] = {each: each for each in named}
    if isinstance(text := raw.get("rule"), str):
        plain["rule"] = " ".join(text.split())
    entry: Entry = read(Entry, plain)
    if entry.kind not in KINDS:
        raise BadInput("kind", unknown(entry.kind, KINDS))
    if OFF in entry.choices:
        raise BadInput("choices", f"{OFF!r} means that an optional rule is not used; call the choice something else")
    if len(entry.choices) == 1:
        raise BadInput("choices", "one choice is none")
    return entry


PRINTED_BOOKS: Final[dict[str, PrintedBook]] = {}


def printed_book(system: str, folder: Path) -> PrintedBook:
    """Register a system's rulebook. Nothing is read yet."""
    PRINTED_BOOKS[system] = PrintedBook(system, folder)
    return PRINTED_BOOKS[system]
