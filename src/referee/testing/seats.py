"""What one seat is sent of a step: `seen_by: bo`. The step is played once more at a live table, answer by answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from referee.core.plain import Plain, unknown, write
from referee.core.scene import State
from referee.core.system import HOUSE_NAMES, MASTER_NAMES, System
from referee.core.visibility import Seat
from referee.core.wording import phrase
from referee.journal.journal import Journal
from referee.testing.expectations import (
    ANYTHING,
    LISTED,
    NAMED,
    TIME,
    Difference,
    Form,
    Misplaced,
    Where,
    check_known,
    compare,
    compare_lines,
    compare_sheet,
    is_line,
)
from referee.testing.recordings import Recording
from referee.views.questions import view

ONLOOKERS: Final = ("nobody", "onlooker")
"""Names for a seat that plays no one."""
SEEN: Final[dict[str, Form]] = {
    "sheets": NAMED,
    "clock": TIME,
    "log": LISTED,
    "questions": LISTED,
    "waiting": ANYTHING,
    "not_sent": ANYTHING,
}


def seat_of(name: str, state: State, where: Where) -> Seat:
    """Whoever plays somebody, the game master, or someone who plays nobody."""
    if name.casefold() in MASTER_NAMES:
        return Seat("gm", master=True)
    if name.casefold() in ONLOOKERS:
        return Seat("onlooker")
    people = tuple(each for each in state if each not in HOUSE_NAMES)
    if name not in people:
        raise Misplaced(where, unknown(name, (*people, "game master", "nobody")))
    return Seat(name, frozenset({name}))


def compare_seen(
    expected: Plain, recordings: Sequence[Recording], system: System, state: State, where: Where
) -> Iterator[Difference]:
    """Compare what seats are sent: the scene as they see it, their log and their questions."""
    for name, wanted in expected.items():
        here = (*where, str(name))
        seat = seat_of(str(name), state, here)
        check_known(wanted or {}, SEEN, here)
        journals = [each.journal(system) for each in recordings]
        seen = view(journals[-1] if journals else Journal(system, state, halted=True), seat)
        lines = [line for each in journals for item in view(each, seat)["log"] for line in _lines(item)]
        yield from _compare(wanted or {}, seen, lines, state, here)


def _compare(
    wanted: Plain, seen: Plain, lines: Sequence[dict[str, Plain]], state: State, here: Where
) -> Iterator[Difference]:
    for name, each in wanted.items():
        match name:
            case "sheets":
                for who, sheet in each.items():
                    yield from _compare_sheet(sheet, str(who), seen["scene"], state, (*here, name, str(who)))
            case "clock":
                clock = {"now": each} if isinstance(each, int) else each
                yield from compare(clock, seen["scene"].get("clock"), (*here, name))
            case "log":
                yield from compare_lines(each, lines, (*here, name))
            case "questions":
                yield from _compare_questions(each, seen["questions"], (*here, name))
            case "waiting":
                yield from compare(each, seen["waiting"], (*here, name))
            case _:
                yield from _compare_not_sent(each, seen["scene"], lines, state, (*here, name))


def _compare_sheet(wanted: Plain, who: str, sent: Plain, state: State, where: Where) -> Iterator[Difference]:
    if who not in state:
        raise Misplaced(where, unknown(who, tuple(state)))
    if who not in sent and wanted is not None:
        yield Difference(where, f"{phrase(wanted, whole=True)} expected, but it is not sent")
        return
    yield from compare_sheet(wanted, state, who, sent.get(who), where)


def _compare_questions(expected: Plain, asked: Sequence[Plain], where: Where) -> Iterator[Difference]:
    names = [f"{each['who']}.{each['prompt']}" for each in asked]
    if len(expected) != len(names):
        yield Difference(where, f"{phrase(expected, whole=True)} expected, but it is {phrase(names, whole=True)}")
        return
    for at, (wanted, question, name) in enumerate(zip(expected, asked, names, strict=True)):
        short = name if isinstance(wanted, str) and "." in wanted else question["prompt"]
        if wanted != {}:
            yield from compare(wanted, short if isinstance(wanted, str) else question, (*where, at))


def _compare_not_sent(
    expected: Plain, sent: Plain, lines: Sequence[dict[str, Plain]], state: State, where: Where
) -> Iterator[Difference]:
    """Names, fields such as `ana.stress`, and lines of the log that must not be sent."""
    for at, each in enumerate(_unsent(expected)):
        here = (*where, at)
        if isinstance(each, Mapping):
            found = next((line for line in lines if is_line(each, line)), None)
            if found is not None:
                yield Difference(here, f"it is sent: {phrase(found, whole=True)}")
            continue
        name, _, path = str(each).partition(".")
        if str(each) in state:  # the name of a pile has a dot in it
            name, path = str(each), ""
        elif name not in state:
            raise Misplaced(here, unknown(str(each), tuple(state)))
        value = sent.get(name)
        if path:
            value = value and _part(value, path, here, state[name])
        if value is not None:
            yield Difference(here, f"it is sent: {phrase(value, whole=True)}")


def _unsent(expected: Plain) -> list[Plain]:
    if isinstance(expected, Mapping) and all(isinstance(each, (list, str)) for each in expected.values()):
        named = {name: each if isinstance(each, list) else [each] for name, each in expected.items()}
        if not {"story", "changed", "began", "answered"} & set(named):
            return [f"{name}.{field}" for name, fields in named.items() for field in fields]
    return expected if isinstance(expected, list) else [expected]


def _part(value: Plain, path: str, where: Where, whole: object) -> Plain:
    """A field of what is sent; None if it is not among it."""
    true: Plain = write(whole)
    for name in path.split("."):
        if not isinstance(true, Mapping) or name not in true:
            raise Misplaced(where, unknown(name, tuple(true) if isinstance(true, Mapping) else ()))
        true = true[name]
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _lines(item: Mapping[str, Plain]) -> Iterator[dict[str, Plain]]:
    """An item of the feed as lines of a log: what was done, and each thing that followed from it."""
    if item["kind"] != "happened":
        fields = {name: each for name, each in item.items() if name not in ("id", "kind", "then", "sub_results")}
        short = {"began": "rule", "answered": "prompt"}.get(item["kind"])
        yield {item["kind"]: fields.get(short) if short else True, **_who(fields), "rules": _cited(fields)}
    for each in item["then"]:
        yield _followed(each)
    for each in item.get("sub_results", ()):
        yield {**each, "rules": [each["rule"]]}


def _who(fields: Mapping[str, Plain]) -> dict[str, Plain]:
    """The fields of an answer, with whoever was asked as `who`, and its modifiers beside it."""
    named = {("who" if name == "of" else name): each for name, each in fields.items()}
    roll = named.pop("roll", None)
    return {**named, "mods": roll["mods"]} if isinstance(roll, Mapping) and roll.get("mods") else named


def _cited(fields: Mapping[str, Plain]) -> list[Plain]:
    return [fields["rule"]] if fields.get("rule") else []


def _followed(each: Mapping[str, Plain]) -> dict[str, Plain]:
    rules = {"rules": list(each.get("rules", ()))}
    if "set" in each or "new" in each:
        was = {change["path"][0]: change["was"] for change in each.get("changes", ()) if "was" in change}
        return {"changed": each.get("who"), "to": each.get("set", each.get("new")), "from": was, **rules}
    if "gone" in each:
        return {"changed": each["gone"], "to": None, **rules}
    if "ended" in each:
        return {"result": each["ended"], **rules}
    return {**each, **rules}
