"""Where a rule was used at a table: the latest things a seat was told that cite it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, final

from referee.core.plain import Plain
from referee.web.pages.parts.story import Piece, StoryWriter
from referee.web.pages.place import Place
from referee.web.sign_in import Visitor

LOOKED_AT: Final = 600
"""How many of the latest items of the story are searched for uses of a rule."""
MOST_USES: Final = 4


@final
@dataclass(frozen=True)
class Use:
    """What was being done, and what was told with this rule as its source."""

    action: Piece | None
    pieces: tuple[Piece, ...]

    @property
    def item(self) -> int:
        """Its place in the story."""
        return self.pieces[0].id


def uses(visitor: Visitor, place: Place, rule: str) -> tuple[Use, ...]:
    """The latest things this seat was told that cite a rule and are still in force, newest first."""
    if place.view is None:
        return ()
    cursor = place.view.cursor
    items = visitor.hub.story(visitor.campaign, visitor.seat, max(0, cursor - LOOKED_AT), cursor)
    citing = {item["id"] for item in items if any(is_of(each, rule) for each in cited_in(item))}
    if not citing:
        return ()
    found: dict[int, Use] = {}
    action: Piece | None = None
    for piece in StoryWriter.of(place.view).tell(items):
        action = piece if piece.kind == "act" else action
        if piece.id in citing and not piece.undone:
            of = action.id if action else piece.id
            before = found[of].pieces if of in found else ()
            found[of] = Use(action, (*before, piece))
    return tuple(reversed([*found.values()][-MOST_USES:]))


def is_of(cited: str, rule: str) -> bool:
    """Whether a citation is of a rule or of one of its helpers."""
    return cited == rule or cited.startswith(f"{rule}/")


def cited_in(item: Mapping[str, Plain]) -> Iterator[str]:
    """Every rule that an item of the story cites."""
    if item.get("rule"):
        yield str(item["rule"])
    for each in item.get("then") or ():
        yield from map(str, each.get("rules") or ())
    for each in (*((item.get("roll") or {}).get("mods") or ()), *(item.get("sub_results") or ())):
        if each.get("rule"):
            yield str(each["rule"])
