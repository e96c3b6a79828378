"""Chance that can be checked afterwards: every throw is a function of a counter and a seed fixed before play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from secrets import token_bytes
from typing import final

from referee.core.plain import frozen


@final
@frozen
class SeededDice:
    """A seed. `commitment` may be shown before play, the seed itself only afterwards."""

    seed: bytes

    @classmethod
    def fresh(cls) -> SeededDice:
        return cls(token_bytes(32))

    @property
    def commitment(self) -> str:
        return sha256(b"referee seed" + self.seed).hexdigest()

    def throw(self, counter: int) -> Callable[[int], int]:
        """The numbers of one throw, uniform from 0 up to a bound: bytes that would favour some numbers are skipped."""
        stream = self._bytes(counter)

        def below(bound: int) -> int:
            width = max(1, ((bound - 1).bit_length() + 7) // 8)
            even = 256**width // bound * bound
            while True:
                number = int.from_bytes(bytes(next(stream) for _ in range(width)), "big")
                if number < even:
                    return number % bound

        return below

    def _bytes(self, counter: int) -> Iterator[int]:
        block = 0
        while True:
            yield from sha256(self.seed + counter.to_bytes(8, "big") + block.to_bytes(8, "big")).digest()
            block += 1
