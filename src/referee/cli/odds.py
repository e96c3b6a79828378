"""`referee odds`: the risk card of an action, and curves along anything that can be varied."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from referee.cli.roll import RollRequest
from referee.cli.show import MASTER, WORDS, bar
from referee.cli.terminal import BOLD, CYAN, GREEN, RED, YELLOW, paint
from referee.core.errors import BadInput
from referee.core.knowledge import known_to
from referee.core.visibility import Seat
from referee.core.wording import capital
from referee.forecast.bands import Forecast
from referee.forecast.figures import Budget
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import RiskCard

ALL: Final = Seat(MASTER, master=True)
PATIENT: Final = Budget(seconds=20.0)
"""Someone who asks for nothing but odds will wait for exact ones."""
RANGE: Final = re.compile(r"([\w.-]+)=(-?\d{1,4})\.\.(-?\d{1,4})")


def show_odds(one: RollRequest, *, as_json: bool) -> None:
    """Print the possible outcomes of an action, what each decision changes, and the best decisions."""
    card = odds_of(one.offer, known_to(one.state, ALL), ALL, mine=one.decisions, budget=PATIENT)
    one.decisions.check(one.action.rule.prompts)
    if as_json:
        print(json.dumps(card.to_plain(), ensure_ascii=False))
        return
    for line in _card(one, card):
        print(line)


def _card(one: RollRequest, card: RiskCard) -> Iterator[str]:
    if card.now is None:
        yield WORDS.say("odds-unknown", what=card.unknown)
        return
    yield from _forecast(one, card.now)
    for each in card.assumes:
        prompt = one.system.words.say(f"prompts.{each.prompt}")
        yield WORDS.say("odds-assumes", who=capital(each.who), prompt=prompt, answer=each.answer)
    decided = [
        (one.system.words.say(f"prompts.{each.prompt}"), key, forecast)
        for each in card.decisions
        for key, forecast in each.options.items()
    ]
    if not decided:
        return
    good = one.action.bands.good
    hoped = ", ".join(one.system.words.say(f"bands.{key}") for key in good)
    yield ""
    yield paint(WORDS.say("odds-decided", hoped=hoped), BOLD)
    rows = [(f"{prompt} {key}", forecast) for prompt, key, forecast in decided]
    if card.best is not None:
        rows.append((WORDS.say("odds-best"), card.best.forecast))
    wide = max(len(label) for label, _ in rows)
    for label, forecast in rows:
        yield f"  {label:{wide}} {bar(forecast.chance_of(good), is_estimate=bool(forecast.samples))}{_about(forecast)}"


def _forecast(one: RollRequest, found: Forecast) -> Iterator[str]:
    for group in ("bands", "extra", "bad"):
        for key, chance in getattr(found, group).items():
            good = key in one.action.bands.good
            colour = {"extra": CYAN, "bad": YELLOW}.get(group, GREEN if good else RED)
            figure = "" if found.lost else _about(found) if found.samples else f"  {chance}"
            drawn = bar(chance, colour, is_estimate=bool(found.samples))
            yield f"{one.system.words.say(f'bands.{key}'):20} {drawn}{figure}"
    if found.lost:
        yield WORDS.say("lost", share=f"{float(found.lost):.2g}")


def _about(found: Forecast) -> str:
    return f"  ≈ ±{found.error:.1%}" if found.samples else ""


def show_curve(one: RollRequest, along: str, against: RollRequest | None, picture: str, *, as_json: bool) -> None:
    """Print the chance of success along an argument or a field, compared with another action if one is given."""
    from referee.forecast.curves import Curve, compared, curve, varied

    name, values = _range(along)
    places = varied(one.offer, known_to(one.state, ALL), name, values)
    found: Curve
    if against is None:
        found = curve(places, ALL, along=name, budget=PATIENT)
    else:
        other = varied(against.offer, known_to(against.state, ALL), name, values)
        found = compared({one.said: places, against.said: other}, ALL, along=name, budget=PATIENT)
    if picture:
        Path(picture).write_text(found.svg(f"{one.system.title}: {one.said}"), "utf-8")
    print(json.dumps(found.to_plain(), ensure_ascii=False) if as_json else found.text())


def _range(along: str) -> tuple[str, range]:
    fits = RANGE.fullmatch(along)
    if fits is None:
        raise BadInput(along, WORDS.say("range-expected"))
    name, low, high = fits[1].replace("-", "_"), int(fits[2]), int(fits[3])
    if high < low:
        raise BadInput(along, WORDS.say("range-expected"))
    return name, range(low, high + 1)
