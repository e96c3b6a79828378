"""Social interactions: rank, office and reputation, and one speaker before several people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from referee.core import (
    DICE,
    PIPS,
    TOTAL,
    Bands,
    Effect,
    Mod,
    Mods,
    Pick,
    Scene,
    action,
    figure,
    figures,
    formula,
    frozen,
    hand_over,
    lay,
    refuse,
    rule,
    suggest,
)
from referee.core import total as sum_of
from referee.core.branches import LEFT_OUT, Changed, unless_left_out
from referee.core.composed import KernelCalls, WeightedEnds, after_all, joined
from referee.core.effects import EFFECTS, NONE, Adds, Extra, applying, moment, remove_effects
from referee.core.modifiers import Itemised
from referee.core.rules import Decide, Ends, outline
from referee.kits.dice_codes import Code
from referee.systems.d6.codes import Ability
from referee.systems.d6.combat.round import DeclaredAction
from referee.systems.d6.opposed import check_other, check_seduced, harder_for
from referee.systems.d6.resolution import check_skill_in
from referee.systems.d6.rolls import ACTION, ANY_ROLL, is_secret_roll, modified_code, roll_for, rolled_mods, throw
from referee.systems.d6.sheet import Hero, Person, others
from referee.systems.d6.situations import Situation
from referee.systems.d6.work import check_worker

SEVERAL: Final = "d6.social.multiple-interlocutors"
MESSAGE: Final = "d6.arts.full-effect/message"
CONVINCED: Final = "convinced about "
REPUTATION: Final = "d6.social.reputation-modifier"
STATUS: Final = figure("d6.social.status-modifier", "dice_per_point", int)
INTERACTION: Final = "interaction"
THE_CROWD: Final = "the crowd"
SCENE_END: Final = "scene end"
"""The moment at which moods and first impressions are over."""
FOR: Final = "for"
AGAINST: Final = "against"

Setting: TypeAlias = Literal["", "formal", "hostile"]
"""Whether rank counts, and for whom: in formal company for the higher one, in hostile circles against him."""


@figures("d6.social.authority-modifier")
class Authority:
    """What each level of an office is worth to whoever is known to hold it."""

    dice_per_level: int
    merit: str


@formula("d6.social.status-modifier")
def status_mods(scene: Scene, who: Person, other: Person, setting: Setting = "formal") -> Mods:
    """What rank is worth: dice for whoever has more of it, or against him in hostile circles."""
    points = scene[who].social_status - scene[other].social_status
    dice = max(0, points) * scene[STATUS] * (-1 if setting == "hostile" else 1)
    return (Mod(dice, "social status", STATUS.rule, unit=DICE),) if dice and setting else ()


@formula("d6.social.authority-modifier")
def authority_mods(scene: Scene, who: Person, resented: bool = False) -> Mods:
    """What an office is worth to an officer who is known as one, or costs where officers are not liked."""
    of = scene[Authority]
    level = max((each.level for each in scene[who].merits if each.name == of.merit), default=0)
    dice = level * of.dice_per_level * (-1 if resented else 1)
    return (Mod(dice, of.merit, "d6.social.authority-modifier", unit=DICE),) if dice else ()


# --- reputation -------------------------------------------------------------------------------------------------------


def everybody(scene: Scene, who: None) -> tuple[Person, ...]:
    return scene.all(Hero)


Somebody: TypeAlias = Annotated[Person, Pick(everybody)]


def check_deed(scene: Scene, who: None, deed: str, amount: int) -> None:
    if not deed or not amount:
        refuse("say what people remember, and how much it counts", rule=REPUTATION)


@action("give-reputation", REPUTATION, check=check_deed, master=True)
async def give_reputation(
    scene: Scene,
    hero: Somebody,
    deed: Annotated[str, suggest("a deed")],
    amount: Annotated[int, suggest(5, 3, -3, -5)],
    among: tuple[Somebody, ...] = (),
) -> None:
    """People remember a deed: it counts when somebody talks to them, to all of them or only to some."""
    effect = Effect(Adds(amount, TOTAL), frozenset({INTERACTION}))
    for each in among or (None,):
        await lay(hero, effect, source=deed, by=REPUTATION, against=each)


@formula(REPUTATION + "/among", REPUTATION)
def reputation_mods(scene: Scene, who: Person, other: Person) -> Mods:
    """What those who know of somebody's deeds make of them; a deed that everybody knows of counts by itself."""
    lasting = scene.get(EFFECTS, NONE).lasting
    known = (each for each in lasting if (each.on, each.against) == (who.name, other.name))
    return tuple(
        Mod(each.effect.does.amount, each.source, each.rule, unit=each.effect.does.unit)
        for each in known
        if isinstance(each.effect.does, Adds) and INTERACTION in each.effect.when
    )


def deeds(scene: Scene, who: None, hero: Person) -> tuple[str, ...]:
    lasting = scene.get(EFFECTS, NONE).lasting
    return tuple(dict.fromkeys(each.source for each in lasting if each.on == hero.name and each.rule == REPUTATION))


@action("end-reputation", REPUTATION + "/end", REPUTATION, master=True)
async def end_reputation(scene: Scene, hero: Somebody, deed: Annotated[str, Pick(deeds)]) -> None:
    """A deed is forgotten."""
    await remove_effects(hero, deed)


# --- a message --------------------------------------------------------------------------------------------------------


def convinced(about: str) -> str:
    """What those have heard whom a message has reached; whoever speaks to them for it has so many pips more."""
    return f"{CONVINCED}{about}"


def speeches(scene: Scene, who: Person) -> tuple[str, ...]:
    """What one may speak for or against: what a message has convinced somebody of."""
    found = (each.effect.does for each in scene.get(EFFECTS, NONE).lasting)
    about = (
        does.of.removeprefix(CONVINCED) for does in found if isinstance(does, Extra) and does.of.startswith(CONVINCED)
    )
    return ("", *(f"{side} {each}" for each in dict.fromkeys(about) for side in (FOR, AGAINST)))


Speech: TypeAlias = Annotated[str, Pick(speeches, seldom=True)]
"""What is spoken for or against, where a message has prepared people for it: `for peace`."""


def talked_for(scene: Scene, other: Person | None, speech: str) -> Mods:
    """What a message has done for a speech, if it is about one."""
    return speech_mods(scene, other, speech) if speech and other is not None else ()


@formula(MESSAGE, "d6.arts.full-effect")
def speech_mods(scene: Scene, other: Person, speech: str) -> Mods:
    """Whoever speaks for what a message has convinced somebody of has its pips more, whoever speaks against it less."""
    side, _, about = speech.partition(" ")
    pips = applying(scene, other).extra(convinced(about)) * (1 if side == FOR else -1)
    return (Mod(pips, convinced(about), MESSAGE, unit=PIPS),) if pips else ()


# --- several listeners ------------------------------------------------------------------------------------------------


@frozen
class Listener:
    """How one of those who listen took it."""

    who: str
    won: bool
    margin: int
    """By how much the speaker was better, or worse."""
    tie: bool = False


@frozen
class Address:
    """How a speech went, for everyone who listened."""

    total: int
    listeners: tuple[Listener, ...]

    @property
    def won(self) -> int:
        return sum(each.won for each in self.listeners)


ADDRESSED: Final[Bands[Address]] = Bands(
    of=lambda found: "all" if found.won == len(found.listeners) else "some" if found.won else "nobody",
    keys=("all", "some", "nobody"),
    good=("all", "some"),
)


def check_listeners(
    scene: Scene, who: Person, using: str, listeners: tuple[Person, ...], against: str, crowd: Code | None
) -> None:
    """Somebody has to listen, and to be able to."""
    if not listeners and crowd is None:
        refuse("somebody has to listen")
    for each in listeners:
        check_other(scene, who, each, against)
        check_seduced(scene, who, each, using)


@action(
    "address",
    SEVERAL,
    "d6.social.opposed-roll",
    "d6.social.status-modifier",
    bands=ADDRESSED,
    turn=check_worker,
    price=DeclaredAction(),
    check=(check_skill_in, check_listeners),
    secret=is_secret_roll,
)
async def address(
    scene: Scene,
    who: Person,
    using: Ability,
    listeners: tuple[Annotated[Person, Pick(others)], ...] = (),
    against: Ability = "Willpower",
    crowd: Code | None = None,
    setting: Setting = "",
    mods: Mods = (),
    other_mods: Mods = (),
    situation: Situation = (),
    speech: Speech = "",
) -> Address:
    """Speak to several people at once: one roll, which each of them opposes; a crowd has one average code for all.

    However many there are, it is one action.
    """
    rank = status_mods(scene, who, most_honoured(scene, listeners), setting) if listeners else ()
    heard = tuple(hearing(scene, who, each, setting, speech) for each in listeners)
    against_all = rolled_mods((*other_mods, *harder_for(mods)))
    tags = (ACTION, ANY_ROLL, INTERACTION, *situation)
    return await hand_over(speak(who, using, (*rolled_mods(mods), *rank), tags, heard, against, against_all, crowd))


Spoken: TypeAlias = tuple[Any, tuple[Listener, ...]]
"""A total of the speaker, or that it is left out, and how those took it who were asked so far."""


@frozen
class Hearing:
    """Somebody who listens: what helps them against the speaker, and what the speaker's deeds are worth to them."""

    who: Person
    mods: Mods
    known: int


def hearing(scene: Scene, who: Person, other: Person, setting: Setting, speech: str) -> Hearing:
    """What rank, deeds and a message change between a speaker and one of the listeners."""
    known = sum_of((*reputation_mods(scene, who, other), *talked_for(scene, other, speech)))
    return Hearing(other, (*status_mods(scene, other, who, setting), *reputation_mods(scene, other, who)), known)


@rule(SEVERAL + "/speak", SEVERAL, "d6.social.opposed-roll")
async def speak(
    scene: Scene,
    who: Person,
    using: str,
    mods: Mods,
    tags: tuple[str, ...],
    listeners: tuple[Hearing, ...],
    against: str,
    against_all: Mods,
    crowd: Code | None,
) -> Address:
    """One roll, which each of the listeners opposes; a crowd has one code for all of them."""
    spoken, found = await roll_for(who, using, mods, tags), tuple[Listener, ...]()
    for each in listeners:
        heard = await roll_for(each.who, against, (*against_all, *each.mods), (ANY_ROLL, INTERACTION))
        found = (*found, listened(each.who.name, spoken.total + each.known, heard.total))
    if crowd is not None:
        code, plus = modified_code(scene, crowd, against_all)
        found = (*found, listened(THE_CROWD, spoken.total, (await throw(None, code, plus, Itemised())).total))
    return Address(spoken.total, found)


@outline(speak, keeps={Address: ("listeners",), Listener: ("who", "won")})
def speech_outline(
    scene: Scene,
    decide: Decide,
    who: Person,
    using: str,
    mods: Mods,
    tags: tuple[str, ...],
    listeners: tuple[Hearing, ...],
    against: str,
    against_all: Mods,
    crowd: Code | None,
) -> Ends[Address] | None:
    """Who is won over: for each total of the speaker, how often everybody who listens stays below it."""
    opposing = [
        (each.who.name, each.known, roll_for(each.who, against, (*against_all, *each.mods), (ANY_ROLL, INTERACTION)))
        for each in listeners
    ]
    if crowd is not None:
        opposing.append((THE_CROWD, 0, throw(None, *modified_code(scene, crowd, against_all), Itemised())))
    calls, found = KernelCalls.of(decide), WeightedEnds[Address]()
    states: list[tuple[Changed, int, Counter[Spoken]]] = [
        (changes, whole, Counter({(total, ()): ways for total, ways in totals_of(rolls).items()}))
        for changes, whole, rolls in calls.groups(roll_for(who, using, mods, tags), scene)
    ]
    for name, known, call in opposing:
        states = [
            (joined(changes, more), whole * of, heard_by(name, known, said, totals_of(rolls)))
            for changes, whole, said in states
            for more, of, rolls in calls.groups(call, after_all(scene, changes))
        ]
    for changes, whole, said in states:
        for (total, heard), ways in said.items():
            found.add(LEFT_OUT if total is LEFT_OUT else Address(0, heard), changes, ways, whole)
    return found.ends()


def totals_of(rolls: Iterable[tuple[Any, int]]) -> Counter[Any]:
    """How often each total comes; whatever is left out is one of them."""
    found = Counter[Any]()
    for rolled, ways in rolls:
        found[unless_left_out(rolled, lambda each: each.total)] += ways
    return found


def heard_by(name: str, known: int, said: Mapping[Spoken, int], totals: Counter[Any]) -> Counter[Spoken]:
    """What one more listener makes of what was said before the others."""
    found, lost = Counter[Spoken](), totals.pop(LEFT_OUT, 0)
    for (spoken, heard), ways in said.items():
        if spoken is LEFT_OUT:
            found[LEFT_OUT, ()] += ways * (totals.total() + lost)
            continue
        won = sum(times for total, times in totals.items() if spoken + known > total)
        for is_won, times in ((True, won), (False, totals.total() - won)):
            if times:
                found[spoken, (*heard, Listener(name, is_won, 0))] += ways * times
        if lost:
            found[LEFT_OUT, ()] += ways * lost
    return found


def most_honoured(scene: Scene, people: tuple[Person, ...]) -> Person:
    """Whoever has the highest rank of several."""
    return max(people, key=lambda each: scene[each].social_status)


def listened(name: str, spoken: int, heard: int) -> Listener:
    return Listener(name, spoken > heard, spoken - heard, spoken == heard)


@action("end-scene", "d6.social.opposed-roll/scene-end", "d6.social.opposed-roll", master=True)
async def end_scene(scene: Scene) -> None:
    """The scene is over, and with it moods, good impressions and what art has stirred."""
    await moment(SCENE_END)
