"""Scenes to begin with: the samples of a system, and files of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.cli.show import WORDS
from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.scene import State
from referee.core.system import System


def sample_files(system: System) -> list[Path]:
    return sorted((system.folder / "samples").glob("*.yaml"))


def sample(system: System, name: str) -> tuple[str, State]:
    """A sample scene of a system by its name, or a file of one's own; the first sample where none is named."""
    files = sample_files(system)
    chosen = Path(name) if name.endswith(".yaml") else next((f for f in files if name in ("", f.stem)), None)
    if chosen is None or not chosen.exists():
        raise BadInput("scene", WORDS.say("scene-unknown", given=name, samples=", ".join(f.stem for f in files)))
    plain, of, state = scene_file(chosen)
    if of.name != system.name:
        raise BadInput("scene", WORDS.say("scene-of-another", file=chosen.name, title=of.title))
    return str(plain.get("scenario", chosen.stem)), state


def scene_file(file: Path) -> tuple[dict[str, Any], System, State]:
    """A scene file as plain data, its system and its scene; every complaint begins with the file."""
    from referee.testing.scenarios import scene_of

    plain = load_yaml_file(file)
    try:
        return plain, *scene_of(plain)
    except BadInput as problem:
        raise BadInput(str(file), str(problem)) from None
