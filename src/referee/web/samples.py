"""The samples of a system: scenes to begin with."""

from __future__ import annotations

from functools import lru_cache

from referee import registry
from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.plain import Plain, unknown
from referee.core.system import System
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
