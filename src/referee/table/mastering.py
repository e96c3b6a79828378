"""What the game master may do beside playing: set anything, hide and show, change the rules, and see to the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown
from referee.core.seats import VEIL, Veil
from referee.core.system import HOUSE_NAMES
from referee.table.chair import Chair
from referee.table.members import CHANGED_BY_ONESELF, Member, Role, check_table

LONGEST_RECAP: Final = 20_000


class Mastering(Chair):
    """The game master's side of the table."""

    def edit(self, name: str, changes: Mapping[str, Plain]) -> None:
        """Set fields of anything; with `kind` something new comes into the scene."""
        self.check_role("edit", Role.MASTER)
        _check_house_name(name, changes)
        with self.doing():
            self.journal.edit(self.member.id, name, **changes)

    def prepare(self, name: str, changes: Mapping[str, Plain]) -> None:
        """Bring something into the scene that is in hiding from the first: the others are told nothing of it."""
        self.check_role("edit", Role.MASTER)
        _check_house_name(name, changes)
        if name in self.journal.state:
            raise BadInput("name", f"{name} is in the scene already")
        system = self.campaign.system
        system.check_sheet(self.journal.state.but(name, system.value(changes, name)), name)
        with self.doing():
            self.journal.hide(self.member.id, self.journal.scene.get(VEIL, Veil()).names | {name})
            self.journal.edit(self.member.id, name, **changes)

    def remove(self, name: str) -> None:
        """Take something out of the scene."""
        self.check_role("remove", Role.MASTER)
        if name in HOUSE_NAMES:
            raise BadInput(name, "a scene cannot do without it")
        with self.doing():
            self.journal.remove(self.member.id, name)

    def hide(self, name: str, *, hidden: bool = True) -> None:
        """Put something into hiding, or let everybody see it."""
        self.check_role("hide", Role.MASTER)
        veil = self.journal.scene.get(VEIL, Veil())
        known = set(self.journal.state) - set(HOUSE_NAMES) if hidden else veil.names
        if name not in known:
            raise BadInput("scene", unknown(name, tuple(sorted(known))))
        with self.doing():
            self.journal.hide(self.member.id, veil.names | {name} if hidden else veil.names - {name})

    def house_rules(self, overlay: Mapping[str, Plain]) -> None:
        """Turn options on or off, change figures, add rows."""
        self.check_role("house rules", Role.MASTER)
        with self.doing():
            self.journal.opt(self.member.id, **overlay)

    def recap(self, text: str) -> None:
        """Tell everybody what has happened so far; the latest counts."""
        self.check_role("recap", Role.MASTER)
        if len(text) > LONGEST_RECAP or not text.strip():
            raise BadInput("text", f"1 to {LONGEST_RECAP} letters expected")
        self.journal.say(self.member.id, "recap", text=text)
        self.campaign.go_on()

    def cancel(self, question: str) -> None:
        """Call off the step a question belongs to, with all that it has changed."""
        self.check_role("cancel", Role.MASTER)
        with self.doing():
            self.journal.cancel(self.member.id, self.question(question).step)

    def settings(self, changes: Mapping[str, Plain]) -> None:
        self.check_role("settings", Role.MASTER)
        changed = self.campaign.settings.but(changes)
        self.journal.say(self.member.id, "settings", settings=changed.to_plain())
        self.campaign.go_on()

    def seat(self, seat: str, **changes: Plain) -> None:
        """Change a seat: its name and dice are one's own affair, its role and whom it plays the game master's."""
        if seat != self.member.id or not set(changes) <= CHANGED_BY_ONESELF:
            self.check_role("seat", Role.MASTER)
        changed = self.known_seat(seat).but(changes)
        check_table({**self.campaign.members, seat: changed})
        self.journal.say(self.member.id, "seat", seat=changed.public(), changed=True)
        self.campaign.go_on()

    def dismiss(self, seat: str) -> None:
        """Take a seat away from the table."""
        if seat != self.member.id:
            self.check_role("dismiss", Role.MASTER)
        self.known_seat(seat)
        left: dict[str, Member] = {name: each for name, each in self.campaign.members.items() if name != seat}
        check_table(left)
        self.journal.say(self.member.id, "left", seat=seat)
        self.campaign.go_on()


def _check_house_name(name: str, changes: Mapping[str, Plain]) -> None:
    """What every scene has keeps its kind: nobody is called `clock`."""
    if name in HOUSE_NAMES and changes.get("kind", HOUSE_NAMES[name].__name__) != HOUSE_NAMES[name].__name__:
        raise BadInput("name", f"{name} is what every scene has; another name, please")
