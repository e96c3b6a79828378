"""Comparing what a scenario expects with what happened. Only what is named is compared."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Final, TypeAlias, final

from referee.core.bands import Bands
from referee.core.cards import Pile
from referee.core.clock import coming
from referee.core.errors import BadAnswer, BadInput, BarredAnswer, Refused
from referee.core.files import load_yaml
from referee.core.picks import picked_names
from referee.core.plain import Levels, Plain, as_spelled, spoken, unknown, write
from referee.core.questions import Choose, Question, described, key_of
from referee.core.rules import FORMULAS, RULES, Call
from referee.core.run import Changed, Event
from referee.core.scene import Scene, State, Who
from referee.core.system import SYSTEMS, System
from referee.core.value_changes import unset_fields
from referee.core.wording import phrase
from referee.drivers.call_odds import Odds
from referee.testing.recordings import Recording

Where: TypeAlias = tuple[str | int, ...]
Form: TypeAlias = tuple[str, tuple[type[Any], ...]]
"""The value a scenario key takes, in words and as types."""

ANYTHING: Final[Form] = ("anything", (object,))
NAMED: Final[Form] = ("names with values", (Mapping,))
LISTED: Final[Form] = ("a list", (list,))
COUNTED: Final[Form] = ("a whole number", (int,))
POOLS: Final[Form] = ("a pool, or pools by the name of their question", (str, int, Mapping))
TRUTH: Final[Form] = ("yes or no", (bool,))
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
    "dice": POOLS,
    "seen_by": NAMED,
}
ELSEWHERE: Final = {"dice", "seen_by"}
"""What the stage compares."""
BESIDE: Final = ("odds", "about")
"""What stands beside a question; the stage compares that, too."""


@final
@dataclass(frozen=True)
class Difference:
    """A difference between what a scenario expects and what happened: where it is written, and how it differs."""

    where: Where
    problem: str
    line: int = 0

    def __str__(self) -> str:
        return f"{spelled(self.where)}: {self.problem}" if self.where else self.problem


NO_BANDS: Final[Bands[Any]] = Bands(of=lambda _: "", keys=())


@final
@dataclass
class Happened:
    """What happened in a step."""

    result: Plain = None
    value: object = None
    """The result as the rule returns it."""
    bands: Bands[Any] = NO_BANDS
    """How the rule that was played calls its outcomes."""
    odds: Odds[Any] | None = None
    events: list[Event] = field(default_factory=list)
    asked: list[Question[Any]] = field(default_factory=list)
    not_asked: list[Choose[Any]] = field(default_factory=list)
    steps: int = 0
    recording: Recording | None = None
    """What was played, for what seats are sent of it."""

    def begins(self, call: Call[Any]) -> list[Plain]:
        """A step begins; its answers are to be added to what this returns."""
        answers: list[Plain] = []
        if self.recording is not None:
            self.recording.begun.append((call, answers))
        return answers


def compare_all(expect: Plain, happened: Happened, system: System, state: State, where: Where) -> Iterator[Difference]:
    """Compare everything a step may expect."""
    check_known(expect, EXPECT, where)
    named: dict[str, Any] = {name: wanted for name, wanted in expect.items() if wanted is not None or name == "result"}
    for name, wanted in named.items():
        if name in ELSEWHERE:
            continue
        try:
            yield from _compare_part(name, wanted, happened, system, state, (*where, name))
        except Misplaced as problem:
            yield Difference(problem.path, problem.problem)
        except BadInput as problem:
            yield Difference((*where, name), str(problem))


def _compare_part(
    name: str, wanted: Any, happened: Happened, system: System, state: State, here: Where
) -> Iterator[Difference]:
    match name:
        case "result":
            found = _with_properties(wanted, happened.value, happened.result)
            if isinstance(found, bool) and isinstance(wanted, Mapping) and {*wanted} == {"success"}:
                wanted = wanted["success"]  # a rule that gives yes or no is as good as one that says success
            yield from compare(wanted, _with_records(happened.value, found), here)
        case "steps":
            yield from compare(wanted, happened.steps, here)
        case "sheets":
            for who, each in wanted.items():
                if each is not None and str(who) not in state:
                    said = f"{phrase(each, whole=True)} expected, but it is nothing: {unknown(str(who), tuple(state))}"
                    yield Difference((*here, who), said)
                    continue
                yield from compare_sheet(each, state, str(who), _plain(system, state, who), (*here, who))
                yield from _unknown_levels(each, system, state, str(who), (*here, who))
        case "clock":
            due = [each.to_plain() for each in coming(Scene(state))]
            clock = {**(_plain(system, state, "clock") or {}), "deadlines": due}
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


def compare_sheet(expected: Plain, state: State, who: str, found: Plain, where: Where) -> Iterator[Difference]:
    """Compare something in the scene, as it is or as a seat is sent it."""
    value, expected = state.get(who), _spelled(expected, state, who)
    yield from _compare_value(expected, value, _with_records(value, _with_unset(expected, found, state, who)), where)


def _spelled(expected: Plain, state: State, who: str) -> Plain:
    """Levels by the names that the sheet has for them: a file may use the book's abbreviations."""
    if not isinstance(expected, Mapping):
        return expected
    scene, fields = Scene(state), dict(expected)
    for name, pick in picked_names(type(state.get(who))).items():
        if isinstance(levels := fields.get(name), Mapping) and levels:
            known, also = tuple(map(str, pick.found(scene, None))), pick.also(scene)
            spelled = {as_spelled(str(each), known, also): level for each, level in levels.items()}
            fields[name] = spelled if len(spelled) == len(levels) else levels
    return fields


def _unknown_levels(expected: Plain, system: System, state: State, who: str, where: Where) -> Iterator[Difference]:
    """Levels of 0 by names that the book does not know: they would claim nothing."""
    value = state.get(who)
    if not (isinstance(expected, Mapping) and isinstance(value, system.sheet)):
        return
    plain = system.plain_value(value)
    for field_name, wanted in expected.items():
        levels = getattr(value, str(field_name), None)
        if not (isinstance(levels, Levels) and isinstance(wanted, Mapping)):
            continue
        for name in (str(name) for name, level in wanted.items() if level == 0):
            others = {each: level for each, level in plain[field_name].items() if spoken(each) != spoken(name)}
            try:
                learned = system.value({**plain, field_name: {**others, name: 1}}, who, state.but(who, None))
                system.check_sheet(state.but(who, learned), who)
            except (BadInput, Refused) as why:
                said = str(why)
                if name in said:
                    yield Difference((*where, field_name, name), said[said.index(name) :])


def compare(expected: Plain, found: Plain, where: Where) -> Iterator[Difference]:
    """Compare a mapping by the keys it names, a list item by item, and anything else as a whole.

    An empty mapping and an empty list both say that there is nothing; `{}` as an item of a list is any item.
    """
    if expected and isinstance(expected, Mapping) and isinstance(found, Mapping):
        named = {_folded(key): value for key, value in found.items()}
        for key, value in expected.items():
            if _folded(key) == NO and NO not in named:
                yield from _compare_unset(value, found, (*where, NO))
            elif _folded(key) in named:
                yield from compare(value, named[_folded(key)], (*where, key))
            elif value != 0 or not _is_levels(found):
                nothing = "it is 0: " if _is_levels(found) else ""
                said = f"{phrase(value, whole=True)} expected, but {nothing}{unknown(str(key), found)}"
                yield Difference((*where, key), said)
    elif expected and isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for at, (wanted, got) in enumerate(zip(expected, found, strict=True)):
            if wanted != {}:
                yield from compare(wanted, got, (*where, at))
    elif expected == {} and isinstance(found, Mapping) and _is_levels(found) and not any(found.values()):
        return  # levels of 0 are as good as none
    elif not _same(expected, found):
        yield Difference(
            where, f"{phrase(expected, whole=True)} expected, but it is {phrase(_without_blanks(found), whole=True)}"
        )


def _without_blanks(found: Plain) -> Plain:
    """A list of things, wounds and the like without the fields that say nothing."""
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        return found
    return [{name: value for name, value in each.items() if value} for each in found]


NO: Final = "no"
"""`no: wound` names a field, or several, that must not be set."""


def _compare_unset(names: Plain, found: Plain, where: Where) -> Iterator[Difference]:
    named = {_folded(key): value for key, value in found.items()}
    for name in _listed(names):
        if _folded(name) not in named and not _is_levels(found):
            yield Difference(where, unknown(str(name), found))
        elif value := named.get(_folded(name)):
            yield Difference(where, f"no {name} expected, but it is {phrase(value, whole=True)}")


def _listed(names: Plain) -> list[Plain]:
    return list(names) if isinstance(names, list) else [names]


def _is_levels(found: Plain) -> bool:
    """Whether these are levels by name; a name that is not among them has level 0."""
    return not isinstance(found, _Record) and all(type(each) is int for each in found.values())


@final
class _Record(dict[str, Plain]):
    """Named fields: what is not among them is no level of 0, but unknown."""


def _with_records(value: object, found: Plain) -> Plain:
    """The same, in which the fields of a value are told apart from levels by name."""
    if isinstance(found, Mapping) and is_dataclass(value):
        return _Record({name: _with_records(getattr(value, name, None), each) for name, each in found.items()})
    if isinstance(found, list) and isinstance(value, tuple) and len(found) == len(value):
        return [_with_records(*each) for each in zip(value, found, strict=True)]
    return found


def _with_properties(expected: Plain, value: Any, found: Plain) -> Plain:
    """A result with what it only says when asked, such as whether an attack was a success."""
    if isinstance(expected, list) and isinstance(value, tuple) and len(expected) == len(value):
        return [_with_properties(*each) for each in zip(expected, value, found, strict=True)]
    if not (isinstance(expected, Mapping) and isinstance(found, Mapping)):
        return found
    unset = _listed(next((each for name, each in expected.items() if _folded(name) == NO), []))
    asked = {spoken(str(name)) for name in (*expected, *unset)} - {spoken(str(name)) for name in found}
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


REFUSAL: Final[dict[str, Form]] = {
    **dict.fromkeys(("what", "because", "rule"), ("a text", (str,))),
    "legal": LISTED,
}
ANY_RULE: Final = ("yes", "any")
REFUSALS: Final = "must be yes (by any rule), a rule's id, words of its reason, or some of {what, because, rule, legal}"


def expected_refusal(expected: Plain, system: str, where: Where) -> dict[str, Plain]:
    """What a refusal must be: nothing in particular, or some of its fields. `yes` and texts are short for these."""
    if expected is True or (isinstance(expected, str) and expected.casefold() in ANY_RULE):
        return {}
    if isinstance(expected, str) and expected and " " in expected:
        return {"because": expected}
    if isinstance(expected, str) and expected:
        expected = {"rule": expected}
    if not isinstance(expected, Mapping) or not expected:
        legal = "; a step that must be legal says nothing" if expected is False else ""
        raise Misplaced(where, f"{REFUSALS}, not {phrase(expected, whole=True)}{legal}")
    check_known(expected, REFUSAL, where)
    rule = expected.get("rule")
    is_houses = rule is None or rule == ANY_ANSWER or rule.startswith("referee.")
    if not is_houses and rule not in (known := _ids(system)):
        raise Misplaced((*where, "rule"), unknown(str(rule), known))
    return dict(expected)


def _ids(system: str) -> tuple[str, ...]:
    """Every id that a refusal of a system may name: those of its book and of its code."""
    book = SYSTEMS[system].printed_book.ids if system in SYSTEMS else ()
    return tuple(dict.fromkeys((*book, *(each for each in (*RULES, *FORMULAS) if each.startswith(f"{system}.")))))


def compare_refusal(wanted: Mapping[str, Plain], why: Refused, where: Where) -> Iterator[Difference]:
    """Compare a refusal with what it must be; of its reason, some words are enough.

    An answer that does not fit its question is no refusal by a rule: to expect one, say what is wrong with it.
    """
    if not wanted and isinstance(why, BadAnswer) and not why.legal and not isinstance(why, BarredAnswer):
        yield Difference(where, f"no rule refuses it, but an answer does not fit: {why}")
    rule = ANY_ANSWER if isinstance(why, BadAnswer) and wanted.get("rule") == ANY_ANSWER else why.rule
    said = wanted.get("because")
    because = said if isinstance(said, str) and spoken(said) in spoken(f"{why.what}: {why.because}") else why.because
    found = {"what": why.what, "because": because, "rule": rule, "legal": list(why.legal)}
    for difference in compare(wanted, found, where) if wanted else ():
        yield replace(difference, problem=f"{difference.problem}; it was refused: {suggesting(why)}")


def suggesting(why: Refused) -> str:
    """A refusal, with the legal name that is nearest to the one that was refused."""
    names = {each.casefold(): each for each in why.legal}
    near = get_close_matches(why.what.casefold(), names, 1)
    hint = f"; did you mean {names[near[0]]!r}?" if near and near[0] != why.what.casefold() else ""
    return f"{why}{hint}"


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
        is_wrong = not isinstance(value, kinds) or (isinstance(value, bool) and int in kinds)
        if value is not None and is_wrong:
            raise Misplaced((*where, str(name)), f"must be {words}, not {_quoted(value)}")


def _quoted(value: Plain) -> str:
    """A value as it is written in a file."""
    return phrase(value) if isinstance(value, bool) else repr(value)


def _same(expected: Plain, found: Plain) -> bool:
    if isinstance(expected, bool) and isinstance(found, str):
        return _folded(expected) == spoken(found)  # the key of an option, which YAML reads as a boolean
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
        if fields := _spelled_out(wanted):
            yield from compare(fields, question, (*where, at))


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
    if isinstance(wanted, Mapping):
        return {name: each for name, each in wanted.items() if name not in BESIDE}
    if not isinstance(wanted, str):
        return wanted
    of, _, name = wanted.rpartition(".")
    return {"prompt": name, "who": of} if of else {"prompt": name}


def _compare_log(expected: Plain, events: Sequence[Event], where: Where) -> Iterator[Difference]:
    """Compare the log of a step."""
    yield from compare_lines(expected, [_event(event) for event in events], where)


def compare_lines(expected: Plain, lines: Sequence[dict[str, Plain]], where: Where) -> Iterator[Difference]:
    """Every expected line must come, in this order; other lines may come between."""
    at = 0
    for number, wanted in enumerate(expected):
        if not isinstance(wanted, Mapping):
            raise Misplaced((*where, number), f"must be fields of a line of the log, not {wanted!r}")
        there = next((here for here in range(at, len(lines)) if is_line(wanted, lines[here])), None)
        if there is None:
            left = "; ".join(_told(line) for line in sorted(lines[at:], key=_is_change)) or "nothing"
            keys = tuple(dict.fromkeys(name for line in lines for name in (*line, "rule")))
            wrong = "".join(f"{unknown(str(name), keys)}; " for name in wanted if keys and name not in keys)
            yield Difference((*where, number), f"not in the log; {wrong}what came then: {left}")
            return
        at = there + 1


def is_line(wanted: Plain, line: Mapping[str, Plain]) -> bool:
    """Whether a line of the log is one that is described."""
    rest = {name: value for name, value in wanted.items() if name != "rule"}
    return wanted.get("rule") in (None, *line["rules"]) and not any(compare(rest, line, ()))


def _is_change(line: Mapping[str, Plain]) -> bool:
    return "changed" in line


def _told(line: Mapping[str, Plain]) -> str:
    """A line of the log as a scenario could expect it; of what changed, only the fields that did."""
    was, now = line.get("from"), line.get("to")
    if not (isinstance(was, Mapping) and isinstance(now, Mapping)):
        return phrase(line, whole=True)
    changed = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    sides = {side: {name: each.get(name) for name in changed} for side, each in (("from", was), ("to", now))}
    return phrase({**line, **sides}, whole=True)


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
            found = _chance(str(name), happened.odds, happened.bands)
            same = same_chance(str(chance), found, happened.odds.lost)
        except BadInput as problem:
            raise Misplaced((*where, name), problem.problem) from None
        if not same:
            yield Difference((*where, name), f"{chance} expected, but it is {found} (about {float(found):.6f})")


def _chance(name: str, odds: Odds[Any], bands: Bands[Any]) -> Fraction:
    """The chance of a band, of something that may come with it, or of a condition such as `sixes >= 2`."""
    if name in bands.keys:
        return odds.chance(lambda result: bands.of(result) == name)
    if name in (beside := {**bands.extra, **bands.bad}):
        return odds.chance(beside[name])
    found = _CONDITION.fullmatch(name)
    if found is None:
        known = (*bands.keys, *bands.extra, *bands.bad)
        raise BadInput(name, f"{unknown(name, known)}; or a condition such as 'sixes >= 2'")
    path, compares, value = found[1].split("."), _COMPARES[found[2]], load_yaml(found[3])
    return odds.chance(lambda result: _holds(compares, _at(write(result), path), value))


def _holds(compares: Callable[[Any, Any], Any], found: Plain, value: Plain) -> bool:
    """Whether a condition holds; none holds for a missing value. A number is never the same as a text."""
    if isinstance(found, (int, float)) and isinstance(value, str):
        raise BadInput("", f"{found!r} and {value!r} cannot be compared")
    try:
        return found is not None and bool(compares(found, value))
    except TypeError:
        raise BadInput("", f"{found!r} and {value!r} cannot be compared") from None


_COMPARES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION: Final = re.compile(r"\s*([\w.]+)\s*(>=|<=|!=|==|=|>|<)\s*(.+?)\s*")


def _at(plain: Plain, path: Sequence[str]) -> Plain:
    """A part of a result; `result` is the whole result."""
    for name in path if path != ["result"] else ():
        if plain is None:
            return None
        if not isinstance(plain, Mapping) or name not in plain:
            raise BadInput("", unknown(name, plain if isinstance(plain, Mapping) else ()))
        plain = plain[name]
    return plain


def same_chance(expected: str, found: Fraction, lost: Fraction) -> bool:
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
    people = tuple(each.name for each in scene.all(system.sheet))
    for name, wanted in expected.items():
        if name not in people:
            raise Misplaced((*where, str(name)), unknown(str(name), people))
        refused = {action.key: action.may(scene, scene.who(name)) for action in system.actions if not action.master}
        legal = sorted(key for key, why in refused.items() if why is None)
        if isinstance(wanted, list):
            if strange := [str(each) for each in wanted if str(each) not in refused]:
                yield Difference((*where, name), unknown(strange[0], tuple(refused)))
            else:
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
