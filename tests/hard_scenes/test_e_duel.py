"""Hard scene (e): a duel.

Antes, tactics and speed or safety are chosen at once and in secret; the pair of choices and the cards decide. The
rounds are an encounter: the face-off, the opening shots, and more shots until somebody falls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias, final

import pytest

from referee.core import (
    YES,
    YES_NO,
    Audience,
    BadAnswer,
    BadInput,
    Call,
    Card,
    Encounter,
    Facing,
    Levels,
    Open,
    Pile,
    Prompt,
    Refused,
    Scene,
    State,
    System,
    Who,
    alter,
    change,
    choose,
    draw,
    move,
    react,
    rule,
    tally,
    together,
    until_settled,
)
from referee.core.cards import JOKER, check_each_card_once
from referee.core.questions import Choice, Choose
from referee.core.replay import Answered
from referee.core.requests import move_all
from referee.core.run import Run
from referee.core.visibility import Seat, visible_scene
from referee.drivers.chain import ends_of
from referee.drivers.exact import Exact
from referee.drivers.policies import Policy, always
from referee.drivers.sampled import Sampled
from referee.drivers.scripted import Played, play, play_out
from referee.forecast.tree import StepTree
from referee.journal.journal import Journal
from referee.testing.conformance import agree

# --- the sheets -------------------------------------------------------------------------------------------------------

ACCEPT: Final = Prompt("accept")
ANTE: Final = Prompt("ante")
TACTIC: Final = Prompt("tactic")
OPENING: Final = Prompt("opening")
DODGE: Final = Prompt("dodge")
CARD: Final = Prompt("card")

COLT: Final = Levels({"clubs": 1, "diamonds": 1, "hearts": 1, "spades": 2})
NO_REACTION: Final = "who chose speed takes no reaction"
TACTICS: Final = Levels({"Str/persuade": 4, "Chr/empathy": 3, "Chr/socialize": 2})


class Tactic(Enum):
    """How to stare somebody down."""

    PERSUADE = "Str/persuade"
    EMPATHY = "Chr/empathy"
    SOCIALIZE = "Chr/socialize"


class Opening(Enum):
    """Speed fires first, safety may dodge."""

    SPEED = "speed"
    SAFETY = "safety"


class Phase(Enum):
    """Where a duel stands."""

    FACE_OFF = "face-off"
    OPENING_SHOTS = "opening shots"
    FOLLOW_UP = "follow-up"


@final
@dataclass(frozen=True, slots=True)
class Duelist:
    """Whoever stands there at noon."""

    speed: Open[int] = 4
    dexterity: Open[int] = 5
    guns: Open[int] = 2
    tactics: Open[Levels] = TACTICS
    willpower: Open[int] = 11
    defense: Open[int] = 13
    hp: Open[int] = 1
    damage: Open[Levels] = COLT
    shuffles: Open[bool] = True
    """Whether every card goes straight back into the deck, so that no scene remembers which are out."""

    def hurt(self, damage: int) -> Duelist:
        return replace(self, hp=max(0, self.hp - damage))


def hand(who: Who[Duelist]) -> Who[Pile]:
    return Who(f"{who}.hand", Pile)


def deck(who: Who[Duelist]) -> Who[Pile]:
    return Who(f"{who}.deck", Pile)


def discards(who: Who[Duelist]) -> Who[Pile]:
    return Who(f"{who}.discards", Pile)


ANTES: Final = Who("antes", Pile)


@final
@dataclass(frozen=True, slots=True)
class Duel(Encounter):
    """Two people, how far they have come, and who has won the face-off."""

    one: Open[Who[Duelist]]
    other: Open[Who[Duelist]]
    phase: Open[Phase] = Phase.FACE_OFF
    doubled: Open[frozenset[str]] = frozenset()
    round: Open[int] = tally(1)

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        if len(self.standing(scene)) < 2:
            return take_antes(self.standing(scene))
        step = face_off if self.phase is Phase.FACE_OFF else exchange
        return step(self.one, self.other)

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        if len(self.standing(scene)) == 2 or scene[ANTES]:
            return None
        return " ".join(map(str, self.standing(scene))) or "nobody"

    def standing(self, scene: Scene) -> tuple[Who[Duelist], ...]:
        return tuple(who for who in (self.one, self.other) if scene[who].hp > 0)

    def faced_off(self, doubled: frozenset[str]) -> Duel:
        return replace(self, phase=Phase.OPENING_SHOTS, doubled=doubled)

    def fired(self) -> Duel:
        return replace(self, phase=Phase.FOLLOW_UP, doubled=frozenset(), round=self.round + 1)


DUEL: Final = Who("duel", Duel)


@final
@dataclass(frozen=True, slots=True)
class Shot:
    """A shot in the air: who fired at whom, how good it is, and what it will do."""

    by: Who[Duelist]
    at: Who[Duelist]
    total: int
    damage: int


# --- the rules --------------------------------------------------------------------------------------------------------


@rule("hard.duel.challenge", "hard.duel.face-down")
async def challenge(scene: Scene, one: Who[Duelist], other: Who[Duelist]) -> bool:
    """If the other accepts, both ante a card from hand: at once, and face down."""
    check_ante(scene, one)
    check_ante(scene, other)
    if not await choose(other, ACCEPT, YES_NO):
        return False
    mine, yours = await together(ante(scene, one), ante(scene, other))
    await move(mine, hand(one), ANTES)
    await move(yours, hand(other), ANTES)
    await change(DUEL, Duel(one, other))
    return True


@rule("hard.duel.face-off")
async def face_off(scene: Scene, one: Who[Duelist], other: Who[Duelist]) -> None:
    """Each picks a tactic and flips against the other's Willpower; success doubles the damage of the opening shot."""
    mine, yours = await together(choose(one, TACTIC, Tactic), choose(other, TACTIC, Tactic))
    doubled: frozenset[str] = frozenset()
    for who, tactic, foe in ((one, mine, other), (other, yours, one)):
        card = await flip(who)
        if hits(card, scene[who].tactics[tactic.value], scene[foe].willpower):
            doubled |= {who.name}
    await alter(DUEL, Duel.faced_off, doubled)


@rule("hard.duel.opening-shots")
async def exchange(scene: Scene, one: Who[Duelist], other: Who[Duelist]) -> None:
    """Speed or safety, in secret and shown together. Speed fires first; of two the higher total, else both at once."""
    mine, yours = await together(choose(one, OPENING, Opening), choose(other, OPENING, Opening))
    match mine, yours:
        case Opening.SPEED, Opening.SAFETY:
            await fire_in_turn(one, other)
        case Opening.SAFETY, Opening.SPEED:
            await fire_in_turn(other, one)
        case Opening.SPEED, Opening.SPEED:
            await fire_by_total(one, other)
        case _:
            await fire_at_once(one, other)
    await alter(DUEL, Duel.fired)


@rule("hard.duel.speed-first")
async def fire_in_turn(scene: Scene, quick: Who[Duelist], careful: Who[Duelist]) -> None:
    """Who chose safety fires second, if still standing."""
    await strike(await aim(quick, careful, Opening.SPEED, Opening.SAFETY))
    if scene[careful].hp > 0:
        await strike(await aim(careful, quick, Opening.SAFETY, Opening.SPEED))


@rule("hard.duel.higher-first")
async def fire_by_total(scene: Scene, one: Who[Duelist], other: Who[Duelist]) -> None:
    """The lower shot counts only if its shooter still stands; equal ones strike at once."""
    mine = await aim(one, other, Opening.SPEED, Opening.SPEED)
    yours = await aim(other, one, Opening.SPEED, Opening.SPEED)
    first, second = (mine, yours) if mine.total >= yours.total else (yours, mine)
    await strike(first)
    if scene[second.by].hp > 0 or first.total == second.total:
        await strike(second)


@rule("hard.duel.at-once")
async def fire_at_once(scene: Scene, one: Who[Duelist], other: Who[Duelist]) -> None:
    """Neither is first: both shots are fired before either strikes."""
    mine = await aim(one, other, Opening.SAFETY, Opening.SAFETY)
    yours = await aim(other, one, Opening.SAFETY, Opening.SAFETY)
    await strike(mine)
    await strike(yours)


@rule("hard.duel.attack", "hard.duel.dodge")
async def aim(scene: Scene, by: Who[Duelist], at: Who[Duelist], chosen: Opening, theirs: Opening) -> Shot:
    """Spd/guns or Dex/guns against Defense, which a Dodge raises by a card before the shot's own card turns."""
    dodging = await react(at, DODGE, YES, check=lambda _: check_dodge(theirs))
    dodged = value(await flip(at)) if dodging else 0
    card = await flip(by)
    skill = scene[by].guns + (scene[by].speed if chosen is Opening.SPEED else scene[by].dexterity)
    hit = hits(card, skill, scene[at].defense + dodged)
    return Shot(by, at, skill + value(card), damage(scene, by, card) if hit else 0)


@rule("hard.duel.damage")
async def strike(scene: Scene, shot: Shot) -> None:
    await alter(shot.at, Duelist.hurt, shot.damage)


@rule("hard.duel.winnings")
async def take_antes(scene: Scene, standing: tuple[Who[Duelist], ...]) -> None:
    """The winner takes both anted cards into hand; if nobody stands, each goes back to its deck's discards."""
    for card in scene[ANTES].cards:
        await move(card, ANTES, hand(standing[0]) if standing else discards(Who(card.deck, Duelist)))


@rule("hard.duel.flip")
async def flip(scene: Scene, who: Who[Duelist]) -> Card:
    """One card of the own deck, which is made anew when it is empty."""
    if not scene[deck(who)]:
        await move_all(discards(who), deck(who))
    card = await draw(CARD, deck(who), discards(who), who=who)
    if scene[who].shuffles:
        await move(card, discards(who), deck(who))
    return card


def ante(scene: Scene, who: Who[Duelist]) -> Choose[Card]:
    return choose(who, ANTE, scene[hand(who)].cards, audience=Audience.OWNER)


def check_ante(scene: Scene, who: Who[Duelist]) -> None:
    if not scene[hand(who)]:
        raise Refused("duel", because=f"{who} has no Moxie to ante", rule="hard.duel.challenge")


def check_dodge(chosen: Opening) -> None:
    if chosen is Opening.SPEED:
        raise Refused("dodge", because=NO_REACTION, rule="hard.duel.opening-shots")


def value(card: Card) -> int:
    return 0 if card.rank == JOKER else int(card.rank)


def hits(card: Card, skill: int, bar: int) -> bool:
    """A Joker never does."""
    return card.rank != JOKER and value(card) + skill >= bar


def damage(scene: Scene, by: Who[Duelist], card: Card) -> int:
    """What the card's suit does, doubled for who won the face-off."""
    return scene[by].damage[card.suit or ""] * (2 if by.name in scene[DUEL].doubled else 1)


# --- the people -------------------------------------------------------------------------------------------------------

ANA: Final = Who("ana", Duelist)
BO: Final = Who("bo", Duelist)
FOUR: Final = "2C 6H 8D 9S"
"""On safety (7 against 13) three of them hit, on speed (6 against 13) two."""

SPEED: Final = Opening.SPEED
SAFETY: Final = Opening.SAFETY


def cards(owner: str, names: str, facing: Facing = Facing.DOWN) -> Pile:
    return Pile(tuple(Card(name, owner) for name in names.split()), facing, owner)


PLAIN: Final = Duelist()


def at_noon(sheet: Duelist = PLAIN, *, held: str = "", in_deck: str = FOUR) -> State:
    """Ana and Bo in the street, with the same sheet and the same cards in hand and deck."""
    own: dict[str, Hashable] = {
        pile: cards(who.name, names, facing)
        for who in (ANA, BO)
        for pile, names, facing in (
            (hand(who).name, held, Facing.HAND),
            (deck(who).name, in_deck, Facing.DOWN),
            (discards(who).name, "", Facing.UP),
        )
    }
    return State({"ana": sheet, "bo": sheet, **own, ANTES.name: Pile()})


def drawn(phase: Phase = Phase.FOLLOW_UP, *doubled: str, in_deck: str = FOUR, **both: Any) -> State:
    """The same two, with these fields on both sheets, and a duel under way."""
    return at_noon(Duelist(**both), in_deck=in_deck).but(DUEL.name, Duel(ANA, BO, phase, frozenset(doubled)))


CHALLENGE: Final = challenge(ANA, BO)
FACE_OFF: Final = face_off(ANA, BO)
EXCHANGE: Final = exchange(ANA, BO)


def shots(state: State, **answers: str) -> Played[None]:
    """One exchange; answers by name, `bo_card` for the card Bo turns."""
    return play(EXCHANGE, state, {name.replace("_", "."): answer for name, answer in answers.items()})


def hp(played: Played[Any]) -> tuple[int, int]:
    return Scene(played.state)[ANA].hp, Scene(played.state)[BO].hp


# --- the challenge ----------------------------------------------------------------------------------------------------


def test_who_accepts_antes_a_card_at_the_same_time() -> None:
    begun = play(CHALLENGE, at_noon(held="3C 4C"), {"bo.accept": "yes", "ana.ante": "3C", "bo.ante": "4C"})
    assert [card.to_plain() for card in Scene(begun.state)[ANTES].cards] == ["3C@ana", "4C@bo"]
    assert Scene(begun.state)[DUEL] == Duel(ANA, BO, Phase.FACE_OFF)


def test_who_declines_antes_nothing() -> None:
    state = at_noon(held="3C")
    declined = play(CHALLENGE, state, {"accept": "no"})
    assert (declined.result, declined.state) == (False, state)


def test_no_duel_without_moxie_to_ante() -> None:
    with pytest.raises(Refused, match=r"duel: ana has no Moxie to ante \(hard\.duel\.challenge\)"):
        play(CHALLENGE, at_noon())


def test_only_an_own_card_can_be_anted() -> None:
    with pytest.raises(BadAnswer, match="'3C@bo' is not an option"):
        play(CHALLENGE, at_noon(held="3C 4C"), {"accept": "yes", "ana.ante": "3C@bo"})


def test_who_has_one_card_antes_it_unasked() -> None:
    begun = play(CHALLENGE, at_noon(held="3C"), {"accept": "yes"})
    assert [question.name for question in begun.asked] == [ACCEPT]
    assert len(Scene(begun.state)[ANTES]) == 2


# --- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", Opening)
def test_one_choice_shows_nothing_before_the_other_is_in(chosen: Opening) -> None:
    run = Run(Scene(drawn()), EXCHANGE)
    before = run.asking
    run.answer(chosen, 0)
    assert run.open == (1,)
    assert (run.asking, run.events, run.scene.state) == (before, [], drawn())
    run.close()


def test_in_whichever_order_they_answer_it_comes_to_the_same() -> None:
    ways = {}
    for order in ((0, 1), (1, 0)):
        run = Run(Scene(drawn()), EXCHANGE)
        for part in order:
            run.answer((SPEED, SAFETY)[part], part)
        run.answer(None)  # Bo does not dodge
        run.answer(Card("9S", "ana"))
        ways[order] = run.done, run.scene.state, run.events
    assert ways[0, 1] == ways[1, 0]


def test_a_choice_once_made_stands() -> None:
    run = Run(Scene(drawn()), EXCHANGE)
    run.answer(SPEED, 0)
    with pytest.raises(BadInput, match="that question is not open"):
        run.answer(SAFETY, 0)
    run.close()


def test_whoever_decides_second_sees_the_scene_the_first_saw() -> None:
    looked: list[State] = []

    def look(question: Choice[Any], scene: Scene) -> Any:
        looked.extend([scene.state] if question.name == OPENING else [])
        return question.default

    Sampled(Random(0), look).play(EXCHANGE, drawn())
    assert looked == [drawn(), drawn()]


def test_antes_lie_face_down_for_everybody() -> None:
    begun = play(CHALLENGE, at_noon(held="3C"), {"accept": "yes"})
    assert visible_scene(begun.state, Seat("Bo's player", frozenset({"bo"})))["antes"] == {
        "kind": "Pile",
        "owner": "",
        "facing": "down",
        "count": 2,
    }


# --- the face-off -----------------------------------------------------------------------------------------------------


def test_who_stares_the_other_down_doubles_the_opening_shot() -> None:
    said = {"ana.tactic": "Str/persuade", "bo.tactic": "Chr/socialize", "ana.card": "8D", "bo.card": "8D"}
    stared = play(FACE_OFF, drawn(Phase.FACE_OFF), said)
    assert Scene(stared.state)[DUEL] == Duel(ANA, BO, Phase.OPENING_SHOTS, frozenset({"ana"}))  # 12 and 10 against 11


def test_a_won_face_off_doubles_one_shot_only() -> None:
    state = drawn(Phase.OPENING_SHOTS, "ana", hp=5)
    shot = shots(state, ana_opening="speed", bo_opening="safety", bo_dodge="no", ana_card="8D", bo_card="2C")
    assert hp(shot) == (5, 3)
    assert Scene(shot.state)[DUEL] == Duel(ANA, BO, Phase.FOLLOW_UP)


# --- the shots --------------------------------------------------------------------------------------------------------


def test_who_falls_to_speed_does_not_fire() -> None:
    shot = shots(drawn(), ana_opening="speed", bo_opening="safety", bo_dodge="no", ana_card="8D")
    assert hp(shot) == (1, 0)


def test_who_survives_speed_fires_with_the_surer_hand() -> None:
    shot = shots(drawn(), ana_opening="speed", bo_opening="safety", bo_dodge="no", ana_card="6H", bo_card="6H")
    assert hp(shot) == (0, 1)  # 12 misses, 13 hits


def test_of_two_quick_shots_the_higher_strikes_first() -> None:
    assert hp(shots(drawn(), ana_opening="speed", bo_opening="speed", ana_card="8D", bo_card="9S")) == (0, 1)


def test_equal_quick_shots_strike_at_once() -> None:
    assert hp(shots(drawn(), ana_opening="speed", bo_opening="speed", ana_card="9S", bo_card="9S")) == (0, 0)


def test_careful_shots_strike_at_once() -> None:
    said = {"ana_dodge": "no", "bo_dodge": "no", "ana_card": "9S", "bo_card": "6H"}
    assert hp(shots(drawn(), ana_opening="safety", bo_opening="safety", **said)) == (0, 0)


def test_who_chose_safety_may_dodge() -> None:
    shot = shots(drawn(), ana_opening="speed", bo_opening="safety", bo_dodge="yes", bo_card="6H 2C", ana_card="9S")
    assert hp(shot) == (1, 1)  # 15 against 13 + 6, then 9 against 13


def test_who_chose_speed_is_not_asked_to_dodge_and_the_table_knows_why() -> None:
    shot = shots(drawn(), ana_opening="speed", bo_opening="speed", ana_card="2C", bo_card="2C")
    assert [question.name for question in shot.asked] == [OPENING, OPENING, CARD, CARD]
    assert [barred.why.because for spared in shot.not_asked for barred in spared.barred] == [NO_REACTION, NO_REACTION]


def test_a_joker_never_hits() -> None:
    state = drawn(in_deck="Joker1 2C")
    shot = shots(state, ana_opening="speed", bo_opening="speed", ana_card="Joker1", bo_card="2C")
    assert hp(shot) == (1, 1)


# --- the whole duel ---------------------------------------------------------------------------------------------------


def test_a_duel_goes_from_the_face_off_to_the_winnings() -> None:
    antes = Pile((Card("3C", "ana"), Card("3C", "bo")))
    said = {
        "tactic": ["Str/persuade", "Str/persuade"],
        "ana.opening": "speed safety",
        "bo.opening": "safety safety",
        "dodge": "no no no",
        "ana.card": "8D 8D 6H",  # stares Bo down; 2 damage; 1 damage
        "bo.card": "2C 6H 2C",  # 6 against 11; 1 damage; a miss
    }
    ended = play_out(DUEL, drawn(Phase.FACE_OFF, hp=3).but(ANTES.name, antes), said)
    assert (ended.result, hp(ended)) == ("ana", (2, 0))
    assert Scene(ended.state)[DUEL].round == 3  # two were fought
    assert Scene(ended.state)[hand(ANA)].cards == antes.cards


def test_if_nobody_stands_each_ante_goes_back_to_its_own_deck() -> None:
    state = drawn(hp=0).but(ANTES.name, Pile((Card("3C", "ana"), Card("3C", "bo"))))
    ended = play_out(DUEL, state)
    assert Scene(ended.state)[discards(BO)].cards == (Card("3C", "bo"),)
    assert ended.result == "nobody"


def test_a_round_in_which_nothing_else_changes_is_written_down_all_the_same() -> None:
    table = Journal(System("duel", "Duels", Path(), version=1, sheet=Duelist, kinds=(Duel,)), drawn())
    step = table.begin("game master", exchange.id, {"one": "ana", "other": "bo"})
    for said in ("speed", "speed", "2C", "2C"):
        table.answer("game master", step, said, table.asking[0].part)
    again = Journal(table.system, table.start, lines=table.lines)
    assert (table.scene[DUEL].round, again.scene[DUEL].round) == (2, 2)


# --- exact odds -------------------------------------------------------------------------------------------------------

Pair: TypeAlias = tuple[Opening, Opening]
PAIRS: Final = tuple(product(Opening, Opening))


def choosing(pair: Pair, *, dodges: bool = False) -> Policy:
    """Ana and Bo always choose the same; both persuade."""
    ana, bo = pair
    return always(**{"ana.opening": ana, "bo.opening": bo, "tactic": Tactic.PERSUADE, "dodge": dodges})


def won(result: None, scene: Scene) -> int:
    """What an exchange is worth to Ana: whether she stands, less whether Bo does."""
    return (scene[ANA].hp > 0) - (scene[BO].hp > 0)


def test_the_table_of_pairs_without_dodges_by_policies() -> None:
    """Speed hits by 1/2, safety by 3/4; speed strikes first."""
    assert {pair: worth(choosing(pair)) for pair in PAIRS} == {
        (SPEED, SPEED): 0,
        (SPEED, SAFETY): Fraction(1, 2) - Fraction(1, 2) * Fraction(3, 4),
        (SAFETY, SPEED): Fraction(1, 2) * Fraction(3, 4) - Fraction(1, 2),
        (SAFETY, SAFETY): 0,
    }


def worth(policy: Policy) -> Fraction | int:
    return sum(each * chance for each, chance in Exact(policy).of(EXCHANGE, drawn()).by_end(won).items())


def best_worth(pair: Pair) -> Fraction:
    """What an exchange is worth to Ana after both openings, if she decides as well as can be and Bo dodges."""
    asking = Run(Scene(drawn()), EXCHANGE).asking
    openings = tuple(Answered(question, part, pair[part]) for part, question in enumerate(asking))
    tree = StepTree(EXCHANGE, drawn(), {"ana"}, choosing(pair, dodges=True), openings)
    return tree.weighed(1, lambda result, scene: (Fraction(won(result, scene)),)).vector[0]


def test_the_table_of_pairs_where_safety_dodges() -> None:
    """Against a Dodge speed hits only by 9 against 2, one time in sixteen."""
    assert {pair: best_worth(pair) for pair in PAIRS} == {
        (SPEED, SPEED): 0,
        (SPEED, SAFETY): Fraction(1, 16) - Fraction(15, 16) * Fraction(3, 4),
        (SAFETY, SPEED): Fraction(15, 16) * Fraction(3, 4) - Fraction(1, 16),
        (SAFETY, SAFETY): 0,
    }


@pytest.mark.parametrize("pair", PAIRS)
def test_every_driver_tells_the_same_story_of_an_exchange(pair: Pair) -> None:
    agree(EXCHANGE, drawn(Phase.OPENING_SHOTS, "bo", hp=2), choosing(pair, dodges=True))


def test_every_driver_tells_the_same_story_of_the_face_off() -> None:
    found = agree(FACE_OFF, drawn(Phase.FACE_OFF), choosing((SPEED, SPEED)))
    assert found.by_end(lambda _, scene: len(scene[DUEL].doubled)) == {  # each by 8D or 9S of four cards
        0: Fraction(1, 4),
        1: Fraction(1, 2),
        2: Fraction(1, 4),
    }


def ends(ana: Fraction | int, bo: Fraction | int, nobody: Fraction | int) -> dict[str, Fraction]:
    return {who: Fraction(share) for who, share in (("ana", ana), ("bo", bo), ("nobody", nobody)) if share}


@pytest.mark.parametrize(
    ("pair", "ana", "bo", "nobody", "still"),
    [
        ((SPEED, SPEED), 5, 5, 2, 4),
        ((SPEED, SAFETY), 8, 6, 0, 2),
        ((SAFETY, SPEED), 6, 8, 0, 2),
        ((SAFETY, SAFETY), 3, 3, 9, 1),
    ],
)
def test_how_a_duel_for_one_hit_ends_by_hand(pair: Pair, ana: int, bo: int, nobody: int, still: int) -> None:
    """So many of sixteen pairs of cards leave Ana, Bo or nobody, and so many leave all as it was."""
    found = ends_of(DUEL, drawn(), Exact(choosing(pair)))
    assert found.of == ends(*(Fraction(ways, 16 - still) for ways in (ana, bo, nobody)))
    assert found.steps == Fraction(16, 16 - still)


@pytest.mark.parametrize("pair", PAIRS)
def test_how_a_whole_duel_ends_is_what_its_twin_says(pair: Pair) -> None:
    found = ends_of(DUEL, drawn(Phase.FACE_OFF, hp=4), Exact(choosing(pair)))
    stares = [twin(4, 4, pair, mine, yours) for mine, yours in product((1, 2), (1, 2))]
    assert found.of == ends(*(sum(shares) / 4 for shares in zip(*stares, strict=True)))


@cache
def twin(ana: int, bo: int, pair: Pair, mine: int = 1, yours: int = 1) -> tuple[Fraction, Fraction, Fraction]:
    """Ana, Bo or nobody is left, by value and damage of two cards; `mine` and `yours` multiply the first shots."""
    if ana <= 0 or bo <= 0:
        return Fraction(int(ana > 0)), Fraction(int(bo > 0)), Fraction(int(ana <= 0 and bo <= 0))
    met: Counter[tuple[int, int]] = Counter()
    for (first, hurts), (second, harms) in product(((2, 1), (6, 1), (8, 1), (9, 2)), repeat=2):
        to_bo = hurts * mine if first >= (7 if pair[0] is SPEED else 6) else 0
        to_ana = harms * yours if second >= (7 if pair[1] is SPEED else 6) else 0
        ana_first = pair == (SPEED, SAFETY) or (pair == (SPEED, SPEED) and first > second)
        bo_first = pair == (SAFETY, SPEED) or (pair == (SPEED, SPEED) and second > first)
        met[
            ana - (0 if ana_first and to_bo >= bo else to_ana),
            bo - (0 if bo_first and to_ana >= ana else to_bo),
        ] += 1
    still = met.pop((ana, bo), 0) if (mine, yours) == (1, 1) else 0
    rest = [(ways, twin(*left, pair)) for left, ways in met.items()]
    won, lost, none = (sum((ways * ends[at] for ways, ends in rest), Fraction(0)) / (16 - still) for at in range(3))
    return won, lost, none


@rule("hard.duel.to-the-end")
async def shoot_it_out(scene: Scene) -> Hashable:
    """Shots without a pause until somebody falls."""
    return await until_settled(shoot_once())


@rule("hard.duel.once")
async def shoot_once(scene: Scene) -> Hashable | None:
    """An exchange comes to something when the duel is over."""
    await exchange(scene[DUEL].one, scene[DUEL].other)
    return scene[DUEL].over(scene, DUEL)


@pytest.mark.parametrize("pair", PAIRS)
def test_shots_without_a_pause_end_as_round_by_round(pair: Pair) -> None:
    exact = Exact(choosing(pair))
    assert exact.of(shoot_it_out(), drawn(hp=2)).of == ends_of(DUEL, drawn(hp=2), exact).of


def test_with_decks_that_remember_who_missed_with_the_one_bad_card_hits_next() -> None:
    """Of two cards the nine hits: both, one or the other hit, else both hold only the nine."""
    found = ends_of(DUEL, drawn(in_deck="2C 9S", shuffles=False), Exact(choosing((SPEED, SPEED))))
    assert found.of == ends(Fraction(1, 4), Fraction(1, 4), Fraction(1, 4) + Fraction(1, 4))
    assert found.steps == Fraction(5, 4)


def test_with_decks_that_remember_equals_have_equal_chances() -> None:
    found = ends_of(DUEL, drawn(in_deck="2C 8D 9S", shuffles=False), Exact(choosing((SPEED, SPEED)))).of
    assert found["ana"] == found["bo"]
    assert sum(found.values()) == 1


def test_no_card_is_lost_on_the_way() -> None:
    state = drawn(in_deck="2C 8D 9S Joker1", hp=3)
    for seed in range(20):
        _, after = Sampled(Random(seed), choosing((SAFETY, SPEED), dodges=True)).play_out(DUEL, state)
        check_each_card_once(after)
        assert len(Scene(after)[deck(ANA)]) + len(Scene(after)[discards(ANA)]) == 4
