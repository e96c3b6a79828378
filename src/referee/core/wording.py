"""Plain data and its field names in words. Everything that shows data to people as text uses these functions."""

from __future__ import annotations

from collections.abc import Mapping

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
