"""The Year Zero family: pools of several kinds of dice, sixes and banes, the push, help, opposed and group rolls, odds.

A system says which `Kind`s of dice it has, built from its own figures, and writes its rules with the functions below.
Ones and sixes are told by kind, so that a bane on a gear die is not one on a base die.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from referee.core import (
    YES,
    Die,
    Mod,
    Mods,
    Pool,
    Prompt,
    Refused,
    Scene,
    SymbolCounts,
    Who,
    frozen,
    marked_die,
    offer,
    roll,
)
from referee.core.dice import BLANK, Face
from referee.core.questions import Request, Roll

if TYPE_CHECKING:
    from referee.odds import SymbolDie

SIX: Final = "six"
ONE: Final = "one"
SIXES: Final = (BLANK, SIX, "two sixes", "three sixes", "four sixes")
"""What a face is worth in successes, by its place: larger dice have faces that are worth several."""


# --- dice -------------------------------------------------------------------------------------------------------------


@frozen
class Kind:
    """One kind of die in a pool."""

    die: Die
    keeps: tuple[Face, ...] = (SIX, ONE)
    """The faces that a push does not throw again."""
    counts: Literal[1, 0, -1] = 1
    """What each of its sixes is to the successes: 1 adds, -1 takes away, 0 leaves them alone."""

    @property
    def name(self) -> str:
        return self.die.name


Kinds: TypeAlias = tuple[Kind, ...]


def kind(
    name: str, *, six: int, one: int | None = None, keeps: tuple[Face, ...] = (SIX, ONE), counts: Literal[1, 0, -1] = 1
) -> Kind:
    """A six-sided die of which a face is a success and, if there are banes on it, another one is a bane."""
    marks = {SIX: six} if one is None else {ONE: one, SIX: six}
    return Kind(marked_die(name, 6, **marks), keeps, counts)


def larger_kind(name: str, worth: Sequence[int]) -> Kind:
    """A die with any number of sides and no banes; `worth` is what each side gives in successes."""
    return Kind(Die(name, tuple(SIXES[each] for each in worth)), SIXES[1:])


def pool(kinds: Kinds, counts: Mapping[str, int]) -> Pool:
    """So many dice of each kind, by name; a kind that is not named has none."""
    if strangers := set(counts) - {each.name for each in kinds}:
        raise KeyError(f"no kind of die is called {', '.join(sorted(strangers))}")
    return Pool(tuple((each.die, counts.get(each.name, 0)) for each in kinds))


def successes(seen: SymbolCounts, kinds: Kinds) -> int:
    """The sixes of all kinds that count, less those of kinds that take away; never below 0."""
    return max(
        0,
        sum(each.counts * n * seen.count(face, each.name) for each in kinds for n, face in enumerate(SIXES)),
    )


def banes(seen: SymbolCounts) -> dict[str, int]:
    """The ones that are showing, by kind of die."""
    return seen.by_kind(ONE)


# --- the push ---------------------------------------------------------------------------------------------------------


def again(seen: SymbolCounts, kinds: Kinds, adding: Mapping[str, int] | None = None) -> Pool:
    """What a push throws: every die that shows none of the faces its kind keeps, and those it adds."""
    more = adding or {}
    return pool(kinds, {each.name: seen.others(*each.keeps, die=each.name) + more.get(each.name, 0) for each in kinds})


def throw_again(
    name: Prompt, who: Who[Any], seen: SymbolCounts, kinds: Kinds, adding: Mapping[str, int] | None = None
) -> Roll[SymbolCounts]:
    """The throw of a push; dice that show a face their kind keeps stay in their place and are read with the rest."""
    keeps = {each.name: each.keeps for each in kinds}
    kept = tuple((die, tuple((face, n) for face, n in shown if face in keeps[die])) for die, shown in seen.dice)
    lying = SymbolCounts(kept, record=seen.record)
    return roll(name, who, again(seen, kinds, adding), SymbolCounts, kept=lying)


def offer_push(name: Prompt, who: Who[Any], seen: SymbolCounts, check: Callable[[], None]) -> Request[bool | None]:
    """Offer a push of the dice as they lie, unless the check refuses it."""
    return offer(who, name, YES, check=lambda _: check(), about=seen)


def check_push(seen: SymbolCounts, pushes: int, *, most: int, rule: str, no_bane_on: Iterable[str] = ()) -> None:
    """At most so many times per roll, and never with a bane on one of these kinds."""
    if pushes >= most:
        raise Refused("push", because="the roll has been pushed", rule=rule)
    for die in no_bane_on:
        if seen.count(ONE, die):
            raise Refused("push", because=f"a {die} die shows 1", rule=rule)


def check_dice_left(seen: SymbolCounts, kinds: Kinds, *, rule: str) -> None:
    """A push that would throw no die again is refused."""
    if not again(seen, kinds).size:
        raise Refused("push", because="no die is left to throw again", rule=rule)


# --- help, opposed rolls, groups --------------------------------------------------------------------------------------


def check_helpers(
    scene: Scene, who: Who[Any], helpers: Sequence[Who[Any]], *, most: int, rule: str, spent: Iterable[str] = ()
) -> None:
    """At most so many, each once, all of them here, none of them the roller, and none without an action left."""
    if len(helpers) > most:
        raise Refused("help", because=f"at most {most} may help", rule=rule)
    if len(set(helpers)) < len(helpers) or who in helpers:
        raise Refused("help", because="everybody else helps once", rule=rule)
    for helper in helpers:
        if helper not in scene:
            raise Refused("help", because=f"{helper} is not here", rule=rule)
        if helper.name in spent:
            raise Refused("help", because=f"{helper} has spent the full action", rule=rule)


def help_from(helpers: Iterable[Who[Any]], dice: int, *, rule: str) -> Mods:
    """So many dice from each helper."""
    return tuple(Mod(dice, f"{helper} helps", rule) for helper in helpers)


def opposed(mine: int, theirs: int) -> int:
    """What is left of one's successes after the other's have taken them away; with none left the other side wins."""
    return max(0, mine - theirs)


def rolls_for_group(levels: Mapping[Who[Any], int], *, weakest: bool) -> tuple[Who[Any], ...]:
    """Who may roll for everyone: those with the lowest level where the weakest spoils it, or else the highest."""
    wanted = (min if weakest else max)(levels.values())
    return tuple(who for who, level in levels.items() if level == wanted)


# --- odds -------------------------------------------------------------------------------------------------------------

PUSHED: Final = "pushed"
SUCCESSES: Final = "successes"
CANCELLED: Final = "cancelled"
"""What ends are read by: the successes of all kinds, those that other kinds take away, or dice of one kind by face."""


def shows(die: str, face: Face) -> str:
    """The dice of a kind that show a face, as ends are read by."""
    return f"{die} {face}"


def push_ends(
    kinds: Kinds,
    thrown: Pool,
    reads: Sequence[str],
    *,
    most: int,
    wants: Callable[[SymbolCounts, int], bool],
    adding: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Every end of a pool that is pushed whenever someone wants to: what it `reads`, the pushes, the number of ways.

    For the kernel of a rule. `wants` is asked about the dice as they lie and the pushes so far, once for each different
    throw; what is read counts only up to `at_most`.
    """
    from referee.odds import SymbolDie, policy_pool  # loaded only when odds are asked for

    dice = {each.name: _symbol_die(each) for each in kinds}
    lists = [(each.name, [(face, shows(each.name, face)) for face in _faces(each.die)]) for each in kinds]

    def policy(symbols: Mapping[str, int]) -> bool:
        seen = [(die, tuple([(face, n) for face, name in faces if (n := symbols[name])])) for die, faces in lists]
        return wants(SymbolCounts(tuple(seen)), symbols[PUSHED])

    # Pushes are counted by a one-sided die that is added at each push.
    added = [(SymbolDie(1, {1: PUSHED}), 1), *((dice[name], count) for name, count in (adding or {}).items())]
    first = [(dice[die.name], count) for die, count in thrown.groups]
    ends = policy_pool(first, (*reads, PUSHED), pushes=most, policy=policy, adding=added)
    for read, limit in (at_most or {}).items():
        ends = ends.limited(read, limit)
    for (*found, pushes), ways in ends.items():
        yield tuple(found), pushes, ways


def _symbol_die(kind: Kind) -> SymbolDie:
    """A die by what its faces mean, for odds."""
    from referee.odds import SymbolDie

    counted = {1: SUCCESSES, -1: CANCELLED}.get(kind.counts)
    faces = dict(enumerate(kind.die.faces, 1))
    worth = {face: n for n, face in enumerate(SIXES) if counted}
    marks = {pip: (shows(kind.name, face), *[str(counted)] * worth.get(str(face), 0)) for pip, face in faces.items()}
    return SymbolDie(kind.die.sides, marks, locks=[pip for pip, face in faces.items() if face in kind.keeps])


def _faces(die: Die) -> list[Face]:
    """Each face once, in the order in which a throw lists them."""
    return sorted(set(die.faces), key=str)


# --- shorthand --------------------------------------------------------------------------------------------------------


def dice_text(text: str, *parts: str) -> tuple[int, ...] | None:
    """The numbers of a short form, such as `5b3s` for `#b` and `#s`; only the first part must be there."""
    first, *others = ("(?:" + part.replace("#", r"(\d+)") + ")" for part in parts)
    found = re.fullmatch(first + "".join(f"{each}?" for each in others), text.casefold().replace(" ", ""))
    return tuple(int(number or 0) for number in found.groups()) if found else None
