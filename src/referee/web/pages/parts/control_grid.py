"""Speed and maneuver of a vehicle in one grid: every pair has its own chance, and one tap sets both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from referee.core.actions import ActionChoice
from referee.core.look import ChaseLook
from referee.core.questions import Choose
from referee.core.wording import capital
from referee.web.pages.page import WORDS
from referee.web.pages.parts.actions import label

if TYPE_CHECKING:
    from referee.web.pages.parts.questions import Answer
    from referee.web.pages.table_view import TableView


@final
@dataclass(frozen=True)
class ControlCell:
    """A speed with a maneuver: the answer that declares both, and whether it is to go on as before."""

    speed: str
    answer: Answer | None = None
    is_usual: bool = False


@final
@dataclass(frozen=True)
class ControlRow:
    """A maneuver, with every speed."""

    words: str
    cells: tuple[ControlCell, ...]


@final
@dataclass(frozen=True)
class ControlGrid:
    """What may be declared, as speeds by maneuvers: one tap sets both."""

    speeds: tuple[str, ...]
    rows: tuple[ControlRow, ...]
    words: str
    """What the action is called."""
    says: str
    rule: str

    @property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(cell.answer for row in self.rows for cell in row.cells if cell.answer)

    @property
    def usual(self) -> str:
        """What is picked at first: as before, or else the first there is."""
        usual = (cell.answer.value for row in self.rows for cell in row.cells if cell.answer and cell.is_usual)
        return next(usual, self.answers[0].value)


def control_grid(view: TableView, question: Choose[Any], answers: Mapping[str, Answer]) -> ControlGrid | None:
    """The options of a question as a grid, if all of them declare a speed and a maneuver as the look names them."""
    options = [each for each in question.options if isinstance(each, ActionChoice)]
    looks = (places.chase for places in view.look.encounters.values() if places.chase and places.chase.control)
    look = next((each for each in looks if options and all(one.action.key == each.control for one in options)), None)
    if look is None or len(options) < len(question.options):
        return None
    speeds = tuple(dict.fromkeys(str(each.arguments[look.speed]) for each in options))
    rows: dict[str, dict[str, ControlCell]] = {}
    for each in options:
        speed, answer = str(each.arguments[look.speed]), answers.get(each.key)
        cell = ControlCell(speed, answer, each == question.default)
        rows.setdefault(_maneuver_words(view, look, each), {}).setdefault(speed, cell)
    action = options[0].action
    return ControlGrid(
        speeds,
        tuple(
            ControlRow(words, tuple(found.get(speed) or ControlCell(speed) for speed in speeds))
            for words, found in rows.items()
        ),
        view.system.action_words(action.key),
        action.rule.says,
        action.rule.id,
    )


def _maneuver_words(view: TableView, look: ChaseLook, option: ActionChoice) -> str:
    """A maneuver, and whatever else is said of it."""
    given = {name: each for name, each in option.arguments.items() if name != look.speed}
    maneuver = str(given.pop(look.maneuver) or "")
    first = maneuver or WORDS.say("chase.straight")
    return ", ".join(
        (capital(first), *(label(view.system, each) for each in given.values() if each not in (None, "", (), False)))
    )
