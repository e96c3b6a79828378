"""The course of a log, followed line by line without a rule: the scene, the open steps, the throws that wait."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, final

from referee.core.audience import Audience
from referee.core.errors import RefereeError
from referee.core.plain import Plain, write
from referee.core.scene import State
from referee.core.system import System
from referee.journal.lines import Item, Line, fold
from referee.journal.steps import Handling
from referee.journal.undo import InForce
from referee.table.members import Member
from referee.table.settings import TableSettings

BROKEN: Final = (
    RefereeError,
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What comes of a line that is not as it should be."""


@final
@dataclass(frozen=True)
class Announced:
    """What everybody had been told of seats and settings."""

    members: Mapping[str, Member] = field(default_factory=dict)
    settings: TableSettings = field(default_factory=TableSettings)

    def after(self, line: Line) -> Announced:
        match line.what["about"]:
            case "seat":
                member = Member.from_plain(line.what["seat"])
                return replace(self, members={**self.members, member.id: member})
            case "left":
                return replace(self, members={i: each for i, each in self.members.items() if i != line.what["seat"]})
            case "settings":
                return replace(self, settings=TableSettings().but(line.what["settings"]))
            case _:
                return self

    def by_hand(self, throw: Mapping[str, Plain]) -> bool:
        """Whether a throw was to be made by hand: by who has real dice and may see it, or as the table was set."""
        audience, of = Audience(throw.get("audience", "everyone")), throw["of"]
        mine = (each for each in self.members.values() if each.real_dice and of in each.controls)
        return (
            any(each.seat.sees(audience, of) for each in mine)
            or self.settings.handling(str(throw["asked"])) is Handling.LEAVE
        )

    def name(self, seat: str) -> str:
        return self.members[seat].name if seat in self.members else seat


class LoggedStep(NamedTuple):
    """An open step: the line it began with, and how all was when its open questions were put."""

    began: int
    scene: State
    announced: Announced


class Moment(NamedTuple):
    """How a table stood between two lines."""

    scene: State
    steps: Mapping[int | None, LoggedStep]
    held: Mapping[tuple[int | None, int], Line]


@final
class LogReplay:
    """A log so far."""

    def __init__(self, system: System | None, start: State) -> None:
        self.system = system
        """None where it is not known here; scenes cannot be followed then."""
        self.now = Moment(start, {}, {})
        self.announced = Announced()
        self.lines: list[Line] = []
        self._force = InForce()
        self._before: dict[int, Moment] = {}
        self._after: dict[int, Moment] = {}
        """The moments that an undo left, by the first line that went."""
        self._begun = 0

    def before(self, number: int) -> Moment:
        """How the table stood before a line in force."""
        return self._before[number]

    def since(self, number: int) -> Iterator[tuple[int, Line]]:
        """The lines in force from one on."""
        return ((each, self.lines[each]) for each in self._force.numbers if each >= number)

    def follow(self, line: Line) -> Iterator[str]:
        """Go one line further; what about it does not fit."""
        number = len(self.lines)
        self.lines.append(line)
        if line.is_aside:
            self.announced = self.announced.after(line)
            return
        moved = self._force.file(number, line)
        if line.kind == "undone":
            self._after[moved[0]] = self.now
            self.now = self._before[moved[0]]
        elif line.kind == "redone":
            self.now = self._after[moved[0]]
        else:
            yield from self._step(line)
            self._before[number] = self.now
            scene = yield from self._folded(line)
            self.now = self._moved(number, line, scene)

    def _step(self, line: Line) -> Iterator[str]:
        if line.kind == "began":
            self._begun += 1
            if line.step != self._begun:
                yield f"begins step {line.step} where step {self._begun} should begin"
        elif line.kind != "edited" and line.step not in self.now.steps:
            yield f"step {line.step} is not open here"

    def _folded(self, line: Line) -> Any:
        """The scene after a line, and what in the line does not fit the scene before it."""
        scene = self.now.scene
        if self.system is None:
            return scene
        for item in line.then:
            try:
                yield from _astray(item, scene)
                scene = fold(self.system, scene, [replace(line, then=(item,))])
            except BROKEN as problem:
                yield f"cannot have followed: {problem}"
        return scene

    def _moved(self, number: int, line: Line, scene: State) -> Moment:
        steps, held = dict(self.now.steps), dict(self.now.held)
        place = line.step, line.what.get("part", 0)
        if line.kind == "held":
            held[place] = line
        elif line.kind == "answered":
            held.pop(place, None)
        if line.ends:
            steps.pop(line.step, None)
            held = {key: each for key, each in held.items() if key[0] != line.step}
        elif line.kind == "began":
            steps[line.step] = LoggedStep(number, scene, self.announced)
        elif line.kind == "answered" and not line.what.get("left") and line.step in steps:
            steps[line.step] = steps[line.step]._replace(scene=scene, announced=self.announced)
        return Moment(scene, steps, held)


def equal(written: Plain, found: Plain) -> bool:
    """Whether something is what stands in a file; JSON knows neither tuples nor numbers as names."""
    return bool(written == found) or bool(written == json.loads(json.dumps(found)))


def _astray(item: Item, scene: State) -> Iterator[str]:
    """What an item says of the scene before it, and is not so."""
    if "set" in item:
        value = scene.get(item["who"])
        if value is None:
            yield f"{item['who']} is not in the scene"
            return
        if item["set"].keys() != item["was"].keys():
            yield f"{item['who']}: what was and what is do not name the same fields"
        for name, was in item["was"].items():
            if not equal(was, write(getattr(value, name))):
                yield f"{item['who']}.{name} was {_brief(write(getattr(value, name)))} here, not {_brief(was)}"
    elif "gone" in item and item["gone"] not in scene:
        yield f"{item['gone']} is not in the scene"


def _brief(plain: Plain) -> str:
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
