"""How odds refuse: with the errors of the core, loaded only when there is something to refuse.

Loading the core takes longer than most answers here, so it waits until an error is needed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.core.errors import BadInput, TooLarge


def too_large(what: str) -> TooLarge:
    """Work beyond a stated limit; none of it was started."""
    from referee.core.errors import TooLarge

    return TooLarge(what)


def bad_input(where: str, problem: str) -> BadInput:
    """Something that makes no sense as odds."""
    from referee.core.errors import BadInput

    return BadInput(where, problem)
