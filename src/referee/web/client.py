"""A typed client in Python: what a browser can do, a program can.

    with Client("http://127.0.0.1:8765") as client:
        mo = client.create("Thursday nights", "alien", sample="derelict", master="Mo")
        anna = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
        anna.act("skill-roll", "Ripa", skill="Observation")
        for question in anna.questions().asked:
            anna.answer(question.key, "no")

Whatever the server says no to is an `ApiError`. Every write has a key of its own, so one that got no answer is sent
again and still done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Self, final

import httpx

from referee.core.plain import Plain
from referee.web import replies
from referee.web.client_calls import ApiError, Caller, checked
from referee.web.client_events import Event, brought_up_to_date
from referee.web.client_master import Running
from referee.web.client_play import Playing

__all__ = ["ApiError", "Client", "Event", "SeatClient", "brought_up_to_date"]


@final
class Client(Caller):
    """A server, for somebody who has no seat yet."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        nothing = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # seats are known by their tokens
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

    def system(self, name: str) -> replies.SystemWhole:
        return self.get(replies.SystemWhole, f"/systems/{name}")

    def sample(self, system: str, name: str) -> replies.SampleWhole:
        return self.get(replies.SampleWhole, f"/systems/{system}/samples/{name}")

    def rules(self, system: str, search: str | None = None, kind: str | None = None) -> list[replies.RuleBrief]:
        return self.get(replies.Rules, f"/systems/{system}/rules", search=search, kind=kind).rules

    def rule(self, system: str, rule: str) -> replies.RuleWhole:
        return self.get(replies.RuleWhole, f"/systems/{system}/rules/{rule}")

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
        """Begin a campaign, as its game master."""
        plain = {"name": name, "system": system, "master": master, "sample": sample, "scene": scene}
        given = {name: value for name, value in plain.items() if value is not None}
        return self.seated(self.post(replies.Seated, "/campaigns", given, key=key))

    def join(self, code: str, name: str, key: str | None = None) -> SeatClient:
        return self.seated(self.post(replies.Seated, "/join", {"code": code, "name": name}, key=key))

    def take_in(self, exported: bytes, master: str) -> SeatClient:
        """Take in an exported campaign, as its game master."""
        found = self.send("POST", "/imports", params={"master": master}, content=exported)
        return self.seated(replies.Seated.model_validate_json(found.content))

    def seated(self, seat: replies.Seated) -> SeatClient:
        """A seat that was taken earlier, by what it was told then."""
        return SeatClient(self.http, seat)


@final
class SeatClient(Playing, Running):
    """A seat at a table, and everything that can be done from it."""
