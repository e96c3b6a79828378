"""What an action costs, as its button shows it: found out by paying for it in a copy of the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

from referee.core.actions import Action, Price
from referee.core.errors import NotKnown, RefereeError
from referee.core.run import Run
from referee.core.scene import Scene, State, Who
from referee.web.pages.table_view import TableView


@final
@dataclass(frozen=True)
class CostMark:
    """A price on a button."""

    words: str
    mark: str


def costs_of(view: TableView, action: Action[Any], who: Who[Any] | None) -> Iterator[CostMark]:
    """What paying for an action takes, found out by paying for it in a copy of the scene."""
    after = _paid(action.price, who, view.state) if action.price and who and view.look.costs else None
    if after is None or who is None:
        return
    for name, cost in view.look.costs.items():
        for thing in view.state:
            was, now = (_level(each, thing, name, who) for each in (view.state, after))
            if was > now:
                many = cost.words if was - now == 1 else cost.many or cost.words
                is_last = bool(cost.last) and now == 0 and was == 1
                yield CostMark((cost.last if is_last else many).format(n=was - now), cost.mark)


def _paid(price: Price, who: Who[Any], state: State) -> State | None:
    """The scene after someone has paid; None if that cannot be told."""
    scene = Scene(state)
    try:
        run: Run[Any] = Run(scene, price.pay(who))
        after = scene.state if run.done else None
        run.close()
    except (RefereeError, NotKnown):
        return None
    return after


def _level(state: State, thing: str, name: str, who: Who[Any]) -> int:
    """A number in a field of someone's sheet, or under their name in a field of an encounter; 0 if there is none."""
    try:
        value = getattr(state.get(thing), name, None)
        found = value if thing == who.name else value.get(who.name) if isinstance(value, Mapping) else None
    except NotKnown:
        return 0
    return found if isinstance(found, int) else 0
