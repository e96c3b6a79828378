"""Rules and types in words: what an argument takes, what a rule says and how it is called."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from referee.core.plain import Plain, write
from referee.core.printed_book import Entry
from referee.core.rulebook import DECLARED, RowsOf
from referee.core.rules import FORMULAS, RULES, Cited


def describe_parameters(parameters: Mapping[str, inspect.Parameter]) -> Plain:
    """Each argument by name: its type in words, and its default or that it is required."""
    return {
        name: {"type": in_words(p.annotation), "required": True}
        if p.default is inspect.Parameter.empty
        else {"type": in_words(p.annotation), "required": False, "default": write(p.default)}
        for name, p in parameters.items()
    }


def in_words(annotation: Any) -> str:
    """A type as a scenario writer understands it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        tables = [mark.rule for mark in arguments[1:] if isinstance(mark, RowsOf)]
        return f"a name from {tables[0]}" if tables else in_words(arguments[0])
    if origin is tuple and arguments[1:] == (...,):
        return f"list of {in_words(arguments[0])}"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"one of {', '.join(str(member.value) for member in annotation)}"
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if origin in (Union, UnionType):
        return " or ".join(map(in_words, arguments))
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if arguments:
        return f"{origin.__name__} {' or '.join(map(in_words, arguments))}"
    return getattr(annotation, "__name__", str(annotation))


_PLAIN = {int: "whole number", str: "text", bool: "yes or no", float: "number", type(None): "nothing"}


def described(entry: Entry) -> dict[str, Any]:
    """A rule, what carries it out, and which tables of it are read."""
    runs = [(kind, found[entry.id]) for kind, found in (("rule", RULES), ("formula", FORMULAS)) if entry.id in found]
    return {
        "id": entry.id,
        "chapter": entry.chapter,
        "kind": entry.kind,
        "optional": entry.optional,
        "rule": entry.rule,
        "values": write(entry.values),
        "refs": list(entry.refs),
        "unclear": " ".join(entry.unclear.split()),
        "runs": [_signature(kind, cited) for kind, cited in runs],
        "tables": [lookup.path for lookup in DECLARED.get(entry.id, ()) if isinstance(lookup, RowsOf)],
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
        "gives": in_words(cited.gives),
        "asks": [str(prompt) for prompt in cited.prompts],
    }
