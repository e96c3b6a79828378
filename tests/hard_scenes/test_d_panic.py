"""Hard scene (d): panic runs through a zone, and forces acts out of turn.

Rules of the ledger: alien.panic.roll, .table, .more-panic, .cascade, .triggers, and alien.combat.close-attack, .defend.
Noisy, Twitchy and Lose Item have rules of their own and are only told; attacks have base dice and are not pushed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from fractions import Fraction
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias, final

import pytest

from referee.core import (
    D6,
    YES,
    BadAnswer,
    Mod,
    Open,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    Total,
    Who,
    alter,
    choose,
    marked_die,
    react,
    roll,
    rule,
    tell,
    total,
)
from referee.core.questions import Choice, Question
from referee.core.run import Run, drive
from referee.drivers.exact import Exact
from referee.drivers.scripted import Played, play
from referee.testing.conformance import agree

# --- the table --------------------------------------------------------------------------------------------------------


class Panic(IntEnum):
    """The panic responses by their number."""

    KEEPING_COOL = 0
    SPOOKED = 1
    NOISY = 2
    TWITCHY = 3
    LOSE_ITEM = 4
    PARANOID = 5
    HESITANT = 6
    FREEZE = 7
    SEEK_COVER = 8
    SCREAM = 9
    FLEE = 10
    FRENZY = 11
    CATATONIC = 12


class Lasts(Enum):
    """How long a response is suffered."""

    INSTANT = "instant"
    NEXT_TURN = "next turn"
    UNTIL_STOP = "until stop"


@final
@dataclass(frozen=True, slots=True)
class Row:
    """What the table says beside a response."""

    lasts: Lasts
    stress: int = 0
    stress_others: int = 0
    behaviour: bool = False


TABLE: Final = {
    Panic.KEEPING_COOL: Row(Lasts.INSTANT),
    Panic.SPOOKED: Row(Lasts.INSTANT, stress=1),
    Panic.NOISY: Row(Lasts.INSTANT),
    Panic.TWITCHY: Row(Lasts.INSTANT),
    Panic.LOSE_ITEM: Row(Lasts.INSTANT),
    Panic.PARANOID: Row(Lasts.UNTIL_STOP),
    Panic.HESITANT: Row(Lasts.UNTIL_STOP),
    Panic.FREEZE: Row(Lasts.NEXT_TURN, behaviour=True),
    Panic.SEEK_COVER: Row(Lasts.NEXT_TURN, stress=-1, behaviour=True),
    Panic.SCREAM: Row(Lasts.NEXT_TURN, stress=-1, behaviour=True),
    Panic.FLEE: Row(Lasts.UNTIL_STOP, stress=-1, stress_others=1, behaviour=True),
    Panic.FRENZY: Row(Lasts.UNTIL_STOP, behaviour=True),
    Panic.CATATONIC: Row(Lasts.UNTIL_STOP, behaviour=True),
}
BEHAVIOUR: Final = frozenset(response for response, row in TABLE.items() if row.behaviour)
OVER_WHEN_BROKEN: Final = frozenset(response for response, row in TABLE.items() if row.lasts is Lasts.UNTIL_STOP)


def on_the_table(number: int) -> Panic:
    return Panic(min(max(number, Panic.KEEPING_COOL), Panic.CATATONIC))


# --- the people and the place -----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Colonist:
    """As much of a character as panics."""

    zone: Open[str]
    stress: Open[int] = 0
    resolve: Open[int] = 0
    health: Open[int] = 3
    close_combat: Open[int] = 2
    quick_actions: Open[int] = 1
    in_cover: Open[bool] = False
    suffers: Open[frozenset[Panic]] = frozenset()

    @property
    def broken(self) -> bool:
        return self.health == 0

    def stressed(self, by: int) -> Colonist:
        """Stress rises or falls, never below 0; the broken gain none."""
        return self if self.broken else replace(self, stress=max(0, self.stress + by))

    def suffering(self, response: Panic) -> Colonist:
        """What lasts is suffered; of the behaviours, only the new one."""
        if TABLE[response].lasts is Lasts.INSTANT:
            return self
        kept = self.suffers - BEHAVIOUR if response in BEHAVIOUR else self.suffers
        return replace(self, suffers=kept | {response})

    def covered(self) -> Colonist:
        return replace(self, in_cover=True)

    def moved(self, zone: str) -> Colonist:
        return replace(self, zone=zone, in_cover=False)

    def interrupting(self) -> Colonist:
        return replace(self, quick_actions=self.quick_actions - 1)

    def hurt(self, damage: int) -> Colonist:
        """At no health somebody is broken, and the own panic ends."""
        health = max(0, self.health - damage)
        return replace(self, health=health, suffers=self.suffers if health else self.suffers - OVER_WHEN_BROKEN)


@final
@dataclass(frozen=True, slots=True)
class Zone:
    """A room. Over an open intercom panic is heard in another one: a house rule, for the longest chains."""

    ways: Open[tuple[str, ...]] = ()
    cluttered: Open[bool] = False
    intercom: Open[str | None] = None


@final
@dataclass(frozen=True, slots=True)
class Horror:
    """What everybody runs from."""

    zone: Open[str]


People: TypeAlias = tuple[Who[Colonist], ...]
HORROR: Final = Who("horror", Horror)


def friends(scene: Scene, who: Who[Colonist], *zones: str | None) -> People:
    """The others on this side who are in these zones and not broken."""
    here = (each for each in scene.all(Colonist) if each != who and not scene[each].broken)
    return tuple(each for each in here if scene[each].zone in zones)


def hearing(scene: Scene, who: Who[Colonist]) -> People:
    """Whom somebody's panic makes roll: the friends then in the zone, and those at the intercom."""
    return friends(scene, who, scene[who].zone, zone_of(scene, who).intercom)


def zone_of(scene: Scene, who: Who[Colonist]) -> Zone:
    return scene[Who(scene[who].zone, Zone)]


def ways_out(scene: Scene, who: Who[Colonist]) -> tuple[str, ...]:
    """Adjacent zones away from the source."""
    return tuple(way for way in zone_of(scene, who).ways if HORROR not in scene or way != scene[HORROR].zone)


# --- the rules --------------------------------------------------------------------------------------------------------

PANIC: Final = Prompt("panic")
NEXT: Final = Prompt("next")
FLEE: Final = Prompt("flee")
NEAREST: Final = Prompt("nearest")
DEFEND: Final = Prompt("defend")
ATTACK: Final = Prompt("attack")

BASE: Final = marked_die("base", 6, six=6)


@rule("hard.panic.triggers")
async def face_horror(scene: Scene, who: Who[Colonist]) -> None:
    """Somebody sees what nobody should: a panic roll at once. The broken are past that."""
    if scene[who].broken:
        raise Refused("panic", because=f"{who} is broken", rule="alien.panic.triggers")
    await panic_roll(who)


@rule("hard.panic.roll")
async def panic_roll(scene: Scene, who: Who[Colonist]) -> None:
    """D6 + stress - resolve on the table, with the stress of the moment."""
    if scene[who].broken:
        return
    mods = Mod(scene[who].stress, "stress"), Mod(-scene[who].resolve, "resolve")
    thrown = await roll(PANIC, who, Pool.of((D6, 1)), Total, mods=mods)
    await suffer(who, on_the_table(thrown.total + total(mods)))


@rule("hard.panic.more-panic")
async def suffer(scene: Scene, who: Who[Colonist], rolled: Panic) -> None:
    """What is suffered already gives the next higher; of two behaviours the higher holds and the other is dropped."""
    response = settled(scene[who].suffers, rolled)
    if response is None:
        return
    await alter(who, Colonist.suffering, response)
    await tell("panic-response", who=who, response=response.name)
    match response:
        case Panic.SPOOKED:
            await alter(who, Colonist.stressed, TABLE[response].stress)
        case Panic.SEEK_COVER:
            await seek_cover(who)
        case Panic.SCREAM:
            await scream(who)
        case Panic.FLEE:
            await flee(who)
        case Panic.FRENZY:
            await frenzy(who)
        case _:
            pass  # held, or told, and nothing more


def settled(suffers: frozenset[Panic], rolled: Panic) -> Panic | None:
    """What a result comes to for somebody who panics already; None where something higher holds."""
    higher = (response for response in Panic if response >= rolled and response not in suffers)
    response = next(higher, None)
    if response in BEHAVIOUR and any(held > response for held in suffers & BEHAVIOUR):
        return None
    return response


@rule("hard.panic.seek-cover")
async def seek_cover(scene: Scene, who: Who[Colonist]) -> None:
    """Out of turn: full cover, where there is any; else a scream."""
    if not zone_of(scene, who).cluttered:
        await suffer(who, Panic.SCREAM)
        return
    await alter(who, Colonist.covered)
    await alter(who, Colonist.stressed, TABLE[Panic.SEEK_COVER].stress)


@rule("hard.panic.scream")
async def scream(scene: Scene, who: Who[Colonist]) -> None:
    """It relieves, and whoever hears it panics in turn."""
    await alter(who, Colonist.stressed, TABLE[Panic.SCREAM].stress)
    await force_rolls(who, hearing(scene, who))


@rule("hard.panic.flee")
async def flee(scene: Scene, who: Who[Colonist]) -> None:
    """Out of turn: into an adjacent zone away from the source, a relief at the expense of those left behind."""
    if not ways_out(scene, who):
        await suffer(who, Panic.CATATONIC)
        return
    refuge = await choose(who, FLEE, ways_out(scene, who))
    left_behind = friends(scene, who, scene[who].zone)
    await alter(who, Colonist.moved, refuge)
    await alter(who, Colonist.stressed, TABLE[Panic.FLEE].stress)
    for friend in left_behind:
        await alter(friend, Colonist.stressed, TABLE[Panic.FLEE].stress_others)


@rule("hard.panic.frenzy")
async def frenzy(scene: Scene, who: Who[Colonist]) -> None:
    """At once an attack on the nearest, friend or foe; and every friend in the zone panics in turn."""
    if near := friends(scene, who, scene[who].zone):
        await attack(who, await choose(None, NEAREST, near))
    await force_rolls(who, hearing(scene, who))


@rule("hard.panic.cascade")
async def force_rolls(scene: Scene, by: Who[Colonist], on: People) -> None:
    """One event forces one roll on each, one after the other, in the order the players choose."""
    left = list(on)
    while left:
        first = await choose(by, NEXT, left)
        left.remove(first)
        await panic_roll(first)


@rule("hard.panic.attack")
async def attack(scene: Scene, who: Who[Colonist], target: Who[Colonist]) -> None:
    """The defence is declared before the attack is rolled; each of its sixes cancels one."""
    defends = await react(target, DEFEND, YES, check=lambda _: check_interrupt(scene[target]), about=who)
    if defends:
        await alter(target, Colonist.interrupting)
    await alter(target, Colonist.stressed, 1)
    sixes = (await roll(ATTACK, who, Pool.of((BASE, scene[who].close_combat)), SymbolCounts)).count("six")
    if defends:
        sixes -= (await roll(DEFEND, target, Pool.of((BASE, scene[target].close_combat)), SymbolCounts)).count("six")
    if sixes > 0:
        await hurt(target, sixes)  # unarmed: 1, and 1 for each six beyond the first


def check_interrupt(sheet: Colonist) -> None:
    """A quick action must be left, and no behaviour that takes the turn or forbids interrupts."""
    if sheet.quick_actions == 0:
        raise Refused("defend", because="no quick action is left", rule="alien.combat.interrupts")
    if held := sheet.suffers & BEHAVIOUR:
        raise Refused("defend", because=f"{max(held).name} allows no interrupt", rule="alien.panic.table")


@rule("hard.panic.broken")
async def hurt(scene: Scene, who: Who[Colonist], damage: int) -> None:
    """Whoever sees a friend broken panics."""
    await alter(who, Colonist.hurt, damage)
    if scene[who].broken:
        await force_rolls(who, friends(scene, who, scene[who].zone))


# --- played by hand ---------------------------------------------------------------------------------------------------

ANA, BO, CY, DEE = (Who(name, Colonist) for name in ("ana", "bo", "cy", "dee"))
MESS: Final = {"mess": Zone(("lock", "hold"), cluttered=True), "lock": Zone(("mess",)), "hold": Zone(("mess",))}


def scene_of(people: Mapping[str, Colonist], zones: Mapping[str, Zone] = MESS, horror: str | None = None) -> State:
    return State({**zones, **people, **({"horror": Horror(horror)} if horror else {})})


def seats(played: Played[Any]) -> list[str]:
    """Who was asked what, in order."""
    return [f"{question.who or 'game master'}: {question.name}" for question in played.asked]


def sheet(played: Played[Any], who: Who[Colonist]) -> Colonist:
    return Scene(played.state)[who]


def test_a_scream_forces_one_roll_on_each_friend_in_the_zone_and_on_nobody_next_door() -> None:
    people = {name: Colonist("mess", stress=3) for name in ("ana", "bo", "cy")} | {"dee": Colonist("hold", stress=3)}
    played = play(face_horror(ANA), scene_of(people), {"panic": "6 1 1", "next": "bo"})
    assert seats(played) == ["ana: panic", "ana: next", "bo: panic", "cy: panic"]
    assert sheet(played, ANA) == Colonist("mess", stress=2, suffers=frozenset({Panic.SCREAM}))


def test_each_rolls_with_the_stress_of_the_moment() -> None:
    # Ana screams; Bo (4 + 6) flees and leaves Cy with stress 4, whose 3 is then a Freeze (7) and no Hesitant (6).
    people = {"ana": Colonist("mess", 3), "bo": Colonist("mess", 4), "cy": Colonist("mess", 3)}
    answers = {"ana.panic": "6", "next": "bo", "bo.panic": "6", "flee": "hold", "cy.panic": "3"}
    played = play(face_horror(ANA), scene_of(people), answers)
    assert sheet(played, BO) == Colonist("hold", stress=3, suffers=frozenset({Panic.FLEE}))
    assert sheet(played, CY) == Colonist("mess", stress=4, suffers=frozenset({Panic.FREEZE}))
    assert sheet(played, ANA).stress == 3  # 3, less 1 for her scream, and 1 for being left behind


def test_the_order_is_the_players_choice() -> None:
    people = {name: Colonist("mess", stress=3) for name in ("ana", "bo", "cy", "dee")}
    played = play(face_horror(ANA), scene_of(people), {"panic": "6 1 1 1", "next": "dee bo"})
    assert seats(played)[1:] == ["ana: next", "dee: panic", "ana: next", "bo: panic", "cy: panic"]


def test_a_second_scream_makes_the_first_screamer_roll_again() -> None:
    # Bo screams inside Ana's event: Ana and Cy roll for his, and Cy still rolls for hers.
    people = {name: Colonist("mess", stress=3) for name in ("ana", "bo", "cy")}
    answers = {"ana.panic": "6 1", "ana.next": "bo", "bo.panic": "6", "bo.next": "ana", "cy.panic": "1 1"}
    played = play(face_horror(ANA), scene_of(people), answers)
    assert [seat for seat in seats(played) if "panic" in seat] == [
        f"{name}: panic" for name in ("ana", "bo", "ana", "cy", "cy")
    ]


def test_a_response_suffered_already_gives_the_next_higher_one() -> None:
    people = {"ana": Colonist("mess", 4, suffers=frozenset({Panic.PARANOID, Panic.HESITANT}))}
    played = play(face_horror(ANA), scene_of(people), {"panic": "1"})  # 5, then 6, then 7
    assert sheet(played, ANA).suffers == {Panic.PARANOID, Panic.HESITANT, Panic.FREEZE}


def test_a_scream_dropped_for_something_higher_is_heard_by_nobody() -> None:
    people = {"ana": Colonist("mess", 3, suffers=frozenset({Panic.FLEE})), "bo": Colonist("mess")}
    played = play(face_horror(ANA), scene_of(people), {"panic": "6"})
    assert played.state == scene_of(people)


def test_nothing_is_higher_than_catatonic() -> None:
    people = {"ana": Colonist("mess", 9, suffers=frozenset({Panic.CATATONIC})), "bo": Colonist("mess")}
    assert play(face_horror(ANA), scene_of(people), {"panic": "6"}).state == scene_of(people)


def test_in_an_open_zone_seeking_cover_is_a_scream() -> None:
    people = {"ana": Colonist("hold", 2), "bo": Colonist("hold", 2)}
    played = play(face_horror(ANA), scene_of(people), {"ana.panic": "6", "bo.panic": "1"})
    assert sheet(played, ANA) == Colonist("hold", 1, suffers=frozenset({Panic.SCREAM}))


def test_who_flees_chooses_where_to_but_not_towards_the_source() -> None:
    people = {"ana": Colonist("mess", 4), "bo": Colonist("mess", 4)}
    with pytest.raises(BadAnswer, match=r"'lock' is not an option .*; legal: hold"):
        play(face_horror(ANA), scene_of(people, horror="lock"), {"panic": "6", "ana.flee": "lock"})


def test_who_cannot_flee_is_catatonic() -> None:
    people = {"ana": Colonist("lock", 4), "bo": Colonist("lock", 4)}
    played = play(face_horror(ANA), scene_of(people, horror="mess"), {"panic": "6"})
    assert sheet(played, ANA) == Colonist("lock", 4, suffers=frozenset({Panic.CATATONIC}))
    assert sheet(played, BO).stress == 4


def test_frenzy_asks_the_game_master_for_the_nearest_and_the_target_before_the_dice() -> None:
    people = {"ana": Colonist("mess", 5), "bo": Colonist("mess"), "cy": Colonist("mess")}
    answers = {"panic": "6 1 1", "nearest": "cy", "cy.defend": "yes 6 1", "attack": "6 6", "next": "bo"}
    played = play(face_horror(ANA), scene_of(people), answers)
    assert seats(played)[:5] == ["ana: panic", "game master: nearest", "cy: defend", "ana: attack", "cy: defend"]
    assert sheet(played, CY) == Colonist("mess", stress=1, health=2, quick_actions=0)  # attacked by the own crew: +1


@pytest.mark.parametrize(
    "target", [Colonist("mess", suffers=frozenset({Panic.FREEZE})), Colonist("mess", quick_actions=0)]
)
def test_who_cannot_interrupt_is_not_asked_to_defend(target: Colonist) -> None:
    people = {"ana": Colonist("mess", 5), "bo": target}
    played = play(face_horror(ANA), scene_of(people), {"ana.panic": "6", "attack": "1 1", "bo.panic": "1"})
    assert seats(played) == ["ana: panic", "ana: attack", "bo: panic"]


def test_breaking_a_friend_makes_those_who_see_it_roll_and_ends_the_panic_of_the_broken() -> None:
    # Bo breaks under Ana's blows: Ana and Cy roll for that, then Cy alone for the frenzy.
    people = {
        "ana": Colonist("mess", 5),
        "bo": Colonist("mess", health=1, quick_actions=0, suffers=frozenset({Panic.PARANOID, Panic.FREEZE})),
        "cy": Colonist("mess"),
    }
    answers = {"ana.panic": "6 1", "nearest": "bo", "attack": "6 1", "bo.next": "ana", "cy.panic": "2 3"}
    played = play(face_horror(ANA), scene_of(people), answers)
    assert seats(played)[2:] == ["ana: attack", "bo: next", "ana: panic", "cy: panic", "cy: panic"]
    assert sheet(played, BO).suffers == {Panic.FREEZE}  # the turn to lose is still lost


def test_the_broken_make_no_panic_roll() -> None:
    with pytest.raises(Refused, match=r"panic: ana is broken \(alien.panic.triggers\)"):
        play(face_horror(ANA), scene_of({"ana": Colonist("mess", health=0)}))


# --- odds -------------------------------------------------------------------------------------------------------------


def first_come(question: Choice[Any], scene: Scene) -> Any:
    """Whoever stands first rolls first and is the nearest, the first way is taken, and nobody defends."""
    return question.default if question.name == DEFEND else question.legal[0]


def panicked(_: None, scene: Scene) -> frozenset[str]:
    return frozenset(who.name for who in scene.all(Colonist) if scene[who].suffers)


def test_two_people_by_hand() -> None:
    # Ana rolls 4 to 9: only 4 (Lose Item) leaves her calm, only 9 (Scream) makes Bo roll, who rolls 4 to 9 likewise.
    people = {"ana": Colonist("mess", 3), "bo": Colonist("mess", 3)}
    odds = agree(face_horror(ANA), scene_of(people), first_come)
    assert odds.by_end(panicked) == {
        frozenset(): Fraction(1, 6),
        frozenset({"ana"}): Fraction(4, 6) + Fraction(1, 6) * Fraction(1, 6),
        frozenset({"ana", "bo"}): Fraction(1, 6) * Fraction(5, 6),
    }


# The twin: no coroutine, no scene, no memory of rules. What is still to do is a list; every pip of every die is tried.


class Twin(NamedTuple):
    """A colonist again, with the numbers of the responses suffered."""

    zone: str
    stress: int
    health: int
    held: frozenset[int]
    in_cover: bool


Crowd: TypeAlias = tuple[Twin, ...]
Job: TypeAlias = tuple[str, int, int]
"""What is to be done, by whom, and with which figure."""
Then: TypeAlias = tuple[Crowd, tuple[Job, ...]]


def twin_of(people: Iterable[Colonist]) -> Crowd:
    return tuple(Twin(p.zone, p.stress, p.health, frozenset(map(int, p.suffers)), p.in_cover) for p in people)


def brute_force(people: Crowd) -> dict[Crowd, Fraction]:
    """Where the panic of the first of some people, each with two dice to hit with, can end."""
    ends: defaultdict[Crowd, Fraction] = defaultdict(Fraction)
    todo: dict[Then, Fraction] = {(people, (("roll", 0, 0),)): Fraction(1)}
    while todo:
        (crowd, jobs), chance = todo.popitem()
        if not jobs:
            ends[crowd] += chance
            continue
        after = twin_step(crowd, *jobs[0])
        for then, more in after:
            key = then, (*more, *jobs[1:])
            todo[key] = todo.get(key, Fraction(0)) + chance / len(after)
    return dict(ends)


def twin_step(crowd: Crowd, job: str, who: int, figure: int) -> list[Then]:
    """What can follow from one thing to do, all ways alike likely."""
    if job == "roll" and crowd[who].health == 0:
        return [(crowd, ())]
    if job == "roll":
        return [(crowd, (("result", who, max(0, min(12, pip + crowd[who].stress))),)) for pip in range(1, 7)]
    if job == "blow":
        return [twin_blow(crowd, figure, pips.count(6)) for pips in product(range(1, 7), repeat=2)]
    if job == "heard":
        return [(crowd, tuple(("roll", i, 0) for i in twin_around(crowd, who)))]
    return [twin_result(crowd, who, figure)]


def twin_around(crowd: Crowd, who: int) -> list[int]:
    return [i for i, twin in enumerate(crowd) if i != who and twin.zone == crowd[who].zone and twin.health > 0]


def twin_put(crowd: Crowd, who: int, **new: Any) -> Crowd:
    return (*crowd[:who], crowd[who]._replace(**new), *crowd[who + 1 :])


def twin_blow(crowd: Crowd, target: int, damage: int) -> Then:
    hit = crowd[target]
    crowd = twin_put(crowd, target, stress=hit.stress + 1, health=max(0, hit.health - damage))
    if crowd[target].health > 0:
        return crowd, ()
    return twin_put(crowd, target, held=hit.held & {7, 8, 9}), (("heard", target, 0),)


def twin_result(crowd: Crowd, who: int, number: int) -> Then:
    zone, stress, _, held, _ = crowd[who]
    relieved, around = max(0, stress - 1), twin_around(crowd, who)
    while number in held:
        number += 1
    if number > 12 or (number >= 7 and any(other > number for other in held)):
        return crowd, ()
    if number >= 5:
        crowd = twin_put(crowd, who, held=frozenset(n for n in held if n < 7 or number < 7) | {number})
    if number == 1:
        return twin_put(crowd, who, stress=stress + 1), ()
    if number == 8 and zone == "mess":
        return twin_put(crowd, who, stress=relieved, in_cover=True), ()
    if number == 8:
        return crowd, (("result", who, 9),)
    if number == 9:
        return twin_put(crowd, who, stress=relieved), (("heard", who, 0),)
    if number == 10:
        for i in around:
            crowd = twin_put(crowd, i, stress=crowd[i].stress + 1)
        return twin_put(crowd, who, zone="lock" if zone == "mess" else "mess", stress=relieved, in_cover=False), ()
    if number == 11 and around:
        return crowd, (("blow", who, around[0]), ("heard", who, 0))
    return crowd, ()


def crowd_in(_: None, scene: Scene) -> Crowd:
    return twin_of(scene[who] for who in scene.all(Colonist))


@pytest.mark.parametrize(
    "people",
    [
        pytest.param([Colonist("mess", 4)] * 2, id="two that may flee"),
        pytest.param([Colonist("mess", 5)] * 2, id="two that may come to blows"),
        pytest.param([Colonist("hold", s) for s in (3, 3, 1)], id="three in the open"),
        pytest.param([Colonist("mess", s) for s in (3, 4, 4)], id="three that may flee"),
        pytest.param([Colonist("mess", s, health=1) for s in (5, 3, 2)], id="three that may break"),
        pytest.param([Colonist("mess", s) for s in (3, 4, 2, 2)], id="four that may flee"),
        pytest.param([Colonist("mess", s, health=1) for s in (5, 0, 0, 0)], id="four that may break"),
    ],
)
def test_every_end_is_as_likely_as_the_brute_force_finds_it(people: list[Colonist]) -> None:
    crew = dict(zip(("ana", "bo", "cy", "dee"), people, strict=False))
    odds = Exact(first_come).of(face_horror(ANA), scene_of(crew))
    assert odds.by_end(crowd_in) == brute_force(twin_of(crew.values()))


@pytest.mark.parametrize("stress", [4, 5])
def test_all_drivers_tell_the_same_story(stress: int) -> None:
    crew = {"ana": Colonist("mess", stress, health=1), "bo": Colonist("mess", stress, health=1)}
    odds = agree(face_horror(ANA), scene_of(crew), first_come)
    assert odds.by_end(crowd_in) == brute_force(twin_of(crew.values()))


# --- depth ------------------------------------------------------------------------------------------------------------

FIRST: Final = Who("colonist 0", Colonist)


def screamers(_: None, scene: Scene) -> frozenset[str]:
    return frozenset(who.name for who in scene.all(Colonist) if Panic.SCREAM in scene[who].suffers)


def depths(scene: Scene, screams: int) -> list[int]:
    """How many rules deep each panic roll is. The first so many people roll a 6 at first; every other roll is a 1."""
    run = Run(scene, face_horror(FIRST))
    found: list[int] = []
    rolled: set[Who[Any] | None] = set()

    def answer(question: Question[Any], scene: Scene) -> Any:
        if isinstance(question, Choice):
            return question.legal[0]
        screams_now = question.who not in rolled and len(rolled) < screams
        rolled.add(question.who)
        found.append(run.depth)
        return question.read([6 if screams_now else 1])

    drive(run, answer)
    return found


def test_three_hundred_people_in_one_zone() -> None:
    # Ten scream, each inside the scream before, and each makes the 299 others roll.
    scene = Scene(scene_of({f"colonist {n}": Colonist("mess", 3) for n in range(300)}))
    found = depths(scene, screams=10)
    assert (len(found), max(found)) == (1 + 10 * 299, 2 + 10 * 4)
    assert len(screamers(None, scene)) == 10


def corridor(people: int) -> State:
    """One colonist to a zone, and from each zone an intercom to the next."""
    zones = {f"deck {n}": Zone(cluttered=True, intercom=f"deck {n + 1}") for n in range(people)}
    return scene_of({f"colonist {n}": Colonist(f"deck {n}", stress=3) for n in range(people)}, zones)


def test_a_scream_inside_a_scream_three_hundred_deep() -> None:
    # Deeper than Python's own stack.
    assert depths(Scene(corridor(300)), screams=300) == [2 + n * 4 for n in range(300)]


def test_odds_along_a_corridor_of_twenty() -> None:
    # Each calms down, or is left Paranoid, Hesitant, frozen or in cover, or screams: the n-th is reached once in 6^n.
    odds = Exact().of(face_horror(FIRST), corridor(20))
    assert odds.by_end(screamers) == {
        frozenset(f"colonist {i}" for i in range(n)): Fraction(5 if n < 20 else 6, 6) / 6**n for n in range(21)
    }
    assert odds.leaves == 20 * 5 + 1
