"""The systems by name: ours, and those that other packages add through the entry point group `referee.systems`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from referee.core.errors import BadInput, RefereeError
from referee.core.files import load_yaml_file
from referee.core.plain import as_spelled, read, unknown
from referee.core.system import System

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from referee.core.look import Accent

TITLES: Final = {
    "alien": "ALIEN",
    "d6": "D6 System",
    "dime": "Dime Adventures",
    "distemper": "Distemper",
    "yearzero": "Year Zero",
}
"""The titles of our own systems, known before one is loaded."""
OURS: Final = tuple(TITLES)
GROUP: Final = "referee.systems"


def names() -> tuple[str, ...]:
    """Every system that can be loaded."""
    return (*OURS, *sorted(_brought().keys() - set(OURS)))


@lru_cache(maxsize=64)
def load(name: str) -> System:
    """A system by name. Loading one loads no other. A foreign one is proofread; ours are proofread by the tests."""
    found = unchecked(name if name in OURS else as_spelled(name, names()))
    if found.name not in OURS:
        from referee.core.proofreading import check_texts  # a fifth of a start; ours do not need it

        check_texts(found)
    return found


def unchecked(name: str) -> System:
    """A system whose words and look are not proofread, for those who list what is wrong with them."""
    if name in OURS:
        found = import_module(f"referee.systems.{name}").SYSTEM
    else:
        points = _brought()
        if name not in points:
            raise BadInput("system", unknown(name, names()))
        found = points[name].load()
    if not isinstance(found, System) or found.name != name:
        raise RefereeError(f"the entry point {name} does not give a system of that name")
    found.printed_book  # noqa: B018  # reads its rulebook in
    return found


class Front(NamedTuple):
    """What a start page shows of a system. For that, none of ours is loaded."""

    name: str
    title: str
    about: str
    samples: tuple[tuple[str, str], ...]
    """The names and titles of its samples, those to try first at the front."""
    accent: Accent | None


def front(name: str) -> Front:
    """What a start page shows of a system."""
    if name in OURS:
        return _front(name, TITLES[name], Path(__file__).parent / "systems" / name)
    found = load(name)
    return _front(found.name, found.title, found.folder)


@lru_cache(maxsize=64)
def _front(name: str, title: str, folder: Path) -> Front:
    words, look = _mapping(folder / "words" / "en.yaml"), _mapping(folder / "look.yaml")
    files = {file.stem: file for file in sorted((folder / "samples").glob("*.yaml"))}
    first = dict.fromkeys((*look.get("samples", ()), *files))
    titles = tuple((each, str(_mapping(files[each]).get("scenario", each))) for each in first if each in files)
    from referee.core.look import Accent

    accent = read(Accent, look["accent"]) if "accent" in look else None
    return Front(name, title, str(words.get("about", "")).strip(), titles, accent)


def _mapping(file: Path) -> dict[str, Any]:
    return load_yaml_file(file) if file.exists() else {}


def _brought() -> dict[str, EntryPoint]:
    """The systems that other packages add, by name."""
    from importlib.metadata import entry_points  # slow to import, and our own systems do not need it

    return {point.name: point for point in entry_points(group=GROUP)}
