"""`referee serve`: start the server and print the address to open."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

from referee.cli.show import WORDS
from referee.table.hub import Hub
from referee.web.demo import demonstrations
from referee.web.server import serve as serve_until_stopped
from referee.web.settings import ServerSettings, settings_of


def serve(config: str) -> None:
    """Serve until stopped; print first the address, the demonstrations and how to join them."""
    settings = settings_of(os.environ, Path(config) if config else None)

    def ready(address: str, hub: Hub) -> None:
        _tell(address, hub, settings)

    serve_until_stopped(settings, ready)
    print(WORDS.say("serve-bye"))


def _tell(address: str, hub: Hub, settings: ServerSettings) -> None:
    print(WORDS.say("serve-at", address=address))
    print(WORDS.say("serve-data", folder=settings.folder))
    for each in demonstrations(hub, settings.folder) if settings.demo else ():
        print(WORDS.say("serve-demo", name=each.name, system=each.system))
        print(WORDS.say("serve-master", link=f"{address}/join/{each.master}"))
        print(WORDS.say("serve-player", link=f"{address}/join/{each.player}"))
    print(WORDS.say("serve-stop"), flush=True)
    if settings.browser and has_browser():
        webbrowser.open(address)


def has_browser() -> bool:
    """Whether someone sits at this computer who could see a browser."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
