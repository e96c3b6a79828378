"""Initiative: who acts first, who comes later, and who trades places."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Final, TypeAlias

from referee.core import (
    D6,
    Die,
    Levels,
    Pick,
    Pool,
    Prompt,
    Scene,
    SymbolCounts,
    action,
    alter,
    applying,
    change,
    choose,
    figure,
    formula,
    refuse,
    roll,
    rule,
    suggest,
)
from referee.core.encounter import Sides
from referee.kits.rounds import in_this_order, in_turn
from referee.kits.zones import Border, Zone, ZoneMap, ZonePlace
from referee.systems.yearzero.battle import BATTLE, Battle, check_fighting, comrades
from referee.systems.yearzero.harm import check_awake, is_awake
from referee.systems.yearzero.sheet import Person, people

INITIATIVE: Final = Prompt("initiative")
EITHER: Final = Prompt("either-initiative")
SURPRISE_ROLLS: Final = figure("yearzero.combat.surprise-initiative", "rolls", int)
TENS: Final = Die("tens", D6.faces)
ONES: Final = Die("ones", D6.faces)
D66: Final = Pool.of((TENS, 1), (ONES, 1))

Zones: TypeAlias = tuple[Annotated[str, suggest("Road", "Ditch", "House")], ...]
Fighters: TypeAlias = tuple[Annotated[Person, Pick(people)], ...]


def check_no_battle(scene: Scene, _: None) -> None:
    if BATTLE in scene:
        refuse("there is a fight already", legal=("end-battle",))


def check_sides(scene: Scene, _: None, one: tuple[Person, ...], other: tuple[Person, ...]) -> None:
    """Two sides, and nobody on both."""
    if not one or not other:
        refuse("each side has somebody on it")
    if both := [each.name for each in one if each in other]:
        refuse(f"{both[0]} cannot be on both sides")


@action("begin-battle", "yearzero.combat.initiative", check=(check_no_battle, check_sides), master=True)
async def begin_battle(
    scene: Scene, one: Fighters, other: Fighters, zones: Zones = (), surprising: Fighters = ()
) -> None:
    """Everyone rolls two dice, read as tens and ones; the highest acts first, equals roll again among themselves.

    With zones, which lie in a row, one side begins in the first of them and the other in the last. Whose attack is a
    surprise rolls twice.
    """
    names = tuple(tuple(each.name for each in side) for side in (one, other))
    ground = in_a_row(zones, names)
    await change(BATTLE, Battle(names, zones=ground, surprising=frozenset(each.name for each in surprising)))
    await change(BATTLE, await in_order(scene[BATTLE], (*one, *other)))


def in_a_row(zones: tuple[str, ...], sides: Sides) -> ZoneMap:
    """A small map: zones one after the other, one side in the first and the other in the last."""
    if not zones:
        return ZoneMap()
    borders = tuple(Border(one, other) for one, other in pairwise(zones))
    stand = tuple(ZonePlace(name, zones[0] if side is sides[0] else zones[-1]) for side in sides for name in side)
    return ZoneMap(tuple(map(Zone, zones)), borders, stand)


@rule("yearzero.combat.initiative/begin", "yearzero.combat.initiative")
async def begin_in_order(scene: Scene) -> None:
    """Everyone who has not rolled for initiative does so, and the first begins their go."""
    battle = scene[BATTLE]
    await change(BATTLE, await in_order(battle, tuple(scene.who(name) for name in battle.unrolled(scene))))


@rule("yearzero.combat.initiative/order")
async def in_order(scene: Scene, battle: Battle, fighters: Fighters) -> Battle:
    """A fight with the initiative of these people, in which the first has the go unless somebody has it already."""
    scores = {who.name: await roll_initiative(who) for who in fighters}
    ties = await roll_off(fighters, Levels(scores))
    rolled = replace(battle, initiative=battle.initiative.but(**scores), ties=battle.ties.but(**ties))
    return rolled if battle.turn else rolled.next_go(rolled.able(scene))


@rule("yearzero.combat.initiative/newcomer")
async def roll_in(scene: Scene, who: Person) -> None:
    """Whoever comes to a fight rolls initiative, and has a go in this round if their turn has not gone by."""
    score = await roll_initiative(who)
    battle = scene[BATTLE]
    has_passed = score > battle.initiative.get(battle.turn, 0)
    acted = battle.acted | {who.name} if has_passed else battle.acted
    await change(BATTLE, replace(battle, initiative=battle.initiative.but(**{who.name: score}), acted=acted))


def battle_between(scene: Scene, sides: Sides, turn: str) -> Battle:
    """A fight in its first round, in which somebody has the go; or about to begin, if nobody is named."""
    return Battle(sides, initiative=in_this_order(in_turn(sides, turn)), turn=turn) if turn else Battle(sides)


def tens_and_ones(seen: SymbolCounts) -> int:
    """A D66: two dice as a number, the first is the tens."""
    (_, ((tens, _),)), (_, ((ones, _),)) = seen.dice
    return 10 * int(tens) + int(ones)


@formula("yearzero.combat.surprise-initiative")
def is_surprise(scene: Scene, who: Person) -> bool:
    """Whether somebody's attack was a surprise: two rolls, of which they take either."""
    return BATTLE in scene and who.name in scene[BATTLE].surprising


@rule("yearzero.combat.initiative/roll")
async def roll_initiative(scene: Scene, who: Person) -> int:
    """Two dice as a number: the first is the tens. Some roll more than once, and the highest counts."""
    surprises = is_surprise(scene, who)
    more = max(applying(scene, who).extra("initiative"), scene[SURPRISE_ROLLS] - 1 if surprises else 0)
    rolled = [tens_and_ones(await roll(INITIATIVE, who, D66, SymbolCounts)) for _ in range(1 + more)]
    if surprises and len(set(rolled)) > 1:
        return await choose(who, EITHER, tuple(dict.fromkeys(rolled)), default=max(rolled))
    return max(rolled)


@rule("yearzero.combat.initiative/ties")
async def roll_off(scene: Scene, fighters: Fighters, scores: Levels) -> Levels:
    """Equals roll again among themselves; that decides only the order between them."""
    found: dict[str, int] = {}
    for score in sorted(set(scores.values())):
        tied = [who for who in fighters if scores[who.name] == score]
        while len(tied) > 1:
            again = {who.name: await roll_initiative(who) for who in tied}
            found |= {name: found.get(name, 0) * 100 + value for name, value in again.items()}
            tied = [who for who in tied if sum(found[who.name] == other for other in found.values()) > 1]
    return Levels(found)


@rule("yearzero.combat.initiative-exchange")
async def swap_initiative(scene: Scene, who: Person, other: Person) -> None:
    """Two people trade their places in the order, from the next round on."""
    await alter(BATTLE, Battle.outmaneuvering, who.name, other.name, if_present=True)


def speaking(scene: Scene, who: Person) -> tuple[Person, ...]:
    """Comrades one can speak to."""
    return tuple(each for each in comrades(scene, who) if is_awake(scene[each]))


def check_exchange(scene: Scene, who: Person, other: Person) -> None:
    """Between comrades, at the start of a round."""
    check_fighting(scene)
    battle = scene[BATTLE]
    if battle.acted or any(battle.spent(name) for name in battle.initiative):
        refuse("initiative is exchanged at the start of a round")


@action("exchange-initiative", "yearzero.combat.initiative-exchange/comrades", check=check_exchange, turn=check_awake)
async def exchange_initiative(scene: Scene, who: Person, other: Annotated[Person, Pick(speaking)]) -> None:
    """Two comrades who can speak to each other swap their initiative at the start of a round."""
    swapped = scene[BATTLE].swapping(who.name, other.name)
    await change(BATTLE, replace(swapped, turn="").next_go(swapped.able(scene)))
