"""An invitation as it is shown: the code, the addresses, and the first of them as a QR code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import segno
from markupsafe import Markup

from referee.web.addresses import Reach


@final
@dataclass(frozen=True)
class ShownInvitation:
    """An invitation, or a link to one's own seat."""

    code: str
    """Empty for a link to a seat, which is too long to type."""
    path: str
    reach: Reach

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(f"{each}{self.path}" for each in self.reach.addresses)

    @property
    def typed_at(self) -> str:
        """Where to type the code."""
        return self.reach.first

    @property
    def qr(self) -> Markup:
        return drawn(self.links[0])


def drawn(link: str) -> Markup:
    """A link as a QR code, always black on white, because cameras need that."""
    picture = segno.make(link, micro=False).svg_inline(
        border=3, omitsize=True, svgclass=None, lineclass=None, dark="#000", light="#fff"
    )
    return Markup(picture)  # noqa: S704  # it holds shapes and figures only
