"""`referee forecast`: how a fight would go, by playing it many times, and what a change would do to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from time import monotonic
from typing import Final

from referee import registry
from referee.cli.campaigns import campaign_named, local_store
from referee.cli.play import sample, sample_files
from referee.cli.show import WORDS, bar
from referee.cli.terminal import BOLD, CYAN, DIM, GREEN, YELLOW, paint
from referee.core.encounter import Encounter
from referee.core.errors import BadInput, NotKnown
from referee.core.knowledge import fully_known
from referee.core.plain import Plain, is_number
from referee.core.scene import State
from referee.forecast.encounters import EncounterForecast, EncounterPlan, Estimate
from referee.forecast.processes import Forecasting

MOST_FIGHTS: Final = 1_000_000_000
MOST_PROCESSES: Final = 64
MOST_ROUNDS: Final = 12
"""So many lengths get a bar of their own; longer fights share one."""


def forecast(
    system: str,
    scene: str,
    *,
    campaign: str,
    encounter: str,
    changes: Sequence[str],
    compare: Sequence[str],
    fights: str,
    processes: str,
    seed: str,
    as_json: bool,
) -> None:
    """Forecast the fight of a sample, a scene file or a campaign; Ctrl-C shows what is known so far."""
    title, plan = _plan(system, scene, campaign, encounter, tuple(changes))
    plans = [plan]
    if compare:
        plans.append(replace(plan, changes=(*plan.changes, *compare)))
    at_work = Forecasting(
        plans,
        fights=_number("fights", fights, MOST_FIGHTS),
        processes=_number("processes", processes, MOST_PROCESSES),
        seed=int(seed) if is_number(seed) else sum(seed.encode()),
    ).begin()
    try:
        _watch(at_work)
    except KeyboardInterrupt:
        at_work.stop()
    if isinstance(at_work.problem, NotKnown):
        raise BadInput("forecast", WORDS.say("odds-unknown", what=at_work.problem.what))
    if at_work.problem is not None:
        raise at_work.problem
    found = at_work.found()
    if found is None:
        raise KeyboardInterrupt  # stopped before anything was known
    if as_json:
        print(json.dumps(_plain(at_work, found), ensure_ascii=False))
        return
    print(paint(title, BOLD))
    for line in _lines(at_work, found, ", ".join(compare)):
        print(line)


def _plan(
    system: str, scene: str, campaign: str, encounter: str, changes: tuple[str, ...]
) -> tuple[str, EncounterPlan]:
    if campaign:
        from referee.table.storage import open_campaign

        with local_store() as store:
            opened = open_campaign(store, campaign_named(store, campaign), monotonic)
        of = opened.journal.system
        return campaign, EncounterPlan(of.name, fully_known(opened.journal.state), encounter, changes)
    if not system:
        raise BadInput("system", WORDS.say("forecast-of-what"))
    loaded = registry.load(system)
    title, state = sample(loaded, scene)
    if not _has_encounter(state):
        fights = [file.stem for file in sample_files(loaded) if _has_encounter(sample(loaded, file.stem)[1])]
        known = ", ".join(fights) or WORDS.say("nothing")
        raise BadInput("scene", WORDS.say("no-encounter", title=title, samples=known))
    return title, EncounterPlan(loaded.name, fully_known(state), encounter, changes)


def _has_encounter(state: State) -> bool:
    return any(isinstance(value, Encounter) for _, value in state.items())


def _number(name: str, given: str, most: int) -> int:
    plain = given.replace("_", "").replace(",", "")
    if not is_number(plain) or not 1 <= int(plain) <= most:
        raise BadInput(name, WORDS.say("number-expected", most=f"{most:,}"))
    return int(plain)


def _watch(at_work: Forecasting) -> None:
    """Wait until it is done; someone at a terminal sees how far it is."""
    shown = False
    while not at_work.wait(0.2):
        if sys.stderr.isatty():
            played, seconds = at_work.played, monotonic() - at_work.began
            rate = f"{played / seconds:,.0f}/s" if seconds else ""
            told = WORDS.say("forecast-progress", played=f"{played:,}", fights=f"{at_work.fights:,}", rate=rate)
            sys.stderr.write(f"\r\x1b[K{told}")
            sys.stderr.flush()
            shown = True
    if shown:
        sys.stderr.write("\r\x1b[K")


def _plain(at_work: Forecasting, found: Sequence[EncounterForecast]) -> Plain:
    plain: dict[str, Plain] = dict(found[0].to_plain())
    if len(found) > 1:
        endings = dict.fromkeys((*found[0].endings, *found[1].endings))
        moved = {ending: at_work.moved(ending) for ending in endings}
        plain["compared"] = found[1].to_plain()
        plain["moved"] = {ending: each.to_plain() for ending, each in moved.items() if each is not None}
    return plain


def _lines(at_work: Forecasting, found: Sequence[EncounterForecast], change: str) -> Iterator[str]:
    yield from _forecast_lines(found[0])
    if len(found) > 1:
        yield ""
        yield paint(WORDS.say("forecast-compared", change=change), BOLD)
        yield from _forecast_lines(found[1])
        yield ""
        for ending in dict.fromkeys((*found[0].endings, *found[1].endings)):
            moved = at_work.moved(ending)
            if moved is not None:
                error = "" if found[0].is_exact else f"  ≈ ±{moved.error:.1%}"
                yield WORDS.say("forecast-moved", ending=_ending(ending), by=f"{moved.share:+.1%}") + error
    yield paint(_how(at_work, found[0]), DIM)


def _forecast_lines(one: EncounterForecast) -> Iterator[str]:
    endings = one.told
    wide = max(len(_ending(each)) for each in (*endings, *one.out))
    yield paint(WORDS.say("forecast-wins"), BOLD)
    for ending in endings:
        yield f"  {_ending(ending):{wide}} {_bar(one.endings.get(ending, Estimate(Fraction(0), one.fights)), GREEN)}"
    if one.out:
        yield paint(WORDS.say("forecast-out"), BOLD)
        for name, chance in one.out.items():
            yield f"  {name:{wide}} {_bar(chance, YELLOW)}"
    if not any(one.rounds):
        return  # it counts no rounds
    yield paint(WORDS.say("forecast-rounds", mean=f"{one.mean_rounds:.1f}"), BOLD)
    for length, share in _lengths(one).items():
        yield f"  {length:>{wide}} {bar(Fraction(share), CYAN)}"


def _lengths(one: EncounterForecast) -> dict[str, float]:
    """The share of each length; the longest together."""
    lengths = list(one.rounds.items())
    shown = {str(rounds): share for rounds, share in lengths[:MOST_ROUNDS]}
    if rest := lengths[MOST_ROUNDS:]:
        shown[f"{rest[0][0]}+"] = sum(share for _, share in rest)
    return shown


def _bar(chance: Estimate, colour: str) -> str:
    return bar(chance.share, colour, is_estimate=bool(chance.fights)) + (
        f"  ≈ ±{chance.error:.1%}" if chance.fights else ""
    )


def _ending(ending: str) -> str:
    return {"nobody": WORDS.say("forecast-nobody"), "unfinished": WORDS.say("forecast-unfinished")}.get(ending, ending)


def _how(at_work: Forecasting, one: EncounterForecast) -> str:
    if one.is_exact:
        return WORDS.say("forecast-exact")
    rate = f"{one.fights / at_work.seconds:,.0f}" if at_work.seconds else "?"
    return WORDS.say("forecast-counted", fights=f"{one.fights:,}", seconds=f"{at_work.seconds:.1f}", rate=rate)
