"""Keys of scenario files that have been renamed. Files with the old keys still run, and can be rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import yaml

from referee.core.plain import Plain
from referee.testing.expectations import Where, spelled

Place: TypeAlias = tuple[str, ...]

EACH: Final = "*"
"""Any item of a list."""
STEP: Final[Place] = ("steps", EACH)
RENAMED: Final[Mapping[Place, Mapping[str, str]]] = {
    STEP: {"most": "at_most", "named": "row"},
    (*STEP, "refused"): {"lawful": "legal"},
    (*STEP, "expect", "questions", EACH): {"asked": "prompt", "of": "who"},
    (*STEP, "expect", "log", EACH): {"told": "story"},
}
"""Old keys and their new names, by their place in the file."""
ON_THE_WAY: Final = {place[:length] for place in RENAMED for length in range(len(place) + 1)}


@final
@dataclass(frozen=True)
class OldWord:
    """A renamed key: where it is written, and the name to use instead."""

    where: Where
    new: str
    line: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{spelled(self.where)}: `{self.where[-1]}` is now `{self.new}`"


def old_words(document: Any) -> Iterator[OldWord]:
    """The renamed keys in a scenario, found in its YAML nodes."""
    return _found(document, (), ())


def in_new_words(plain: Plain, place: Place = ()) -> Plain:
    """A scenario as plain data, with the new keys."""
    if place not in ON_THE_WAY:
        return plain
    if isinstance(plain, list):
        return [in_new_words(item, (*place, EACH)) for item in plain]
    if not isinstance(plain, Mapping):
        return plain
    renamed = {old: new for old, new in RENAMED.get(place, {}).items() if new not in plain}
    return {renamed.get(key, key): in_new_words(value, (*place, str(key))) for key, value in plain.items()}


def rewritten(text: str, words: Iterable[OldWord]) -> str:
    """The text of a file with the new keys. Nothing else is changed."""
    for start, end, new in sorted({(each.start, each.end, each.new) for each in words}, reverse=True):
        quote = text[start] if text[start] in "\"'" else ""
        text = f"{text[:start]}{quote}{new}{quote}{text[end:]}"
    return text


def _found(node: Any, place: Place, where: Where) -> Iterator[OldWord]:
    if place not in ON_THE_WAY:
        return
    if isinstance(node, yaml.SequenceNode):
        for at, item in enumerate(node.value):
            yield from _found(item, (*place, EACH), (*where, at))
    elif isinstance(node, yaml.MappingNode):
        renamed = RENAMED.get(place, {})
        known = {key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            here = (*where, str(key.value))
            new = renamed.get(key.value)
            if new is not None and new not in known:
                start, end = key.start_mark, key.end_mark
                yield OldWord(here, new, int(start.line) + 1, int(start.index), int(end.index))
            yield from _found(value, (*place, str(key.value)), here)
