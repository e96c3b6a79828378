"""Dice: base, skill, gear, ammo, negative and artifact dice, thrown together and pushed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, TypeAlias, TypeVar

from referee.core import (
    YES,
    Audience,
    Die,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    SymbolCounts,
    applying,
    choose,
    figure,
    formula,
    frozen,
    roll,
    rows,
    rule,
)
from referee.core.branches import Branch, BranchEnd
from referee.core.composed import decides_by_name
from referee.core.dice import BLANK
from referee.core.modifiers import Itemised
from referee.core.questions import Barred, Request
from referee.core.rules import Decide, Ends, kernel
from referee.kits import year_zero
from referee.kits.year_zero import CANCELLED, ONE, SIX, SUCCESSES, Kind, Kinds, shows
from referee.systems.yearzero.injury_tables import OUTBURST
from referee.systems.yearzero.sheet import Person

T = TypeVar("T")

SUCCESS_FACE: Final = figure("yearzero.core.sixes-success", "success_face", int, among=range(1, 7))
BANE_FACE: Final = figure("yearzero.core.ones-banes", "bane_face", int, among=range(1, 7))
MOST_PUSHES: Final = figure("yearzero.core.push-once", "max_pushes", int)


@frozen
class Worth:
    """How many successes the faces of an artifact die give, from a face to another."""

    x: int


ARTIFACT: Final = rows("yearzero.core.artifact-dice", "successes", Worth, by=("from", "to"))

BASE, SKILL, GEAR, AMMO, NEGATIVE = "base", "skill", "gear", "ammo", "negative"
KEEP: Final = figure("yearzero.core.push", "keep", dict[str, tuple[int, ...]])
"""The faces that a push leaves lying, by kind of die."""


@frozen
class DieRow:
    """A kind of die, as the book sums it up."""

    name: str
    from_: str
    six: str
    one: str
    reroll_on_push: str


DIE_KINDS: Final = rows("yearzero.core.dice-kinds", "kinds", DieRow)
ArtifactDie: TypeAlias = Literal["D8", "D10", "D12"]
D8: Final = "D8"
D10: Final = "D10"
D12: Final = "D12"
SIDES: Final = {D8: 8, D10: 10, D12: 12}


@frozen
class PrintedChances:
    """The printed chances of so many dice, in percent: as they fall, and pushed."""

    success_pct: int
    pushed_pct: int


CHANCES: Final = rows("yearzero.core.success-chances", "rows", PrintedChances, by="dice")

NOTHING: Final = Itemised()
ROLL: Final = Prompt("roll")
MUST_PUSH: Final = figure("yearzero.combat.broken-empathy", "outburst/must_push", bool)
PUSH: Final = Prompt("push")


NEEDED: Final = figure("yearzero.core.sixes-success", "needed", int)


@formula("yearzero.core.sixes-success")
def is_success(scene: Scene, successes: int, needed: int = 1) -> bool:
    """One success is enough, unless something takes more."""
    return successes >= max(needed, scene[NEEDED])


@frozen
class DicePool:
    """How many dice of each kind; skill dice below 0 are negative dice."""

    base: int = 0
    skill: int = 0
    gear: int = 0
    ammo: int = 0
    artifact: tuple[ArtifactDie, ...] = ()

    @property
    def that_succeed(self) -> int:
        """The dice that can give a success."""
        return self.base + max(0, self.skill) + self.gear + len(self.artifact)

    @property
    def is_hopeless(self) -> bool:
        """Whether no die could show anything that counts; then nothing is thrown."""
        return not self.that_succeed and not self.ammo

    def at_most(self, dice: int) -> DicePool:
        """Only so many of them: skill dice first, which hurt nobody, then gear, artifact and base dice."""
        skill = min(self.skill, dice)
        gear = min(self.gear, dice - max(0, skill))
        artifact = self.artifact[: dice - max(0, skill) - gear]
        base = min(self.base, dice - max(0, skill) - gear - len(artifact))
        return DicePool(base, skill, gear, min(self.ammo, dice), artifact)

    def counts(self) -> dict[str, int]:
        plain = {BASE: self.base, SKILL: max(0, self.skill), GEAR: self.gear, AMMO: self.ammo}
        return {**plain, **{size: self.artifact.count(size) for size in (D8, D10, D12)}}


@formula("yearzero.core.dice-kinds", "yearzero.core.artifact-dice", "yearzero.core.push-skill-dice")
def kinds(scene: Scene) -> Kinds:
    """What each kind of die shows, what of it a push leaves lying, and what its sixes are to the successes."""
    worth = tuple(scene[ARTIFACT].at(pip).x for pip in range(1, 13))
    kept = tuple((die, faces_kept(scene, die)) for die in (BASE, SKILL, GEAR, AMMO, NEGATIVE))
    return _kinds(scene[SUCCESS_FACE], scene[BANE_FACE], worth, kept)


@formula("yearzero.core.push-skill-dice")
def faces_kept(scene: Scene, die: str) -> tuple[str, ...]:
    """Which faces of a kind a push leaves lying: on skill and negative dice sixes only, for their ones are no banes."""
    marks = {SIX: scene[SUCCESS_FACE], ONE: scene[BANE_FACE]}
    return tuple(face for face, pip in marks.items() if pip in kept_by_push(scene, die))


@formula("yearzero.core.push/kept")
def kept_by_push(scene: Scene, die: str) -> tuple[int, ...]:
    """The numbers of a kind of die that a push leaves lying."""
    return scene[KEEP][die]


@lru_cache(maxsize=16)
def _kinds(six: int, one: int, worth: tuple[int, ...], kept: tuple[tuple[str, tuple[str, ...]], ...]) -> Kinds:
    keeps = dict(kept)
    ammo = Die(AMMO, tuple(SIX if pip == six else ONE if pip == one else str(pip) for pip in range(1, 7)))
    return (
        year_zero.kind(BASE, six=six, one=one, keeps=keeps[BASE]),
        year_zero.kind(SKILL, six=six, keeps=keeps[SKILL]),
        year_zero.kind(GEAR, six=six, one=one, keeps=keeps[GEAR]),
        Kind(ammo, keeps[AMMO], counts=0),
        year_zero.kind(NEGATIVE, six=six, keeps=keeps[NEGATIVE], counts=-1),
        *(year_zero.larger_kind(size, worth[:sides]) for size, sides in SIDES.items()),
    )


@formula("yearzero.core.success-chances")
def printed_chance(scene: Scene, dice: int, pushed: bool = False) -> int:
    """What the book prints for so many dice, in percent; odds are computed, not read here."""
    row = scene[CHANCES].at(dice)
    return row.pushed_pct if pushed else row.success_pct


def pool(scene: Scene, dice: DicePool) -> Pool:
    return year_zero.pool(kinds(scene), {**dice.counts(), NEGATIVE: negative_dice(scene, dice.skill)})


@formula("yearzero.core.negative-dice")
def negative_dice(scene: Scene, skill: int) -> int:
    """As many as the skill dice are below 0; each of their sixes takes a success away."""
    return max(0, -skill)


# --- a throw and its push ---------------------------------------------------------------------------------------------


@frozen
class NoPush:
    """Why a throw may not be pushed, and by which rule."""

    because: str
    rule: str


ANSWERING: Final = NoPush("whoever answers an opposed roll cannot push", "yearzero.core.opposed")


@frozen
class PoolThrow:
    """What is thrown, and what a push depends on: the attribute, and whether more successes would help."""

    dice: DicePool
    attribute: str
    surplus: bool = True
    no_push: NoPush | None = None
    needed: int = 1
    hidden: bool = False
    """Whether only the game master sees the dice."""


@frozen
class PoolFall:
    """What counts of the final dice; banes only after a push."""

    successes: int
    pushes: int = 0
    base_banes: int = 0
    gear_banes: int = 0
    ammo_successes: int = 0
    ammo_banes: int = 0
    rounds: int = 0
    """The sum of the ammo dice: rounds fired."""


@formula("yearzero.core.ones-banes")
def banes_of(scene: Scene, seen: SymbolCounts, pushes: int) -> tuple[int, int, int]:
    """The ones on base, gear and ammo dice, which count only after a push."""
    return _banes(seen, pushes)


def _banes(seen: SymbolCounts, pushes: int) -> tuple[int, int, int]:
    if not pushes:
        return 0, 0, 0
    ones = seen.by_kind(ONE)
    return ones.get(BASE, 0), ones.get(GEAR, 0), ones.get(AMMO, 0)


@frozen
class PushRules:
    """All that a push of one throw depends on, read from the scene once: odds ask of every way the dice can lie."""

    throw: PoolThrow
    kinds: Kinds
    most: int
    """How often the roll may be pushed."""
    pips: tuple[tuple[str, int], ...]
    """The number on each face of an ammo die."""
    forced: bool = False
    """Whether whoever rolls pushes whatever can be pushed."""

    def check(self, seen: SymbolCounts, pushes: int) -> None:
        """Refuse a push that is not legal."""
        if self.throw.no_push is not None:
            raise Refused("push", because=self.throw.no_push.because, rule=self.throw.no_push.rule)
        year_zero.check_push(seen, pushes, most=self.most, rule=MOST_PUSHES.rule)
        year_zero.check_dice_left(seen, self.kinds, rule="yearzero.core.push")
        if not self.throw.surplus and year_zero.successes(seen, self.kinds) >= self.throw.needed:
            why = "the roll has succeeded, and more successes would change nothing"
            raise Refused("push", because=why, rule="yearzero.core.push-after-success")

    def offer(self, who: Person, seen: SymbolCounts, pushes: int) -> Request[bool | None]:
        """Offer a push, but only if it is legal; in an outburst one pushes whatever one can."""
        if self.forced and self._is_legal(seen, pushes):
            why = Refused("push", because="in an outburst every roll is pushed", rule=MUST_PUSH.rule)
            return choose(who, PUSH, YES, barred=(Barred(False, why),), about=seen)
        return year_zero.offer_push(PUSH, who, seen, lambda: self.check(seen, pushes))

    def _is_legal(self, seen: SymbolCounts, pushes: int) -> bool:
        try:
            self.check(seen, pushes)
        except Refused:
            return False
        return True

    def fall(self, seen: SymbolCounts, pushes: int) -> PoolFall:
        """What counts of the dice as they lie."""
        successes, (base, gear, ammo) = year_zero.successes(seen, self.kinds), _banes(seen, pushes)
        if not self.throw.dice.ammo:
            return PoolFall(successes, pushes, base, gear)
        pips = dict(self.pips)
        rounds = sum(pips[str(face)] * n for die, shown in seen.dice if die == AMMO for face, n in shown)
        return PoolFall(successes, pushes, base, gear, seen.count(SIX, AMMO), ammo, rounds)


def push_rules(scene: Scene, who: Person, throw: PoolThrow) -> PushRules:
    pips = {str(pip): pip for pip in range(1, 7)} | {SIX: scene[SUCCESS_FACE], ONE: scene[BANE_FACE]}
    forced = OUTBURST in scene[who].conditions and scene[MUST_PUSH]
    return PushRules(throw, kinds(scene), most_pushes(scene, who, throw.attribute), tuple(pips.items()), forced)


@rule("yearzero.core.dice-pool/throw")
async def throw_once(
    scene: Scene, who: Person, dice: DicePool, itemised: Itemised, hidden: bool = False
) -> SymbolCounts:
    """Everything is thrown at once."""
    seen_by = Audience.MASTER if hidden else Audience.EVERYONE
    return await roll(ROLL, who, pool(scene, dice), SymbolCounts, mods=itemised.mods, audience=seen_by)


@rule("yearzero.core.push", "yearzero.core.push-once", "yearzero.core.push-ammo-dice", "yearzero.core.push-gear-dice")
async def throw_and_push(scene: Scene, who: Person, throw: PoolThrow, itemised: Itemised = NOTHING) -> PoolFall:
    """Everything is thrown at once; a push throws every die again that shows neither a success nor a bane."""
    if throw.dice.is_hopeless:
        return PoolFall(0)
    rules = push_rules(scene, who, throw)
    seen = await throw_once(who, throw.dice, itemised, throw.hidden)
    pushes = 0
    while await rules.offer(who, seen, pushes):
        seen = await year_zero.throw_again(PUSH, who, seen, rules.kinds)
        pushes += 1
    return rules.fall(seen, pushes)


@formula(
    "yearzero.core.push/check", "yearzero.core.push-once", "yearzero.core.push-after-success", "yearzero.core.opposed"
)
def check_push(scene: Scene, who: Person, throw: PoolThrow, seen: SymbolCounts, pushes: int = 0) -> None:
    """Once, or twice with the talent; never with nothing left to throw, nor if more successes would not help."""
    push_rules(scene, who, throw).check(seen, pushes)


def most_pushes(scene: Scene, who: Person, attribute: str) -> int:
    """How often a roll with this attribute may be pushed."""
    return scene[MOST_PUSHES] + applying(scene, who, attribute, PUSH).extra(PUSH)


@kernel(throw_and_push)
def every_throw(
    scene: Scene, decide: Decide, who: Person, throw: PoolThrow, itemised: Itemised = NOTHING
) -> Branch[PoolFall] | Ends[PoolFall] | None:
    """Branches, so that plans need not play it; for a large pool the ends by policy alone. An outburst is played."""
    rules = push_rules(scene, who, throw)
    if rules.forced or throw.dice.is_hopeless:
        return None
    if (ends := ends_by_name(scene, decide, who, throw)) is not None:
        return [(fall, (), ways) for fall, ways in ends]
    return every_branch(scene, who, throw, lambda fall: fall) or _ends(scene, decide, who, rules)


def ends_by_name(scene: Scene, decide: Decide, who: Person, throw: PoolThrow) -> list[tuple[PoolFall, int]] | None:
    """Every end with its ways, if whoever decides does not look at the dice; None if that is not sure or not enough."""
    rules, dice = push_rules(scene, who, throw), throw.dice
    most, below = 0 if throw.no_push else rules.most, None if throw.surplus else throw.needed
    simple = not dice.ammo and (below is None or most <= 1)
    if not simple or not decides_by_name(decide) or rules.forced or dice.is_hopeless:
        return None
    thrown = pool(scene, dice)
    lying = SymbolCounts(tuple([(die.name, ((BLANK, count),)) for die, count in thrown.groups if count]))
    push = most and decide(rules.offer(who, lying, 0), scene)
    ends = year_zero.blind_ends(rules.kinds, thrown, (BASE, GEAR), most=most if push else 0, below=below)
    return [(PoolFall(won, pushes, *ones), ways) for won, pushes, ones, ways in ends]


def every_branch(scene: Scene, who: Person, throw: PoolThrow, read: Callable[[PoolFall], T]) -> Branch[T] | None:
    """What is made of every course of a throw and its pushes; None where it is played, or the pool is too large."""
    rules = push_rules(scene, who, throw)
    if rules.forced or throw.dice.is_hopeless:
        return None
    branches = _branches(who, rules, pool(scene, throw.dice))
    return None if branches is None else year_zero.in_scene(branches, scene, read)


@lru_cache(maxsize=64)
def _branches(who: Person, rules: PushRules, thrown: Pool) -> Branch[PoolFall] | None:
    """Every course of a throw and its pushes, in no scene yet: one card asks about the same throw many times."""
    return year_zero.push_branches(
        rules.kinds,
        thrown,
        offer=lambda seen, pushes: rules.offer(who, seen, pushes),
        scene_after=lambda pushes: NOWHERE,
        end=lambda seen, pushes: BranchEnd(rules.fall(seen, pushes)),
    )


NOWHERE: Final = Scene(State({}))


def _ends(scene: Scene, decide: Decide, who: Person, rules: PushRules) -> Ends[PoolFall]:
    """By policy alone, from counts of symbols."""
    dice, pips = rules.throw.dice, dict(rules.pips)
    ammo = next(each.die for each in rules.kinds if each.name == AMMO)
    faces = tuple(str(face) for face in dict.fromkeys(ammo.faces)) if dice.ammo else ()
    banes = tuple(shows(die, ONE) for die, count in ((BASE, dice.base), (GEAR, dice.gear)) if count)
    reads = (SUCCESSES, CANCELLED) if dice.skill < 0 else (SUCCESSES,)
    ends = year_zero.push_ends(
        rules.kinds,
        pool(scene, dice),
        (*reads, *banes, *(shows(AMMO, face) for face in faces)),
        most=0 if rules.throw.no_push else rules.most,
        wants=lambda seen, pushes: bool(decide(rules.offer(who, seen, pushes), scene)),
    )
    for found, pushes, ways in ends:
        at = dict(zip((*reads, *banes, *faces), found, strict=True))
        rounds = sum(pips[face] * at[face] for face in faces)
        base, gear, jams = (at.get(each, 0) if pushes else 0 for each in (shows(BASE, ONE), shows(GEAR, ONE), ONE))
        won = max(0, at[SUCCESSES] - at.get(CANCELLED, 0))
        yield PoolFall(won, pushes, base, gear, at.get(SIX, 0), jams, rounds), (), ways
