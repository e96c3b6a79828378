"""Play from Python: one call of a rule with scripted answers, or a whole scenario."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

from referee.core.errors import BadInput
from referee.core.files import load_all_yaml
from referee.core.plain import Plain
from referee.core.rules import Call
from referee.core.scene import Scene, State
from referee.drivers import scripted
from referee.drivers.scripted import Played
from referee.testing.scenarios import ScenarioReport, check

T = TypeVar("T")


@overload
def play(what: Call[T], state: State | Scene, answers: Mapping[str, Plain] | None = None) -> Played[T]: ...
@overload
def play(what: Mapping[str, Any] | str | Path) -> ScenarioReport: ...
def play(
    what: Call[Any] | Mapping[str, Any] | str | Path,
    state: State | Scene | None = None,
    answers: Mapping[str, Plain] | None = None,
) -> Played[Any] | ScenarioReport:
    """Play a call of a rule in a scene, or a scenario: plain data, YAML text or a file that holds one.

    A call must use up all answers, and what a rule refuses is raised. A scenario reports where it differs from what it
    expects, and what its steps came to.
    """
    if isinstance(what, Call):
        if state is None:
            raise BadInput("state", "is missing: a call of a rule is played in a scene")
        return scripted.play(what, state.state if isinstance(state, Scene) else state, answers)
    if state is not None or answers is not None:
        raise BadInput("play", "a scenario has its scene and its answers in itself; a call of a rule is given both")
    return check(what if isinstance(what, Mapping) else _read(what))


def _read(source: str | Path) -> Plain:
    """The one scenario of a file or a text."""
    is_file = isinstance(source, Path) or ("\n" not in source and source.endswith((".yaml", ".yml")))
    text = Path(source).read_text(encoding="utf-8") if is_file else str(source)
    found = [plain for plain, _ in load_all_yaml(text) if plain is not None]
    if len(found) != 1:
        raise BadInput("scenario", f"must be one, but there are {len(found)}; `check_file` plays all of a file")
    return found[0]
