"""How long a player waits for odds: typical turns and questions of every system's samples, and the hard scenes.

Each sample is played for a few steps with a fixed seed, everyone deciding by default; then the actions that somebody
may start, each by the first who may, and by no more than a few in all samples of a system. Whenever someone is asked,
and for each of these actions, the card is computed as the screen does: a first look at all its options together, which
shows what is known within 300 ms; then, if some are missing, all of it again within a larger budget. An option is on
time if the first look has it; it is figured if it is exact, or sampled with an error below one percentage point.
`make bench-play`; `python benchmarks/play.py dime alien` for some systems alone.

All times are processor time, the budgets' too: a busy machine would make everything look slow, and sample more. The
time that passed is printed beside it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from time import perf_counter, process_time
from typing import Any, Final

from hard_scenes import HARD_SCENES
from referee import registry
from referee.core.actions import DONE, ActionChoice
from referee.core.agenda import next_of
from referee.core.errors import RefereeError
from referee.core.knowledge import known_to
from referee.core.plain import frozen, write
from referee.core.questions import Chance, Choice, Choose, key_of
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import Seat
from referee.drivers.call_odds import Odds
from referee.drivers.stop import timed_by
from referee.forecast.bands import Forecast
from referee.forecast.figures import GLANCE, Budget
from referee.forecast.question_odds import question_query
from referee.forecast.risk import OddsQuery, action_query
from referee.forecast.risk_card import RiskCard
from referee.forecast.worker import load_numpy
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open
from referee.testing.scenarios import samples

AIM: Final = 0.3
LATE: Final = 0.03
"""By how many seconds a look may miss its time: what it is at when time is up is finished first."""
BUDGET: Final = Budget(1.5)
MOST_ERROR: Final = 0.01
STEPS: Final = 8
"""How many steps of a sample's encounter are played."""
QUESTIONS: Final = 3
"""How many questions of one step or action are looked at."""
TIMES: Final = 2
"""In how many samples of a system the same action is looked at."""
SLOWEST: Final = 40


@frozen
class Card:
    """What one card cost, and how good its figures are."""

    where: str
    seconds: float
    errors: tuple[float | None, ...]
    """For each option its error; None if it has no figure."""
    on_time: int
    """How many of them the first look had."""


def good_enough(errors: Sequence[float | None]) -> int:
    """How many options have a figure that is good enough."""
    return sum(each is not None and each < MOST_ERROR for each in errors)


def figures(card: RiskCard | Forecast | Odds[Any], options: tuple[str, ...] = ()) -> tuple[float | None, ...]:
    """The error of each option's figure. What the viewer cannot know has its reason, which is a figure too."""
    if isinstance(card, Odds):
        return (0.0,)
    if isinstance(card, Forecast):
        return (card.error,)
    without = {why.because for why in card.missing.values()}
    if card == RiskCard(missing=card.missing) and without <= {"no-stake"}:  # nothing that this leads to has odds
        return ()
    if card.unknown and card.now is None and not card.asked:
        return tuple(each.error for each in card.curve.values()) or (0.0,)
    shown: dict[str, Forecast | None] = {key: card.asked.get(key) for key in options} if options else {}
    shown |= {f"/{key}": each for key, each in card.pairs.items()}
    if not shown:
        shown[""] = card.now
    for each in card.decisions:
        shown |= {f"{each.prompt} {key}": told for key, told in each.options.items()}
    shown |= {key: None for key, why in card.missing.items() if key not in shown and why.because == "time"}
    return tuple(None if each is None else each.error for each in shown.values())


Look = tuple[float, tuple[float | None, ...]]
"""How long it took, and the error of each option."""


def timed(ask: Callable[[], Any], options: tuple[str, ...] = ()) -> Look:
    before = process_time()
    try:
        found = ask()
    except RefereeError:
        return process_time() - before, (None,) * max(1, len(options))
    return process_time() - before, figures(found, options)


def looked_at(where: str, query: OddsQuery, options: tuple[str, ...] = ()) -> Card:
    """A first look; if it leaves something out, or came late, a second one."""
    seconds, errors = timed(lambda: query.card(GLANCE), options)
    on_time = good_enough(errors) if seconds <= AIM + LATE else 0
    if None in errors:
        more, errors = timed(lambda: query.card(BUDGET), options)
        seconds += more
    return Card(where, seconds, errors, on_time)


def seat_of(waiting: Open) -> Seat:
    who = waiting.question.who
    return Seat("gm", master=True) if who is None else Seat(who.name, frozenset({who.name}))


def asked(journal: Journal, waiting: Open, where: str) -> Card:
    """The card of an open question, for the one who is asked."""
    seat, question = seat_of(waiting), waiting.question
    options = question.options if isinstance(question, Choose) else ()
    with_odds = (each for each in options if not isinstance(each, ActionChoice) or each.action.bands is not DONE)
    keys = () if len(options) < 2 else tuple(map(key_of, with_odds))
    query = question_query(journal, waiting, seat, plan=False)
    return looked_at(where, query, keys)


def questions(journal: Journal, where: str, most: int) -> Iterator[Card]:
    """The cards of the questions on the way, each answered by its default."""
    seen = set[tuple[str, str]]()
    for _ in range(200):
        if not journal.asking or len(seen) >= most:
            return
        waiting = journal.asking[0]
        question = waiting.question
        about = str(question.name), str(question.who)
        if isinstance(question, Choice) and not isinstance(question, Chance) and about not in seen:
            seen.add(about)
            if isinstance(question, Choose):
                yield asked(journal, waiting, f"{where}: {question.name} ({question.who})")
        default = question.write(question.default) if isinstance(question, Choice) else None
        try:
            journal.answer("bench", waiting.step, default, waiting.part)
        except RefereeError:
            return


def encounter(system: System, state: State, where: str) -> Iterator[Card]:
    """The cards of the first steps of an encounter: whose turn it is, and what they are asked."""
    journal = Journal(system, state, SeededDice(b"play"))
    for _ in range(STEPS):
        following = None if journal.asking else next_of(journal.scene)
        if following is None or following.awaited:  # whose turn it is takes it by actions, which come next
            return
        journal.begin("table", following.call.rule.id, following.call.plain())
        yield from questions(journal, where, QUESTIONS)


def actions(system: System, state: State, where: str, seen: Counter[str]) -> Iterator[Card]:
    """For every action that somebody may start, unless it was looked at often enough: its card and its questions."""
    scene = Scene(state)
    for action in system.actions_in(scene, master=False):
        if action.bands is DONE or seen[action.key] >= TIMES:
            continue
        for who in scene.all(system.sheet):
            try:
                way = next(action.legal(scene, who), None)
            except RefereeError:
                continue
            if way is not None:
                seen[action.key] += 1
                offer, place = action.by(who, **way), f"{where}: {who} {action.key}"
                seat = Seat(who.name, frozenset({who.name}))
                query = action_query(offer, known_to(state, seat), seat, plan=False)
                yield looked_at(place, query)
                yield from started(system, state, action.rule.id, action.plain(who, **way), place)
                break


def started(system: System, state: State, rule: str, given: Mapping[str, Any], where: str) -> Iterator[Card]:
    journal = Journal(system, state, SeededDice(b"play"))
    try:
        journal.begin("bench", rule, write(given))
    except RefereeError:
        return
    yield from questions(journal, where, QUESTIONS)


def sample_cards(names: Sequence[str]) -> Iterator[tuple[str, list[Card]]]:
    """The cards of each sample, as soon as they are computed."""
    for name in names:
        system, seen = registry.load(name), Counter[str]()
        for sample, state in samples(system):
            where = f"{name} {sample}"
            cards = chain(encounter(system, state, where), actions(system, state, where, seen))
            yield where, [card for card in cards if card.errors]


def measured(names: Sequence[str]) -> list[Card]:
    """All cards, and a line for each sample as it goes."""
    print(f"{'sample':28} {'cards':>5} {'options':>7} {'exact':>6} {'on time':>8} {'CPU s':>6} {'wall s':>6}", end="")
    print("  slowest card")
    found: list[Card] = []
    waited = perf_counter()
    for where, cards in sample_cards(names):
        begun, waited = waited, perf_counter()
        found += cards
        if cards:
            options, exact, on_time = shares(cards)
            slowest = max(cards, key=lambda each: each.seconds)
            print(
                f"{where:28} {len(cards):5} {options:7} {exact:6.0%} {on_time:8.0%} {spent(cards):6.1f} "
                f"{waited - begun:6.1f}  {slowest.seconds * 1000:.0f} ms ({slowest.where.partition(': ')[2]})",
                flush=True,
            )
    return found


def spent(cards: Sequence[Card]) -> float:
    return sum(each.seconds for each in cards)


def shares(cards: Sequence[Card]) -> tuple[int, float, float]:
    """How many options there are, which share of them is exact, and which was figured on time."""
    options = sum(len(each.errors) for each in cards)
    exact = sum(error == 0 for each in cards for error in each.errors)
    on_time = sum(each.on_time for each in cards)
    return options, exact / options, on_time / options


def report(found: list[Card]) -> None:
    by_seconds = sorted(found, key=lambda each: -each.seconds)
    print(f"\n{'slowest cards':70} {'options':>7} {'ms':>7} {'exact':>6} {'error':>7}")
    for each in by_seconds[:SLOWEST]:
        exact = sum(error == 0 for error in each.errors)
        worst = max((error for error in each.errors if error is not None), default=0.0)
        count = len(each.errors)
        print(f"{each.where[:70]:70} {count:7} {each.seconds * 1000:7.0f} {exact / count:6.0%} {worst:7.2%}")
    if len(by_seconds) > SLOWEST:
        print(f"... and {len(by_seconds) - SLOWEST} quicker cards")


def hard() -> None:
    print(f"\n{'hard scene':58} {'aim ms':>7} {'CPU ms':>7} {'wall ms':>7} {'':6} {'error':>7}")
    for each in HARD_SCENES:
        ask, begun = each.build(), perf_counter()
        seconds, errors = timed(ask)
        waited = perf_counter() - begun
        worst = max((error for error in errors if error is not None), default=0.0)
        verdict = "ok" if seconds <= each.aim_seconds and good_enough(errors) == len(errors) else "SLOW"
        print(
            f"{each.name[:58]:58} {each.aim_seconds * 1000:7.0f} {seconds * 1000:7.0f} {waited * 1000:7.0f} "
            f"{verdict:6} {worst:7.2%}",
            flush=True,
        )


def main() -> None:
    with timed_by(process_time):
        measure(sys.argv[1:])


def measure(names: Sequence[str]) -> None:
    load_numpy()
    begun = perf_counter()
    found = measured(names or registry.names())
    report(found)
    if not names:
        hard()
    options, exact, on_time = shares(found)
    late = sum(each.seconds > AIM for each in found)
    worst = max(found, key=lambda each: each.seconds)
    print(
        f"\n{len(found)} cards with {options} options, {exact:.1%} of them exact; {late} cards took over 300 ms.\n"
        f"{spent(found):.0f} s of processor time for the cards, {perf_counter() - begun:.0f} s passed in all"
    )
    print(
        f"play: {100 * on_time:.1f} % of the options figured within 300 ms, "
        f"worst {worst.seconds * 1000:.0f} ms ({worst.where})"
    )


if __name__ == "__main__":
    sys.exit(main())
