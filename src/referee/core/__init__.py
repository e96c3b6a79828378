"""The rules core: what a rule may await, what it reads, and the loop that runs it.

Rule modules import from here; the core's own modules import from each other.
"""

from referee.core.audience import Audience, Hidden, Open, Own
from referee.core.cards import Card, Facing, Pile, playing_cards
from referee.core.clock import CLOCK, Clock, advance_clock, set_deadline
from referee.core.dice import D3, D6, Die, Faces, Pool, Reading, SymbolCounts, Total, marked_die, number_die
from referee.core.drafts import (
    NAME,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Lack,
    Part,
    PickOne,
    PickSeveral,
    Reason,
    RollDice,
    SpreadPoints,
    WriteText,
)
from referee.core.effects import Active, Effect, applying
from referee.core.encounter import Encounter
from referee.core.errors import BadAnswer, BadInput, Refused
from referee.core.modifiers import Mod, Mods, total
from referee.core.plain import Levels, tally
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
from referee.core.rulebook import BOOK, figure, rows
from referee.core.rules import Call, formula, hand_over, rule, until_settled
from referee.core.scene import Scene, State, Who
from referee.core.system import Action, Bands, Shorthand, System, Unit

__all__ = [
    "BOOK",
    "CLOCK",
    "D3",
    "D6",
    "NAME",
    "YES",
    "YES_NO",
    "Action",
    "Active",
    "Audience",
    "BadAnswer",
    "BadInput",
    "Bands",
    "Call",
    "Card",
    "Clock",
    "Creation",
    "Die",
    "Draft",
    "DraftBudget",
    "DraftOption",
    "DraftStep",
    "Effect",
    "Encounter",
    "Faces",
    "Facing",
    "Hidden",
    "Lack",
    "Levels",
    "Mod",
    "Mods",
    "Open",
    "Own",
    "Part",
    "PickOne",
    "PickSeveral",
    "Pile",
    "Pool",
    "Prompt",
    "Reading",
    "Reason",
    "Refused",
    "RollDice",
    "Scene",
    "Shorthand",
    "SpreadPoints",
    "State",
    "SymbolCounts",
    "System",
    "Total",
    "Unit",
    "Who",
    "WriteText",
    "advance_clock",
    "alter",
    "applying",
    "change",
    "choose",
    "draw",
    "figure",
    "formula",
    "hand_over",
    "marked_die",
    "move",
    "number_die",
    "offer",
    "playing_cards",
    "react",
    "roll",
    "rows",
    "rule",
    "rule_on",
    "set_deadline",
    "tally",
    "tell",
    "together",
    "total",
    "until_settled",
]
