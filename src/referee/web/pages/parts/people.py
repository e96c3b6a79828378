"""Who is here: vital signs, conditions, and the sheet, laid out by the system's look."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import cos, pi, sin
from typing import Any, Final, final

from referee.core.actions import ActionChoice
from referee.core.condition import HEALTH
from referee.core.draft_form import spelled
from referee.core.effects import Adds, Forbids, effects_of_sheet
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import KindLook, Tiles, Vital
from referee.core.modifiers import PIPS, TOTAL, Mod
from referee.core.plain import Plain
from referee.core.questions import Choice, Roll
from referee.core.rules import FORMULAS
from referee.core.run import Run
from referee.core.scene import Scene, State, Who
from referee.core.wording import capital, class_words, phrase, plural, spaced
from referee.views.exposure import TENTHS
from referee.web.pages.page import WORDS, measured, signed
from referee.web.pages.parts.board import EncounterPanel, TokenFace, Turn, due_for, face_of, hidden_from_others
from referee.web.pages.table_view import TableView

MOST_DRAWN: Final = 20
"""More marks than this are shown as a number, not drawn."""
MOST_ASKED: Final = 12


@final
@dataclass(frozen=True)
class SheetFigure:
    """A figure with its name, drawn if it can be, and the rule behind it."""

    words: str
    value: int | Fraction | str
    most: int | Fraction | None
    drawn: str
    tone: str
    rule: str
    strip: int = 0
    """Its place in the strip of turns; 0 if it has none."""
    is_shown: bool = True
    """Whether its figures are; otherwise only how full it is."""

    @property
    def share(self) -> float:
        """How full it is, for a bar."""
        return (
            max(0.0, min(1.0, float(self.value / self.most))) if self.most and not isinstance(self.value, str) else 0.0
        )

    @property
    def is_low(self) -> bool:
        """Whether half of it or less is left."""
        return self.tone == "health" and self.most is not None and self.share <= 1 / 2

    @property
    def is_warning(self) -> bool:
        """Whether it is a text that says more than who somebody is."""
        return self.drawn == "text" and self.tone != "plain"

    @property
    def is_worth_a_line(self) -> bool:
        """Whether the strip of turns shows it: points of which there are none would be a bare 0 there."""
        return self.strip == 1 or self.value != 0 or self.most is not None

    @property
    def now(self) -> str:
        """Its value in words: 3, 1 1/2, Light."""
        return self.value if isinstance(self.value, str) else spelled(self.value)

    @property
    def whole(self) -> str:
        return "" if self.most is None else spelled(self.most)

    @property
    def text(self) -> str:
        if not self.is_shown:
            return WORDS.say("figure.share", name=self.words, tenths=self.value)
        if self.most is None:
            return WORDS.say("figure.alone", name=self.words, value=self.now)
        return WORDS.say("figure.of", name=self.words, value=self.now, most=self.whole)

    @property
    def marks(self) -> list[bool]:
        """The marks to draw, on or off; none if there are too many."""
        if self.drawn in ("bar", "figure", "text") or not isinstance(self.value, int):
            return []
        size = max(self.value, int(self.most or 0))
        return [at < self.value for at in range(size)] if size <= MOST_DRAWN else []


@final
@dataclass(frozen=True)
class Chip:
    """A condition, or a temporary effect on someone."""

    text: str
    tone: str = "bad"
    rule: str = ""
    ends: str = ""
    does: str = ""
    """What it does, in short: `−2 dice, no parry`."""


@final
@dataclass(frozen=True)
class Countdown:
    """A clock on the sheet: what is left of it, and what happens at its end."""

    text: str
    left: int
    of: int
    tone: str

    @property
    def slices(self) -> list[tuple[str, bool]]:
        """The parts of its ring, each as a path, and whether it is still to come."""
        return [(_slice(at, self.of), at < self.left) for at in range(self.of)]


def _slice(at: int, of: int) -> str:
    """One part of a ring of radius 18 around the middle of a picture of 40 by 40, as a path."""
    if of == 1:
        return "M20 2a18 18 0 1 1-.01 0z"
    turns = (2 * pi * at / of, 2 * pi * (at + 1) / of)
    (x1, y1), (x2, y2) = ((20 + 18 * sin(turn), 20 - 18 * cos(turn)) for turn in turns)
    return f"M20 20L{x1:.1f} {y1:.1f}A18 18 0 {int(of < 2)} 1 {x2:.1f} {y2:.1f}z"


@final
@dataclass(frozen=True)
class Person:
    """Someone in the roster."""

    name: str
    player: str
    is_mine: bool
    is_foe: bool
    turn: Turn | None
    """Their place in the turn order."""
    vitals: tuple[SheetFigure, ...]
    chips: tuple[Chip, ...]
    hidden: bool
    """Whether only the game master sees them."""
    strip: tuple[SheetFigure, ...] = ()
    """The vital signs that the strip of turns shows."""
    clocks: tuple[Countdown, ...] = ()
    face: TokenFace | None = None
    state: str = ""
    """How they stand, in a word: if their sheet is not shown, or if they are out."""
    shown: str = ""
    """How much of their sheet others see; for the game master, if it is limited."""
    is_out: bool = False
    """Whether nothing is left of them."""


@final
@dataclass(frozen=True)
class Tile:
    """A level shown as a tile, such as an attribute."""

    name: str
    value: int


@final
@dataclass(frozen=True)
class Throw:
    """The dice that would be thrown, and the modifiers that explain them."""

    dice: str
    mods: tuple[Mod, ...]

    @property
    def total(self) -> str:
        """What is added to the sum of the dice."""
        return signed(sum(mod.amount for mod in self.mods if mod.unit in ("", PIPS, TOTAL)))


@final
@dataclass(frozen=True)
class SheetLine:
    """Something on the sheet that can be rolled."""

    name: str
    level: int | None
    throw: Throw | None
    chance: float | None = None
    """The chance of success; None until it is computed."""
    says: str = ""
    """What it is called, if not as rules know it."""

    @property
    def words(self) -> str:
        return self.says or self.name


@final
@dataclass(frozen=True)
class Sheet:
    """A sheet, as a seat may see it."""

    name: str
    tiles: tuple[Tile, ...]
    figures: tuple[SheetFigure, ...]
    chips: tuple[Chip, ...]
    action: str
    argument: str
    learned: tuple[SheetLine, ...]
    others: tuple[SheetLine, ...]
    more: tuple[tuple[str, str], ...]
    """Every other field, in words."""
    is_limited: bool = False
    """Whether only a part of it is shown to this seat."""
    clocks: tuple[Countdown, ...] = ()
    due: tuple[str, ...] = ()
    """What will come due for them, in the units of the game."""

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        return self.learned + self.others


@final
@dataclass(frozen=True)
class SceneThing:
    """Something in the scene that is nobody, as a seat may see it: a vehicle, a community, a place."""

    name: str
    words: str
    tiles: tuple[Tile, ...]
    figures: tuple[SheetFigure, ...]
    chips: tuple[Chip, ...]
    more: tuple[tuple[str, str], ...]
    """Every other field, in words."""
    hidden: bool = False
    """Whether only the game master sees it."""


def scene_things(view: TableView) -> tuple[SceneThing, ...]:
    """What the look draws beside the scene."""
    drawn = ((name, plain, view.look.kinds.get(plain.get("kind", ""))) for name, plain in view.data["scene"].items())
    return tuple(_scene_thing(view, name, plain, kind) for name, plain, kind in drawn if kind is not None)


def _scene_thing(view: TableView, name: str, plain: Mapping[str, Plain], drawn: KindLook) -> SceneThing:
    told = {"kind", *drawn.chips, *drawn.quiet, *(name for each in drawn.vitals for name in (each.field, each.of))}
    told |= {drawn.tiles.field} if drawn.tiles else set()
    shown = (_figure(view, name, vital) for vital in drawn.vitals)
    return SceneThing(
        name,
        drawn.words or class_words(str(plain["kind"])),
        _tiles(drawn.tiles, plain),
        tuple(each for each in shown if each is not None),
        tuple(_conditions(plain, drawn.chips)),
        tuple(_other_fields(view, plain, told)),
        name in hidden_from_others(view),
    )


def _tiles(tiles: Tiles | None, plain: Mapping[str, Plain]) -> tuple[Tile, ...]:
    levels = plain.get(tiles.field) if tiles else None
    if tiles is None or not isinstance(levels, dict):
        return ()
    return tuple(Tile(each, levels.get(each, tiles.otherwise)) for each in tiles.names)


def _conditions(
    plain: Mapping[str, Plain], fields: Iterable[str], does: Mapping[str, str] | None = None
) -> Iterator[Chip]:
    """Fields with conditions, each that is true by its name, each in a list by its own; with what it `does`."""
    for field in fields:
        value = plain.get(field)
        if value is True:
            yield Chip(spaced(field))
        for each in value if isinstance(value, list) else ():
            name = str(each.get("name") if isinstance(each, dict) else each)
            yield Chip(_condition(each) or _of_record(field, each), does=(does or {}).get(name, ""))


def _other_fields(view: TableView, plain: Mapping[str, Plain], told: Container[str]) -> Iterator[tuple[str, str]]:
    """Every other field that has something to tell, in words."""
    rest = ((field, value) for field, value in plain.items() if field not in told and _is_any(value))
    return ((capital(spaced(field)), phrase(_named(view, value))) for field, value in rest)


def roster(view: TableView, encounters: Iterable[EncounterPanel] = ()) -> tuple[Person, ...]:
    """Everyone this seat sees."""
    turns = {turn.name: turn for each in encounters if not each.over for turn in each.order}
    return tuple(_person(view, name, turns.get(name)) for name in view.people)


def _person(view: TableView, name: str, turn: Turn | None) -> Person:
    is_own = view.is_own(name)
    shown = figures(view, name)
    return Person(
        name,
        view.players_of(name),
        name in view.member.controls,
        not is_own,
        turn,
        tuple(each for each in shown if each.strip == 1 or each.drawn not in ("figure", "text") or each.is_warning),
        tuple(chips(view, name)),
        name in hidden_from_others(view),
        tuple(sorted((each for each in shown if each.strip and each.is_worth_a_line), key=lambda each: each.strip)),
        tuple(countdowns(view, name)),
        face_of(view, name),
        view.condition_words(name) if view.state_of(name) or view.is_out(name) else "",
        _limits(view).get(name, ""),
        view.is_out(name),
    )


def _limits(view: TableView) -> dict[str, str]:
    """How much of whose sheet others see, as far as this seat knows that: the game master does."""
    return {each["who"]: each["level"] for each in view.data["scene"].get("veil", {}).get("limits", ())}


def figures(view: TableView, name: str) -> tuple[SheetFigure, ...]:
    """The vital signs of a sheet, as far as this seat knows them."""
    found = (_figure(view, name, vital) for vital in view.look.vitals)
    return (*_bar(view, name), *(each for each in found if each is not None))


def _bar(view: TableView, name: str) -> Iterator[SheetFigure]:
    """How full someone's health is, where bars are all that is shown of it."""
    share = view.state_of(name).get("share")
    if share is not None:
        yield SheetFigure(WORDS.say("figure.standing"), share, TENTHS, "bar", HEALTH, "", 1, is_shown=False)


def _figure(view: TableView, name: str, vital: Vital) -> SheetFigure | None:
    plain = view.data["scene"][name]
    bars: Mapping[str, int] = view.state_of(name).get("bars") or {}
    if vital.field in bars:
        return SheetFigure(vital.words, bars[vital.field], TENTHS, "bar", vital.tone, "", vital.strip, is_shown=False)
    value: Any = _derived(view, name, vital.formula) if vital.formula else _field(plain, vital.field)
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, str)) or value == "":
        return None
    most: Any = _derived(view, name, vital.full) if vital.full and not vital.of else _field(plain, vital.of)
    most = most if isinstance(most, (int, Fraction)) and not isinstance(value, str) else None
    drawn = "text" if isinstance(value, str) else vital.drawn
    return SheetFigure(vital.words, value, most, drawn, vital.tone, vital.rule, vital.strip)


def _field(plain: Mapping[str, Plain], path: str) -> Plain:
    """A field of a sheet, or one level of it: `attributes.Strength`."""
    first, _, level = path.partition(".")
    value = plain.get(first)
    return value.get(level) if level and isinstance(value, Mapping) else None if level else value


def countdowns(view: TableView, name: str) -> Iterator[Countdown]:
    """The clocks of a sheet, as far as this seat knows them; one that shows no number is left out."""
    plain = view.data["scene"][name]
    for clock in view.look.clocks:
        value = plain.get(clock.field)
        for record in value if isinstance(value, list) else (value,):
            left = record.get(clock.left) if isinstance(record, dict) else None
            if isinstance(left, int) and left >= 0:
                of = record.get(clock.of) if clock.of else None
                told = {field: phrase(each) for field, each in record.items()}
                if clock.unit:
                    told[clock.left] = _counted(left, clock.unit)
                said = clock.says.format(**told)
                yield Countdown(said, left, max(left, of if isinstance(of, int) else 0, 1), clock.tone)


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit if number == 1 else plural(unit)}"


def _derived(view: TableView, name: str, formula: str) -> Plain:
    """The result of a formula of the rulebook; None if it is not known."""
    try:
        kind = view.system.kind(str(view.data["scene"][name]["kind"]))
        return FORMULAS[formula](view.scene, Who(name, kind))
    except (NotKnown, RefereeError):
        return None


def chips(view: TableView, name: str) -> Iterator[Chip]:
    """The conditions of a sheet, its marks in encounters, and its effects with what ends them."""
    plain = view.data["scene"][name]
    if view.state_of(name) and (state := view.condition_words(name)) and plain.get(state) is not True:
        yield Chip(state, "bad" if view.is_out(name) else "plain")
    yield from _conditions(plain, view.look.chips, _doings(view, name))
    for encounter in view.data["scene"].values():
        places = view.look.encounters.get(encounter.get("kind", ""))
        for field, words in (places.marks if places else {}).items():
            if name in encounter.get(field, ()):
                yield Chip(words, "plain")
    for each in view.data["scene"].get("effects", {}).get("lasting", ()):
        if each["on"] == name:
            yield Chip(_effect(each), "plain", str(each["rule"]), _until(each["effect"]))


def _doings(view: TableView, name: str) -> dict[str, str]:
    """What conditions of somebody do, by their names, as far as this seat knows: modifiers, and what is barred."""
    found: dict[str, list[str]] = {}
    with suppress(NotKnown, RefereeError):
        for each in effects_of_sheet(view.scene, Who(name, view.system.sheet)):
            match each.effect.does:
                case Adds(amount, unit):
                    said = measured(amount, unit)
                case Forbids(action) if any(one.key == action for one in view.system.actions):
                    said = WORDS.say("effect.forbids", action=view.system.words.say(f"actions.{action}"))
                case _:
                    continue
            tags = sorted(map(spaced, each.effect.when))
            about = WORDS.say("effect.about", what=said, about=tags[0]) if len(tags) == 1 else ""
            found.setdefault(each.source, []).append(
                about or (WORDS.say("effect.sometimes", what=said) if tags else said)
            )
    return {label: ", ".join(dict.fromkeys(said)) for label, said in found.items()}


def _condition(each: Plain) -> str:
    """A condition: a name, or a record with a name, how bad it is and what it is about."""
    if not isinstance(each, dict):
        return str(each)
    return " ".join(str(each[part]) for part in ("name", "severity", "subject") if each.get(part))


def _of_record(field: str, each: Plain) -> str:
    """A condition without a name: its field, and whom or what it is about."""
    about = (
        next((value for value in each.values() if isinstance(value, str) and value), "")
        if isinstance(each, dict)
        else ""
    )
    return f"{spaced(field)}: {about}" if about else spaced(field)


def _effect(each: Mapping[str, Plain]) -> str:
    """An effect, named by its source; a modifier with its amount."""
    adds, unit = each["effect"].get("adds"), str(each["effect"].get("unit", ""))
    return f"{each['source']} {measured(adds, unit)}" if isinstance(adds, int) else str(each["source"])


def _until(effect: Mapping[str, Plain]) -> str:
    if effect.get("until"):
        return WORDS.say("effect.until", moment=effect["until"])
    return WORDS.say("effect.uses", uses=str(effect["uses"])) if effect.get("uses") else ""


def _named(view: TableView, value: Plain) -> Plain:
    """Levels by the names that people read."""
    return {view.system.in_words(name): each for name, each in value.items()} if isinstance(value, dict) else value


def _is_any(value: Plain) -> bool:
    """Whether there is something to tell; a figure of zero is."""
    return type(value) is int or bool(value)


def sheet(view: TableView, name: str) -> Sheet:
    """The sheet of a character."""
    plain: dict[str, Plain] = dict(view.data["scene"][name])
    look = view.look
    told = {"kind", look.items, look.mine, look.out, *look.quiet, *look.chips, *(each.field for each in look.vitals)}
    told |= {each.of for each in look.vitals} | {each.field for each in look.clocks}
    tiles = _tiles(look.tiles, plain)
    told |= {look.tiles.field} if look.tiles and tiles else set()
    learned, others = _lines(view, name, plain)
    told |= {look.rolls.learned} if look.rolls else set()
    return Sheet(
        name,
        tiles,
        figures(view, name),
        tuple(chips(view, name)),
        look.rolls.action if look.rolls else "",
        look.rolls.argument if look.rolls else "",
        learned,
        others,
        tuple(_other_fields(view, plain, told)),
        bool(view.state_of(name)),
        tuple(countdowns(view, name)),
        tuple(due_for(view, name)),
    )


def _lines(view: TableView, name: str, plain: dict[str, Plain]) -> tuple[tuple[SheetLine, ...], tuple[SheetLine, ...]]:
    rolls = view.look.rolls
    if rolls is None or view.state_of(name):
        return (), ()
    action = view.system.action(rolls.action)
    who = Who(name, view.system.sheet)
    levels = plain.get(rolls.learned) or {}
    tiles = view.look.tiles
    open_levels = {**(plain.get(tiles.field) or {})} if tiles else {}
    learned: list[SheetLine] = []
    others: list[SheetLine] = []
    for option in action.choices(view.scene, who).get(rolls.argument, ()):
        throw = first_throw(action.by(who, **{rolls.argument: option}), view.state)
        line = SheetLine(
            str(option),
            levels.get(str(option), open_levels.get(str(option))),
            throw,
            says=view.system.in_words(str(option)),
        )
        (learned if str(option) in levels else others).append(line)
    return tuple(learned), tuple(others)


def first_throw(offer: ActionChoice, state: State) -> Throw | None:
    """The dice an action would throw first, with default decisions before it; None if it is not legal."""
    try:
        run: Run[Any] = Run(Scene(state), offer.call)
    except (RefereeError, NotKnown):
        return None
    try:
        for _ in range(MOST_ASKED):
            if run.done or not run.open:
                return None
            question = run.asking[run.open[0]]
            if isinstance(question, Roll):
                return Throw(str(question.pool), tuple(mod for mod in question.mods if mod.amount or mod.label))
            if not isinstance(question, Choice):
                return None
            run.answer(question.default, run.open[0])
    except (RefereeError, NotKnown):
        return None
    finally:
        run.close()
    return None
