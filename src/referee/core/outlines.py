"""What the outline of a rule keeps of its results: whoever reads anything else gets an error, never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, NoReturn, TypeAlias, final

from referee.core.errors import NotKept

Keeps: TypeAlias = Mapping[type[Any], tuple[str, ...]]
"""By type of value: the fields that are right. Values of other types, and of fields that are kept, are kept whole."""


@final
class LeftOpen:
    """Stands for a part of a result that an outline has left open: it can be passed around, but not read."""

    __slots__ = ("what",)
    __hash__ = object.__hash__

    def __init__(self, what: str) -> None:
        self.what = what

    def _look(self, *_: object) -> NoReturn:
        raise NotKept(f"{self.what} was read, which the outline of a rule leaves open")

    def __repr__(self) -> str:
        return f"<left open: {self.what}>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._look()

    __bool__ = __str__ = __format__ = __int__ = __float__ = __index__ = __len__ = __iter__ = __contains__ = _look
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __call__ = __round__ = __abs__ = _look
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _look
    __truediv__ = __rtruediv__ = __mod__ = __rmod__ = __neg__ = __pos__ = __reversed__ = _look


left_open: Final = cache(LeftOpen)
"""The same for the same part each time, so that results which agree in all that is kept are equal."""


def kept(value: Any, keeps: Keeps) -> Any:
    """A result of which everything is left open that an outline does not keep."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple([kept(each, keeps) for each in value])
    names = keeps.get(type(value))
    if names is None or not is_dataclass(value):
        return value
    copy = object.__new__(type(value))
    kind: Any = type(value)
    for name in _names(kind):
        found = kept(getattr(value, name), keeps) if name in names else left_open(f"{kind.__name__}.{name}")
        object.__setattr__(copy, name, found)
    return copy


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))
