"""Who sits at a table: game masters, players, spectators, and whom each of them plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, final

from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, read, unknown, write
from referee.core.visibility import Seat
from referee.wire.limits import LONGEST_NAME

MOST_SEATS: Final = 64
CHANGED_BY_ONESELF: Final = frozenset({"name", "real_dice"})
CHANGED: Final = CHANGED_BY_ONESELF | {"role", "controls"}


class NotSeated(Refused):
    """Somebody who has no seat at this table, or no longer."""


class NotAllowed(Refused):
    """Something that is another seat's to do."""


class Role(Enum):
    MASTER = "game master"
    PLAYER = "player"
    SPECTATOR = "spectator"


@final
@dataclass(frozen=True, slots=True)
class Member:
    """A seat, and whoever sits in it."""

    id: str
    name: str
    role: Role
    controls: frozenset[str] = frozenset()
    real_dice: bool = False
    """Whether their throws are made by hand and typed in."""
    standing: Mapping[str, Plain] = field(default_factory=dict)
    """Answers given before they are asked: prompts with their answers ("no dodge this round")."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What they have written down for themselves, by whom it is about."""

    def __post_init__(self) -> None:
        if not self.name.strip() or len(self.name) > LONGEST_NAME or not self.name.isprintable():
            raise BadInput("name", f"must be a name of 1 to {LONGEST_NAME} characters")

    @property
    def seat(self) -> Seat:
        return Seat(self.id, self.controls, master=self.role is Role.MASTER)

    @property
    def is_master(self) -> bool:
        return self.role is Role.MASTER

    def public(self, hidden: frozenset[str] = frozenset()) -> dict[str, Plain]:
        """What everybody may know of a seat; whom it plays in hiding is not told."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role.value,
            "controls": write(self.controls - hidden),
            "real_dice": self.real_dice,
        }

    def but(self, changes: Mapping[str, Plain]) -> Member:
        """The same seat with some of it changed."""
        for name in changes:
            if name not in CHANGED:
                raise BadInput(name, unknown(name, tuple(sorted(CHANGED))))
        return Member.from_plain({**self.to_plain(), **changes})

    def to_plain(self) -> dict[str, Plain]:
        return {**self.public(), "standing": write(self.standing), "notes": write(self.notes)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Plain]) -> Member:
        known: dict[str, Any] = {"id": str, "name": str, "role": Role, "controls": frozenset[str], "real_dice": bool}
        given = {name: read(kind, plain[name], name) for name, kind in known.items() if name in plain}
        return cls(**given, standing=dict(plain.get("standing", {})), notes=dict(plain.get("notes", {})))


def check_table(members: Mapping[str, Member]) -> None:
    """Somebody must be game master, nobody is played twice, and who only looks on plays nobody."""
    rule = "referee.table.seats"
    if not any(each.is_master for each in members.values()):
        raise Refused("seat", because="a table needs a game master", rule=rule)
    played = [name for each in members.values() for name in each.controls]
    if len(set(played)) < len(played):
        raise Refused("seat", because="somebody else plays that character", rule=rule)
    if any(each.controls for each in members.values() if each.role is Role.SPECTATOR):
        raise Refused("seat", because="a spectator plays no character", rule=rule)
    if len(members) > MOST_SEATS:
        raise Refused("seat", because=f"a table has at most {MOST_SEATS} seats", rule=rule)
