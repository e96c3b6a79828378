"""Whom a form proposes: nobody is proposed as a target whom one would rather not hit while foes are out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

from referee import registry
from referee.core.look import Targets
from referee.web.demo import sample_scene, samples
from referee.web.pages.parts.actions import Act, Field, acts
from referee.web.pages.table_view import TableView, see

if TYPE_CHECKING:
    from referee.table.hub import Hub


def views(hub: Hub, system: str) -> Iterator[TableView]:
    """Every sample of a system, as its game master sees it."""
    loaded = registry.load(system)
    for name in samples(system):
        made = hub.create("A table", system, sample_scene(loaded, name), "Mo")
        about = {"id": made.campaign, "name": "A table", "system": system}
        yield hub.read(made.campaign, made.seat, partial(see, about=about))


def aimed(view: TableView, who: str) -> Iterator[tuple[Act, Field]]:
    """What is done to foes, with the field that says to whom."""
    for act in acts(view, who):
        if view.look.targets.get(act.key, Targets()).first == "foes":
            yield from ((act, each) for each in act.fields if each.is_whom)


def sides(view: TableView) -> list[list[str]]:
    found = [places.sides for places in view.look.encounters.values() if places.sides]
    return [side for plain in view.data["scene"].values() for name in found for side in plain.get(name) or ()]


@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("system", registry.names())
def test_no_friend_is_proposed_as_a_target_while_foes_are_about(hub: Hub, system: str, most: int | None) -> None:
    """Some of every sample, from each of its sides; all of them take seconds where there are a hundred people."""
    for view in views(hub, system):
        for own in sides(view):
            for who in [each for each in own if each in view.people][:most]:
                for act, field in aimed(view, who):
                    proposed = field.value or ("" if field.barred is not None else field.options[0].value)
                    assert proposed not in own, (who, act.key)
