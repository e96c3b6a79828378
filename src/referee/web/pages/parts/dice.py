"""A throw as a screen draws it: dice by name and face, those kept from before, and the parts of the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from referee.core.look import DieLook, Look
from referee.core.plain import Plain
from referee.web.pages.page import WORDS

KNOWN: Final = {
    "base": DieLook("square", "base", "B"),
    "skill": DieLook("hexagon", "skill", "S"),
    "gear": DieLook("octagon", "gear", "G"),
    "ammo": DieLook("cartridge", "ammo", "A"),
    "stress": DieLook("circle", "stress", "!"),
    "negative": DieLook("dashed", "negative", "\N{MINUS SIGN}"),
    "artifact d8": DieLook("diamond", "artifact", "D8"),
    "artifact d10": DieLook("kite", "artifact", "D10"),
    "artifact d12": DieLook("pentagon", "artifact", "D12"),
}
"""How dice of these names are told apart, where a system says nothing else."""
OUTLINES: Final = {
    "square": "M8 2h24a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z",
    "dashed": "M8 2h24a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z",
    "hexagon": "M20 1.500 36.500 10.500v19L20 38.500 3.500 29.500v-19z",
    "octagon": "M13 2h14l11 11v14L27 38H13L2 27V13z",
    "cartridge": "M5 38V16C5 7 12 2 20 2s15 5 15 14v22z",
    "circle": "M20 2a18 18 0 1 1-.01 0z",
    "diamond": "M20 1 39 20 20 39 1 20z",
    "kite": "M20 1 38 17 20 39 2 17z",
    "pentagon": "M20 2 38 15.500 31 37H9L2 15.500z",
}
"""The shapes of dice as paths."""


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
    look: DieLook | None = None
    """Its shape, colour and letter; plain dice have none."""

    @property
    def outline(self) -> str:
        """Its shape as a path in a picture of 40 by 40; empty for a plain square."""
        return OUTLINES[self.look.shape] if self.look else ""

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
    drawn, shape = _drawn(name, look)
    return DieShown(pips, name, drawn, mark, look.marks.get(mark, "plain"), again=again, look=shape)


def _drawn(name: str, look: Look) -> tuple[str, DieLook | None]:
    """How dice of a name are drawn, and their shape if they have one of their own."""
    told = look.dice.get(name, "plain")
    if isinstance(told, DieLook):
        return "plain", told
    return told, KNOWN.get(name)


def _kept(kept: Plain, kinds: list[dict[str, Any]], look: Look) -> Iterator[DieShown]:
    """Dice kept on the table from before, by the faces they show."""
    if isinstance(kept, list):
        yield from (DieShown(pips, "", kept=True) for pips in kept if isinstance(pips, int))
    for name, faces in (kept if isinstance(kept, dict) else {}).items():
        known = next((each.get("faces") or () for each in kinds if each.get("die") == name), ())
        for mark, count in faces.items() if isinstance(faces, dict) else ():
            if mark in known:
                (drawn, shape), tone = _drawn(name, look), look.marks.get(mark, "plain")
                die = DieShown(list(known).index(mark) + 1, name, drawn, mark, tone, kept=True, look=shape)
                yield from (die for _ in range(count))
