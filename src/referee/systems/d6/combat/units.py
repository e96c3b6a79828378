"""Units of a skirmish: a leader, those who fight as one, and what they bring on average."""

from __future__ import annotations

from typing import ClassVar, Final

from referee.core import Mod, Mods, Scene, formula, frozen
from referee.kits.dice_codes import Code, Stat
from referee.systems.d6.codes import mean, own_code
from referee.systems.d6.combat.weapons import weapon_damage, weapon_skill, weapons_held
from referee.systems.d6.resolution import multiple_actions
from referee.systems.d6.rolls import ACTION, ANY_ROLL
from referee.systems.d6.sheet import Person
from referee.systems.d6.tasks import working_code

COMMANDED: Final = "d6.skirmish.command-roll"
RESOLVED: Final = "d6.skirmish.resolve-actions"


@frozen
class FightingUnit:
    """A leader and those who fight as one; the first of them are coordinated."""

    known_by: ClassVar = ("leader",)
    leader: str
    members: tuple[str, ...]
    """Those who fight; the leader is among them if he fights too."""
    reserve: tuple[str, ...] = ()
    """Those who were replaced and stand back."""
    commanded: bool = False
    coordinated: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    """Those who were not coordinated in the round before."""
    bonus: int = 0
    tactics: bool = False
    """Whether the leader has used Strategy & Tactics for initiative."""
    actions: int = 0
    reactions: int = 0
    """Of the declared actions, those that are left for reactions."""
    reacting: bool = False
    """Whether an action was spent on reactions: from then on each may react once."""
    reacted: frozenset[str] = frozenset()

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.leader, *self.members, *self.reserve)))

    def fresh(self) -> FightingUnit:
        """For a new round."""
        idle = tuple(name for name in self.members if name not in self.coordinated) if self.commanded else ()
        return FightingUnit(self.leader, self.members, self.reserve, idle=idle)


def member_code(scene: Scene, unit: FightingUnit, who: Person, using: str) -> Code:
    """What a member brings to the unit: a leader who fights too has commanded, and perhaps used his tactics."""
    also = (len(unit.members) > 1) + unit.tactics if who.name == unit.leader else 0
    return working_code(scene, who, using, ACTION, ANY_ROLL, mods=multiple_actions(scene, 1 + also))


def attack_skill(scene: Scene, who: Person) -> str:
    """What somebody attacks with: the skill of the weapon in hand, or Brawling."""
    weapons = weapons_held(scene, who)
    return weapon_skill(scene, who, weapons[0]) if weapons else "Brawling"


@formula("d6.skirmish.command-roll/average", COMMANDED)
def unit_average(scene: Scene, unit: FightingUnit, people: tuple[Person, ...], using: str) -> Stat:
    """The mean of the members' codes; without a skill named, each with the weapon in hand."""
    return mean(scene, tuple(member_code(scene, unit, who, using or attack_skill(scene, who)) for who in people))


@formula("d6.skirmish.resolve-actions/split", RESOLVED)
def split_bonus(scene: Scene, bonus: int, attack_bonus: int) -> tuple[Mods, Mods]:
    """The Command bonus as the leader splits it: dice for the attack, and for the damage."""
    attack, damage = (
        (Mod(dice, "command", RESOLVED),) if dice else () for dice in (attack_bonus, bonus - attack_bonus)
    )
    return attack, damage


@formula("d6.skirmish.resolve-actions/damage", RESOLVED)
def average_damage(scene: Scene, people: tuple[Person, ...]) -> Code:
    """The mean of the damage of what the members hold; with nothing in hand, of their Strength."""
    codes = list[Code]()
    for who in people:
        weapons = weapons_held(scene, who)
        codes.append(weapon_damage(scene, who, weapons[0]).code if weapons else own_code(scene, who, "Strength"))
    return mean(scene, tuple(codes)).code
