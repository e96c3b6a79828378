"""Outcome bands: what can come of something that people hope for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar, final

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Bands(Generic[T]):
    """How to tell the outcomes of an action or a rule apart: each has one band, and perhaps side effects."""

    of: Callable[..., str]
    """The band of a result. If it is told for `each` person, it takes their name too."""
    keys: tuple[str, ...]
    """Every band, best first."""
    good: tuple[str, ...] = ()
    """The bands hoped for by whoever it is about; if none are named, the first."""
    extra: Mapping[str, Callable[[T], bool]] = field(default_factory=dict)
    """Good effects in addition to the band."""
    bad: Mapping[str, Callable[[T], bool]] = field(default_factory=dict)
    """Bad consequences in addition to the band."""
    each: bool = False
    """Whether everybody hopes for something of their own, such as to act first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "good", self.good or self.keys[:1])

    @property
    def has_stake(self) -> bool:
        """Whether more than one thing may come of it. Where nothing is at stake, no chance is shown."""
        return len(self.keys) + len(self.extra) + len(self.bad) > 1

    def told_to(self, who: str) -> Bands[T]:
        """The same for one person, if it is told for each."""
        return replace(self, of=lambda result: self.of(result, who), each=False) if self.each else self

    def if_prevented(self) -> Bands[Any]:
        """The same for what may be prevented before it begins: that is the last band, and nothing besides."""
        if self.each or not self.has_stake:
            return self
        return Bands(
            of=lambda result: self.keys[-1] if isinstance(result, Prevented) else self.of(result),
            keys=self.keys,
            good=self.good,
            extra={key: partial(_if_begun, told) for key, told in self.extra.items()},
            bad={key: partial(_if_begun, told) for key, told in self.bad.items()},
        )

    def if_tried(self, otherwise: str) -> Bands[Any]:
        """The same for what may be left undone (None): that is the band `otherwise`."""
        return Bands(
            of=lambda result: otherwise if result is None else self.of(result),
            keys=self.keys,
            good=self.good,
            extra={key: partial(_if_tried, told) for key, told in self.extra.items()},
            bad={key: partial(_if_tried, told) for key, told in self.bad.items()},
        )


@final
@dataclass(frozen=True, slots=True)
class Prevented:
    """What an action comes to that was paid for and does not go ahead, and why: somebody was faster."""

    because: str


def _if_begun(told: Callable[[T], bool], result: Any) -> bool:
    return not isinstance(result, Prevented) and told(result)


def _if_tried(told: Callable[[T], bool], result: Any) -> bool:
    return result is not None and told(result)


DONE: Final[Bands[Any]] = Bands(of=lambda _: "done", keys=("done",))
"""For actions whose only outcome is that they are done."""
