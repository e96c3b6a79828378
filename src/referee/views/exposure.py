"""What is told of someone whose sheet is not shown: a state in words, and how full the vital signs are."""

from __future__ import annotations

from typing import Any, Final

from referee.core.errors import RefereeError
from referee.core.look import Look, Vital
from referee.core.plain import Plain
from referee.core.rules import FORMULAS
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.visibility import Exposure, Limit, Seat, hidden_names, limits_in, shown_to

HEALTH: Final = "health"
"""The tone of the vital sign that the state in words is about."""
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
    """By name: the state in words (as a key) of those whose sheets this seat does not see, and their bars."""
    hidden, limits = hidden_names(state), limits_in(state)
    return {
        name: _told(system, Scene(state), name, limit)
        for name, limit in sorted(limits.items())
        if name in state and name not in hidden and shown_to(seat, name, limits) is not None
    }


def _told(system: System, scene: Scene, name: str, limit: Limit) -> Plain:
    look = system.look
    shares = {each.field: _share(system, scene, name, each) for each in look.vitals if each.field and each.of}
    health = next((shares[each.field] for each in look.vitals if each.tone == HEALTH and each.field in shares), None)
    is_out = bool(getattr(scene.state[name], look.out, False)) if look.out else False
    told: dict[str, Plain] = {"state": _state(health, is_out=is_out)}
    if limit.level is Exposure.BARS:
        told["bars"] = {field: round(share * TENTHS) for field, share in shares.items() if share is not None}
    return told


def _state(health: float | None, *, is_out: bool) -> str:
    if is_out or (health is not None and health <= 0):
        return "down"
    if health is None:
        return ""
    return "unhurt" if health >= 1 else "hurt" if health > 1 / 2 else "badly-hurt"


def _share(system: System, scene: Scene, name: str, vital: Vital) -> float | None:
    """How full a vital sign is, from 0 to 1; what a sheet does not say follows from the rules."""
    value: Any = scene.state[name]
    now, full = (getattr(value, field, None) for field in (vital.field, vital.of))
    if vital.formula and (now is None or full is None):
        try:
            by_rule: Any = FORMULAS[vital.formula](scene, Who(name, system.sheet))
        except RefereeError:
            return None
        now, full = (by_rule if each is None else each for each in (now, full))
    if not isinstance(now, int) or not isinstance(full, int) or full <= 0:
        return None
    return max(0.0, min(1.0, now / full))
