"""What is told of someone whose sheet is not shown: their condition in a word, or how full the bars are.

Of the fallen it is also told what they visibly carry: the names of their things, but not of those in a container.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from referee.core.audience import Audience, audiences
from referee.core.condition import HEALTH, vital_share
from referee.core.look import Look, Vital, look_in
from referee.core.plain import Plain, hints
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.things import PLACES, amount_in, name_of, place_of
from referee.core.visibility import Exposure, Limit, Seat, hidden_names, limits_in, seen_records, shown_to

TENTHS: Final = 10
"""How finely a bar without figures is drawn."""


def limit_of(look: Look, who: str, level: Exposure) -> Limit | None:
    """What others see of someone at a level; None if they see all of it."""
    if level is Exposure.SHEET:
        return None
    fields = {look.out, look.mine}  # who is out, or a player's, is plain to see
    if level is Exposure.FIGURES:
        fields |= {*look.chips, *(name for each in look.vitals for name in (each.field, each.of))}
    return Limit(who, level, tuple(sorted(fields - {""})))


def states_seen(system: System, state: State, seat: Seat) -> dict[str, Plain]:
    """By name: how those stand whose sheets this seat does not see, by a word (as a key) or by bars."""
    hidden, limits = hidden_names(state), limits_in(state)
    return {
        name: _told(system, Scene(state), name, limit, seat)
        for name, limit in sorted(limits.items())
        if name in state and name not in hidden and shown_to(seat, name, limits) is not None
    }


def things_in_sight(system: System, state: State, seat: Seat, name: str) -> dict[str, Plain]:
    """What somebody visibly carries who is out and whose sheet this seat does not see: how much, by name."""
    told = states_seen(system, state, seat).get(name) or {}
    return {each["name"]: each["amount"] for each in told.get("things", ())}


def _told(system: System, scene: Scene, name: str, limit: Limit, seat: Seat) -> Plain:
    """By a state only its word, by bars only how full they are; figures and conditions are told with the word."""
    found = system.condition_of(scene, Who(name, system.sheet))
    is_out = found is not None and found.is_out
    out: dict[str, Plain] = {"out": True, **_in_sight(system, scene, name, seat)} if is_out else {}
    if limit.level is not Exposure.BARS:
        return {"state": found.word if found is not None else "", **out}
    look = look_in(system.look, scene[BOOK])
    others = {each.field: vital_share(scene, Who(name, system.sheet), each) for each in look.vitals if _is_bar(each)}
    bars = {field: tenths(share) for field, share in others.items() if share is not None}
    return {"share": None if found is None else tenths(found.share), "bars": bars, **out}


def _in_sight(system: System, scene: Scene, name: str, seat: Seat) -> dict[str, Plain]:
    """What lies open to everybody's eyes, of the kinds of things that this game's sheets do not keep to their owner."""
    sheet: Any = scene[Who(name, object)]
    field, kind = system.look.items, type(sheet)
    if audiences(kind).get(field) is not Audience.EVERYONE:
        return {}
    things = seen_records(hints(kind)[field], getattr(sheet, field), seat, name)
    seen = [{"name": name_of(each), "amount": amount_in(each)} for each in things if place_of(each) in PLACES]
    return {"things": seen} if seen else {}


def _is_bar(vital: Vital) -> bool:
    """Whether a vital sign can be a bar of its own; those of health say the same as how somebody stands."""
    return bool(vital.field and vital.of) and vital.tone != HEALTH


def tenths(share: Fraction) -> int:
    """How many tenths of a bar without figures are drawn: none only at nothing, all only at everything."""
    return int(share * TENTHS) if share in (0, 1) else min(TENTHS - 1, max(1, round(share * TENTHS)))
