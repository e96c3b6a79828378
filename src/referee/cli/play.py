"""`referee play`: a scene in the terminal, as game master of all sides or against policies."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from referee import registry
from referee.cli.show import WORDS
from referee.cli.table import Left, TerminalTable
from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.plain import unknown
from referee.core.scene import State
from referee.core.system import System
from referee.drivers.policies import Policy, at_random, by_default
from referee.journal.seeded_dice import SeededDice
from referee.store.folders import data_folder
from referee.store.log_file import LogFile


def sample_files(system: System) -> list[Path]:
    return sorted((system.folder / "samples").glob("*.yaml"))


def sample(system: System, name: str) -> tuple[str, State]:
    """A sample scene of a system by its name, or a scene file; the first sample if no name is given."""
    files = sample_files(system)
    chosen = Path(name) if name.endswith(".yaml") else next((f for f in files if name in ("", f.stem)), None)
    if chosen is None or not chosen.exists():
        raise BadInput("scene", WORDS.say("scene-unknown", given=name, samples=", ".join(f.stem for f in files)))
    plain, of, state = scene_file(chosen)
    if of.name != system.name:
        raise BadInput("scene", WORDS.say("scene-of-another", file=chosen.name, title=of.title))
    return str(plain.get("scenario", chosen.stem)), state


def scene_file(file: Path) -> tuple[dict[str, Any], System, State]:
    """A scene file as plain data, its system and its scene; every error message begins with the file."""
    from referee.testing.scenarios import scene_of

    plain = load_yaml_file(file)
    try:
        return plain, *scene_of(plain)
    except BadInput as problem:
        raise BadInput(str(file), str(problem)) from None


def play(system: str, scene: str, log: str, seed: str, auto: Sequence[str]) -> None:
    """Open or resume a table, and play until the player leaves."""
    loaded = registry.load(system or registry.OURS[0])
    title, state = sample(loaded, scene)
    path = Path(log) if log else data_folder() / f"{loaded.name}-{title.casefold().replace(' ', '-')}.jsonl"
    policies = dict(_policy(loaded, state, word) for word in auto)
    if path.exists():
        file = LogFile.open(path)
        print(WORDS.say("resumed", line=len(file.journal.lines), log=path))
    else:
        source = SeededDice(sha256(seed.encode()).digest()) if seed else None
        file = LogFile.create(path, loaded, state, source)
    print(WORDS.say("welcome", title=loaded.title, scene=title, log=path))
    print(WORDS.say("commands"))
    try:
        TerminalTable(file.journal.system, file, policies).play()
    except (EOFError, KeyboardInterrupt, Left):
        print()
    print(WORDS.say("bye", system=system, log=path))


def _policy(system: System, state: State, word: str) -> tuple[str, Policy]:
    """Parse `raider=aggressive`: which policy plays whom."""
    name, _, policy = word.partition("=")
    known: dict[str, Policy] = {"random": at_random(Random(name)), "default": by_default, **system.policies}
    if policy not in known:
        raise BadInput(word, unknown(policy, known))
    if name not in state:
        raise BadInput(word, unknown(name, tuple(state)))
    return name, known[policy]
