"""The client of whoever runs a table: seats, edits, settings, the campaign as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from referee.core.plain import Plain
from referee.web import replies
from referee.web.client_calls import AtTable


class Running(AtTable):
    """What is mostly the game master's to do, and seats and tokens."""

    # Seats.

    def seats(self) -> list[replies.SeatInfo]:
        return self.get(replies.Seats, f"{self.path}/seats").seats

    def invite(self, role: str = "player", controls: Sequence[str] = (), uses: int = 1) -> replies.Invited:
        plain = {"role": role, "controls": list(controls), "uses": uses}
        return self.post(replies.Invited, f"{self.path}/invitations", plain)

    def invitations(self) -> list[replies.InvitationInfo]:
        return self.get(replies.Invitations, f"{self.path}/invitations").invitations

    def uninvite(self, invitation: str) -> None:
        self.send("DELETE", f"{self.path}/invitations/{invitation}")

    def change_seat(self, seat: str, **changes: Plain) -> int:
        return self.do(f"/seats/{seat}", "PATCH", **changes)

    def dismiss(self, seat: str) -> None:
        self.send("DELETE", f"{self.path}/seats/{seat}")

    def hand_over(self, to: str, character: str | None = None, *, table: bool = False) -> int:
        return self.do("/hand-overs", to=to, character=character, table=table)

    def new_token(self, name: str) -> replies.NewSecret:
        return self.post(replies.NewSecret, f"{self.path}/tokens", {"name": name})

    def tokens(self) -> list[replies.TokenInfo]:
        return self.get(replies.Tokens, f"{self.path}/tokens").tokens

    def revoke(self, token: str) -> None:
        self.send("DELETE", f"{self.path}/tokens/{token}")

    def with_token(self, token: str) -> Self:
        """The same seat, known by another token."""
        return type(self)(self.http, self.seated.model_copy(update={"token": token}))

    # The scene and the rules.

    def edit(self, name: str, /, **changes: Plain) -> int:
        return self.do("/edits", name=name, changes=changes)

    def remove(self, name: str) -> int:
        return self.do("/removals", name=name)

    def hide(self, name: str, *, hidden: bool = True) -> int:
        return self.do("/veils", name=name, hidden=hidden)

    def house_rules(self, **overlay: Plain) -> int:
        return self.do("/house-rules", "PATCH", **overlay)

    def settings(self, **changes: Plain) -> int:
        return self.do("/settings", "PATCH", **changes)

    # The campaign.

    def rename(self, name: str) -> replies.CampaignInfo:
        return self.post(replies.CampaignInfo, self.path, {"name": name}, "PATCH")

    def audit(self, **query: Plain) -> list[Mapping[str, Plain]]:
        return [*self.get(replies.Audit, f"{self.path}/audit", **query).lines]

    def fork(self, item: int, name: str) -> Self:
        """A campaign of its own that goes on from before an item."""
        made = self.post(replies.Seated, f"{self.path}/forks", {"item": item, "name": name})
        return type(self)(self.http, made)

    def reveal(self) -> str:
        """Reveal the seed of the dice; gives it."""
        return self.post(replies.Revealed, f"{self.path}/revelations").seed

    def export(self) -> bytes:
        return self.send("GET", f"{self.path}/export").content
