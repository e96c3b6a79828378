"""Ready-made people: those of the rulebook and of a system's samples, who they are and what their chances are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, final

from referee.core.actions import ActionChoice
from referee.core.errors import RefereeError
from referee.core.fresh import fresh
from referee.core.knowledge import fully_known
from referee.core.look import WITH, Rolls, Typical
from referee.core.options import present_fields
from referee.core.plain import Plain, is_number, write
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.wording import capital, phrase
from referee.forecast.figures import Budget
from referee.forecast.risk import OffersQuery
from referee.table.newcomers import base_name
from referee.web.demo import samples
from referee.web.odds import OddsAsker
from referee.web.pages.page import WORDS, percent
from referee.web.pages.table_view import TableView

MOST_NAMED: Final = 3
"""How many skills or things a sentence names."""
PATIENCE: Final = Budget(1.0)
"""For the chances of one person."""


@final
@dataclass(frozen=True)
class ReadyMade:
    """Somebody to add, from the rulebook or a sample."""

    key: str
    name: str
    says: str
    """Who it is, in a sentence."""
    is_own: bool
    """Whether it is a player's character."""
    sheet: Any


def ready_made(view: TableView, find: str = "") -> Iterator[ReadyMade]:
    """Those whom this table's rules allow; those who differ in nothing but a number once."""
    book, mine = view.scene[BOOK], view.look.mine
    seen: set[tuple[str, Any]] = set()
    for key, (title, name, value) in {**printed(view), **people(view.system.name)}.items():
        base = base_name(name)
        if (base, value) in seen or not _is_allowed(view.system, book, base, value):
            continue
        seen.add((base, value))
        each = ReadyMade(key, base, _says(view, value, title), bool(getattr(value, mine)) if mine else True, value)
        if _matches(each, find):
            yield each


def _matches(each: ReadyMade, find: str) -> bool:
    text = f"{each.name} {each.says}".casefold()
    return all(word in text for word in find.casefold().split())


@lru_cache(maxsize=16)
def people(system: str) -> Mapping[str, tuple[str, str, Any]]:
    """The people of a system's samples, fresh, by their keys: the sample's title, the name, the sheet."""
    from referee import registry

    known = registry.load(system)
    first = {name: at for at, name in enumerate(known.look.samples)}
    found: dict[str, tuple[str, str, Any]] = {}
    for sample, (title, scene) in sorted(samples(system).items(), key=lambda each: first.get(each[0], len(first))):
        for name, plain in scene.items():
            if plain.get("kind") in known.person_kinds:
                found[f"{sample}/{name}"] = title, name, fresh(known, known.value(plain, name))
    return found


def printed(view: TableView) -> Mapping[str, tuple[str, str, Any]]:
    """The people and creatures of the rulebook as this table plays it: the rule's title, the name, the sheet."""
    system, scene = view.system, Scene(State({BOOK.name: view.scene[BOOK]}))
    return {
        f"{rule}/{name}": (system.called(rule), name, fresh(system, system.value(plain, name, scene.state)))
        for name, plain, rule in system.printed_people(scene)
    }


def _is_allowed(system: System, book: Book, name: str, value: Any) -> bool:
    try:
        system.check_sheet(State({BOOK.name: book, name: _present(system, book, value)}), name)
    except RefereeError:
        return False
    return True


def _present(system: System, book: Book, value: Any) -> Any:
    """Without what belongs to options that this table does not play."""
    return system.value(_plain(book, value))


def _plain(book: Book, value: Any) -> dict[str, Plain]:
    return {"kind": type(value).__name__, **present_fields(value, book)}


# --- who they are -----------------------------------------------------------------------------------------------------


def _says(view: TableView, value: Any, title: str) -> str:
    """Who somebody is: in their own words, what they are best at, what they carry, and where they are from."""
    look, plain = view.look, write(value)
    about = _sentence(next((str(plain[each]) for each in look.about if plain.get(each)), ""))
    parts: list[str] = []
    levels = (look.tiles.field if look.tiles else "", look.rolls.learned if look.rolls else "")
    for field in dict.fromkeys(filter(None, levels)):
        parts += [
            f"{view.system.in_words(name)} {level}" for name, level in best_levels(plain.get(field) or {})[:MOST_NAMED]
        ]
    things = [str(each["name"]) for each in plain.get(look.items) or () if isinstance(each, Mapping)]
    if things:
        parts.append(WORDS.say("master.add.carries", things=phrase(things[:MOST_NAMED])))
    told = f"{', '.join(parts)}." if parts else ""
    return " ".join(filter(None, (about, told, WORDS.say("master.add.of", sample=title))))


def _sentence(text: str) -> str:
    """A text with a full stop, unless it has an end of its own."""
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def best_levels(levels: Mapping[str, Plain]) -> list[tuple[str, Plain]]:
    """Levels above none, the highest first: numbers, or dice codes as they are written."""
    rated = sorted(levels.items(), key=lambda each: _rank(str(each[1])), reverse=True)
    return [(name, level) for name, level in rated if _rank(str(level)) > (0, 0)]


def _rank(level: str) -> tuple[int, int]:
    first, _, pips = level.partition("D")
    return (int(first) if is_number(first) else 0, int(pips) if is_number(pips) else 0)


# --- their chances ----------------------------------------------------------------------------------------------------


def chances(view: TableView, each: ReadyMade, odds: OddsAsker) -> str:
    """What somebody's rolls promise, alone and unhurt, in a sentence; empty if nothing does.

    It is worked out by the processes for odds, and kept there: the same person has the same chances everywhere.
    """
    rolls, system = view.look.rolls, view.system
    if rolls is None or not rolls.typical or not isinstance(each.sheet, system.sheet):
        return ""
    book = view.scene[BOOK]
    try:
        state = system.new_state({BOOK.name: {"kind": "Book", **book.to_plain()}, each.name: _plain(book, each.sheet)})
    except RefereeError:
        return ""
    who = Who(each.name, system.sheet)
    ways = {f"{at}": way for at, way in enumerate(_ways(system, rolls, Scene(state), who))}
    card = odds.ask(OffersQuery({key: way.offer for key, way in ways.items()}, fully_known(state)), system, PATIENCE)
    told: dict[str, tuple[float, str]] = {}
    for key, way in ways.items():
        if (found := (card["asked"] or {}).get(key)) is None:
            continue
        chance = sum(float(found["bands"][band]["float"]) for band in way.offer.action.bands.good)
        if chance > told.get(way.about.words, (0.0, ""))[0]:
            share = percent(chance, float(found.get("error") or 0)).replace(" ", "\N{NO-BREAK SPACE}")
            told[way.about.words] = chance, f"{way.about.words.replace(WITH, system.in_words(way.using))} {share}"
    return capital(f"{phrase([text for _, text in told.values()])}.") if told else ""


@final
@dataclass(frozen=True)
class _Way:
    """One roll that may be the best for a chance."""

    about: Typical
    using: str
    offer: ActionChoice


def _ways(system: System, rolls: Rolls, scene: Scene, who: Who[Any]) -> Iterator[_Way]:
    action = system.action(rolls.action)
    legal = [str(each) for each in action.choices(scene, who).get(rolls.argument, ())]
    narrow = {about.words: [line for line in legal if _belongs(line, about.of)] for about in rolls.typical}
    taken = {line for lines in narrow.values() for line in lines}
    learned: Mapping[str, Plain] = write(scene[who]).get(rolls.learned) or {}
    best = [line for line, _ in best_levels(learned) if line in legal and line not in taken][:MOST_NAMED]
    for about in rolls.typical:
        for line in narrow[about.words] if about.of else best:
            with suppress(RefereeError):
                yield _Way(about, line, action.by(who, **{rolls.argument: line}, **about.given))


def _belongs(line: str, names: tuple[str, ...]) -> bool:
    """Whether a line is one of these, or a part of one: `Melee combat <swords>` of `Melee Combat`."""
    return any(re.match(rf"{re.escape(name)}(\W|$)", line, re.IGNORECASE) for name in names)
