"""The API against its own schema: whatever fits it, or nearly, is answered as it says, and never by a fault.

`SCHEMA_EXAMPLES=200 pytest tests/web/test_schema.py` runs longer, and tries every boundary of every field.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from referee.client import Client, SeatClient
from referee.table.hub import Hub
from referee.web.app import make_app

if TYPE_CHECKING:
    from tests.web.conftest import Running

LONG = "SCHEMA_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "5"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


class Tables:
    """A table to try things at; a new one when what was tried has taken it away."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.tried = 0
        self._begin()

    def _begin(self) -> None:
        self.mo = self.client.create("Tried", "alien", sample="derelict", master="Mo")
        self.anna = self.client.join(self.mo.invite(controls=["Ripa"]).code, "Anna")

    def somebody(self) -> SeatClient:
        """Now the game master, now a player."""
        self.tried += 1
        return self.anna if self.tried % 3 == 0 else self.mo

    def after(self, status: int, path: str) -> None:
        """What was tried may have stopped the table, or taken a seat away."""
        if status < 300 and path.endswith("/stop"):
            self.mo.resume()
        if status == 401 or (status < 300 and path.endswith(("/seats/{seat}", "/handover", "/tokens/{token}"))):
            self._begin()


@pytest.fixture(scope="module")
def tables(running: Running) -> Iterator[Tables]:
    with Client(running.address) as client:
        found = Tables(client)
        yield found
        print(f"{found.tried} requests tried")  # noqa: T201  # shown by `pytest -s`


NOBODY = cast(Hub, None)  # the schema needs no campaigns
pytest_plugins = ["schemathesis.pytest.plugin"]  # only here, for it takes 3 s of CPU to load

schema = schemathesis.openapi.from_dict(make_app(NOBODY).openapi()).exclude(path_regex="/events$")  # it has no end

schema.config.phases.coverage.enabled = LONG  # every boundary of every field, one by one


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_api_does_as_its_schema_says(case: Any, tables: Tables, running: Running) -> None:
    seat = tables.somebody()
    if "campaign" in case.path_parameters and tables.tried % 10:
        case.path_parameters["campaign"] = seat.campaign
    if "seat" in case.path_parameters and tables.tried % 2:
        case.path_parameters["seat"] = tables.anna.seat
    headers = {"Authorization": f"Bearer {seat.token}"} if tables.tried % 20 else {}
    response = case.call(running.address, headers=headers)
    case.validate_response(response, checks=CHECKS)
    tables.after(response.status_code, case.path)
