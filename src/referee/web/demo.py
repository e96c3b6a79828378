"""Samples to start from, and demonstrations: a new server has one of each system, made when somebody comes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, final

from referee import registry
from referee.core.errors import BadInput, RefereeError
from referee.core.files import load_yaml_file
from referee.core.plain import Plain, unknown
from referee.core.rulebook import BOOK
from referee.core.system import System
from referee.store.records import StoreError
from referee.table.access import ANYBODY
from referee.table.codes import new_code
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


def empty_scene(system: System, options: Mapping[str, Plain] | None = None) -> dict[str, Plain]:
    """The scene of a table that starts empty: with these options, or with what the system says a new table has."""
    chosen = system.new_table if options is None else options
    return {BOOK.name: {"kind": "Book", "options": dict(chosen)}} if chosen else {}


FILE: Final = "demonstrations.json"
MASTER: Final = "Robin"
"""Who runs a demonstration until somebody else does."""


class Demonstration(NamedTuple):
    """A campaign to try, and the codes to join it."""

    name: str
    system: str
    master: str
    """The code for someone who wants to run it."""
    player: str
    """The code for everyone who wants to play; it gives each of them a character."""


def demonstrations(hub: Hub, folder: Path) -> list[Demonstration]:
    """The demonstrations of this server with fresh codes. Each is made when somebody comes with one of them."""
    file = folder / FILE
    if not file.exists() and not hub.store.headers():
        found = {name: None for name in registry.names() if registry.front(name).samples}
        file.write_text(json.dumps(found), encoding="utf-8")
    made = _Made(hub, file)
    return [each for name in made.kept if (each := made.with_codes(name)) is not None]


@final
class _Made:
    """Which demonstrations there are, by their systems: their campaigns, or None until one is made."""

    def __init__(self, hub: Hub, file: Path) -> None:
        self.hub, self.file = hub, file
        self.kept: dict[str, str | None] = self._read()
        self._lock = Lock()

    def _read(self) -> dict[str, str | None]:
        try:
            plain = json.loads(self.file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        if isinstance(plain, list):  # as servers wrote it that made all of them at once
            headers = {each.id: each.system for each in self.hub.store.headers()}
            return {headers[each]: each for each in plain if each in headers}
        return plain if isinstance(plain, dict) else {}

    def with_codes(self, system: str) -> Demonstration | None:
        """One with fresh codes; None if it is gone: it was deleted, or its system is. The others still work."""
        master, player = new_code(), new_code()
        try:
            front = registry.front(system)
            campaign = self.kept[system]
            name = dict(front.samples)[_shown(system)] if campaign is None else self.hub.store.header(campaign).name
        except (StoreError, RefereeError, KeyError):
            return None
        if campaign is None:
            for each in (master, player):
                self.hub.when_joined(each, lambda: self._make(system, master, player))
        else:
            self._invite(campaign, master, player)
        return Demonstration(name, front.title, master, player)

    def _make(self, system: str, *codes: str) -> None:
        """Make it for whoever comes first."""
        with self._lock:
            if self.kept[system] is None:
                title, scene = samples(system)[_shown(system)]
                campaign = self.hub.create(title, system, scene, MASTER).campaign
                self._invite(campaign, *codes)
                self.kept[system] = campaign
                self.file.write_text(json.dumps(self.kept), encoding="utf-8")

    def _invite(self, campaign: str, master: str, player: str) -> None:
        self.hub.new_invitation(campaign, Role.MASTER, code=master)
        self.hub.new_invitation(campaign, Role.PLAYER, frozenset({ANYBODY}), uses=8, code=player)


def _shown(system: str) -> str:
    """The sample that is the demonstration of a system: the first by name."""
    return min(name for name, _ in registry.front(system).samples)
