"""Length limits for texts from outside, whether over HTTP, from a form or from a terminal."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 60
"""The name of a person or a seat."""
LONGEST_NOTE: Final = 10_000
"""What someone says or writes down."""
LONGEST_TITLE: Final = 100
"""What a page or a handout is called."""
