"""One budget per card: it holds, and every figure is exact, sampled with its error, or says why it is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from threading import Event
from typing import Any, Final

import pytest
from tests.seen import seen_by

from referee.core import D6, Bands, Open, Own, Pool, Prompt, Scene, State, Total, Who, choose, frozen, offer, roll, rule
from referee.core.actions import Action
from referee.core.errors import Cancelled, NotKnown, OutOfTime, TooLong
from referee.core.knowledge import fully_known, known_to
from referee.core.questions import OptionCost
from referee.core.rules import Decide, Ends, kernel, sampler
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.policies import always, by_default
from referee.drivers.stop import Stop, timed_by
from referee.forecast.bands import Forecast
from referee.forecast.curves import STANDS, CurveQuery
from referee.forecast.figures import GLANCE, PLAYS, Budget, OddsLine, RuleSoFar, Spending, figured
from referee.forecast.risk import ActionQuery, odds_of, offers_query
from referee.forecast.risk_card import Unfigured


@frozen
class Player:
    luck: Own[int] = 0
    name: Open[str] = ""


DIE: Final = Prompt("die")
MORE: Final = Prompt("more")
HELP: Final = Prompt("help")
ANA, BO = Who("ana", Player), Who("bo", Player)
WON: Final[Bands[Any]] = Bands(of=lambda won: "won" if won else "lost", keys=("won", "lost"))
STATE: Final = fully_known(State({"ana": Player(), "bo": Player(luck=3)}))
GM: Final = Seat("gm", master=True)


@rule("tests.figures.toss")
async def toss(scene: Scene, who: Who[Player], need: int) -> bool:
    """A die must reach a number."""
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total >= need


@rule("tests.figures.endless")
async def endless(scene: Scene, who: Who[Player], throws: int) -> bool:
    """More throws than anyone can look at."""
    total = 0
    for _ in range(throws):
        total = total * 6 + (await roll(DIE, who, Pool.of((D6, 1)), Total)).total
    return total % 2 == 0


@rule("tests.figures.wavering")
async def wavering(scene: Scene, who: Who[Player], throws: int) -> bool:
    """A decision after every throw."""
    total = 0
    for _ in range(throws):
        total = total * 6 + (await roll(DIE, who, Pool.of((D6, 1)), Total)).total
        total += await choose(who, MORE, (1, 0))
    return total % 2 == 0


@rule("tests.figures.broken")
async def broken(scene: Scene, who: Who[Player]) -> bool:
    """A rule with a fault."""
    raise ZeroDivisionError


@rule("tests.figures.stare")
async def stare(scene: Scene, who: Who[Player], other: Who[Player]) -> bool:
    """Decided by what another hides."""
    return scene[other].luck > 1


@rule("tests.figures.helped")
async def helped(scene: Scene, who: Who[Player]) -> bool:
    """Help that changes nothing, at two prices."""
    costs = {"dear": OptionCost(3, "coins"), "cheap": OptionCost(1, "coins")}
    await offer(who, HELP, tuple(costs), cost=costs.get)
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total >= 4


TOSS, ENDLESS, WAVERING = Action("toss", toss, WON), Action("endless", endless, WON), Action("wavering", wavering, WON)
BROKEN, STARE, HELPED = Action("broken", broken, WON), Action("stare", stare, WON), Action("helped", helped, WON)


class Ticking:
    """A clock that goes on by a millisecond whenever someone looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def ticking() -> Iterator[Ticking]:
    found = Ticking()
    with timed_by(found):
        yield found


def line(action: Action[Any], **arguments: Any) -> OddsLine:
    return OddsLine((RuleSoFar(action.do(ANA, **arguments), STATE),), WON, ANA, by_default, by_default)


LONG: dict[str, Callable[[Budget], object]] = {
    "an action": lambda budget: odds_of(ENDLESS.by(ANA, throws=12), fully_known(STATE), GM, budget=budget),
    "an action with decisions": lambda budget: odds_of(
        WAVERING.by(ANA, throws=9), fully_known(STATE), GM, budget=budget
    ),
    "a turn": lambda budget: offers_query(
        {f"{n}": ENDLESS.by(ANA, throws=10 + n) for n in range(20)}, fully_known(STATE), GM
    ).card(budget),
    "a curve": lambda budget: CurveQuery(
        "throws", {f"{n}": ActionQuery(WAVERING.by(ANA, throws=n), STATE) for n in range(6, 16)}
    ).card(budget),
}


@pytest.mark.parametrize("what", LONG)
def test_no_card_runs_past_its_budget(what: str, ticking: Ticking) -> None:
    LONG[what](Budget(seconds=0.5))
    assert 0.45 < ticking.now < 0.6


@pytest.mark.parametrize("what", LONG)
def test_all_or_nothing_is_nothing_when_there_is_no_time(what: str, ticking: Ticking) -> None:
    with pytest.raises(OutOfTime):
        LONG[what](Budget(seconds=0.05, whole=True))
    assert ticking.now < 0.1


def test_a_cancelled_card_stops() -> None:
    cancelled = Event()
    cancelled.set()
    with pytest.raises(Cancelled):
        odds_of(ENDLESS.by(ANA, throws=12), fully_known(STATE), GM, stop=Stop(cancelled=cancelled))


def test_quick_figures_are_exact_beside_slow_ones(ticking: Ticking) -> None:
    slow = {f"slow {n}": line(ENDLESS, throws=12) for n in range(5)}
    quick = {f"quick {n}": line(TOSS, need=n) for n in range(1, 7)}
    found = figured(slow | quick, Spending(Budget(seconds=1.0)))
    assert list(found) == [*slow, *quick]
    for n in range(1, 7):
        each = found[f"quick {n}"]
        assert isinstance(each, Forecast)
        assert each.bands["won"] == Fraction(7 - n, 6)
        assert not each.samples
    sampled = [found[key] for key in slow]
    assert all(isinstance(each, Forecast) and each.samples >= 10 and 0 < each.error < 0.2 for each in sampled)


def test_a_first_look_has_what_is_exact_in_time_and_samples_nothing(ticking: Ticking) -> None:
    lines = {"slow": line(ENDLESS, throws=12), "quick": line(TOSS, need=3)}
    found = figured(lines, Spending(GLANCE))
    quick = found["quick"]
    assert isinstance(quick, Forecast)
    assert (quick.bands["won"], quick.samples) == (Fraction(2, 3), 0)
    assert found["slow"] == Unfigured("time")
    slow = odds_of(ENDLESS.by(ANA, throws=12), fully_known(STATE), GM, budget=GLANCE)
    assert (slow.now, slow.missing) == (None, {"": Unfigured("time")})


def test_sampled_figures_share_the_time_evenly(ticking: Ticking) -> None:
    found = figured({f"{n}": line(ENDLESS, throws=12) for n in range(4)}, Spending(Budget(seconds=2.0)))
    plays = [each.samples for each in found.values() if isinstance(each, Forecast)]
    assert len(plays) == 4
    assert max(plays) - min(plays) <= 40


def test_a_few_plays_that_all_went_well_are_not_certain() -> None:
    assert Forecast({"won": Fraction(1), "lost": Fraction(0)}, {}, {}, samples=10).error > 0.05
    assert Forecast({"won": Fraction(1), "lost": Fraction(0)}, {}, {}).error == 0


def test_one_option_without_odds_does_not_take_those_of_the_others() -> None:
    offers = {"toss": TOSS.by(ANA, need=4), "broken": BROKEN.by(ANA), "stare": STARE.by(ANA, other=BO)}
    seat = Seat("ana", frozenset({"ana"}))
    card = offers_query(offers, *seen_by(seat, STATE)).card(Budget())
    assert {key: each.bands["won"] for key, each in card.asked.items()} == {"toss": Fraction(1, 2)}
    assert card.missing == {"broken": Unfigured("fault"), "stare": Unfigured("hidden", "bo.luck")}


def test_without_any_time_every_option_says_so(ticking: Ticking) -> None:
    offers = {f"{n}": ENDLESS.by(ANA, throws=9 + n) for n in range(3)}
    card = offers_query(offers, fully_known(STATE), GM).card(Budget(seconds=0.0))
    assert card.missing == dict.fromkeys(offers, Unfigured("time"))


def test_of_equal_options_the_best_is_to_do_nothing_and_then_the_cheapest() -> None:
    best = odds_of(HELPED.by(ANA), fully_known(STATE), GM).best
    assert best is not None
    assert best.situations[0].worth == dict.fromkeys(("no", "cheap", "dear"), Fraction(1, 2))
    assert best.situations[0].best == ("no", "cheap", "dear")


def test_a_line_of_a_curve_that_was_not_computed_is_a_gap(ticking: Ticking) -> None:
    """With one throw everything is exact; with fourteen no plan is known, and no other line stands for it."""
    places = {f"{n}": ActionQuery(WAVERING.by(ANA, throws=n), STATE) for n in (1, 14)}
    found = CurveQuery("throws", places).card(Budget(seconds=1.0))
    assert found.lines["best"][0] == 1
    assert found.lines["best"][1] is None
    assert found.lines[STANDS][0] == Fraction(1, 2)


def test_a_decision_that_does_not_come_up_changes_nothing() -> None:
    places = {"1": ActionQuery(TOSS.by(ANA, need=4), STATE), "2": ActionQuery(HELPED.by(ANA), STATE)}
    found = CurveQuery("which", places).card(Budget())
    assert found.lines["help cheap"] == (Fraction(1, 2), Fraction(1, 2))


def test_lines_decided_alike_share_what_they_remember() -> None:
    spending = Spending(Budget())
    one, other = line(TOSS, need=2), line(TOSS, need=3)
    assert spending.exact(one) is spending.exact(other)
    other = OddsLine(one.ways, WON, ANA, always(more=1), by_default)
    assert spending.exact(one) is not spending.exact(other)


@rule("tests.figures.peeking")
async def peeking(scene: Scene, who: Who[Player], throws: int) -> bool:
    """Too long to be exact, and in the end it depends on somebody's luck."""
    return await endless(who, throws) or scene[BO].luck > 2


def test_an_option_that_turns_out_hidden_while_it_is_sampled_leaves_the_others_their_figures() -> None:
    seat = Seat("Anna", frozenset({"ana"}))
    state = known_to(STATE, seat)
    calls = {"plain": endless(ANA, 30), "peeking": peeking(ANA, 30), "toss": toss(ANA, 4)}
    lines = {key: OddsLine((RuleSoFar(call, state),), WON, ANA, by_default, by_default) for key, call in calls.items()}
    found = figured(lines, Spending(Budget(None, runs=200, plays=60)))
    assert found["peeking"] == Unfigured("hidden", "bo.luck")
    plain, tossed = found["plain"], found["toss"]
    assert isinstance(plain, Forecast)
    assert plain.samples == 60
    assert isinstance(tossed, Forecast)
    assert tossed.bands["won"] == Fraction(1, 2)
    with pytest.raises(NotKnown):
        figured({"": lines["peeking"]}, Spending(Budget(None, runs=200, plays=60)), strict=True)


# --- rules that are sampled, once for all figures ---------------------------------------------------------------------


@rule("tests.figures.long")
async def long_throw(scene: Scene, who: Who[Player]) -> int:
    """Nobody wants to play every way of it."""
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total


SAMPLED: Final = list[int]()


@kernel(long_throw)
def no_throw(scene: Scene, decide: Decide, who: Who[Player]) -> None:
    raise TooLong("too long")


@sampler(long_throw)
def some_throws(scene: Scene, decide: Decide, plays: int, who: Who[Player]) -> Ends[int]:
    SAMPLED.append(plays)
    return [(pips, (), plays // 5) for pips in range(1, 6)]


@rule("tests.figures.reach")
async def reach(scene: Scene, who: Who[Player], need: int) -> bool:
    """A throw that would take too long must reach a number."""
    return await long_throw(who) >= need


def test_a_rule_that_takes_too_long_is_sampled_once_for_all_figures_and_they_say_so() -> None:
    SAMPLED.clear()
    lines = {
        str(need): OddsLine((RuleSoFar(reach(ANA, need), STATE),), WON, ANA, by_default, by_default)
        for need in (2, 3, 4)
    }
    found = figured(lines, Spending(Budget(None)))
    chances = {key: each.bands["won"] for key, each in found.items() if isinstance(each, Forecast)}
    assert chances == {"2": Fraction(4, 5), "3": Fraction(3, 5), "4": Fraction(2, 5)}
    assert {each.samples for each in found.values() if isinstance(each, Forecast)} == {PLAYS}
    assert SAMPLED == [PLAYS]
    with pytest.raises(TooLong):
        figured(lines, Spending(Budget(1.0, whole=True)))


def test_two_samples_in_one_figure_make_it_as_uncertain_as_both() -> None:
    @rule("tests.figures.both")
    async def both(scene: Scene, one: Who[Player], other: Who[Player]) -> bool:
        return await long_throw(one) > await long_throw(other)

    assert Exact(plays=100).results(both(ANA, BO), STATE).samples == 50
    assert Exact(plays=100).results(both(ANA, ANA), STATE).samples == 100
    with pytest.raises(TooLong):
        Exact().results(both(ANA, BO), STATE)


def test_a_sampler_takes_what_its_rule_takes() -> None:
    with pytest.raises(TypeError, match=r"the sampler of .* takes \(whom\), not \(who\)"):

        @sampler(long_throw)  # type: ignore[arg-type]  # that is the point
        def wrong(scene: Scene, decide: Decide, plays: int, whom: Who[Player]) -> Ends[int]:
            return []
