"""Routes that are imported when somebody first asks for one of them, or soon after the start.

The first page waits for none of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import final

from fastapi import FastAPI
from starlette.routing import BaseRoute, Match, Router
from starlette.types import Receive, Scope, Send


@final
class LateRoutes(BaseRoute):
    """All routes whose paths begin with a prefix. The first request for one of them puts them in this one's place."""

    def __init__(self, router: Router, prefix: str, load: Callable[[], list[BaseRoute]]) -> None:
        self._router = router
        self._prefix = prefix
        self._load = load

    @cached_property
    def routes(self) -> list[BaseRoute]:
        return self._load()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_mine = scope["type"] == "http" and scope["path"].startswith(self._prefix)
        return (Match.FULL, {"endpoint": self}) if is_mine else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.to_thread(lambda: self.routes)
        known = self._router.routes
        if self in known:
            at = known.index(self)
            known[at : at + 1] = self.routes
        await self._router(scope, receive, send)


@final
class Application(FastAPI):
    """An application with late routes."""

    def add_late(self, prefix: str, load: Callable[[], list[BaseRoute]]) -> None:
        self.router.routes.append(LateRoutes(self.router, prefix, load))

    @property
    def routes(self) -> list[BaseRoute]:
        """Every route, the late ones too: for the schema, and for whoever goes through all of them."""
        found: list[BaseRoute] = []
        for each in self.router.routes:
            found += each.routes if isinstance(each, LateRoutes) else [each]
        return found
