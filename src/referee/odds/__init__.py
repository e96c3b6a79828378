"""Exact odds: distributions in whole numbers, and fast kernels for the dice and cards of role-playing games.

Everything here is exact; floats are made on request. Operations treat the values they combine as independent.
"""

from referee.odds.bands import NamedOutcomes
from referee.odds.cards import draw_best, draw_on, draw_on_best, draw_total
from referee.odds.dice import dice, die, open_wild_dice, wild_dice, wild_faces
from referee.odds.distribution import Distribution
from referee.odds.exploding import Exploding
from referee.odds.joint import Joint
from referee.odds.mixtures import joint_mixture, mixture
from referee.odds.opposed import WinTable, win_table
from referee.odds.policies import best_pool, policy_pool
from referee.odds.pools import SymbolDie, symbol_pool
from referee.odds.two_dice import TwoDice, two_dice

__all__ = [
    "Distribution",
    "Exploding",
    "Joint",
    "NamedOutcomes",
    "SymbolDie",
    "TwoDice",
    "WinTable",
    "best_pool",
    "dice",
    "die",
    "draw_best",
    "draw_on",
    "draw_on_best",
    "draw_total",
    "joint_mixture",
    "mixture",
    "open_wild_dice",
    "policy_pool",
    "symbol_pool",
    "two_dice",
    "wild_dice",
    "wild_faces",
    "win_table",
]
