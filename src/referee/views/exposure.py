"""What is told of someone whose sheet is not shown: their condition in a word, or how full the bars are."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from referee.core.condition import HEALTH, vital_share
from referee.core.look import Look, Vital, look_in
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.visibility import Exposure, Limit, Seat, hidden_names, limits_in, shown_to

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
        name: _told(system, Scene(state), name, limit)
        for name, limit in sorted(limits.items())
        if name in state and name not in hidden and shown_to(seat, name, limits) is not None
    }


def _told(system: System, scene: Scene, name: str, limit: Limit) -> Plain:
    """By a state only its word, by bars only how full they are; figures and conditions are told with the word."""
    found = system.condition_of(scene, Who(name, system.sheet))
    out = {"out": True} if found is not None and found.is_out else {}
    if limit.level is not Exposure.BARS:
        return {"state": found.word if found is not None else "", **out}
    look = look_in(system.look, scene[BOOK])
    others = {each.field: vital_share(scene, Who(name, system.sheet), each) for each in look.vitals if _is_bar(each)}
    bars = {field: tenths(share) for field, share in others.items() if share is not None}
    return {"share": None if found is None else tenths(found.share), "bars": bars, **out}


def _is_bar(vital: Vital) -> bool:
    """Whether a vital sign can be a bar of its own; those of health say the same as how somebody stands."""
    return bool(vital.field and vital.of) and vital.tone != HEALTH


def tenths(share: Fraction) -> int:
    """How many tenths of a bar without figures are drawn: none only at nothing, all only at everything."""
    return int(share * TENTHS) if share in (0, 1) else min(TENTHS - 1, max(1, round(share * TENTHS)))
