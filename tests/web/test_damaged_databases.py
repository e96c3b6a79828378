"""A server on a damaged database: it says so before it starts, or serves what can be read and says what cannot."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.web.conftest import Running, seated_party

from referee.client import Client
from referee.store.records import StoreError

if TYPE_CHECKING:
    from pathlib import Path

NOTES = 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str, str]:
    """A database with two tables, of which one is looked at: its bytes, that campaign, and a game master's token."""
    folder = tmp_path_factory.mktemp("whole")
    server = Running(folder)
    with Client(server.address) as client:
        mo = seated_party(client).mo
        seated_party(client)
        for number in range(NOTES):
            mo.note(f"Note {number}")
        found = mo.campaign, mo.seated.token
    server.stop()
    return (folder / "referee.db").read_bytes(), *found


def damaged(content: bytes, chooser: Random) -> bytes:
    """Some bytes overwritten, a page lost, or the end cut off."""
    place, length = chooser.randrange(len(content)), chooser.choice((1, 16, 600, 4096))
    if chooser.random() < 0.15:
        return content[:place]
    return content[:place] + chooser.randbytes(length) + content[place + length :]


def served(folder: Path, content: bytes, campaign: str, token: str) -> bool:
    """Whether a server starts on these bytes; if so, whatever is asked of it, it answers in a sentence."""
    folder.mkdir()
    (folder / "referee.db").write_bytes(content)
    try:
        server = Running(folder)
    except StoreError:  # the command prints it
        return False
    table = f"/api/v1/campaigns/{campaign}"
    with httpx.Client(base_url=server.address, cookies={"referee": token}, timeout=30) as http:
        for path in ("/health", "/", f"/table/{campaign}", table, f"{table}/log", f"{table}/export"):
            answer = http.get(path)
            assert answer.status_code in (200, 401, 404, 503), (path, answer.status_code, answer.text[:200])
            assert answer.status_code != 503 or len(answer.text) > 20, path
        http.post(f"{table}/notes", json={"text": "Still there?"}, headers={"Origin": server.address})
    server.stop()
    return True


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_no_damage_ends_in_a_server_error(whole: tuple[bytes, str, str], tmp_path: Path, count: int) -> None:
    content, campaign, token = whole
    started = sum(served(tmp_path / str(at), damaged(content, Random(at)), campaign, token) for at in range(count))
    assert started > 0
