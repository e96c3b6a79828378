"""Comparing what a scenario expects with what happened. Only what is named is compared."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias, final

from referee.core.actions import Action
from referee.core.cards import Pile
from referee.core.errors import BadAnswer, BadInput, BarredAnswer, Refused
from referee.core.files import load_yaml
from referee.core.plain import Plain, spoken, unknown, write
from referee.core.questions import Choose, Question, described, key_of
from referee.core.rules import FORMULAS
from referee.core.run import Changed, Event
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.value_changes import unset_fields
from referee.core.wording import phrase
from referee.drivers.call_odds import Odds

Where: TypeAlias = tuple[str | int, ...]
Form: TypeAlias = tuple[str, tuple[type[Any], ...]]
"""The value a scenario key takes, in words and as types."""

ANYTHING: Final[Form] = ("anything", (object,))
NAMED: Final[Form] = ("names with values", (Mapping,))
LISTED: Final[Form] = ("a list", (list,))
COUNTED: Final[Form] = ("a whole number", (int,))
TIME: Final[Form] = ("a time, or names with values", (int, Mapping))

EXPECT: Final[dict[str, Form]] = {
    "result": ANYTHING,
    "sheets": NAMED,
    "clock": TIME,
    "log": LISTED,
    "odds": NAMED,
    "actions": NAMED,
    "questions": LISTED,
    "not_asked": NAMED,
    "steps": COUNTED,
}


@final
@dataclass(frozen=True)
class Difference:
    """A difference between what a scenario expects and what happened: where it is written, and how it differs."""

    where: Where
    problem: str
    line: int = 0

    def __str__(self) -> str:
        return f"{spelled(self.where)}: {self.problem}" if self.where else self.problem


@final
@dataclass
class Happened:
    """What happened in a step."""

    result: Plain = None
    value: object = None
    """The result as the rule returns it."""
    action: Action[Any] | None = None
    odds: Odds[Any] | None = None
    events: list[Event] = field(default_factory=list)
    asked: list[Question[Any]] = field(default_factory=list)
    not_asked: list[Choose[Any]] = field(default_factory=list)
    steps: int = 0


def compare_all(expect: Plain, happened: Happened, system: System, state: State, where: Where) -> Iterator[Difference]:
    """Compare everything a step may expect."""
    check_known(expect, EXPECT, where)
    named: dict[str, Any] = {name: wanted for name, wanted in expect.items() if wanted is not None or name == "result"}
    for name, wanted in named.items():
        here = (*where, name)
        match name:
            case "result":
                yield from compare(wanted, _with_properties(wanted, happened.value, happened.result), here)
            case "steps":
                yield from compare(wanted, happened.steps, here)
            case "sheets":
                for who, each in wanted.items():
                    found = _with_unset(each, _plain(system, state, who), state, str(who))
                    yield from _compare_value(each, state.get(str(who)), found, (*here, who))
            case "clock":
                clock = _plain(system, state, "clock")
                yield from compare({"now": wanted} if isinstance(wanted, int) else wanted, clock, here)
            case "questions":
                yield from _compare_questions(wanted, happened.asked, here)
            case "not_asked":
                yield from _compare_not_asked(wanted, happened.not_asked, here)
            case "log":
                yield from _compare_log(wanted, happened.events, here)
            case "odds":
                yield from _compare_odds(wanted, happened, here)
            case _:
                yield from _compare_actions(wanted, system, Scene(state), here)


def compare(expected: Plain, found: Plain, where: Where) -> Iterator[Difference]:
    """Compare a mapping by the keys it names, a list item by item, and anything else as a whole."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        named = {_folded(key): value for key, value in found.items()}
        for key, value in expected.items():
            if _folded(key) in named:
                yield from compare(value, named[_folded(key)], (*where, key))
            elif value != 0 or not all(type(each) is int for each in named.values()):
                yield Difference((*where, key), f"{phrase(value, whole=True)} expected, but {unknown(str(key), found)}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for at, (wanted, got) in enumerate(zip(expected, found, strict=True)):
            yield from compare(wanted, got, (*where, at))
    elif not _same(expected, found):
        yield Difference(where, f"{phrase(expected, whole=True)} expected, but it is {phrase(found, whole=True)}")


def _with_properties(expected: Plain, value: Any, found: Plain) -> Plain:
    """A result with what it only says when asked, such as whether an attack was a success."""
    if isinstance(expected, list) and isinstance(value, tuple) and len(expected) == len(value):
        return [_with_properties(*each) for each in zip(expected, value, found, strict=True)]
    if not (isinstance(expected, Mapping) and isinstance(found, Mapping)):
        return found
    asked = {spoken(str(name)) for name in expected} - {spoken(str(name)) for name in found}
    named = {name: each for name, each in inspect.getmembers(type(value)) if isinstance(each, property)}
    return {**found, **{name: write(getattr(value, name)) for name in named if spoken(name) in asked}}


def _with_unset(expected: Plain, found: Plain, state: State, who: str) -> Plain:
    """A sheet with what its empty fields stand for where a figure is expected: who is unhurt has all their health."""
    value = state.get(who)
    if not (isinstance(expected, Mapping) and isinstance(found, Mapping)):
        return found
    wanted = {spoken(str(name)) for name, each in expected.items() if each is not None}
    formulas = {name: each for name, each in unset_fields(type(value)).items() if found.get(name) is None}
    meant = {name: each for name, each in formulas.items() if spoken(name) in wanted}
    return {
        **found,
        **{name: write(FORMULAS[each](Scene(state), Who(who, type(value)))) for name, each in meant.items()},
    }


def _compare_value(expected: Plain, value: object, found: Plain, where: Where) -> Iterator[Difference]:
    """A pile has no order, and its cards need not say from which deck they are."""
    if isinstance(value, Pile) and isinstance(expected, list):
        expected = {"cards": expected}
    if isinstance(value, Pile) and isinstance(expected, Mapping) and isinstance(cards := expected.get("cards"), list):
        bare = not any("@" in str(each) for each in cards)
        lying = [str(each).partition("@")[0] if bare else str(each) for each in found["cards"]]
        expected = {**expected, "cards": sorted(str(each).casefold() for each in cards)}
        found = {**found, "cards": sorted(each.casefold() for each in lying)}
    yield from compare(expected, found, where)


ANY_ANSWER: Final = "answer"
"""In older files: the rule of every refused answer. Now such a refusal names the rule that asked or barred it."""


def compare_refusal(expected: Plain, why: Refused, where: Where) -> Iterator[Difference]:
    """Compare `refused: yes`, a rule's id, or the fields what, because, rule and legal.

    An answer that does not fit its question is no refusal by a rule: to expect one, say what is wrong with it.
    """
    if expected is True:
        if isinstance(why, BadAnswer) and not why.legal and not isinstance(why, BarredAnswer):
            yield Difference(where, f"no rule refuses it, but an answer does not fit: {why}")
    else:
        wanted = expected if isinstance(expected, Mapping) else {"rule": expected}
        rule = ANY_ANSWER if isinstance(why, BadAnswer) and wanted.get("rule") == ANY_ANSWER else why.rule
        found = {"what": why.what, "because": why.because, "rule": rule, "legal": list(why.legal)}
        yield from compare(wanted, found, where)


class Misplaced(BadInput):
    """A malformed part of a scenario, and where it is written."""

    def __init__(self, where: Where, problem: str) -> None:
        super().__init__(spelled(where), problem)
        self.path = where


def check_known(plain: Plain, known: Mapping[str, Form], where: Where) -> None:
    """Refuse an unknown key, and a value that does not have the form its key takes."""
    if not isinstance(plain, Mapping):
        raise Misplaced(where, f"must be {', '.join(known)}, not {plain!r}")
    for name, value in plain.items():
        if name not in known:
            raise Misplaced((*where, str(name)), unknown(str(name), known))
        words, kinds = known[name]
        if value is not None and not isinstance(value, kinds):
            raise Misplaced((*where, str(name)), f"must be {words}, not {value!r}")


def _same(expected: Plain, found: Plain) -> bool:
    if isinstance(expected, str) and isinstance(found, str):
        return spoken(expected) == spoken(found)
    return bool(expected == found) and isinstance(expected, bool) is isinstance(found, bool)


def _folded(name: object) -> str:
    if isinstance(name, bool):
        return "yes" if name else "no"  # YAML reads a bare yes or no as a boolean
    return spoken(str(name))


def _plain(system: System, state: State, name: str) -> Plain:
    value = state.get(name)
    return None if value is None else system.plain_value(value)


def _compare_questions(expected: Plain, asked: Sequence[Question[Any]], where: Where) -> Iterator[Difference]:
    """Compare who was asked what, and in which order: `ana.push`, or any of a question's own fields."""
    found = [described(question) for question in asked]
    if len(expected) != len(found):
        named = ", ".join(f"{each['who']}.{each['prompt']}" for each in found)
        yield Difference(where, f"{len(expected)} questions expected, but {len(found)} were asked: {named}")
        return
    for at, (wanted, question) in enumerate(zip(expected, found, strict=True)):
        yield from compare(_spelled_out(wanted), question, (*where, at))


def _compare_not_asked(expected: Plain, not_asked: Sequence[Choose[Any]], where: Where) -> Iterator[Difference]:
    """Compare what no one was asked, with the rule that bars it: `push: {yes: some.rule}`, or `{rule, because}`."""
    for name, options in expected.items():
        question = next((each for each in not_asked if each.name == name), None)
        if question is None:
            names = ", ".join(str(each.name) for each in not_asked) or "nothing"
            yield Difference((*where, name), f"it was asked, or nothing called for it; not asked: {names}")
            continue
        check_known(options or {}, dict.fromkeys(options or {}, ANYTHING), (*where, name))
        barred = {key_of(each.option): each.why for each in question.barred}
        for option, wanted in (options or {}).items():
            here = (*where, name, option)
            if (why := barred.get(key_of(option))) is None:
                yield Difference(here, f"it is not barred; barred: {', '.join(barred) or 'nothing'}")
            else:
                found = {"rule": why.rule, "because": why.because}
                yield from compare(wanted if isinstance(wanted, Mapping) else {"rule": wanted}, found, here)


def _spelled_out(wanted: Plain) -> Plain:
    if not isinstance(wanted, str):
        return wanted
    of, _, name = wanted.rpartition(".")
    return {"prompt": name, "who": of} if of else {"prompt": name}


def _compare_log(expected: Plain, events: Sequence[Event], where: Where) -> Iterator[Difference]:
    """Every expected line must be in the log, in this order; other lines may come between."""
    lines = [_event(event) for event in events]
    at = 0
    for number, wanted in enumerate(expected):
        if not isinstance(wanted, Mapping):
            raise Misplaced((*where, number), f"must be fields of a line of the log, not {wanted!r}")
        there = next((here for here in range(at, len(lines)) if _is(wanted, lines[here])), None)
        if there is None:
            left = "; ".join(phrase(line, whole=True) for line in lines[at:]) or "nothing"
            yield Difference((*where, number), f"not in the log; what came then: {left}")
            return
        at = there + 1


def _is(wanted: Plain, line: dict[str, Plain]) -> bool:
    rest = {name: value for name, value in wanted.items() if name != "rule"}
    return wanted.get("rule") in (None, *line["rules"]) and not any(compare(rest, line, ()))


def _event(event: Event) -> dict[str, Plain]:
    rules = {"rules": list(event.rules)}
    if isinstance(event, Changed):
        return {"changed": event.who, "from": write(event.before), "to": write(event.after), **rules}
    who = event.line.who and event.line.who.name
    return {"story": event.line.key, "figures": write(dict(event.line.figures)), "who": who, **rules}


def _compare_odds(expected: Plain, happened: Happened, where: Where) -> Iterator[Difference]:
    if happened.odds is None:
        raise Misplaced(where, "only an action or a rule has odds")
    for name, chance in expected.items():
        try:
            found = _chance(str(name), happened.odds, happened.action)
            same = _same_chance(str(chance), found, happened.odds.lost)
        except BadInput as problem:
            raise Misplaced((*where, name), problem.problem) from None
        if not same:
            yield Difference((*where, name), f"{chance} expected, but it is {found} (about {float(found):.6f})")


def _chance(name: str, odds: Odds[Any], action: Action[Any] | None) -> Fraction:
    """The chance of a band, of something that may come with it, or of a condition such as `sixes >= 2`."""
    if action is not None and name in action.bands.keys:
        return odds.chance(lambda result: action.bands.of(result) == name)
    if action is not None and name in (beside := {**action.bands.extra, **action.bands.bad}):
        return odds.chance(beside[name])
    found = _CONDITION.fullmatch(name)
    if found is None:
        known = () if action is None else (*action.bands.keys, *action.bands.extra, *action.bands.bad)
        raise BadInput(name, f"{unknown(name, known)}; or a condition such as 'sixes >= 2'")
    path, compares, value = found[1].split("."), _COMPARES[found[2]], load_yaml(found[3])
    return odds.chance(lambda result: _holds(compares, _at(write(result), path), value))


def _holds(compares: Callable[[Any, Any], Any], found: Plain, value: Plain) -> bool:
    """Whether a condition holds; none holds for a missing value."""
    try:
        return found is not None and bool(compares(found, value))
    except TypeError:
        raise BadInput("", f"{found!r} and {value!r} cannot be compared") from None


_COMPARES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION: Final = re.compile(r"\s*([\w.]+)\s*(>=|<=|!=|=|>|<)\s*(.+?)\s*")


def _at(plain: Plain, path: Sequence[str]) -> Plain:
    """A part of a result; `result` is the whole result."""
    for name in path if path != ["result"] else ():
        if plain is None:
            return None
        if not isinstance(plain, Mapping) or name not in plain:
            raise BadInput("", unknown(name, plain if isinstance(plain, Mapping) else ()))
        plain = plain[name]
    return plain


def _same_chance(expected: str, found: Fraction, lost: Fraction) -> bool:
    """A fraction must be equal, up to what was left out; a decimal or percentage must be correct to its last digit."""
    text, percent = expected.strip().removesuffix("%").strip(), expected.strip().endswith("%")
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise BadInput("odds", f"must be a fraction, a decimal or a percentage, not {expected!r}") from None
    if "." not in text and not percent:
        return found <= Fraction(text) <= found + lost
    digits = len(text.partition(".")[2])
    return abs(Fraction(text) - found * (100 if percent else 1)) <= Fraction(1, 2 * 10**digits)


def _compare_actions(expected: Plain, system: System, scene: Scene, where: Where) -> Iterator[Difference]:
    """Compare who may do what now: `ana: [toss]`, or `ana: {toss: yes, bluff: coin.bluff.bluff}`."""
    for name, wanted in expected.items():
        refused = {action.key: action.may(scene, scene.who(name)) for action in system.actions if not action.master}
        legal = sorted(key for key, why in refused.items() if why is None)
        if isinstance(wanted, list):
            yield from compare(sorted(map(str, wanted)), legal, (*where, name))
            continue
        if not isinstance(wanted, Mapping):
            raise Misplaced((*where, name), f"must be a list of actions, or actions by name, not {wanted!r}")
        found = {
            key: why is None if isinstance(wanted.get(key), bool) else why and why.rule for key, why in refused.items()
        }
        yield from compare(wanted, found, (*where, name))


def spelled(where: Where) -> str:
    """Where something is written, in readable form: `steps[1].expect.result`."""
    return "".join(f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in where).lstrip(".")
