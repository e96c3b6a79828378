"""What a change of the rules does to the odds: some characteristic checks of people in the scene, before and after."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, final

from referee.core.actions import Action, ActionChoice
from referee.core.errors import NotKnown, RefereeError
from referee.core.knowledge import KnownState, supposing_book
from referee.core.plain import Plain
from referee.core.rulebook import Book
from referee.core.scene import Who
from referee.core.wording import capital
from referee.drivers.stop import Stop
from referee.forecast.figures import Budget
from referee.forecast.risk import ActionQuery, known_offer
from referee.web.odds import OddsAsker
from referee.web.pages.page import WORDS
from referee.web.pages.parts.chances import chances
from referee.web.pages.table_view import TableView

MOST: Final = 3
"""How many checks are shown."""
SECONDS: Final = 4.0
"""How long checks are looked for that a change touches."""
BUDGET: Final = Budget(0.6)
NOISE: Final = 0.0005
"""Differences smaller than this are ignored."""


@final
@dataclass(frozen=True)
class ChangedChance:
    """A chance before and after."""

    name: str
    before: float | None
    after: float | None

    @property
    def moves(self) -> bool:
        if self.before is None or self.after is None:
            return self.before is not self.after
        return abs(self.before - self.after) > NOISE


@final
@dataclass(frozen=True)
class ChangedCheck:
    """Someone's check, and how its chances would change."""

    who: str
    what: str
    rows: tuple[ChangedChance, ...]
    problem: str = ""

    @property
    def moves(self) -> bool:
        return bool(self.problem) or any(row.moves for row in self.rows)


def effects(
    view: TableView, before: Book, after: Book, changed: Collection[str], odds: OddsAsker
) -> tuple[ChangedCheck, ...]:
    """A few checks as they are, and as they would be with another book; those that it touches, if any are found.

    `changed` are the rules that differ: actions that carry one of them out are looked at first.
    """
    was, now = supposing_book(view.state, before), supposing_book(view.state, after)
    usual: list[ChangedCheck] = []
    stop = Stop.after(SECONDS)
    for offers in _candidates(view, changed):
        touched: list[ChangedCheck] = []
        for offer in offers:
            found = _effect(view, offer, was, now, odds)
            (touched if found.moves else usual).append(found)
            if len(touched) == MOST or stop.is_past:
                break
        if touched or stop.is_past:
            return tuple(touched or usual[:MOST])
    return tuple(usual[:MOST])


def _candidates(view: TableView, changed: Collection[str]) -> Iterator[Iterator[ActionChoice]]:
    """Actions that carry out a changed rule, then what people do best, then whatever else they may do."""
    people = [Who(name, view.system.sheet) for name in sorted(view.people, key=lambda each: not view.is_own(each))]
    usual = view.look.rolls.action if view.look.rolls else ""
    others = [each for each in view.system.actions if not each.master and each.bands.has_stake and each.key != usual]
    first = [each for each in others if any(id_.partition("/")[0] in changed for id_ in each.rule.ids)]
    rest = [each for each in others if each not in first]
    ways: list[Callable[[Who[Any]], Iterator[ActionChoice]]]
    ways = [lambda who: _any(view, who, first), lambda who: _best(view, who), lambda who: _any(view, who, rest)]
    if usual and view.system.action(usual).rule.cites in changed:
        ways[:2] = ways[1::-1]
    for way in ways:
        yield (offer for who in people[:MOST] for offer in _possible(way(who)))


def _possible(offers: Iterator[ActionChoice]) -> Iterator[ActionChoice]:
    """Offers until one cannot be made, by what is known."""
    try:
        yield from offers
    except (NotKnown, RefereeError, TypeError):
        return


def _best(view: TableView, who: Who[Any]) -> Iterator[ActionChoice]:
    rolls = view.look.rolls
    if rolls is None:
        return
    action = view.system.action(rolls.action)
    learned: dict[str, int] = view.data["scene"][who.name].get(rolls.learned) or {}
    legal = [str(each) for each in action.choices(view.scene, who).get(rolls.argument, ())]
    best = sorted((each for each in learned if each in legal), key=lambda each: -learned[each])
    for line in (*best[:1], *legal[: 0 if best else 1]):
        yield action.by(who, **{rolls.argument: line})


def _any(view: TableView, who: Who[Any], actions: list[Action[Any]]) -> Iterator[ActionChoice]:
    for action in actions:
        yield from (action.by(who, **arguments) for arguments in islice(action.legal(view.scene, who), 1))


def _effect(
    view: TableView, offer: ActionChoice, before: KnownState, after: KnownState, odds: OddsAsker
) -> ChangedCheck:
    action = view.system.action_words(offer.part)
    picked = ", ".join(str(each) for each in offer.arguments.values() if isinstance(each, (str, Who)))
    is_roll = view.look.rolls is not None and view.look.rolls.action == offer.action.key
    what = picked if is_roll else f"{action}: {picked}" if picked else action
    who = capital(offer.who.name) if offer.who else ""
    try:
        known = known_offer(offer, view.seat)
        was, now = (
            _rows(view, offer, odds.ask(ActionQuery(known, state, plan=False), view.system, BUDGET))
            for state in (before, after)
        )
    except RefereeError as why:
        return ChangedCheck(who, what, (), str(why))
    names = dict.fromkeys((*was, *now))
    return ChangedCheck(who, what, tuple(ChangedChance(name, was.get(name), now.get(name)) for name in names))


def _rows(view: TableView, offer: ActionChoice, card: Mapping[str, Plain]) -> dict[str, float]:
    """The chances as things are, and with each decision on the way."""
    system, good = view.system, offer.action.bands.good
    rows: dict[str, float] = {}
    if card["now"]:
        rows |= {row.name: row.chance for row in chances(card["now"], system, good).rows if row.tone != "part"}
    for each in card["decisions"]:
        prompt = system.words.say(f"prompts.{each['prompt']}")
        for key, forecast in each["options"].items():
            option = system.words.say(f"options.{each['prompt']}.{key}")
            hoped = system.words.say(f"bands.{good[-1]}")
            name = WORDS.say("master.rules.decided", good=hoped, prompt=prompt, option=option)
            rows[name] = sum(float(forecast["bands"][band]["float"]) for band in good)
    return rows
