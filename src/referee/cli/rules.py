"""`referee rules`."""

from __future__ import annotations

import json
from typing import Any

from referee import registry
from referee.cli.show import WORDS
from referee.cli.terminal import BOLD, figures, on_terminal, paint
from referee.core.describe import describe_parameters, in_words
from referee.core.errors import BadInput
from referee.core.plain import unknown, write
from referee.core.rulebook import DECLARED, RowsOf
from referee.core.rules import FORMULAS, RULES, Cited
from referee.core.search import Index
from referee.core.shelf import Entry


def show(id_: str, *, as_json: bool) -> None:
    """Print one rule."""
    entry = _entry(id_)
    plain = described(entry)
    if as_json:
        print(json.dumps(plain, ensure_ascii=False, indent=1))
        return
    optional = WORDS.say("optional") if entry.optional else ""
    print(f"{paint(entry.id, BOLD)}  ({entry.chapter}; {entry.kind}{optional})")
    print(f"\n{entry.rule}\n")
    if entry.values and on_terminal():
        print("\n".join(figures(entry.values)))
    elif entry.values:
        print(WORDS.say("figures", figures=json.dumps(entry.values, ensure_ascii=False)))
    if entry.unclear:
        print(WORDS.say("our-reading", text=plain["unclear"]))
    for each in plain["runs"]:
        arguments = ", ".join(f"{name}: {p['type']}" for name, p in each["arguments"].items())
        asks = ", ".join(each["asks"]) or WORDS.say("nothing")
        print(WORDS.say("runs", **{**each, "arguments": arguments, "asks": asks}))
    if entry.refs:
        print(WORDS.say("see-also", ids=", ".join(entry.refs)))


def _entry(id_: str) -> Entry:
    system, dot, _ = id_.partition(".")
    if system in registry.names() and dot:
        return registry.load(system).shelf.entry(id_)
    if dot:
        raise BadInput(id_, unknown(system, registry.names()))
    raise BadInput("rule", WORDS.say("no-rule-id", given=id_))


def described(entry: Entry) -> dict[str, Any]:
    """A rule as plain data: what it says, and how it is called in scenario files and from Python."""
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


def search(query: str, system: str, *, as_json: bool) -> None:
    """Print the rules that fit best."""
    names = (system,) if system else registry.names()
    found = [
        (hit.score, registry.load(name).shelf.entry(hit.id))
        for name in names
        for hit in Index(registry.load(name).shelf).search(query)
    ]
    best = [entry for _, entry in sorted(found, key=lambda pair: -pair[0])[:10]]
    if as_json:
        print(
            json.dumps([{"id": e.id, "chapter": e.chapter, "rule": e.rule} for e in best], ensure_ascii=False, indent=1)
        )
        return
    for entry in best:
        print(f"{paint(entry.id, BOLD)}\n    {entry.rule[:160]}{'…' if len(entry.rule) > 160 else ''}")
    if not best:
        print(WORDS.say("no-rule-speaks", query=query))
