"""The application: `make_app(hub, settings)`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI, Request, Response
from starlette.middleware.gzip import GZipMiddleware

from referee import __version__
from referee.table.hub import Hub
from referee.web.access_log import AccessLog
from referee.web.addresses import OwnHosts
from referee.web.api import api_routes
from referee.web.errors import map_errors
from referee.web.late import Application
from referee.web.limits import BodyLimit, RateLimit, TokenBuckets
from referee.web.metrics import metrics
from referee.web.pages import accents, faces, home, page_routes
from referee.web.pages.forms import problem_page
from referee.web.pages.page import STATIC, StaticAssets
from referee.web.routes import API
from referee.web.settings import ServerSettings
from referee.web.state import ServerState, server_state
from referee.wire import replies

ABOUT: Final = """\
Begin a campaign or join one by a code; both give the token of a seat, to be shown as `Authorization: Bearer …`. \
What a seat may not see is never sent. Everything done at a table is a POST that answers how much the seat has been \
told by then; send that as `expected` (or `If-Match`), and an `Idempotency-Key`, with what you do next. Errors have \
one shape: what kind, a sentence, the rule, what would be legal, and where.\
"""
TAGS: Final = {
    "systems": "What can be played.",
    "campaigns": "Begin one, find one's own, see the table, follow what happens.",
    "seats": "Who sits at the table.",
    "play": "What may be done, doing it, questions and answers.",
    "drafts": "Build a character, let one grow.",
    "odds": "What would come of it.",
    "notes": "Talk, whispers, pictures.",
    "game master": "Edits, hiding, house rules, settings.",
    "log": "What was told, undo, fork, export.",
    "rules": "The rulebook.",
    "tokens": "For programs.",
}


def make_app(hub: Hub, settings: ServerSettings | None = None) -> Application:
    """The table over HTTP. The caller closes the hub."""
    state = ServerState(hub, settings or ServerSettings())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.stop()
        state.forecasts.close()

    app = Application(
        title="Referee",
        version=__version__,
        description=ABOUT,
        openapi_tags=[{"name": name, "description": says} for name, says in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.server = state
    map_errors(app, problem_page)
    app.add_api_route("/health", health, tags=["systems"], summary="Whether the server is well")
    app.add_api_route("/ready", ready, tags=["systems"], summary="Whether requests may be sent to this server")
    app.add_api_route("/metrics", metrics, include_in_schema=False)
    app.router.routes += [*home.router.routes, *accents.router.routes, *faces.router.routes]
    app.mount("/static", StaticAssets(directory=STATIC), name="static")
    app.add_late(API, api_routes)
    app.add_late("/", page_routes)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    app.add_middleware(BodyLimit)
    rate = state.settings.rate
    app.add_middleware(RateLimit, buckets=TokenBuckets(rate * 20, rate * 40))
    app.add_middleware(OwnHosts, settings=state.settings)
    app.add_middleware(AccessLog, as_page=problem_page)
    return app


def ready(request: Request, response: Response) -> replies.Ready:
    """For whoever shares requests among servers: not while this one stops, nor while its storage does not answer."""
    state = server_state(request)
    state.hub.store.token("")
    is_ready = not state.streams.stopping
    response.status_code = 200 if is_ready else 503
    return replies.Ready(ready=is_ready)


def health(request: Request, response: Response) -> replies.Health:
    """Checks that the storage answers, and tells (with status 503) if it could not be written to the last time."""
    state = server_state(request)
    state.hub.store.token("")
    failed = bool(state.hub.store.write_problem)
    response.status_code = 503 if failed else 200
    return replies.Health(status="cannot write" if failed else "ok", version=__version__, streams=len(state.streams))
