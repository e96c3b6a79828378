"""Risk cards: right by hand, only from what the viewer knows, sampled past the budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

import pytest
from tests.seen import seen_by

from referee.core import (
    D6,
    Action,
    Audience,
    Bands,
    Facing,
    Hidden,
    Mod,
    Open,
    Own,
    Pile,
    Pool,
    Prompt,
    Scene,
    State,
    System,
    Total,
    Who,
    change,
    choose,
    draw,
    playing_cards,
    roll,
    rule,
    together,
)
from referee.core.actions import ActionChoice
from referee.core.agenda import next_of
from referee.core.errors import BadInput, TooLarge
from referee.core.files import load_yaml_file
from referee.core.knowledge import KnownState, fully_known, known_to
from referee.core.visibility import Seat
from referee.forecast.curves import compared, curve, varied, win_table
from referee.forecast.figures import Budget
from referee.forecast.question_odds import odds_at
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard, Unfigured
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.systems.alien import SKILL_ROLL
from referee.systems.alien import SYSTEM as ALIEN
from referee.systems.distemper import SYSTEM as DISTEMPER

GM: Final = Seat("gm", master=True)
NO_HURRY: Final = Budget(seconds=None, plays=1_000)


def seat(*controls: str) -> Seat:
    return Seat("somebody", frozenset(controls))


# --- by hand ----------------------------------------------------------------------------------------------------------


def pushed_roll() -> RiskCard:
    state = ALIEN.state({"ana": {"attributes": {"Agility": 1}, "stress": 1}})
    return odds_of(
        SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting"),
        *seen_by(seat("ana"), state),
        budget=NO_HURRY,
    )


def test_an_alien_roll_as_it_stands() -> None:
    """One base die and one stress die. A one on the stress die (1/6) is messed up by a six on D6 + 1 (1/6).

    Success: the stress die shows a six, 36/216; or another number but one and the base die a six, 4/6 · 1/6 = 24/216;
    or a one that is not messed up and the base die a six, 1/6 · 1/6 · 5/6 = 5/216.
    """
    now = pushed_roll().now
    assert now is not None
    assert now.bands == {"success": Fraction(65, 216), "failure": Fraction(151, 216)}
    assert now.extra == {"extra-success": Fraction(1, 36)}
    assert now.bad == {"stress-response": Fraction(1, 6), "mess-up": Fraction(1, 36)}
    assert now.samples == 0
    assert now.error == 0


def test_an_alien_roll_pushed_whenever_that_is_legal() -> None:
    """Pushed: stress 2, a second stress die, all but sixes again; a one is then messed up by a five or six on D6.

    A one on the stress die cannot be pushed: 5/216. A six on it stays: the new die spoils it by 1/6 · 1/3, 17/18.
    Otherwise (4/6): with a six on the base die two stress dice spoil it by 11/36 · 1/3, so 97/108 of 1/6; without one
    (5/6) three dice need a six: without a one 9/36 + 16/36 · 1/6, with a one (2/36 + 9/36 · 1/6) · 2/3, together 7/18.
    """
    (push,) = pushed_roll().decisions
    assert push.prompt == "push"
    by_hand = Fraction(5, 216) + Fraction(1, 6) * Fraction(17, 18)
    by_hand += Fraction(4, 6) * (Fraction(1, 6) * Fraction(97, 108) + Fraction(5, 6) * Fraction(7, 18))
    assert by_hand == Fraction(965, 1944)
    assert {key: each.bands["success"] for key, each in push.options.items()} == {"yes": Fraction(965, 1944)}


def test_an_alien_roll_pushed_as_well_as_can_be() -> None:
    """Only without a six: 65/216 as it stands, and 20/36 of the throws succeed with 7/18 when pushed."""
    best = pushed_roll().best
    assert best is not None
    assert best.good == ("success",)
    assert best.forecast.bands["success"] == Fraction(335, 648)
    told = {str(each.about): (each.chance, each.worth, each.best) for each in best.situations}
    assert told == {
        "{'base': {'blank': 1}, 'stress': {'blank': 1}}": (
            Fraction(20, 36),
            {"yes": Fraction(7, 18), "no": Fraction(0)},
            ("yes",),
        ),
        "{'base': {'six': 1}, 'stress': {'blank': 1}}": (
            Fraction(4, 36),
            {"yes": Fraction(97, 108), "no": Fraction(1)},
            ("no",),
        ),
        "{'base': {'blank': 1}, 'stress': {'six': 1}}": (
            Fraction(5, 36),
            {"yes": Fraction(17, 18), "no": Fraction(1)},
            ("no",),
        ),
        "{'base': {'six': 1}, 'stress': {'six': 1}}": (
            Fraction(1, 36),
            {"yes": Fraction(17, 18), "no": Fraction(1)},
            ("no",),
        ),
    }


def insightful_check(insight: int) -> RiskCard:
    state = DISTEMPER.state({"al": {"attributes": {"Acumen": 1}, "insight": insight}})
    offer = DISTEMPER.action("check").by(Scene(state).who("al"), using="Acumen")
    return odds_of(offer, *seen_by(seat("al"), state), budget=NO_HURRY)


@pytest.mark.slow
def test_a_distemper_check_with_two_insight_dice_as_it_stands() -> None:
    """2d6 + 1: 3 or less is 1 + 1 alone; 9 is an eight, 15 of 36; 14 is a 13, out of reach; 6 + 6 is wild."""
    now = insightful_check(2).now
    assert now is not None
    assert now.bands == {
        "wild-success": Fraction(1, 36),
        "success": Fraction(14, 36),
        "failure": Fraction(20, 36),
        "dire-failure": Fraction(1, 36),
    }


@pytest.mark.slow
def test_a_distemper_check_with_two_insight_dice_whatever_is_always_done() -> None:
    """A third die is bought once only: 3d6 ≥ 8 is 181 of 216, less the 1 + 1 with a six. Two bonuses are +5, not +6."""
    before, after = insightful_check(2).decisions
    assert (before.prompt, after.prompt) == ("insight-before", "insight-after")
    succeeds = {key: each.chance_of(("wild-success", "success")) for key, each in before.options.items()}
    assert succeeds == {"extra die": Fraction(180, 216), "bonus": Fraction(35, 36)}
    assert set(after.options) == {"re-roll low", "re-roll high", "re-roll both", "bonus"}
    assert after.options["bonus"].bands["dire-failure"] == Fraction(1, 36)
    assert after.options["re-roll both"].chance_of(("wild-success", "success")) == Fraction(15, 36)


@pytest.mark.parametrize(
    ("insight", "by_hand"),
    [
        # an eight; a five to seven and the bonus; below it both again
        (1, Fraction(30, 36) + Fraction(6, 36) * Fraction(15, 36)),
        # all but 1 + 1 reach nine with two bonuses (+5); from there both again, and one die is left
        (2, Fraction(35, 36) + Fraction(1, 36) * Fraction(65, 72)),
    ],
)
def test_a_distemper_check_decided_as_well_as_can_be(insight: int, by_hand: Fraction) -> None:
    best = insightful_check(insight).best
    assert best is not None
    assert best.good == ("wild-success", "success")
    assert best.forecast.chance_of(best.good) == by_hand


def test_ties_are_named() -> None:
    """With one die left and a five on the table only the bonus is sure; with 1 + 1 either single die is as hopeless."""
    best = insightful_check(1).best
    assert best is not None
    after = {str(each.about): each for each in best.situations if each.prompt == "insight-after"}
    double = after["{'faces': [1, 1], 'extra': 0, 'bonus': []}"]
    assert double.best == ("re-roll both",)
    six = after["{'faces': [2, 6], 'extra': 0, 'bonus': []}"]
    assert six.worth["bonus"] == six.worth["no"] == 1
    assert six.best == ("no", "bonus")  # the cheapest first


# --- from what the viewer knows ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    skill: Open[int] = 0
    nerve: Own[int] = 0
    ward: Hidden[int] = 0


DIE, OMEN, PRESS, STEAL, GUESS = Prompt("die"), Prompt("omen"), Prompt("press"), Prompt("steal"), Prompt("guess")
DECK, HAND, TABLE_ = Who("deck", Pile), Who("hand", Pile), Who("shown", Pile)

WON: Final[Bands[Any]] = Bands(of=lambda won: "won" if won else "lost", keys=("won", "lost"))


@rule("risk.pick")
async def pick(scene: Scene, who: Who[Rogue], lock: Hidden[int] = 4) -> bool:
    """A die and skill against a lock whose strength the game master keeps."""
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total + scene[who].skill >= lock


@rule("risk.stare")
async def stare(scene: Scene, who: Who[Rogue], other: Who[Rogue]) -> bool:
    """A die against the other's nerve, which only they know."""
    return (await roll(DIE, who, Pool.of((D6, 1)), Total)).total > scene[other].nerve


@rule("risk.omen")
async def omen(scene: Scene, who: Who[Rogue]) -> bool:
    """A throw nobody sees decides what a second die must show; after an open die one may press on."""
    secret = await roll(OMEN, who, Pool.of((D6, 1)), Total, audience=Audience.MASTER)
    seen = await roll(DIE, who, Pool.of((D6, 1)), Total)
    if await choose(who, PRESS, (True, False)):
        seen = await roll(DIE, who, Pool.of((D6, 1)), Total)
    return seen.total >= secret.total


@rule("risk.high-card")
async def high_card(scene: Scene, who: Who[Rogue]) -> bool:
    """A red card wins."""
    card = await draw(STEAL, DECK, TABLE_, who=who)
    return card.suit in ("hearts", "diamonds")


@rule("risk.snatch")
async def snatch(scene: Scene, who: Who[Rogue]) -> bool:
    """A card out of the other's hand."""
    card = await draw(STEAL, HAND, TABLE_, who=who)
    return card.suit == "hearts"


@rule("risk.guess")
async def guess(scene: Scene, who: Who[Rogue], other: Who[Rogue]) -> bool:
    """Both choose at once, then the dice fall."""
    mine, theirs = await together(choose(who, GUESS, ("low", "high")), choose(other, GUESS, ("low", "high")))
    return mine == theirs and (await roll(DIE, who, Pool.of((D6, 1)), Total)).total > 3


@rule("risk.guess-with-many")
async def guess_with_many(scene: Scene, who: Who[Rogue], other: Who[Rogue]) -> bool:
    """One against eight guesses, all at once."""
    mine, *theirs = await together(
        choose(who, GUESS, ("low", "high")), *(choose(other, GUESS, ("low", "high")) for _ in range(8))
    )
    return mine in theirs and (await roll(DIE, who, Pool.of((D6, 1)), Total)).total > 3


@rule("risk.bless")
async def bless(scene: Scene, who: Who[Rogue]) -> bool:
    """The ward grows, unlooked at."""
    thrown = await roll(DIE, who, Pool.of((D6, 1)), Total)
    await change(who, replace(scene[who], skill=thrown.total))
    return thrown.total == 6


PICK: Final = Action("pick", pick, WON, may_be={"lock": lambda scene: range(1, 9)})
STARE: Final = Action("stare", stare, WON)
OMENS: Final = Action("omen", omen, WON)
CARDS: Final = Action("high-card", high_card, WON)
SNATCH: Final = Action("snatch", snatch, WON)
GUESSING: Final = Action("guess", guess, WON)
GUESSING_WITH_MANY: Final = Action("guess-with-many", guess_with_many, WON)
BLESS: Final = Action("bless", bless, WON)

ANA, BO = Who("ana", Rogue), Who("bo", Rogue)


@pytest.fixture
def den(tmp_path: Path) -> System:
    return System(
        "risk",
        "Risk",
        tmp_path,
        1,
        Rogue,
        actions=(PICK, STARE, OMENS, CARDS, SNATCH, GUESSING, GUESSING_WITH_MANY, BLESS),
    )


def rogues(**bo: int) -> State:
    return State({"ana": Rogue(skill=1), "bo": Rogue(**bo)})


def test_a_hidden_difficulty_gives_a_curve_and_leaks_nothing() -> None:
    cards = [odds_of(PICK.by(ANA, lock=lock), *seen_by(seat("ana"), rogues())) for lock in (2, 7)]
    assert cards[0] == cards[1]
    assert str(cards[0].to_plain()) == str(cards[1].to_plain())
    assert cards[0].now is None
    assert cards[0].unknown == "lock"
    by_hand = {"1": 1, "2": 1, "3": Fraction(5, 6), "4": Fraction(4, 6), "5": Fraction(3, 6)}
    by_hand |= {"6": Fraction(2, 6), "7": Fraction(1, 6), "8": 0}
    assert {lock: each.bands["won"] for lock, each in cards[0].curve.items()} == by_hand


def test_a_distemper_check_whose_difficulty_is_kept_secret() -> None:
    """By every CMod there may be: 2d6 reaches 9 - CMod, or shows 6 + 6; never with 1 + 1."""
    state = DISTEMPER.state({"al": {"insight": 0}})
    offers = [DISTEMPER.action("check").by(Scene(state).who("al"), using="Acumen", secret=cmod) for cmod in (-5, 0, 4)]
    cards = [odds_of(offer, *seen_by(seat("al"), state)) for offer in offers]
    assert cards[0] == cards[1] == cards[2]
    assert cards[0].unknown == "secret"
    ways = {"-5": 1, "-4": 1, "-3": 1, "-2": 3, "-1": 6, "0": 10, "1": 15, "2": 21, "3": 26, "4": 30, "5": 33}
    found = {cmod: each.chance_of(("wild-success", "success")) for cmod, each in cards[0].curve.items()}
    assert found == {cmod: Fraction(n, 36) for cmod, n in ways.items()}
    told = odds_of(offers[2], fully_known(state), GM).now
    assert told is not None
    assert told.chance_of(("wild-success", "success")) == Fraction(30, 36)


def test_the_game_master_sees_the_odds_themselves() -> None:
    card = odds_of(PICK.by(ANA, lock=7), fully_known(rogues()), GM)
    assert card.now is not None
    assert card.now.bands["won"] == Fraction(1, 6)
    assert not card.curve
    assert not card.unknown


def test_what_another_hides_is_unknown_and_leaks_nothing() -> None:
    cards = [odds_of(STARE.by(ANA, other=BO), *seen_by(seat("ana"), rogues(nerve=nerve))) for nerve in (1, 5)]
    assert cards[0] == cards[1] == RiskCard(unknown="bo.nerve")
    own = odds_of(STARE.by(ANA, other=BO), *seen_by(seat("bo"), rogues(nerve=5)))
    assert own.now is not None
    assert own.now.bands["won"] == Fraction(1, 6)


def test_a_secret_that_plays_no_part_changes_nothing() -> None:
    cards = [odds_of(BLESS.by(ANA), *seen_by(seat("ana"), State({"ana": Rogue(ward=ward)}))) for ward in (0, 9)]
    assert cards[0] == cards[1]
    assert cards[0].now is not None
    assert cards[0].now.bands["won"] == Fraction(1, 6)


def with_cards(hand: slice) -> State:
    """Ten hearts and spades: some in bo's hand, the rest in the deck."""
    suits = [card for card in playing_cards(jokers=0) if card.suit in ("hearts", "spades")]
    some = [suits[0], *suits[13:17], *suits[1:6]]
    held = some[hand]
    deck = Pile(tuple(card for card in some if card not in held))
    return rogues().after(
        (("deck", deck), ("hand", Pile(tuple(held), Facing.HAND, "bo")), ("shown", Pile(facing=Facing.UP)))
    )


def test_hidden_cards_are_unseen_cards() -> None:
    """Four hearts among ten unseen cards: to who may not look, any may come, whatever bo holds."""
    hearts_held, spades_held = with_cards(slice(1, 4)), with_cards(slice(6, 9))
    cards = [odds_of(CARDS.by(ANA), *seen_by(seat("ana"), state)) for state in (hearts_held, spades_held)]
    assert cards[0] == cards[1]
    assert cards[0].now is not None
    assert cards[0].now.bands["won"] == Fraction(4, 10)


def test_who_holds_the_hidden_cards_knows_better() -> None:
    own = odds_of(CARDS.by(ANA), *seen_by(seat("bo"), with_cards(slice(1, 4))))
    assert own.now is not None
    assert own.now.bands["won"] == Fraction(1, 7)
    assert odds_of(CARDS.by(ANA), *seen_by(GM, with_cards(slice(1, 4)))) == own


def test_a_card_out_of_a_hand_one_cannot_see_is_unknown() -> None:
    assert odds_of(SNATCH.by(ANA), *seen_by(seat("ana"), with_cards(slice(1, 4)))) == RiskCard(unknown="hand.cards")


# --- in the middle of a step ------------------------------------------------------------------------------------------


def opened(den: System, offer: ActionChoice, *dice: int) -> Journal:
    journal = Journal(den, rogues())
    journal.begin("gm", offer.action.rule.id, offer.action.plain(offer.who, **offer.arguments))
    for die in dice:
        journal.answer("gm", 1, [die])
    return journal


def test_the_rest_of_a_step_is_weighed_over_every_fall_of_a_hidden_throw(den: System) -> None:
    """A four is seen. It stands against a secret die of at most four, 4/6; another die wins 21/36."""
    cards = []
    for secret in (1, 6):
        journal = opened(den, OMENS.by(ANA), secret, 4)
        (waiting,) = journal.asking
        cards.append(odds_at(journal, waiting, seat("ana")))
    assert cards[0] == cards[1]
    assert {key: each.bands["won"] for key, each in cards[0].asked.items()} == {
        "yes": Fraction(21, 36),
        "no": Fraction(4, 6),
    }
    assert cards[0].best is None


def test_the_game_master_knows_how_the_hidden_throw_fell(den: System) -> None:
    journal = opened(den, OMENS.by(ANA), 6, 4)
    card = odds_at(journal, journal.asking[0], GM)
    assert {key: each.bands["won"] for key, each in card.asked.items()} == {"yes": Fraction(1, 6), "no": 0}
    assert card.best is not None
    assert card.best.situations[0].best == ("yes",)


def test_what_another_chose_in_secret_is_not_told_and_all_pairs_are(den: System) -> None:
    cards = []
    for said in ("low", "high"):
        journal = opened(den, GUESSING.by(ANA, other=BO))
        journal.answer("bo", 1, said, part=1)
        (waiting,) = journal.asking
        cards.append(odds_at(journal, waiting, seat("ana")))
    assert cards[0] == cards[1]
    assert cards[0].best is None
    assert not cards[0].asked
    assert {pair: each.bands["won"] for pair, each in cards[0].pairs.items()} == {
        "low / low": Fraction(1, 2),
        "low / high": 0,
        "high / low": 0,
        "high / high": Fraction(1, 2),
    }


def test_what_many_choose_at_once_is_no_table_of_all_combinations(den: System) -> None:
    """Nine choices are 512 combinations, twelve people's number of actions 240 million: the others choose as usual."""
    (waiting,) = [each for each in opened(den, GUESSING_WITH_MANY.by(ANA, other=BO)).asking if each.part == 0]
    card = odds_at(opened(den, GUESSING_WITH_MANY.by(ANA, other=BO)), waiting, seat("ana"))
    assert not card.pairs
    assert {key: each.bands["won"] for key, each in card.asked.items()} == {"low": 0, "high": Fraction(1, 2)}


def test_actions_to_choose_from_come_with_their_own_odds() -> None:
    """In a fight each action of the turn is asked about by itself: 2d6 + 2 + 1 reaches nine with a six, 26 of 36."""
    fight = {"kind": "Fight", "sides": [["al"], ["bo"]], "phase": "actions", "scores": {"al": 9}, "left": {"al": 2}}
    brawler = {"attributes": {"Physicality": 2}, "skills": {"Melee Combat": 1}, "items": [{"name": "axe"}]}
    nobody = {"player": False, "insight": 0}
    state = DISTEMPER.state({"al": {**brawler, "insight": 0}, "bo": nobody, "fight": fight})
    journal = Journal(DISTEMPER, state, SeededDice(bytes(32)))
    journal.begin("gm", "distemper.combat-actions.catalogue", {"who": "al"})
    (waiting,) = journal.asking
    card = odds_at(journal, waiting, seat("al"), budget=NO_HURRY)
    assert card.asked["attack bo axe"].chance_of(("wild-success", "success")) == Fraction(26, 36)
    assert card.now is None


# --- past the budget --------------------------------------------------------------------------------------------------


def test_past_the_budget_figures_are_sampled_and_say_how_sure_they_are() -> None:
    state = ALIEN.state({"ana": {"attributes": {"Agility": 4}, "stress": 2}})
    offer = SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting")
    exact = odds_of(offer, fully_known(state), GM, budget=NO_HURRY)
    rough = odds_of(offer, fully_known(state), GM, budget=Budget(seconds=None, runs=3, plays=2_000))
    assert exact.now is not None
    assert rough.now is not None
    assert rough.now.samples == 2_000
    assert 0.005 < rough.now.error < 0.02
    assert abs(rough.now.bands["success"] - exact.now.bands["success"]) < 4 * rough.now.error
    assert [each.prompt for each in rough.decisions] == ["push"]
    pushed, known = rough.decisions[0].options["yes"], exact.decisions[0].options["yes"]
    assert abs(pushed.bands["success"] - known.bands["success"]) < 4 * pushed.error
    assert rough.best is None


def test_without_a_clock_the_same_is_sampled_each_time() -> None:
    state = ALIEN.state({"ana": {"stress": 2}})
    offer = SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting")
    budget = Budget(seconds=None, runs=3, plays=100)
    assert odds_of(offer, fully_known(state), GM, budget=budget) == odds_of(
        offer, fully_known(state), GM, budget=budget
    )


def test_without_any_time_the_card_says_so() -> None:
    state = ALIEN.state({"ana": {"attributes": {"Agility": 10}, "stress": 10}})
    card = odds_of(
        SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting"), fully_known(state), GM, budget=Budget(seconds=0.0)
    )
    assert card.now is None
    assert card.missing == {"": Unfigured("time")}


# --- curves -----------------------------------------------------------------------------------------------------------


def test_a_curve_along_an_argument() -> None:
    found = curve(varied(PICK.by(ANA), fully_known(rogues()), "lock", range(1, 9)), GM, along="lock")
    assert found.at == ("1", "2", "3", "4", "5", "6", "7", "8")
    assert found.lines == {"as it stands": (1, 1, *(Fraction(n, 6) for n in (5, 4, 3, 2, 1)), 0)}
    assert found.text().splitlines()[3].split() == ["3", "83.3%"]
    assert found.to_plain()["lines"] == {
        "as it stands": [{"exact": str(each), "float": float(each or 0)} for each in found.lines["as it stands"]]
    }


def test_a_curve_along_a_field_of_who_acts() -> None:
    found = curve(varied(PICK.by(ANA), fully_known(rogues()), "skill", (0, 1, 9)), GM, along="skill")
    assert found.lines["as it stands"] == (Fraction(3, 6), Fraction(4, 6), Fraction(1))


def test_a_curve_with_every_decision() -> None:
    state = ALIEN.state({"ana": {"attributes": {"Agility": 1}, "stress": 1}})
    offer = SKILL_ROLL.by(Scene(state).who("ana"), skill="Piloting")
    found = curve(varied(offer, fully_known(state), "attributes.Agility", (1, 2)), GM, along="Agility", budget=NO_HURRY)
    assert list(found.lines) == ["as it stands", "push yes", "best"]
    assert [line[0] for line in found.lines.values()] == [Fraction(65, 216), Fraction(965, 1944), Fraction(335, 648)]


def test_a_curve_of_modifiers() -> None:
    state = DISTEMPER.state({"al": {"insight": 0}})
    offer = DISTEMPER.action("check").by(Scene(state).who("al"), using="Acumen")
    found = curve(varied(offer, fully_known(state), "cmods", (-9, 0, 2)), GM, along="CMod")
    assert found.lines["as it stands"] == (Fraction(1, 36), Fraction(10, 36), Fraction(21, 36))
    assert offer.arguments == {"using": "Acumen"}
    assert varied(offer, fully_known(state), "cmods", (2,))["2"][0].arguments["cmods"] == (Mod(2),)


def test_what_is_unknown_is_a_gap_in_the_curve() -> None:
    found = curve(
        varied(STARE.by(ANA, other=BO), known_to(rogues(), seat("ana")), "skill", (0, 1)), seat("ana"), along="skill"
    )
    assert found.lines["as it stands"] == (None, None)
    assert found.text().splitlines()[1].split() == ["0", "?"]


def test_one_option_against_another() -> None:
    places = {
        "novice": varied(PICK.by(BO), fully_known(rogues()), "lock", (4, 5)),
        "expert": varied(PICK.by(BO), fully_known(rogues(skill=2)), "lock", (4, 5)),
    }
    found = compared(places, GM, along="lock")
    assert found.lines == {"novice": (Fraction(3, 6), Fraction(2, 6)), "expert": (Fraction(5, 6), Fraction(4, 6))}
    with pytest.raises(BadInput, match="same places"):
        compared({**places, "other": varied(PICK.by(BO), fully_known(rogues()), "lock", (4,))}, GM, along="lock")


@pytest.mark.slow
def test_a_win_table_of_opposed_rolls() -> None:
    def place(mine: int, theirs: int) -> tuple[ActionChoice, KnownState]:
        state = DISTEMPER.state(
            {
                "al": {"attributes": {"Physicality": mine}, "insight": 0},
                "bo": {"attributes": {"Physicality": theirs}, "insight": 0},
            }
        )
        scene = Scene(state)
        action = DISTEMPER.action("opposed-check")
        return action.by(
            scene.who("al"), other=scene.who("bo"), using="Physicality", answering="Physicality"
        ), fully_known(state)

    table = win_table(place, (0, 2), (0, 2), GM, budget=NO_HURRY)
    even, behind, ahead = table.chances[0][0], table.chances[0][1], table.chances[1][0]
    assert even is not None
    assert behind is not None
    assert ahead is not None
    assert Fraction(1, 2) - Fraction(1, 10**12) < even <= Fraction(1, 2)  # ties that go on for ever are left out
    assert 1 - Fraction(1, 10**12) < behind + ahead <= 1
    assert ahead > Fraction(7, 10)
    assert "<svg" in table.svg()
    with pytest.raises(TooLarge, match="at most 400"):
        win_table(place, range(30), range(30), GM)


def test_curves_are_drawn_with_words_for_those_who_cannot_see() -> None:
    found = curve(varied(PICK.by(ANA), fully_known(rogues()), "lock", range(1, 9)), GM, along="lock")
    picture = found.svg("Picking a lock")
    assert picture.startswith("<svg")
    assert "as it stands: 100% at 1" in picture or "as it stands:" in picture
    assert "<script" not in picture


def test_too_many_points_are_refused() -> None:
    with pytest.raises(TooLarge, match="from 1 to 60"):
        varied(PICK.by(ANA), fully_known(rogues()), "lock", range(1000))
    with pytest.raises(BadInput, match="nothing"):
        varied(PICK.by(ANA), fully_known(rogues()), "nothing", (1,))


def test_actions_that_take_long_do_not_take_the_time_of_the_others() -> None:
    """Of a Distemper turn only grapples and rapid fire are counted in plays, however they are listed."""
    plain = load_yaml_file(DISTEMPER.folder / "samples" / "roadblock.yaml")
    journal = Journal(DISTEMPER, DISTEMPER.state({**plain["sheets"], **plain["scene"]}), SeededDice(b"road"))
    journal.begin("table", "distemper.combat.round", {})
    while journal.asking:
        journal.answer("x", journal.asking[0].step, "no", journal.asking[0].part)
    following = next_of(journal.scene)
    assert following is not None
    call = following.call
    journal.begin("table", call.rule.id, call.plain())
    (waiting,) = journal.asking
    card = odds_at(journal, waiting, Seat("gm", master=True), budget=Budget(seconds=None, runs=1500, plays=20))
    assert {key.split()[0] for key, each in card.asked.items() if each.samples} <= {"grapple", "rapid-fire"}
    assert len(card.asked) > 50
