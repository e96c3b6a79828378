"""The smallest Dime Adventures with hard odds: flips of full decks, trump, jokers, Luck, hidden hands of Moxie."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from referee.core import (
    Bands,
    Card,
    Levels,
    Open,
    Pile,
    Prompt,
    Scene,
    State,
    System,
    Who,
    action,
    action_of,
    actions_of,
    frozen,
    playing_cards,
    refuse,
    rule,
)
from referee.core.actions import ActionChoice
from referee.core.plain import Plain
from referee.core.rules import LEFT_OUT, Decide, Ends, kernel
from referee.core.visibility import Seat
from referee.kits.card_hands import (
    DECK,
    HAND,
    CardValues,
    Owner,
    best_of,
    contested_ends,
    discard_played,
    flip_ends,
    forgotten,
    from_hand,
    is_spoiled,
    new_piles,
    play,
    played_from_hand,
    refill,
    turn_stacks,
)

CARD: Final = Prompt("card")
MOXIE: Final = Prompt("moxie")
PLAY_CARD: Final = Prompt("play-card")
LUCK: Final = Prompt("luck")

VALUES: Final = CardValues(
    numbers=Levels({"A": 1, **{str(pips): pips for pips in range(2, 11)}}),
    faces=Levels({"J": 1, "Q": 2, "K": 3}),
    suits=("clubs", "diamonds", "hearts", "spades"),
)
TRUMP: Final = {"Strength": "clubs", "Dexterity": "spades", "Perception": "diamonds", "Charisma": "hearts"}
STRONG: Final = 5

Stat = Literal["Strength", "Dexterity", "Perception", "Charisma"]
Outcome = Literal["critical", "success", "failure", "critical-failure"]


@frozen
class Adventurer:
    """Somebody with a deck of their own."""

    stats: Open[Levels] = Levels()  # it is frozen
    moxie: Open[int] = 5

    def stat(self, name: str) -> int:
        return self.stats.get(name, 5)


Person = Who[Adventurer]


@frozen
class Flipped:
    """What a flip came to; with a joker the cards count nothing."""

    total: int
    joker: bool = False


def owner(who: Person) -> Owner:
    return Owner(who.name)


# --- the rules --------------------------------------------------------------------------------------------------------


@rule("hard-dime.flip")
async def flip(scene: Scene, who: Person, stat: Stat) -> Flipped:
    """A card, what faces and trump add to it, and Luck; the best stack counts, with the stat. A joker spoils it."""
    mine, trump = owner(who), TRUMP[stat]
    first = await from_hand(scene, mine, who, PLAY_CARD)
    stacks = await turn_stacks(scene, mine, who, CARD, VALUES, trump, first)
    while not is_spoiled(stacks):
        spent = await from_hand(scene, mine, who, LUCK, best_of(stacks, VALUES).value)
        if spent is None:
            break
        await play(scene, mine, spent)
        stacks += await turn_stacks(scene, mine, who, CARD, VALUES, trump)
    await discard_played(scene, mine)
    if is_spoiled(stacks):
        await refill(scene, mine, who, MOXIE, scene[who].moxie)
        return Flipped(scene[who].stat(stat), joker=True)
    return Flipped(scene[who].stat(stat) + best_of(stacks, VALUES).value)


@kernel(flip)
def flipped(scene: Scene, decide: Decide, who: Person, stat: Stat) -> Ends[Flipped] | None:
    """Every end of a flip; it is played if a face is played from the hand, or Luck is wanted."""
    mine, trump, base = owner(who), TRUMP[stat], scene[who].stat(stat)
    first = decide(from_hand(scene, mine, who, PLAY_CARD), scene)
    if first is not None and (first.rank not in VALUES.numbers or not scene[mine.deck]):
        return None
    least = VALUES.worth(first) if first is not None else 0
    if first is not None and first.suit != trump:
        after, ends = played_from_hand(scene, mine, first), {least: 1}
        lucky = decide(from_hand(scene, mine, who, LUCK, least), scene)
        return None if lucky is not None else [(Flipped(base + least), after.items(), 1)]
    ways = flip_ends(scene, mine, VALUES, trump)
    ends = {max(value, least): 0 for value in ways.best} if ways else {}
    if ways is None or any(decide(from_hand(scene, mine, who, LUCK, value), scene) is not None for value in ends):
        return None
    for value, count in ways.best.items():
        ends[max(value, least)] += count
    turned = forgotten(mine.deck, mine.discards, *((mine.hand,) if first is not None else ()))
    spoiled = forgotten(mine.deck, mine.discards, mine.hand)
    return [
        *((Flipped(base + value), turned, count) for value, count in ends.items()),
        (Flipped(base, joker=True), spoiled, ways.joker),
        (LEFT_OUT, (), ways.unended),
    ]


def outcome(mine: Flipped, against: int, *, they_spoiled: bool = False) -> Outcome:
    """By how much: five or more is critical, and so is a joker."""
    if mine.joker:
        return "critical-failure"
    margin = mine.total - against
    if they_spoiled:
        return "critical"
    if margin >= 0:
        return "critical" if margin >= STRONG else "success"
    return "critical-failure" if margin <= -STRONG else "failure"


@rule("hard-dime.contest")
async def contested(scene: Scene, who: Person, other: Person, stat: Stat, answering: Stat) -> Outcome:
    """The one who answers flips first, and the other against that total."""
    theirs = await flip(other, answering)
    return compared(await flip(who, stat), theirs)


def compared(mine: Flipped, theirs: Flipped) -> Outcome:
    return outcome(mine, theirs.total, they_spoiled=theirs.joker)


@kernel(contested)
def both_flipped(
    scene: Scene, decide: Decide, who: Person, other: Person, stat: Stat, answering: Stat
) -> Ends[Outcome] | None:
    """Two decks, two flips: neither depends on the other."""
    theirs, mine = flipped(scene, decide, other, answering), flipped(scene, decide, who, stat)
    return None if theirs is None or mine is None else contested_ends(mine, theirs, compared)


OUTCOMES: Final = Bands[str](
    of=lambda outcome: outcome,
    keys=("critical", "success", "failure", "critical-failure"),
    good=("critical", "success"),
)


def check_two(scene: Scene, who: Person, other: Person) -> None:
    if who == other:
        refuse("it takes two")


@action("check", "hard-dime.check", bands=OUTCOMES)
async def check(scene: Scene, who: Person, stat: Stat, tn: int = 10) -> Outcome:
    """A flip against a number."""
    return outcome(await flip(who, stat), tn)


@action("oppose", "hard-dime.oppose", bands=OUTCOMES, check=check_two)
async def oppose(scene: Scene, who: Person, other: Person, stat: Stat, answering: Stat) -> Outcome:
    """Both flip, each with the trump of their own stat; a tie goes to the one who acts, and so do two jokers not."""
    return await contested(who, other, stat, answering)


def poker(scene: Scene, whose: str) -> tuple[Card, ...]:
    return playing_cards(whose)


def piles(scene: Scene, who: Who[Any] | None) -> Mapping[str, Pile]:
    return {} if who is None else new_piles(poker(scene, who.name))


SYSTEM: Final = System(
    name="hard-dime",
    title="Hard flips",
    folder=Path(__file__).parent,
    version=1,
    sheet=Adventurer,
    actions=actions_of(__name__),
    decks={"poker": poker},
    piles=piles,
)


# --- the scenes -------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Adventurer)
BO: Final = Who("bo", Adventurer)
ANNE: Final = Seat("Anne", frozenset({"ana"}))
BEN: Final = Seat("Ben", frozenset({"bo"}))


def two(ana: str = "", bo: str = "", decks: Mapping[str, str] | None = None) -> State:
    """Ana (Dexterity 7) and Bo (Perception 6) with these hands, and full decks, or these."""

    def pile(who: str, facing: str, cards: str) -> dict[str, Plain]:
        return {"kind": "Pile", "facing": facing, "owner": who, "cards": [f"{each}@{who}" for each in cards.split()]}

    sheets = {"ana": {"stats": {"Dexterity": 7}}, "bo": {"stats": {"Perception": 6}}}
    hands = {f"{who}.{HAND}": pile(who, "hand", cards) for who, cards in (("ana", ana), ("bo", bo))}
    listed = {f"{who}.{DECK}": pile(who, "down", cards) for who, cards in (decks or {}).items()}
    return SYSTEM.new_state({**sheets, **hands, **listed})


def contest() -> ActionChoice:
    """Ana's Dexterity against Bo's Perception."""
    return action_of(oppose).by(ANA, other=BO, stat="Dexterity", answering="Perception")


def alone(tn: int = 14) -> ActionChoice:
    """Ana's Dexterity against a number."""
    return action_of(check).by(ANA, stat="Dexterity", tn=tn)
