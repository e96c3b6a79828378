"""A condition does the same as time passes whether it came by play, by an edit, in a sample or with an imported log."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from referee import registry
from referee.core.clock import Clock, Deadline
from referee.core.scene import State
from referee.testing.conditions import conditions, differences, rules_of, states_of, stored_rules

SCENARIOS: Final = Path(__file__).parent.parent / "scenarios"
BEGUN: Final = "what an action begins, and nobody has by their sheet alone"
SET_BY_RULES: Final[dict[str, dict[str, str]]] = {
    "alien": {"alien.stress.trigger": "only scenarios set it, to try out the clock"},
    "d6": {
        "d6.flaws.physical-e-w/passes": "a seizure lies on somebody as an effect, not on their sheet",
        "d6.flaws.physical-e-w/refreshed": "how long the fatigue of a seizure or a rage lasts is rolled at its end",
    },
    "dime": {},
    "distemper": {},
    "yearzero": {
        "yearzero.animal-handling.tame/missed": BEGUN,
        "yearzero.animal-handling.training/missed": BEGUN,
        "yearzero.combat.recovery-rest/recover": BEGUN,
        "yearzero.core.ranges-and-time/time-is-up": BEGUN,
        "yearzero.core.willpower-passive/recover": "whoever lacks Willpower waits for it from when time is let pass",
        "yearzero.core.willpower-stronghold/week": BEGUN,
        "yearzero.crafting.craft-outcome/week": BEGUN,
        "yearzero.crafting.items-dm7/wears-off": "what a drug does lies on somebody as an effect, not on their sheet",
        "yearzero.development.new-skill-requirement/taught": BEGUN,
        "yearzero.development.talent-gain/practised": BEGUN,
        "yearzero.insight.meditation-effects/over": BEGUN,
        "yearzero.survival.general-effects/dawn": BEGUN,
        "yearzero.talents.combat/renewed": BEGUN,
    },
}
"""The rules whose time a rule sets on the clock, so that it is not on a sheet, and why."""


@cache
def states(system: str) -> tuple[State, ...]:
    return tuple(states_of(sorted((SCENARIOS / system).glob("*.yaml"))))


def found_to_differ(system: str, scenes: tuple[State, ...]) -> dict[tuple[str, ...], list[str]]:
    loaded = registry.load(system)
    found = {tuple(sorted(each.rules)): differences(loaded, each) for each in conditions(scenes)}
    return {rules: ways for rules, ways in found.items() if ways}


@pytest.mark.parametrize("system", ["d6", "yearzero"])
def test_a_condition_that_was_put_on_a_sheet_by_hand_does_the_same_whichever_way_it_came(system: str) -> None:
    scenes = tuple(states_of([SCENARIOS / system / "time.yaml"]))
    assert len(list(conditions(scenes))) >= 2
    assert found_to_differ(system, scenes) == {}


def test_what_only_the_clock_has_is_found() -> None:
    d6 = registry.load("d6")
    state = d6.new_state({"ana": {"stuns": 5, "fatigue": {"Epileptic": 1}}})
    fresh = Deadline(2, 0, "ana", "d6.flaws.physical-e-w/refreshed", "Epileptic")
    found = next(conditions([state.but("clock", Clock(0, (fresh,)))]))
    assert found.rules == {"d6.glossary.terms/round-over"}
    assert differences(d6, found) == ["edited", "imported", "sample"]


@pytest.mark.slow
@pytest.mark.parametrize("system", registry.OURS)
def test_every_condition_that_is_met_does_the_same_whichever_way_it_came(system: str) -> None:
    assert found_to_differ(system, states(system)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("system", registry.OURS)
def test_every_rule_that_a_system_declares_to_follow_is_met(system: str) -> None:
    met = {rule for each in conditions(states(system)) for rule in each.rules}
    assert rules_of(registry.load(system)) - met == set()


@pytest.mark.slow
@pytest.mark.parametrize("system", registry.OURS)
def test_what_rules_set_on_the_clock_is_known_and_has_a_reason(system: str) -> None:
    assert stored_rules(states(system)) == set(SET_BY_RULES[system])
