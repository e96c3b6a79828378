"""How long texts from outside may be, wherever they come in: over HTTP, from a form, from a terminal."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 60
"""What a person or a seat is called."""
LONGEST_NOTE: Final = 10_000
"""What somebody says or writes down."""
