"""The moves of a random script: most of them are legal, some are not.

A move is chosen by what can be seen in the first of the two worlds, and made in both.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from referee.core.audience import Audience
from referee.core.plain import Plain
from referee.core.questions import Chance, Draw
from referee.journal.steps import Open
from referee.testing.two_worlds.facts import in_hiding
from referee.testing.two_worlds.walk import GUEST, MASTER, Command, Moves, ScriptMove, Walk, World, chosen

NONSENSE: Final = ("nobody", "wolf", "bear", "", "-1")
"""Names that mostly do not exist, or exist only for some seats."""


def answer(random: Random, walk: Walk) -> ScriptMove | None:
    """Someone answers a question: usually the one asked, sometimes the game master for them, sometimes nonsense."""
    asked = [(seat, key) for seat in walk.stage.seats for key in walk.worlds[0].table.questions(seat)]
    if not asked:
        return None
    seat, key = random.choice(asked)
    waiting = walk.worlds[0].table.questions(seat)[key]
    if random.random() < 0.1:
        return ScriptMove.alike(seat, "answer", key, random.choice(NONSENSE))
    question: Any = waiting.question
    if isinstance(question, Chance):
        return _thrown(random, walk, seat, key)
    options = [question.write(each) for each in question.legal]
    here, there = (random.choice(options) for _ in range(2))
    differs = _may_differ(walk, waiting)
    return ScriptMove(Command(seat, "answer", (key, here)), Command(seat, "answer", (key, there if differs else here)))


def _thrown(random: Random, walk: Walk, seat: str, key: str) -> ScriptMove | None:
    """Dice typed in, or a card named; a card that not everyone sees is drawn separately in each world."""
    first, second = (world.table.questions(seat).get(key) for world in walk.worlds)
    question: Any = first and first.question
    if not isinstance(question, Draw) or question.audience is Audience.EVERYONE or second is None:
        return ScriptMove.alike(seat, "answer", key, question.at_random(random.randrange))
    cards = [_card(world, waiting, random) for world, waiting in zip(walk.worlds, (first, second), strict=True)]
    return ScriptMove(*(Command(seat, "answer", (key, card)) for card in cards)) if all(cards) else None


def _card(world: World, waiting: Open | None, random: Random) -> Plain:
    """One of the cards that were there when the question was asked, and still are."""
    question: Any = waiting and waiting.question
    left = [card for card in question.cards if card in world.table.journal.scene[question.pile].cards]
    return random.choice(left).to_plain() if left else None


def _may_differ(walk: Walk, waiting: Open) -> bool:
    """Whether an answer is a secret: others are asked at the same time, and the one asked may know the secret."""
    at_once = [each for each in walk.worlds[0].table.journal.asking if each.step == waiting.step]
    who = waiting.question.who and waiting.question.who.name
    owners = [seat for seat, plays in walk.stage.plays.items() if who in plays]
    return len(at_once) > 1 and bool(owners) and walk.knowers.issuperset(owners)


def act(random: Random, walk: Walk) -> ScriptMove | None:
    """Someone does something: a player for their own characters, the game master for anyone who is not hidden."""
    hidden = in_hiding(walk.worlds[0].table.journal.state)
    scene = walk.worlds[0].table.journal.scene
    everybody = [who.name for who in scene.all(walk.stage.system.sheet) if who.name not in hidden]
    players = [(seat, who) for seat, plays in walk.stage.plays.items() for who in plays if who in everybody]
    seat, who = random.choice([*players, *players, *((MASTER, each) for each in everybody), (MASTER, None)])
    legal = [
        each
        for each in walk.worlds[0].table.desk(seat).actions(who)
        if each["legal"] and each.get("choices") is not None
    ]
    if not legal:
        return None
    action = random.choice(legal)
    given = chosen(action, random)
    if given is None or _names_hidden(given, hidden):
        return None
    if random.random() < 0.1:  # a guess at something that may exist
        given = {name: random.choice(NONSENSE) for name in given}
    return ScriptMove.alike(seat, "act", action["action"], who, given)


def _names_hidden(given: Plain, hidden: frozenset[str]) -> bool:
    text = str(given)
    return any(name in text for name in hidden)


def meddle(random: Random, walk: Walk) -> ScriptMove | None:
    """Someone tries something that they may not do, or that does not exist."""
    seat = random.choice(walk.stage.seats)
    everybody = [who for plays in walk.stage.plays.values() for who in plays]
    action = random.choice(walk.stage.system.actions).key
    tries: list[tuple[str, tuple[Plain, ...]]] = [
        ("edit", (random.choice(everybody), {"kind": "nothing"})),
        ("remove", (random.choice(NONSENSE),)),
        ("hide", (random.choice(NONSENSE),)),
        ("act", (action, random.choice([*everybody, *NONSENSE]), {})),
        ("odds", (action, random.choice([*everybody, *NONSENSE]), {})),
        ("actions", (random.choice([*everybody, *NONSENSE]),)),
        ("answer", (random.choice(NONSENSE), "yes")),
        ("undo", (random.randrange(1000, 2000),)),
        ("would_undo", (random.randrange(1000, 2000),)),
        ("cancel", (random.choice(NONSENSE),)),
        ("roll", ("nonsense",)),
        ("settings", ({"undo": "nobody"},)),
        ("dismiss", (random.choice(NONSENSE),)),
    ]
    does, given = random.choice(tries)
    if seat == MASTER and does != "actions":
        return None
    return ScriptMove.alike(seat, does, *given)


def speak(random: Random, walk: Walk) -> ScriptMove:
    return ScriptMove.alike(random.choice(walk.stage.seats), "note", f"note {random.random()}")


def roll(random: Random, walk: Walk) -> ScriptMove:
    return ScriptMove.alike(random.choice((MASTER, *walk.stage.plays, GUEST)), "roll", random.choice(("2d6", "1d20")))


def halt(random: Random, walk: Walk) -> ScriptMove | None:
    """An occasional stop."""
    return ScriptMove.alike(random.choice(walk.stage.seats), "stop") if random.random() < 0.3 else None


def advance(random: Random, walk: Walk) -> ScriptMove:
    return ScriptMove.alike(random.choice((MASTER, MASTER, *walk.stage.plays)), "resume")


def set_table(random: Random, walk: Walk) -> ScriptMove:
    may_undo = random.choice(("own", "anyone", "game master"))
    how = random.choice(("do it", "do it", "ask", "leave it"))
    changes: tuple[Plain, ...] = (
        {"undo": may_undo},
        {"throws": {"*": how}, "rulings": {"*": how}},
        {"turns": random.random() < 0.8},
    )
    return ScriptMove.alike(MASTER, "settings", random.choice(changes))


def use_real_dice(random: Random, walk: Walk) -> ScriptMove:
    seat = random.choice([*walk.stage.plays])
    return ScriptMove.alike(seat, "change_seat", seat, real_dice=random.random() < 0.5)


def go_back(random: Random, walk: Walk) -> ScriptMove | None:
    """The game master undoes to before some move, using each world's own item for it."""
    if len(walk.script) < 2:
        return None
    to = random.randrange(max(0, len(walk.script) - 6), len(walk.script))
    if not all(walk.script[to][0]) or any(walk.script[to][1:]):
        return None  # it was not made in both worlds
    commands = []
    for world in walk.worlds:
        feed = world.table.desk(MASTER).feed
        in_force = {number for number, _ in world.table.journal.story}
        lines = [n for n, item in enumerate(feed.items) if item["kind"] != "happened"]
        gone = [n for n in lines if feed.places[n] in in_force and feed.places[n] >= world.marks[to]]
        commands.append(Command(MASTER, "undo", (feed.before + gone[0],)) if gone else None)
    return ScriptMove(*commands)


def go_back_oneself(random: Random, walk: Walk) -> ScriptMove | None:
    """Someone undoes to before one of their items, if they may; those who know the secret have other items."""
    seat = random.choice(walk.viewers)
    told = walk.worlds[0].table.desk(seat).feed.cursor
    return ScriptMove.alike(seat, "undo", random.randrange(max(0, told - 4), told)) if told else None


def take_back(random: Random, walk: Walk) -> ScriptMove | None:
    """The game master redoes, if that is possible in both worlds; otherwise it would not be the same script."""
    may = all(world.table.journal.record.may_redo for world in walk.worlds)
    seat = random.choice((MASTER, *walk.stage.plays))
    return ScriptMove.alike(seat, "redo") if may or seat != MASTER else None


def cancel_step(random: Random, walk: Walk) -> ScriptMove | None:
    """The game master cancels a step that everyone knows about."""
    hidden = in_hiding(walk.worlds[0].table.journal.state)
    keys = [key for key in walk.worlds[0].table.questions(MASTER) if not _names_hidden(key, hidden)]
    return ScriptMove.alike(MASTER, "cancel", random.choice(keys)) if keys else None


USUAL: Final[tuple[Moves, ...]] = (
    *(answer,) * 8,
    *(act,) * 6,
    *(meddle,) * 2,
    speak,
    roll,
    halt,
    *(advance,) * 2,
    set_table,
    use_real_dice,
    go_back,
    go_back_oneself,
    take_back,
    cancel_step,
)
