"""What an action offers before anything else, answered on its button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from referee.core.actions import ActionChoice
from referee.core.errors import NotKnown, RefereeError
from referee.core.questions import Choose, key_of
from referee.core.run import Run
from referee.core.scene import Scene
from referee.core.wording import capital
from referee.web.pages.parts.story import option_words
from referee.web.pages.table_view import TableView


@final
@dataclass(frozen=True)
class Ahead:
    """What an action asks first, and what may be answered together with it; without an answer it is declined."""

    prompt: str
    words: str
    options: tuple[tuple[str, str], ...]


def asked_ahead(view: TableView, option: ActionChoice) -> Ahead | None:
    """What an action offers before anything else, if the system says that it is answered ahead."""
    if not view.look.ahead:
        return None
    try:
        run: Run[Any] = Run(Scene(view.state), option.call)
        asked = run.asking[run.open[0]] if run.open else None
        run.close()
    except (RefereeError, NotKnown):
        return None
    if not isinstance(asked, Choose) or asked.name not in view.look.ahead or asked.who != option.who:
        return None
    name, system = str(asked.name), view.system
    legal = [key_of(each) for each in asked.options if each is not None]
    return Ahead(
        name,
        system.words.say(f"prompts.{name}"),
        tuple((key, capital(option_words(system, name, key))) for key in legal),
    )
