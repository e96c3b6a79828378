"""What one seat may see of a table: scene, log and questions. The rest is never part of what is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from referee.core.audience import Audience
from referee.core.cards import Pile
from referee.core.plain import Plain
from referee.core.questions import described
from referee.core.rules import rule_named
from referee.core.scene import State
from referee.core.seats import Seat, may_look, seen, seen_fields
from referee.drivers.journal import Journal, Open
from referee.drivers.knowledge import hidden_arguments
from referee.drivers.log import Item, Line


def view(journal: Journal, seat: Seat) -> Plain:
    """The table as a seat may see it."""
    return {
        "scene": seen(journal.state, seat),
        "log": list(_lines(journal, seat)),
        "asked": [_question(each) for each in journal.asking if _is_asked(each, seat)],
        "waiting": any(not _is_asked(each, seat) for each in journal.asking),
    }


def _is_asked(waiting: Open, seat: Seat) -> bool:
    who = waiting.question.who
    return seat.answers_for(who and who.name)


def _question(waiting: Open) -> Plain:
    """An open question, for the one it is put to."""
    return {"step": waiting.step, "part": waiting.part, **described(waiting.question)}


def _lines(journal: Journal, seat: Seat) -> Iterator[Plain]:
    """The story as far as a seat may know it. Lines carry no numbers, so that nothing can be told from gaps."""
    sealed = _sealed(journal)
    hidden = {line.step for _, line in journal.story if "audience" in line.what}
    for number, line in journal.story:
        if number in sealed and not seat.answers_for(line.what["of"]):
            continue
        shown = _line(line, journal.state, seat, tells_result=seat.master or line.step not in hidden)
        if shown is not None:
            yield shown


def _sealed(journal: Journal) -> set[int]:
    """Answers given at once with others, while not all of them are in."""
    open_parts = Counter(each.step for each in journal.asking)
    sealed: set[int] = set()
    for step, missing in open_parts.items():
        mine = [(number, line) for number, line in journal.story if line.step == step and line.kind == "answered"]
        if mine and mine[-1][1].what["parts"] > 1:
            given = mine[-1][1].what["parts"] - missing
            sealed |= {number for number, _ in mine[-given:]} if given > 0 else set()
    return sealed


def _line(line: Line, state: State, seat: Seat, *, tells_result: bool) -> Plain | None:
    """A line, without the result of a step in which something was hidden: it may tell what."""
    told = (each for each in line.then if tells_result or "ended" not in each)
    then = [item for item in (_item(each, state, seat) for each in told) if item is not None]
    if line.kind == "answered" and not seat.sees(Audience(line.what.get("audience", "everyone")), line.what["of"]):
        return {"kind": "happened", "then": then} if then else None
    if line.kind == "edited" and not then:
        return None
    what: dict[str, Any] = {name: value for name, value in line.what.items() if name not in ("part", "parts", "throw")}
    if line.kind == "began":
        what["arguments"] = _arguments(line, seat)
    return {"kind": line.kind, "by": line.by, **what, "then": then}


def _arguments(line: Line, seat: Seat) -> Plain:
    """The arguments of a step; one annotated `Own[…]` or `Hidden[…]` is left out for others."""
    given = line.what["arguments"]
    hidden = hidden_arguments(rule_named(line.what["rule"]), seat, given)
    return {name: value for name, value in given.items() if name not in hidden}


def _item(item: Item, state: State, seat: Seat) -> Item | None:
    if ("set" in item or "new" in item) and isinstance(pile := state.get(item["who"]), Pile):
        return item if may_look(pile, seat) else None
    if "set" in item and item["who"] in state:
        shown = seen_fields(item["who"], state[item["who"]], item["set"], seat)
        was = {name: item["was"][name] for name in shown}
        return {**item, "set": shown, "was": was} if shown else None
    if "new" in item and item["who"] in state:
        return {**item, "new": seen_fields(item["who"], state[item["who"]], item["new"], seat)}
    if "told" in item:
        return item if seat.sees(Audience(item["audience"]), item["who"]) else None
    return item
