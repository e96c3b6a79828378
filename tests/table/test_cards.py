"""Cards at the table, by the smallest game that needs them: decks come with characters, hands are hidden."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import pytest

from referee.core import (
    Action,
    Audience,
    BadInput,
    Bands,
    Card,
    Facing,
    Open,
    Pile,
    Prompt,
    Scene,
    State,
    System,
    Who,
    change,
    choose,
    draw,
    frozen,
    move,
    offer,
    pile_of,
    react,
    refuse,
    rule,
    tell,
    together,
)
from referee.core.cards import playing_cards
from referee.core.errors import RefereeError
from referee.core.files import load_yaml
from referee.core.knowledge import known_to
from referee.core.plain import Plain
from referee.core.requests import move_all
from referee.core.visibility import Seat, visible_scene
from referee.drivers.exact import Exact
from referee.forecast.figures import Budget
from referee.journal.lines import Line, SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open as Asked
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.draft_desk import enter
from referee.table.members import Member
from referee.table.rehearsal import open_table
from referee.testing.scenarios import check, scene_of
from referee.testing.two_worlds import secrets
from referee.testing.two_worlds.moves import USUAL
from referee.testing.two_worlds.walk import GUEST, MASTER, Leak, ScriptMove, Secret, Stage, Walk

PLAY, FOLLOW, TURN, DEAL, SHOW, DODGE = map(Prompt, ("play", "follow", "turn", "deal", "show", "dodge"))
SEATS: Final = (MASTER, "ann", "ben", GUEST)
DICE: Final = SeededDice(b"cards")
EXACT: Final = Budget(seconds=None, runs=4000)


# --- the game ---------------------------------------------------------------------------------------------------------


@frozen
class Gambler:
    """Somebody with cards. Players have a deck of their own; everybody else has the game master's."""

    player: Open[bool] = True
    shy: Open[bool] = False
    """Whether not even the game master sees the hand."""


Person = Who[Gambler]


def small_deck(scene: Scene, whose: str) -> tuple[Card, ...]:
    """Two to five, in black and red."""
    return tuple(Card(rank + suit, whose) for rank in "2345" for suit in "SH")


def piles(scene: Scene, who: Who[Any] | None) -> Mapping[str, Pile]:
    """A deck, a hand and discards for a player; a hand for the others; the game master's deck for every scene."""
    if who is None:
        return {
            "gm.deck": Pile(small_deck(scene, "gm"), owner="gm"),
            "gm.discards": Pile(facing=Facing.MASTER, owner="gm"),
        }
    if not scene[who].player:
        return {"hand": Pile(facing=Facing.HAND)}
    hand = Facing.PRIVATE if scene[who].shy else Facing.HAND
    return {
        "deck": Pile(small_deck(scene, who.name)),
        "hand": Pile(facing=hand),
        "discards": Pile(facing=Facing.UP),
    }


def deck(scene: Scene, who: Person) -> Who[Pile]:
    return pile_of(who if scene[who].player else "gm", "deck")


def hand(who: Person) -> Who[Pile]:
    return pile_of(who, "hand")


def discards(scene: Scene, who: Person) -> Who[Pile]:
    return pile_of(who if scene[who].player else "gm", "discards")


def only_owner(scene: Scene, who: Person) -> Audience:
    return Audience.PRIVATE if scene[who].shy else Audience.OWNER


@rule("gamble.deal")
async def deal(scene: Scene, who: Person) -> None:
    """A card into the hand, which no one else sees."""
    check_deal(scene, who)
    await draw(DEAL, deck(scene, who), hand(who), who=who, audience=only_owner(scene, who))


def check_deal(scene: Scene, who: Person) -> None:
    if not scene[deck(scene, who)]:
        refuse("no card is left")


@rule("gamble.play")
async def play_card(scene: Scene, who: Person) -> str:
    """Play a card from the hand: everyone learns which."""
    check_play(scene, who)
    card = await choose(who, PLAY, scene[hand(who)].cards, options_for=only_owner(scene, who))
    await move(card, hand(who), discards(scene, who))
    return card.name


def check_play(scene: Scene, who: Person) -> None:
    if not scene[hand(who)]:
        refuse("the hand is empty")


@rule("gamble.follow")
async def follow_suit(scene: Scene, who: Person) -> bool:
    """A heart may be played; whether there is one in the hand is nobody's business."""
    check_play(scene, who)

    def check_heart(card: Card) -> None:
        if card.suit != "hearts":
            refuse("it is no heart")

    card = await offer(who, FOLLOW, scene[hand(who)].cards, check=check_heart, options_for=only_owner(scene, who))
    if card is not None:
        await move(card, hand(who), discards(scene, who))
    return card is not None


@rule("gamble.turn")
async def turn(scene: Scene, who: Person) -> int:
    """The top card counts; it wins with a four or more."""
    check_deal(scene, who)
    card = await draw(TURN, deck(scene, who), discards(scene, who), who=who)
    return int(card.rank)


@rule("gamble.attack")
async def attack(scene: Scene, who: Person, target: Person) -> int:
    """The one who is attacked may play a card against the card that is turned."""
    against = await react(target, DODGE, scene[hand(target)].cards, options_for=only_owner(scene, target))
    if against is not None:
        await move(against, hand(target), discards(scene, target))
    card = await draw(TURN, deck(scene, who), discards(scene, who), who=who)
    return int(card.rank) - (int(against.rank) if against is not None else 0)


@rule("gamble.contest")
async def contest(scene: Scene, who: Person, target: Person) -> int:
    """Both turn a card."""
    check_deal(scene, who)
    check_deal(scene, target)
    mine = await draw(TURN, deck(scene, who), discards(scene, who), who=who)
    theirs = await draw(TURN, deck(scene, target), discards(scene, target), who=target)
    return 4 + int(mine.rank) - int(theirs.rank)


@rule("gamble.feint")
async def feint(scene: Scene, who: Person, target: Person) -> int:
    """The one who is attacked plays a card; then another one may be played on the card that is turned."""
    check_play(scene, who)
    check_play(scene, target)
    against = await choose(target, SHOW, scene[hand(target)].cards, options_for=only_owner(scene, target))
    await move(against, hand(target), discards(scene, target))
    more = await offer(who, PLAY, scene[hand(who)].cards, options_for=only_owner(scene, who))
    if more is not None:
        await move(more, hand(who), discards(scene, who))
    card = await draw(TURN, deck(scene, target), discards(scene, target), who=target)
    return (int(more.rank) if more is not None else 0) + 4 - int(card.rank)


@rule("gamble.duel")
async def duel(scene: Scene, who: Person, target: Person) -> str:
    """Both show a card at once; the higher one wins both."""
    check_play(scene, who)
    check_play(scene, target)
    mine, theirs = await together(
        choose(who, SHOW, scene[hand(who)].cards, options_for=only_owner(scene, who)),
        choose(target, SHOW, scene[hand(target)].cards, options_for=only_owner(scene, target)),
    )
    winner, loser, lost = (who, target, theirs) if int(mine.rank) >= int(theirs.rank) else (target, who, mine)
    await move(lost, hand(loser), hand(winner))
    await tell("won", who=winner)
    return winner.name


@rule("gamble.fold")
async def fold(scene: Scene, who: Person) -> None:
    """The red cards of the hand go at once."""
    await move((card for card in scene[hand(who)].cards if card.suit == "hearts"), hand(who), discards(scene, who))


@rule("gamble.shuffle")
async def shuffle(scene: Scene, who: Person) -> None:
    """The discards go back into the deck."""
    await move_all(discards(scene, who), deck(scene, who))


@rule("gamble.meet")
async def meet(scene: Scene, who: Person) -> None:
    """Somebody comes in: a rule adds them."""
    await change(Who("stranger", Gambler), Gambler())


@rule("gamble.part")
async def part(scene: Scene, who: Person) -> None:
    """Somebody leaves."""
    await change(Who("stranger", Gambler), None)


OURS: Final[Bands[str]] = Bands(of=lambda winner: "ours" if winner == "ana" else "theirs", keys=("ours", "theirs"))
HIGH: Final[Bands[Any]] = Bands(of=lambda n: "high" if n >= 4 else "low", keys=("high", "low"), good=("high",))
SYSTEM: Final = System(
    name="gamble",
    title="The gamble",
    folder=Path(__file__).parent,
    version=1,
    sheet=Gambler,
    actions=(
        Action("deal", deal, check=check_deal),
        Action("play", play_card, check=check_play),
        Action("follow", follow_suit, check=check_play),
        Action("turn", turn, HIGH, check=check_deal),
        Action("attack", attack, HIGH),
        Action("contest", contest, HIGH),
        Action("feint", feint, HIGH),
        Action("duel", duel, OURS),
        Action("fold", fold),
        Action("shuffle", shuffle),
        Action("meet", meet),
        Action("part", part),
    ),
    decks={"small": small_deck, "poker": lambda scene, whose: playing_cards(whose)},
    piles=piles,
)
ANA, BO = Who("ana", Gambler), Who("bo", Gambler)


class Table:
    """A table with a game master, Ann who plays Ana, Ben who plays Bo, and a guest."""

    def __init__(self, scene: Plain, source: Any = DICE, lines: tuple[Line, ...] = ()) -> None:
        start = scene if isinstance(scene, State) else SYSTEM.new_state(scene)
        self.campaign = Campaign(SYSTEM, start, source, lines, clock=lambda: 0.0)
        roles = {MASTER: "game master", "ann": "player", "ben": "player", GUEST: "spectator"}
        plays = {"ann": ["ana"], "ben": ["bo"]}
        for seat, role in roles.items() if not lines else ():
            sits = {"id": seat, "name": seat, "role": role, "controls": plays.get(seat, []), "real_dice": False}
            self.campaign.journal.say(SeatTaken(seat, Member.from_plain(sits).data))
        self.campaign.advance()
        self.journal = self.campaign.journal

    def desk(self, seat: str) -> Desk:
        return Desk(self.campaign, seat)

    def questions(self, seat: str) -> dict[str, Asked]:
        return self.campaign.questions(seat)

    def cards(self, pile: str) -> list[str]:
        found = self.journal.state[pile]
        assert isinstance(found, Pile)
        return [str(card.to_plain()) for card in found.cards]

    def sent(self, seat: str) -> str:
        """Everything a seat has been sent, and its view."""
        desk = self.desk(seat)
        return json.dumps([desk.view(), desk.feed.items], sort_keys=True)


def hands(ana: tuple[str, ...] = (), bo: tuple[str, ...] = (), **sheets: Plain) -> dict[str, Plain]:
    """A scene with Ana and Bo, and what they hold."""
    return {
        "ana": {},
        "bo": {},
        "ana.hand": {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": [f"{card}@ana" for card in ana]},
        "bo.hand": {"kind": "Pile", "facing": "hand", "owner": "bo", "cards": [f"{card}@bo" for card in bo]},
        **sheets,
    }


def answers(items: list[dict[str, Plain]]) -> list[tuple[Plain, Plain]]:
    """Who gave which answers, in the order a seat was told of them."""
    told: list[tuple[Plain, Plain]] = []
    for item in items:
        told += [(each["of"], each["answer"]) for each in item.get("with") or ()]
        told += [(item["of"], item["answer"])] if "answer" in item else []
    return told


# --- a card from a hidden hand ----------------------------------------------------------------------------------------


def test_a_card_played_from_a_hidden_hand_is_told_to_all() -> None:
    table = Table(hands(ana=("2S", "5H")))
    table.desk("ann").act("play", "ana")
    (asked,) = table.desk("ann").view()["questions"]
    assert asked["options"] == ["2S@ana", "5H@ana"]
    table.desk("ann").answer("ana.play", "5H")
    for seat in SEATS:
        desk = table.desk(seat)
        assert answers(desk.feed.items) == [("ana", "5H@ana")], seat
        assert desk.view()["scene"]["ana.discards"]["cards"] == ["5H@ana"], seat
        assert desk.feed.items[-1]["then"][0]["ended"] == "5H", seat


@pytest.mark.parametrize("seat", ["ben", GUEST])
def test_the_others_see_only_that_it_is_being_chosen(seat: str) -> None:
    table = Table(hands(ana=("2S", "5H")))
    table.desk("ann").act("play", "ana")
    view = table.desk(seat).view()
    assert view["waiting_for"] == ["ana"]
    assert view["questions"] == []
    assert "5H@ana" not in table.sent(seat)
    assert "2S@ana" not in table.sent(seat)


def test_a_secret_question_is_waited_for_in_public() -> None:
    table = Table(hands())
    master_desk.settings(table.desk(MASTER), {"throws": {"*": "leave it"}})
    table.desk("ann").act("deal", "ana")
    assert table.desk("ben").view()["waiting_for"] == ["ana"]
    table.desk("ann").answer("ana.deal", "2S")
    assert "2S@ana" in table.sent("ann")
    assert "2S@ana" not in table.sent("ben")


@pytest.mark.parametrize("last", ["ann", "ben"])
def test_cards_shown_at_once_are_told_to_whoever_answered_last_too(last: str) -> None:
    table = Table(hands(ana=("2S", "5H"), bo=("3S", "4H")))
    table.desk("ann").act("duel", "ana", {"target": "bo"})
    given = {"ann": ("ana.show", "2S"), "ben": ("bo.show", "4H")}
    first = next(seat for seat in given if seat != last)
    table.desk(first).answer(*given[first])
    assert table.desk(first).view()["waiting_for"] == ["ana" if last == "ann" else "bo"]
    for seat in (last, GUEST):
        assert answers(table.desk(seat).feed.items) == []
    table.desk(last).answer(*given[last])
    for seat in SEATS:
        assert set(answers(table.desk(seat).feed.items)) == {("ana", "2S@ana"), ("bo", "4H@bo")}, seat
    assert table.cards("bo.hand") == ["2S@ana", "3S@bo", "4H@bo"]


def test_whether_a_hidden_hand_holds_a_legal_card_is_not_told_by_being_asked() -> None:
    seen = []
    for held in ("2S", "2H"):
        table = Table(hands(ana=(held,)))
        table.desk("ann").act("follow", "ana")
        (asked,) = table.desk("ann").view()["questions"]
        assert asked["options"] == (["no"] if held == "2S" else ["2H@ana", "no"])
        table.desk("ann").answer("ana.follow", "no")
        seen.append([table.sent(seat) for seat in ("ben", GUEST)])
    assert seen[0] == seen[1]


def test_a_card_that_is_not_in_the_hand_is_refused_with_those_that_are_to_the_one_asked_alone() -> None:
    table = Table(hands(ana=("2S", "5H")))
    table.desk("ann").act("play", "ana")
    before = table.sent("ben")
    with pytest.raises(RefereeError, match=r"'3S' is not an option.*legal: 2S@ana, 5H@ana"):
        table.desk("ann").answer("ana.play", "3S")
    assert table.sent("ben") == before


def test_nobody_is_asked_what_to_play_from_an_empty_hand() -> None:
    table = Table(hands(ana=("2S",)))
    table.desk("ann").act("attack", "ana", {"target": "bo"})
    assert table.journal.asking == ()


# --- several cards as one change --------------------------------------------------------------------------------------


def test_several_named_cards_move_as_one_change() -> None:
    table = Table(hands(ana=("2S", "3H", "5H")))
    table.desk("ann").act("fold", "ana")
    assert table.cards("ana.discards") == ["3H@ana", "5H@ana"]
    changed = [
        item for item in table.desk(MASTER).feed.items if item["kind"] == "happened" and "who" in item["then"][0]
    ]
    assert [item["then"][0]["who"] for item in changed] == ["ana.hand", "ana.discards"]


def test_no_card_of_several_moves_if_one_is_missing() -> None:
    state = SYSTEM.new_state(hands(ana=("2S",)))

    @rule("gamble.tests.missing")
    async def missing(scene: Scene) -> None:
        """One of two cards is not there."""
        await move((Card("2S", "ana"), Card("3S", "ana")), hand(ANA), pile_of(ANA, "discards"))

    with pytest.raises(BadInput, match="3S is not in this pile"):
        Exact().of(missing(), state)


def test_no_card_is_a_move_too() -> None:
    table = Table(hands(ana=("2S",)))
    table.desk("ann").act("fold", "ana")
    assert table.cards("ana.hand") == ["2S@ana"]


# --- decks come with characters ---------------------------------------------------------------------------------------


def test_the_deck_of_a_new_character_comes_from_a_file_without_the_cards_that_lie_elsewhere() -> None:
    table = Table(hands(ana=("2S", "5H")))
    assert table.cards("ana.deck") == ["2H@ana", "3H@ana", "3S@ana", "4H@ana", "4S@ana", "5S@ana"]
    assert len(table.cards("bo.deck")) == 8
    assert len(table.cards("gm.deck")) == 8
    assert table.journal.state["ana.discards"] == Pile((), Facing.UP, "ana")


def test_a_pile_that_a_file_names_is_not_replaced() -> None:
    named = {"kind": "Pile", "owner": "ana", "cards": ["2S@ana"]}
    assert Table({"ana": {}, "ana.deck": named}).cards("ana.deck") == ["2S@ana"]


def test_a_stored_scene_gets_no_piles_when_it_is_read_again() -> None:
    assert "ana.deck" not in SYSTEM.state({"ana": {}})


@pytest.mark.parametrize("how", ["add", "edit"])
def test_the_deck_of_a_character_whom_the_game_master_adds_comes_in_the_same_line(how: str) -> None:
    table = Table(hands())
    before = table.journal.count
    getattr(master_desk, how)(table.desk(MASTER), "cy", {"kind": "Gambler"})
    assert table.journal.count == before + 1
    assert len(table.cards("cy.deck")) == 8
    table.desk(MASTER).act("deal", "cy")
    assert len(table.cards("cy.deck")) == 7
    for seat in SEATS:
        assert table.desk(seat).view()["scene"]["cy.deck"]["count"] == 7
    added = next(n for n, item in enumerate(table.desk(MASTER).feed.items) if item["kind"] == "edited")
    undo_desk.undo(table.desk(MASTER), added)
    assert not {"cy", "cy.deck", "cy.hand", "cy.discards"} & set(table.journal.state)


def test_what_came_with_a_character_is_in_the_log_and_needs_no_rule_to_come_back() -> None:
    table = Table(hands())
    master_desk.add(table.desk(MASTER), "cy", {"kind": "Gambler"})
    table.desk(MASTER).act("deal", "cy")
    again = Table(hands(), lines=tuple(table.journal.lines))
    assert again.journal.state == table.journal.state


def test_a_rule_that_adds_a_character_adds_the_piles_and_they_leave_together() -> None:
    table = Table(hands())
    table.desk("ann").act("meet", "ana")
    assert len(table.cards("stranger.deck")) == 8
    table.desk("ann").act("part", "ana")
    assert not {name for name in table.journal.state if "stranger" in name}


def test_the_piles_of_a_character_leave_with_them_and_those_of_the_game_master_stay() -> None:
    table = Table(hands(wolf={"player": False}))
    table.desk(MASTER).act("deal", "wolf")
    master_desk.remove(table.desk(MASTER), "wolf")
    master_desk.remove(table.desk(MASTER), "bo")
    assert not {"wolf.hand", "bo.deck", "bo.hand", "bo.discards"} & set(table.journal.state)
    assert len(table.cards("gm.deck")) == 8  # the card of the wolf has gone back


def test_a_character_who_comes_back_gets_the_cards_that_lie_nowhere() -> None:
    table = Table(hands(ana=("5H",), bo=("2S",)))
    table.desk("ann").act("duel", "ana", {"target": "bo"})
    table.desk("ann").answer("ana.show", "5H")
    table.desk("ben").answer("bo.show", "2S")
    master_desk.remove(table.desk(MASTER), "bo")
    master_desk.add(table.desk(MASTER), "bo", {"kind": "Gambler"})
    assert table.cards("ana.hand") == ["2S@bo", "5H@ana"]
    assert "2S@bo" not in table.cards("bo.deck")
    assert len(table.cards("bo.deck")) == 7


def test_decks_without_a_name_of_their_own_are_refused() -> None:
    same = System(
        "gamble-same",
        "Same",
        Path(__file__).parent,
        1,
        Gambler,
        piles=lambda s, w: {"deck": Pile(playing_cards())} if w else {},
    )
    with pytest.raises(BadInput, match=r"bo\.deck: all of its cards lie elsewhere; name the deck of each"):
        same.new_state({"ana": {}, "bo": {}})


# --- shorthand in files -----------------------------------------------------------------------------------------------


def pile_in(**fields: Plain) -> Pile:
    found = SYSTEM.state({"ana": {}, "deck": {"kind": "Pile", **fields}})["deck"]
    assert isinstance(found, Pile)
    return found


def test_a_pile_in_a_file_may_be_a_whole_deck() -> None:
    assert len(pile_in(deck="poker")) == 54
    assert pile_in(deck="poker", owner="ana").cards[0].deck == "ana"
    assert pile_in(deck="poker@gm", owner="ana").cards[0].deck == "gm"


def test_a_deck_in_a_file_is_what_other_piles_leave_of_it() -> None:
    state = SYSTEM.state(
        {"deck": {"kind": "Pile", "deck": "poker"}, "hand": {"kind": "Pile", "cards": ["KS", "Joker1"]}}
    )
    found = state["deck"]
    assert isinstance(found, Pile)
    assert len(found) == 52
    assert Card("KS") not in found.cards


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"deck": "tarot"}, "scene.deck.deck: .*tarot.*poker"),
        ({"deck": "poker", "cards": ["KS"]}, "scene.deck.cards: a pile is either a deck or some cards"),
    ],
)
def test_a_deck_that_cannot_be_is_refused(given: dict[str, Plain], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        pile_in(**given)


def test_one_deck_cannot_be_two_piles() -> None:
    two = {"one": {"kind": "Pile", "deck": "small"}, "two": {"kind": "Pile", "deck": "small"}}
    with pytest.raises(BadInput, match=r"scene\.two\.deck: all of its cards lie elsewhere"):
        SYSTEM.state(two)


def test_the_game_master_adds_a_whole_deck_too() -> None:
    table = Table(hands(ana=("2S",)))
    master_desk.add(table.desk(MASTER), "spare", {"kind": "Pile", "deck": "small"})
    assert len(table.cards("spare")) == 8
    with pytest.raises(BadInput, match="lie elsewhere"):
        master_desk.add(table.desk(MASTER), "spare 2", {"kind": "Pile", "deck": "small"}, hidden=True)


SCENARIO: Final = """
scenario: Cards in a file
system: gamble
sheets:
  ana: {}
piles:
  ana.hand: {cards: [5H@ana, 2S@ana], facing: hand, owner: ana}
  spare: small
  more: small@more
steps:
  - action: play
    who: ana
    answers: {play: 2S}
    expect:
      result: 2S
      questions: [{prompt: play, options: [2S@ana, 5H@ana]}]
      sheets: {ana.hand: {cards: [5H@ana]}, ana.discards: {cards: [2S@ana]}}
  - edit: {cy: {}}
  - action: turn
    who: cy
    answers: {turn: 5S}
    expect:
      result: 5
      sheets: {cy.discards: {cards: [5S@cy]}}
  - edit: {cy: null}
  - action: turn
    who: ana
    expect: {odds: {high: 3/6}}
"""


def test_a_scenario_names_only_the_piles_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.registry.load", lambda name: SYSTEM)
    report = check(load_yaml(SCENARIO))
    assert report.differences == []
    assert report.steps == 5


def test_the_piles_of_a_file_are_those_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.registry.load", lambda name: SYSTEM)
    _, state = scene_of(load_yaml(SCENARIO))
    sizes = {name: len(pile) for name, pile in state.items() if isinstance(pile, Pile)}
    assert sizes == {
        "ana.hand": 2,
        "ana.deck": 6,
        "ana.discards": 0,
        "spare": 8,
        "more": 8,
        "gm.deck": 8,
        "gm.discards": 0,
    }


def test_a_character_who_is_built_in_a_draft_enters_with_their_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.registry.load", lambda name: SYSTEM)
    table = Table(hands())
    table.journal.begin("ann", enter.id, {"who": "cy", "sheet": SYSTEM.plain_value(Gambler())})
    assert len(table.cards("cy.deck")) == 8


# --- odds beside hidden hands -----------------------------------------------------------------------------------------


def chance_of(table: Table, seat: str, action: str, who: str, **given: Plain) -> Any:
    card = table.desk(seat).odds(action, who, given, budget=EXACT)
    return card.now.bands["high"] if card.now else card.unknown


def test_hidden_cards_are_unseen_cards_to_others_and_known_to_their_owner() -> None:
    table = Table(hands(ana=("5S", "5H")))
    assert chance_of(table, "ann", "turn", "ana") == Fraction(2, 6)
    call, state = turn(ANA), table.journal.state
    others = Exact().of(call, known_to(state, Seat("ben", frozenset({"bo"}))))
    assert others.chance(lambda n: n >= 4) == Fraction(4, 8)
    mine = Exact().of(call, known_to(state, Seat("ann", frozenset({"ana"}))))
    assert mine.chance(lambda n: n >= 4) == Fraction(2, 6)


def test_odds_do_not_depend_on_the_hand_of_the_one_who_may_react() -> None:
    found = [chance_of(Table(hands(bo=held)), "ann", "attack", "ana", target="bo") for held in (("2S",), ("5H",))]
    assert found == [Fraction(4, 8)] * 2  # by default Bo declines


def test_a_card_shown_from_a_hidden_hand_is_no_longer_unseen() -> None:
    """Bo held five cards and showed one; the other four and his deck are what may be turned."""
    for rest in (("2S", "2H"), ("4S", "5H")):
        table = Table(hands(ana=("2S",), bo=("5S", *rest)))
        table.desk("ann").act("feint", "ana", {"target": "bo"})
        table.desk("ben").answer("bo.show", "5S")
        card = table.desk("ann").odds_at("ana.play", budget=EXACT)
        assert {key: each.bands["high"] for key, each in card.asked.items()} == {
            "no": Fraction(0),
            "2S@ana": Fraction(2, 7),
        }


def test_two_face_down_piles_hold_different_cards_of_one_deck() -> None:
    state = State(
        {
            "one": Pile(small_deck(Scene({}), "")[:4]),
            "two": Pile(small_deck(Scene({}), "")[4:]),
            "up": Pile((), Facing.UP),
        }
    )

    @rule("gamble.tests.both")
    async def both(scene: Scene) -> bool:
        """A card of each pile: a pair?"""
        first = await draw(TURN, Who("one", Pile), Who("up", Pile))
        second = await draw(TURN, Who("two", Pile), Who("up", Pile))
        assert first != second
        return first.rank == second.rank

    assert Exact().of(both(), state).of == {False: Fraction(1)}
    known = known_to(state, Seat("ben"))
    assert [len(known[name]) for name in ("one", "two")] == [4, 4]  # type: ignore[arg-type]  # piles
    assert Exact().of(both(), known).of[True] == Fraction(1, 7)


def test_a_card_dealt_to_a_hidden_hand_is_one_that_can_no_longer_be_turned() -> None:
    state = SYSTEM.new_state(hands(bo=("2S", "3H")))

    @rule("gamble.tests.deal-and-turn")
    async def deal_and_turn(scene: Scene) -> tuple[str, int]:
        """Bo gets a card, and turns another."""
        dealt = await draw(DEAL, pile_of(BO, "deck"), hand(BO), who=BO, audience=Audience.OWNER)
        turned = await draw(TURN, pile_of(BO, "deck"), pile_of(BO, "discards"), who=BO)
        assert dealt != turned
        assert len(scene[hand(BO)]) == 3
        return dealt.rank, int(turned.rank)

    odds = Exact().of(deal_and_turn(), known_to(state, Seat("ann", frozenset({"ana"}))))
    assert odds.chance(lambda came: came[1] >= 4) == Fraction(1, 2)
    assert odds.chance(lambda came: came == ("5", 5)) == Fraction(2, 8) * Fraction(1, 7)


def test_antes_of_two_hidden_hands_go_to_the_winner_unread() -> None:
    both = Pile((Card("2S", "ana"), Card("3S", "bo")))
    state = SYSTEM.new_state({**hands(), "antes": SYSTEM.plain_value(both)})

    @rule("gamble.tests.winnings")
    async def winnings(scene: Scene) -> int:
        """The winner takes both antes; nobody else learns which cards they are."""
        await move_all(Who("antes", Pile), hand(BO))
        return len(scene[hand(BO)])

    assert Exact().of(winnings(), known_to(state, Seat("ann", frozenset({"ana"})))).of == {2: Fraction(1)}


def test_what_a_hidden_hand_holds_cannot_be_read() -> None:
    state = known_to(SYSTEM.new_state(hands(bo=("2S", "3H"))), Seat("ann", frozenset({"ana"})))
    held = state["bo.hand"]
    assert isinstance(held, Pile)
    assert (len(held), held.is_known) == (2, False)
    with pytest.raises(RefereeError, match=r"bo\.hand\.cards"):
        _ = held.cards[0].rank
    with pytest.raises(RefereeError, match="which cards are in the pile"):
        held.named("2S", rule="gamble.play")


def test_a_game_masters_pile_beside_no_deck_is_unknown_whether_or_not_it_is_empty() -> None:
    for cards in ((), (Card("2S", "x"),)):
        state = SYSTEM.state({"trove": SYSTEM.plain_value(Pile(cards, Facing.MASTER, "x"))})
        assert "trove" not in visible_scene(state, Seat("ann"))
        known = known_to(state, Seat("ann"))["trove"]
        assert isinstance(known, Pile)
        with pytest.raises(RefereeError, match="how many cards are in trove"):
            len(known)
        assert known.cards == ()
        dealt = SYSTEM.new_state({**hands(), "trove": SYSTEM.plain_value(Pile(cards, Facing.MASTER, "x"))})
        odds = Exact().of(turn(ANA), known_to(dealt, Seat("ben", frozenset({"bo"}))))
        assert odds.chance(lambda n: n >= 4) == Fraction(1, 2)


def test_a_face_down_pile_with_cards_of_two_decks_is_unknown() -> None:
    mixed = Pile((Card("2S", "ana"), Card("3S", "bo")))
    state = SYSTEM.new_state({**hands(), "antes": SYSTEM.plain_value(mixed)})

    @rule("gamble.tests.ante")
    async def ante(scene: Scene) -> str:
        """Turn an ante."""
        return (await draw(TURN, Who("antes", Pile), pile_of(ANA, "discards"))).name

    with pytest.raises(RefereeError, match="antes"):
        Exact().of(ante(), known_to(state, Seat("")))


# --- the game master, and those who hide ------------------------------------------------------------------------------


def test_the_game_master_sees_hands_by_default() -> None:
    table = Table(hands(ana=("5H",)))
    assert table.desk(MASTER).view()["scene"]["ana.hand"]["cards"] == ["5H@ana"]


def shy_hands(*ana: str) -> dict[str, Plain]:
    private = {"kind": "Pile", "facing": "private", "owner": "ana", "cards": [f"{card}@ana" for card in ana]}
    return hands() | {"ana": {"shy": True}, "ana.hand": private}


def test_a_private_hand_looks_the_same_to_the_game_master_whatever_it_holds() -> None:
    seen = []
    for held, card in ((("2S", "5H", "4H"), "4H"), (("3S", "4H", "2H"), "4H")):
        table = Table(shy_hands(*held))
        master = table.desk(MASTER)
        master_desk.settings(master, {"throws": {"*": "ask"}})
        odds = chance_of(table, MASTER, "turn", "ana")
        table.desk("ann").act("play", "ana")
        chosen = table.sent(MASTER)
        table.desk("ann").answer("ana.play", card)
        assert ("ana", "4H@ana") in answers(master.feed.items)
        seen.append((odds, chosen, table.sent(MASTER), chance_of(table, MASTER, "turn", "ana")))
    assert seen[0] == seen[1]
    assert seen[0][0] == Fraction(4, 8)
    assert seen[0][3] == Fraction(3, 7)


def test_a_private_draw_is_told_to_its_owner_alone_and_never_held() -> None:
    table = Table(shy_hands())
    master_desk.settings(table.desk(MASTER), {"throws": {"*": "ask"}})
    table.desk("ann").act("deal", "ana")
    (card,) = table.cards("ana.hand")
    assert card in table.sent("ann")
    for seat in (MASTER, "ben", GUEST):
        assert card not in table.sent(seat), seat
        assert table.desk(seat).view()["scene"]["ana.hand"]["count"] == 1


def test_the_game_master_is_not_asked_what_is_private_but_may_take_over() -> None:
    table = Table(shy_hands("2S", "5H"))
    table.desk("ann").act("play", "ana")
    assert table.desk(MASTER).view()["questions"] == []
    assert table.desk(MASTER).view()["waiting_for"] == ["ana"]
    seat_desk.hand_over(table.desk(MASTER), MASTER, "ana")
    assert [each["options"] for each in table.desk(MASTER).view()["questions"]] == [["2S@ana", "5H@ana"]]


@frozen
class Odd:
    secret: Annotated[int, Audience.PRIVATE] = 0


def test_a_field_cannot_be_private() -> None:
    with pytest.raises(RefereeError, match="a field cannot be private"):
        System("gamble-odd", "Odd", Path(__file__).parent, 1, Odd)


def test_a_secret_pile_is_not_there_for_others_and_its_cards_may_be_in_the_deck() -> None:
    table = Table(hands(wolf={"player": False}))
    table.desk(MASTER).act("turn", "wolf")
    assert "gm.discards" in table.desk(MASTER).view()["scene"]
    for seat in ("ann", "ben", GUEST):
        scene = table.desk(seat).view()["scene"]
        assert "gm.discards" not in scene
        assert scene["gm.deck"]["count"] == 8
    known = known_to(table.journal.state, Seat("ann", frozenset({"ana"})))
    assert Exact().of(turn(Who("wolf", Gambler)), known).chance(lambda n: n >= 4) == Fraction(1, 2)


@pytest.mark.parametrize("does", ["turn", "deal", "remove"])
def test_nobody_notices_what_someone_hidden_does_with_cards_they_share(does: str) -> None:
    """In one world a hidden wolf shares the game master's cards with a visible crow, in the other there is no wolf."""
    seen = []
    for there in (True, False):
        table = Table(hands(crow={"player": False}))
        if there:
            master_desk.add(table.desk(MASTER), "wolf", {"kind": "Gambler", "player": False}, hidden=True)
            table.desk(MASTER).act("deal", "wolf")
            if does == "remove":
                master_desk.remove(table.desk(MASTER), "wolf")
            else:
                table.desk(MASTER).act(does, "wolf")
        seen.append(
            [table.sent(seat) for seat in ("ann", "ben", GUEST)]
            + [Exact().of(turn(Who("crow", Gambler)), known_to(table.journal.state, Seat("ann"))).of]
        )
    assert seen[0] == seen[1]


def test_a_hidden_character_comes_with_a_deck_that_no_one_notices() -> None:
    seen = []
    for there in (True, False):
        table = Table(hands())
        if there:
            master_desk.add(table.desk(MASTER), "wolf", {"kind": "Gambler"}, hidden=True)
            table.desk(MASTER).act("turn", "wolf")
            assert len(table.cards("wolf.deck")) == 7
        seen.append([table.sent(seat) for seat in ("ann", "ben", GUEST)])
    assert seen[0] == seen[1]


# --- two worlds -------------------------------------------------------------------------------------------------------


def wolves(random: Random) -> Secret:
    def nothing(name: str) -> Plain:
        return {}

    wolf, bear = (
        secrets.Foe(
            name, ({"kind": "Gambler", "player": False},), (("deal", nothing), ("turn", nothing), ("play", nothing))
        )
        for name in ("wolf", "bear")
    )
    return secrets.hiding(wolf, bear, random)


def some_secrets(random: Random) -> tuple[Secret, ...]:
    scene = dict(STAGE_SCENE)
    cards = secrets.cards(scene, "ana.deck", "ana.hand", frozenset({"ann"}), random)
    private = secrets.cards(scene, "bo.deck", "bo.hand", frozenset({"ben"}), random)
    own = secrets.own_throws("ann"), secrets.own_throws("ben"), secrets.sealed("ann")
    return secrets.some((cards, private, wolves(random), *own), random)


def come_or_go(random: Random, walk: Walk) -> ScriptMove:
    """The game master adds somebody whom everyone sees, or lets them go."""
    if random.random() < 0.5:
        return ScriptMove.alike(MASTER, "remove", "cy")
    return ScriptMove.alike(MASTER, "add", "cy", {"kind": "Gambler", "player": random.random() < 0.5})


STAGE_SCENE: Final = SYSTEM.plain(
    SYSTEM.new_state(
        hands(ana=("2S", "5H", "3H"), crow={"player": False})
        | {
            "bo": {"shy": True},
            "bo.hand": {"kind": "Pile", "facing": "private", "owner": "bo", "cards": ["3S@bo", "4H@bo"]},
        }
    )
)
STAGE: Final = Stage(
    SYSTEM, STAGE_SCENE, {"ann": ("ana",), "ben": ("bo",)}, some_secrets, (*USUAL, come_or_go, come_or_go)
)


@pytest.mark.parametrize("seed", range(int(os.environ.get("REFEREE_WORLDS", "30"))))
def test_two_worlds_look_the_same_to_those_who_may_not_know(seed: int) -> None:
    walk = Walk(STAGE, open_table, seed)
    walk.go(25)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["visibility.counted_cards", "knowledge.counted_cards", "arrivals._is_home"])
def test_the_walk_would_notice_a_leak_through_shared_piles(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    worse: Any = {"arrivals._is_home": lambda *_: False}.get(part, lambda *_: {})
    monkeypatch.setattr(f"referee.core.{part}", worse)

    def walk() -> None:
        for seed in range(100):
            Walk(replace(STAGE, secrets=lambda random: (wolves(random),)), open_table, seed).go(25)

    with pytest.raises(Leak):
        walk()


def test_of_choices_at_once_from_hidden_hands_no_option_of_the_other_is_listed() -> None:
    table = Table(hands(ana=("2S", "5H"), bo=("3S", "6S")))
    table.desk("ann").act("duel", "ana", {"target": "bo"})
    card = table.desk("ann").odds_at("ana.show", budget=EXACT).to_plain()
    assert card["unknown"] == "what bo chooses"
    assert "@bo" not in json.dumps(card)
    assert table.desk(MASTER).odds_at("ana.show", budget=EXACT).pairs.keys() == {
        "2S@ana / 3S@bo",
        "2S@ana / 6S@bo",
        "5H@ana / 3S@bo",
        "5H@ana / 6S@bo",
    }
