"""Modifiers carry their reason and their rule until the very end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, frozen, read
from referee.core.trace import RUNNING

DICE: Final = "dice"
PIPS: Final = "pips"
TOTAL: Final = "total"
DIFFICULTY: Final = "difficulty"
"""What modifiers are counted in. A system may have units of its own; no unit means the usual one of the throw."""

_TEXT: Final = re.compile(
    r"\s*([+-]?\d+)\s*(?:(?:(dice|die|d)|(pips?)|to the (total|difficulty))(?!\w))?\s*(.*)", re.DOTALL | re.IGNORECASE
)
_CODE: Final = re.compile(r"\s*[+-]?\d+\s*d\s*[+-]\s*\d", re.IGNORECASE)
_SAID: Final = {
    DICE: ("die", "dice"),
    PIPS: ("pip", "pips"),
    TOTAL: ("to the total",),
    DIFFICULTY: ("to the difficulty",),
}


@final
@frozen
class Mod:
    """An amount, its reason, its rule, and what it is counted in."""

    amount: int
    label: str = ""
    rule: str = ""
    secret: bool = False
    """Whether only the game master is told about it."""
    unit: str = ""

    def __str__(self) -> str:
        return f"{amount_in(self.amount, self.unit)} {self.label}".strip()

    @classmethod
    def from_plain(cls, plain: Plain) -> Mod:
        """A number, a text such as "+2 flashlight", "-1 die wounded" or "-1d wounded", or the separate fields."""
        if isinstance(plain, Mod):
            return plain
        if isinstance(plain, int) and not isinstance(plain, bool):
            return cls(plain)
        if isinstance(plain, str) and _CODE.match(plain):
            raise BadInput(
                "", f"{plain!r} has two units: write its dice and its pips apart, '+1d rope' and '+2 pips rope'"
            )
        if isinstance(plain, str) and (found := _TEXT.fullmatch(plain)):
            unit = DICE if found[2] else PIPS if found[3] else (found[4] or "").casefold()
            return cls(int(found[1]), found[5].strip(), unit=unit)
        fields = {"amount", "label", "rule", "secret", "unit"}
        if isinstance(plain, Mapping) and set(plain) <= fields and "amount" in plain:
            label, rule, unit = (str(plain.get(name, "")) for name in ("label", "rule", "unit"))
            secret: bool = read(bool, plain.get("secret", False), "secret")
            return cls(read(int, plain["amount"], "amount"), label, rule, secret, unit)
        raise BadInput("", f"must be a modifier such as '+2 flashlight', not {plain!r}")

    def to_plain(self) -> Plain:
        secret = {"secret": True} if self.secret else {}
        unit = {"unit": self.unit} if self.unit else {}
        return {"amount": self.amount, "label": self.label, "rule": self.rule, **secret, **unit}


Mods: TypeAlias = tuple[Mod, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Itemised:
    """Modifiers that a rule passes on to a throw, for people to see, and does not read.

    All are equal: calls that differ in nothing else have the same odds, which are computed once.
    """

    mods: Mods = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itemised)

    def __hash__(self) -> int:
        return hash(Itemised)


def adds(amount: int, label: str = "", unit: str = "") -> Mod:
    """A modifier of the rule that is running; it is called what the rule is called, if it is not said."""
    now = RUNNING.rule
    if now is None:
        raise TypeError(f"{amount:+d}: outside a running rule a modifier is a Mod that names its rule")
    return Mod(amount, label or now.title, now.cites, unit=unit)


def total(mods: Iterable[Mod]) -> int:
    return sum(mod.amount for mod in mods)


def by_unit(mods: Iterable[Mod], *units: str, rule: str = "") -> Counter[str]:
    """What modifiers come to in each unit; those without one are in the first of `units`.

    If units are given, a modifier in any other unit is refused, citing the rule.
    """
    found: Counter[str] = Counter()
    for mod in mods:
        unit = mod.unit or (units[0] if units else "")
        if units and unit not in units:
            raise Refused(str(mod), because=f"a modifier here is in {' or '.join(units)}", rule=rule, legal=units)
        found[unit] += mod.amount
    return found


def amount_in(amount: int, unit: str) -> str:
    """An amount with its sign and its unit, in words: `+2 dice`, `-1 pip`, `+5 to the difficulty`."""
    return f"{amount:+d} {unit_words(amount, unit)}".strip()


def unit_words(amount: int, unit: str) -> str:
    """A unit as it follows an amount: die, dice, to the total; a system's own is its own word."""
    said = _SAID.get(unit, (unit,))
    return said[0] if abs(amount) == 1 else said[-1]
