"""Everyone in the samples of ours has a face, drawn of parts that there are; a picture of one's own comes first."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import httpx
import pytest
from tests.web.conftest import Market, Running

from referee import registry
from referee.core.system import System
from referee.testing.scenarios import samples
from referee.web.pages.faces import drawing, drawn_face, drawn_parts, face_id, said_faces

SYSTEMS = [registry.load(name) for name in registry.OURS]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_everyone_in_the_samples_has_a_face(system: System) -> None:
    people = {
        name
        for _, state in samples(system)
        for name in state
        if type(state.unread(name)).__name__ in system.person_kinds
    }
    assert [name for name in sorted(people) if not drawn_face(system, name)] == []
    assert len({face_id(name) for name in said_faces(system)}) == len(said_faces(system))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_face_is_a_small_drawing_without_anything_from_elsewhere(running: Running, system: System) -> None:
    found = httpx.get(f"{running.address}/faces/{system.name}.svg")
    assert found.headers["content-type"].startswith("image/svg+xml")
    assert "default-src 'none'" in found.headers["content-security-policy"]
    root = ET.fromstring(found.text)  # our own
    assert len(root) == len(said_faces(system))
    assert len(found.content) < 120_000
    for outside in ("href", "style", "<script", "url("):
        assert outside not in found.text


def test_namesakes_share_a_face_and_strangers_have_none() -> None:
    d6 = registry.load("d6")
    assert drawn_face(d6, "soldier 3") == drawn_face(d6, "soldier 1") == "/faces/d6.svg#soldier"
    assert drawn_face(d6, "Nobody") == ""


def test_a_part_that_there_is_not_is_an_error() -> None:
    with pytest.raises(KeyError):
        drawing({"hair": "purple"})
    with pytest.raises(KeyError):
        drawing({"tail": "long"})
    assert {"body", "head", "face"} <= {*drawn_parts()}


def test_no_such_system_has_no_faces(running: Running) -> None:
    assert httpx.get(f"{running.address}/faces/chess.svg").status_code == 404


def test_the_table_shows_them(market: Market) -> None:
    assert 'href="/faces/distemper.svg#ash"' in market.anna.raw("/sheet/Ash")
