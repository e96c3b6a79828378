"""Pools of symbol dice pushed by any policy, or as well as possible.

`pools.symbol_pool` pushes until a symbol shows and needs no policy. Here every throw that may be pushed is examined,
with equal throws taken together; only the last throw is again a product of powers.
"""

from __future__ import annotations

from itertools import product
from math import comb, prod

from referee.odds.errors import too_large
from referee.odds.joint import Joint
from referee.odds.pools import laid_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Final, TypeAlias

    from referee.odds.pools import Dice, SymbolDie

    Symbols: TypeAlias = tuple[int, ...]
    Fall: TypeAlias = tuple[int, Symbols, Symbols, Symbols]
    Policy: TypeAlias = Callable[[Mapping[str, int]], object]

MOST_THROWS: Final = 50_000
"""The most throws examined, with equal ones taken together."""


def policy_pool(dice: Dice, axes: Sequence[str], *, pushes: int, policy: Policy, adding: Dice = ()) -> Joint:
    """Like `symbol_pool`; a push is made whenever the policy says so, given the symbols on the table."""
    return _Pushing(dice, axes, pushes, adding, policy=policy).odds()


def best_pool(dice: Dice, axes: Sequence[str], *, pushes: int, worth: Callable[..., int], adding: Dice = ()) -> Joint:
    """Like `symbol_pool`; a push is made whenever it is worth more on average than letting the throw stand.

    `worth` gives the worth of an end in whole numbers, from its symbols in the order of the axes. If both are equal,
    the throw stands.
    """
    return _Pushing(dice, axes, pushes, adding, worth=worth).odds()


def _nothing(*_: int) -> int:
    return 0


class _Pushing:
    """One pool, and its ends from every throw on the way."""

    def __init__(
        self,
        dice: Dice,
        axes: Sequence[str],
        pushes: int,
        adding: Dice,
        *,
        policy: Policy | None = None,
        worth: Callable[..., int] = _nothing,
    ) -> None:
        self.axes, self.pushes, self.policy, self.worth = tuple(axes), pushes, policy, worth
        _, self.whole, self.sizes, self.width, self.shifts = laid_out(dice, axes, pushes, adding)
        self.kinds: list[SymbolDie] = list(dict.fromkeys([die for die, _ in (*dice, *adding)]))
        self.thrown = tuple([_count(dice, die) for die in self.kinds])
        self.added = tuple([_count(adding, die) for die in self.kinds])
        self.symbols = sorted({symbol for die in self.kinds for symbol in die.most})
        self.known: dict[tuple[Symbols, Symbols, int], int] = {}
        # A throw is counted as if every die so far were thrown, so that all ways to an end have the same total.
        self.out_of: list[int] = [
            prod(
                [
                    die.sides ** (n + more * push)
                    for die, n, more in zip(self.kinds, self.thrown, self.added, strict=True)
                ]
            )
            for push in range(pushes + 1)
        ]
        self._check()

    def _check(self) -> None:
        if not self.pushes:
            return
        most = [n + more * (self.pushes - 1) for n, more in zip(self.thrown, self.added, strict=True)]
        looks = prod([comb(n + len(die.kinds) - 1, n) for die, n in zip(self.kinds, most, strict=True)])
        if looks**self.pushes > MOST_THROWS:
            raise too_large(f"{looks**self.pushes} throws to decide upon; at most {MOST_THROWS} are looked at")

    def odds(self) -> Joint:
        packed = self._thrown((0,) * len(self.symbols), self.thrown, 0)
        return Joint.of_packed(self.axes, (0,) * len(self.axes), self.sizes, packed, self.width, self.whole)

    def _thrown(self, lying: Symbols, free: Symbols, push: int) -> int:
        """The packed ends of throwing the free dice in addition to what is lying, after this many pushes."""
        found = self.known.get((lying, free, push))
        if found is None:
            spare = self.out_of[push] // prod([die.sides**n for die, n in zip(self.kinds, free, strict=True)])
            if push == self.pushes:
                found = spare * self._last(free) << self._place(lying)
            else:
                found = spare * sum([self._decided(lying, fall, push) for fall in self._falls(free)])
            self.known[lying, free, push] = found
        return found

    def _last(self, free: Symbols) -> int:
        faces = [
            sum([weight << sum([self.shifts.get(s, 0) for s in symbols]) for symbols, _, weight in die.kinds])
            for die in self.kinds
        ]
        return prod([face**n for face, n in zip(faces, free, strict=True)])

    def _decided(self, lying: Symbols, fall: Fall, push: int) -> int:
        """The packed ends of a throw that may stand or be pushed."""
        ways, locked, shown, free = fall
        symbols = tuple(map(int.__add__, lying, shown))
        left = prod(self.out_of[push + 1 :])
        stands = ways * left << self._place(symbols)
        if self.policy is not None and not self.policy(dict(zip(self.symbols, symbols, strict=True))):
            return stands
        kept, again = tuple(map(int.__add__, lying, locked)), tuple(map(int.__add__, free, self.added))
        pushed = ways * self._thrown(kept, again, push + 1)
        if self.policy is None and self._worth(pushed) <= self._worth(stands):
            return stands
        return pushed

    def _place(self, symbols: Symbols) -> int:
        return sum([self.shifts.get(symbol, 0) * n for symbol, n in zip(self.symbols, symbols, strict=True)])

    def _worth(self, packed: int) -> int:
        ends = Joint.of_packed(self.axes, (0,) * len(self.axes), self.sizes, packed, self.width, self.whole)
        return sum([self.worth(*cell) * count for cell, count in ends.items()])

    def _falls(self, free: Symbols) -> Iterator[Fall]:
        """What free dice can show: the number of ways, the locked symbols, all symbols, and the dice still free."""
        for fall in product(*[self._of_a_kind(die, n) for die, n in zip(self.kinds, free, strict=True)]):
            ways, locked, shown, left = zip(*fall, strict=True) if fall else ((), (), (), ())
            yield prod(ways), _sum(locked), _sum(shown), left

    def _of_a_kind(self, die: SymbolDie, count: int) -> list[tuple[int, Symbols, Symbols, int]]:
        nothing = (0,) * len(self.symbols)
        found, left = [(1, nothing, nothing, 0, count)], len(die.kinds)
        for symbols, is_locked, weight in die.kinds:
            left -= 1
            marks = tuple([symbols.count(symbol) for symbol in self.symbols])
            found = [
                (
                    ways * comb(dice, n) * weight**n,
                    tuple([a + b * n for a, b in zip(locked, marks, strict=True)]) if is_locked else locked,
                    tuple([a + b * n for a, b in zip(shown, marks, strict=True)]),
                    free + (0 if is_locked else n),
                    dice - n,
                )
                for ways, locked, shown, free, dice in found
                for n in (range(dice + 1) if left else [dice])
            ]
        return [fall[:4] for fall in found]


def _sum(parts: Iterable[Symbols]) -> Symbols:
    return tuple(map(sum, zip(*parts, strict=True)))


def _count(dice: Dice, kind: SymbolDie) -> int:
    return sum([count for die, count in dice if die == kind])
