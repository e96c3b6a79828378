"""Fights broken down into turns: what the rows say is what the rules do, and what does not fall apart is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from math import sqrt
from random import Random
from statistics import mean, stdev
from typing import Any, Final

import pytest

from referee import registry
from referee.core import Scene, State, Who
from referee.core.knowledge import fully_known
from referee.core.questions import key_of
from referee.drivers.policies import by_default
from referee.drivers.sampled import Sampled
from referee.drivers.walk import has_numba
from referee.forecast._round_walk import MISSING, put_in_order
from referee.forecast.encounters import EncounterForecast, Prepared, Sampler, forecasts
from referee.forecast.round_walk import ends_of, walked
from referee.forecast.rule_ends import NoTurnRows
from referee.forecast.turn_rows import TurnRows
from referee.kits import breakdown
from referee.kits.breakdown import breakdown_of
from referee.systems.d6.combat.breakdown import FighterCondition, PlainFight
from referee.systems.d6.combat.round import FIGHT, IndividualCombat
from referee.testing.skirmish import FIGHT as SKIRMISH
from referee.testing.skirmish import Brawler, duel

D6: Final = registry.load("d6")
AGGRESSIVE: Final = D6.policies["aggressive"]
DISTEMPER: Final = registry.load("distemper")


def swordsman(melee: str = "4D", **more: Any) -> dict[str, Any]:
    attributes = dict.fromkeys(("Agility", "Coordination", "Strength", "Perception"), "3D")
    sword = {"name": "Sword", "place": "held"}
    return {"attributes": attributes, "skills": {"Melee Combat": melee}, "equipment": [sword], **more}


def a_fight(size: int, options: Mapping[str, Any] | None = None, **more: Any) -> Prepared:
    """So many against as many, all with swords."""
    reds = {f"red {at}": swordsman("4D+2", **more) for at in range(1, size + 1)}
    blues = {f"blue {at}": swordsman(player=False) for at in range(1, size + 1)}
    fight = {"kind": "IndividualCombat", "sides": [list(reds), list(blues)]}
    book = {"kind": "Book", "system": "d6", "options": dict(options or {})}
    return Prepared(FIGHT, fully_known(D6.state({**reds, **blues, "fight": fight, "book": book})), AGGRESSIVE)


def turn_rows(plan: Prepared) -> TurnRows:
    return TurnRows(plan.encounter, plan.state, plan.policy)


# --- the rows say what the rules do -----------------------------------------------------------------------------------


def test_played_fights_go_as_the_rows_say() -> None:
    turn_rows(a_fight(1)).check(fights=1)


def test_a_row_has_the_chances_of_the_rule() -> None:
    """Initiative of 3D: a total of 3 in one of 216 cases, 10 in 27."""
    parts = turn_rows(a_fight(1))
    parts.learn_begin(0, parts.start)
    row = parts.row(parts.begin_row[parts.start[0]])
    assert len(row) == 16
    by_score = [chance for _, chance in sorted(row.items(), key=lambda each: each[0].score)]
    assert by_score[0] == pytest.approx(1 / 216)
    assert by_score[7] == pytest.approx(27 / 216)


@pytest.mark.slow
def test_plain_and_compiled_walks_are_the_same() -> None:
    if not has_numba():
        pytest.skip("numba is not installed")
    parts = turn_rows(a_fight(1))
    plain, compiled = (walked(parts, range(20), 3, by_numba=by_numba) for by_numba in (False, True))
    assert plain is not None
    assert compiled is not None
    assert plain.conditions == compiled.conditions
    assert plain.rounds == compiled.rounds
    assert ends_of(parts, plain) == ends_of(parts, compiled)


def played_plainly(plan: Prepared, fights: int) -> tuple[Counter[str], list[int], list[int]]:
    """Who won, how many rounds it took, how many were out."""
    table, endings, rounds, out = Sampled(Random(11), plan.policy), Counter[str](), list[int](), list[int]()
    for _ in range(fights):
        how, after = table.play_out(plan.encounter, plan.state)
        fight: Any = Scene(after)[plan.encounter]
        endings[key_of(how)] += 1
        rounds.append(fight.round)
        out.append(len(fight.out(Scene(after))))
    return endings, rounds, out


def check_agreement(plan: Prepared, found: EncounterForecast, fights: int) -> None:
    """Winner, rounds and casualties within four standard errors of fights that are played."""
    endings, rounds, out = played_plainly(plan, fights)
    for side in found.parties:
        share, expected = endings[" and ".join(side)] / fights, float(found.wins(side).share)
        assert abs(share - expected) < 4 * sqrt(expected * (1 - expected) * (1 / fights + 1 / found.fights)) + 1e-9
    assert abs(mean(rounds) - found.mean_rounds) < 4.5 * stdev(rounds) / sqrt(fights)
    casualties = sum(float(each.share) for each in found.out.values())
    assert abs(mean(out) - casualties) <= 4.5 * stdev(out) / sqrt(fights)


def forecast(plan: Prepared, fights: int) -> EncounterForecast:
    sampler = Sampler([plan], break_down=True)
    tally = sampler.play(range(fights))
    assert tally is not None
    assert sampler.turn_rows[0] is not None  # it was not given up
    (found,) = forecasts([plan], tally)
    return found


def test_a_duel_goes_as_by_played_rules() -> None:
    plan = a_fight(1)
    check_agreement(plan, forecast(plan, 30), 8)


@pytest.mark.slow
def test_four_against_four_go_as_by_played_rules() -> None:
    plan = a_fight(4)
    check_agreement(plan, forecast(plan, 4_000), 400)


def a_brawl(*sides: list[str], **more: Any) -> Prepared:
    """A fight of Distemper in which panic comes early: whoever is hit twice has lost half of their Resilience."""
    axe = {"name": "axe", "skill": "Melee Combat", "wp": 3, "rp": 4}
    sheet = {"attributes": {"Physicality": 2}, "items": [axe], "wp": 10, "wp_full": 10, "rp": 10, "rp_full": 10}
    people = {name: {**sheet, "player": side is sides[0]} for side in sides for name in side}
    book = {"kind": "Book", "system": "distemper", "options": {}}
    scene = {**people, "fight": {"kind": "Fight", "sides": list(sides), **more}, "book": book}
    state = DISTEMPER.state(scene)
    return Prepared(Who("fight", type(state["fight"])), fully_known(state), DISTEMPER.policies["aggressive"])


def test_equals_who_act_at_once_go_as_the_rows_say() -> None:
    turn_rows(a_brawl(["ada"], ["bo"])).check(fights=1)


@pytest.mark.slow
@pytest.mark.parametrize("fourth", ["di", ""])
def test_outbursts_and_the_berserk_strike_whoever_is_close(fourth: str) -> None:
    """In most rounds there are equals; in every other fight somebody panics."""
    plan = a_brawl(["ada", "bo"], ["cy", *filter(None, [fourth])], bands={"ada cy": 1})
    turn_rows(plan).check(fights=3)
    check_agreement(plan, forecast(plan, 6_000), 1_000)


def test_bystanders_who_could_be_attacked_are_not_left_out() -> None:
    plan = a_brawl(["ada"], ["bo"])
    with_another = fully_known(plan.state.but("cy", plan.state["bo"]))
    with pytest.raises(NoTurnRows, match="stands by"):
        turn_rows(replace(plan, state=with_another))


# --- what does not fall apart -----------------------------------------------------------------------------------------


class WithoutStuns(PlainFight):
    """Leaves out of a condition what later turns depend on."""

    def condition(self, state: State, who: str) -> Hashable:
        found = super().condition(state, who)
        assert isinstance(found, FighterCondition)
        return replace(found, sheet=replace(found.sheet, wound="Healthy", stuns=0, new_stuns=0))


class AtRandom(PlainFight):
    """Says that foes attack somebody else than they do."""

    def facts(self, scene: Scene, who: str) -> breakdown.FighterFacts:
        found = super().facts(scene, who)
        return found if found.target_rank is None else replace(found, target_rank=(-found.target_rank[0],))


@pytest.mark.parametrize("wrong", [WithoutStuns, AtRandom])
def test_a_wrong_breakdown_is_noticed(wrong: type[PlainFight], monkeypatch: pytest.MonkeyPatch) -> None:
    declared: dict[Any, Any] = breakdown._DECLARED
    monkeypatch.setitem(declared, IndividualCombat, wrong())
    plan = a_fight(1 if wrong is WithoutStuns else 2)
    with pytest.raises(NoTurnRows):
        turn_rows(plan).check(fights=3)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"d6.combat.initiative-base": "fixed"}, "initiative is not simply rolled"),
        ({"d6.combat.initiative-fumble": True, "d6.core.wild-die": True}, "initiative is not simply rolled"),
    ],
)
def test_other_ways_of_initiative_are_played(options: Mapping[str, Any], why: str) -> None:
    with pytest.raises(NoTurnRows, match=why):
        turn_rows(a_fight(1, options))


def test_what_takes_too_long_to_check_is_played() -> None:
    with pytest.raises(NoTurnRows, match="takes too long"):
        turn_rows(a_fight(1)).check(seconds=0)


def test_other_policies_are_played() -> None:
    with pytest.raises(NoTurnRows, match="a way of their own"):
        turn_rows(replace(a_fight(1), policy=by_default))


def test_encounters_whose_game_says_nothing_are_walked_through_a_table() -> None:
    assert breakdown_of(type(duel(Brawler(), Brawler())[SKIRMISH.name])) is None
    sampler = Sampler([Prepared(SKIRMISH, fully_known(duel(Brawler(), Brawler())), by_default)], break_down=True)
    assert sampler.turn_rows == [None]
    assert sampler.play(range(5)) is not None


def test_what_is_refused_late_takes_back_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fights in which a row is not needed that turns out to be wrong would count too often."""

    def refuse(*_: Any) -> None:
        raise NoTurnRows("it shows late")

    plan = a_brawl(["ada"], ["bo"])
    sampler = Sampler([plan], break_down=True)
    first = sampler.play(range(3))
    monkeypatch.setattr(TurnRows, "learn_turn", refuse)
    monkeypatch.setattr(TurnRows, "learn_follow_up", refuse)
    second = sampler.play(range(3, 23))
    assert first is not None
    assert second is not None
    assert sampler.turn_rows == [None]
    assert second.fights == 17
    first.add(second)
    (found,) = forecasts([plan], first)
    assert found.fights == 20
    assert sum(found.rounds.values()) == pytest.approx(1)


# --- the order of a round ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "before", "places", "after"),
    [
        ([3, 5, 4], [-1, -1, -1], [2, 0, 1], [-1, -1, -1]),
        ([5, 5, 4], [-1, -1, -1], [0, 1, 2], [0, -1, -1]),
        ([5, 5, 5], [-1, 0, -1], [1, 0, 2], [1, 0, -1]),
        ([5, MISSING, 5], [-1, -1, 0], [1, MISSING, 0], [-1, -1, 0]),
    ],
)
def test_the_game_master_stays_with_whom_he_prefers(
    scores: list[int], before: list[int], places: list[int], after: list[int]
) -> None:
    found, preferred = [0, 0, 0], list(before)
    put_in_order(3, 0, scores, found, preferred, [0, 0, 0])
    assert (found, preferred) == (places, after)
