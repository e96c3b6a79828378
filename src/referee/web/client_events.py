"""Reading a stream of events, and keeping a view up to date by it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from referee.core.plain import Plain


class Event(NamedTuple):
    """Something the server said by itself."""

    kind: str
    """`item`, `view`, `left` or `reset`."""
    data: Plain
    id: int | None = None
    """Of an item: how many items one has with it."""


def events_in(lines: Iterable[str]) -> Iterator[Event]:
    """The events of a stream; comments only show that it lives."""
    kind, number, data = "message", None, list[str]()
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield Event(kind, json.loads("\n".join(data)), number)
            kind, number, data = "message", None, []
        elif name == "event":
            kind = value
        elif name == "id":
            number = int(value)
        elif name == "data":
            data.append(value)


def brought_up_to_date(view: dict[str, Plain], patch: dict[str, Plain]) -> dict[str, Plain]:
    """A view with what a `view` event brought."""
    if patch.get("whole"):
        return {name: part for name, part in patch.items() if name != "whole"}
    scene = {**view["scene"], **patch.get("scene", {})}
    return {**view, **patch, "scene": {name: value for name, value in scene.items() if value is not None}}
