"""Two dice against a bar, with spare dice of which the best two are kept, and with the best use of re-rolls.

Decisions are made on whole numbers: the choice with the most ways to a good end is best, and among equals the first of
`CHOICES` (keep before a re-roll, fewer dice first, the lower die before the higher).
"""

from __future__ import annotations

from referee.odds.bands import NamedOutcomes
from referee.odds.errors import bad_input, too_large
from referee.odds.packed import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Final, Literal, TypeAlias

    Choice: TypeAlias = Literal["keep", "lower", "higher", "both"]
    Pair: TypeAlias = tuple[int, int]
    Policy: TypeAlias = Callable[[int, int], Choice]
    Ends: TypeAlias = list[list[int]]
    Choices: TypeAlias = list[list[Choice]]

CHOICES: Final[tuple[Choice, ...]] = ("keep", "lower", "higher", "both")
MOST_SIDES: Final = 100
MOST_THROWN: Final = 100
MOST_REROLLS: Final = 10


class TwoDice:
    """The odds of a check, and what was done with each pair to get them."""

    __slots__ = ("_choices", "bands")

    bands: NamedOutcomes

    def __init__(self, bands: NamedOutcomes, choices: tuple[Choices, ...]) -> None:
        self.bands = bands
        self._choices = choices

    @property
    def plans(self) -> tuple[dict[Pair, Choice], ...]:
        """What to do, by the higher and the lower die: first with one re-roll left, then with two, and so on."""
        return tuple(
            [
                {(low + more, low): choice for low, row in enumerate(plan, 1) for more, choice in enumerate(row)}
                for plan in self._choices
            ]
        )

    def __repr__(self) -> str:
        return f"<TwoDice {self.bands!r}>"


def two_dice(
    bar: int,
    *,
    thrown: int = 2,
    rerolls: int = 0,
    sides: int = 6,
    always: Mapping[Pair, str] | None = None,
    good: Collection[str] = ("success",),
    policy: Policy | None = None,
) -> TwoDice:
    """`success` if the best two of `thrown` dice reach the bar together, else `failure`.

    Some pairs (the higher die first) `always` have the same outcome: `{(1, 1): "fumble", (6, 6): "triumph"}`. Up to
    `rerolls` times one or both dice may be thrown again: by a policy, or so that a `good` end is most likely.
    """
    _check(thrown, rerolls, sides)
    names = list(dict.fromkeys(["failure", "success", *(always or {}).values()]))
    if not set(good).issubset(names):
        raise bad_input("good", f"must be some of {', '.join(names)}, not {', '.join(good)}")
    if always and any(not 1 <= low <= high <= sides for high, low in always):
        raise bad_input("always", f"must be pairs of faces up to {sides}, the higher first")
    whole = sides ** (thrown + 2 * rerolls)
    width = (whole.bit_length() >> 3) + 1
    # The ends of a pair are packed by band; above the bands is the number of good ones.
    worth = 8 * width * len(names)
    marks = [(1 << 8 * width * place) + ((name in good) << worth) for place, name in enumerate(names)]
    kept = _ends(bar, sides, marks, {pair: marks[names.index(name)] for pair, name in (always or {}).items()})
    lines: Ends = [row[low:] for low, row in enumerate(kept)]
    plans: list[Choices] = []
    for left in range(1, rerolls + 1):
        after = _mirrored(lines) if plans else kept
        lines, plan = _rerolled(kept, after, sides ** (2 * left), worth, policy)
        plans.append(plan)
    packed = _best_two(lines, thrown) & (1 << worth) - 1
    return TwoDice(NamedOutcomes(dict(zip(names, unpack(packed, width, len(names)), strict=True))), tuple(plans))


def _check(thrown: int, rerolls: int, sides: int) -> None:
    if thrown < 2 or rerolls < 0 or sides < 1:
        raise bad_input("two dice", f"at least two dice, not {thrown}, and no fewer than 0 re-rolls, not {rerolls}")
    for what, number, most in (
        ("dice", thrown, MOST_THROWN),
        ("re-rolls", rerolls, MOST_REROLLS),
        ("sides", sides, MOST_SIDES),
    ):
        if number > most:
            raise too_large(f"{number} {what}; at most {most} are worked out")


def _ends(bar: int, sides: int, marks: list[int], always: Mapping[Pair, int]) -> Ends:
    """The result of two dice as they are; rows and columns by face, from 1."""
    by_total = [marks[total >= bar] for total in range(2, 2 * sides + 1)]
    ends = [by_total[face : face + sides] for face in range(sides)]
    for (one, two), mark in always.items():
        ends[one - 1][two - 1] = ends[two - 1][one - 1] = mark
    return ends


def _rerolled(kept: Ends, after: Ends, alone: int, worth: int, policy: Policy | None) -> tuple[Ends, Choices]:
    """The result of two dice with one re-roll more than `after`, and what is chosen.

    Rows are by the lower die, and in a row the higher die starts with the same face.
    """
    rows = [sum(row) for row in after]
    both, again = sum(rows), [row * len(rows) for row in rows]
    if policy is None:
        return _best(kept, again, both, alone, worth)
    faces = range(1, len(rows) + 1)
    choices: Choices = [[policy(high, low) for high in faces[low - 1 :]] for low in faces]
    ends: Ends = []
    for low, line in enumerate(choices):
        ways = [(kept[low][high] * alone, again[high], again[low], both) for high in range(low, len(rows))]
        ends.append([way[CHOICES.index(choice)] for way, choice in zip(ways, line, strict=True)])
    return ends, choices


def _best(kept: Ends, again: list[int], both: int, alone: int, worth: int) -> tuple[Ends, Choices]:
    """Choose what has the most good ends, the first among equals. A pair that is already good is kept."""
    good, both_good, lies_good = [ends >> worth for ends in again], both >> worth, 1 << worth
    ends: Ends = []
    choices: Choices = []
    for low, lower in enumerate(good):
        line: list[int] = []
        chosen: list[Choice] = []
        for end, higher, higher_lies in zip(kept[low][low:], good[low:], again[low:], strict=True):
            if end >= lies_good or not (higher or lower or both_good):
                line.append(end * alone)
                chosen.append("keep")
            elif both_good > higher and both_good > lower:
                line.append(both)
                chosen.append("both")
            elif higher >= lower:
                line.append(higher_lies)
                chosen.append("lower")
            else:
                line.append(again[low])
                chosen.append("higher")
        ends.append(line)
        choices.append(chosen)
    return ends, choices


def _mirrored(lines: Ends) -> Ends:
    """Rows by either die, made from rows by the lower die."""
    faces = range(len(lines))
    return [[lines[min(one, two)][abs(one - two)] for two in faces] for one in faces]


def _best_two(lines: Ends, thrown: int) -> int:
    """The ends of every pair, as many times as it is the best two of the dice thrown; rows by the lower die."""
    total = below = below_all = 0
    for face, line in enumerate(lines, 1):
        up_to = face ** (thrown - 1)  # all dice but one show at most this face
        up_to_all = up_to * face
        twice = up_to_all - below_all - thrown * below
        total += twice * line[0] + thrown * (up_to - below) * sum(line[1:])
        below, below_all = up_to, up_to_all
    return total
