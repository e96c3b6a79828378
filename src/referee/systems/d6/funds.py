"""What somebody can spend besides their Wealth: what is left of it this week, sums of cash, what was found on sale."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from referee.core import frozen
from referee.kits.dice_codes import Code, Stat


@frozen
class CashSum:
    """Money that comes once: a Wealth code that is rolled and gone."""

    known_by: ClassVar = ("name",)
    name: str
    code: Stat = Stat()


@frozen
class FoundGoods:
    """Something that was found on sale, and whether the seller asks for no papers."""

    known_by: ClassVar = ("thing",)
    thing: str
    illegally: bool = False


@frozen
class Funds:
    """What somebody has spent of this week's Wealth, and what else they can pay with."""

    used: Stat = Stat()
    """How much of the Wealth of the week was rolled."""
    week: int = -1
    """Which week that was, counted from the beginning."""
    cash: tuple[CashSum, ...] = ()
    parts: int = 0
    """Spare parts in stock, in points of the Price index."""
    found: tuple[FoundGoods, ...] = ()
    clearances: tuple[str, ...] = ()
    """The regulated things that one may own."""
    before: Stat | None = None
    """The Wealth that a subplot can bring back."""
    keeper: str = ""
    """Who sees to the upkeep, if it is somebody else."""
    effort: bool = False
    """Whether this month's time goes into getting richer."""

    def used_in(self, week: int) -> Stat:
        return self.used if self.week == week else Stat()

    def using(self, week: int, code: Code, per_die: int) -> Funds:
        """With so much more of a week's Wealth rolled."""
        return replace(self, used=self.used_in(week).raised(code, per_die), week=week)

    def sum_named(self, name: str) -> CashSum | None:
        return next((each for each in self.cash if each.name == name), None)

    def with_cash(self, name: str, code: Code, per_die: int) -> Funds:
        """With more of a sum of cash, or less; what is spent is gone."""
        known = self.sum_named(name) or CashSum(name)
        more = CashSum(name, known.code.raised(code, per_die))
        others = tuple(each for each in self.cash if each.name != name)
        return replace(self, cash=(*others, more) if more.code != Stat() else others)

    def finding(self, found: FoundGoods) -> Funds:
        return replace(self, found=(*self.without(found.thing).found, found))

    def without(self, *things: str) -> Funds:
        """What was bought is no longer on offer."""
        return replace(self, found=tuple(each for each in self.found if each.thing not in things))
