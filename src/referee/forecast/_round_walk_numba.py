"""The walk of `_round_walk.py`, compiled by numba: a copy of that module, so that the plain walk stays plain."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec
from inspect import isfunction
from typing import Any

import numba

_spec: Any = find_spec("referee.forecast._round_walk")
_copy: Any = module_from_spec(_spec)
_spec.loader.exec_module(_copy)
for _name, _function in list(vars(_copy).items()):
    if isfunction(_function) and _name != "walk":
        setattr(_copy, _name, numba.njit(_function, inline="always"))
walk: Any = numba.njit(cache=True, nogil=True)(_copy.walk)
