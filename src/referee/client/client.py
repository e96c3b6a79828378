"""A typed Python client: whatever a browser can do, a program can do too.

    with Client("http://127.0.0.1:8765") as client:
        mo = client.create("Thursday nights", "coin", sample="saloon", master="Mo")
        anna = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
        anna.act("skill-roll", "Ripa", skill="Observation")
        for question in anna.questions().questions:
            anna.answer(question.key, "no")

Everything the server refuses raises an `ApiError`. Every write has its own idempotency key, so one that got no reply is
sent again and still done only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import sleep
from types import TracebackType
from typing import Final, Self, final

import httpx

from referee.client.calls import Caller, Event, SeatCaller, checked, events_in
from referee.core.plain import Plain
from referee.wire import replies

PATIENCE: Final = 60.0
"""Seconds of silence after which a stream counts as dead; a live one sends heartbeats."""


@final
class Client(Caller):
    """A server, for someone who has no seat yet."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        nothing = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # seats are identified by their tokens
        super().__init__(httpx.Client(base_url=address, timeout=timeout, cookies=nothing))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.http.close()

    def health(self) -> replies.Health:
        return replies.Health.model_validate_json(checked(self.http.get("/health")).content)

    def systems(self) -> list[replies.SystemInfo]:
        return self.get(replies.Systems, "/systems").systems

    def system(self, name: str) -> replies.SystemDetail:
        return self.get(replies.SystemDetail, f"/systems/{name}")

    def sample(self, system: str, name: str) -> replies.SampleDetail:
        return self.get(replies.SampleDetail, f"/systems/{system}/samples/{name}")

    def rules(self, system: str, search: str | None = None, kind: str | None = None) -> list[replies.RuleSummary]:
        return self.get(replies.Rules, f"/systems/{system}/rules", search=search, kind=kind).rules

    def rule(self, system: str, rule: str) -> replies.RuleDetail:
        return self.get(replies.RuleDetail, f"/systems/{system}/rules/{rule}")

    def create(
        self,
        name: str,
        system: str,
        *,
        master: str,
        sample: str | None = None,
        scene: Mapping[str, Plain] | None = None,
        key: str | None = None,
    ) -> SeatClient:
        """Start a campaign, as its game master."""
        plain = {"name": name, "system": system, "master": master, "sample": sample, "scene": scene}
        given = {name: value for name, value in plain.items() if value is not None}
        return self.at_seat(self.post(replies.NewSeat, "/campaigns", given, key=key))

    def join(self, code: str, name: str, key: str | None = None) -> SeatClient:
        return self.at_seat(self.post(replies.NewSeat, "/join", {"code": code, "name": name}, key=key))

    def import_campaign(self, exported: bytes, master: str) -> SeatClient:
        """Import an exported campaign, as its game master."""
        found = self.send("POST", "/imports", params={"master": master}, content=exported)
        return self.at_seat(replies.NewSeat.model_validate_json(found.content))

    def at_seat(self, seat: replies.NewSeat) -> SeatClient:
        """A seat taken earlier, from the reply stored then."""
        return SeatClient(self.http, seat)


@final
class SeatClient(SeatCaller):
    """A seat at a table, and everything that can be done from it."""

    # Reading.

    def campaigns(self) -> list[replies.CampaignInfo]:
        return self.get(replies.Campaigns, "/campaigns").campaigns

    def view(self) -> replies.View:
        return self.get(replies.View, self.path)

    def actions(self, who: str | None = None) -> list[replies.ActionInfo]:
        return self.get(replies.Actions, f"{self.path}/actions", who=who).actions

    def choices(self, action: str, who: str | None = None, **arguments: Plain) -> replies.Choices:
        """What may be picked for an action once some of it is picked, and why not the rest."""
        return self.post(
            replies.Choices, f"{self.path}/choices", {"action": action, "who": who, "arguments": arguments}
        )

    def questions(self) -> replies.Questions:
        return self.get(replies.Questions, f"{self.path}/questions")

    def log(self, before: int | None = None, limit: int = 50) -> replies.LogPage:
        return self.get(replies.LogPage, f"{self.path}/log", before=before, limit=limit)

    def rules(self, search: str | None = None, kind: str | None = None) -> list[replies.RuleSummary]:
        return self.get(replies.Rules, f"{self.path}/rules", search=search, kind=kind).rules

    def rule(self, rule: str) -> replies.RuleDetail:
        return self.get(replies.RuleDetail, f"{self.path}/rules/{rule}")

    def odds(self, action: str, who: str | None = None, **arguments: Plain) -> replies.OddsCard:
        plain = {"action": action, "who": who, "arguments": arguments}
        return self.post(replies.OddsCard, f"{self.path}/odds", plain)

    def begin_forecast(
        self, changes: Sequence[str] = (), compare: Sequence[str] = (), fights: int = 10_000
    ) -> replies.ForecastReply:
        """Begin to play the encounter in the scene many times; `forecast()` tells what is known so far."""
        plain = {"changes": list(changes), "compare": list(compare), "fights": fights}
        return self.post(replies.ForecastReply, f"{self.path}/forecast", plain)

    def forecast(self) -> replies.ForecastReply:
        return self.get(replies.ForecastReply, f"{self.path}/forecast")

    def end_forecast(self) -> None:
        self.send("DELETE", f"{self.path}/forecast")

    def odds_at(self, question: str) -> replies.OddsCard:
        return self.get(replies.OddsCard, f"{self.path}/odds", question=question)

    def curve(
        self, action: str, who: str, along: str, values: Sequence[Plain], **arguments: Plain
    ) -> replies.CurveReply:
        plain = {"action": action, "who": who, "arguments": arguments, "along": along, "values": list(values)}
        return self.post(replies.CurveReply, f"{self.path}/curves", plain)

    def events(self, since: int | None = None, patience: float = PATIENCE) -> Iterator[Event]:
        """Events as they happen, until the stream ends. `since` is how many items the client already has."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"}
        if since is not None:
            headers["Last-Event-ID"] = str(since)
        timeout = httpx.Timeout(10.0, read=patience)
        with self.http.stream("GET", f"/api/v1{self.path}/events", headers=headers, timeout=timeout) as response:
            yield from events_in(checked(response).iter_lines())

    def follow(self, since: int | None = None, patience: float = PATIENCE) -> Iterator[Event]:
        """The same, but reconnecting where it stopped when the connection is lost, until the seat is removed."""
        while True:
            try:
                for event in self.events(since, patience):
                    since = event.id if event.id is not None else since
                    since = event.data["cursor"] if event.kind == "reset" or since is None else since
                    yield event
                    if event.kind == "seat-removed":
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
        return self.do("/cancel", question=question)

    def standing_answer(self, prompt: str, answer: Plain) -> int:
        return self.do("/standing-answers", prompt=prompt, answer=answer)

    def roll(self, *dice: str, hidden: bool = False) -> int:
        return self.do("/rolls", dice=list(dice), hidden=hidden)

    def note(self, text: str = "", *, to: Sequence[str] | None = None, file: str | None = None, title: str = "") -> int:
        return self.do("/notes", text=text, to=None if to is None else list(to), file=file, title=title)

    def notebook(self) -> replies.NotebookReply:
        """The pages this seat may read, and what was handed out to it."""
        return self.get(replies.NotebookReply, f"{self.path}/notebook")

    def write_page(
        self, title: str, text: str, *, page: str = "", shared: bool = False, before: str | None = None
    ) -> int:
        return self.do("/notebook", page=page, title=title, text=text, shared=shared, before=before)

    def upload_picture(self, name: str, data: bytes) -> str:
        """Upload a picture; returns the id to hand it out by."""
        found = self.send("POST", f"{self.path}/files", params={"name": name}, content=data)
        return replies.UploadedFile.model_validate_json(found.content).file

    def picture(self, file: str) -> bytes:
        return self.send("GET", f"{self.path}/files/{file}").content

    def set_portrait(self, who: str, file: str | None, *, left: int = 50, top: int = 50, share: int = 100) -> int:
        """Give a character a square of an uploaded picture, or none."""
        return self.do(f"/portraits/{who}", "PUT", file=file, left=left, top=top, share=share)

    def stop(self) -> int:
        return self.do("/stop")

    def resume(self) -> int:
        return self.do("/resume")

    def undo_preview(self, item: int) -> list[replies.FeedItem]:
        return self.get(replies.UndoPreview, f"{self.path}/undo", item=item).items

    def undo(self, item: int, *, key: str | None = None, expected: int | None = None) -> int:
        return self.do("/undo", key=key, expected=expected, item=item)

    def undo_requests(self) -> dict[str, int]:
        """Who asks for an undo, and to before which item, as this seat counts them."""
        return self.get(replies.UndoRequests, f"{self.path}/undo/requests").requests

    def ask_undo(self, item: int) -> int:
        return self.do("/undo/requests", item=item)

    def decline_undo(self, seat: str) -> None:
        self.send("DELETE", f"{self.path}/undo/requests/{seat}")

    def redo(self) -> int:
        return self.do("/redo")

    # Drafts.

    def drafts(self) -> list[replies.DraftSummary]:
        return self.get(replies.DraftList, f"{self.path}/drafts").drafts

    def draft(self, draft: str) -> replies.DraftDetail:
        return self.get(replies.DraftDetail, f"{self.path}/drafts/{draft}")

    def begin_draft(self, kind: str = "creation", *, key: str | None = None, **how: Plain) -> str:
        """Begin a draft; returns its id. `how` may be a character, a seat, a template, answers, or `fill=True`."""
        return self.post(replies.BegunDraft, f"{self.path}/drafts", {"kind": kind, **how}, key=key).draft

    def answer_draft(self, draft: str, field: str, answer: Plain, part: str | None = None) -> int:
        return self.do(f"/drafts/{draft}/answers", field=field, answer=answer, part=part)

    def roll_draft(self, draft: str, field: str) -> int:
        return self.do(f"/drafts/{draft}/rolls", field=field)

    def fill_draft(self, draft: str, step: str | None = None, template: str | None = None) -> int:
        return self.do(f"/drafts/{draft}/fill", step=step, template=template)

    def finish_draft(self, draft: str, *, hidden: bool = False, key: str | None = None) -> int:
        return self.do(f"/drafts/{draft}/finish", key=key, hidden=hidden)

    def reopen_draft(self, draft: str) -> int:
        return self.do(f"/drafts/{draft}/reopen")

    def discard_draft(self, draft: str) -> None:
        self.send("DELETE", f"{self.path}/drafts/{draft}")

    # For the game master.

    # Seats.

    def seats(self) -> list[replies.SeatInfo]:
        return self.get(replies.Seats, f"{self.path}/seats").seats

    def invite(
        self, role: str = "player", controls: Sequence[str] = (), uses: int = 1, *, stays: bool = False
    ) -> replies.InvitationCode:
        plain = {"role": role, "controls": list(controls), "uses": uses, "stays": stays}
        return self.post(replies.InvitationCode, f"{self.path}/invitations", plain)

    def invitations(self) -> list[replies.InvitationInfo]:
        return self.get(replies.Invitations, f"{self.path}/invitations").invitations

    def revoke_invitation(self, invitation: str) -> None:
        self.send("DELETE", f"{self.path}/invitations/{invitation}")

    def change_seat(self, seat: str, **changes: Plain) -> int:
        return self.do(f"/seats/{seat}", "PATCH", **changes)

    def remove_seat(self, seat: str) -> None:
        self.send("DELETE", f"{self.path}/seats/{seat}")

    def hand_over(self, to: str, character: str | None = None, *, table: bool = False) -> int:
        return self.do("/handover", to=to, character=character, table=table)

    def new_token(self, name: str) -> replies.TokenSecret:
        return self.post(replies.TokenSecret, f"{self.path}/tokens", {"name": name})

    def tokens(self) -> list[replies.TokenInfo]:
        return self.get(replies.Tokens, f"{self.path}/tokens").tokens

    def revoke(self, token: str) -> None:
        self.send("DELETE", f"{self.path}/tokens/{token}")

    def with_token(self, token: str) -> Self:
        """The same seat, with another token."""
        return type(self)(self.http, self.seated.model_copy(update={"token": token}))

    # The scene and the rules.

    def edit(self, name: str, /, **changes: Plain) -> int:
        return self.do("/edits", name=name, changes=changes)

    def remove(self, name: str) -> int:
        return self.do("/removals", name=name)

    def play_encounter(self, encounter: str) -> int:
        return self.do("/playing", encounter=encounter)

    def let_time_go_on(self) -> int:
        return self.do("/time")

    def end_encounter(self, encounter: str) -> int:
        return self.do("/endings", encounter=encounter)

    def hide(self, name: str, *, hidden: bool = True) -> int:
        return self.do("/visibility", name=name, hidden=hidden)

    def expose(self, name: str, shown: str) -> int:
        """Say how much of a sheet others see: `state`, `bars`, `figures` or `sheet`."""
        return self.do("/exposure", name=name, shown=shown)

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
        """A new campaign that continues from just before an item."""
        made = self.post(replies.NewSeat, f"{self.path}/forks", {"item": item, "name": name})
        return type(self)(self.http, made)

    def reveal(self) -> str:
        """Reveal the seed of the dice, and return it."""
        return self.post(replies.RevealedSeed, f"{self.path}/reveal-seed").seed

    def export(self) -> bytes:
        return self.send("GET", f"{self.path}/export").content
