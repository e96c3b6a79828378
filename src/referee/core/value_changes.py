"""What changed inside a value: per field, level, record and entry, so that people are told "worn 0 → 1".

`value_changes` compares two values of a type in plain form and yields each place that differs, with the audience of
that place. `in_words` tells one of them, by the system's words if it has any, otherwise in plain English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, Union, final, get_args, get_origin

from referee.core.audience import Audience
from referee.core.plain import Plain, frozen, hints, write
from referee.core.wording import capital, phrase, spaced
from referee.core.words import Words

How: TypeAlias = Literal["changed", "set", "cleared", "added", "removed"]
"""`set` from nothing or from something unknown; `cleared` to nothing; `added` and `removed` are entries and records."""

NAMES: Final = ("name", "key", "id")
"""Fields that name a record, unless its type says otherwise: `known_by: ClassVar = ("who", "rule")`."""
NOTHING: Final = "none"
"""What is said of something that is no longer there."""
WIDTH: Final = (Audience.EVERYONE, Audience.OWNER, Audience.MASTER, Audience.PRIVATE)


@final
@frozen
class Unset:
    """In the annotation of a field: the formula that says what the field stands for while it is None."""

    formula: str


@final
@frozen
class ValueChange:
    """One place inside a value that changed."""

    path: tuple[str, ...]
    """The field, then names of records, entries and inner fields: `items`, `riot shield`, `worn`."""
    how: How
    was: Plain = None
    now: Plain = None
    audience: Audience = Audience.EVERYONE
    """The narrowest audience on the way to it: of the field, of a record, of an inner field."""
    owner: str | None = None
    """Who owns the record it is in, if the record says so; otherwise it belongs to the owner of the whole value."""
    fields: tuple[str, ...] = ()
    """The path without names of records and entries; words for the change are found by it."""
    name: str = ""
    """The innermost record or entry on the way."""

    def to_plain(self) -> dict[str, Plain]:
        """As programs are told it. A place that was not there, or is gone, has no `was` or no `now`."""
        plain: dict[str, Plain] = {"path": list(self.path), "how": self.how}
        if self.name:
            plain |= {"fields": list(self.fields), "name": self.name}
        if self.how not in ("set", "added"):
            plain["was"] = self.was
        if self.how not in ("cleared", "removed"):
            plain["now"] = self.now
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> ValueChange:
        """A change that a program was told; it was told only what it may know."""
        path, inner = tuple(plain["path"]), tuple(plain.get("fields", plain["path"]))
        was, now, name = plain.get("was"), plain.get("now"), plain.get("name", "")
        return cls(path, plain["how"], was, now, fields=inner, name=name)


# --- comparing ------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where in a value a comparison is."""

    path: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    audience: Audience = Audience.EVERYONE
    owner: str | None = None
    name: str = ""

    def field(self, name: str, audience: Audience) -> _Place:
        path, inner = (*self.path, name), (*self.fields, name)
        return self._replace(path=path, fields=inner, audience=_narrower(self.audience, audience))

    def entry(self, name: str) -> _Place:
        return self._replace(path=(*self.path, name), name=name)

    def change(self, how: How, was: Plain = None, now: Plain = None) -> ValueChange:
        return ValueChange(self.path, how, was, now, self.audience, self.owner, self.fields, self.name)


def value_changes(
    kind: type[Any] | None,
    was: Mapping[str, Plain] | None,
    now: Mapping[str, Plain],
    unset: Mapping[str, Plain] | None = None,
) -> Iterator[ValueChange]:
    """Every place in which fields of a value of this kind differ. A field missing from `was` was not known before.

    `unset` says what fields stand for while they are None. Without a kind, only the data itself is looked at.
    """
    known = hints(kind) if kind is not None and is_dataclass(kind) else {}
    for name, after in now.items():
        hint, audience = _bare(known.get(name, Any))
        place = _Place().field(name, audience)
        if was is None or name not in was:
            yield place.change("set", now=_stands_for(name, after, unset))
            continue
        before = _stands_for(name, was[name], unset)
        yield from _between(hint, before, _stands_for(name, after, unset), place)


def _stands_for(name: str, value: Plain, unset: Mapping[str, Plain] | None) -> Plain:
    return unset[name] if value is None and unset and name in unset else value


def _between(hint: Any, was: Plain, now: Plain, place: _Place) -> Iterator[ValueChange]:
    """The differences between two plain values of a type."""
    if was == now and type(was) is type(now):
        return
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        yield from _within_record(hint, was, now, place) if _is_record(hint) else _by_key(hint, was, now, place)
    elif isinstance(was, Sequence) and isinstance(now, Sequence) and not isinstance(was, str):
        yield from _within_list(_item_of(hint), was, now, place)
    else:
        yield place.change("set" if was is None else "cleared" if now is None else "changed", was, now)


def _within_record(kind: Any, was: Mapping[str, Plain], now: Mapping[str, Plain], place: _Place) -> Iterator[Any]:
    """The fields of a record; one that is left out has its default."""
    known, defaults = hints(kind), _defaults(kind)
    for name in dict.fromkeys((*was, *now)):
        hint, audience = _bare(known.get(name, Any))
        before, after = (each.get(name, defaults.get(name)) for each in (was, now))
        yield from _between(hint, before, after, place.field(name, audience))


def _by_key(hint: Any, was: Mapping[str, Plain], now: Mapping[str, Plain], place: _Place) -> Iterator[ValueChange]:
    """Levels, and other values by name."""
    inner = get_args(hint)[1] if len(get_args(hint)) == 2 else Any
    for key in dict.fromkeys((*was, *now)):
        entry = place.entry(str(key))
        if key not in was:
            yield entry.change("added", now=now[key])
        elif key not in now:
            yield entry.change("removed", was[key])
        else:
            yield from _between(_bare(inner)[0], was[key], now[key], entry)


def _within_list(kind: Any, was: Sequence[Plain], now: Sequence[Plain], place: _Place) -> Iterator[ValueChange]:
    """Records by their names, texts one by one; lists of anything else, or in another order, change as a whole."""
    every = [*was, *now]
    if not all(isinstance(each, Mapping) for each in every) and not all(isinstance(each, str) for each in every):
        yield place.change("changed", list(was), list(now))
        return
    left, new = list(was), []
    for each in now:
        left.remove(each) if each in left else new.append(each)
    if not left and not new:
        yield place.change("changed", list(was), list(now))
    for each in new:
        name = name_of_record(kind, each)
        same = next((one for one in left if isinstance(each, Mapping) and name_of_record(kind, one) == name), None)
        if same is None:
            yield _of_record(place, kind, each).entry(name).change("added", now=each)
            continue
        left.remove(same)
        inner = _of_record(_of_record(place, kind, same), kind, each).entry(name)
        yield from _within_record(kind, same, each, inner) if _is_record(kind) else _by_key(Any, same, each, inner)
    for each in left:
        yield _of_record(place, kind, each).entry(name_of_record(kind, each)).change("removed", each)


def _of_record(place: _Place, kind: Any, record: Plain) -> _Place:
    """A place inside a record: if the record states its own audience, no wider one."""
    field = _audience_field(kind) if _is_record(kind) else None
    if field is None or not isinstance(record, Mapping):
        return place
    stated = Audience(record.get(field, _defaults(kind).get(field)))
    return place._replace(audience=_narrower(place.audience, stated), owner=record.get("who", place.owner))


def name_of_record(kind: Any, record: Plain) -> str:
    """What a record is called; one without a name is its data in words."""
    if not isinstance(record, Mapping):
        return str(record)
    known_by = getattr(kind, "known_by", None) or next(((name,) for name in NAMES if record.get(name)), ())
    return " ".join(phrase(record[name]) for name in known_by if record.get(name)) or phrase(record)


def _narrower(one: Audience, other: Audience) -> Audience:
    return max(one, other, key=WIDTH.index)


# --- types ----------------------------------------------------------------------------------------------------------


def _bare(hint: Any) -> tuple[Any, Audience]:
    """A type without its marks and without `| None`, and the audience it states."""
    audience = Audience.EVERYONE
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        audience = next((mark for mark in marks if isinstance(mark, Audience)), audience)
    if get_origin(hint) in (Union, UnionType):
        some = [each for each in get_args(hint) if each is not NoneType]
        hint = some[0] if len(some) == 1 else Any
    return hint, audience


def _item_of(hint: Any) -> Any:
    """The type of the items of a list."""
    several = get_origin(hint) is frozenset or get_args(hint)[1:] == (...,)
    return _bare(get_args(hint)[0])[0] if several else Any


def _is_record(kind: Any) -> bool:
    """Whether its plain form has its fields; a type may have a form of its own."""
    own_form = hasattr(kind, "to_plain") and not hasattr(kind, "known_by")
    return isinstance(kind, type) and is_dataclass(kind) and not own_form


@lru_cache(maxsize=1024)
def _defaults(kind: Any) -> dict[str, Plain]:
    """The defaults of the fields of a record, in plain form."""
    found: dict[str, Plain] = {}
    for each in fields(kind):
        if each.default is not MISSING:
            found[each.name] = write(each.default)
        elif each.default_factory is not MISSING:
            found[each.name] = write(each.default_factory())
    return found


@lru_cache(maxsize=1024)
def _audience_field(kind: Any) -> str | None:
    """The field in which a record states its own audience."""
    return next((name for name, hint in hints(kind).items() if _bare(hint)[0] is Audience), None)


def unset_fields(kind: object) -> dict[str, str]:
    """The fields of a type that stand for something while they are None, each with its formula."""
    return _unset_fields(kind)


@lru_cache(maxsize=1024)
def _unset_fields(kind: Any) -> dict[str, str]:
    return {
        name: mark.formula
        for name, hint in (hints(kind) if is_dataclass(kind) else {}).items()
        for mark in get_args(hint)[1:]
        if isinstance(mark, Unset)
    }


# --- telling --------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class ToldChange:
    """A change in words."""

    who: str
    what: str
    """What changed: a field by its label, a record with its field."""
    before: str
    after: str
    text: str
    """All of it: `Ash: Wounds 10 → 7`, `Raider 2 dies.`"""
    is_sentence: bool = False
    """Whether the text says more than what, before and after."""
    rule: str = ""
    path: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """The path without names of records and entries."""
    is_silent: bool = False
    """Whether the system says nothing about it, because something else tells it or nobody needs to be told."""


def in_words(
    change: ValueChange,
    who: str,
    words: Words | None = None,
    *,
    label: Callable[[str], str] = spaced,
    person: bool = True,
    rule: str = "",
    value: Callable[[str, Plain], str] = lambda _, plain: phrase(plain),
) -> ToldChange:
    """One change in words. A `person` gains and loses; of anything else it is said what was added and removed.

    `value` says the value of a field otherwise than as a plain figure: moments in the units of the game.
    """
    field = change.path[0] if len(change.path) == 1 else ""
    before, after = ("" if plain is None else value(field, plain) for plain in (change.was, change.now))
    what = _what(change, label, person=person)
    said = _said(change, who, words, before, after)
    sentence = said or _sentence(change, who, what, person=person)
    sentence = capital(sentence) if person else sentence
    figures = f"{before} → {after or NOTHING}" if before else after or NOTHING
    text = sentence or f"{who}: {what} {figures}"
    is_silent = said == "" or _is_only_in_another_order(change)
    return ToldChange(
        who, what, before, after or NOTHING, text, bool(sentence), rule, change.path, change.fields, is_silent
    )


def _is_only_in_another_order(change: ValueChange) -> bool:
    was, now = change.was, change.now
    is_list = isinstance(was, list) and isinstance(now, list)
    return is_list and sorted(map(repr, was)) == sorted(map(repr, now))


def _what(change: ValueChange, label: Callable[[str], str], *, person: bool) -> str:
    """The place in words: `Wounds`, `Athletics`, `riot shield: worn`; of other things with the field."""
    first, *rest = change.path
    names = [spaced(each) if each in change.fields else each for each in rest]
    is_own = person and names and change.fields[:2] != change.path[:2]  # a record or level of theirs needs no more
    return ": ".join(names if is_own else (label(first), *names))


def _said(change: ValueChange, who: str, words: Words | None, before: str, after: str) -> str | None:
    """The system's own words for it; empty if it says nothing, None if it has no words for it."""
    place = ".".join(("changes", *change.fields))
    key = next((f"{place}.{end}" for end in ends_of(change) if words and f"{place}.{end}" in words), None)
    if words is None or key is None:
        return None
    record = next((each for each in (change.now, change.was) if isinstance(each, Mapping)), {})
    inner = {str(name): phrase(value) for name, value in record.items()}
    by = str(abs(change.now - change.was)) if isinstance(change.was, int) and isinstance(change.now, int) else ""
    return words.say(key, **{**inner, "who": who, "name": change.name, "before": before, "after": after, "by": by})


def ends_of(change: ValueChange) -> tuple[str, ...]:
    """How a change ends, for words: `changes.dead.yes`, `changes.posture.becomes.prone`, `changes.items.lost`."""
    if isinstance(change.now, bool):
        return ("yes" if change.now else "no",)
    how = {"added": "gained", "removed": "lost"}.get(change.how, change.how)
    if how == "changed" and change.was == "":
        how = "set"
    elif how == "changed" and change.now == "":
        how = "cleared"
    told = ("changed",) if how in ("set", "cleared") and isinstance(change.was, str) else ()
    value = {"gained": f"becomes.{change.name}", "lost": f"no-longer.{change.name}"}.get(how)
    if value is None and isinstance(change.now, (str, int)):
        value = f"becomes.{change.now}"
    return (*filter(None, (value,)), how, *told)


def _sentence(change: ValueChange, who: str, what: str, *, person: bool) -> str:
    """Plain English for what a figure with an arrow would not say."""
    if isinstance(change.now, bool):
        state = spaced(change.path[-1].removeprefix("is_"))
        inside = what.rpartition(": ")[0]
        return f"{who}{': ' if inside else ''}{inside} {'is' if change.now else 'is no longer'} {state}."
    if change.how not in ("added", "removed"):
        return ""
    if not person:
        return f"{who}: {what} {change.how}"
    inside = ": ".join(change.path[1:-2])  # an entry of a field of a record: the record gains it
    whose = f"{who}: {inside}" if inside else who
    level = f" {change.now}" if type(change.now) is int else ""
    thing = change.was if change.how == "removed" else change.now
    article = "the " if isinstance(thing, Mapping) and change.name[:1].islower() else ""
    return f"{whose} {'gains' if change.how == 'added' else 'loses'} {article}{change.name}{level}."
