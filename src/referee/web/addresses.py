"""Where people reach a server: from this computer, and from phones and other computers on its network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Final, final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from referee.core import frozen
from referee.web.errors import Problem
from referee.web.settings import ServerSettings

ANYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104  # compared with, not listened on
NEAR: Final = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses kept for documentation. Nothing is sent to them; the system only says which of ours it would use."""


def is_this_computer(host: str) -> bool:
    """Whether a host name leads to the computer that uses it, and to no other."""
    name = host.strip("[]").casefold()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ip_address(name).is_loopback
    return False


def own_addresses() -> tuple[str, ...]:
    """The addresses of this computer on its networks, the likeliest first; none if it is on no network."""
    return tuple(dict.fromkeys(each for each in _candidates() if _is_of_a_network(each)))


def _candidates() -> Iterator[str]:
    for target, family in NEAR:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            yield str(probe.getsockname()[0])
    with suppress(OSError):
        for found in socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM):
            yield str(found[4][0])


def _is_of_a_network(address: str) -> bool:
    try:
        found = ip_address(address)
    except ValueError:  # with a zone, such as fe80::1%eth0: it leads nowhere from a phone
        return False
    return not (found.is_loopback or found.is_unspecified or found.is_link_local)


def origin(host: str, port: int, scheme: str = "http") -> str:
    """The address of a host, as it is typed."""
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" if port == {"http": 80, "https": 443}[scheme] else f"{scheme}://{shown}:{port}"


def for_others(listens_at: str, port: int) -> tuple[str, ...]:
    """The addresses at which others reach a server that listens at a host; none if only this computer does."""
    if is_this_computer(listens_at):
        return ()
    hosts = own_addresses() if listens_at in ANYWHERE else (listens_at,)
    reached = (each for each in hosts if ":" not in each or listens_at != ANYWHERE[0])
    return tuple(origin(each, port) for each in reached)


@frozen
class Reach:
    """At which addresses people reach a server, the one to hand out first."""

    addresses: tuple[str, ...]
    only_here: bool = False
    """Whether no other computer or phone can use them."""

    @property
    def first(self) -> str:
        return self.addresses[0]


def reach(asked_at: str, scheme: str, settings: ServerSettings, port: int) -> Reach:
    """Where others reach a server; `asked_at` is the host and port at which somebody just reached it."""
    if settings.origin:
        return Reach((settings.origin,))
    here = f"{scheme}://{asked_at}"
    near = for_others(settings.host, port)
    if not is_this_computer(urlsplit(here).hostname or ""):
        return Reach(tuple(dict.fromkeys((here, *near))))
    return Reach(near or (here,), only_here=not near)


@final
class OwnHosts:
    """Refuses requests for a host that this server is not: a foreign name that leads here could read what is ours."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app = app
        here = socket.gethostname().casefold()
        given = urlsplit(settings.origin).hostname
        self.names = frozenset({settings.host.casefold(), given or here, here, f"{here.partition('.')[0]}.local"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self.is_own(dict(scope["headers"]).get(b"host", b"").decode("latin-1")):
            message = "this server is not known by that name"
            legal = ("the address it printed when it started", "set REFEREE_BASE_URL to the address people use")
            await Problem(421, "wrong-host", message, legal=legal, where="Host").answer()(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def is_own(self, host: str) -> bool:
        """Whether a `Host` header names this server: an address, a name of this computer, or the configured one."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            _ = urlsplit(f"//{host}").port
        except ValueError:
            return False
        if name in self.names or is_this_computer(name):
            return True
        with suppress(ValueError):
            return bool(ip_address(name))
        return False
