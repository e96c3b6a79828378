"""What someone does, as a sentence: an action with its arguments, or an answer, in the words of the system."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, Final, get_args, get_origin

from referee.core.actions import Action
from referee.core.plain import Plain
from referee.core.proofreading import placeholders
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import all_of, phrase, with_article
from referee.web.pages.page import WORDS
from referee.web.pages.parts.cards import face

MOST_READINGS: Final = 100
"""In so many ways the key of an action is read."""
YES_NO: Final = ("yes", "no")
EMPTY: Final[tuple[Plain, ...]] = ([], None, False, "", {})


def action_sentence(system: System, action: Action[Any], given: Mapping[str, Plain]) -> str:
    """An action with its arguments as the rest of a sentence whose subject is whoever acts.

    The words are `tales.<action>`, or `tales.<action>.<value>` where an argument has that value (`yes` and `no` of a
    flag); `tales.<action>.in-full` where all that it names is said, and `tales.<action>.otherwise` where something is
    empty or not told. For an option of a family `tales.<action>/<option>` comes first. An argument `weapon` may stand
    there as `{weapon}`, or with an article where it is a thing: `{the_weapon}`.
    """
    return _sentence(system, action, given) or _plain_sentence(system, action, given)


def _sentence(system: System, action: Action[Any], given: Mapping[str, Plain]) -> str:
    """The system's own sentence; empty if it has none that can be said with what is given."""
    words = system.words
    said = {name: _value_words(system, name, value) for name, value in given.items()}
    said |= {f"the_{name}": _with_article(system, name, given[name], text) for name, text in said.items()}
    ways = [f".{way}" for value in given.values() if (way := _way(value))]
    parts = dict.fromkeys(f"tales.{each}" for each in (action.part(given), action.key))
    for each in (f"{part}{end}" for part in parts for end in (*ways, "", ".in-full", ".otherwise")):
        if each in words and all(said.get(name) for name in placeholders(words.texts[each])):
            return words.say(each, **said)
    return ""


def _way(value: Plain) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value) if isinstance(value, (str, int)) else ""


def _value_words(system: System, name: str, value: Plain) -> str:
    """A value of an argument, by the system's words for it."""
    if isinstance(value, list):
        return all_of([_value_words(system, name, each) for each in value]) if value else ""
    nothing = value is None or value is False or value in ("", {})
    return system.words.say_or(f"values.{name}.{value}", "" if nothing else phrase(value))


def _with_article(system: System, name: str, value: Plain, text: str) -> str:
    return text if f"values.{name}.{value}" in system.words else with_article(text)


def _plain_sentence(system: System, action: Action[Any], given: Mapping[str, Plain]) -> str:
    option = action.family.name if action.family else ""
    rest = ", ".join(phrase(value) for name, value in given.items() if value not in EMPTY and name != option)
    name = system.action_words(action.part(given))
    return WORDS.say("story.action", action=name, rest=rest) if rest else WORDS.say("story.action-alone", action=name)


def chosen_sentence(
    system: System, action: Action[Any], rest: str, cast: Collection[str], known: Collection[str] = ()
) -> str:
    """The same of an action that was chosen by its key, `raider 2 hunting rifle`: as most of what is known is named."""
    ways = list(islice(_readings(action, rest, cast), MOST_READINGS))
    best = sorted(ways, key=lambda way: -sum(each in known for each in way.values()))
    said = next(filter(None, (_sentence(system, action, each) for each in (*best, {}))), "")
    return said or _plain_sentence(system, action, best[0] if best else {"": rest})


def _readings(action: Action[Any], rest: str, cast: Collection[str]) -> Iterator[dict[str, Plain]]:
    """Every way to read the key of an action."""
    *names, last = action.picks or ("",)
    default = action.parameters[last].default if last else None
    if isinstance(default, str) and default and rest.endswith(f" {default}"):  # no part of the name before it
        yield from (
            {**each, last: default} for each in _read(names, action, rest.removesuffix(f" {default}").split(), cast)
        )
    else:
        yield from _read(list(action.picks), action, rest.split(), cast)


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


def is_somebody(action: Action[Any], name: str) -> bool:
    """Whether an argument names somebody, or several."""
    if name not in action.rule.parameters:
        return False
    kind = action.rule.parameters[name].annotation
    return "Who[" in str(kind) or _bare(kind) is Who


def _kind(action: Action[Any], name: str) -> object:
    return _bare(action.parameters[name].annotation)


def _bare(kind: Any) -> object:
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
