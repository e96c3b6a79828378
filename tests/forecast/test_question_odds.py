"""The odds at an open question hold what the seat knows, and nothing of the rest."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

import pytest

from referee import registry
from referee.core import (
    D6,
    Action,
    Audience,
    Bands,
    Card,
    Facing,
    Hidden,
    Mod,
    Pile,
    Pool,
    Prompt,
    Scene,
    System,
    Total,
    Who,
    choose,
    draw,
    roll,
    rule,
)
from referee.core.plain import Plain
from referee.core.requests import react
from referee.core.scene import State
from referee.core.visibility import Seat, Veil
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import OddsQuery, QuestionQuery
from referee.forecast.transport import digest
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.table.rehearsal import open_table
from referee.testing.scenarios import samples


def test_sides_of_a_fight_that_a_seat_does_not_know_of_tell_it_nothing() -> None:
    """Whether an answer is called best would otherwise tell that there is a fight."""
    d6 = registry.load("d6")
    sample = dict(samples(d6))["loading-dock"]
    foreman: Any = sample["foreman"]
    known = {"foreman": replace(foreman, character_points=3), "veil": Veil(frozenset({"fight"}))}
    journal = Journal(d6, State({**sample, **known}), SeededDice(b"r2"))
    given = {"who": "Kwame", "other": "foreman", "using": "Strength", "against": "Strength"}
    journal.begin("ann", d6.action("opposed-roll").rule.id, given)
    while (waiting := journal.asking[0]).question.who == journal.scene.who("Kwame"):
        journal.answer("ann", waiting.step, "no")
    query = question_query(journal, waiting, Seat("ann", frozenset({"Kwame", "foreman"})))
    assert isinstance(query, QuestionQuery)
    assert query.card(Budget(None)).against is None


# --- what is handed to another process --------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Guest:
    luck: Hidden[int] = 0


DECK, SHOWN, HAND = Who("deck", Pile), Who("shown", Pile), Who("bo's hand", Pile)
CUT, STAKE, RISK, DUCK, WHOM = Prompt("cut"), Prompt("stake"), Prompt("risk"), Prompt("duck"), Prompt("whom")
ANN: Final = Seat("ann", frozenset({"ana"}))


@rule("seen.cut")
async def cut(scene: Scene, who: Who[Guest]) -> bool:
    """A card is turned over, a die is thrown that something secret counts for, and then one decides."""
    await draw(CUT, DECK, SHOWN, who=who)
    await roll(STAKE, who, Pool.of((D6, 1)), Total, mods=(Mod(scene[who].luck, "sharper", secret=True),))
    return await choose(who, RISK, (True, False))


@rule("seen.strike")
async def strike(scene: Scene, who: Who[Guest], at: Who[Guest]) -> bool:
    """Whoever is struck at may duck."""
    return not await react(at, DUCK, (True,), about=who)


@rule("seen.nod")
async def nod(scene: Scene, who: Who[Guest], at: Who[Guest], audience: str = "everyone") -> bool:
    """Somebody else decides first, openly or not."""
    await choose(at, RISK, (True, False), audience=Audience(audience))
    return await choose(who, RISK, (True, False))


@rule("seen.point")
async def point(scene: Scene, who: Who[Guest], at: Who[Guest]) -> bool:
    """One points at somebody, then somebody else decides."""
    await choose(who, WHOM, tuple(scene.all(Guest)))
    return await choose(at, RISK, (True, False))


WON: Final[Bands[Any]] = Bands(of=lambda won: "won" if won else "lost", keys=("won", "lost"))
ACTIONS: Final = (
    Action("cut", cut, WON),
    Action("strike", strike, WON),
    Action("point", point, WON),
    Action("nod", nod, WON),
)
PARLOUR: Final = System("parlour", "The parlour", Path(), 1, Guest, actions=ACTIONS)


def parlour(*cards: str, luck: int = 0, sneak: str = "lurker") -> State:
    """Ana and Bo, somebody in hiding, and cards: in the deck, and one in the hand of Bo."""
    people = {"ana": Guest(luck), "bo": Guest(), sneak: Guest()}
    deck, hand = Pile(tuple(map(Card.from_plain, cards[:-1]))), Pile((Card.from_plain(cards[-1]),), Facing.HAND, "bo")
    piles = {"deck": deck, "shown": Pile((), Facing.UP), "bo's hand": hand}
    return State({**people, **piles, "veil": Veil(frozenset({sneak}))})


def asked_after(state: State, rule: str, given: dict[str, Plain], *answers: Plain) -> OddsQuery:
    journal = Journal(PARLOUR, state, None)
    journal.begin("gm", rule, given)
    for each in answers:
        journal.answer("gm", journal.asking[0].step, each)
    return question_query(journal, journal.asking[0], ANN)


def test_cards_nobody_has_shown_and_what_counts_in_secret_change_no_key() -> None:
    worlds = parlour("2C", "9D", "KS", luck=1), parlour("2C", "KS", "9D", luck=5)
    queries = [asked_after(each, "seen.cut", {"who": "ana"}, "2C", [4]) for each in worlds]
    assert digest(queries[0]) == digest(queries[1])
    assert isinstance(queries[0], QuestionQuery)
    assert b"sharper" not in pickle.dumps(queries[0].seen)


@pytest.mark.parametrize(
    ("rule", "given", "answers"),
    [
        ("seen.strike", {"who": "lurker", "at": "ana"}, ()),
        ("seen.point", {"who": "bo", "at": "ana"}, ("lurker",)),
        ("seen.nod", {"who": "ana", "at": "lurker"}, ("yes",)),
        ("seen.nod", {"who": "ana", "at": "lurker", "audience": "owner"}, ("yes",)),
    ],
)
def test_nobody_hidden_is_in_a_query(rule: str, given: dict[str, Plain], answers: tuple[str, ...]) -> None:
    def named(name: str) -> OddsQuery:
        renamed = {key: name if each == "lurker" else each for key, each in given.items()}
        state = parlour("2C", "9D", "KS", sneak=name)
        return asked_after(state, rule, renamed, *(name if each == "lurker" else each for each in answers))

    assert digest(named("lurker")) == digest(named("stalker"))
    assert "lurker" not in repr(named("lurker"))


def test_a_change_from_outside_that_a_seat_does_not_notice_changes_no_key() -> None:
    """Not even how often the game master edits somebody hidden while a question is open."""

    def edited(times: int) -> OddsQuery:
        journal = Journal(PARLOUR, parlour("2C", "9D", "KS"), None)
        journal.begin("gm", "seen.strike", {"who": "bo", "at": "ana"})
        for luck in range(times):
            journal.edit("gm", "lurker", luck=luck + 1)
        return question_query(journal, journal.asking[0], ANN)

    assert digest(edited(0)) == digest(edited(1)) == digest(edited(3))


def test_in_which_order_steps_began_is_not_told_by_whom_the_table_waits_for() -> None:
    """One of them may have begun in secret."""

    def waiting(*began: tuple[str, str, str]) -> Plain:
        table = open_table(PARLOUR, parlour("2C", "9D", "KS"), SeededDice(b"seen"), {"ann": ("ana",), "ben": ("bo",)})
        for seat, who, at in began:
            table.desk(seat).act("nod", who, {"at": at})
        return table.desk("guest").view()["waiting_for"]

    one, other = ("ann", "ana", "bo"), ("ben", "bo", "ana")
    assert waiting(one, other) == waiting(other, one) == ["ana", "bo"]
