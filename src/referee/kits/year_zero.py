"""The Year Zero family: pools of several kinds of dice, sixes and banes, the push, help, opposed and group rolls, odds.

A system says which `Kind`s of dice it has, built from its own figures, and writes its rules with the functions below.
Ones and sixes are told by kind, so that a bane on a gear die is not one on a base die.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from operator import add
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

from referee.core import (
    YES,
    BadInput,
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
from referee.core.branches import Branch, BranchEnd, ByChance, ByChoice, Changed, LaterRows, chosen
from referee.core.dice import BLANK, Counts, Face, symbol_falls
from referee.core.errors import TooLarge
from referee.core.questions import Choose, OptionCost, Request, Roll

if TYPE_CHECKING:
    from referee.odds import SymbolDie

T = TypeVar("T")
U = TypeVar("U")

SIX: Final = "six"
ONE: Final = "one"
SIXES: Final = (BLANK, SIX, "two sixes", "three sixes", "four sixes")
"""What a face is worth in successes, by its place: larger dice have faces that are worth several."""
_WORTH: Final[Mapping[Face, int]] = {face: n for n, face in enumerate(SIXES)}


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
    counts = {each.name: each.counts for each in kinds}
    worth = sum([counts.get(die, 0) * _WORTH.get(face, 0) * n for die, shown in seen.dice for face, n in shown])
    return max(0, worth)


def banes(seen: SymbolCounts) -> dict[str, int]:
    """The ones that are showing, by kind of die."""
    return seen.by_kind(ONE)


# --- the push ---------------------------------------------------------------------------------------------------------


def again(seen: SymbolCounts, kinds: Kinds, adding: Mapping[str, int] | None = None) -> Pool:
    """What a push throws: every die that shows none of the faces its kind keeps, and those it adds."""
    counts = dict(adding or {})
    keeps = {each.name: each.keeps for each in kinds}
    for die, shown in seen.dice:
        if shown:
            counts[die] = counts.get(die, 0) + sum([n for face, n in shown if face not in keeps[die]])
    return pool(kinds, counts)


def throw_again(
    name: Prompt, who: Who[Any], seen: SymbolCounts, kinds: Kinds, adding: Mapping[str, int] | None = None
) -> Roll[SymbolCounts]:
    """The throw of a push; dice that show a face their kind keeps stay in their place and are read with the rest."""
    keeps = {each.name: each.keeps for each in kinds}
    kept = tuple((die, tuple((face, n) for face, n in shown if face in keeps[die])) for die, shown in seen.dice)
    lying = SymbolCounts(kept, record=seen.record)
    return roll(name, who, again(seen, kinds, adding), SymbolCounts, kept=lying)


def offer_push(
    name: Prompt, who: Who[Any], seen: SymbolCounts, check: Callable[[], None], cost: OptionCost | None = None
) -> Request[bool | None]:
    """Offer a push of the dice as they lie, unless the check refuses it."""
    return offer(who, name, YES, check=lambda _: check(), about=seen, cost=lambda _: cost)


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


def blind_ends(
    kinds: Kinds, thrown: Pool, banes_on: Sequence[str], *, most: int, below: int | None = None
) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
    """Every end of a pool that is pushed as often as it can be, up to `most`: successes, pushes, ones, ways.

    For somebody whose decision does not depend on the dice. The ones are those on the named kinds, and count only after
    a push. With `below` a roll is pushed only while it has fewer successes, and only once. Dice are counted one by one.
    """
    tracked = {name: at for at, name in enumerate(banes_on)}
    none = (0,) * len(banes_on)
    found: dict[_Blind, int] = {(0, 0, none, 0): 1}
    for each in kinds:
        if count := thrown.count(each.die):
            one = _blind(each, tracked.get(each.name), len(none), most, below is not None)
            for _ in range(count):
                found = _both(found, one)
    ends: defaultdict[tuple[int, int, tuple[int, ...]], int] = defaultdict(int)
    for (first, last, ones, pushes), ways in found.items():
        if below is not None and max(0, first) >= below:
            ends[max(0, first), 0, none] += ways
        else:
            ends[max(0, last), pushes, ones if pushes else none] += ways
    for (won, pushes, ones), ways in ends.items():
        yield won, pushes, ones, ways


_Blind: TypeAlias = tuple[int, int, tuple[int, ...], int]
"""Net successes at first (if they matter) and in the end, ones by kind, and how many pushes throw something again."""


@lru_cache(maxsize=256)
def _blind(kind: Kind, at: int | None, tracked: int, most: int, both: bool) -> tuple[tuple[_Blind, int], ...]:
    """One die, thrown and pushed until it shows what its kind keeps, with the number of ways."""
    found: defaultdict[_Blind, int] = defaultdict(int)
    sides = len(kind.die.faces)

    def fall(before: int | None, pushes: int, ways: int) -> None:
        for face in kind.die.faces:
            worth = kind.counts * _WORTH.get(face, 0)
            first = before if before is not None else worth if both else 0
            if face in kind.keeps or pushes == most:
                ones = tuple(int(n == at and face == ONE) for n in range(tracked))
                found[first, worth, ones, pushes] += ways * sides ** (most - pushes)
            else:
                fall(first, pushes + 1, ways)

    fall(None, 0, 1)
    return tuple(found.items())


def _both(found: Mapping[_Blind, int], one: Iterable[tuple[_Blind, int]]) -> dict[_Blind, int]:
    """What is known of some dice, and one die more: the pool is pushed as long as one of them is thrown again."""
    more: defaultdict[_Blind, int] = defaultdict(int)
    for (first, last, ones, pushes), ways in found.items():
        for (a, b, c, d), times in one:
            more[first + a, last + b, tuple(map(add, ones, c)), max(pushes, d)] += ways * times
    return more


def push_branches(
    kinds: Kinds,
    thrown: Pool,
    *,
    offer: Callable[[SymbolCounts, int], Request[Any]],
    scene_after: Callable[[int], Scene],
    end: Callable[[SymbolCounts, int], BranchEnd[T]],
    adding: Mapping[str, int] | None = None,
) -> Branch[T] | None:
    """Every course of a pool that may be pushed: for the kernel of a rule in which whoever throws decides on pushes.

    `offer` asks about the dice as they lie after so many pushes, `scene_after` is the scene by then, and `end` is what
    the rule makes of the dice if they stand. None if there are too many different throws (`push_ends` may still do), or
    if a push takes dice away.
    """
    more = adding or {}
    if any(count < 0 for count in more.values()):
        return None
    here_or_added = [(each, thrown.count(each.die), more.get(each.name, 0)) for each in kinds]
    dice = [(each, count, added) for each, count, added in here_or_added if count or added]
    thrown_by_kind = [symbol_falls(each.die, count) for each, count, _ in dice]
    pushes_by_kind = [
        sum([len(_pushed(each, shown, added)) for shown, _ in falls])
        for (each, _, added), falls in zip(dice, thrown_by_kind, strict=True)
    ]
    if prod(pushes_by_kind) > MOST_FALLS:
        return None
    leaves: dict[tuple[T, Changed], BranchEnd[T]] = {}
    known: dict[tuple[_Table, int], Branch[T]] = {}
    after: dict[_Table, list[tuple[_Table, int]]] = {}
    looked_at = 0

    def falls_of(table: _Table) -> list[tuple[_Table, int]]:
        nonlocal looked_at
        if table not in after:
            after[table] = _together(
                [_pushed(each, lies, added) for (each, _, added), lies in zip(dice, table, strict=True)]
            )
            looked_at += len(after[table])
            if looked_at > MOST_FALLS:
                raise TooLarge(f"{thrown} can be pushed in more than {MOST_FALLS} ways")
        return after[table]

    def lying(table: _Table, pushes: int) -> Branch[T]:
        """The dice as they lie after so many pushes."""
        if (table, pushes) not in known:
            known[table, pushes] = made(table, pushes)
        return known[table, pushes]

    def made(table: _Table, pushes: int) -> Branch[T]:
        shown = dict(zip([each.name for each, _, _ in dice], table, strict=True))
        seen = SymbolCounts(tuple([(each.name, shown.get(each.name, ())) for each in kinds]))
        stands = end(seen, pushes)
        stands = leaves.setdefault((stands.result, stands.changes), stands)
        question = cast("Choose[Any]", offer(seen, pushes))
        if question.is_no_choice:
            return stands
        falls = [_pushed(each, shown, added) for (each, _, added), shown in zip(dice, table, strict=True)]
        left_out = _whole(again(seen, kinds, adding).groups) - prod(sum(times for _, times in each) for each in falls)
        pushed: Branch[T] = ByChance(
            LaterRows(lambda: _rows(falls_of(table), lambda found: lying(found, pushes + 1))), left_out
        )
        return chosen(question, scene_after(pushes), {True: pushed, None: stands}.__getitem__)

    first = _together(thrown_by_kind)
    rows = _rows(first, lambda table: lying(table, 0))
    return ByChance(rows, _whole(thrown.groups) - sum(ways for _, ways in rows))


def in_scene(root: Branch[T], scene: Scene, read: Callable[[T], U]) -> Branch[U]:
    """The same branches with their choices made in another scene, and what `read` makes of their results.

    So the branches of a pool can be kept, although each roll has a scene of its own.
    """
    known: dict[int, Branch[U]] = {}

    def of(branch: Branch[T]) -> Branch[U]:
        if id(branch) not in known:
            known[id(branch)] = moved(branch)
        return known[id(branch)]

    def moved(branch: Branch[T]) -> Branch[U]:
        if isinstance(branch, BranchEnd):
            return BranchEnd(read(branch.result), branch.changes)
        if isinstance(branch, ByChoice):
            return ByChoice(branch.question, scene, tuple([(option, of(child)) for option, child in branch.options]))
        return ByChance(LaterRows(lambda: [(of(child), ways) for child, ways in branch.rows]), branch.left_out)

    return of(root)


MOST_FALLS: Final = 150_000
"""How many ways of pushing different throws are looked at in branches."""

_Table: TypeAlias = tuple[Counts, ...]
"""What the dice of each kind show."""


def _together(falls: Sequence[Sequence[tuple[Counts, int]]]) -> list[tuple[_Table, int]]:
    """What all kinds show together; they do not depend on each other."""
    found: list[tuple[_Table, int]] = [((), 1)]
    for each in falls:
        found = [((*before, shown), ways * times) for before, ways in found for shown, times in each]
    return found


@lru_cache(maxsize=8192)
def _pushed(kind: Kind, shown: Counts, adding: int) -> tuple[tuple[Counts, int], ...]:
    """What dice of a kind show after a push: those that are kept, and what the others and those it adds come to."""
    kept = Counter({face: n for face, n in shown if face in kind.keeps})
    again = sum(n for face, n in shown if face not in kind.keeps) + adding
    ways: Counter[Counts] = Counter()
    for fresh, times in symbol_falls(kind.die, again):
        whole = kept + Counter(dict(fresh))
        ways[tuple(sorted(whole.items(), key=lambda face: str(face[0])))] += times
    return tuple(ways.items())


def _whole(dice: Iterable[tuple[Die, int]]) -> int:
    """In how many ways dice can fall, those left out included."""
    return prod(die.sides ** (die.throws * count) for die, count in dice)


def _rows(falls: Sequence[tuple[_Table, int]], of: Callable[[_Table], Branch[T]]) -> list[tuple[Branch[T], int]]:
    """What follows from a throw; tables after which everything is the same are one branch."""
    ways: Counter[int] = Counter()
    found: dict[int, Branch[T]] = {}
    for table, times in falls:
        branch = of(table)
        ways[id(branch)] += times
        found[id(branch)] = branch
    return [(found[key], times) for key, times in ways.items()]


def _symbol_die(kind: Kind) -> SymbolDie:
    """A die by what its faces mean, for odds."""
    from referee.odds import SymbolDie

    if kind.die.again:
        raise BadInput(kind.name, "is thrown again on some faces: such dice have branches, and no ends at once")
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
