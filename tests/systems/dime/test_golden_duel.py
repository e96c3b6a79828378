"""A whole duel with the fight that follows: its story as recorded, and claims reckoned by hand.

The recording beside this file says that nothing has changed; the claims, that what it says is what the book says.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tests.systems.dime.golden import Claim, Told, check_claims, check_recording, played

from referee.core import pile_of
from referee.core.scene import Scene

ANSWERS: Final = {
    "Delia.tactic": "Chr/empathy",
    "Cass Tolliver.tactic": "Str/persuade",
    "Delia.play": ["no", "9S", "no", "no"],
    "Delia.turn": ["2D", "3C", "6D", "2C", "3S", "7H"],
    "Delia.stack": "9S",
    "Cass Tolliver.play": ["no", "no", "no", "JD", "no"],
    "Cass Tolliver.turn": ["KS", "AH", "4H", "5C", "7D", "8H", "AD"],
    "Delia.pace": "speed",
    "Cass Tolliver.pace": "safety",
    "Delia.weapon": "six-shooter",
    "Cass Tolliver.weapon": "long-barrelled Colt",
    "Cass Tolliver.react": ["Dodge", "no", "no"],
    "Cass Tolliver.critical": "Dazing Hit",
    "Delia.turn-action": "attack Cass Tolliver six-shooter",
}


@cache
def told() -> Told:
    return played("noon", "duel", ANSWERS)


def test_the_duel_is_told_as_recorded() -> None:
    check_recording("golden_duel", told())


RECKONED: Final = (
    # The face-off: both succeed.
    ("Delia.tactic: Str/persuade / Chr/empathy / Chr/socialize -> Chr/empathy", "duel.face-off",
        "one of three tactics"),
    ("Cass Tolliver.tactic: Str/persuade / Chr/empathy / Chr/socialize -> Str/persuade", "duel.face-off",
        "chosen at once"),
    ("Delia.turn: +5 Charisma, +3 empathy -> 2D@Delia", "flip.trump", "diamonds are trump by her trait"),
    ("Delia.turn:  -> 3C@Delia", "flip.stacks", "3 + 8 against Willpower 5 + 5, the middle of 5, 4 and 6"),
    ("stared-down: Delia", "duel.face-off", "11 reaches 10"),
    ("Cass Tolliver.turn: +6 Strength, +2 persuade -> KS@gm", "flip.face-cards", "3, and draws on"),
    ("Cass Tolliver.turn:  -> AH@gm", "flip.face-cards", "4 + 8 against Willpower 5 + 4, the middle of 4, 5 and 3"),
    ("doubled nothing -> Cass Tolliver, Delia", "duel.face-off", "12 reaches 9"),
    # The opening shots: speed against safety.
    ("Delia.pace: speed / safety -> speed", "duel.opening-shots", "in secret"),
    ("Cass Tolliver.pace: speed / safety -> safety", "duel.opening-shots", "and shown together"),
    ("fight: comes", "duel.opening-shots", "with the usual AP"),
    ("Cass Tolliver.react: Dodge / Parry / no -> Dodge", "reaction.general", "safety may react, before the card turns"),
    ("left Cass Tolliver 3, Delia 3 -> Cass Tolliver 2, Delia 3", "combat.ap", "1 AP"),
    ("Cass Tolliver.turn:  -> 4H@gm", "reaction.dodge", "Defense 11 and 4"),
    ("Cass Tolliver.react: Parry / no -> no", "reaction.general", "each reaction once"),
    ("Delia.play: 3D@Delia / 5H@Delia / 9S@Delia / KC@Delia / no -> 9S@Delia", "moxie.play-card", "Speed 7, guns 3"),
    ("Delia.turn:  -> 6D@Delia", "flip.trump", "spades are trump for Speed"),
    ("Delia.turn:  -> 2C@Delia", "flip.trump", "and diamonds are her own"),
    ("Delia.stack: 2C / 6D / 9S -> 9S", "flip.stacks", "19 against 15: a hit by 4"),
    ("shots 5", "attack.basic", "one of six is spent"),
    ("Cass Tolliver: hp nothing -> -3", "damage.resolve", "12 - (twice 8, less 1 of the vest)"),
    ("Cass Tolliver.turn: +6 Endurance -> 5C@gm", "damage.below-zero", "against 3; clubs are trump"),
    ("Cass Tolliver.turn:  -> 7D@gm", "damage.below-zero", "13: he stays up, and fires"),
    ("Cass Tolliver.play: 10C@gm / JD@gm / no -> JD@gm", "duel.opening-shots",
        "Delia, on speed, is not asked for a reaction"),
    ("Cass Tolliver.turn: +6 Dexterity, +3 guns -> 8H@gm", "flip.face-cards", "1 + 8 + 6 + 3 against 11: Mag 7"),
    ("Cass Tolliver.critical: Called Shot / Dazing Hit / Disarm / Knockback / Vital Hit / no -> Dazing Hit",
        "critical.effects", "no grapple with a gun"),
    ("Delia: hp nothing -> -1", "damage.resolve", "9 - twice 5, for the Jack of diamonds that began the stack"),
    ("Delia.turn: +5 Endurance -> 3S@Delia", "damage.below-zero", "8 against 1"),
    ("name Dazed, severity 1", "consequence.dazed", "the critical effect"),
    ("quicker  -> Delia", "duel.opening-shots", "her shot came first"),
    # The follow-up: a fight, and the antes.
    ("fight: starter  -> Delia", "duel.follow-up", "so she begins"),
    ("left Cass Tolliver 2, Delia 3 -> Cass Tolliver 3, Delia 3", "combat.turn-order", "combat begins with 3 AP each"),
    ("Delia.turn-action:  -> attack Cass Tolliver six-shooter", "combat.action-categories", "a basic attack"),
    ("Delia.turn: +6 Dexterity, +3 guns, -1 Dazed -> 7H@Delia", "attack.basic", "15 against 11"),
    ("Cass Tolliver: hp -3 -> -8", "damage.resolve", "6 for hearts, less 1; nothing is doubled any more"),
    ("Cass Tolliver.turn: +6 Endurance -> AD@gm", "damage.below-zero", "7 against 8"),
    ("unconscious no -> yes", "damage.below-zero", "he falls"),
    ("fight: goes", "referee.encounter.end", "nobody is left on the other side"),
    ("Delia.hand: +AC", "duel.follow-up", "her own ante"),
    ("Delia.hand: +6S", "duel.follow-up", "and his"),
    ("phase follow-up -> over, winner  -> Delia", "duel.follow-up", "the duel is won"),
)  # fmt: skip


def test_every_line_says_what_the_book_says() -> None:
    check_claims(told(), (Claim(*each) for each in RECKONED))


def test_the_winner_holds_a_card_of_the_game_master() -> None:
    hand = Scene(told().state)[pile_of("Delia", "hand")]
    assert told().ending == "Delia"
    assert [str(card) for card in hand.cards] == ["3D", "5H", "6S", "AC", "KC"]
    assert [card.deck for card in hand.cards if card.deck != "Delia"] == ["gm"]
    assert "Delia.ante" not in told().state
    assert "Cass Tolliver.ante" not in told().state
