"""`referee rules`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from referee import registry
from referee.cli.show import WORDS
from referee.cli.terminal import BOLD, figures, on_terminal, paint
from referee.core.describe import described
from referee.core.errors import BadInput
from referee.core.found_actions import found_actions
from referee.core.plain import unknown, write
from referee.core.printed_book import Entry
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State
from referee.core.search import Index


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
    for line in _option(entry):
        print(line)
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


def options(system: str, *, as_json: bool) -> None:
    """Print what a campaign of a system decides, by chapter."""
    entries = registry.load(system).printed_book.options
    if as_json:
        keys = ("id", "chapter", "rule", "optional", "choices", "excludes", "option")
        print(
            json.dumps(
                [{key: described(entry)[key] for key in keys} for entry in entries], ensure_ascii=False, indent=1
            )
        )
        return
    if not entries:
        print(WORDS.say("no-options", system=registry.load(system).title))
    for chapter in dict.fromkeys(entry.chapter for entry in entries):
        print(paint(chapter, BOLD))
        for entry in (each for each in entries if each.chapter == chapter):
            print(f"  {entry.id}\n    {entry.rule}")
            print("".join(f"    {line}\n" for line in _option(entry)), end="")


def _option(entry: Entry) -> Iterator[str]:
    """What there is to choose, what it excludes and what it depends on."""
    first = None if entry.optional else next(iter(entry.choices), None)
    for key, words in entry.choices.items():
        yield WORDS.say("choice-default" if key == first else "choice", name=key, words=words)
    if entry.excludes:
        yield WORDS.say("not-with", ids=", ".join(entry.excludes))
    if entry.option:
        yield WORDS.say("only-with", ids=", ".join(entry.option))


def _entry(id_: str) -> Entry:
    system, dot, _ = id_.partition(".")
    if system in registry.names() and dot:
        return registry.load(system).printed_book.entry(id_)
    if dot:
        raise BadInput(id_, unknown(system, registry.names()))
    raise BadInput("rule", WORDS.say("no-rule-id", given=id_))


def actions(system: str, query: str, *, as_json: bool) -> None:
    """Print the actions that fit some words best, and why."""
    played = registry.load(system)
    scene = Scene(State({BOOK.name: Book(played.printed_book)}))
    found = found_actions(played, scene, None, query)
    if as_json:
        print(json.dumps([write(each) for each in found], ensure_ascii=False, indent=1))
        return
    for each in found:
        print(f"{paint(each.words, BOLD)}  ({each.part}; {', '.join(each.because)})\n    {each.line}")
    if not found:
        print(WORDS.say("no-rule-mentions", query=query))


def search(query: str, system: str, *, as_json: bool) -> None:
    """Print the rules that match best."""
    names = (system,) if system else registry.names()
    found = [
        (hit.score, registry.load(name).printed_book.entry(hit.id))
        for name in names
        for hit in Index(registry.load(name).printed_book).search(query)
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
        print(WORDS.say("no-rule-mentions", query=query))
