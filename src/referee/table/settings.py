"""The settings of a table: who may undo, how much is automatic, when the game master is offered an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from enum import Enum
from typing import Any, Final, final

from referee.core.errors import BadInput
from referee.core.plain import Plain, frozen, read, unknown, write
from referee.core.visibility import Exposure
from referee.journal.steps import Handling
from referee.table.members import Role


class MayUndo(Enum):
    MASTER = "game master"
    OWN = "own"
    """Everyone may undo their own last decision, and the game master anything."""
    ANYONE = "anyone"

    @property
    def roles(self) -> tuple[Role, ...]:
        """Who may go back at all."""
        return (Role.MASTER,) if self is MayUndo.MASTER else (Role.MASTER, Role.PLAYER)


EVERYTHING: Final = "*"


@final
@frozen
class TableSettings:
    """The settings of a campaign. All have defaults; unknown ones are refused."""

    undo: MayUndo = MayUndo.OWN
    offer_after: int = 60
    """Seconds after which an unanswered question is offered to the game master."""
    turns: bool = True
    """Whether an encounter continues by itself when nothing is open."""
    throws: Mapping[str, Handling] = field(default_factory=dict)
    """By the name of a throw, or `*` for all: make it, ask, or leave it."""
    rulings: Mapping[str, Handling] = field(default_factory=dict)
    """By the name of what the game master rules on, or `*` for all: take the default, propose it, or only ask."""
    foes: Exposure = Exposure.SHEET
    """What others see of the sheets of characters whom no one plays, when they enter."""
    players_pick: bool = True
    """Whether players take a free character themselves."""
    invite_shown: bool = False
    """Whether players see the invitation too."""

    def __post_init__(self) -> None:
        if not 0 <= self.offer_after <= 86_400:
            raise BadInput("offer_after", "must be 0 to 86400 seconds")

    def handling(self, throw: str) -> Handling:
        return self.throws.get(throw, self.throws.get(EVERYTHING, Handling.DO))

    def ruling(self, prompt: str) -> Handling:
        """How a ruling is made: by its default, asked with the default preselected, or asked without it."""
        return self.rulings.get(prompt, self.rulings.get(EVERYTHING, Handling.ASK))

    def but(self, plain: Mapping[str, Plain]) -> TableSettings:
        """These settings with some of them changed."""
        kinds: dict[str, Any] = {"undo": MayUndo, "offer_after": int, "turns": bool}
        kinds |= {"throws": dict[str, Handling], "rulings": dict[str, Handling], "foes": Exposure}
        kinds |= {"players_pick": bool, "invite_shown": bool}
        for name in plain:
            if name not in kinds:
                raise BadInput(name, unknown(name, kinds))
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return TableSettings(**{**given, **{name: read(kinds[name], value, name) for name, value in plain.items()}})

    def to_plain(self) -> dict[str, Plain]:
        return {each.name: write(getattr(self, each.name)) for each in fields(self)}
