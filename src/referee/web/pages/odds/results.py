"""Odds computed for a page: the outcomes of a check, and how they vary along something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.modifiers import Mod
from referee.core.plain import Plain
from referee.core.system import System
from referee.core.wording import spaced
from referee.forecast.curves import Place as Spot
from referee.forecast.curves import varied
from referee.forecast.figures import Budget
from referee.forecast.risk import ActionQuery, known_offer
from referee.web.odds import OddsAsker
from referee.web.pages.odds.advice import Advice, DecisionAdvice, advice, decisions
from referee.web.pages.odds.charts import Chart
from referee.web.pages.odds.checks import Along, CheckQuery, Trouble
from referee.web.pages.page import WORDS, signed
from referee.web.pages.parts.actions import argument_words
from referee.web.pages.parts.chances import Chances, chances, missing_words
from referee.web.pages.parts.story import assumed, option_words

AT_ONCE: Final = 0.5
"""Seconds that the odds without decisions may take before they are sampled."""
DECIDED: Final = 2.5
"""Seconds that decisions and plans may take."""
MOVING: Final = 2.0
"""Seconds that all points of a chart may take together."""
MOVING_DECIDED: Final = 4.0
"""The same with decisions, which load later."""
FEW: Final = 3
"""A chart shows a line for each option if there are no more options than this."""


@final
@dataclass(frozen=True)
class OddsOutcome:
    """The outcomes of one check."""

    said: str
    rule: str
    chances: Chances | None
    unknown: str = ""
    missing: str = ""
    pairs: tuple[tuple[str, Chances], ...] = ()
    decisions: tuple[DecisionAdvice, ...] = ()
    advice: Advice | None = None
    assumes: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Moving:
    """What the chart varies, as picked on the page."""

    options: tuple[Along, ...] = ()
    chosen: Along | None = None
    low: int = 0
    high: int = 0
    trouble: Trouble | None = None

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)


def card_of(check: CheckQuery, system: System, odds: OddsAsker, budget: Budget, *, is_whole: bool) -> Plain:
    """The risk card of a check."""
    return odds.ask(ActionQuery(known_offer(check.offer, check.seat), check.state, is_whole), system, budget)


def outcome(system: System, check: CheckQuery, odds: OddsAsker, *, is_whole: bool) -> OddsOutcome | Trouble:
    """The outcomes of a check; with `is_whole`, also the decisions and the best plan."""
    good = check.action.bands.good
    try:
        card = card_of(check, system, odds, Budget(DECIDED if is_whole else AT_ONCE), is_whole=is_whole)
    except Refused as why:
        return Trouble("", why.because, why.legal, why.rule)
    except RefereeError as why:
        return Trouble("", str(why))
    now = chances(card["now"], system, good) if card["now"] else None
    pairs = tuple((key, chances(each, system, good)) for key, each in card["pairs"].items())
    plan = advice(card, system, good)
    unknown, decided = _unknown_words(system, str(card["unknown"])), decisions(card, system, good)
    missing, assumes = missing_words(card), assumed(card, system)
    return OddsOutcome(check.said, check.action.rule.id, now, unknown, missing, pairs, decided, plan, assumes)


def _unknown_words(system: System, unknown: str) -> str:
    """What the seat does not know, in words: `al.melee_defense`, or an argument."""
    return system.words.say_or(f"arguments.{unknown}", spaced(unknown.replace(".", ": ")))


def moved(
    system: System, checks: Sequence[CheckQuery], moving: Moving, odds: OddsAsker, *, is_whole: bool
) -> Chart | Trouble | None:
    """How the odds of one or two checks vary along something, or along what is secret."""
    secret = _secret_chart(system, checks[0], odds)
    along = moving.chosen
    if secret is not None or along is None or moving.trouble:
        return secret
    at = [_mark(along, each) for each in moving.values]
    is_whole = is_whole and len(checks) == 1
    budget = Budget((MOVING_DECIDED if is_whole else MOVING) / len(at) / len(checks))
    lines: dict[str, list[float | None]] = {}
    error = 0.0
    try:
        for check in checks:
            spots = (_spot_at(check, along, each) for each in moving.values)
            cards = [_card_at(spot, system, odds, budget, is_whole=is_whole) if spot else None for spot in spots]
            error = max([error, *(_error(each) for each in cards if each)])
            name = check.said if len(checks) > 1 else WORDS.say("odds-page.stands")
            lines |= _lines(system, check, cards, f"{name} (2)" if name in lines else name)
    except RefereeError as why:
        return Trouble("range", why.problem if isinstance(why, BadInput) else str(why))
    if not any(each is not None for line in lines.values() for each in line):
        return None
    title = WORDS.say("odds-page.chart", hoped=hoped(system, checks[0]), along=along.words)
    return Chart(title, along.words, at, lines, _mark(along, along.now), error)


def hoped(system: System, check: CheckQuery) -> str:
    """The good outcome, in a word."""
    good = check.action.bands.good
    return system.words.say(f"bands.{'success' if 'success' in good else good[0]}")


def _mark(along: Along, number: int) -> str:
    return signed(number) if along.is_mods and number else str(number)


def _card_at(check: CheckQuery, system: System, odds: OddsAsker, budget: Budget, *, is_whole: bool) -> Plain:
    """The risk card at one value; None if the rules refuse it there."""
    try:
        return card_of(check, system, odds, budget, is_whole=is_whole)
    except Refused:
        return None


def _spot_at(check: CheckQuery, along: Along, value: int) -> CheckQuery | None:
    """The check at one value; None if the rules do not allow it."""
    try:
        offer, state = _spot(check, along, value)
    except Refused:
        return None
    return replace(check, offer=offer, state=state)


def _spot(check: CheckQuery, along: Along, value: int) -> Spot:
    """A check with one thing set to a value; a modifier is added to the existing ones."""
    if along.is_mods:
        given = check.offer.arguments.get(along.key, ())
        arguments = {**check.offer.arguments, along.key: (*given, Mod(value)) if value else given}
        return replace(check.offer, arguments=arguments), check.state
    return next(iter(varied(check.offer, check.state, along.key, (value,)).values()))


def _lines(system: System, check: CheckQuery, cards: Sequence[Plain], name: str) -> dict[str, list[float | None]]:
    """The chance of success: without decisions, with the best decisions, and with each of a few options."""
    good = check.action.bands.good
    stands = [_good(each["now"], good) if each else None for each in cards]
    lines: dict[str, list[float | None]] = {name: stands}
    if any(each and each["best"] for each in cards):
        lines[WORDS.say("odds-page.best")] = [_best(each, good) if each else None for each in cards]
    options = list(dict.fromkeys(pair for each in cards if each for pair in _options(each)))
    for prompt, key in options if len(options) <= FEW else ():
        line = [_good(_option(each, prompt, key), good) if each else None for each in cards]
        lines[WORDS.say("odds-page.always", option=option_words(system, prompt, key))] = line
    return lines


def _option(card: Mapping[str, Plain], prompt: str, key: str) -> Plain:
    """An option wherever it can be taken; where it does not come up, nothing changes. None if it was not computed."""
    return _options(card).get((prompt, key), card["now"] if card["complete"] else None)


def _best(card: Mapping[str, Plain], good: tuple[str, ...]) -> float | None:
    """The chance with the best decisions, or without if there are none; None if it was not computed."""
    if card["best"]:
        return _good(card["best"]["forecast"], good)
    return _good(card["now"], good) if card["complete"] and not card["decisions"] else None


def _error(card: Mapping[str, Plain]) -> float:
    return max((float(each["error"]) for each in (card["now"], *_options(card).values()) if each), default=0.0)


def _options(card: Mapping[str, Plain]) -> dict[tuple[str, str], Plain]:
    return {(str(d["prompt"]), key): told for d in card["decisions"] for key, told in d["options"].items()}


def _good(forecast: Plain, good: tuple[str, ...]) -> float | None:
    return sum(float(forecast["bands"][key]["float"]) for key in good) if forecast else None


def _secret_chart(system: System, check: CheckQuery, odds: OddsAsker) -> Chart | None:
    """For a figure that is secret from the seat: the chance for each value it may have."""
    try:
        card = card_of(check, system, odds, Budget(AT_ONCE), is_whole=False)
    except RefereeError:
        return None
    if not card["curve"]:
        return None
    words = argument_words(system, str(card["unknown"]))
    line = [_good(each, check.action.bands.good) for each in card["curve"].values()]
    title = WORDS.say("odds-page.secret", what=words)
    return Chart(title, words, tuple(card["curve"]), {WORDS.say("odds-page.stands"): line})
