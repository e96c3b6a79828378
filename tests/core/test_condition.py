"""How well somebody still stands, in each system by its own rules, and by the look where a system declares nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from referee import registry
from referee.core import Condition, Scene, Who
from referee.core.condition import by_look
from referee.core.errors import BadInput
from referee.core.look import Look, Vital

STANDS: list[tuple[str, dict[str, Any], str, str]] = [
    ("d6", {}, "1", "healthy"),
    ("d6", {"stuns": 2}, "1", "stunned"),
    ("d6", {"wound": "Wounded"}, "3/4", "wounded"),
    ("d6", {"wound": "Wounded twice"}, "1/2", "wounded-twice"),
    ("d6", {"wound": "Neutralized"}, "1/4", "neutralized"),
    ("d6", {"wound": "Wounded", "unconscious": {"cause": "knocked out", "since": 0, "until": 9}}, "0", "unconscious"),
    ("d6", {"wound": "Mortally wounded"}, "0", "mortally-wounded"),
    ("d6", {"wound": "Dead"}, "0", "dead"),
    ("d6", {"wound": "Wounded three times"}, "1/4", "wounded-three-times"),
    ("yearzero", {}, "1", "unhurt"),
    ("yearzero", {"attributes": {"Strength": 4}, "damage": {"Strength": 1}}, "3/4", "hurt"),
    ("yearzero", {"attributes": {"Strength": 4}, "damage": {"Strength": 2}}, "1/2", "badly-hurt"),
    ("yearzero", {"attributes": {"Wits": 5}, "damage": {"Wits": 4}}, "1/5", "badly-hurt"),
    ("yearzero", {"injuries": [{"name": "Broken rib"}]}, "1", "critically-injured"),
    ("yearzero", {"damage": {"Agility": 3}}, "0", "broken"),
    ("yearzero", {"kind": "Animal", "attributes": {"Strength": 2}, "damage": {"Strength": 1}}, "1/2", "badly-hurt"),
    ("yearzero", {"damage": {"Empathy": 3}, "conditions": ["outburst"]}, "1/3", "in-an-outburst"),
    ("yearzero", {"damage": {"Empathy": 3, "Wits": 3}, "conditions": ["outburst"]}, "0", "broken"),
    ("yearzero", {"conditions": ["Unconscious"]}, "0", "unconscious"),
    ("yearzero", {"conditions": ["Dead"], "damage": {"Agility": 3}}, "0", "dead"),
    ("dime", {"hp_full": 8, "hp": 8}, "1", "unhurt"),
    ("dime", {"hp_full": 8, "hp": 5}, "5/8", "hurt"),
    ("dime", {"hp_full": 8, "hp": 4}, "1/2", "badly-hurt"),
    ("dime", {"hp_full": 8, "hp": 0}, "1/8", "barely-up"),
    ("dime", {"hp_full": 8, "hp": -3}, "1/8", "barely-up"),
    ("dime", {"hp_full": 8, "hp": -3, "unconscious": True, "dying": {"failures": 1}}, "0", "dying"),
    ("dime", {"hp_full": 8, "hp": 1, "unconscious": True}, "0", "unconscious"),
    ("dime", {"hp_full": 8, "hp": -9, "dead": True}, "0", "dead"),
    ("distemper", {}, "1", "unhurt"),
    ("distemper", {"wp": 7, "wp_full": 10}, "7/10", "hurt"),
    ("distemper", {"wp": 5, "wp_full": 10, "rp": 1}, "1/2", "badly-hurt"),
    ("distemper", {"rp": 5, "rp_full": 10}, "1", "shaken"),
    ("distemper", {"rp": 6, "rp_full": 10}, "1", "unhurt"),
    ("distemper", {"wp": 4, "dead": True}, "0", "dead"),
    ("alien", {}, "1", "calm"),
    ("alien", {"stress": 2}, "1", "stressed"),
    ("alien", {"stress": 2, "responses": ["Jumpy"]}, "1", "rattled"),
]


@pytest.mark.parametrize(("name", "sheet", "share", "word"), STANDS)
def test_how_somebody_stands_follows_from_the_sheet(name: str, sheet: dict[str, Any], share: str, word: str) -> None:
    system = registry.load(name)
    scene = Scene(system.state({"ana": sheet}))
    assert system.condition_of(scene, Who("ana", system.sheet)) == Condition(Fraction(share), word)
    assert f"conditions.{word}" in system.words or word in ("unhurt", "hurt", "badly-hurt", "down")


def test_a_share_below_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="from 0 to 1"):
        Condition(Fraction(-1), "down")


@pytest.mark.parametrize(
    ("vitals", "found"),
    [
        ((), None),
        ((Vital("Stress", field="rp"),), None),
        ((Vital("Nerve", field="rp", of="rp_full"),), Condition(Fraction(3, 10), "badly-hurt")),
        (
            (Vital("Nerve", field="rp", of="rp_full"), Vital("Wounds", field="wp", of="wp_full", tone="health")),
            Condition(Fraction(8, 10), "hurt"),
        ),
    ],
)
def test_where_a_system_declares_nothing_the_look_says_it(vitals: tuple[Vital, ...], found: Condition | None) -> None:
    system = registry.load("distemper")
    scene = Scene(system.state({"ana": {"wp": 8, "wp_full": 10, "rp": 3, "rp_full": 10}}))
    assert by_look(Look(vitals=vitals), scene, Who("ana", system.sheet)) == found


def test_by_the_look_whoever_is_out_is_down() -> None:
    system = registry.load("distemper")
    scene = Scene(system.state({"ana": {"dead": True}}))
    assert by_look(Look(out="dead"), scene, Who("ana", system.sheet)) == Condition(Fraction(0), "down")
