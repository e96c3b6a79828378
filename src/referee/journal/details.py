"""Details the log stores for people, not needed to open it: how throws were made, and the results of rules."""

from __future__ import annotations

from typing import Any

from referee.core.dice import Die
from referee.core.modifiers import Mods
from referee.core.plain import write
from referee.core.questions import Draw, Roll
from referee.core.run import Run, SubResult, is_record
from referee.core.scene import Who
from referee.core.visibility import mentions, names_any
from referee.journal.log_items import LoggedResult, ThrowDetails, ThrownDie, ThrownMod
from referee.journal.marks import are_about


def throw_details(question: Roll[Any], hidden: frozenset[str]) -> ThrowDetails:
    """How a throw is made: the dice of each group, what was kept from an earlier throw, and the modifiers.

    Kinds of which all dice were kept come last.
    """
    kinds = [die for die, _ in question.pool.groups]
    kept = None if question.kept is None else question.kept.to_plain()
    table = dict(question.places or ())
    kinds += (die for die in table if die not in kinds)
    places = tuple(table[die] for die in kinds) if table else ()
    return ThrowDetails(tuple(map(_die, kinds)), itemised(question.mods, hidden), kept, places)


def draw_details(question: Draw, hidden: frozenset[str]) -> ThrowDetails | None:
    """The modifiers of a draw, if it has any."""
    return ThrowDetails((), itemised(question.mods, hidden)) if question.mods else None


def _die(die: Die) -> ThrownDie:
    """A kind of die; one that is read as a number needs no faces."""
    is_read_as_number = die.faces == tuple(range(1, die.sides + 1))
    again = die.again_pips
    if is_read_as_number:
        return ThrownDie(die.name, sides=die.sides, again=again)
    return ThrownDie(die.name, faces=tuple(die.faces), again=again)


def itemised(mods: Mods, hidden: frozenset[str]) -> tuple[ThrownMod, ...]:
    """Modifiers, each with its rule; those that name a hidden character are marked."""
    return tuple(
        ThrownMod(mod.amount, mod.label, mod.rule, mod.secret, names_any(mod.label, hidden), mod.unit) for mod in mods
    )


def logged_results(run: Run[Any], since: int, hidden: frozenset[str]) -> tuple[LoggedResult, ...]:
    """The results of the rules a run has called since its last answer; positions count from event `since`."""
    return () if run.results is None else tuple(_logged(each, since, hidden) for each in run.results.came)


def result_kind(run: Run[Any]) -> str:
    """The kind of the result a step ended with, unless a sub-result already says it."""
    if run.results is None or run.results.handed_on or not (run.done and is_record(run.result)):
        return ""
    return type(run.result).__name__


def _logged(found: SubResult, since: int, hidden: frozenset[str]) -> LoggedResult:
    """A sub-result for the log, marked if it involves a hidden character."""
    call = found.calls[0]
    who = next((each.name for each in call.args if isinstance(each, Who)), None)
    is_hidden = mentions(found.result, hidden) or any(are_about(each.args, hidden) for each in found.calls)
    kind = type(found.result).__name__
    return LoggedResult(call.rule.id, kind, who, write(found.result), found.after - since, is_hidden)
