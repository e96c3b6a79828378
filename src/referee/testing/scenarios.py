"""Scenario files: scripted play as readable YAML. docs/scenarios.md describes the format."""

from __future__ import annotations

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
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import State
from referee.core.system import System
from referee.testing.expectations import ANYTHING, LISTED, NAMED, TIME, Difference, Form, Misplaced, Where, check_known
from referee.testing.old_words import OldWord, in_new_words, old_words, rewritten
from referee.testing.stage import ScenarioStage

PARTS: Final[dict[str, Form]] = {
    **dict.fromkeys(("scenario", "system"), ANYTHING),
    **dict.fromkeys(("options", "rulebook", "sheets", "piles", "scene"), NAMED),
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
    old_words: list[OldWord] = field(default_factory=list)
    """Renamed keys under their old names; they still work."""


def check_file(path: Path) -> list[ScenarioReport]:
    """Play every scenario of a file."""
    try:
        text = path.read_text(encoding="utf-8")
        documents = load_all_yaml(text)
        old = [list(old_words(node)) for _, node in documents]
        if any(old):
            documents = load_all_yaml(rewritten(text, chain.from_iterable(old)))
    except (yaml.YAMLError, ValueError, RecursionError) as problem:  # an impossible date is a ValueError
        mark = getattr(problem, "problem_mark", None)
        return [ScenarioReport(path.name, [Difference((), f"not YAML: {problem}", mark.line + 1 if mark else 1)])]
    found = []
    for (plain, node), words in zip(documents, old, strict=True):
        if plain is not None:
            try:
                report = check(plain)
            except RecursionError:
                report = ScenarioReport(path.name, [Difference((), "not YAML: it is nested too deeply")])
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
        try:
            report.differences += stage.step(step, ("steps", at))
        except RefereeError as problem:
            report.differences.append(_difference(problem, ("steps", at)))
            break
        report.steps += 1
    if not plain.get("steps"):
        report.differences.append(Difference(("steps",), "a scenario needs at least one step"))
    return report


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
    values: dict[str, Plain] = {}
    overlay = {"options": plain.get("options") or {}, **(plain.get("rulebook") or {})}
    if plain.get("options") or plain.get("rulebook"):
        values[BOOK.name] = {"kind": "Book", **overlay}
    if (clock := plain.get("clock")) is not None:
        values["clock"] = {"kind": "Clock", **({"now": clock} if isinstance(clock, int) else clock)}
    piles: dict[str, Plain] = {}
    for name, pile in (plain.get("piles") or {}).items():
        short = {"deck": pile} if isinstance(pile, str) else {"cards": pile}
        piles[name] = {"kind": "Pile", **(pile if isinstance(pile, Mapping) else short)}
    places = dict(places_of(system, plain))
    for part in ("sheets", "scene"):
        for name, value in (plain.get(part) or {}).items():
            place = places.get(str(name), str(name))
            if place in values or place in piles:
                raise Misplaced((part, str(name)), "is there twice")
            values[place] = value
    return system, system.new_state({**values, **_spelled_out(system, values, piles)})


def places_of(system: System, plain: Plain) -> Iterator[tuple[str, str]]:
    """What a file calls otherwise than the rules do, with the names under which they look for it."""
    for name, value in (plain.get("scene") or {}).items():
        if isinstance(value, Mapping) and (place := system.place_of(str(value.get("kind")), name)) != name:
            yield name, place


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
