"""Where Referee keeps what it is given: `REFEREE_DATA`, or the place the platform has for a user's data."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

DATABASE: Final = "referee.db"
BACKUPS: Final = "backups"
"""The folder of the automatic backups, beside the database."""


def data_folder() -> Path:
    """The folder of the embedded database and of evenings played in a terminal. It need not be there yet."""
    if chosen := os.environ.get("REFEREE_DATA"):
        return Path(chosen).expanduser()
    return _user_data() / "referee"


def database_file() -> Path:
    """The embedded database, which `referee serve` and the commands beside it share."""
    return data_folder() / DATABASE


def _user_data() -> Path:
    """Where the platform has a user's data; an empty variable counts as none (XDG Base Directory Specification)."""
    if home := os.environ.get("XDG_DATA_HOME"):
        return Path(home)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    return Path.home() / ".local" / "share"
