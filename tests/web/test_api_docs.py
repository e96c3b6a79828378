"""The documentation of the API is whole: every address, every setting, every kind of error."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import cast

import pytest

from referee.client import Client, SeatClient
from referee.table.hub import Hub
from referee.web.app import TAGS, make_app
from referee.web.settings import PREFIX, ServerSettings

ROOT = Path(__file__).parent.parent.parent
API = (ROOT / "docs" / "api.md").read_text("utf-8")
RUNNING = (ROOT / "docs" / "running.md").read_text("utf-8")
SCHEMA = make_app(cast(Hub, None)).openapi()
OPERATIONS = [
    (method.upper(), path.removeprefix("/api/v1"), what)
    for path, methods in SCHEMA["paths"].items()
    for method, what in methods.items()
]


def test_every_address_is_in_the_docs_and_no_other() -> None:
    addresses = {f"{method} {path}" for method, path, _ in OPERATIONS}
    assert set(re.findall(r"^\| `([A-Z]+ /[^`]*)`", API, re.MULTILINE)) | {"GET /health", "GET /ready"} == addresses


@pytest.mark.parametrize(("method", "path", "what"), OPERATIONS, ids=[f"{m} {p}" for m, p, _ in OPERATIONS])
def test_every_address_says_what_it_is_for(method: str, path: str, what: dict[str, object]) -> None:
    assert what["summary"]
    assert set(cast(list[str], what["tags"])) <= set(TAGS)


def test_every_setting_is_in_the_docs() -> None:
    for each in fields(ServerSettings):
        assert f"`{PREFIX}{each.name.upper()}`" in RUNNING
        assert f"`{each.name}`" in RUNNING


def test_every_kind_of_error_is_in_the_docs() -> None:
    source = "".join(file.read_text("utf-8") for file in (ROOT / "src" / "referee" / "web").glob("*.py"))
    kinds = set(re.findall(r'(?:Problem|_refused)\(\s*\d{3},\s*"([a-z-]+)"', source))
    assert {"refused", "server-error", "rate-limited"} <= kinds
    assert not [kind for kind in kinds if f"`{kind}`" not in API]


def test_the_client_knows_every_address() -> None:
    source = "".join(Path(each).read_text("utf-8") for each in _files())
    words = {step for _, path, _ in OPERATIONS for step in path.split("/") if step and "{" not in step}
    assert not [word for word in words if word not in source]


def _files() -> set[str]:
    import inspect

    return {inspect.getfile(each) for each in (Client, SeatClient)}
