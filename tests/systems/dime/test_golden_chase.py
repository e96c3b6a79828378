"""A whole chase over five intervals, cut short by the slip: its story as recorded, and claims reckoned by hand.

The recording beside this file says that nothing has changed; the claims, that what it says is what the book says.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tests.systems.dime.golden import Claim, Told, check_claims, check_recording, played

from referee.core.scene import Scene
from referee.systems.dime.chase import CHASE

ANSWERS: Final = {
    "obstacle": ["4D", "7C", "9S"],
    "Lucie.runner": ["Lucie", "Lucie", "Anton", "Lucie", "Anton", "Lucie", "Lucie"],
    "Inspector Hruby.runner": [
        "Constable",
        "Inspector Hruby",
        "Inspector Hruby",
        "Inspector Hruby",
        "Constable",
        "Inspector Hruby",
        "Inspector Hruby",
    ],
    "stat": ["Dexterity", "Strength", "Charisma", "Dexterity", "Speed", "Perception"],
    "skill": ["athletics", "athletics", "expression", "athletics", "athletics"],
    "Lucie.play": ["no", "8S", "no", "no", "no"],
    "Lucie.turn": ["5H", "10H", "Joker1", "7H", "10S", "3C", "2C"],
    "Lucie.luck": ["no", "no", "2H", "no", "no"],
    "Lucie.stack": ["8S", "10S"],
    "Lucie.refill": "QH",
    "Lucie.leg-up": ["hinder", "slip"],
    "Anton.turn": ["3D", "6S", "9C"],
    "Anton.stack": "9C",
    "Constable.turn": ["9H", "4H"],
    "Inspector Hruby.play": ["no", "no", "7S", "no", "no"],
    "Inspector Hruby.turn": ["KC", "4C", "2S", "6D", "2D", "8D", "AD", "5C"],
    "Inspector Hruby.stack": "7S",
    "Inspector Hruby.leg-up": "help",
}


@cache
def told() -> Told:
    return played("rooftops", "chase", ANSWERS)


def test_the_chase_is_told_as_recorded() -> None:
    check_recording("golden_chase", told())


RECKONED: Final = (
    # The first interval: something is in the way.
    ("game master.obstacle:  -> 4D@gm", "chase.obstacles", "one card of the game master's, before the flips"),
    ("obstacle  -> In the Way", "chase.obstacles#In the Way", "4 and 5"),
    ("Lucie.runner: Lucie / Anton -> Lucie", "chase.procedure", "the first named says who flips"),
    ("Lucie.turn: +7 Dexterity, +3 athletics -> 5H@Lucie", "flip.basic", "15"),
    ("Constable.turn: +6 Strength, +2 athletics -> 9H@gm", "flip.basic", "17; he has no Moxie and is asked for none"),
    ("blocked nothing -> quarry -2", "chase.obstacles", "15 is the lower, though both reach 10"),
    ("Lucie.play: 2H@Lucie / 4S@Lucie / 8S@Lucie / 9D@Lucie / JC@Lucie / no -> 8S@Lucie", "moxie.play-card",
        "a card from hand"),
    ("Lucie.turn:  -> 10H@Lucie", "flip.trump", "spades are trump for Speed: a further stack"),
    ("Lucie.stack: 8S / 10H -> 8S", "flip.stacks", "the lower one, for its suit"),
    ("tallies nothing -> quarry 15", "chase.procedure", "8 + 6 + 3 - 2"),
    ("Inspector Hruby.turn: +6 Speed, +2 athletics -> KC@gm", "flip.basic", "a King is 3 and draws on"),
    ("Inspector Hruby.turn:  -> 4C@gm", "flip.face-cards", "3 + 4"),
    ("-> pursuers 15, quarry 15", "chase.procedure", "7 + 6 + 2"),
    ("leg_up nothing -> Anton, Lucie", "chase.procedure", "spades outrank clubs"),
    ("Lucie.leg-up: hinder / help / slip / nothing -> hinder", "chase.leg-up", "a quarry may give the slip instead"),
    ("Anton.turn: +7 Charisma, +1 expression -> 3D@Anton", "flip.basic", "11 reaches 10"),
    ("hindered nothing -> pursuers -2", "chase.leg-up", "-2 for the others in the next interval"),
    ("clock: now 0 -> 10", "referee.clock.arrive", "a minute is ten rounds"),
    # The second: bad terrain, a Joker, and the pursuers' leg up.
    ("obstacle  -> Bad Terrain", "chase.obstacles#Bad Terrain", "6 and 7"),
    ("Lucie.turn: +7 Dexterity, +3 athletics -> Joker1@Lucie", "flip.joker", "the cards count 0, and 10 is no success"),
    ("Lucie.refill:  -> QH@Lucie", "moxie.refresh", "up to the score of 5"),
    ("Inspector Hruby.turn: +6 Speed, +2 athletics -> 2S@gm", "flip.trump", "spades are his trump too"),
    ("Inspector Hruby.turn:  -> 6D@gm", "flip.stacks", "no suit is read, so the 6 counts: 14 succeeds"),
    ("-> pursuers 15, quarry 10", "chase.obstacles", "a Joker fails by 5 at least"),
    ("Anton.stack: 6S / 9C -> 9C", "flip.stacks", "the higher one this time"),
    ("-> pursuers 15, quarry 27", "chase.procedure", "10 + 9 + 5 + 3"),
    ("Inspector Hruby.play: 7S@gm / KH@gm / no -> 7S@gm", "moxie.play-card",
        "he has Moxie, from the game master's deck"),
    ("-> pursuers 28, quarry 27", "chase.procedure", "15 + 7 + 6 + 2 - 2"),
    ("hindered pursuers -2 -> nothing, leg_up nothing -> Constable, Inspector Hruby", "chase.procedure",
        "spades against clubs; the trick is used up"),
    ("Inspector Hruby.leg-up: hinder / help / nothing -> help", "chase.leg-up", "pursuers cannot slip away"),
    ("Constable.turn: +5 Perception -> 4H@gm", "flip.basic", "9 fails, and nothing comes of it"),
    ("interval 1 -> 2, phase leg up -> next interval, obstacle Bad Terrain -> , leg_up", "chase.leg-up",
        "nobody is helped"),
    # The third: a hiding spot, Luck, and the slip.
    ("obstacle  -> Hiding Spot", "chase.obstacles#Hiding Spot", "8 and 9"),
    ("Lucie.turn: +6 Speed, +3 athletics -> 7H@Lucie", "flip.basic", "16 so far"),
    ("Lucie.luck: 2H@Lucie / 4S@Lucie / 9D@Lucie / JC@Lucie / QH@Lucie / no -> 2H@Lucie", "moxie.luck",
        "a card for another stack"),
    ("Lucie.hand: -2H", "moxie.luck", "it is discarded"),
    ("Lucie.turn:  -> 10S@Lucie", "moxie.luck", "and trump opens a third"),
    ("Lucie.stack: 3C / 7H / 10S -> 10S", "flip.stacks", "one of the three"),
    ("-> pursuers 28, quarry 46", "chase.procedure", "27 + 10 + 6 + 3"),
    ("-> pursuers 44, quarry 46", "chase.procedure", "28 + 8 + 6 + 2"),
    ("Lucie.leg-up: hinder / help / slip / nothing -> slip", "chase.giving-the-slip", "spades against diamonds"),
    ("Inspector Hruby.turn: +6 Perception, +3 awareness -> AD@gm", "chase.giving-the-slip",
        "diamonds are trump for Perception"),
    ("Inspector Hruby.turn:  -> 5C@gm", "flip.trump", "5 + 9 is 14"),
    ("Lucie.turn: +7 Dexterity, +3 stealth, +2 difference of the tallies, +2 Hiding Spot -> 2C@Lucie",
        "chase.giving-the-slip", "16 is enough"),
    ("slipped no -> yes", "chase.giving-the-slip", "two intervals before the end"),
)  # fmt: skip


def test_every_line_says_what_the_book_says() -> None:
    check_claims(told(), (Claim(*each) for each in RECKONED))


def test_the_quarry_is_gone_after_three_of_five_intervals() -> None:
    chase = Scene(told().state)[CHASE]
    assert told().ending == "slipped"
    assert (chase.interval, chase.intervals, chase.lead) == (3, 5, 2)
