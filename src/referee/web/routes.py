"""The routes of the API: they know who sends a request before they read its body, and check the JSON in it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute

from referee.web.limits import checked_json
from referee.web.sign_in import signed_in

API: Final = "/api/v1"
CAMPAIGN: Final = f"{API}/campaigns/{{campaign}}"


class CheckedRequest(Request):
    """A request whose JSON is checked, so that every part of Referee can store and show it."""

    async def json(self) -> Any:
        if not hasattr(self, "_checked"):
            self._checked = checked_json(await self.body())
        return self._checked


class CheckedRoute(APIRoute):
    """A route that reads its JSON through `CheckedRequest`; at a table, only from those who sit there."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def checked(request: Request) -> Response:
            if "campaign" in request.path_params:
                await signed_in(request, request.path_params["campaign"])
            return await handler(CheckedRequest(request.scope, request.receive))

        return checked
