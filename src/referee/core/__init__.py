"""The rules core: what a rule may await, what it reads, and the loop that runs it.

Rule modules import from here; the core's own modules import from each other.
"""

from referee.core.actions import (
    DONE,
    Action,
    ActionChoice,
    Bands,
    CheckFunction,
    Pick,
    action,
    action_of,
    actions_of,
    legal_choices,
    suggest,
)
from referee.core.audience import Audience, Hidden, Open, Own
from referee.core.cards import Card, Facing, Pile, pile_of, playing_cards
from referee.core.clock import CLOCK, Clock, advance_clock, cancel_deadline, set_deadline
from referee.core.dice import D3, D6, Die, Faces, Pool, Reading, SymbolCounts, Total, marked_die, number_die
from referee.core.effects import Active, Effect, applying, lay
from referee.core.encounter import Encounter
from referee.core.errors import BadAnswer, BadInput, Refused, refuse
from referee.core.modifiers import DICE, DIFFICULTY, PIPS, TOTAL, Mod, Mods, adds, by_unit, total
from referee.core.options import OnlyWith, option
from referee.core.plain import Levels, frozen, tally
from referee.core.questions import Prompt
from referee.core.requests import (
    YES,
    YES_NO,
    alter,
    change,
    choose,
    draw,
    move,
    offer,
    react,
    roll,
    rule_on,
    tell,
    together,
)
from referee.core.rulebook import BOOK, figure, figures, rows
from referee.core.rules import Body, Call, Rule, formula, hand_over, rule, until_settled
from referee.core.scene import Scene, State, Who
from referee.core.system import Shorthand, System, Unit
from referee.core.value_changes import Unset

__all__ = [
    "BOOK",
    "CLOCK",
    "D3",
    "D6",
    "DICE",
    "DIFFICULTY",
    "DONE",
    "PIPS",
    "TOTAL",
    "YES",
    "YES_NO",
    "Action",
    "ActionChoice",
    "Active",
    "Audience",
    "BadAnswer",
    "BadInput",
    "Bands",
    "Body",
    "Call",
    "Card",
    "CheckFunction",
    "Clock",
    "Die",
    "Effect",
    "Encounter",
    "Faces",
    "Facing",
    "Hidden",
    "Levels",
    "Mod",
    "Mods",
    "OnlyWith",
    "Open",
    "Own",
    "Pick",
    "Pile",
    "Pool",
    "Prompt",
    "Reading",
    "Refused",
    "Rule",
    "Scene",
    "Shorthand",
    "State",
    "SymbolCounts",
    "System",
    "Total",
    "Unit",
    "Unset",
    "Who",
    "action",
    "action_of",
    "actions_of",
    "adds",
    "advance_clock",
    "alter",
    "applying",
    "by_unit",
    "cancel_deadline",
    "change",
    "choose",
    "draw",
    "figure",
    "figures",
    "formula",
    "frozen",
    "hand_over",
    "lay",
    "legal_choices",
    "marked_die",
    "move",
    "number_die",
    "offer",
    "option",
    "pile_of",
    "playing_cards",
    "react",
    "refuse",
    "roll",
    "rows",
    "rule",
    "rule_on",
    "set_deadline",
    "suggest",
    "tally",
    "tell",
    "together",
    "total",
    "until_settled",
]
