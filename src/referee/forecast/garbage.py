"""While odds are computed, Python looks for garbage less often.

Odds make very many small values that are all needed until the end: looking through them again and again takes up to
half of the time, and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

AT_LEAST: Final = 50_000
"""How many new values there must be before they are looked through."""
_LOCK: Final = Lock()
_working: list[tuple[int, int, int]] = []
"""What was set before, once for each card that is being computed now, in whatever thread."""


def collecting_less(body: Callable[P, T]) -> Callable[P, T]:
    """Write a function that makes many values and little garbage."""

    @wraps(body)
    def work(*args: P.args, **kwargs: P.kwargs) -> T:
        with _LOCK:
            _working.append(_working[-1] if _working else gc.get_threshold())
            gc.set_threshold(max(_working[0][0], AT_LEAST), *_working[0][1:])
        try:
            return body(*args, **kwargs)
        finally:
            with _LOCK:
                before = _working.pop()
                if not _working:
                    gc.set_threshold(*before)

    return work
