"""Words and looks are proofread when a system is loaded: whatever they name must exist, and every error has a line.

An unknown key, a wrong type, an action, prompt, band or field that does not exist, a placeholder that nobody fills in:
each would otherwise be noticed at the table, or never.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from string import Formatter
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final, final

from referee.core.describe import field_type
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, RefereeError
from referee.core.files import Place, line_at, load_all_yaml, load_yaml_file
from referee.core.look import FILE, ActionsOfRound, Begins, ChaseLook, Look, Places, Rolls, Vital
from referee.core.plain import Plain, hints, read, unknown
from referee.core.questions import Prompt
from referee.core.rulebook import BOOK, Book, figure
from referee.core.rules import FORMULAS, Cited, Rule
from referee.core.scene import Scene
from referee.core.words import HOUSE_WORDS

if TYPE_CHECKING:
    from pathlib import Path

    from referee.core.actions import Action
    from referee.core.system import System

ENDS: Final = ("yes", "no", "changed", "set", "cleared", "gained", "lost")
"""How a field changes, for the words of changes."""
BY_VALUE: Final = ("becomes", "no-longer")
"""What stands before a value, for a field that gets it or an entry that comes or goes: `posture.becomes.prone`."""
DRAFT_KINDS: Final = (("creation",), ("advancement",))
THING_WORDS: Final = ("kinds", "figures")
STEP_WORDS: Final = ("title", "ask", "says")
"""What is said of a step of building a character."""
SUCCESS: Final = ("success", "failure")
"""Bands that results are told with, whatever the actions declare."""
_STEP: Final = re.compile(r"[^.\[\]]+")


@final
@dataclass(frozen=True)
class Fault:
    """Something wrong in a file of a system."""

    file: Path
    line: int
    place: Place
    problem: str

    def __str__(self) -> str:
        return ": ".join((f"{self.file}:{self.line}", *self._said))

    @property
    def _said(self) -> tuple[str, ...]:
        return (".".join(map(str, self.place)), self.problem) if self.place else (self.problem,)

    def error(self) -> BadInput:
        return BadInput(f"{self.file}:{self.line}", ": ".join(self._said))


def check_texts(system: System) -> None:
    """Refuse a system whose words or look name something that does not exist."""
    if found := next(faults(system), None):
        raise found.error()


def faults(system: System) -> Iterator[Fault]:
    """Everything that is wrong in the words and in the look of a system."""
    known = Declared(system)
    for file, check in ((system.folder / "words" / "en.yaml", words_faults), (system.folder / FILE, look_faults)):
        if file.exists():
            found = list(check(known, load_yaml_file(file)))
            nodes = [node for _, node in load_all_yaml(file.read_text(encoding="utf-8"))] if found else []
            for place, problem in found:
                yield Fault(file, line_at(nodes[0], place) if nodes else 1, place, problem)


Found = Iterator[tuple[Place, str]]


def _options(system: System, action: Action[Any]) -> Iterator[str]:
    """The options of a family that the book lists."""
    rows = action.family.family.rows if action.family and action.family.family else None
    found: Iterable[str] = Book(system.printed_book).read(rows).names if rows else ()
    return (f"{action.key}/{each}" for each in found)


@final
class Declared:
    """What a system declares, by name: what its words and its look may speak of."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.actions = {action.key: action for action in system.actions}
        self.kinds = {kind.__name__: kind for kind in (system.sheet, *system.kinds)}
        self.encounters = {name: kind for name, kind in self.kinds.items() if issubclass(kind, Encounter)}

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The options of families, as words and the look name them; the tables are read only if one is named."""
        return tuple(part for action in self.system.actions for part in _options(self.system, action))

    def acts(self, part: str) -> tuple[str, ...]:
        """What a name of an action, or of an option of a family, may be."""
        return self.parts if part.partition("/")[0] in self.actions and "/" in part else tuple(self.actions)

    @cached_property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules of its package."""
        inside = f"{self.system.folder}{os.sep}"
        return tuple(
            each for each in [*sys.modules.values()] if (getattr(each, "__file__", "") or "").startswith(inside)
        )

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """Everything that its modules name, each once."""
        named = (value for module in self.modules for value in [*vars(module).values()])
        return tuple({id(value): value for value in named}.values())

    @cached_property
    def arguments(self) -> frozenset[str]:
        return frozenset(name for action in self.actions.values() for name in action.parameters)

    @cached_property
    def bands(self) -> frozenset[str]:
        of_rules = (each.bands for each in self.values if isinstance(each, Rule))
        every = (*(action.bands for action in self.actions.values()), *(each for each in of_rules if each is not None))
        return frozenset((*SUCCESS, *(key for each in every for key in (*each.keys, *each.extra, *each.bad))))

    @cached_property
    def prompts(self) -> frozenset[str]:
        """What its rules may ask, directly or through a kit."""
        rules = (
            *(each for each in self.values if isinstance(each, Cited)),
            *(each.rule for each in self.system.actions),
        )
        named = (each for each in self.values if isinstance(each, Prompt))
        return frozenset(map(str, (*named, *(prompt for rule in rules for prompt in rule.prompts))))

    @cached_property
    def story(self) -> dict[str, frozenset[str]]:
        """The texts in its code, which may be keys of story lines, with the names that are given beside them."""
        found: dict[str, frozenset[str]] = {}
        own = {module.__name__ for module in self.modules}
        for code in _codes(each for each in self.values if _module(each) in own):
            given = frozenset(name for each in code.co_consts if isinstance(each, tuple) for name in each)
            for key in (each for each in code.co_consts if isinstance(each, str)):
                found[key] = found.get(key, frozenset()) | given
        return found

    def results(self, name: str) -> type[Any] | None:
        """A class of its modules, or of a kit they use, by name."""
        return next((each for each in self.values if isinstance(each, type) and each.__name__ == name), None)


def _module(value: Any) -> str:
    return str(getattr(value.body if isinstance(value, Cited) else value, "__module__", ""))


def _codes(values: Iterable[Any]) -> Iterator[CodeType]:
    """The code of functions, rules and methods, and of what is defined inside them."""
    for value in values:
        body = inspect.unwrap(value.body) if isinstance(value, Cited) else value
        if inspect.isclass(body):
            yield from _codes(each for each in [*vars(body).values()] if inspect.isfunction(each))
        elif inspect.isfunction(body):
            yield from _inner(body.__code__)


def _inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _inner(each)


# --- words ------------------------------------------------------------------------------------------------------------


def words_faults(known: Declared, plain: Plain) -> Found:
    """What is wrong with the words of a system."""
    if not isinstance(plain, Mapping):
        yield (), "must be keys with texts"
        return
    for section, texts in plain.items():
        if section not in SECTIONS:
            yield (str(section),), unknown(str(section), SECTIONS)
            continue
        for place, text in _leaves(texts, (section,)):
            if not isinstance(text, str):
                yield place, f"must be a text, not {text!r}"
                continue
            wrong, filled = SECTIONS[section](known, place[1:])
            yield from ((place, each) for each in (wrong, *_unfilled(text, filled)) if each)


def _leaves(texts: Plain, place: Place) -> Iterator[tuple[Place, Plain]]:
    if not isinstance(texts, Mapping):
        yield place, texts
        return
    for key, text in texts.items():
        yield from _leaves(text, (*place, key))


def _unfilled(text: str, filled: frozenset[str]) -> Iterator[str]:
    """What is wrong with the placeholders of a text."""
    try:
        named = placeholders(text)
    except ValueError as problem:
        yield f"{problem}: {text!r}"
        return
    names = f"only {', '.join(sorted(map(str, filled)))}" if filled else "nothing is"
    yield from (f"{{{name}}} is not filled in here; {names}" for name in sorted(named - filled))


def placeholders(text: str) -> frozenset[str]:
    """The names in braces."""
    found = [(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name is not None]
    inner = (name for _, spec in found if "{" in spec for name in placeholders(spec))
    return frozenset((*(name.partition(".")[0].partition("[")[0] for name, _ in found), *inner))


Checked = tuple[str, frozenset[str]]
"""What is wrong with a place (nothing, if it is empty), and the names that are filled in there."""
NOTHING: Final[frozenset[str]] = frozenset()


def _anything(known: Declared, place: Place) -> Checked:
    return "", NOTHING


def _one_of(
    names: Callable[[Declared], Iterable[str]], *filled: str, deeper: int = 0
) -> Callable[[Declared, Place], Checked]:
    """Texts by the names of something, some levels deep."""

    def check(known: Declared, place: Place) -> Checked:
        every = sorted(names(known))
        if len(place) != 1 + deeper:
            return f"must be {1 + deeper} levels deep", frozenset(filled)
        return "" if str(place[0]) in every else unknown(str(place[0]), tuple(every)), frozenset(filled)

    return check


def _action(known: Declared, place: Place) -> Checked:
    """An action, or an option of a family."""
    return _one_of(lambda known: known.acts(str(place[0])))(known, place)


def _tale(known: Declared, place: Place) -> Checked:
    """The arguments of an action are filled in, without the one who acts; things may have an article.

    Below an action stand the values of an argument, yes and no among them, and `otherwise`.
    """
    problem, _ = _action(known, place[:1] if len(place) == 2 else place)
    action = None if problem else known.actions[str(place[0]).partition("/")[0]]
    return problem, frozenset(each for name in (action.parameters if action else ()) for each in (name, f"the_{name}"))


def _rule_title(known: Declared, place: Place) -> Checked:
    """Rules by their ids, without the name of the system."""
    id_ = ".".join((known.system.name, *map(str, place)))
    every = known.system.printed_book.ids
    return "" if id_ in every else unknown(id_, tuple(every)), NOTHING


def _story(known: Declared, place: Place) -> Checked:
    key = ".".join(map(str, place))
    house = {each.removeprefix("story.") for each in HOUSE_WORDS.texts if each.startswith("story.")}
    if key in house:
        return "", placeholders(HOUSE_WORDS.texts[f"story.{key}"]) | {"who"}
    if key not in known.story:
        return f"no rule tells {key!r}", frozenset()
    return "", known.story[key] | {"who"}


def _condition(known: Declared, place: Place) -> Checked:
    """The words of conditions, of a system that declares any; how they are called, its rules and rows say."""
    if known.system.condition is None:
        return "the system declares no `condition`, so nobody has one of its own words", NOTHING
    return _one_of(lambda known: map(str, place))(known, place)


def _thing(known: Declared, place: Place) -> Checked:
    """The kinds of things and what is said of them, by the keys of the catalogue; and how a price is written."""
    part, *rest = map(str, place)
    if part == "price" and not rest:
        return "", frozenset(("price",))
    if part not in THING_WORDS:
        return unknown(part, (*THING_WORDS, "price")), NOTHING
    return "" if len(rest) == 1 else "must be keys with texts", NOTHING


def _change(known: Declared, place: Place) -> Checked:
    """Fields of a sheet or another kind, down to how they change; what comes or goes may say its own fields."""
    filled = frozenset(("who", "name", "before", "after", "by"))
    path = [*map(str, place)]
    if len(path) < 2:
        return "must be fields, and how they change", filled
    if by_value := [at for at, each in enumerate(path) if each in BY_VALUE]:
        path = path[: by_value[0]]
    elif path.pop() not in ENDS:
        return unknown(str(place[-1]), (*ENDS, *BY_VALUE)), filled
    problem, kinds = _followed([*known.kinds.values()], path)
    return problem, filled.union(*(_names(kind) for kind in kinds))


def _followed(kinds: list[Any], path: list[str]) -> tuple[str, list[Any]]:
    """What is wrong with a path of fields from these kinds on, and the kinds of records at its end."""
    for name in path:
        every = sorted({each for kind in kinds for each in _names(kind)})
        if name not in every:
            return unknown(name, tuple(every)), []
        kinds = [record for kind in kinds if name in hints(kind) for record in _records(hints(kind)[name])]
    return "", kinds


def _names(kind: Any) -> frozenset[str]:
    return frozenset(each.name for each in fields(kind))


def _records(annotation: Any) -> Iterator[Any]:
    """The records that a field holds, itself or in a list."""
    found = field_type(annotation)
    while found.inner is not None:
        found = found.inner
    if is_dataclass(found.type):
        yield found.type


def _draft(known: Declared, place: Place) -> Checked:
    """Steps and budgets by their keys; which fields there are may depend on the draft."""
    creations = [each for each in (known.system.creation, known.system.advancement) if each]
    part, *rest = [str(each) for each in (place[1:] if place[:1] in DRAFT_KINDS else place)] or [""]
    every = {
        "steps": ("name", *(step.key for each in creations for step in each.steps)),
        "budgets": tuple(budget.key for each in creations for budget in each.budgets),
        "left": tuple(budget.key for each in creations for budget in each.budgets),
        "fields": (),
        "says": (),
        "chances": (),
        "against": (),
    }
    if part not in every:
        return unknown(part, every), NOTHING
    if every[part] and rest and rest[0] not in every[part]:
        return unknown(rest[0], every[part]), NOTHING
    if part == "steps" and rest[1:] and rest[1] not in STEP_WORDS:
        return unknown(rest[1], STEP_WORDS), NOTHING
    if place[:1] == ("advancement",) and rest[1:] == ["ask"]:
        return "", frozenset({"who"})
    if part == "chances" and (rolls := known.system.look.rolls):  # what a plain roll is made with
        return "", frozenset(known.system.action(rolls.action).parameters)
    return "", NOTHING


SECTIONS: Final[dict[str, Callable[[Declared, Place], Checked]]] = {
    "about": _anything,
    "actions": _action,
    "arguments": _one_of(lambda known: known.arguments),
    "values": _one_of(lambda known: known.arguments, deeper=1),
    "against": _one_of(lambda known: known.bands),
    "bands": _one_of(lambda known: known.bands),
    "prompts": _one_of(lambda known: known.prompts),
    "costs": lambda known, place: ("", frozenset({"count"})),
    "options": _one_of(lambda known: known.prompts, deeper=1),
    "answers": _one_of(lambda known: known.prompts, "what", deeper=1),
    "throws": _one_of(lambda known: known.prompts),
    "rulings": _one_of(lambda known: known.prompts),
    "rules": _rule_title,
    "story": _story,
    "tales": _tale,
    "changes": _change,
    "encounters": _one_of(lambda known: known.kinds),
    "endings": _one_of(lambda known: known.encounters, "who", "what", "kind", "ending", deeper=1),
    "piles": _anything,
    "distances": _anything,
    "conditions": _condition,
    "odds": _anything,
    "drafts": _draft,
    "things": _thing,
}
"""The parts of a system's words, and how each is checked."""


# --- looks ------------------------------------------------------------------------------------------------------------


def look_faults(known: Declared, plain: Plain) -> Found:
    """What is wrong with the look of a system."""
    try:
        look: Look = read(Look, plain)
    except BadInput as problem:
        yield _place(problem.where), problem.problem
        return
    yield from _sheet_faults(known, look)
    for name, places in look.encounters.items():
        yield from _encounter_faults(known, ("encounters", name), name, places)
    yield from _kind_faults(known, look)
    yield from _result_faults(known, look)
    for part in ("good", "same", "bad") if look.outcomes3 else ():
        for at, band in enumerate(getattr(look.outcomes3, part)):
            if band not in known.bands:
                yield ("outcomes3", part, at), unknown(band, tuple(sorted(known.bands)))
    yield from _choosing_faults(known, look)
    yield from _clock_faults(known, look)
    yield from _card_faults(known, look)
    for place, part in _parts(look):
        try:
            if part.option:
                known.system.printed_book.check_option("", part.option)
        except BadInput as problem:
            yield (*place, "option"), problem.problem


def _place(where: str) -> Place:
    """`vitals[0].drawn` as a place."""
    return tuple(int(step) if step.isdecimal() else step for step in _STEP.findall(where))


def _parts(look: Look) -> Iterator[tuple[Place, Any]]:
    yield from ((("vitals", at), each) for at, each in enumerate(look.vitals))
    yield from (((name,), part) for name, part in (("tiles", look.tiles), ("rolls", look.rolls)) if part)
    yield from ((("encounters", name), each) for name, each in look.encounters.items())
    yield from ((("kinds", name), each) for name, each in look.kinds.items())
    yield from ((("results", name), each) for name, each in look.results.items())
    yield from ((("groups", at), each) for at, each in enumerate(look.groups))
    yield from ((("clocks", at), each) for at, each in enumerate(look.clocks))


def _sheet_faults(known: Declared, look: Look) -> Found:
    """Fields of the sheet, formulas and rules."""
    sheet = tuple(each.name for each in fields(known.system.sheet))
    named: list[tuple[Place, str]] = [((name,), getattr(look, name)) for name in ("items", "mine", "out")]
    if look.time and look.time not in known.actions:
        yield ("time",), unknown(look.time, known.actions)
    if look.session and look.session not in known.actions:
        yield ("session",), unknown(look.session, known.actions)
    by_edits = [(at, each) for at, each in enumerate(look.awards) if not each.action]
    named += [(("awards", at), name) for at, each in by_edits for name in (each.field, *each.also)]
    yield from _award_faults(known, look)
    named += [
        ((part, at), name) for part in ("chips", "edited", "about") for at, name in enumerate(getattr(look, part))
    ]
    for at, path in enumerate(look.quiet):
        if problem := _followed([known.system.sheet], path.removesuffix(".*").split("."))[0]:
            yield ("quiet", at), problem
    yield from _vital_faults(known, (), look.vitals, sheet)
    yield from _item_faults(known, look)
    yield from _handling_faults(known, look)
    if look.tiles:
        named.append((("tiles", "field"), look.tiles.field))
    if look.rolls:
        named.append((("rolls", "learned"), look.rolls.learned))
        yield from _rolls_faults(known, look.rolls)
    yield from ((place, unknown(name, sheet)) for place, name in named if name and name not in sheet)


def _vital_faults(known: Declared, at: Place, vitals: Iterable[Vital], every: tuple[str, ...]) -> Found:
    """Vitals are fields of what they are of, or formulas."""
    for number, vital in enumerate(vitals):
        place: Place = (*at, "vitals", number)
        for part in ("field", "of"):
            if (name := getattr(vital, part).partition(".")[0]) and name not in every:
                yield (*place, part), unknown(name, every)
        if not vital.field and not vital.formula:
            yield place, "needs a field or a formula"
        for part in ("formula", "full"):
            if (named_formula := getattr(vital, part)) and named_formula not in FORMULAS:
                yield (*place, part), unknown(named_formula, _own(known, FORMULAS))
        if vital.rule and vital.rule not in known.system.printed_book.ids:
            yield (*place, "rule"), unknown(vital.rule, tuple(known.system.printed_book.ids))


def _kind_faults(known: Declared, look: Look) -> Found:
    """What is drawn beside the scene is of a kind that is neither somebody nor an encounter; its fields are there."""
    others = {
        name: kind
        for name, kind in known.kinds.items()
        if not issubclass(kind, known.system.sheet) and name not in known.encounters
    }
    for name, drawn in look.kinds.items():
        if name not in others:
            yield ("kinds", name), unknown(name, tuple(others))
            continue
        every = tuple(each.name for each in fields(others[name]))
        yield from _vital_faults(known, ("kinds", name), drawn.vitals, every)
        named = [(part, at, field) for part in ("chips", "quiet") for at, field in enumerate(getattr(drawn, part))]
        yield from ((("kinds", name, part, at), unknown(each, every)) for part, at, each in named if each not in every)
        if drawn.tiles and drawn.tiles.field not in every:
            yield ("kinds", name, "tiles", "field"), unknown(drawn.tiles.field, every)


def _handling_faults(known: Declared, look: Look) -> Found:
    for way, ways in look.handling.items():
        for at, each in enumerate(ways):
            if each.action not in known.actions:
                yield ("handling", way, at, "action"), unknown(each.action, known.actions)
                continue
            arguments = tuple(known.system.action(each.action).parameters)
            for part in ("thing", "other", "place", "amount", "price"):
                if (name := getattr(each, part)) and name not in arguments:
                    yield ("handling", way, at, part), unknown(name, arguments)


def _item_faults(known: Declared, look: Look) -> Found:
    """What is drawn of an item are fields of its record."""
    if look.item is None:
        return
    record = (
        next(_records(hints(known.system.sheet)[look.items]), None) if look.items in hints(known.system.sheet) else None
    )
    if record is None:
        yield ("item",), f"{look.items or 'items'} holds no records"
        return
    every = tuple(each.name for each in fields(record))
    counts = [(part, count) for part in ("wear", "rounds") if (count := getattr(look.item, part)) is not None]
    named: list[tuple[Place, str]] = [
        (("item", part, each), getattr(count, each)) for part, count in counts for each in ("field", "of")
    ]
    named += [(("item", part, name), name) for part in ("figures", "marks") for name in getattr(look.item, part)]
    named += [(("item", "hidden", at), name) for at, name in enumerate(look.item.hidden)]
    yield from ((place, unknown(name, every)) for place, name in named if name and name not in every)


def _own(known: Declared, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(each for each in ids if each.startswith(f"{known.system.name}."))


def _award_faults(known: Declared, look: Look) -> Found:
    """What is awarded by an action is one of its arguments."""
    for at, each in enumerate(look.awards):
        if each.action and each.action not in known.actions:
            yield ("awards", at, "action"), unknown(each.action, known.actions)
        elif each.action and each.field not in known.actions[each.action].parameters:
            yield ("awards", at, "field"), unknown(each.field, known.actions[each.action].parameters)


def _rolls_faults(known: Declared, rolls: Rolls) -> Found:
    if rolls.action not in known.actions:
        yield ("rolls", "action"), unknown(rolls.action, known.actions)
        return
    arguments = known.actions[rolls.action].parameters
    for part in ("argument", "against"):
        if (name := getattr(rolls, part)) and name not in arguments:
            yield ("rolls", part), unknown(name, arguments)
    for at, each in enumerate(rolls.typical):
        for given in each.given:
            if given not in arguments:
                yield ("rolls", "typical", at), unknown(given, arguments)


def _chase_faults(known: Declared, place: Place, kind: type[Any], chase: ChaseLook) -> Found:
    if not callable(getattr(kind, chase.bands, None)):
        yield (*place, "bands"), f"{kind.__name__} has no method {chase.bands!r}"
    if chase.secret and chase.secret not in known.prompts:
        yield (*place, "secret"), unknown(chase.secret, tuple(sorted(known.prompts)))
    if chase.control and chase.control not in known.actions:
        yield (*place, "control"), unknown(chase.control, known.actions)
    elif chase.control:
        arguments = known.actions[chase.control].parameters
        for part in ("speed", "maneuver"):
            if (name := getattr(chase, part)) not in arguments:
                yield (*place, part), unknown(name, arguments)


def _encounter_faults(known: Declared, place: Place, name: str, places: Places) -> Found:
    if name not in known.kinds:
        yield place, unknown(name, known.kinds)
        return
    kind = known.kinds[name]
    every = tuple(each.name for each in fields(kind))
    for part in ("round", "phase", "order", "left", "sides", "bands", "out", "done", "waiting", "zones"):
        if (field := getattr(places, part)) and field not in every:
            yield (*place, part), unknown(field, every)
    for part in ("turn", "later"):
        if (method := getattr(places, part)) and not callable(getattr(kind, method, None)):
            yield (*place, part), f"{name} has no method {method!r}"
    yield from (((*place, "marks", each), unknown(each, every)) for each in places.marks if each not in every)
    for part in ("cover", "engaged"):
        if places.tokens and (field := getattr(places.tokens, part)) and field not in every:
            yield (*place, "tokens", part), unknown(field, every)
    for part in ("points", "played", "of", "now", "ahead"):
        if places.race and (field := getattr(places.race, part)) and field not in every:
            yield (*place, "race", part), unknown(field, every)
    yield from _part_faults(known, place, kind, places)


def _part_faults(known: Declared, place: Place, kind: type[Any], places: Places) -> Found:
    if places.chase:
        yield from _chase_faults(known, (*place, "chase"), kind, places.chase)
    if places.crew and not callable(getattr(kind, places.crew.systems, None)):
        yield (*place, "crew", "systems"), f"{kind.__name__} has no method {places.crew.systems!r}"
    if places.actions:
        yield from _figure_faults(known, (*place, "actions"), places.actions)
    if places.begins:
        yield from _begins_faults(known, (*place, "begins"), places.begins)


def _begins_faults(known: Declared, place: Place, begins: Begins) -> Found:
    """An action that there is, and arguments of it."""
    if begins.action not in known.actions:
        yield (*place, "action"), unknown(begins.action, known.actions)
        return
    taken = known.actions[begins.action].rule.parameters
    for part in ("sides", "leaders"):
        for at, name in enumerate(getattr(begins, part)):
            if name not in taken:
                yield (*place, part, at), unknown(name, tuple(taken))


def _card_faults(known: Declared, look: Look) -> Found:
    """Prompts that are asked, and formulas that there are."""
    if look.cards is None:
        return
    for part in ("turn", "first", "counts"):
        if (prompt := getattr(look.cards, part)) and prompt not in known.prompts:
            yield ("cards", part), unknown(prompt, tuple(sorted(known.prompts)))
    for part in ("values", "trump"):
        if (formula := getattr(look.cards, part)) and formula not in FORMULAS:
            yield ("cards", part), unknown(formula, _own(known, FORMULAS))
    if look.cards.stat and look.cards.stat not in known.system.printed_book.ids:
        yield ("cards", "stat"), unknown(look.cards.stat, tuple(known.system.printed_book.ids))


def _figure_faults(known: Declared, place: Place, actions: ActionsOfRound) -> Found:
    """A figure that the rulebook has."""
    book = known.system.printed_book
    if actions.rule not in book.ids:
        yield (*place, "rule"), unknown(actions.rule, tuple(book.ids))
        return
    try:
        Scene({BOOK.name: Book(book)})[figure(actions.rule, actions.figure, int)]
    except RefereeError as problem:
        yield (*place, "figure"), str(problem)


def _choosing_faults(known: Declared, look: Look) -> Found:
    """Kinds of actions, targets and prices: actions that exist, each in one group, and fields that hold numbers."""
    grouped: set[tuple[str, str]] = set()
    for at, group in enumerate(look.groups):
        if group.encounter and group.encounter not in look.encounters:
            yield ("groups", at, "encounter"), unknown(group.encounter, tuple(look.encounters))
        for where, action in enumerate(group.of):
            place: Place = ("groups", at, "of", where)
            if action not in known.acts(action):
                yield place, unknown(action, known.acts(action))
            elif (group.encounter, action) in grouped:
                yield place, f"{action} is in another group already"
            grouped.add((group.encounter, action))
    files = tuple(sorted(each.stem for each in (known.system.folder / "samples").glob("*.yaml")))
    yield from ((("samples", at), unknown(each, files)) for at, each in enumerate(look.samples) if each not in files)
    yield from ((("targets", key), unknown(key, known.acts(key))) for key in look.targets if key not in known.acts(key))
    yield from _aim_faults(known, look)
    yield from _consequence_faults(known, look)
    for part in ("standing", "ahead"):
        for at, prompt in enumerate(getattr(look, part)):
            if prompt not in known.prompts:
                yield (part, at), unknown(prompt, tuple(sorted(known.prompts)))
    every = {each.name for kind in known.kinds.values() for each in fields(kind)}
    for name, cost in look.costs.items():
        if name not in every:
            yield ("costs", name), unknown(name, tuple(sorted(every)))
        for part in ("words", "many", "last"):
            yield from ((("costs", name, part), each) for each in _unfilled(getattr(cost, part), frozenset({"n"})))


def _consequence_faults(known: Declared, look: Look) -> Found:
    """Bands of some action or rule, and words with their chance."""
    for at, told in enumerate(look.consequences):
        for where, band in enumerate(told.bands):
            if band not in known.bands:
                yield ("consequences", at, "bands", where), unknown(band, tuple(sorted(known.bands)))
        yield from ((("consequences", at, "says"), each) for each in _unfilled(told.says, frozenset({"chance"})))


def _aim_faults(known: Declared, look: Look) -> Found:
    """An argument of some action, an offer, and something that is counted beside bands."""
    if look.aims is None:
        return
    acts = known.system.actions
    named = {
        "argument": {name for each in acts for name in each.picks},
        "prompt": set(known.prompts),
        "counts": {name for each in acts for name in each.bands.extra},
    }
    for part, there in named.items():
        if (value := getattr(look.aims, part)) not in there:
            yield ("aims", part), unknown(value, tuple(sorted(there)))


def _clock_faults(known: Declared, look: Look) -> Found:
    """A clock is a record of the sheet, or a list of them; its figures are fields of the record."""
    sheet = known.system.sheet
    for at, clock in enumerate(look.clocks):
        place: Place = ("clocks", at)
        if clock.field not in hints(sheet):
            yield (*place, "field"), unknown(clock.field, tuple(each.name for each in fields(sheet)))
            continue
        record = next(_records(hints(sheet)[clock.field]), None)
        if record is None:
            yield (*place, "field"), f"{clock.field} holds no records"
            continue
        every = frozenset(each.name for each in fields(record))
        for part in ("left", "of"):
            if (name := getattr(clock, part)) and name not in every:
                yield (*place, part), unknown(name, tuple(sorted(every)))
        yield from (((*place, "says"), each) for each in _unfilled(clock.says, every))


def _result_faults(known: Declared, look: Look) -> Found:
    """Results are classes; their figures are fields, and the word for how it went."""
    for name, result in look.results.items():
        kind = known.results(name)
        if kind is None:
            yield ("results", name), f"no class of the system is called {name!r}"
        elif is_dataclass(kind):
            every = frozenset(each.name for each in fields(kind))
            if result.good and result.good not in every:
                yield ("results", name, "good"), unknown(result.good, tuple(sorted(every)))
            for part in ("says", "otherwise"):
                for each in _unfilled(getattr(result, part), every | {"band"}):
                    yield ("results", name, part), each
            for at, band in enumerate(result.bands if "{band}" in result.says else ()):
                if band not in known.bands:
                    yield ("results", name, "bands", at), unknown(band, tuple(sorted(known.bands)))
