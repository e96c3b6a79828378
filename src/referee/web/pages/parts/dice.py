"""A throw as a screen draws it: dice by name and face, those kept from before, and the parts of the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from referee.core.look import Look
from referee.core.plain import Plain
from referee.web.pages.page import WORDS


@final
@dataclass(frozen=True)
class DieShown:
    """One die of a throw: its pips, how it is drawn, what its face means, and whether it was kept from before."""

    pips: int
    name: str
    drawn: str = "plain"
    mark: str = ""
    tone: str = "plain"
    kept: bool = False
    again: bool = False
    """Whether it was thrown again on this face; the next die is the same one."""

    @property
    def text(self) -> str:
        kept = WORDS.say("dice.kept") if self.kept else ""
        again = WORDS.say("dice.again") if self.again else ""
        return " ".join(word for word in (str(self.pips), kept, again) if word)


@final
@dataclass(frozen=True)
class Summand:
    """One part of a total, with its rule."""

    label: str
    amount: int
    rule: str
    unit: str = ""


@final
@dataclass(frozen=True)
class ThrowShown:
    """A throw as people saw it."""

    groups: tuple[tuple[str, tuple[DieShown, ...]], ...]
    mods: tuple[Summand, ...]
    total: int | None = None
    """For dice thrown without a rule; otherwise the rule says what its dice mean."""

    @property
    def text(self) -> str:
        """The same in words, for those who cannot see it."""
        return "; ".join(f"{name} {', '.join(die.text for die in dice)}" for name, dice in self.groups if dice)


def thrown(answer: Plain, roll: Plain, look: Look) -> ThrowShown:
    """A throw by its pips, and by its record if the log has one."""
    roll = roll if isinstance(roll, dict) else {}
    kinds = roll.get("dice") or [{"die": "", "sides": 6} for _ in answer]
    places = roll.get("places") or ()
    if places:
        fallen = (*answer, *[[]] * len(kinds))
        groups = [_in_place(*each, look) for each in zip(kinds, places, fallen, strict=False)]
    else:
        groups = [
            (str(kind.get("die", "")), tuple(_die(kind, pips, look) for pips in shown))
            for kind, shown in zip(kinds, answer, strict=False)
        ]
    kept = () if places else tuple(_kept(roll.get("kept"), kinds, look))
    groups += [(WORDS.say("dice.kept"), kept)] if kept else []
    return ThrowShown(tuple(groups), summands(roll))


def summands(roll: Plain) -> tuple[Summand, ...]:
    """The modifiers of a throw or a draw."""
    mods = roll.get("mods") or () if isinstance(roll, dict) else ()
    return tuple(Summand(str(m["label"]), m["amount"], str(m.get("rule", "")), str(m.get("unit", ""))) for m in mods)


def _in_place(
    kind: Mapping[str, Plain], places: Sequence[Sequence[int]], answer: Sequence[int], look: Look
) -> tuple[str, tuple[DieShown, ...]]:
    """Dice of one kind in their places: those that were kept, and between them those just thrown."""
    fallen, dice = list(answer), list[DieShown]()
    for place in places:
        dice += (replace(_die(kind, pips, look), kept=True) for pips in place)
        while not place and fallen:
            dice.append(_die(kind, fallen.pop(0), look))
            if not dice[-1].again:
                break
    return str(kind.get("die", "")), tuple(dice)


def _die(kind: Mapping[str, Plain], pips: int, look: Look) -> DieShown:
    name = str(kind.get("die", ""))
    faces = kind.get("faces") or ()
    mark = str(faces[pips - 1]) if 0 < pips <= len(faces) else ""
    again = pips in (kind.get("again") or ())
    return DieShown(pips, name, look.dice.get(name, "plain"), mark, look.marks.get(mark, "plain"), again=again)


def _kept(kept: Plain, kinds: list[dict[str, Any]], look: Look) -> Iterator[DieShown]:
    """Dice kept on the table from before, by the faces they show."""
    if isinstance(kept, list):
        yield from (DieShown(pips, "", kept=True) for pips in kept if isinstance(pips, int))
    for name, faces in (kept if isinstance(kept, dict) else {}).items():
        known = next((each.get("faces") or () for each in kinds if each.get("die") == name), ())
        for mark, count in faces.items() if isinstance(faces, dict) else ():
            if mark in known:
                drawn, tone = look.dice.get(name, "plain"), look.marks.get(mark, "plain")
                die = DieShown(list(known).index(mark) + 1, name, drawn, mark, tone, kept=True)
                yield from (die for _ in range(count))
