"""Finding what to do by words: `climb the wall` proposes an option of a family, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from referee.core.plain import frozen
from referee.core.questions import key_of
from referee.core.scene import Scene, Who

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.core.actions import Action
    from referee.core.system import System

_SMALL: Final = frozenset(
    (
        *("a", "an", "and", "at", "by", "for", "from", "her", "his", "in", "it", "its", "my", "of", "off", "on", "or"),
        *("our", "out", "over", "somebody", "something", "that", "the", "their", "them", "this", "to", "up", "with"),
    )
)
"""Words that every other name has."""
_ENDINGS: Final = ("ing", "ed", "es", "s", "e", "y")


@frozen
class FoundAction:
    """An option of a family that may be what somebody wants, and the words that say so."""

    part: str
    """As words and the look call it: `use-skill/climb`."""
    words: str
    line: str
    because: tuple[str, ...]
    score: int


def stem(word: str) -> str:
    """A word without its ending, so that climbing is found by climb."""
    bare = word.casefold().strip(".,;:!?'\"()")
    return next((bare.removesuffix(end) for end in _ENDINGS if bare.endswith(end) and len(bare) > len(end) + 2), bare)


def stems(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    split = text.replace("::", " ").replace("/", " ").split()
    return frozenset(stem(each) for each in split if each.casefold() not in _SMALL and stem(each))


def _score(because: frozenset[str], named: frozenset[str], verb: str) -> int:
    """A word of the name counts most; what is to be done counts more than what it is done to."""
    return sum(3 if each in named else 1 for each in because) + (3 if verb in because else 0)


def plain_action(system: System, action: Action[Any], wanted: frozenset[str], verb: str) -> Iterator[FoundAction]:
    """An action of its own, by its name and by what it says of itself."""
    named, says = stems(f"{system.action_words(action.key)} {action.key.replace('-', ' ')}"), action.rule.says
    if because := wanted & (named | stems(says)):
        says = " ".join(says.partition("\n\n")[0].split())
        yield FoundAction(
            action.key, system.action_words(action.key), says, tuple(sorted(because)), _score(because, named, verb)
        )


def found_actions(system: System, scene: Scene, who: Who[Any] | None, text: str, most: int = 6) -> list[FoundAction]:
    """Actions, and options of families, that fit some words, the best first; a word of the name counts most."""
    wanted, found = stems(text), list[FoundAction]()
    verb = next((stem(each) for each in text.split() if stem(each) in wanted), "")
    for action in system.actions:
        if action.absence(scene) is not None:
            continue
        if action.family is None or action.family.family is None:
            found += plain_action(system, action, wanted, verb)
            continue
        family = action.family.family
        for option in action.family.values(scene, who, {}):
            part = action.part({action.family.name: option})
            named = stems(f"{system.action_words(part)} {key_of(option)}")
            because = wanted & (named | stems(" ".join(family.index(scene, option))))
            if because:
                line = family.line(scene, who, option)
                found.append(
                    FoundAction(
                        part, system.action_words(part), line, tuple(sorted(because)), _score(because, named, verb)
                    )
                )
    return sorted(found, key=lambda each: (-each.score, each.words))[:most]
