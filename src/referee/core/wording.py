"""Plain data and its field names in words. Everything that shows data to people as text uses these functions."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.core.plain import Plain


def phrase(plain: Plain, *, whole: bool = False, nothing: str = "nothing") -> str:
    """Plain data on one line, without empty values: `strength 3, items (name Rifle, range 2), is dead no`.

    With `whole` nothing is left out, and names and brackets are those of a scenario file: `{is_dead: no, items: []}`.
    """
    if isinstance(plain, Mapping) and whole:
        inner = ", ".join(f"{name}: {phrase(each, whole=True, nothing=nothing)}" for name, each in plain.items())
        return f"{{{inner}}}"
    if isinstance(plain, Mapping):
        said = [(spaced(str(name)), each) for name, each in plain.items() if each or each == 0]
        return ", ".join(f"{name} {_nested(each, nothing)}" for name, each in said) or nothing
    if isinstance(plain, (list, tuple)) and whole:
        return f"[{', '.join(phrase(each, whole=True, nothing=nothing) for each in plain)}]"
    if isinstance(plain, (list, tuple)):
        return ", ".join(_nested(each, nothing) for each in plain) or nothing
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    return nothing if plain is None else str(plain)


def _nested(plain: Plain, nothing: str) -> str:
    """Data inside other data: mappings are put in parentheses, to show what they belong to."""
    text = phrase(plain, nothing=nothing)
    return f"({text})" if isinstance(plain, Mapping) else text


def faces(thrown: Plain) -> str:
    """The dice of a throw, group by group: `1 6 | 3`. Groups without dice are left out."""
    groups = [each for each in (thrown if isinstance(thrown, list) else [thrown]) if each != []]
    return " | ".join(" ".join(map(str, each)) if isinstance(each, list) else str(each) for each in groups)


def spaced(name: str) -> str:
    """A field name as words: `melee_defense` becomes melee defense. What has spaces is words already."""
    return name if " " in name else name.replace("_", " ").replace("-", " ").strip()


_SHOWS_NOTHING: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Characters that count as letters, marks or signs, and show nothing; format characters and blanks come on top."""


def as_seen(name: str) -> str:
    """A name as people see and say it: whatever its case and width, without blanks, hyphens and what shows nothing."""
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(each for each in letters if not (each in _SHOWS_NOTHING or _is_blank(each)))


def _is_blank(letter: str) -> bool:
    return letter in "-_," or unicodedata.category(letter)[0] in "CZ"


def class_words(name: str) -> str:
    """The name of a class as words: `SeaBattle` becomes sea battle."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()


def plural(noun: str) -> str:
    """Several of something: rounds, stretches, centuries."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def heading(name: str) -> str:
    """A field name as a label or heading: `melee_defense` becomes Melee defense, `hp` becomes HP."""
    is_short_for = len(name) < 4 and not set(name) & set("aeiouy")
    return name.upper() if is_short_for else spaced(name).capitalize()


def capital(text: str) -> str:
    """A text with a capital first letter and the rest unchanged: `let it stand` becomes Let it stand."""
    return text[:1].upper() + text[1:]


def all_of(names: Sequence[str]) -> str:
    """Several in a sentence: `the axe, the knife and the rope`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def with_article(text: str) -> str:
    """A thing with its article; what begins with a capital is a name and has none."""
    return text if text[:1].isupper() or text[:1].isdecimal() else f"the {text}"


class Worded(str):
    """A value in a sentence, which can put a noun beside itself or change with a number.

    `{points:point|points}` is `1 point` or `3 points`; `{unit:{amount}}` is the unit in the number it is counted in.
    """

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if "|" in spec:
            one, _, several = spec.partition("|")
            return f"{self} {one if self in ONE else several}"
        if spec[:1].isdecimal():
            return str(self) if spec == "1" else plural(str(self))
        return super().__format__(spec)


ONE: Final = ("1", "-1")
