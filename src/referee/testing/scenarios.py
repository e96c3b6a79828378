"""Scenario files: scripted play as readable YAML. What a file may say is told in docs/scenarios.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import yaml

from referee import registry
from referee.core.clock import PASSING, Clock
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.files import load_yaml
from referee.core.plain import Plain, unknown, write
from referee.core.questions import Choose, Question, Roll, key_of
from referee.core.rulebook import BOOK, DECLARED, Book, RowsOf
from referee.core.rules import FORMULAS, RULES, Call, Formula, Rule
from referee.core.run import Changed, Event, Run, drive
from referee.core.scene import Scene, State
from referee.core.system import Action, System
from referee.core.trace import RUNNING
from referee.drivers.exact import Exact, Odds
from referee.drivers.policies import always
from referee.drivers.scripted import Script

PARTS: Final = ("scenario", "system", "options", "rulebook", "sheets", "clock", "piles", "scene", "steps")
VERBS: Final = ("action", "rule", "table", "edit", "run")
STEP: Final = (*VERBS, "who", "with", "answers", "policy", "at", "named", "expect", "refused", "note", "most")
EXPECT: Final = ("result", "sheets", "clock", "log", "odds", "actions", "questions", "not_asked", "steps")

Path_: TypeAlias = tuple[str | int, ...]


@final
@dataclass(frozen=True)
class Difference:
    """Something a scenario expects and play did not give: where it is written, and how it differs."""

    where: Path_
    problem: str
    line: int = 0

    def __str__(self) -> str:
        return f"{_spelled(self.where)}: {self.problem}" if self.where else self.problem


@final
@dataclass
class Told:
    """A scenario as it was played, for people to read."""

    title: str
    differences: list[Difference] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    steps: int = 0


@final
@dataclass
class _Scene:
    """A scenario on its way."""

    system: System
    state: State
    told: Told


def check_file(path: Path) -> list[Told]:
    """Play every scenario of a file."""
    text = path.read_text(encoding="utf-8")
    try:
        documents = list(zip(yaml.safe_load_all(text), yaml.compose_all(text), strict=True))
    except yaml.YAMLError as problem:
        return [Told(path.name, [Difference((), f"not YAML: {problem}")])]
    found = []
    for plain, node in documents:
        if plain is None:
            continue
        told = check(plain)
        told.differences = [Difference(d.where, d.problem, _line(node, d.where)) for d in told.differences]
        found.append(told)
    return found


def check(plain: Plain) -> Told:
    """Play one scenario, and say where it differs from what it expects."""
    told = Told("")
    try:
        _known(plain, PARTS, ())
        told.title = str(plain.get("scenario", ""))
        scene = _set(plain, told)
    except RefereeError as problem:
        told.differences.append(Difference((), str(problem)))
        return told
    for at, step in enumerate(plain.get("steps") or ()):
        where: Path_ = ("steps", at)
        try:
            told.differences += _step(scene, step, where)
        except RefereeError as problem:
            told.differences.append(Difference(where, str(problem)))
            break
        told.steps += 1
    if not plain.get("steps"):
        told.differences.append(Difference(("steps",), "a scenario needs at least one step"))
    return told


def samples(system: System) -> list[tuple[str, State]]:
    """The sample scenes a system brings, by name."""
    files = sorted((system.folder / "samples").glob("*.yaml"))
    return [(file.stem, scene_of(load_yaml(file.read_text(encoding="utf-8")))[1]) for file in files]


def scene_of(plain: Plain) -> tuple[System, State]:
    """The system and the scene a file sets, without playing its steps."""
    scene = _set(plain, Told(""))
    return scene.system, scene.state


def _set(plain: Plain, told: Told) -> _Scene:
    system = registry.load(str(plain.get("system", "")))
    values: dict[str, Plain] = {}
    overlay = {"options": plain.get("options") or {}, **(plain.get("rulebook") or {})}
    if any(overlay.values()):
        values[BOOK.name] = {"kind": Book.__name__, **overlay}
    if "clock" in plain:
        values["clock"] = {"kind": Clock.__name__, **_clock(plain["clock"])}
    for name, pile in (plain.get("piles") or {}).items():
        values[name] = {"kind": "Pile", **(pile if isinstance(pile, Mapping) else {"cards": pile})}
    values |= {**(plain.get("sheets") or {}), **(plain.get("scene") or {})}
    return _Scene(system, system.state(values), told)


def _clock(plain: Plain) -> Plain:
    return {"now": plain} if isinstance(plain, int) else plain


# --- a step ------------------------------------------------------------------------------------------------------------


@final
@dataclass
class _Happened:
    """What a step came to."""

    result: Plain = None
    events: list[Event] = field(default_factory=list)
    asked: list[Question[Any]] = field(default_factory=list)
    spared: list[Question[Any]] = field(default_factory=list)
    steps: int = 0


def _step(scene: _Scene, step: Plain, where: Path_) -> Iterator[Difference] | list[Difference]:
    _known(step, STEP, where)
    verbs = [verb for verb in VERBS if verb in step]
    if len(verbs) != 1:
        raise BadInput("", f"one of {', '.join(VERBS)} expected")
    expect = step.get("expect") or {}
    before = scene.state
    try:
        happened, differences = _played(scene, verbs[0], step, where)
    except Refused as why:
        scene.state = before
        scene.told.story.append(f"refused: {why}")
        if "refused" not in step:
            return [Difference(where, f"refused: {why}")]
        return list(_compare_refusal(step["refused"], why, (*where, "refused")))
    if "refused" in step:
        differences.append(Difference((*where, "refused"), f"expected by {step['refused']}, but it was lawful"))
    if verbs[0] == "table" or not isinstance(expect, Mapping):
        return [*differences, *_compare(expect, happened.result, (*where, "expect"))]
    _known(expect, EXPECT, (*where, "expect"))
    return [*differences, *_expected(scene, expect, happened, (*where, "expect"))]


def _played(scene: _Scene, verb: str, step: Plain, where: Path_) -> tuple[_Happened, list[Difference]]:
    match verb:
        case "table":
            return _Happened(_looked_up(scene, step)), []
        case "edit":
            return _edited(scene, step["edit"]), []
        case "run":
            return _run_encounter(scene, step), []
        case _:
            pass
    cited, action, arguments = _named(scene, verb, step)
    expect = step.get("expect") or {}
    handle = Scene(scene.state)
    if not isinstance(cited, Rule):
        return _Happened(write(cited(handle, *cited.arguments(arguments)))), []
    call: Call[Any] = cited(handle, *cited.arguments(arguments))
    differences: list[Difference] = []
    if "odds" in expect:
        odds = Exact(always(**_policy(step))).of(call, scene.state)
        differences += _compare_odds(expect["odds"], odds, action, (*where, "expect", "odds"))
    if "answers" not in step and isinstance(expect, Mapping) and expect and set(expect) <= {"odds", "actions"}:
        return _Happened(), differences
    scene.told.story.append(f"{step.get('note') or cited.id} {_spoken(arguments)}".strip())
    script = Script(step.get("answers"))
    happened = _Happened()
    result = _drive(scene, call, script, happened)
    happened.result = write(result)
    _let_time_pass(scene, script, happened)
    _check_used_up(script, happened)
    scene.told.story.append(f"  = {_spoken(happened.result)}")
    return happened, differences


def _named(
    scene: _Scene, verb: str, step: Plain
) -> tuple[Rule[..., Any] | Formula[..., Any], Action[Any] | None, dict[str, Plain]]:
    arguments = dict(step.get("with") or {})
    if verb == "action":
        action = scene.system.action(step["action"])
        actor = {} if action.master else {next(iter(action.rule.parameters)): step.get("who")}
        return action.rule, action, {**actor, **arguments}
    id_ = str(step["rule"])
    cited = RULES.get(id_) or FORMULAS.get(id_)
    if cited is None:
        runnable = tuple(each for each in {**RULES, **FORMULAS} if each.startswith(scene.system.name))
        raise BadInput("rule", unknown(id_, runnable))
    if "who" in step:
        arguments = {next(iter(cited.parameters)): step["who"], **arguments}
    return cited, None, arguments


def _drive(scene: _Scene, call: Call[Any], script: Script, happened: _Happened) -> Any:
    handle = Scene(scene.state)

    def answer(question: Question[Any], at: Scene) -> Any:
        happened.asked.append(question)
        given = script.answer(question, at)
        scene.told.story.append(f"  {question} -> {_spoken(question.write(given))}")
        return given

    run: Run[Any] = Run(handle, call)
    try:
        result = drive(run, answer)
    finally:
        happened.spared += run.spared
    happened.events += run.events
    happened.steps += 1
    for event in run.events:
        scene.told.story.append(f"  {_event_words(event)}")
    scene.state = handle.state
    return result


def _let_time_pass(scene: _Scene, script: Script, happened: _Happened) -> None:
    while PASSING in (handle := Scene(scene.state)) and handle[PASSING].over(handle) is None:
        _drive(scene, handle[PASSING].next_step(handle), script, happened)


def _check_used_up(script: Script, happened: _Happened) -> None:
    """An answer nobody asked for is an error; if the question was barred, its reason is the answer."""
    for question in happened.spared:
        if isinstance(question, Choose) and any(left.startswith(f"{question.name}:") for left in script.left):
            for barred in question.barred:
                raise barred.why
    script.check_used_up()


def _run_encounter(scene: _Scene, step: Plain) -> _Happened:
    """Repeat an encounter's next step until it is over, or `most` steps."""
    happened = _Happened()
    script = Script(step.get("answers"))
    who = Scene(scene.state).who(str(step["run"]))
    for _ in range(step.get("most", 1000)):
        handle = Scene(scene.state)
        encounter = handle[who]
        if not isinstance(encounter, Encounter):
            raise BadInput("run", f"{who} is no encounter")
        if encounter.over(handle) is not None:
            break
        _drive(scene, encounter.next_step(handle), script, happened)
    handle = Scene(scene.state)
    happened.result = write(handle[who].over(handle))
    script.check_used_up()
    return happened


def _edited(scene: _Scene, edits: Plain) -> _Happened:
    for name, plain in edits.items():
        before = scene.state.get(name)
        whole = {**(scene.system.plain_value(before) if before is not None else {}), **plain}
        scene.state = scene.state.but(name, scene.system.value(whole, name))
    return _Happened()


def _looked_up(scene: _Scene, step: Plain) -> Plain:
    id_ = str(step["table"])
    tables = [lookup for lookup in DECLARED.get(id_, ()) if isinstance(lookup, RowsOf)]
    if not tables:
        known = tuple(each for each, found in DECLARED.items() if any(isinstance(f, RowsOf) for f in found))
        raise BadInput("table", unknown(id_, known))
    found = Scene(scene.state)[tables[0]]
    with RUNNING:
        return write(found.at(step["at"]) if "at" in step else found[str(step["named"])])


def _policy(step: Plain) -> dict[str, Plain]:
    return {str(name): answer for name, answer in (step.get("policy") or {}).items()}


# --- what is expected --------------------------------------------------------------------------------------------------


def _expected(scene: _Scene, expect: Plain, happened: _Happened, where: Path_) -> Iterator[Difference]:
    if "result" in expect:
        yield from _compare(expect["result"], happened.result, (*where, "result"))
    if "steps" in expect:
        yield from _compare(expect["steps"], happened.steps, (*where, "steps"))
    if "clock" in expect:
        now = Scene(scene.state).state.get("clock")
        yield from _compare(_clock(expect["clock"]), write(now), (*where, "clock"))
    for name, plain in (expect.get("sheets") or {}).items():
        value = scene.state.get(name)
        found = None if value is None else scene.system.plain_value(value)
        yield from _compare(plain, found, (*where, "sheets", name))
    if "questions" in expect:
        yield from _compare_questions(expect["questions"], happened.asked, (*where, "questions"))
    if "not_asked" in expect:
        barred = {str(q.name): _barred(q) for q in happened.spared}
        yield from _compare(expect["not_asked"], barred, (*where, "not_asked"))
    if "log" in expect:
        yield from _compare_log(expect["log"], happened.events, (*where, "log"))
    if "actions" in expect:
        yield from _compare_actions(scene, expect["actions"], (*where, "actions"))


def _compare(expected: Plain, found: Plain, where: Path_) -> Iterator[Difference]:
    """Compare only what is named: a mapping's keys, a list's every item, anything else whole."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        folded = {str(key).casefold().replace("-", "_").replace(" ", "_"): value for key, value in found.items()}
        for key, value in expected.items():
            name = str(key).casefold().replace("-", "_").replace(" ", "_")
            if name not in folded and value in (0, None, False, [], {}):
                continue
            if name not in folded:
                yield Difference(
                    (*where, key), f"{value!r} expected, but there is no such thing: {unknown(str(key), found)}"
                )
            else:
                yield from _compare(value, folded[name], (*where, key))
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield Difference(where, f"{_spoken(expected)} expected, but it is {_spoken(found)}")
            return
        for at, (left, right) in enumerate(zip(expected, found, strict=True)):
            yield from _compare(left, right, (*where, at))
    elif isinstance(expected, str) and isinstance(found, str) and expected.casefold() == found.casefold():
        return
    elif expected != found or isinstance(expected, bool) is not isinstance(found, bool):
        yield Difference(where, f"{_spoken(expected)} expected, but it is {_spoken(found)}")


def _compare_refusal(expected: Plain, why: Refused, where: Path_) -> Iterator[Difference]:
    if expected is True:
        return
    wanted = {"rule": expected} if isinstance(expected, str) else expected
    found = {"what": why.what, "because": why.because, "rule": why.rule, "lawful": list(why.lawful)}
    yield from _compare(wanted, found, where)


def _compare_odds(expected: Plain, odds: Odds[Any], action: Action[Any] | None, where: Path_) -> Iterator[Difference]:
    for name, chance in expected.items():
        found = _chance(str(name), odds, action)
        if not _same_chance(chance, found):
            yield Difference((*where, name), f"{chance} expected, but it is {found} (about {float(found):.6f})")


def _chance(name: str, odds: Odds[Any], action: Action[Any] | None) -> Fraction:
    """The chance of a band, of something beside it, or of a condition on the result such as `sixes >= 2`."""
    if action is not None:
        bands = action.bands
        if name in bands.keys:
            return odds.chance(lambda result: bands.of(result) == name)
        if name in {**bands.extra, **bands.bad}:
            return odds.chance({**bands.extra, **bands.bad}[name])
    found = _CONDITION.fullmatch(name)
    if found is None:
        raise BadInput(name, "a band of the action, or a condition such as 'sixes >= 2', expected")
    return odds.chance(lambda result: _holds(write(result), found))


_CONDITION: Final = re.compile(r"\s*([\w.]*)\s*(>=|<=|!=|=|>|<)\s*(.+?)\s*")


def _holds(plain: Plain, condition: re.Match[str]) -> bool:
    for step in filter(None, condition[1].split(".")):
        if step != "result":
            plain = plain[step]
    wanted: Any = yaml.safe_load(condition[3])
    match condition[2]:
        case "=":
            return bool(plain == wanted)
        case "!=":
            return bool(plain != wanted)
        case ">=":
            return bool(plain >= wanted)
        case "<=":
            return bool(plain <= wanted)
        case ">":
            return bool(plain > wanted)
        case _:
            return bool(plain < wanted)


def _same_chance(expected: Plain, found: Fraction) -> bool:
    """A fraction must be equal; a decimal must be right to the digits it gives."""
    text = str(expected).removesuffix("%")
    if "/" in text or ("." not in text and not str(expected).endswith("%")):
        return Fraction(text) == found
    scale = 100 if str(expected).endswith("%") else 1
    digits = len(text.partition(".")[2])
    return abs(Fraction(text) - found * scale) <= Fraction(1, 2 * 10**digits)


def _compare_questions(expected: Plain, asked: Sequence[Question[Any]], where: Path_) -> Iterator[Difference]:
    if len(expected) != len(asked):
        named = ", ".join(f"{q.who}.{q.name}" if q.who else q.name for q in asked)
        yield Difference(where, f"{len(expected)} questions expected, but {len(asked)} were asked: {named}")
        return
    for at, (wanted, question) in enumerate(zip(expected, asked, strict=True)):
        if isinstance(wanted, str):
            of, _, name = wanted.rpartition(".")
            wanted = {"asked": name, **({"of": of} if of else {})}
        yield from _compare(wanted, _question(question), (*where, at))


def _question(question: Question[Any]) -> Plain:
    """A question as plain data."""
    plain: dict[str, Plain] = {
        "asked": str(question.name),
        "of": question.who.name if question.who else "game master",
        "audience": question.audience.value,
    }
    if isinstance(question, Roll):
        plain |= {"dice": question.pool.to_plain(), "mods": [write(mod) for mod in question.mods]}
    if isinstance(question, Choose):
        plain |= {"options": [key_of(option) for option in question.options], "barred": _barred(question)}
        plain |= {"reaction": question.reaction}
    return plain


def _barred(question: Question[Any]) -> Plain:
    if not isinstance(question, Choose):
        return {}
    return {key_of(barred.option): barred.why.rule for barred in question.barred}


def _compare_log(expected: Plain, events: Sequence[Event], where: Path_) -> Iterator[Difference]:
    """Every expected line must stand in the log, in this order; others may stand between."""
    lines = [_event(event) for event in events]
    at = 0
    for number, wanted in enumerate(expected):
        wanted = dict(wanted)
        rule = wanted.pop("rule", None)
        for here in range(at, len(lines)):
            if rule in (None, *lines[here]["rules"]) and not list(_compare(wanted, lines[here], ())):
                at = here + 1
                break
        else:
            left = "; ".join(_spoken(line) for line in lines[at:]) or "nothing"
            yield Difference((*where, number), f"not in the log; what came then: {left}")
            return


def _event(event: Event) -> Plain:
    if isinstance(event, Changed):
        return {
            "changed": event.who,
            "from": write(event.before),
            "to": write(event.after),
            "rules": list(event.rules),
        }
    return {"told": event.line.key, "figures": write(dict(event.line.figures)), "rules": list(event.rules)}


def _event_words(event: Event) -> str:
    if isinstance(event, Changed):
        before, after = write(event.before), write(event.after)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            moved = (f"{k} {_spoken(before.get(k))} -> {_spoken(v)}" for k, v in after.items() if before.get(k) != v)
            return f"{event.who}: {', '.join(moved)}  [{event.rules[0]}]"
        return f"{event.who}: {_spoken(after)}  [{event.rules[0]}]"
    return f"{event.line.key} {_spoken(write(dict(event.line.figures)))}  [{event.rules[0]}]"


def _compare_actions(scene: _Scene, expected: Plain, where: Path_) -> Iterator[Difference]:
    """Who may do what now: `ana: [skill-roll]`, or `ana: {skill-roll: yes, push: alien.push.restrictions}`."""
    handle = Scene(scene.state)
    for name, wanted in expected.items():
        who = handle.who(name)
        found: dict[str, Plain] = {}
        for action in scene.system.actions:
            if action.master:
                continue
            why = action.may(handle, who)
            found[action.key] = True if why is None else why.rule
        if isinstance(wanted, list):
            lawful = [key for key, may in found.items() if may is True]
            yield from _compare(sorted(wanted), sorted(lawful), (*where, name))
        else:
            plain = {key: may if may is True or wanted.get(key) is not False else False for key, may in found.items()}
            yield from _compare(wanted, plain, (*where, name))


# --- small things ------------------------------------------------------------------------------------------------------


def _known(plain: Plain, known: tuple[str, ...], where: Path_) -> None:
    if not isinstance(plain, Mapping):
        raise BadInput(_spelled(where), f"{', '.join(known)} expected, not {plain!r}")
    for name in plain:
        if name not in known:
            raise BadInput(_spelled((*where, name)), unknown(str(name), known))


def _spelled(where: Path_) -> str:
    text = "".join(f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in where)
    return text.lstrip(".")


def _spoken(plain: Plain) -> str:
    if isinstance(plain, Mapping):
        return "{" + ", ".join(f"{key}: {_spoken(value)}" for key, value in plain.items()) + "}"
    if isinstance(plain, (list, tuple)):
        return "[" + ", ".join(map(_spoken, plain)) + "]"
    if isinstance(plain, bool) or plain is None:
        return {True: "yes", False: "no", None: "nothing"}[plain]
    return str(plain)


def _line(node: Any, where: Path_) -> int:
    """The line of a file on which a path stands."""
    line = int(node.start_mark.line) + 1
    for step in where:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if str(key.value) == str(step)]
            if not found:
                return line
            line = int(found[0][0].start_mark.line) + 1
            node = found[0][1]
            continue
        else:
            return line
        line = int(node.start_mark.line) + 1
    return line
