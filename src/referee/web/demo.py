"""Samples to start from, and demonstrations: a new server has one campaign of each system, ready to play."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from referee import registry
from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.plain import Plain, unknown
from referee.core.system import System
from referee.store.records import StoreError
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import scene_of


@lru_cache(maxsize=64)
def samples(system: str) -> dict[str, tuple[str, Plain]]:
    """The title and the scene of each sample, by name."""
    loaded = registry.load(system)
    found: dict[str, tuple[str, Plain]] = {}
    for file in sorted((loaded.folder / "samples").glob("*.yaml")):
        plain = load_yaml_file(file)
        found[file.stem] = str(plain.get("scenario", file.stem)), loaded.plain(scene_of(plain)[1])
    return found


def sample_scene(system: System, name: str) -> dict[str, Plain]:
    known = samples(system.name)
    if name not in known:
        raise BadInput("sample", unknown(name, known))
    return dict(known[name][1])


FILE: Final = "demonstrations.json"
MASTER: Final = "Referee"


class Demonstration(NamedTuple):
    """A campaign to try, and the codes to join it."""

    name: str
    system: str
    master: str
    """The code for someone who wants to run it."""
    player: str
    """The code for everyone who wants to play; the game master assigns the characters."""


def demonstrations(hub: Hub, folder: Path) -> list[Demonstration]:
    """The demonstrations of this server with fresh codes; they are created if there is no campaign at all."""
    file = folder / FILE
    if not file.exists() and not hub.store.headers():
        file.write_text(json.dumps(_make(hub)), encoding="utf-8")
    return [found for each in _kept(file) if (found := _with_codes(hub, each)) is not None]


def _make(hub: Hub) -> list[str]:
    made: list[str] = []
    for name in registry.names():
        for title, scene in list(samples(name).values())[:1]:
            made.append(hub.create(title, name, scene, MASTER).campaign)
    return made


def _kept(file: Path) -> list[Plain]:
    try:
        plain = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return plain if isinstance(plain, list) else []


def _with_codes(hub: Hub, campaign: Plain) -> Demonstration | None:
    try:
        header = hub.store.header(str(campaign))
        master = hub.new_invitation(header.id, Role.MASTER)
        player = hub.new_invitation(header.id, Role.PLAYER, uses=8)
    except StoreError:  # it was deleted or cannot be read; the others still work
        return None
    return Demonstration(header.name, registry.load(header.system).title, master, player)
