"""What may be done outside a fight: the legal ways of each action, and the refusals behind greyed-out buttons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from referee.core import Refused, Scene, Who
from referee.drivers.scripted import play
from referee.systems.distemper import SYSTEM
from referee.systems.distemper.sheet import Character

AL, BO, CY, ZED = (Who(name, Character) for name in ("al", "bo", "cy", "zed"))

SHEETS: Mapping[str, Any] = {
    "al": {
        "skills": {"Barter": 1, "Weaponsmith": 1, "Tinkerer": 0, "Armorsmith": 2},
        "items": [{"name": "rope"}, {"name": "axe"}],
    },
    "bo": {"player": False},
    "cy": {"dead": True, "wp": 0, "skills": {"Tinkerer": 4}},
}


def scene() -> Scene:
    return Scene(SYSTEM.state(SHEETS))


def ways(action: str, who: Who[Character] | None, argument: str) -> list[Any]:
    """What is legal for one argument, in order, each once."""
    found = [way[argument] for way in SYSTEM.action(action).legal(scene(), who)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("action", "argument"),
    [("check", "using"), ("dice-check", "using"), ("opposed-check", "using"), ("opposed-check", "answering")],
)
def test_anyone_may_attempt_anything_learned_or_not_bug(action: str, argument: str) -> None:
    """Only attributes and learned skills were offered, so that nobody could choose to try without training."""
    offered = ways(action, AL, argument)
    assert offered[:5] == ["Reason", "Acumen", "Physicality", "Influence", "Dexterity"]
    assert offered[5:8] == ["Animal Handling", "Armorsmith", "Athletics"]
    assert offered[-4:] == ["Weaponsmith", "Perception", "Charm", "Deception"]
    assert len(offered) == 5 + 30 + 3


def test_the_group_is_the_living_of_the_players_bug() -> None:
    """It was everybody in the scene, and had no skill to choose."""
    together = Scene(SYSTEM.state({**SHEETS, "di": {}}))
    found = list(SYSTEM.action("group-check").legal(together))
    assert {way["members"] for way in found} == {(AL, Who("di", Character))}
    assert len(found) == 38
    assert list(SYSTEM.action("group-check").legal(scene())) == []


def test_one_opposes_and_negotiates_with_others_who_are_alive() -> None:
    assert ways("opposed-check", AL, "other") == ways("negotiate", AL, "other") == [BO]
    assert ways("opposed-check", BO, "other") == ways("negotiate", BO, "other") == [AL]


def test_gambits_impressions_and_instincts_are_by_the_checks_the_book_names() -> None:
    assert ways("negotiate", AL, "using") == [
        "Influence",
        "Barter",
        "Charm",
        "Deception",
        "Entertainment",
        "Inspiration",
        "Intimidation",
    ]
    assert ways("first-impression", None, "using") == ["Influence", "Inspiration", "Intimidation", "Tactics"]
    assert ways("gut-instinct", AL, "using") == ["Psychology", "Survival", "Tactics", "Acumen"]
    assert ways("gut-instinct", AL, "hidden") == [False, True]


def test_first_impressions_are_made_alone_or_together() -> None:
    assert ways("first-impression", None, "who") == [(AL,)]
    di = Who("di", Character)
    together = Scene(SYSTEM.state({**SHEETS, "di": {}}))
    found = [way["who"] for way in SYSTEM.action("first-impression").legal(together)]
    assert list(dict.fromkeys(found)) == [(AL,), (di,), (AL, di)]


def test_upkeep_is_of_what_one_carries_by_the_skills_one_has_a_level_in() -> None:
    assert ways("upkeep", AL, "item") == ["rope", "axe"]
    assert ways("upkeep", AL, "using") == ["Weaponsmith", "Armorsmith"]
    assert ways("upkeep", BO, "using") == []


@pytest.mark.parametrize("action", ["check", "opposed-check", "gut-instinct", "negotiate", "upkeep", "bend-reality"])
def test_the_dead_have_no_legal_way(action: str) -> None:
    assert list(SYSTEM.action(action).legal(scene(), CY)) == []


REFUSED: list[tuple[str, Who[Character] | None, dict[str, Any], str]] = [
    ("check", AL, {"using": "Cooking"}, "distemper.skills.list"),
    ("check", CY, {"using": "Reason"}, "distemper.combat.damage-tracks"),
    ("check", ZED, {"using": "Reason"}, "distemper.sheet.tracked-values"),
    ("opposed-check", AL, {"other": AL, "using": "Reason", "answering": "Reason"}, "distemper.checks.opposed"),
    ("opposed-check", AL, {"other": CY, "using": "Reason", "answering": "Reason"}, "distemper.combat.damage-tracks"),
    ("opposed-check", AL, {"other": BO, "using": "Reason", "answering": "Luck"}, "distemper.skills.list"),
    ("group-check", None, {"members": (AL,), "using": "Reason"}, "distemper.checks.group"),
    ("group-check", None, {"members": (AL, CY), "using": "Reason"}, "distemper.combat.damage-tracks"),
    ("first-impression", None, {"who": (CY,), "using": "Influence"}, "distemper.combat.damage-tracks"),
    ("first-impression", None, {"who": (AL,), "using": "Reason"}, "distemper.social.first-impressions"),
    ("first-impression", None, {"who": (), "using": "Influence"}, "distemper.checks.group"),
    ("first-impression", None, {"who": (AL, AL), "using": "Influence"}, "distemper.checks.group"),
    ("gut-instinct", AL, {"using": "Reason"}, "distemper.social.gut-instincts"),
    ("gut-instinct", CY, {"using": "Acumen"}, "distemper.combat.damage-tracks"),
    ("negotiate", AL, {"other": CY, "using": "Barter"}, "distemper.combat.damage-tracks"),
    ("negotiate", AL, {"other": AL, "using": "Barter"}, "distemper.social.negotiation-gambit"),
    ("negotiate", AL, {"other": BO, "using": "Reason"}, "distemper.social.negotiation-gambit"),
    ("negotiate", AL, {"other": ZED, "using": "Barter"}, "distemper.sheet.tracked-values"),
    ("upkeep", AL, {"item": "rope", "using": "Tinkerer"}, "distemper.upkeep.check"),
    ("upkeep", AL, {"item": "saw", "using": "Weaponsmith"}, "distemper.sheet.tracked-values"),
    ("bend-reality", BO, {"what": "a clue"}, "distemper.insight.dice-economy"),
]


@pytest.mark.parametrize(("action", "who", "arguments", "rule"), REFUSED, ids=str)
def test_asking_whether_one_may_gives_the_refusal_that_doing_it_would(
    action: str, who: Who[Character] | None, arguments: dict[str, Any], rule: str
) -> None:
    asked = SYSTEM.action(action).may(scene(), who, **arguments)
    with pytest.raises(Refused) as refused:
        play(SYSTEM.action(action).do(who, **arguments), scene().state)
    assert asked is not None
    assert asked.rule == refused.value.rule == rule
    assert str(asked) == str(refused.value)
