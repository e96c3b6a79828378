"""Modifiers carry their reason and their rule until the very end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from referee.core.errors import BadInput
from referee.core.plain import Plain, read
from referee.core.trace import RUNNING

_TEXT: Final = re.compile(r"\s*([+-]?\d+)\s*(?:dice|die)?\s*(.*)", re.DOTALL)


@final
@dataclass(frozen=True, slots=True)
class Mod:
    """An amount, its reason and its rule."""

    amount: int
    label: str = ""
    rule: str = ""
    secret: bool = False
    """Whether only the game master is told about it."""

    def __str__(self) -> str:
        return f"{self.amount:+d} {self.label}".strip()

    @classmethod
    def from_plain(cls, plain: Plain) -> Mod:
        """A number, a text such as "+2 flashlight", or the separate fields."""
        if isinstance(plain, Mod):
            return plain
        if isinstance(plain, int) and not isinstance(plain, bool):
            return cls(plain)
        if isinstance(plain, str) and (found := _TEXT.fullmatch(plain)):
            return cls(int(found[1]), found[2].strip())
        if isinstance(plain, Mapping) and set(plain) <= {"amount", "label", "rule", "secret"} and "amount" in plain:
            label, rule = str(plain.get("label", "")), str(plain.get("rule", ""))
            return cls(
                read(int, plain["amount"], "amount"), label, rule, read(bool, plain.get("secret", False), "secret")
            )
        raise BadInput("", f"must be a modifier such as '+2 flashlight', not {plain!r}")

    def to_plain(self) -> Plain:
        secret = {"secret": True} if self.secret else {}
        return {"amount": self.amount, "label": self.label, "rule": self.rule, **secret}


Mods: TypeAlias = tuple[Mod, ...]


def adds(amount: int, label: str = "") -> Mod:
    """A modifier of the rule that is running; it is called what the rule is called, if it is not said."""
    now = RUNNING.rule
    if now is None:
        raise TypeError(f"{amount:+d}: outside a running rule a modifier is a Mod that names its rule")
    return Mod(amount, label or now.title, now.cites)


def total(mods: Iterable[Mod]) -> int:
    return sum(mod.amount for mod in mods)
