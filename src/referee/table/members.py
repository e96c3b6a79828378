"""Who sits at a table: game masters, players, spectators, and which characters each of them plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any, Final, final

from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, frozen, read, unknown, write
from referee.core.system import MASTER_NAMES
from referee.core.visibility import Seat
from referee.core.wording import as_seen
from referee.journal.lines import SeatData
from referee.wire.limits import LONGEST_NAME

MOST_SEATS: Final = 64
CHANGED_BY_ONESELF: Final = frozenset({"name", "real_dice"})
CHANGED: Final = CHANGED_BY_ONESELF | {"role", "controls"}


class NotSeated(Refused):
    """Someone who has no seat at this table, or no longer has one."""


class NotAllowed(Refused):
    """Something that only another seat may do."""


class UnknownSeat(BadInput):
    """A seat that is not at this table."""

    def __init__(self, seat: str, seats: Iterable[str]) -> None:
        self.seats = tuple(seats)
        super().__init__("seat", unknown(seat, self.seats))


class Role(Enum):
    MASTER = "game master"
    PLAYER = "player"
    SPECTATOR = "spectator"


@final
@frozen
class Member:
    """A seat, and the person in it."""

    id: str
    name: str
    role: Role
    controls: frozenset[str] = frozenset()
    real_dice: bool = False
    """Whether they throw real dice and type in the results."""
    standing: Mapping[str, Plain] = field(default_factory=dict)
    """Answers given in advance: prompts with their answers ("no dodge this round")."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Their private notes, by the character they are about."""

    def __post_init__(self) -> None:
        if not as_seen(self.name) or len(self.name) > LONGEST_NAME or not self.name.isprintable():
            raise BadInput("name", f"must be a name of 1 to {LONGEST_NAME} characters that can be seen")

    @property
    def seat(self) -> Seat:
        return Seat(self.id, self.controls, master=self.role is Role.MASTER)

    @property
    def is_master(self) -> bool:
        return self.role is Role.MASTER

    def public(self, hidden: frozenset[str] = frozenset()) -> dict[str, Plain]:
        """What everyone may know about a seat; hidden characters it plays are left out."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role.value,
            "controls": write(self.controls - hidden),
            "real_dice": self.real_dice,
        }

    @property
    def data(self) -> SeatData:
        """The seat as the log records it for everyone."""
        return SeatData(self.id, self.name, self.role.value, tuple(sorted(self.controls)), self.real_dice)

    @classmethod
    def of(cls, seat: SeatData, known: Member | None = None) -> Member:
        """A seat as the log records it, with the standing answers and notes it already had."""
        role: Role = read(Role, seat.role, "role")
        found = cls(seat.id, seat.name, role, frozenset(seat.controls), seat.real_dice)
        return replace(found, standing=known.standing, notes=known.notes) if known else found

    def but(self, changes: Mapping[str, Plain]) -> Member:
        """The same seat with some fields changed."""
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


def check_name(member: Member) -> None:
    """Nobody but a game master is called so, however it is spelled."""
    if not member.is_master and as_seen(member.name) in map(as_seen, MASTER_NAMES):
        raise Refused("name", because="that is the game master's name", rule="referee.table.seats")


def check_table(members: Mapping[str, Member]) -> None:
    """There must be a game master, whose name is no one else's; no one is played by two seats, or by a spectator."""
    rule = "referee.table.seats"
    if not any(each.is_master for each in members.values()):
        raise Refused("seat", because="a table needs a game master", rule=rule)
    played = [name for each in members.values() for name in each.controls]
    if len(set(played)) < len(played):
        raise Refused("seat", because="someone else plays that character", rule=rule)
    if any(each.controls for each in members.values() if each.role is Role.SPECTATOR):
        raise Refused("seat", because="a spectator plays no character", rule=rule)
    masters = {as_seen(each.name) for each in members.values() if each.is_master}
    if any(as_seen(each.name) in masters for each in members.values() if not each.is_master):
        raise Refused("name", because="that is the game master's name", rule=rule)
    if len(members) > MOST_SEATS:
        raise Refused("seat", because=f"a table has at most {MOST_SEATS} seats", rule=rule)
