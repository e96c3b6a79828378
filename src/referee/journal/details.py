"""What a line of the log tells people beside what is needed to open it: how a throw was made, what rules came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from referee.core.dice import Die
from referee.core.modifiers import Mods
from referee.core.plain import Plain, write
from referee.core.questions import Roll
from referee.core.run import Run, SubResult, is_record
from referee.core.scene import Who
from referee.core.visibility import Seat, mentions, names_any
from referee.journal.marks import VEILED, are_about


def rolled(question: Roll[Any], hidden: frozenset[str]) -> dict[str, Plain]:
    """How a throw was made: what the dice of each group show, what was kept from an earlier one, and why so many."""
    dice = [_die(die) for die, _ in question.pool.groups]
    kept = {} if question.kept is None else {"kept": question.kept.to_plain()}
    return {"dice": dice, **kept, "mods": itemised(question.mods, hidden)}


def _die(die: Die) -> Plain:
    """A kind of die; one that is read as its number needs no faces."""
    is_read_as_number = die.faces == tuple(range(1, die.sides + 1))
    return {"die": die.name, **({"sides": die.sides} if is_read_as_number else {"faces": list(die.faces)})}


def itemised(mods: Mods, hidden: frozenset[str]) -> list[Plain]:
    """Modifiers, each with its rule, and a mark on those that name somebody in hiding."""
    return [{**mod.to_plain(), **({VEILED: True} if names_any(mod.label, hidden) else {})} for mod in mods]


def mods_told(mods: Iterable[Mapping[str, Plain]], seat: Seat) -> list[Plain]:
    """Modifiers as far as a seat may know them."""
    return [mod for mod in mods if seat.master or not (mod.get("secret") or VEILED in mod)]


def roll_told(roll: Mapping[str, Plain], seat: Seat, *, kept: bool) -> dict[str, Plain]:
    """How a throw was made, to a seat that is told how it fell; `kept` is whether it saw the dice before it too."""
    told = {name: value for name, value in roll.items() if kept or name != "kept"}
    return {**told, "mods": mods_told(roll["mods"], seat)}


def came_to(run: Run[Any], since: int, hidden: frozenset[str]) -> dict[str, Plain]:
    """What the rules of a run came to after so many of its events, and what kind of result the step ended with."""
    if run.results is None:
        return {}
    came = [_came(each, since, hidden) for each in run.results.came]
    is_told = run.results.handed_on or not (run.done and is_record(run.result))
    ended = {} if is_told else {"ended_as": type(run.result).__name__}
    return {**({"came": came} if came else {}), **ended}


def _came(came: SubResult, since: int, hidden: frozenset[str]) -> Plain:
    """A mark is on what has to do with somebody in hiding."""
    call = came.calls[0]
    who = next((each.name for each in call.args if isinstance(each, Who)), None)
    veiled = mentions(came.result, hidden) or any(are_about(each.args, hidden) for each in came.calls)
    return {
        "rule": call.rule.id,
        "kind": type(came.result).__name__,
        "who": who,
        "result": write(came.result),
        "after": came.after - since,
        **({VEILED: True} if veiled else {}),
    }
