"""What effects lay is read: every grant and ban, in rulebook rows and in code, counts for something.

A row may say what only people can play. Such names are listed here, with the reason; so are those that a rule should
read and does not yet.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import referee
from referee import registry

SYSTEMS = Path(referee.__file__).parent / "systems"
MAKERS = {"Grants": "grants", "Forbids": "forbids", "Extra": "extra"}
KINDS = tuple(MAKERS.values())
Known = Mapping[str, set[str]]

FOR_PEOPLE = {
    "yearzero": {
        "attack every enemy": "who is attacked in a rampage is for whoever plays it",
        "believes {}": "what somebody believes is played",
        "one act for {}": "what somebody does for another is played",
        "must attack {}": "whether the enemy can reach the one who taunts it is for the table to say",
        "ignore {}": "hunger, thirst, cold and drink have no rules but those of the game master",
        "thirsty": "the game master says when thirst sets in",
        "sleepy": "the game master says when sleepiness sets in",
    },
    "d6": {
        **dict.fromkeys(
            (
                *(f"command a {unit}" for unit in ("squad", "platoon", "company", "battalion", "division or brigade")),
                "command a regiment or capital ship",
                "command a corps or army",
                "be second of a platoon",
                "act in the whole nation",
                "arrest people",
                "search places",
                "carry weapons",
                "license to kill",
                "conduct ceremonies",
                "call in the favor",
                "own an artifact",
                "have no records",
                "withdraw to a safe house",
                "withdraw to a secret complex",
                "enter what is for adults",
            ),
            "a right or a duty in the world, which is played",
        ),
        **dict.fromkeys(
            (
                "know the time",
                "know where north is",
                "never get lost",
                "find a shortcut",
                "remember every detail",
                "retrace a journey of the past month",
                "solve any simple mathematical problem",
                "bear any stench",
                "hard to notice among people",
                "noticed in any crowd",
                "read",
                "hear",
                "speak",
            ),
            "what somebody knows, notices or can say is for the game master to tell",
        ),
        **dict.fromkeys(
            (
                "act weirdly",
                "permanent derangement",
                "kill an animal without good reason",
                "roll at the sight of the drug",
                "come close to the source",
            ),
            "how somebody behaves is played; the game master calls for the roll",
        ),
        **dict.fromkeys(("magic", "psionics", "call upon a deity"), "these chapters are not part of the game"),
        "have an implant": "implants are things, and the game master says which there are",
    },
}
NOT_YET = {
    "yearzero": {
        "softer fall": "falls have no rule of their own yet",
        **dict.fromkeys(
            ("Make a Plan", "free fast action", "free slow action", "fight by orders"), "orders in a fight"
        ),
    },
    "d6": {
        **dict.fromkeys(("fly", "glide"), "movement through the air has no rule yet"),
        **dict.fromkeys(
            ("times a sonic effect", "times an effect of light", "times an effect of stench"),
            "what strengthens effects on the senses is not multiplied yet",
        ),
        "use limb": "injuries keep nobody from using a limb yet",
        "the highest possible bonus": "bonuses of that place are given by hand",
    },
}


OFFERED = ("d6", "yearzero")
"""Systems in which the situations that effects of a sheet wait for are offered to whoever rolls, by name."""
TOLD_BY_PEOPLE = {"dime": dict.fromkeys(("at subject", "without subject"), "made of a word and the name of a subject")}
"""Situations that no rule finds by itself."""


# --- what is laid, and what is read -----------------------------------------------------------------------------------


def modules(system: str) -> list[ast.Module]:
    return [ast.parse(file.read_text("utf-8")) for file in sorted((SYSTEMS / system).rglob("*.py"))]


def constants(trees: list[ast.Module]) -> Known:
    """The texts that constants of a system's modules stand for; two modules may use one name."""
    found = defaultdict(set)
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            text = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else node.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                found[node.target.id].add(text.value)
    return found


def texts_of(node: ast.AST, known: Known) -> set[str]:
    """A text as it is written, by a constant, or with gaps: `believes {}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.JoinedStr):
        return {"".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)}
    return known.get(node.id, set()) if isinstance(node, ast.Name) else set()


def is_kind(key: ast.AST | None) -> bool:
    return isinstance(key, ast.Constant) and key.value in KINDS


def laid_in_rows(plain: Any) -> Iterator[str]:
    """What the effects of rulebook rows grant, forbid or give more of."""
    if isinstance(plain, Mapping):
        yield from (plain[kind] for kind in KINDS if isinstance(plain.get(kind), str))
        plain = list(plain.values())
    for each in plain if isinstance(plain, list) else ():
        yield from laid_in_rows(each)


def laid_in_code(tree: ast.AST, known: Known) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS and node.args:
            yield from texts_of(node.args[0], known)
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from texts_of(value, known) if is_kind(key) else ()


def makes_an_effect(node: ast.AST) -> bool:
    if isinstance(node, ast.Dict):
        return any(map(is_kind, node.keys))
    name = (getattr(node.func, "id", "") or getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
    return name in (*MAKERS, "Effect", "from_plain")


def is_text(node: ast.AST) -> bool:
    """A constant that stands for one text; a list of texts is read."""
    value = node.value if isinstance(node, ast.AnnAssign) else None
    return isinstance(value.args[0] if isinstance(value, ast.Call) and value.args else value, ast.Constant)


def read_in(node: ast.AST, known: Known, *, compared: bool = False) -> Iterator[str]:
    """Every text in code but those of effects that are made (unless to compare with) and the values of constants."""
    if is_text(node) or (makes_an_effect(node) and not compared):
        return
    if texts := texts_of(node, known):
        yield from texts
        return
    for child in ast.iter_child_nodes(node):
        yield from read_in(child, known, compared=compared or isinstance(node, ast.Compare))


def unread(trees: list[ast.Module], rulebook: Any) -> set[str]:
    known = constants(trees)
    laid = {*laid_in_rows(rulebook), *(each for tree in trees for each in laid_in_code(tree, known))}
    return laid - {*taken_in_rows(rulebook), *(each for tree in trees for each in read_in(tree, known))}


def taken_in_rows(plain: Any) -> Iterator[str]:
    """What situations of the rulebook take: whoever cannot do it is refused a roll in them."""
    if isinstance(plain, Mapping):
        yield from (str(plain["takes"]),) if isinstance(plain.get("takes"), str) else ()
        plain = list(plain.values())
    for each in plain if isinstance(plain, list) else ():
        yield from taken_in_rows(each)


def tags_in_rows(plain: Any, *, laid: bool) -> Iterator[str]:
    """The situations in which effects of rulebook rows count; or only of those that are `laid` on somebody."""
    if isinstance(plain, Mapping):
        if not laid and isinstance(plain.get("when"), list):
            yield from map(str, plain["when"])
        for key, value in plain.items():
            yield from tags_in_rows(value, laid=laid and key != "lays")
    for each in plain if isinstance(plain, list) else ():
        yield from tags_in_rows(each, laid=laid)


def tags_in_code(tree: ast.AST, known: Known) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Effect":
            sets = (each for each in ast.walk(node) if isinstance(each, ast.Call) and each.args)
            for given in (each.args[0] for each in sets if getattr(each.func, "id", "") == "frozenset"):
                yield from (text for each in getattr(given, "elts", ()) for text in texts_of(each, known))
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "when":
                    yield from (text for each in getattr(value, "elts", ()) for text in texts_of(each, known))


def words_in_rows(plain: Any) -> Iterator[str]:
    """What the rulebook names: skills, specialties, actions, weapons."""
    if isinstance(plain, Mapping):
        plain = {key: value for key, value in plain.items() if key != "when"}
        yield from map(str, plain)
        plain = list(plain.values())
    for each in plain if isinstance(plain, list) else ():
        yield from (each,) if isinstance(each, str) else words_in_rows(each)


def unknown_tags(trees: list[ast.Module], rulebook: Any, *, offered: bool = False) -> set[str]:
    known = constants(trees)
    laid = {*tags_in_rows(rulebook, laid=offered), *(each for tree in trees for each in tags_in_code(tree, known))}
    told = {*words_in_rows(rulebook), *(each for tree in trees for each in read_in(tree, known))}
    return {tag for tag in laid - told if tag.rpartition(": ")[2] not in told}


def rulebook_of(system: str) -> list[Any]:
    files = sorted((SYSTEMS / system / "rulebook").glob("*.yaml"))
    return [yaml.load(file.read_text("utf-8"), yaml.CSafeLoader) for file in files]


@pytest.mark.parametrize("system", registry.OURS)
def test_every_situation_an_effect_waits_for_can_come(system: str) -> None:
    found = unknown_tags(modules(system), rulebook_of(system), offered=system in OFFERED)
    assert found - {*TOLD_BY_PEOPLE.get(system, {})} == set()


@pytest.mark.parametrize("system", registry.OURS)
def test_whatever_an_effect_lays_is_read_by_a_rule(system: str) -> None:
    rulebook = rulebook_of(system)
    excepted = {*FOR_PEOPLE.get(system, {}), *NOT_YET.get(system, {})}
    assert unread(modules(system), rulebook) - excepted == set()


def test_the_check_finds_what_it_is_for() -> None:
    code = """
FLY: Final = "fly"
SWIM: Final = "swim"

async def rule(scene, who):
    await lay(who, Effect(Grants(FLY)))
    await lay(who, Effect.from_plain({"forbids": "dive"}))
    await lay(who, Effect(Grants(f"fear of {who}")))
    await lay(who, Effect(Grants(SWIM)))
    return applying(scene, who).granted(SWIM) or any(each.does == Grants("glide") for each in found)
"""
    rows = {"rows": [{"name": "wings", "effects": [{"grants": "glide"}, {"extra": "feather", "times": 2}]}]}
    assert unread([ast.parse(code)], rows) == {"fly", "dive", "fear of {}", "feather"}
    tags = """
async def rule(scene, who):
    await lay(who, Effect(Adds(1), frozenset(("defence", "attack"))))
    await lay(who, Effect.from_plain({"adds": 1, "when": ["night"]}))
    return applying(scene, who, "attack")
"""
    when = {"rows": [{"name": "Melee", "effects": [{"adds": 1, "when": ["Melee", "rain"]}]}]}
    assert unknown_tags([ast.parse(tags)], when) == {"defence", "night", "rain"}
