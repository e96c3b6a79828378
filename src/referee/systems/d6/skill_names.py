"""How names of skills are written: for rules and on sheets, and for people."""

from __future__ import annotations

from typing import Final

ADVANCED: Final = " (A)"
"""The end of the name of an advanced skill."""
FIELD: Final = "::"
"""Between a skill and the field somebody is specialized in."""


def in_words(name: str) -> str:
    """A skill with its kind and its field as people write it: Firearms (pistols), Melee combat (swords)."""
    bare, _, field = name.removesuffix(ADVANCED).partition(FIELD)
    family, _, kind = bare.partition(" <")
    narrow = ", ".join(filter(None, (kind.rstrip(">"), field)))
    return (f"{family} ({narrow})" if narrow else bare) + (ADVANCED if name.endswith(ADVANCED) else "")
