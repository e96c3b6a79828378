"""Odds to and from JSON. Counts can exceed what JSON readers hold exactly, so chances are written "num/den"."""

from __future__ import annotations

import re
from fractions import Fraction
from math import lcm

from referee.odds.bands import NamedOutcomes
from referee.odds.distribution import Distribution
from referee.odds.errors import bad_input
from referee.odds.joint import Joint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

EXACT: Final = re.compile(r"[0-9]{1,4300}/0*[1-9][0-9]{0,4299}")


def exact(chance: Fraction) -> str:
    return f"{chance.numerator}/{chance.denominator}"


def of_distribution(odds: Distribution) -> dict[str, Any]:
    return {
        "chances": {str(outcome): exact(chance) for outcome, chance in odds.chances().items()},
        "floats": {str(outcome): chance for outcome, chance in odds.floats().items()},
        "mean": exact(odds.mean),
        "variance": exact(odds.variance),
        "capped": exact(odds.capped),
    }


def of_joint(odds: Joint) -> dict[str, Any]:
    return {
        "axes": list(odds.axes),
        "chances": {" ".join(map(str, cell)): exact(chance) for cell, chance in odds.chances().items()},
        "floats": {" ".join(map(str, cell)): chance for cell, chance in odds.floats().items()},
        "means": {axis: exact(odds.axis(axis).mean) for axis in odds.axes},
    }


def of_bands(odds: NamedOutcomes) -> dict[str, Any]:
    return {
        "chances": {name: exact(chance) for name, chance in odds.chances().items()},
        "floats": odds.floats(),
    }


def distribution(plain: Mapping[str, Any]) -> Distribution:
    """A distribution from its plain form; only its chances matter."""
    return Distribution({_whole_number(outcome): count for outcome, count in _counts(plain).items()})


def joint(plain: Mapping[str, Any]) -> Joint:
    """A joint distribution from its plain form."""
    axes = plain.get("axes")
    if not isinstance(axes, list) or not all(isinstance(axis, str) for axis in axes):
        raise bad_input("axes", f"must be a list of names, not {axes!r}")
    cells = {tuple(map(_whole_number, cell.split(" "))): count for cell, count in _counts(plain).items()}
    return Joint(axes, cells)


def bands(plain: Mapping[str, Any]) -> NamedOutcomes:
    """Bands from their plain form."""
    return NamedOutcomes(_counts(plain))


def _counts(plain: Mapping[str, Any]) -> dict[str, int]:
    """Counts in proportion to the chances, which must add up to 1."""
    texts = plain.get("chances")
    if not isinstance(texts, dict):
        raise bad_input("chances", f'must be chances as "num/den" by outcome, not {texts!r}')
    chances = {str(key): _chance(str(key), text) for key, text in texts.items()}
    if sum(chances.values()) != 1:
        raise bad_input("chances", f"must be chances that add up to 1, not to {sum(chances.values())}")
    whole = lcm(*(chance.denominator for chance in chances.values()))
    return {key: int(chance * whole) for key, chance in chances.items()}


def _chance(key: str, text: object) -> Fraction:
    if not isinstance(text, str) or not EXACT.fullmatch(text):
        raise bad_input(f"chances.{key}", f'must be "num/den", not {text!r}')
    return Fraction(text)


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text):
        raise bad_input(f"chances.{text}", "must be a whole number")
    return int(text)
