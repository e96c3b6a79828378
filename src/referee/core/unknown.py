"""A value that someone does not know: it can be passed around, but not read."""

from __future__ import annotations

from typing import NoReturn, final

from referee.core.errors import NotKnown


@final
class Unknown:
    """A value that can be passed around, but not read."""

    __slots__ = ("what",)
    __hash__ = object.__hash__

    def __init__(self, what: str) -> None:
        self.what = what

    def _look(self, *_: object) -> NoReturn:
        raise NotKnown(self.what)

    def __repr__(self) -> str:
        return f"<unknown {self.what}>"

    def __getattr__(self, name: str) -> NoReturn:
        raise NotKnown(self.what) if not name.startswith("__") else AttributeError(name)

    __bool__ = __str__ = __format__ = __int__ = __float__ = __index__ = __len__ = __iter__ = __contains__ = _look
    to_plain = _look
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __call__ = __round__ = __abs__ = _look
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _look
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __neg__ = __pos__ = _look
    __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __reversed__ = _look
