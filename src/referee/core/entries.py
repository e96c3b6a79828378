"""A rule of the book as plain data: what it says, and how it is called in scenario files and from Python."""

from __future__ import annotations

from typing import Any

from referee.core.describe import describe_parameters, in_words
from referee.core.plain import write
from referee.core.rulebook import DECLARED, RowsOf
from referee.core.rules import FORMULAS, RULES, Cited
from referee.core.shelf import Entry


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
