"""Kinds of secrets, for two worlds that differ in them (`walk`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, final

from referee.core.audience import Audience
from referee.core.plain import Plain, write
from referee.core.questions import Chance
from referee.journal.lines import ThrowHeld
from referee.testing.two_worlds.facts import in_hiding
from referee.testing.two_worlds.walk import MASTER, Command, Moves, ScriptMove, Secret, Walk, World

ONLY_MASTER: Final = frozenset({MASTER})


def differing(seat: str, does: str, here: Sequence[Plain], there: Sequence[Plain], **named: Plain) -> ScriptMove:
    return ScriptMove(Command(seat, does, tuple(here), named), Command(seat, does, tuple(there), named))


def only_here(seat: str, does: str, *given: Plain, **named: Plain) -> ScriptMove:
    return ScriptMove(Command(seat, does, given, named), None)


def field(scene: Mapping[str, Plain], who: str, name: str, values: Sequence[Plain], owner: str = "") -> Secret:
    """A field that others may not see; it differs from the start, and by the game master's edits."""

    def edit(random: Random, walk: Walk) -> ScriptMove:
        here, there = (random.choice(values) for _ in range(2))
        if random.random() < 0.2:
            return only_here(MASTER, "edit", who, {name: here})
        return differing(MASTER, "edit", (who, {name: here}), (who, {name: there}))

    one, other = ({who: {**scene[who], name: value}} for value in values[:2])
    knowers = ONLY_MASTER | {owner} if owner else ONLY_MASTER
    return Secret(f"field {who}.{name}", knowers, one, other, (edit, undone))


def deadlines(who: str, rule: str) -> Secret:
    """Deadlines that only the game master knows of, besides those that everyone may know."""

    def secret(random: Random, now: int) -> list[Plain]:
        soon = {"order": 0, "who": who, "rule": rule, "audience": "game master"}
        return [{"at": now + random.randrange(5), **soon} for _ in range(random.randrange(3))]

    def edited(random: Random, world: World) -> Command:
        clock: Any = world.table.journal.state["clock"]
        known = [write(each) for each in clock.deadlines if each.audience is Audience.EVERYONE]
        return Command(MASTER, "edit", ("clock", {"deadlines": [*known, *secret(random, clock.now)]}))

    def edit(random: Random, walk: Walk) -> ScriptMove:
        here, there = (edited(random, world) for world in walk.worlds)
        return ScriptMove(here, random.choice((there, None)))

    one, other = ({"clock": {"kind": "Clock", "deadlines": secret(Random(seed), 1)}} for seed in (1, 2))
    return Secret("deadlines", ONLY_MASTER, one, other, (edit, undone))


def undone(random: Random, walk: Walk) -> ScriptMove | None:
    """The game master undoes the last thing that no one else was told about."""
    commands: list[Command | None] = []
    for world in walk.worlds:
        others = {at for seat in walk.stage.seats if seat != MASTER for at in world.table.desk(seat).feed.places}
        feed = world.table.desk(MASTER).feed
        last, line = next(reversed(world.table.journal.story), (-1, None))
        # everyone knows that a throw is held: the table is waiting for the game master
        is_secret = line is not None and not isinstance(line, ThrowHeld) and last not in others and last in feed.places
        commands.append(Command(MASTER, "undo", (feed.places.index(last),)) if is_secret else None)
    return ScriptMove(*commands) if any(commands) else None


def argument(action: str, who: str | None, name: str, values: Sequence[Plain], **others: Sequence[Plain]) -> Secret:
    """An argument that others are not told."""

    def act(random: Random, walk: Walk) -> ScriptMove:
        given = {other: random.choice(options) for other, options in others.items()}
        here, there = ({**given, name: random.choice(values)} for _ in range(2))
        return differing(MASTER, "act", (action, who, here), (action, who, there))

    return Secret(f"argument {action}.{name}", ONLY_MASTER, moves=(act,))


def own_argument(
    seat: str, action: str, who: str, name: str, values: Sequence[Plain], **others: Sequence[Plain]
) -> Secret:
    """An argument that a player gives and others are not told."""

    def act(random: Random, walk: Walk) -> ScriptMove:
        given = {other: random.choice(options) for other, options in others.items()}
        here, there = ({**given, name: random.choice(values)} for _ in range(2))
        return differing(seat, "act", (action, who, here), (action, who, there))

    return Secret(f"argument {action}.{name} of {seat}", ONLY_MASTER | {seat}, moves=(act,))


def hidden_rolls() -> Secret:
    """Game master's dice that no one else is told about; other hidden throws differ anyway."""

    def roll(random: Random, walk: Walk) -> ScriptMove:
        dice = (random.choice(("1d6", "3d6", "2d20")) for _ in range(2))
        one, other = (Command(MASTER, "roll", (each,), {"hidden": True}) for each in dice)
        return ScriptMove(one, random.choice((other, None)))

    return Secret("hidden rolls", ONLY_MASTER, moves=(roll, undone))


def own_throws(seat: str) -> Secret:
    """Throws and draws that only their owner sees."""
    return Secret(f"throws of {seat}", ONLY_MASTER | {seat})


def cards(scene: Mapping[str, Plain], one: str, other: str, owners: frozenset[str], random: Random) -> Secret:
    """Which cards are in which of two piles that others may not look at."""
    mixed = [*scene[one]["cards"], *scene[other]["cards"]]
    here, there = (_dealt(scene, one, other, random.sample(mixed, len(mixed))) for _ in range(2))
    return Secret(f"cards of {one} and {other}", ONLY_MASTER | owners, here, there)


def _dealt(scene: Mapping[str, Plain], one: str, other: str, mixed: list[Plain]) -> dict[str, Plain]:
    at = len(scene[one]["cards"])
    return {one: {**scene[one], "cards": mixed[:at]}, other: {**scene[other], "cards": mixed[at:]}}


def sealed(seat: str) -> Secret:
    """What someone answers while others are asked at the same time (`moves.answer`)."""
    return Secret(f"choices of {seat}", ONLY_MASTER | {seat})


def whispers(seat: str, to: Sequence[str], *more: str) -> Secret:
    """Notes to only some people."""

    def say(random: Random, walk: Walk) -> ScriptMove:
        one, other = (Command(seat, "note", (f"whisper {random.random()}",), {"to": list(to)}) for _ in range(2))
        return ScriptMove(one, random.choice((other, None)))

    return Secret(f"whispers of {seat}", ONLY_MASTER | {seat, *to, *more}, moves=(say,))


def standing(seat: str, answers: Mapping[str, Sequence[Plain]]) -> Secret:
    """Answers someone has given in advance."""

    def leave(random: Random, walk: Walk) -> ScriptMove:
        prompt = random.choice(sorted(answers))
        here, there = (random.choice([*answers[prompt], "nonsense", None]) for _ in range(2))
        return differing(seat, "standing", (prompt, here), (prompt, there))

    return Secret(f"standing answers of {seat}", ONLY_MASTER | {seat}, moves=(leave,))


def held_throws() -> Secret:
    """The results of throws that the game master overrules."""
    asks = ScriptMove.alike(MASTER, "settings", {"throws": {"*": "ask"}})
    return Secret("held throws", ONLY_MASTER, first=(asks,), held=True)


@final
@dataclass(frozen=True)
class Foe:
    """Someone who may be hidden: their possible sheets, and what the game master has them do."""

    name: str
    sheets: Sequence[Plain]
    acts: Sequence[tuple[str, Callable[[str], Plain]]] = ()
    """Actions, with their arguments, by the name of the one who acts."""


def hiding(foe: Foe, another: Foe, random: Random) -> Secret:
    """Someone hidden, who in the other world does not exist, or is different, or is someone else."""
    other = random.choice((None, foe, another))
    here = {foe.name: random.choice(foe.sheets), "veil": {"kind": "Veil", "names": [foe.name]}}
    there: dict[str, Plain] = {foe.name: None}
    if other is not None:
        there[other.name] = random.choice(other.sheets)
        there["veil"] = {"kind": "Veil", "names": [other.name]}

    def alone(make: Callable[[Random, Foe], Command]) -> Moves:
        def move(random: Random, walk: Walk) -> ScriptMove:
            return ScriptMove(make(random, foe), make(random, other) if other else None)

        return move

    moves = tuple(map(alone, (_acts, _is_hurt, _goes, _comes)))
    return Secret("hiding", ONLY_MASTER, here, there, (*moves, _answers_hidden, undone))


def _acts(random: Random, foe: Foe) -> Command:
    if not foe.acts:
        return _is_hurt(random, foe)
    action, given = random.choice(foe.acts)
    return Command(MASTER, "act", (action, foe.name, given(foe.name)))


def _is_hurt(random: Random, foe: Foe) -> Command:
    return Command(MASTER, "edit", (foe.name, {"kind": "", **random.choice(foe.sheets)}))


def _goes(random: Random, foe: Foe) -> Command:
    return Command(MASTER, "remove", (foe.name,))


def _comes(random: Random, foe: Foe) -> Command:
    return Command(MASTER, "edit", (foe.name, random.choice(foe.sheets)))


def _answers_hidden(random: Random, walk: Walk) -> ScriptMove | None:
    """The game master answers what no one else is asked, separately in each world."""
    commands = [_answer_to(world, random) for world in walk.worlds]
    return ScriptMove(*commands) if any(commands) else None


def _answer_to(world: World, random: Random) -> Command | None:
    hidden = in_hiding(world.table.journal.state)
    mine = {key: each.question for key, each in world.table.questions(MASTER).items()}
    keys = [key for key, question in mine.items() if question.who is not None and question.who.name in hidden]
    if not keys:
        return None
    key = random.choice(keys)
    question: Any = mine[key]
    is_chance = isinstance(question, Chance)
    answer = question.at_random(random.randrange) if is_chance else question.write(random.choice(question.legal))
    return Command(MASTER, "answer", (key, answer))


def some(kinds: Sequence[Secret], random: Random) -> tuple[Secret, ...]:
    """One to three of these."""
    return tuple(random.sample(list(kinds), min(len(kinds), random.choice((1, 1, 2, 3)))))
