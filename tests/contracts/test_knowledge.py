"""What computes for a seat is handed what the seat knows: made in one place, and taken by whatever computes."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, get_origin, get_type_hints

import pytest

import referee
from referee import forecast
from referee.core import knowledge
from referee.core.knowledge import KnownState
from referee.core.scene import Scene, State

SOURCE: Final = Path(referee.__file__).parent
MODULES: Final = sorted(SOURCE.rglob("*.py"))
OWN_TABLE: Final = SOURCE / "web/own_table.py"
"""Conformance plays at a table of its own, where nothing is anybody's secret."""
WEB: Final = sorted({*(SOURCE / "web").rglob("*.py")} - {OWN_TABLE})
MAKER: Final = Path(knowledge.__file__)
SHOWN_WHOLE: Final = {
    "cli/forecast.py",  # of a table's own file, or a sample
    "testing/conformance.py",  # which compares figures for nobody
    "web/pages/drafts/drafts.py",  # a sheet alone, which is one's own
    "web/pages/master/ready_made.py",  # somebody of a sample, alone
    "web/pages/odds/checks.py",  # a check that no one at a table makes
}
"""What may take a scene for one without secrets, and why."""
FIELDS: Final = "__dataclass_fields__"
WORKINGS: Final = {"StepTree", "_Growth"}
"""What a card is computed with, once it is known what a seat knows."""
OF_A_TABLE: Final = frozenset({"commitment", "seats", "settings", "setup", "system", "went_back"})
"""What the web may read of a campaign itself: what is nobody's secret, or is asked for by member."""
SEE_ALL: Final = frozenset({"hidden_names", "known_question", "known_to", "seen_trail", "Journal"})
"""What only has a use to who holds the whole scene."""


def _named(path: Path, *names: str) -> list[int]:
    """The lines of a module that mention a name, also as an attribute or in an import."""
    text = path.read_text("utf-8")
    if not any(name in text for name in names):
        return []
    tree = ast.parse(text)
    return [node.lineno for node in ast.walk(tree) if hasattr(node, "lineno") and _names_of(node) & set(names)]


def _names_of(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return {name}
    return set()


def makes_known(code: str) -> list[int]:
    """The lines that take a scene for one as a seat knows it: by calling the type, by a cast, or under another name."""
    nodes, found = list(ast.walk(ast.parse(code))), set[int]()
    hints = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns", "slice")]
    hinted = {part for hint in hints if isinstance(hint, ast.AST) for part in ast.walk(hint)}
    for node in nodes:
        match node:
            case ast.Call(func=func, args=[kind, *_]) if "cast" in _names_of(func) and "KnownState" in ast.unparse(
                kind
            ):
                found.add(node.lineno)
            case ast.Name() | ast.Attribute() if "KnownState" in _names_of(node) and node not in hinted:
                found.add(node.lineno)
            case ast.alias(name="KnownState", asname=str()):
                found.add(node.lineno)
    return sorted(found)


@pytest.mark.parametrize(
    "code",
    [
        "x = KnownState(state)",
        "x = knowledge.KnownState(state)",
        "x = cast(KnownState, state)",
        "x = cast('KnownState', state)",
        "x = typing.cast('KnownState', state)",
        "make = KnownState",
        "from referee.core.knowledge import KnownState as Known",
        "x = list(map(KnownState, states))",
    ],
)
def test_whatever_makes_one_is_found(code: str) -> None:
    assert makes_known(code) == [1]


def test_what_only_takes_one_is_not() -> None:
    code = """
from referee.core.knowledge import KnownState
Place = tuple[str, KnownState]
class Query:
    state: KnownState
def card(state: KnownState | None) -> dict[str, KnownState]: ...
"""
    assert makes_known(code) == []


def test_what_a_seat_knows_is_made_in_one_module() -> None:
    texts = {path: path.read_text("utf-8") for path in MODULES}
    assert [path for path, text in texts.items() if "KnownState" in text and makes_known(text)] == [MAKER]


def test_hardly_anything_takes_a_whole_scene_for_one_without_secrets() -> None:
    found = {path.relative_to(SOURCE).as_posix() for path in MODULES if path != MAKER and _named(path, "fully_known")}
    assert found == SHOWN_WHOLE


# --- forecasts --------------------------------------------------------------------------------------------------------


def _declared(kind: Callable[[object], bool]) -> Iterator[Any]:
    for each in pkgutil.walk_packages(forecast.__path__, "referee.forecast."):
        if each.name.endswith("_numba"):
            continue  # an extra, and numbers only
        module = importlib.import_module(each.name)
        yield from (found for _, found in inspect.getmembers(module, kind) if found.__module__ == module.__name__)


def _takes(hints: dict[str, Any], *kinds: object) -> list[str]:
    return [name for name, hint in hints.items() if name != "return" and set(_parts(hint)) & set(kinds)]


def _parts(hint: Any) -> Iterator[object]:
    yield hint
    if get_origin(hint) is not Callable:  # a policy is handed the scene it is asked in
        for each in getattr(hint, "__args__", ()):
            yield from _parts(each)


def test_nothing_is_forecast_for_a_viewer_from_a_whole_scene() -> None:
    functions = (each for each in _declared(inspect.isfunction) if "Seat" in each.__annotations__.values())
    for_a_viewer = {each.__qualname__: get_type_hints(each) for each in functions}
    assert {"odds_of", "action_query", "offers_query", "curve_query"} <= for_a_viewer.keys()
    assert [name for name, hints in for_a_viewer.items() if _takes(hints, State, Scene)] == ["_unnoticed"]


def test_whatever_is_asked_for_holds_no_whole_scene() -> None:
    classes = {each.__name__: get_type_hints(each) for each in _declared(inspect.isclass) if hasattr(each, FIELDS)}
    holding = {name for name, hints in classes.items() if _takes(hints, KnownState)}
    assert {"ActionQuery", "OffersQuery", "QuestionQuery", "EncounterPlan", "Prepared"} <= holding
    assert {name for name, hints in classes.items() if _takes(hints, State, Scene)} == WORKINGS


def test_forecasts_know_no_log_and_no_whole_scene_but_where_a_question_is_asked_for() -> None:
    for path in {*(SOURCE / "forecast").rglob("*.py")} - {SOURCE / "forecast/question_odds.py"}:
        assert _named(path, *SEE_ALL) == [], path.name
        assert "referee.journal" not in path.read_text("utf-8"), path.name


# --- the web ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WEB, ids=lambda path: path.stem)
def test_the_web_holds_no_log_and_no_whole_scene(path: Path) -> None:
    """A journal is private to `table/`: what a page or a program is told comes from a desk."""
    tree = ast.parse(path.read_text("utf-8"))
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "journal"] == []
    assert _named(path, *SEE_ALL) == []


@pytest.mark.parametrize("path", WEB, ids=lambda path: path.stem)
def test_the_web_reads_of_a_campaign_what_is_no_secret(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and "campaign" in _names_of(node.value) and _is_desks(node.value):
            assert node.attr in OF_A_TABLE, f"{path.name}:{node.lineno}"


def _is_desks(node: ast.expr) -> bool:
    """Whether it is the campaign of a desk; that of a visitor is an id."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and "desk" in _names_of(node.value))
