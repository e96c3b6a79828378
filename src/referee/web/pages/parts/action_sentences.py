"""What someone does, as a sentence: an action with its arguments, or an answer, in the words of the system."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, Final, get_args, get_origin

from referee.core.actions import Action
from referee.core.plain import Plain
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import phrase, with_article
from referee.web.pages.page import WORDS
from referee.web.pages.parts.cards import face

YES_NO: Final = ("yes", "no")
EMPTY: Final[tuple[Plain, ...]] = ([], None, False, "", {})


def action_sentence(system: System, action: Action[Any], given: Mapping[str, Plain]) -> str:
    """An action with its arguments as the rest of a sentence whose subject is whoever acts.

    The words are `tales.<action>`, or `tales.<action>.yes` and `.no` where an argument says which of two it is; for an
    option of a family `tales.<action>/<option>` comes first. An argument `weapon` may stand there as `{weapon}`, or
    with an article where it is a thing: `{the_weapon}`.
    """
    words = system.words
    said = {name: phrase(value) for name, value in given.items()}
    said |= {f"the_{name}": with_article(value) for name, value in said.items()}
    flags = ["yes" if value is True or value == "yes" else "no" for value in given.values() if _is_flag(value)]
    part = action.part(given)
    keys = dict.fromkeys(f"tales.{each}{end}" for each in (part, action.key) for end in (*(f".{f}" for f in flags), ""))
    for key in keys:
        if key in words:
            try:
                return words.say(key, **said)
            except (KeyError, IndexError):  # part of it is not told to this seat
                continue
    option = action.family.name if action.family else ""
    rest = ", ".join(phrase(value) for name, value in given.items() if value not in EMPTY and name != option)
    name = system.action_words(part)
    return WORDS.say("story.action", action=name, rest=rest) if rest else WORDS.say("story.action-alone", action=name)


def _is_flag(value: Plain) -> bool:
    return isinstance(value, bool) or value in YES_NO


def chosen_arguments(action: Action[Any], rest: str, cast: Collection[str]) -> dict[str, Plain] | None:
    """The arguments of an action that was chosen by its key: `raider 2 hunting rifle`; None if it cannot be told."""
    *names, last = action.picks or ("",)
    default = action.parameters[last].default if last else None
    if isinstance(default, str) and rest.endswith(f" {default}"):  # no part of the name before it
        found = next(_read(names, action, rest.removesuffix(f" {default}").split(), cast), None)
        return None if found is None else {**found, last: default}
    return next(_read(list(action.picks), action, rest.split(), cast), None)


def _read(names: list[str], action: Action[Any], words: list[str], cast: Collection[str]) -> Iterator[dict[str, Plain]]:
    """Every way to read words as these arguments, the longest values first."""
    if not names or not words:
        if not words:
            yield {}
        return
    first, *others = names
    kind = _kind(action, first)
    for size in range(len(words), 0, -1):
        text = " ".join(words[:size])
        if (kind is Who and text not in cast) or (kind is bool and text not in YES_NO):
            continue
        if kind is not Who and kind is not bool and others and words[size:] == [] and _must_follow(action, others):
            continue
        yield from ({first: text, **rest} for rest in _read(others, action, words[size:], cast))


def _must_follow(action: Action[Any], names: list[str]) -> bool:
    """Whether one of these arguments is always part of the key."""
    return any(_kind(action, name) in (Who, bool) for name in names)


def _kind(action: Action[Any], name: str) -> object:
    kind = action.parameters[name].annotation
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return get_origin(kind) or kind


def action_of(system: System, answer: str) -> tuple[Action[Any], str] | None:
    """The action that an answer is, with the rest of its key; None if it is something else."""
    key, _, rest = answer.partition(" ")
    found = next((each for each in system.actions if each.key == key), None)
    return None if found is None else (found, rest)


def decision(system: System, prompt: str, answer: str, words: str, cast: Collection[str], who: str = "") -> str:
    """An answer as the rest of a sentence: in the system's words, or that it was chosen."""
    if told := told_answer(system, prompt, "oneself" if who and answer == who else answer, words):
        return told
    is_name = answer in cast or words[:1].isdecimal() or face(answer) is not None
    return WORDS.say("story.chose-name" if is_name else "story.chose", what=words)


def told_answer(system: System, prompt: str, answer: str, words: str) -> str:
    """An answer in the system's words, `answers.push.yes` or `answers.push.otherwise`; empty if it has none.

    Whoever chooses themselves is told by `answers.push.oneself`.
    """
    keys = (f"answers.{prompt}.{answer}", f"answers.{prompt}.otherwise")
    return next((system.words.say(key, what=words) for key in keys if key in system.words), "")
