"""Scenario files: scripted play as readable YAML. docs/scenarios.md describes the format."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final, final

import yaml

from referee import registry
from referee.core.cards import Pile
from referee.core.errors import BadInput, RefereeError
from referee.core.files import line_at, load_all_yaml, load_yaml
from referee.core.plain import Plain, unknown
from referee.core.rulebook import BOOK
from referee.core.scene import State
from referee.core.system import System
from referee.core.visibility import VEIL
from referee.testing.expectations import (
    ANYTHING,
    LISTED,
    NAMED,
    TIME,
    Difference,
    Form,
    Misplaced,
    Where,
    check_known,
)
from referee.testing.fights import FIGHT, fight_of, is_short, place_of_fight
from referee.testing.old_words import OldWord, in_new_words, old_words, rewritten
from referee.testing.stage import ScenarioStage

PARTS: Final[dict[str, Form]] = {
    **dict.fromkeys(("scenario", "system"), ANYTHING),
    **dict.fromkeys(("options", "rulebook", "sheets", "piles", "scene"), NAMED),
    "fight": FIGHT,
    "hidden": LISTED,
    "clock": TIME,
    "steps": LISTED,
}


@final
@dataclass
class ScenarioReport:
    """A scenario as it was played: where it differs from what it expects, and the run in readable form."""

    title: str
    differences: list[Difference] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    steps: int = 0
    results: list[Plain] = field(default_factory=list)
    """What each step came to; nothing where it was refused, or could not be played."""
    scene: dict[str, Plain] = field(default_factory=dict)
    """What is in the scene afterwards."""
    old_words: list[OldWord] = field(default_factory=list)
    """Renamed keys under their old names; they still work."""


def check_file(path: Path) -> list[ScenarioReport]:
    """Play every scenario of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except ValueError as problem:
        return [_not_yaml(path, problem)]
    try:
        return _played(path, text)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:  # an impossible date is a ValueError
        pieces = list(_pieces(text))
        if len(pieces) == 1:
            return [_not_yaml(path, problem)]
    found = []
    for piece in pieces:  # one that cannot be read hides none of the others
        try:
            found += _played(path, piece)
        except (yaml.YAMLError, ValueError, RecursionError) as problem:
            found.append(_not_yaml(path, problem))
    return found


def _not_yaml(path: Path, problem: Exception) -> ScenarioReport:
    mark = getattr(problem, "problem_mark", None)
    return ScenarioReport(path.name, [Difference((), f"not YAML: {problem}", mark.line + 1 if mark else 1)])


def _pieces(text: str) -> Iterator[str]:
    """The documents of a file, each on the lines it has there."""
    lines = text.splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines) if line.rstrip() == "---"]
    for begin, end in zip([-1, *ends], [*ends, len(lines)], strict=True):
        if "".join(lines[begin + 1 : end]).strip():
            yield "\n" * (begin + 1) + "".join(lines[begin + 1 : end])


def _played(path: Path, text: str) -> list[ScenarioReport]:
    documents = load_all_yaml(text)
    old = [list(old_words(node)) for _, node in documents]
    if any(old):
        documents = load_all_yaml(rewritten(text, chain.from_iterable(old)))
    found = []
    for (plain, node), words in zip(documents, old, strict=True):
        if plain is not None:
            try:
                report = check(plain)
            except RecursionError:
                report = ScenarioReport(path.name, [Difference((), "not YAML: it is nested too deeply")])
            except Exception as problem:  # noqa: BLE001  # the others of the file are played all the same
                report = ScenarioReport(path.name, [Difference((), f"it crashed: {crash(problem)}")])
            report.differences = [replace(each, line=line_at(node, each.where)) for each in report.differences]
            report.old_words = words
            found.append(report)
    return found


def rewrite_file(path: Path) -> int:
    """Replace old keys with the new ones, and leave everything else unchanged; returns how many were replaced."""
    text = path.read_bytes().decode("utf-8")
    try:
        words = [word for _, node in load_all_yaml(text) for word in old_words(node)]
    except (yaml.YAMLError, ValueError, RecursionError):
        return 0  # checking the file reports why
    if words:
        path.write_bytes(rewritten(text, words).encode("utf-8"))
    return len(words)


def check(plain: Plain) -> ScenarioReport:
    """Play one scenario, and report where it differs from what it expects."""
    plain = in_new_words(plain)
    report = ScenarioReport(str(plain.get("scenario", "")) if isinstance(plain, Mapping) else "")
    try:
        system, state = scene_of(plain)
    except RefereeError as problem:
        report.differences.append(_in_scene(problem, plain) or _difference(problem, ()))
        return report
    stage = ScenarioStage(system, state, report.story, dict(places_of(system, plain)))
    for at, step in enumerate(plain.get("steps") or ()):
        stage.result = None
        try:
            report.differences += stage.step(step, ("steps", at))
        except RefereeError as problem:
            report.differences.append(_difference(problem, ("steps", at)))
        except RecursionError:
            raise  # it is nested too deeply to be a scenario
        except Exception as problem:  # noqa: BLE001  # what follows is played all the same
            report.differences.append(Difference(("steps", at), f"it crashed: {crash(problem)}"))
        else:
            report.steps += 1
        report.results.append(stage.result)
    report.scene = {name: system.plain_value(value) for name, value in stage.state.items()}
    if not plain.get("steps"):
        report.differences.append(Difference(("steps",), "a scenario needs at least one step"))
    return report


def crash(problem: Exception) -> str:
    """What went wrong in code, and where."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{type(problem).__name__}: {problem} ({Path(last.filename).name}:{last.lineno})"


def _difference(problem: RefereeError, where: Where) -> Difference:
    if isinstance(problem, Misplaced):
        return Difference(problem.path, problem.problem)
    return Difference(where, str(problem))


def _in_scene(problem: RefereeError, plain: Plain) -> Difference | None:
    """An error about someone in the scene, with the place in the file where they are described."""
    if isinstance(problem, Misplaced) or not isinstance(problem, BadInput) or not problem.where.startswith("scene."):
        return None
    for part in ("sheets", "piles", "scene"):
        for name in plain.get(part) or {}:
            rest = problem.where.removeprefix(f"scene.{name}")
            if rest != problem.where and rest[:1] in ("", ".", "["):
                return Difference((part, name, *filter(None, rest.split("."))), problem.problem)
    return None


def scene_of(plain: Plain) -> tuple[System, State]:
    """The system of a file, and the scene it sets up."""
    check_known(plain, PARTS, ())
    system = registry.load(str(plain.get("system", "")))
    values = dict(_of_the_house(plain))
    piles: dict[str, Plain] = {}
    for name, pile in (plain.get("piles") or {}).items():
        short = {"deck": pile} if isinstance(pile, str) else {"cards": pile}
        piles[name] = {"kind": "Pile", **(pile if isinstance(pile, Mapping) else short)}
    places = dict(places_of(system, plain))
    fights: list[tuple[Where, Plain]] = [] if plain.get("fight") is None else [(("fight",), plain["fight"])]
    for part in ("sheets", "scene"):
        for name, value in (plain.get(part) or {}).items():
            place = places.get(str(name), str(name))
            if part == "scene" and is_short(value):
                fights.append(((part, str(name)), value))
            elif place in values or place in piles:
                raise Misplaced((part, str(name)), "is there twice")
            else:
                values[place] = value
    for where, value in fights:
        place, fight = fight_of(system, system.state(values), value, where)
        if place in values:
            raise Misplaced(where, "there is a fight already")
        values[place] = fight
    for name in plain.get("hidden") or ():
        if name not in values and name not in piles:
            raise Misplaced(("hidden",), unknown(str(name), (*values, *piles)))
    return system, system.new_state({**values, **_spelled_out(system, values, piles)})


def _of_the_house(plain: Plain) -> Iterator[tuple[str, Plain]]:
    """What every scene of any system may have: house rules, a clock, and who is hidden."""
    overlay = {"options": plain.get("options") or {}, **(plain.get("rulebook") or {})}
    if plain.get("options") or plain.get("rulebook"):
        yield BOOK.name, {"kind": "Book", **overlay}
    if (clock := plain.get("clock")) is not None:
        yield "clock", {"kind": "Clock", **({"now": clock} if isinstance(clock, int) else clock)}
    if hidden := plain.get("hidden"):
        yield VEIL.name, {"kind": "Veil", "names": hidden}


def places_of(system: System, plain: Plain) -> Iterator[tuple[str, str]]:
    """What a file calls otherwise than the rules do, with the names under which they look for it."""
    for name, value in (plain.get("scene") or {}).items():
        if isinstance(value, Mapping) and (place := system.place_of(str(value.get("kind")), name)) != name:
            yield name, place
        elif is_short(value):
            yield name, place_of_fight(system)
    if plain.get("fight") is not None:
        yield "fight", place_of_fight(system)


def _spelled_out(system: System, values: Plain, piles: Mapping[str, Plain]) -> dict[str, Plain]:
    """Piles with what goes without saying: whose they are, who may look, and from which deck a card is."""
    if all("owner" in pile and not _without_deck(pile) for pile in piles.values()):
        return dict(piles)
    try:
        usual = {name: each for name, each in system.new_state(values).items() if isinstance(each, Pile)}
    except RefereeError:
        return dict(piles)  # what is wrong with the scene is said once they are in it
    homes = {each.owner: each.cards[0].deck for each in usual.values() if each.cards}
    """From which deck the cards are that somebody turns; without one of their own, it is that of the scene."""
    of_scene = next((deck for owner, deck in homes.items() if owner not in values), "")
    found: dict[str, Plain] = {}
    for name, pile in piles.items():
        known = usual.get(name)
        if known is None:
            found[name] = pile
            continue
        deck = homes.get(known.owner, of_scene)
        full = {"facing": known.facing.value, "owner": known.owner, **pile}
        if cards := _without_deck(pile):
            full["cards"] = [f"{each}@{deck}" if each in cards and deck else each for each in pile["cards"]]
        found[name] = full
    return found


def _without_deck(pile: Plain) -> list[str]:
    """The cards of a pile that do not say from which deck they are."""
    cards = pile.get("cards")
    return [each for each in cards if isinstance(each, str) and "@" not in each] if isinstance(cards, list) else []


def samples(system: System) -> list[tuple[str, State]]:
    """The sample scenes of a system, with their names."""
    files = sorted((system.folder / "samples").glob("*.yaml"))
    return [(file.stem, scene_of(load_yaml(file.read_text(encoding="utf-8")))[1]) for file in files]
