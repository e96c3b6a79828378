"""Two worlds that differ in secrets look the same to everybody who may not know them, whatever is done in them.

`REFEREE_WORLDS=1000 pytest -rP tests/table/test_two_worlds.py` walks so many scripts of each stage, and says how many
pairs of script and viewer that were.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, final

import pytest

from referee import registry
from referee.core import (
    D6,
    Action,
    Audience,
    Bands,
    Call,
    Encounter,
    Faces,
    Hidden,
    Mod,
    Mods,
    Open,
    Own,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    advance_clock,
    alter,
    change,
    choose,
    draw,
    roll,
    rule,
    rule_on,
    set_deadline,
    tell,
    together,
)
from referee.core.effects import Effect, add_effect
from referee.core.files import load_yaml_file
from referee.core.plain import Plain, write
from referee.core.requests import react
from referee.core.visibility import Seat
from referee.journal.lines import AnswerGiven, CheckFailed, Line, ThrowHeld
from referee.table.rehearsal import open_table
from referee.testing.two_worlds import secrets
from referee.testing.two_worlds.facts import in_hiding
from referee.testing.two_worlds.moves import USUAL, meddle
from referee.testing.two_worlds.walk import (
    MASTER,
    Command,
    Leak,
    OpenTable,
    ScriptMove,
    Secret,
    Stage,
    Walk,
    World,
)
from referee.views.feed import Feed

WALKS: Final = int(os.environ.get("REFEREE_WORLDS", "0"))
MOVES: Final = 25
FEW: Final = {"rogues": 30, "coin": 30, "alien": 20, "market": 15, "roadblock": 15}
"""How many scripts are walked where nothing else is said."""
MOST_WALKS: Final = 60
"""How many it may take to notice a leak."""
SIXTH: Final = Path(__file__).parent.parent / "sixth"


# --- a small system with everything that can be secret ----------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Rogue:
    coins: Open[int] = 5
    friend: Open[str | None] = None
    loot: Own[tuple[str, ...]] = ()
    luck: Hidden[int] = 0

    def paid(self, coins: int) -> Rogue:
        return replace(self, coins=self.coins - coins)

    def lucky(self, luck: int) -> Rogue:
        return replace(self, luck=luck)


@final
@dataclass(frozen=True, slots=True)
class Watch(Encounter):
    """Everybody keeps watch in turn."""

    order: Open[tuple[str, ...]]
    done: Open[frozenset[str]] = frozenset()
    pairs: Open[tuple[tuple[str, str], ...]] = ()
    omen: Hidden[int] = 0

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return keep_watch(Who(next(who for who in self.order if who not in self.done), Rogue))

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        here = [who for who in self.order if Who(who, Rogue) in scene]
        return "dawn" if set(here) <= self.done else None


DECK, HAND, OTHER = Who("deck", Pile), Who("ana's hand", Pile), Who("bo's hand", Pile)
WATCH: Final = Who("watch", Watch)
DIE, HAGGLE, PEEK, LOCK, SIDE = Prompt("die"), Prompt("haggle"), Prompt("peek"), Prompt("lock"), Prompt("side")
WHOM, DOOM, DODGE, SWEAR, AWAKE = Prompt("whom"), Prompt("doom"), Prompt("dodge"), Prompt("swear"), Prompt("awake")
ONE: Final = Pool.of((D6, 1))


@rule("worlds.buy")
async def buy(scene: Scene, who: Who[Rogue], what: Own[str] = "rope") -> None:
    """Haggle openly, buy secretly."""
    off = await choose(who, HAGGLE, (0, 1))
    thrown = await roll(DIE, who, ONE, Total)
    await alter(who, Rogue.paid, 1 - off + thrown.total // 3)
    await change(who, replace(scene[who], loot=(*scene[who].loot, what)[-3:]))
    await tell("bought", who=who, what=what, audience=Audience.OWNER)
    await tell("paid", who=who)


@rule("worlds.peek")
async def peek(scene: Scene, who: Who[Rogue]) -> None:
    """A card into the hand, another back, and a secret throw."""
    hand = HAND if who.name == "ana" else OTHER
    check_peek(scene, who)
    await draw(PEEK, DECK, hand, who=who, audience=Audience.OWNER)
    await draw(PEEK, hand, DECK, who=who, audience=Audience.OWNER)
    thrown = await roll(DIE, who, ONE, Total, audience=Audience.MASTER)
    await alter(who, Rogue.lucky, thrown.total)


def check_peek(scene: Scene, who: Who[Rogue]) -> None:
    if who.name not in ("ana", "bo") or not scene[DECK]:
        raise Refused("peek", because="there is no card for you", rule="worlds.peek")


@rule("worlds.pick")
async def pick(scene: Scene, who: Who[Rogue], lock: Hidden[int] = 4) -> bool:
    """A die and a ruling against a lock whose strength the game master keeps."""
    seen = await roll(DIE, who, ONE, Total)
    worse = await rule_on(LOCK, 0, low=0, high=3, audience=Audience.MASTER)
    return seen.total >= lock + worse


@rule("worlds.climb")
async def climb(scene: Scene, who: Who[Rogue], height: Hidden[int] = 4) -> bool:
    """A die against a height that only the game master knows."""
    return (await roll(DIE, who, ONE, Total)).total >= height


@rule("worlds.bluff")
async def bluff(scene: Scene, who: Who[Rogue], other: Who[Rogue]) -> bool:
    """Both show a side at once; then one may dodge."""
    mine, theirs = await together(choose(who, SIDE, ("heads", "tails")), choose(other, SIDE, ("heads", "tails")))
    if not await react(other, DODGE, (True,)):
        await alter(who, Rogue.paid, 1 if mine == theirs else -1)
    return mine == theirs


@rule("worlds.befriend")
async def befriend(scene: Scene, who: Who[Rogue]) -> None:
    """Whom is a choice where there are several."""
    check_befriend(scene, who)
    friend = await choose(who, WHOM, (each for each in scene.all(Rogue) if each != who))
    await change(who, replace(scene[who], friend=friend.name))
    await tell("befriended", who=who, friend=friend.name)


def check_befriend(scene: Scene, who: Who[Rogue]) -> None:
    if len(scene.all(Rogue)) < 2:
        raise Refused("befriend", because="nobody is there", rule="worlds.befriend")


@rule("worlds.swear")
async def swear(scene: Scene, who: Who[Rogue]) -> None:
    """Refused in its middle, in words that tell how lucky one is."""
    await alter(who, Rogue.paid, 1)
    await choose(who, SWEAR, ("yes", "no"))
    raise Refused("swear", because=f"{who} has luck {scene[who].luck} of {len(scene.state)}", rule="worlds.swear")


@rule("worlds.boast")
async def boast(scene: Scene, who: Who[Rogue]) -> None:
    """Refused at once, in words that tell how lucky one is."""
    raise Refused("boast", because=f"{who} has luck {scene[who].luck}", rule="worlds.boast")


@rule("worlds.aim")
async def aim(scene: Scene, who: Who[Rogue], at: Who[Rogue]) -> None:
    """Something that lasts lies on somebody, and something comes due."""
    await add_effect(who, Effect.from_plain({"adds": 1, "uses": 1}), "aim", "worlds.aim", at)
    await set_deadline(2, at, tire)


@rule("worlds.tire")
async def tire(scene: Scene, who: Who[Rogue]) -> None:
    """Comes due; the lucky are spared, and nobody hears of it."""
    if scene[who].luck < 3:
        await alter(who, Rogue.lucky, scene[who].luck + 1)


@rule("worlds.rest")
async def rest(scene: Scene, units: int = 3) -> None:
    """Time passes."""
    await advance_clock(units)


@rule("worlds.curse")
async def curse(scene: Scene, who: Who[Rogue], several: tuple[Who[Rogue], ...] = ()) -> None:
    """The game master decides in secret how bad it is."""
    worse = await rule_on(DOOM, 1, low=0, high=5, audience=Audience.MASTER)
    for each in (who, *several):
        await alter(each, Rogue.lucky, worse)


@final
@dataclass(frozen=True, slots=True)
class Deed:
    """What an attempt came to."""

    total: int


@rule("worlds.attempt/throw")
async def throw_for(scene: Scene, who: Who[Rogue], mods: Mods, edge: int) -> Deed:
    """A die, modified."""
    return Deed((await roll(DIE, who, ONE, Total, mods=mods)).total + edge)


@rule("worlds.attempt/ask")
async def ask_for_help(scene: Scene, helper: Who[Rogue]) -> Deed:
    """Whether somebody helps indeed."""
    return Deed(len(await choose(helper, AWAKE, ("yes", "no"))))


@rule("worlds.attempt")
async def attempt(scene: Scene, who: Who[Rogue], helpers: tuple[Who[Rogue], ...] = (), edge: Hidden[int] = 0) -> bool:
    """Twice, with others between who are asked for help; something may be kept secret that counts."""
    mods = (*(Mod(1, f"{helper} helps", "worlds.attempt") for helper in helpers), Mod(edge, "edge", secret=True))
    await throw_for(who, mods, edge)
    await alter(who, Rogue.paid, 1)
    for helper in helpers:
        await ask_for_help(helper)
    return (await throw_for(who, mods, edge)).total > 3


@rule("worlds.feel")
async def feel(scene: Scene, who: Who[Rogue]) -> None:
    """A die that nobody sees is kept for another throw that everybody sees."""
    seen = await roll(DIE, who, ONE, Faces, audience=Audience.MASTER)
    await roll(DIE, who, ONE, Faces, kept=seen)


@rule("worlds.watch")
async def keep_watch(scene: Scene, who: Who[Rogue]) -> str:
    """Awake or asleep; who sleeps dreams in secret."""
    awake = await choose(who, AWAKE, ("yes", "no"))
    omen = await roll(DIE, who, ONE, Total, audience=Audience.MASTER)
    pairs = (*scene[WATCH].pairs, (who.name, awake))
    await change(WATCH, replace(scene[WATCH], done=scene[WATCH].done | {who.name}, pairs=pairs, omen=omen.total))
    return awake


@rule("worlds.night")
async def night(scene: Scene) -> None:
    """Another watch begins."""
    await change(WATCH, Watch(tuple(each.name for each in scene.all(Rogue))))


def check_night(scene: Scene, _: None = None) -> None:
    if WATCH in scene and scene[WATCH].over(scene, WATCH) is None:
        raise Refused("night", because="it is night already", rule="worlds.night")


WON: Final[Bands[Any]] = Bands(of=lambda won: "won" if won else "lost", keys=("won", "lost"))
ACTIONS: Final = (
    Action("buy", buy),
    Action("peek", peek, check=check_peek),
    Action("pick", pick, WON, may_be={"lock": lambda scene: range(2, 7)}),
    Action("climb", climb, WON, may_be={"height": lambda scene: range(2, 7)}),
    Action("bluff", bluff, WON),
    Action("befriend", befriend, check=check_befriend),
    Action("swear", swear),
    Action("boast", boast),
    Action("aim", aim),
    Action("attempt", attempt, WON, may_be={"edge": lambda scene: range(-3, 4)}),
    Action("feel", feel),
    Action("rest", rest, master=True),
    Action("curse", curse, master=True),
    Action("night", night, check=check_night, master=True),
)
FRIENDS: Final = {
    "ana": {},
    "bo": {"coins": 9},
    "cy": {},
    "deck": {"kind": "Pile", "facing": "down", "cards": ["7S", "QH", "2C", "9D"]},
    "ana's hand": {"kind": "Pile", "facing": "hand", "owner": "ana", "cards": ["KS"]},
    "bo's hand": {"kind": "Pile", "facing": "hand", "owner": "bo", "cards": ["AH", "3C"]},
    "shown": {"kind": "Pile", "facing": "up", "cards": ["4H"]},
}
PLAYERS: Final = {"ana's": ("ana",), "bo's": ("bo",), "cy's": ("cy",)}


def rogue_kinds(random: Random) -> tuple[Secret, ...]:
    wolves = [{"kind": "Rogue", "coins": n, "luck": n} for n in (1, 2)]
    acts = [("buy", lambda who: {}), ("aim", lambda who: {"at": who}), ("curse", lambda who: {"who": who})]
    acts += [("swear", lambda who: {}), ("befriend", lambda who: {}), ("pick", lambda who: {"lock": 3})]
    hands = (
        secrets.cards(FRIENDS, "deck", "bo's hand", frozenset({"bo's"}), random),
        secrets.cards(FRIENDS, "ana's hand", "bo's hand", frozenset({"ana's", "bo's"}), random),
    )
    hiding = secrets.hiding(secrets.Foe("wolf", wolves, acts), secrets.Foe("bear", wolves, acts), random)
    return (
        secrets.field(FRIENDS, "ana", "luck", (0, 3, 9)),
        secrets.field(FRIENDS, "bo", "loot", (["gem"], []), "bo's"),
        secrets.argument("attempt", "ana", "edge", (-3, 3)),
        secrets.argument("pick", "ana", "lock", (2, 6)),
        secrets.argument("climb", "cy", "height", (2, 6)),
        secrets.own_argument("bo's", "buy", "bo", "what", ("poison", "rope")),
        secrets.hidden_rolls(),
        secrets.own_throws("ana's"),
        random.choice(hands),
        secrets.sealed("bo's"),
        secrets.whispers("ana's", ("bo's",)),
        secrets.whispers(MASTER, ()),
        secrets.standing("bo's", {"side": ("heads", "tails"), "dodge": ("yes", "no"), "awake": ("yes", "no")}),
        secrets.held_throws(),
        secrets.deadlines("ana", "worlds.tire"),
        replace(hiding, moves=(*hiding.moves, helped_by_hidden)),
    )


def helped_by_hidden(random: Random, walk: Walk) -> ScriptMove:
    """Ana is helped by Bo, and by whoever is in hiding."""

    def helped(world: World) -> Command:
        state = world.table.journal.state
        helpers = ["bo", *(name for name in sorted(in_hiding(state)) if name in state)]
        return Command(MASTER, "act", ("attempt", "ana", {"helpers": helpers}))

    return ScriptMove(*map(helped, walk.worlds))


def rogues(kind: str = "") -> Stage:
    """With secrets of all kinds, or of one."""
    system = System("worlds", "Worlds", Path(__file__).parent, 1, Rogue, (Watch,), ACTIONS)

    def chosen_secrets(random: Random) -> tuple[Secret, ...]:
        kinds = rogue_kinds(random)
        return tuple(each for each in kinds if each.kind.startswith(kind)) if kind else secrets.some(kinds, random)

    return Stage(system, FRIENDS, PLAYERS, chosen_secrets, USUAL)


# --- the systems ------------------------------------------------------------------------------------------------------


def scene_of(system: System, sample: str) -> dict[str, Plain]:
    """A scene that comes with a system."""
    plain = load_yaml_file(system.folder / "samples" / f"{sample}.yaml")
    return {**plain["sheets"], **plain.get("scene", {})}


GAMBLERS: Final[dict[str, Plain]] = {"ana": {"purse": 9}, "bo": {"purse": 9}, "cy": {"purse": 9}}


def gambling_secrets(random: Random) -> tuple[Secret, ...]:
    gamblers = [{"kind": "Gambler", "purse": n, "nerve": n} for n in (4, 9)]
    acts = [("sleight", lambda who: {}), ("toss", lambda who: {"bet": 1})]
    kinds = (
        secrets.field(GAMBLERS, "ana", "nerve", (0, 3, 9)),
        secrets.field(GAMBLERS, "bo", "mark", ("", "heads"), "bo's"),
        secrets.hidden_rolls(),
        secrets.sealed("bo's"),
        secrets.whispers("ana's", ("bo's",)),
        secrets.standing("bo's", {"show": ("heads", "tails")}),
        secrets.held_throws(),
        secrets.hiding(secrets.Foe("wolf", gamblers, acts), secrets.Foe("bear", gamblers, acts), random),
    )
    return secrets.some(kinds, random)


def coin() -> Stage:
    return Stage(registry.load("coin"), GAMBLERS, PLAYERS, gambling_secrets, USUAL)


CREW: Final = {"ana's": ("Ripa",), "bo's": ("Dallow",), "cy's": ("Brekk",)}


def alien_secrets(random: Random) -> tuple[Secret, ...]:
    beasts = [{"kind": "Colonist", "stress": n} for n in (0, 3)]
    acts = [("skill-roll", lambda who: {"skill": "Mobility"}), ("change-stress", lambda who: {"who": who, "by": 1})]
    acts += [("skill-roll", lambda who: {"skill": "Command", "helpers": [who]})]
    kinds = (
        secrets.hidden_rolls(),
        secrets.whispers("ana's", ("bo's",)),
        secrets.whispers(MASTER, ("cy's",)),
        secrets.standing("bo's", {"push": ("yes", "no")}),
        secrets.held_throws(),
        secrets.hiding(secrets.Foe("wolf", beasts, acts), secrets.Foe("bear", beasts, acts), random),
    )
    return secrets.some(kinds, random)


def alien() -> Stage:
    system = registry.load("alien")
    scene = {**scene_of(system, "derelict"), "combat": {"kind": "Combat"}}
    return Stage(system, scene, CREW, alien_secrets, USUAL, odds_every=30)


BAND: Final = {"ana's": ("Ash",), "bo's": ("Bell",), "cy's": ("Cole",)}
COLE: Final[Plain] = {"attributes": {"Influence": 2}, "items": [{"name": "knife", "wp": 2, "rp": 1}]}


def distemper_secrets(random: Random, *, fighting: bool) -> tuple[Secret, ...]:
    raiders = [{"kind": "Character", "player": False, "wp": n, "items": [{"name": "axe", "wp": 1}]} for n in (1, 9)]
    acts: list[Any] = [("check", lambda who: {"using": "Acumen"}), ("hurt", lambda who: {"who": who, "wp": 1, "rp": 0})]
    acts += [("gut-instinct", lambda who: {"using": "Acumen", "hidden": True}), ("would-die", lambda who: {"who": who})]
    hiding = secrets.hiding(secrets.Foe("wolf", raiders, acts), secrets.Foe("bear", raiders, acts), random)
    if fighting:
        sides = [["Ash", "Bell", "Cole"], ["raider"]]
        other = next((name for name in ("wolf", "bear") if hiding.there.get(name)), None)
        fights = [[sides[0], [*sides[1], *([name] if name else [])]] for name in ("wolf", other)]
        here, there = ({"fight": {"kind": "Fight", "sides": each}} for each in fights)
        hiding = replace(hiding, here={**hiding.here, **here}, there={**hiding.there, **there})
    kinds = (
        secrets.argument("check", "Ash", "secret", (-3, 3), using=("Acumen", "Physicality")),
        secrets.hidden_rolls(),
        secrets.whispers("ana's", ("bo's",)),
        secrets.standing(
            "bo's", {"agrees": ("yes", "no"), "insight-before": ("no", "bonus"), "insight-after": ("no",)}
        ),
        secrets.held_throws(),
        hiding,
    )
    return secrets.some(kinds, random)


def market() -> Stage:
    system = registry.load("distemper")
    scene = {**scene_of(system, "market"), "Cole": COLE}
    return Stage(system, scene, BAND, partial(distemper_secrets, fighting=False), USUAL, odds_every=60)


def roadblock() -> Stage:
    system = registry.load("distemper")
    scene = {**scene_of(system, "roadblock"), "Cole": COLE}
    scene["fight"] = {"kind": "Fight", "sides": [["Ash", "Bell", "Cole"], ["raider"]]}
    return Stage(system, scene, BAND, partial(distemper_secrets, fighting=True), USUAL, odds_every=60)


STAGES: Final = {each.__name__: each for each in (rogues, coin, alien, market, roadblock)}


@pytest.fixture(scope="module", autouse=True)
def sixth() -> Iterator[None]:
    """A system another package brings, found through its entry point."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SIXTH))
        registry.load.cache_clear()
        yield
    registry.load.cache_clear()


# --- the test ---------------------------------------------------------------------------------------------------------


def walked(stage: Stage, walks: int, moves: int = MOVES, opening: OpenTable = open_table) -> tuple[int, int, int]:
    """Walk some scripts; how many pairs of script and viewer, comparisons, and reveals there were."""
    pairs = compared = revealed = 0
    for seed in range(walks):
        walk = Walk(stage, opening, seed)
        walk.go(moves)
        pairs, compared, revealed = pairs + walk.pairs, compared + walk.compared, revealed + len(walk.revealed)
    return pairs, compared, revealed


@pytest.mark.sweep(1)
@pytest.mark.parametrize("stage", STAGES)
def test_who_may_not_know_cannot_tell(stage: str) -> None:
    pairs, compared, revealed = walked(STAGES[stage](), WALKS or FEW[stage])
    sys.stdout.write(f"{stage}: {pairs} pairs of script and viewer, {compared} comparisons, {revealed} revealed\n")
    assert pairs > 40
    assert compared > 5 * pairs
    assert revealed < pairs / 2


LUCKY: Final = 3


def check_lucky(scene: Scene, who: Who[Rogue]) -> None:
    """Someone with a luck of 3 keeps the coins they came with; a step may break this in one world only."""
    if scene[who].luck == LUCKY and scene[who].coins != Rogue().coins:
        raise Refused("coins", because=f"{who} has luck {scene[who].luck}", rule="worlds.luck")


def checked_luck() -> Stage:
    """The rogues, with a check that objects by a secret."""
    moves = tuple(each for each in USUAL if each is not meddle)  # an edit is refused by the check, and leaves nothing
    stage = rogues("field")
    return replace(stage, system=replace(stage.system, check=check_lucky), moves=moves)


def test_who_may_not_know_cannot_tell_that_a_step_left_what_the_book_does_not_allow() -> None:
    objected = pairs = 0
    for seed in range(6):
        walk = Walk(checked_luck(), open_table, seed)
        walk.go(MOVES)
        counts = [sum(isinstance(line, CheckFailed) for line in world.table.journal.lines) for world in walk.worlds]
        objected, pairs = objected + (counts[0] != counts[1]), pairs + walk.pairs
    assert (objected > 0, pairs > 6) == (True, True)


def test_a_feed_that_told_everyone_what_the_check_objects_to_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.views.feed._hears", lambda line, seat: True)
    with pytest.raises(Leak):
        walked(checked_luck(), 6)


# --- code that tells too much -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutation:
    """A place in the code, what it is replaced by, and the kind of secret that it leaks."""

    where: str
    made: Callable[[Any], Any]
    """The mutant of what stands there."""
    kind: str


def always(value: object) -> Callable[[Any], Any]:
    return lambda _: lambda *_, **__: value


def counted_by_lines(tell: Any) -> Any:
    def told(self: Feed, number: int, item: dict[str, Plain], cause: int | None = None) -> None:
        tell(self, number, item, cause)
        self.items[-1]["id"] = number

    return told


def without_seals(hides: Any) -> Any:
    def hidden(self: Feed, line: Line, seat: Seat) -> bool:
        return bool(hides(self, replace(line, left=0) if isinstance(line, AnswerGiven) else line, seat))

    return hidden


def held_is_shown(hides: Any) -> Any:
    return lambda self, line, seat: not isinstance(line, ThrowHeld) and hides(self, line, seat)


def empty_is_told(line: Any) -> Any:
    def told(self: Feed, number: int, filed: Line, seat: Seat) -> Iterator[dict[str, Plain]]:
        items = list(line(self, number, filed, seat))
        yield from items or [{"kind": "happened", "then": []}]

    return told


def at_the_end(came: Any) -> Any:
    return lambda self, line, seat: [(len(line.then), each) for _, each in came(self, line, seat)]


def standing_is_public(public: Any) -> Any:
    return lambda self, *hidden: {**public(self, *hidden), "standing": write(self.standing)}


def by_default(original: Any) -> Any:
    """Secret steps are begun like others."""
    return lambda self, by, rule, given=None, **_: original(self, by, rule, given)


MUTATIONS: Final = {
    "a field": Mutation(
        "referee.core.visibility.visible_fields", lambda _: lambda name, kind, fields, seat: fields, "field"
    ),
    "a changed field": Mutation("referee.views.redaction.visible_fields", lambda _: lambda n, k, f, s: f, "field"),
    "an item for nothing": Mutation("referee.views.feed.Feed._line", empty_is_told, "field ana"),
    "a count": Mutation("referee.views.feed.Feed._tell", counted_by_lines, "hidden rolls"),
    "a whisper": Mutation("referee.views.feed._hears", always(True), "whispers"),
    "cards": Mutation("referee.core.visibility.may_look", always(True), "cards"),
    "cards that moved": Mutation("referee.views.redaction.may_look", always(True), "throws of ana"),
    "an argument": Mutation("referee.views.redaction.hidden_arguments", always(()), "argument"),
    "a result": Mutation("referee.views.feed._keeps_secret", always(False), "argument climb"),
    "a sealed choice": Mutation("referee.views.feed.Feed._hides", without_seals, "choices"),
    "held dice": Mutation("referee.views.feed.Feed._hides", held_is_shown, "held"),
    "a deadline": Mutation("referee.core.visibility.seen_records", lambda _: lambda k, value, *_: value, "deadlines"),
    "a deadline that is set": Mutation(
        "referee.views.redaction.seen_records", lambda _: lambda k, value, *_: value, "deadlines"
    ),
    "a deadline that comes due": Mutation("referee.views.feed._sees", always(True), "deadlines"),
    "a hidden roll": Mutation("referee.journal.journal.Journal.begin", by_default, "hidden rolls"),
    "a throw": Mutation("referee.views.feed._sees", always(True), "throws of ana"),
    "standing answers": Mutation("referee.table.members.Member.public", standing_is_public, "standing"),
    "who is in hiding": Mutation("referee.core.visibility.hidden_names", always(frozenset()), "hiding"),
    "what is said of them": Mutation("referee.core.visibility.mentions", always(False), "hiding"),
    "what is asked about them": Mutation("referee.views.questions.known_question", lambda _: lambda q, *_: q, "hiding"),
    "who is awaited": Mutation("referee.table.questions.is_known", always(True), "hiding"),
    "marks": Mutation("referee.journal.steps.marked", lambda _: lambda line, *_: line, "hiding"),
    "what may be done": Mutation("referee.table.desk.known_to", lambda _: lambda state, seat: state, "hiding"),
    "odds": Mutation("referee.forecast.risk.known_to", lambda _: lambda state, seat: state, "cards of deck"),
    "a modifier": Mutation(
        "referee.views.redaction.redacted_mods", lambda _: lambda mods, seat: mods, "argument attempt"
    ),
    "who helps": Mutation("referee.journal.details.names_any", always(False), "hiding"),
    "dice that are kept": Mutation("referee.views.feed.redacted_roll", lambda _: lambda roll, *_, **__: roll, "held"),
    "what a rule came to": Mutation("referee.views.feed.Feed._tells_results", always(True), "argument attempt"),
    "who was asked on the way": Mutation("referee.journal.details.are_about", always(False), "hiding"),
    "when a rule came to it": Mutation("referee.views.feed.Feed._sub_results", at_the_end, "hiding"),
    "why at once": Mutation("referee.table.desk.Desk._redacted", lambda _: lambda self, why, _: why, "field ana"),
    "why in the middle": Mutation("referee.views.feed._explains", always(True), "field ana"),
}


LONG_WALKS = {"dice that are kept", "odds", "why in the middle"}
"""Mutations that many walks pass by before one of them notices."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG_WALKS else []) for name in MUTATIONS]
)
def test_a_leak_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation = MUTATIONS[name]
    stage = replace(rogues(mutation.kind), odds_every=1 if name == "odds" else 1000)
    where, _, attribute = mutation.where.rpartition(".")
    place = pkgutil.resolve_name(where)
    monkeypatch.setattr(place, attribute, mutation.made(getattr(place, attribute)))
    with pytest.raises(Leak):
        walked(stage, MOST_WALKS)
