"""Systems and their rulebooks: what can be played, every rule, as printed or as a campaign plays it."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, get_args

from fastapi import APIRouter, Path, Query

from referee import registry
from referee.core.audience import audiences
from referee.core.describe import describe_type, described
from referee.core.errors import RulebookError
from referee.core.options import field_options
from referee.core.plain import Plain, hints, write
from referee.core.printed_book import Entry
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene
from referee.core.search import Index
from referee.core.system import System
from referee.web.demo import samples
from referee.web.errors import RESPONSES, not_found
from referee.web.limits import check_characters
from referee.web.routes import API, CheckedRoute
from referee.web.sign_in import CurrentVisitor, Visitor
from referee.wire import replies

router = APIRouter(prefix=API, tags=["rules"], route_class=CheckedRoute, responses=RESPONSES)
MOST_FOUND: Final = 40
SystemName = Annotated[str, Path(max_length=64, description="The name of a system.", examples=["coin"])]
RuleId = Annotated[str, Path(max_length=200, description="The id of a rule.", examples=["coin.toss.toss"])]
Wanted = Annotated[str | None, Query(min_length=1, max_length=200, description="Words, in any order.")]
Kind = Annotated[str | None, Query(max_length=20, description="Only rules of a kind: table, catalogue, procedure …")]


@router.get("/systems", summary="What can be played", tags=["systems"])
def systems() -> replies.Systems:
    return replies.Systems(systems=[_brief(registry.load(name)) for name in registry.names()])


@router.get("/systems/{system}", summary="A system: actions, sheets, options, samples", tags=["systems"])
def system(system: SystemName) -> replies.SystemDetail:
    found = _system(system)
    return replies.SystemDetail.model_validate(
        {
            **_brief(found).model_dump(),
            "actions": [action.description() for action in found.actions],
            "sheets": [_kind(kind) for kind in (found.sheet, *found.kinds)],
            "options": [_option(each) for each in found.printed_book.options],
            "samples": [{"name": name, "title": title} for name, (title, _) in samples(found.name).items()],
            "policies": [*found.policies],
        }
    )


@router.get("/systems/{system}/samples/{sample}", summary="A scene to begin with", tags=["systems"])
def sample(system: SystemName, sample: Annotated[str, Path(max_length=64)]) -> replies.SampleDetail:
    known = samples(_system(system).name)
    if sample not in known:
        raise not_found("there is no such sample", where="sample", legal=known)
    title, scene = known[sample]
    return replies.SampleDetail(name=sample, title=title, system=system, scene=scene)


@router.get("/systems/{system}/rules", summary="The rulebook as it is printed")
def rules(system: SystemName, search: Wanted = None, kind: Kind = None) -> replies.Rules:
    found = _system(system)
    return _rules(found, Book(found.printed_book), search, kind, tells_on=False)


@router.get("/systems/{system}/rules/{rule}", summary="A rule as it is printed")
def rule(system: SystemName, rule: RuleId) -> replies.RuleDetail:
    found = _system(system)
    return replies.RuleDetail.model_validate(described(_entry(Book(found.printed_book), rule)))


@router.get("/campaigns/{campaign}/rules", summary="The rulebook as this campaign plays it")
def campaign_rules(visitor: CurrentVisitor, search: Wanted = None, kind: Kind = None) -> replies.Rules:
    found, book = _book(visitor)
    return _rules(found, book, search, kind, tells_on=True)


@router.get("/campaigns/{campaign}/rules/{rule}", summary="A rule as this campaign plays it")
def campaign_rule(visitor: CurrentVisitor, rule: RuleId) -> replies.RuleDetail:
    """With the campaign's own figures and rows; `on` says whether the rule is played, `choice` which way."""
    _, book = _book(visitor)
    entry = _entry(book, rule)
    return replies.RuleDetail.model_validate({**described(entry), "on": book.on(rule), **_choice(book, entry)})


def _system(name: str) -> System:
    if name not in registry.names():
        raise not_found("there is no such system", where="system", legal=registry.names())
    return registry.load(name)


def _book(visitor: Visitor) -> tuple[System, Book]:
    return visitor.read(lambda desk: (desk.campaign.system, Scene(desk.known)[BOOK]))


def _entry(book: Book, rule: str) -> Entry:
    try:
        return book.entry(check_characters(rule, "rule"))
    except RulebookError as problem:
        raise not_found(problem.problem, where="rule") from None


def _rules(system: System, book: Book, search: str | None, kind: str | None, *, tells_on: bool) -> replies.Rules:
    ids = book.printed_book.ids if search is None else _search(system.name, check_characters(search, "search"))
    entries = map(book.entry, ids)
    found = [
        {
            **{name: getattr(entry, name) for name in ("id", "chapter", "kind", "optional", "rule")},
            "on": book.on(entry.id) if tells_on else None,
            **(_choice(book, entry) if tells_on else {}),
        }
        for entry in entries
        if kind is None or entry.kind == kind
    ]
    return replies.Rules.model_validate({"rules": found})


def _choice(book: Book, entry: Entry) -> dict[str, Plain]:
    """Which of several ways a campaign plays a rule."""
    return {"choice": book.choice(entry.id)} if entry.choices else {}


def _option(entry: Entry) -> Plain:
    return {
        **{name: getattr(entry, name) for name in ("id", "chapter", "rule", "optional", "choices")},
        "excludes": list(entry.excludes),
        "option": list(entry.option),
    }


def _search(system: str, words: str) -> tuple[str, ...]:
    return tuple(hit.id for hit in _index(system).search(words, MOST_FOUND))


@lru_cache(maxsize=64)
def _index(system: str) -> Index:
    return Index(registry.load(system).printed_book)


def _brief(system: System) -> replies.SystemInfo:
    return replies.SystemInfo(name=system.name, title=system.title, version=system.version)


def _kind(kind: type[Any]) -> Plain:
    """A kind of sheet or encounter: its fields, their types in words, and who may see them."""
    seen, depends = audiences(kind), field_options(kind)
    return {
        "kind": kind.__name__,
        "says": (kind.__doc__ or "").strip(),
        "fields": [
            {
                "name": each.name,
                "type": describe_type(get_args(hints(kind)[each.name])[0]),
                "audience": seen[each.name].value,
                "option": depends.get(each.name),
                "required": each.default is MISSING and each.default_factory is MISSING,
                "default": None if each.default is MISSING else write(each.default),
            }
            for each in (fields(kind) if is_dataclass(kind) else ())
        ],
    }
