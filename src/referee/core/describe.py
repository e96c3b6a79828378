"""Descriptions of rules and types: what an argument accepts, as a form and in words; what a rule says and takes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, final, get_args, get_origin

from referee.core.modifiers import Mod, Mods
from referee.core.plain import Levels, Plain, hints, write
from referee.core.printed_book import Entry
from referee.core.rulebook import RowsOf, declared
from referee.core.rules import FORMULAS, RULES, Cited
from referee.core.scene import Who


def describe_parameters(parameters: Mapping[str, inspect.Parameter]) -> Plain:
    """Each argument by name: its type in words, and its default or that it is required."""
    return {
        name: {"type": describe_type(p.annotation), "required": True}
        if p.default is inspect.Parameter.empty
        else {"type": describe_type(p.annotation), "required": False, "default": write(p.default)}
        for name, p in parameters.items()
    }


@final
@dataclass(frozen=True)
class FieldType:
    """A type as a form field: what pages, commands and descriptions know about an argument or a field."""

    kind: Literal["check", "number", "text", "pick", "name", "person", "list", "levels", "mods", "record", "data"]
    """`pick` is one of `options`, `name` a row of `table`, `person` someone in the scene, `data` anything else."""
    type: Any
    """The type itself, without its `Annotated` marks."""
    optional: bool = False
    """Whether it may be None."""
    options: tuple[Any, ...] = ()
    table: RowsOf[Any] | None = None
    inner: FieldType | None = None
    """The type of the items of a list or a set."""

    @property
    def fields(self) -> dict[str, FieldType]:
        """The fields of a record, by name."""
        known = hints(self.type)
        return {each.name: field_type(known[each.name]) for each in fields(self.type) if each.init}


def field_type(annotation: Any) -> FieldType:
    """An annotation as a form field. `Annotated` marks are read, `| None` becomes `optional`."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        table = next((mark for mark in arguments[1:] if isinstance(mark, RowsOf)), None)
        found = field_type(arguments[0])
        return found if table is None else replace(found, kind="name", table=table)
    if origin in (Union, UnionType):
        some = [each for each in arguments if each is not type(None)]
        if len(some) == 1:
            return replace(field_type(some[0]), optional=True)
    if annotation == Mods:
        return FieldType("mods", annotation)
    if origin is frozenset or (origin is tuple and arguments[1:] == (...,)):
        return FieldType("list", annotation, inner=field_type(arguments[0]))
    if origin is Literal:
        return FieldType("pick", annotation, options=arguments)
    if origin is Who:
        return FieldType("person", annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return FieldType("pick", annotation, options=tuple(annotation))
    if annotation in _KINDS:
        return FieldType(_KINDS[annotation], annotation)
    return FieldType("record" if is_dataclass(annotation) else "data", annotation)


_KINDS: Final[dict[Any, Literal["check", "number", "text", "levels"]]] = {
    bool: "check",
    int: "number",
    float: "number",
    str: "text",
    Levels: "levels",
}
_SCALARS: Final = {int: "whole number", str: "text", bool: "yes or no", float: "number", type(None): "nothing"}


def describe_type(annotation: Any) -> str:
    """A type in words that the author of a scenario understands."""
    found = field_type(annotation)
    if found.optional:
        return f"{_describe(found)} or nothing"
    return _describe(found)


def _describe(found: FieldType) -> str:
    origin, arguments = get_origin(found.type), get_args(found.type)
    if found.table is not None:
        return f"a name from {found.table.rule}"
    if found.inner is not None:
        return f"list of {_describe(found.inner)}"
    if found.options:
        return f"one of {', '.join(str(write(each)) for each in found.options)}"
    if found.type in _SCALARS:
        return _SCALARS[found.type]
    if origin in (Union, UnionType):
        return " or ".join(map(describe_type, arguments))
    if found.kind == "mods":
        return f"list of {Mod.__name__}"
    if arguments:
        return f"{origin.__name__} {' or '.join(map(describe_type, arguments))}"
    return getattr(found.type, "__name__", str(found.type))


def described(entry: Entry) -> dict[str, Any]:
    """A rule as plain data: its entry, the code that implements it, and the tables that code reads."""
    runs = [(kind, found[entry.id]) for kind, found in (("rule", RULES), ("formula", FORMULAS)) if entry.id in found]
    return {
        "id": entry.id,
        "chapter": entry.chapter,
        "kind": entry.kind,
        "optional": entry.optional,
        "choices": dict(entry.choices),
        "excludes": list(entry.excludes),
        "option": list(entry.option),
        "rule": entry.rule,
        "values": write(entry.values),
        "refs": list(entry.refs),
        "unclear": " ".join(entry.unclear.split()),
        "runs": [_signature(kind, cited) for kind, cited in runs],
        "tables": [path for lookup, path in declared(entry) if isinstance(lookup, RowsOf)],
        "also_carried_out_by": sorted(
            cited.id for cited in {**RULES, **FORMULAS}.values() if entry.id in cited.ids[1:] and cited.id != entry.id
        ),
    }


def _signature(kind: str, cited: Cited[..., Any]) -> dict[str, Any]:
    return {
        "as": kind,
        "name": cited.name,
        "says": cited.says,
        "arguments": describe_parameters(cited.parameters),
        "gives": describe_type(cited.gives),
        "asks": [str(prompt) for prompt in cited.prompts],
    }
