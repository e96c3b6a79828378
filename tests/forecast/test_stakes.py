"""Odds beside a question are about the innermost rule in progress that decides something and is still open."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee.core import (
    D6,
    YES_NO,
    Action,
    Audience,
    Bands,
    Open,
    Pool,
    Prompt,
    Scene,
    State,
    System,
    Total,
    Who,
    change,
    choose,
    frozen,
    hand_over,
    react,
    roll,
    rule,
    settled,
)
from referee.core.encounter import Encounter
from referee.core.knowledge import fully_known
from referee.core.rules import Call, Rule
from referee.core.visibility import Seat
from referee.forecast.figures import Budget
from referee.forecast.question_odds import odds_at
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard, Unfigured
from referee.journal.journal import Journal

GM: Final = Seat("gm", master=True)
WITHOUT_TIME: Final = Budget(seconds=None)
DIE, SECRET = Prompt("die"), Prompt("secret")
RETHROW, BRACE, NOD, BLOCK = Prompt("rethrow"), Prompt("brace"), Prompt("nod"), Prompt("block")


@final
@frozen
class Knight:
    luck: Open[int] = 0


@final
@frozen
class Tourney(Encounter):
    """Ana and Cy against Bo."""

    def parties(self) -> tuple[tuple[str, ...], ...]:
        return ("ana", "cy"), ("bo",)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return stroll(ANA)

    def over(self, scene: Scene, me: Who[Any]) -> None:
        return None


ANA, BO, CY = (Who(name, Knight) for name in ("ana", "bo", "cy"))
ALONE: Final = State({"ana": Knight(), "bo": Knight(), "cy": Knight()})
TOURNEY: Final = State({**ALONE, "tourney": Tourney()})
WON: Final = Bands[bool](of=lambda won: "won" if won else "lost", keys=("won", "lost"))
SEATED: Final = Bands[bool](of=lambda seated: "seated" if seated else "thrown", keys=("seated", "thrown"))


async def die(who: Who[Knight], audience: Audience = Audience.EVERYONE) -> int:
    return (await roll(DIE, who, Pool.of((D6, 1)), Total, audience=audience)).total


@rule("stakes.throw")
async def throw(scene: Scene, who: Who[Knight]) -> int:
    """A die that may be thrown again: only a throw, for whatever it is thrown for."""
    found = await die(who)
    return await die(who) if await choose(who, RETHROW, YES_NO) else found


@rule("stakes.seat", bands=SEATED)
async def keep_seat(scene: Scene, who: Who[Knight]) -> bool:
    """A 3 keeps one in the saddle, a 2 if one braces oneself."""
    braced = await choose(who, BRACE, YES_NO)
    return await die(who) >= 3 - int(braced)


@rule("stakes.tilt")
async def tilt(scene: Scene, who: Who[Knight]) -> bool:
    """A 5 wins."""
    return await throw(who) >= 5


@rule("stakes.charge")
async def charge(scene: Scene, who: Who[Knight], foe: Who[Knight]) -> bool:
    """The foe must be thrown, and then a 5 wins."""
    seated = await keep_seat(foe)
    return not seated and await throw(who) >= 5


@rule("stakes.falls")
async def falls(scene: Scene, who: Who[Knight], foe: Who[Knight]) -> bool:
    """A 5 wins, and then the foe must keep in the saddle."""
    return await settled(await die(who) >= 5, then=keep_seat(foe))


@rule("stakes.bows")
async def bows(scene: Scene, who: Who[Knight]) -> bool:
    """It is won, and somebody may nod to that."""
    won = await die(who) >= 5
    await choose(who, NOD, YES_NO)
    return won


@rule("stakes.swap", bands=SEATED)
async def swap(scene: Scene, who: Who[Knight]) -> bool:
    """Another keeps the seat instead."""
    return await hand_over(keep_seat(who), lambda seated: not seated)


@rule("stakes.blocks", bands=SEATED)
async def blocks(scene: Scene, who: Who[Knight], friend: Who[Knight]) -> bool:
    """A friend may block the blow."""
    return bool(await react(friend, BLOCK, (True,))) or await die(who) >= 5


@rule("stakes.blow")
async def blow(scene: Scene, who: Who[Knight], foe: Who[Knight], friend: Who[Knight]) -> bool:
    """The foe may block it by themselves, then their friend for them."""
    if await react(foe, BLOCK, (True,)) and await die(foe) >= 5:
        return False
    return not await blocks(foe, friend)


@rule("stakes.feint")
async def feint(scene: Scene, who: Who[Knight], foe: Who[Knight]) -> bool:
    """By a secret die the foe keeps in the saddle, or wins at once."""
    secret = await die(who, Audience.MASTER)
    return await (swap(foe) if secret > 4 else keep_seat(foe))


@rule("stakes.stroll")
async def stroll(scene: Scene, who: Who[Knight]) -> bool:
    """Nothing to hope for."""
    return await choose(who, NOD, YES_NO)


WON_BY: Final = (tilt, charge, falls, bows, blow, feint)
ACTIONS: Final = tuple(Action(str(each).partition(".")[2], each, WON) for each in WON_BY)


@pytest.fixture
def lists(tmp_path: Path) -> System:
    return System("stakes", "Stakes", tmp_path, 1, Knight, actions=(*ACTIONS, Action("stroll", stroll)))


def card(
    lists: System, of: Rule[..., Any], *dice: int | str, seat: Seat = GM, state: State = ALONE, **others: str
) -> RiskCard:
    """The card of the question that is asked after these answers."""
    journal = Journal(lists, state)
    journal.begin("gm", of.id, {"who": "ana", **others})
    for each in dice:
        journal.answer("gm", 1, [each] if isinstance(each, int) else each)
    return odds_at(journal, journal.asking[0], seat, budget=WITHOUT_TIME)


def chances(found: RiskCard, band: str) -> dict[str, Fraction]:
    return {key: each.bands[band] for key, each in found.asked.items()}


def test_a_throw_is_about_the_action_it_is_thrown_for(lists: System) -> None:
    found = card(lists, tilt, 4)
    assert (found.about, found.good) == ("stakes.tilt", ("won",))
    assert chances(found, "won") == {"yes": Fraction(1, 3), "no": 0}
    assert found.around is None


def test_a_question_is_about_the_rule_that_asks_it_and_the_action_around_it_follows(lists: System) -> None:
    found = card(lists, charge, foe="bo")
    assert (found.about, found.good) == ("stakes.seat", ("seated",))
    assert chances(found, "seated") == {"yes": Fraction(5, 6), "no": Fraction(2, 3)}
    assert found.around is not None
    assert (found.around.about, found.around.good) == ("stakes.charge", ("won",))
    assert chances(found.around, "won") == {"yes": Fraction(1, 6) * Fraction(1, 3), "no": Fraction(1, 9)}


def test_what_is_decided_already_is_not_weighed(lists: System) -> None:
    """The charge is won; how the foe fares is all that is open."""
    found = card(lists, falls, 6, foe="bo")
    assert found.about == "stakes.seat"
    assert found.around is None


def test_answers_that_lead_to_the_same_have_no_figures_and_none_is_best(lists: System) -> None:
    found = card(lists, bows, 6)
    assert found.missing == {"": Unfigured("same")}
    assert (found.asked, found.best) == ({}, None)


def test_without_a_stake_the_card_says_so(lists: System) -> None:
    found = card(lists, stroll)
    assert found.missing == {"": Unfigured("no-stake")}


def test_a_rule_that_ends_with_another_is_still_open_around_it(lists: System) -> None:
    """The secret die is 5: another keeps the seat instead, so that what is good for the one is bad for the other."""
    found = card(lists, feint, 5, foe="bo")
    assert found.about == "stakes.seat"
    assert found.around is not None
    assert found.around.about == "stakes.swap"
    assert chances(found.around, "seated") == {"yes": Fraction(1, 6), "no": Fraction(1, 3)}


def test_what_is_at_stake_is_found_on_every_way_that_the_seat_holds_possible(lists: System) -> None:
    """Whoever does not know the secret die sees the same card, whatever it was; a third of the ways are a swap."""
    bo = Seat("bo", frozenset({"bo"}))
    one, other = (card(lists, feint, secret, foe="bo", seat=bo) for secret in (1, 6))
    assert one == other
    assert one.about == "stakes.seat"
    assert one.around is not None
    assert one.around.about == "stakes.feint"
    swapped, kept = Fraction(1, 3), Fraction(2, 3)
    assert chances(one.around, "won") == {
        "yes": kept * Fraction(5, 6) + swapped * Fraction(1, 6),
        "no": kept * Fraction(2, 3) + swapped * Fraction(1, 3),
    }


def test_a_reaction_is_hostile_to_the_action_it_reacts_to(lists: System) -> None:
    found = card(lists, blow, foe="bo", friend="cy", state=TOURNEY)
    assert (found.about, found.against) == ("stakes.blow", True)


def test_whom_a_rule_is_good_for_is_its_first_person_and_their_side(lists: System) -> None:
    """Bo is blocked for, which Ana's friends hope to fail, and Bo's friends to work."""
    hostile = card(lists, blow, "no", foe="bo", friend="cy", state=TOURNEY)
    assert (hostile.about, hostile.against) == ("stakes.blocks", True)
    friendly = card(lists, blow, "no", foe="cy", friend="ana", state=TOURNEY)
    assert (friendly.about, friendly.against) == ("stakes.blocks", False)
    assert card(lists, blow, "no", foe="bo", friend="cy").against is None


@rule("stakes.hits")
async def hits(scene: Scene, who: Who[Knight]) -> bool:
    """A 5 hits, or less with luck."""
    return await die(who) + scene[who].luck >= 5


def shot_of(scene: Scene, who: Who[Knight]) -> Call[bool]:
    return hits(who)


@rule("stakes.aim", bands=WON, foresees=shot_of)
async def aim(scene: Scene, who: Who[Knight]) -> None:
    """Whoever aims is lucky with the shot that follows."""
    if await choose(who, BRACE, YES_NO):
        await change(who, Knight(luck=1))


def test_a_declaration_has_the_odds_of_the_roll_it_leads_to(lists: System) -> None:
    found = card(lists, aim)
    assert found.about == "stakes.aim"
    assert chances(found, "won") == {"yes": Fraction(1, 2), "no": Fraction(1, 3)}


def test_so_has_an_action_that_only_declares() -> None:
    declared: Rule[..., Any] = aim
    offer = Action("aim", declared, WON).by(ANA)
    found = odds_of(offer, fully_known(ALONE), GM, budget=WITHOUT_TIME)
    assert found.now is not None
    assert found.now.bands["won"] == Fraction(1, 3)
    assert found.decisions[0].options["yes"].bands["won"] == Fraction(1, 2)
