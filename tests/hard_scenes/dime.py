"""The smallest Dime Adventures with hard odds: flips of full decks, trump, jokers, Luck, hidden hands of Moxie."""

from __future__ import annotations

from collections import Counter
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
from referee.core.branches import LEFT_OUT
from referee.core.cards import JOKER
from referee.core.errors import TooLarge, TooLong
from referee.core.plain import Plain
from referee.core.rules import Decide, Ends, after, kernel, sampler
from referee.core.visibility import Seat
from referee.kits.card_hands import (
    DECK,
    HAND,
    CardValues,
    Changes,
    Owner,
    RandomStacks,
    best_of,
    contested_ends,
    counted,
    discard_played,
    flip_ends,
    flip_worths,
    forgotten,
    from_hand,
    is_spoiled,
    new_piles,
    play,
    played_from_hand,
    refill,
    turn_stacks,
)
from referee.odds.flips import FlipEnds

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


FEW: Final = 12
"""Flips of so many cards are played card by card in a moment."""


def flipped(scene: Scene, decide: Decide, who: Person, stat: Stat) -> Ends[Flipped] | None:
    """Every end of a flip. Stacks of Luck are counted as if they had been open from the start.

    It is played if a joker is played from the hand, or if Luck is wanted for some values and not for others.
    """
    mine, trump, base = owner(who), TRUMP[stat], scene[who].stat(stat)
    held = scene[mine.hand]
    first = decide(from_hand(scene, mine, who, PLAY_CARD), scene)
    begun = 0 if first is None or not VALUES.draws_on(first) else VALUES.worth(first)
    if first is not None and (first.rank == JOKER or not scene[mine.deck] or (begun and is_few(scene, mine))):
        check_few(scene, mine)
        return None
    least = 0 if first is None or begun else VALUES.worth(first)
    left = held if first is None else held.without(first)
    opened = 1 if first is None else int(first.suit == trump) + bool(begun)
    ways: FlipEnds[int] | None = FlipEnds({least: 1}, 0, 0, 1)
    while True:
        if opened:
            ways = begun_ends(scene, mine, trump, opened, begun)
        if ways is None:
            return None
        now = after(scene, mine.hand, left)
        values = {max(value, least) for value in ways.best}
        spent = {decide(from_hand(now, mine, who, LUCK, value), now) for value in values}
        card = spent.pop() if spent else None  # nothing but jokers ends it at once
        if spent or (card is not None and not scene[mine.deck]):
            check_few(scene, mine)
            return None
        if card is None:
            break
        opened, left = opened + 1, left.without(card)
    ends = Counter[int]()
    for value, count in ways.best.items():
        ends[max(value, least)] += count
    spent_cards = [card for card in held.cards if card not in left.cards] if left is not held else []
    kept: Changes = ((mine.hand, left),) if spent_cards else ()
    if not opened:
        kept += ((mine.discards, scene[mine.discards].plus(*spent_cards)),)
    turned = (*forgotten(mine.deck, mine.discards), *kept) if opened else kept
    return [
        *((Flipped(base + value), turned, count) for value, count in ends.items()),
        (Flipped(base, joker=True), forgotten(mine.deck, mine.discards, mine.hand), ways.joker),
        (LEFT_OUT, (), ways.unended),
    ]


def begun_ends(scene: Scene, mine: Owner, trump: str, opened: int, begun: int) -> FlipEnds[int] | None:
    """How so many stacks end, of which the first may have a bonus already."""
    try:
        return flip_ends(scene, mine, VALUES, trump, opened, begun)
    except TooLarge:
        check_few(scene, mine)
        return None


def is_few(scene: Scene, mine: Owner) -> bool:
    return len(scene[mine.deck] or scene[mine.discards]) <= FEW


def check_few(scene: Scene, mine: Owner) -> None:
    if not is_few(scene, mine):
        raise TooLong(f"{mine.name} may turn too many cards for every order of them to be played")


@sampler(flip)
def flips(scene: Scene, decide: Decide, plays: int, who: Person, stat: Stat) -> Ends[Flipped] | None:
    """So many flips, of which the first stack may be begun by a card of the hand; played if Luck is wanted."""
    mine, base = owner(who), scene[who].stat(stat)
    first = decide(from_hand(scene, mine, who, PLAY_CARD), scene)
    left = scene[mine.hand] if first is None else scene[mine.hand].without(first)
    now = after(scene, mine.hand, left)
    if any(decide(from_hand(now, mine, who, LUCK, value), now) is not None for value in (1, 10, 20)):
        return None
    shuffled, found = (
        RandomStacks((scene[mine.deck] or scene[mine.discards]).cards, VALUES, TRUMP[stat]),
        Counter[int](),
    )
    for _ in range(plays):
        stacks = shuffled.flip(first)
        found[max((each.value for each in stacks), default=-1)] += 1
    changed = forgotten(mine.deck, mine.discards, mine.hand)
    return [(Flipped(base + max(value, 0), value < 0), changed, times) for value, times in found.items()]


kernel(flip)(flipped)


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


# --- attacks, where the suit decides about the damage -----------------------------------------------------------------

DAMAGE: Final = {"clubs": 1, "diamonds": 2, "hearts": 3, "spades": 5}
HEAVY: Final = 5


@frozen
class Attack:
    """A weapon's damage by the suit of the counted stack, doubled from some margin on; 0 if it never is."""

    base: int
    defense: int
    doubled_from: int = 0

    def worth(self, value: int, suit: str) -> tuple[int, int]:
        """A hit before a miss; of hits the one that does most, of misses the nearest."""
        margin = self.base + value - self.defense
        if margin < 0:
            return (0, value)
        return (1, DAMAGE[suit] * (2 if self.doubled_from and margin >= self.doubled_from else 1))


@rule("hard-dime.strike")
async def strike(scene: Scene, who: Person, attack: Attack) -> int | None:
    """The damage of the stack that does most; 0 for a miss, None after a joker."""
    mine = owner(who)
    first = await from_hand(scene, mine, who, PLAY_CARD)
    stacks = await turn_stacks(scene, mine, who, CARD, VALUES, TRUMP["Dexterity"], first)
    await discard_played(scene, mine)
    return None if is_spoiled(stacks) else _damage(counted(stacks, attack.worth))


def _damage(worth: tuple[int, int]) -> int:
    hit, damage = worth
    return damage if hit else 0


@kernel(strike)
def struck(scene: Scene, decide: Decide, who: Person, attack: Attack) -> Ends[int | None] | None:
    """Every damage; it is played if a face is played from the hand."""
    mine, trump = owner(who), TRUMP["Dexterity"]
    first = decide(from_hand(scene, mine, who, PLAY_CARD), scene)
    if first is not None and (first.rank not in VALUES.numbers or not scene[mine.deck]):
        return None
    least = (0, 0) if first is None else attack.worth(VALUES.worth(first), first.suit or "")
    if first is not None and first.suit != trump:
        return [(_damage(least), played_from_hand(scene, mine, first).items(), 1)]
    ways = flip_worths(scene, mine, VALUES, trump, attack.worth)
    if ways is None:
        check_few(scene, mine)
        return None
    turned = forgotten(mine.deck, mine.discards, *((mine.hand,) if first is not None else ()))
    return [
        *((_damage(max(worth, least)), turned, count) for worth, count in ways.best.items()),
        (None, turned, ways.joker),
        (LEFT_OUT, (), ways.unended),
    ]


@sampler(strike)
def strikes(scene: Scene, decide: Decide, plays: int, who: Person, attack: Attack) -> Ends[int | None]:
    """The damage of so many attacks."""
    mine = owner(who)
    first = decide(from_hand(scene, mine, who, PLAY_CARD), scene)
    cards = (scene[mine.deck] or scene[mine.discards]).cards
    shuffled, found = RandomStacks(cards, VALUES, TRUMP["Dexterity"]), Counter[int | None]()
    for _ in range(plays):
        stacks = shuffled.flip(first)
        found[_damage(counted(stacks, attack.worth)) if stacks else None] += 1
    changed = forgotten(mine.deck, mine.discards, mine.hand)
    return [(damage, changed, times) for damage, times in found.items()]


DAMAGES: Final = Bands[int | None](
    of=lambda damage: "joker" if damage is None else "heavy" if damage >= HEAVY else "hit" if damage else "miss",
    keys=("heavy", "hit", "miss", "joker"),
    good=("heavy", "hit"),
)


@action("shoot", "hard-dime.shoot", bands=DAMAGES)
async def shoot(scene: Scene, who: Person, defense: int = 14, doubled_from: int = 0) -> int | None:
    """Dexterity against a defense; the damage is that of the suit."""
    return await strike(who, Attack(scene[who].stat("Dexterity"), defense, doubled_from))


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


def shot(defense: int = 14, doubled_from: int = 0) -> ActionChoice:
    """Ana shoots."""
    return action_of(shoot).by(ANA, defense=defense, doubled_from=doubled_from)
