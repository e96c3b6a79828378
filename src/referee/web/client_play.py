"""The client of somebody who plays: looking, odds, the live stream, doing things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import sleep
from typing import Final

import httpx

from referee.core.plain import Plain
from referee.web import replies
from referee.web.client_calls import AtTable, checked
from referee.web.client_events import Event, events_in

PATIENCE: Final = 60.0
"""Seconds of silence after which a stream is taken for dead; it says every now and then that it is not."""


class Playing(AtTable):
    """What any seat may do."""

    # Looking.

    def mine(self) -> list[replies.CampaignInfo]:
        return self.get(replies.Campaigns, "/campaigns").campaigns

    def view(self) -> replies.View:
        return self.get(replies.View, self.path)

    def actions(self, who: str | None = None) -> list[replies.ActionInfo]:
        return self.get(replies.Actions, f"{self.path}/actions", who=who).actions

    def questions(self) -> replies.Questions:
        return self.get(replies.Questions, f"{self.path}/questions")

    def log(self, before: int | None = None, limit: int = 50) -> replies.Items:
        return self.get(replies.Items, f"{self.path}/log", before=before, limit=limit)

    def rules(self, search: str | None = None, kind: str | None = None) -> list[replies.RuleBrief]:
        return self.get(replies.Rules, f"{self.path}/rules", search=search, kind=kind).rules

    def rule(self, rule: str) -> replies.RuleWhole:
        return self.get(replies.RuleWhole, f"{self.path}/rules/{rule}")

    def odds(self, action: str, who: str | None = None, **arguments: Plain) -> replies.OddsCard:
        plain = {"action": action, "who": who, "arguments": arguments}
        return self.post(replies.OddsCard, f"{self.path}/odds", plain)

    def odds_at(self, question: str) -> replies.OddsCard:
        return self.get(replies.OddsCard, f"{self.path}/odds", question=question)

    def curve(
        self, action: str, who: str, along: str, values: Sequence[Plain], **arguments: Plain
    ) -> replies.CurveReply:
        plain = {"action": action, "who": who, "arguments": arguments, "along": along, "values": list(values)}
        return self.post(replies.CurveReply, f"{self.path}/curves", plain)

    def events(self, since: int | None = None, patience: float = PATIENCE) -> Iterator[Event]:
        """What happens, as it happens, until the stream ends. `since` is how many items one has."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"}
        if since is not None:
            headers["Last-Event-ID"] = str(since)
        timeout = httpx.Timeout(10.0, read=patience)
        with self.http.stream("GET", f"/api/v1{self.path}/events", headers=headers, timeout=timeout) as response:
            yield from events_in(checked(response).iter_lines())

    def follow(self, since: int | None = None, patience: float = PATIENCE) -> Iterator[Event]:
        """The same, and again from where it ended when the connection is lost, until the seat is taken away."""
        while True:
            try:
                for event in self.events(since, patience):
                    since = event.id if event.id is not None else since
                    since = event.data["told"] if event.kind == "reset" or since is None else since
                    yield event
                    if event.kind == "left":
                        return
            except httpx.TransportError:
                pass
            sleep(0.2)

    # Playing.

    def act(
        self,
        action: str,
        who: str | None = None,
        /,
        *,
        key: str | None = None,
        expected: int | None = None,
        **arguments: Plain,
    ) -> int:
        return self.do("/actions", key=key, expected=expected, action=action, who=who, arguments=arguments)

    def answer(self, question: str, answer: Plain, *, key: str | None = None, expected: int | None = None) -> int:
        return self.do("/answers", key=key, expected=expected, question=question, answer=answer)

    def cancel(self, question: str) -> int:
        return self.do("/cancellations", question=question)

    def standing(self, prompt: str, answer: Plain) -> int:
        return self.do("/standing-answers", prompt=prompt, answer=answer)

    def roll(self, *dice: str, hidden: bool = False) -> int:
        return self.do("/rolls", dice=list(dice), hidden=hidden)

    def note(self, text: str = "", *, to: Sequence[str] | None = None, file: str | None = None) -> int:
        return self.do("/notes", text=text, to=None if to is None else list(to), file=file)

    def keep_picture(self, name: str, data: bytes) -> str:
        """Keep a picture; gives the id to hand it out by."""
        found = self.send("POST", f"{self.path}/files", params={"name": name}, content=data)
        return replies.FileKept.model_validate_json(found.content).file

    def picture(self, file: str) -> bytes:
        return self.send("GET", f"{self.path}/files/{file}").content

    def stop(self) -> int:
        return self.do("/stops")

    def resume(self) -> int:
        return self.do("/resumptions")

    def would_undo(self, item: int) -> list[replies.Item]:
        return self.get(replies.Gone, f"{self.path}/undo", item=item).items

    def undo(self, item: int, *, key: str | None = None, expected: int | None = None) -> int:
        return self.do("/undos", key=key, expected=expected, item=item)

    def redo(self) -> int:
        return self.do("/redos")
