"""How long a cold start of the command and of a server takes, beside a Python that does nothing. `make bench-startup`.

Each command is started afresh several times, in turns, so that a busy moment of the machine falls on all of them; the
median counts. Wall is what a person waits; work is processor time, which a busy machine changes less. Compiled bytecode
and templates are at hand, as everybody has them from the second start on. A server starts in an empty folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final
from urllib.request import urlopen

ROUNDS: Final = 15
SERVERS: Final = 5
SETTLED: Final = 8.0
"""Seconds after which a server has imported everything."""
PYTHON: Final = sys.executable
REFEREE: Final = str(Path(sys.executable).parent / "referee")
NOTHING: Final = "python -c pass"
COMMANDS: Final = {
    NOTHING: (PYTHON, "-c", "pass"),
    **{
        f"referee {words}": (REFEREE, *words.split())
        for words in (
            "--help",
            "roll alien 5b3s",
            "roll distemper 2d6+3",
            "odds alien 5b3s",
            "rules show alien.push.procedure",
        )
    },
}
Taken = tuple[float, float]
"""Seconds of wall time and of work."""


def medians(environment: Mapping[str, str]) -> dict[str, Taken]:
    """What each command takes."""
    taken: dict[str, list[Taken]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS + 1):
        for name, command in COMMANDS.items():
            taken[name].append(_started(command, environment))
    # The first round writes the bytecode.
    return {name: _median(several[1:]) for name, several in taken.items()}


def _started(command: tuple[str, ...], environment: Mapping[str, str]) -> Taken:
    begun = perf_counter()
    started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603  # our own command
    _, status, spent = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    return perf_counter() - begun, spent.ru_utime + spent.ru_stime


def _median(several: list[Taken]) -> Taken:
    return median(wall for wall, _ in several), median(work for _, work in several)


def served(environment: Mapping[str, str]) -> dict[str, Taken]:
    """What a server takes until its first page is there, and until everything is imported."""
    found: dict[str, list[Taken]] = {"referee serve: the first page": [], "referee serve: everything": []}
    for _ in range(SERVERS + 1):
        with tempfile.TemporaryDirectory() as folder:
            begun = perf_counter()
            given = {**environment, "REFEREE_DATA": folder, "REFEREE_PORT": "0", "REFEREE_BROWSER": "no"}
            server = subprocess.Popen([REFEREE, "serve"], env=given, stdout=subprocess.PIPE, text=True)  # noqa: S603
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            with urlopen(address) as page:  # noqa: S310  # our own server
                page.read()
            found["referee serve: the first page"].append((perf_counter() - begun, _work(server.pid)))
            sleep(SETTLED)
            found["referee serve: everything"].append((0.0, _work(server.pid)))
            server.terminate()
            server.communicate()
    return {name: _median(several[1:]) for name, several in found.items()}


def _work(process: int) -> float:
    """The processor time of a running process."""
    spent = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**plain, "PYTHONPYCACHEPREFIX": folder}
        found = medians(environment)
        servers = served(environment)
    print(f"{'':40} {'wall':>9} {'ratio':>8} {'work':>9} {'ratio':>8}")
    nothing = found[NOTHING]
    for name, (wall, work) in found.items():
        figures = (wall * 1000, wall / nothing[0], work * 1000, work / nothing[1])
        print(f"{name:40} {{:6.0f}} ms {{:8.1f}} {{:6.0f}} ms {{:8.1f}}".format(*figures))
    for name, (wall, work) in servers.items():
        print(f"{name:40} {f'{wall:6.2f}  s' if wall else '':>9} {'':8} {work:6.2f}  s")


if __name__ == "__main__":
    main()
