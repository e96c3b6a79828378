"""How long a player waits for odds: the turns and questions of every system's samples, and the hard scenes.

Each sample is played with a fixed seed, everyone deciding by default. Whenever someone is asked, and for every action
someone could start, the card is computed as the screen would: all its options together, within one budget. A card is
on time if all its options have a figure within 300 ms; an option is figured if it is exact, or sampled with an error
below one percentage point. `make bench-play`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any, Final

from hard_scenes import HARD_SCENES

from referee import registry
from referee.core.actions import DONE, ActionChoice
from referee.core.agenda import next_of
from referee.core.errors import RefereeError
from referee.core.plain import frozen, write
from referee.core.questions import Chance, Choice, Choose, key_of
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.visibility import Seat
from referee.drivers.exact import Odds
from referee.forecast.bands import Forecast
from referee.forecast.risk import Budget, odds_at, odds_of
from referee.forecast.risk_card import RiskCard
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Open
from referee.testing.scenarios import samples

AIM: Final = 0.3
BUDGET: Final = Budget(1.5)
MOST_ERROR: Final = 0.01
STEPS: Final = 12
"""How many steps of a sample's encounter are played."""
QUESTIONS: Final = 4
"""How many questions of one action are looked at."""


@frozen
class Card:
    """What one card cost, and how good its figures are."""

    where: str
    seconds: float
    errors: tuple[float | None, ...]
    """For each option its error; None if it has no figure."""

    @property
    def figured(self) -> int:
        """How many options have a figure that is good enough."""
        return sum(each is not None and each < MOST_ERROR for each in self.errors)


def figures(card: RiskCard | Forecast | Odds[Any], options: tuple[str, ...] = ()) -> tuple[float | None, ...]:
    """The error of each option's figure. What the viewer cannot know has its reason, which is a figure too."""
    if isinstance(card, Odds):
        return (0.0,)
    if isinstance(card, Forecast):
        return (card.error,)
    if card.unknown and card.now is None and not card.asked:
        return tuple(each.error for each in card.curve.values()) or (0.0,)
    shown: dict[str, Forecast | None] = {key: card.asked.get(key) for key in options} if options else {}
    shown |= {f"/{key}": each for key, each in card.pairs.items()}
    if not shown:
        shown[""] = card.now
    for each in card.decisions:
        shown |= {f"{each.prompt} {key}": told for key, told in each.options.items()}
    return tuple(None if each is None else each.error for each in shown.values())


def timed(where: str, ask: Callable[[], Any], options: tuple[str, ...] = ()) -> Card:
    before = perf_counter()
    try:
        found = ask()
    except RefereeError:
        return Card(where, perf_counter() - before, (None,) * max(1, len(options)))
    return Card(where, perf_counter() - before, figures(found, options))


def seat_of(waiting: Open) -> Seat:
    who = waiting.question.who
    return Seat("gm", master=True) if who is None else Seat(who.name, frozenset({who.name}))


def asked(journal: Journal, waiting: Open, where: str) -> Card:
    """The card of an open question, for the one who is asked."""
    seat, question = seat_of(waiting), waiting.question
    options = question.options if isinstance(question, Choose) else ()
    with_odds = (each for each in options if not isinstance(each, ActionChoice) or each.action.bands is not DONE)
    keys = () if len(options) < 2 else tuple(map(key_of, with_odds))
    return timed(where, lambda: odds_at(journal, waiting, seat, budget=BUDGET), keys)


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
        if following is None:
            return
        journal.begin("table", following.call.rule.id, following.call.plain())
        yield from questions(journal, where, QUESTIONS)


def actions(system: System, state: State, where: str) -> Iterator[Card]:
    """For everyone and every action they may start: its card, and those of the questions it asks."""
    scene = Scene(state)
    for who in scene.all(system.sheet):
        seat = Seat(who.name, frozenset({who.name}))
        for action in system.actions_in(scene, master=False):
            if action.bands is DONE:
                continue
            try:
                way = next(iter(action.legal(scene, who)), None)
            except RefereeError:
                continue
            if way is None:
                continue
            offer, place = action.by(who, **way), f"{where}: {who} {action.key}"
            yield timed(place, lambda o=offer, s=seat: odds_of(o, state, s, budget=BUDGET))  # type: ignore[misc]
            yield from started(system, state, action.rule.id, action.plain(who, **way), place)


def started(system: System, state: State, rule: str, given: Mapping[str, Any], where: str) -> Iterator[Card]:
    journal = Journal(system, state, SeededDice(b"play"))
    try:
        journal.begin("bench", rule, write(given))
    except RefereeError:
        return
    yield from questions(journal, where, QUESTIONS)


def cards() -> Iterator[Card]:
    for name in registry.names():
        system = registry.load(name)
        for sample, state in samples(system):
            yield from encounter(system, state, f"{name} {sample}")
            yield from actions(system, state, f"{name} {sample}")


def report(found: list[Card]) -> None:
    by_seconds = sorted(found, key=lambda each: -each.seconds)
    print(f"{'card':58} {'options':>7} {'ms':>7} {'exact':>6} {'error':>7}")
    for each in by_seconds[:25]:
        exact = sum(error == 0 for error in each.errors)
        worst = max((error for error in each.errors if error is not None), default=0.0)
        count = len(each.errors)
        print(f"{each.where[:58]:58} {count:7} {each.seconds * 1000:7.0f} {exact / count:6.0%} {worst:7.2%}")
    if len(by_seconds) > 25:
        print(f"... and {len(by_seconds) - 25} quicker cards")


def hard() -> None:
    print(f"\n{'hard scene':58} {'aim ms':>7} {'ms':>7} {'':6} {'error':>7}")
    for each in HARD_SCENES:
        card = timed(each.name, each.build())
        worst = max((error for error in card.errors if error is not None), default=0.0)
        verdict = "ok" if card.seconds <= each.aim_seconds and card.figured == len(card.errors) else "SLOW"
        print(f"{each.name[:58]:58} {each.aim_seconds * 1000:7.0f} {card.seconds * 1000:7.0f} {verdict:6} {worst:7.2%}")


def main() -> None:
    found = list(cards())
    report(found)
    if HARD_SCENES:
        hard()
    options = sum(len(each.errors) for each in found)
    figured = sum(each.figured for each in found if each.seconds <= AIM)
    exact = sum(error == 0 for each in found for error in each.errors)
    worst = max(found, key=lambda each: each.seconds)
    print(f"\n{len(found)} cards with {options} options, {exact / options:.1%} of them exact")
    share = 100 * figured / options
    print(
        f"play: {share:.1f} % of the options figured within 300 ms, worst {worst.seconds * 1000:.0f} ms ({worst.where})"
    )


if __name__ == "__main__":
    sys.exit(main())
