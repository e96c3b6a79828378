"""Server settings, from the environment (`REFEREE_PORT=8080`) or a TOML file (`port = 8080`); the environment wins.

Unknown keys are refused, so that a typo does not go unnoticed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import urlsplit

from referee.core.errors import BadInput
from referee.core.plain import unknown
from referee.store.folders import data_folder

PREFIX: Final = "REFEREE_"
FILE: Final = "REFEREE_CONFIG"
NOT_OURS: Final = frozenset({FILE, "REFEREE_PROOF", "REFEREE_RECORD"})
"""Variables that start with the prefix but are not server settings."""
LOGS: Final = ("auto", "json", "plain", "none")
MOST_WORKERS: Final = 64
LEAST_MEMORY: Final = 256


@final
@dataclass(frozen=True)
class ServerSettings:
    """Everything that can be set. All have defaults."""

    host: str = "127.0.0.1"
    """Where to listen: by default on this computer only; `0.0.0.0` for everyone who can reach it."""
    port: int = 8765
    """0 chooses a free one."""
    data: Path | None = None
    """The folder of the embedded database and its backups."""
    database: str = ""
    """A PostgreSQL database for several servers to share, in place of that (`postgresql://referee@host/referee`)."""
    base_url: str = ""
    """How people reach the server from outside (`https://table.example.org`); by default, where it listens."""
    log: str = "auto"
    """`json` or `plain` lines on standard error, or `none`; `auto`: problems only on a terminal, otherwise `json`."""
    browser: bool = True
    """Whether to open a browser, if there is one."""
    demo: bool = True
    """Whether a new database starts with a demonstration of each system."""
    rate: int = 30
    """How many requests per second a seat may make, on average."""
    streams: int = 1000
    """How many live streams may be open at once."""
    proxies: str = "127.0.0.1"
    """The proxies whose `X-Forwarded-For` is trusted."""
    create: bool = True
    """Whether anyone who reaches the server may start a campaign."""
    metrics: bool = False
    """Whether `/metrics` tells how the server does, for Prometheus."""
    odds_workers: int = 2
    """How many processes compute odds; 0 computes everything in the server itself."""
    odds_memory: int = 1024
    """How many megabytes each of these processes may use, and each that works on a forecast."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise BadInput("port", "must be 0 to 65535")
        if self.log not in LOGS:
            raise BadInput("log", unknown(self.log, LOGS))
        if self.rate < 1 or self.streams < 1:
            raise BadInput("rate" if self.rate < 1 else "streams", "must be 1 or more")
        if not 0 <= self.odds_workers <= MOST_WORKERS:
            raise BadInput("odds_workers", f"must be 0 to {MOST_WORKERS}")
        if self.odds_memory < LEAST_MEMORY:
            raise BadInput("odds_memory", f"must be {LEAST_MEMORY} or more")
        if self.database and urlsplit(self.database).scheme not in {"postgresql", "postgres"}:
            raise BadInput("database", "must be an address such as postgresql://referee@host/referee")
        parts = urlsplit(self.base_url)
        if self.base_url and (parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/")):
            raise BadInput("base_url", "must be an address such as https://table.example.org, without a path")

    @property
    def folder(self) -> Path:
        return self.data or data_folder()

    @property
    def origin(self) -> str:
        """The server's own origin if it is set, without a trailing slash."""
        return self.base_url.rstrip("/")


def settings_of(environment: Mapping[str, str], file: Path | None = None) -> ServerSettings:
    """The settings from a file and the environment."""
    named = file or (Path(environment[FILE]) if environment.get(FILE) else None)
    given = _from_file(named) if named else {}
    known = {f"{PREFIX}{each.name.upper()}": each.name for each in fields(ServerSettings)}
    for key, text in environment.items():
        if not key.startswith(PREFIX) or key in NOT_OURS:
            continue
        if key not in known:
            raise BadInput(key, unknown(key, known))
        given[known[key]] = _read(known[key], text, key)
    return replace(ServerSettings(), **given)


def _from_file(file: Path) -> dict[str, Any]:
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BadInput(str(file), f"is not TOML: {problem}") from None
    known = {each.name: each for each in fields(ServerSettings)}
    for name in plain:
        if name not in known:
            raise BadInput(f"{file}: {name}", unknown(name, known))
    return {name: _read(name, value, f"{file}: {name}") for name, value in plain.items()}


_YES: Final = ("1", "yes", "true", "on")
_NO: Final = ("0", "no", "false", "off")


def _read(name: str, value: Any, where: str) -> Any:
    """A setting, converted to the type of its default."""
    default = getattr(ServerSettings(), name)
    text = str(value).strip()
    if name == "data":
        return Path(text).expanduser() if text else None
    if isinstance(default, bool):
        if text.casefold() not in (*_YES, *_NO):
            raise BadInput(where, f"must be yes or no, not {text!r}")
        return text.casefold() in _YES
    if isinstance(default, int):
        if not text.removeprefix("-").isdecimal() or len(text) > 9:
            raise BadInput(where, f"must be a whole number, not {text!r}")
        return int(text)
    return text
