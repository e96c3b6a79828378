"""Where Referee stores its data: `REFEREE_DATA`, or the platform's folder for user data."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

DATABASE: Final = "referee.db"
BACKUPS: Final = "backups"
"""The folder of the automatic backups, next to the database."""


def data_folder() -> Path:
    """The folder of the embedded database and of games played in a terminal. It may not exist yet."""
    if chosen := os.environ.get("REFEREE_DATA"):
        return Path(chosen).expanduser()
    return _user_data() / "referee"


def database_file() -> Path:
    """The embedded database, shared by `referee serve` and the commands that work on it."""
    return data_folder() / DATABASE


def _user_data() -> Path:
    """The platform's folder for user data; an empty variable counts as none (XDG Base Directory Specification)."""
    if home := os.environ.get("XDG_DATA_HOME"):
        return Path(home)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    return Path.home() / ".local" / "share"
