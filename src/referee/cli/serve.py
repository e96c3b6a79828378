"""`referee serve`: start the server and print the address to open."""

from __future__ import annotations

import os
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.cli.show import WORDS
from referee.table.hub import Hub
from referee.web.addresses import ANYWHERE, is_this_computer
from referee.web.demo import demonstrations
from referee.web.server import serve as serve_until_stopped
from referee.web.settings import ServerSettings, settings_of


def serve(config: str, *, lan: bool = False, **given: Any) -> None:
    """Serve until stopped; print first the addresses, the demonstrations and how to join them."""
    settings = replace(settings_of(os.environ, Path(config) if config else None), **given)
    if lan and is_this_computer(settings.host):
        settings = replace(settings, host=ANYWHERE[0])

    def ready(address: str, others: tuple[str, ...], hub: Hub) -> None:
        _tell(address, others, hub, settings)

    serve_until_stopped(settings, ready)
    print(WORDS.say("serve-bye"))


def _tell(address: str, others: tuple[str, ...], hub: Hub, settings: ServerSettings) -> None:
    print(WORDS.say("serve-at", address=address))
    for other in others:
        print(WORDS.say("serve-others", address=other))
    if not others and not settings.origin:
        alone = is_this_computer(settings.host)
        print(WORDS.say("serve-alone" if alone else "serve-no-network"))
    print(WORDS.say("serve-data", folder=settings.folder))
    for each in demonstrations(hub, settings.folder) if settings.demo else ():
        print(WORDS.say("serve-demo", name=each.name, system=each.system))
        print(WORDS.say("serve-master", link=f"{address}/join/{each.master}"))
        print(WORDS.say("serve-player", link=f"{(*others, address)[0]}/join/{each.player}"))
    print(WORDS.say("serve-stop"), flush=True)
    if settings.browser and has_browser():
        webbrowser.open(address)


def has_browser() -> bool:
    """Whether someone sits at this computer who could see a browser."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
