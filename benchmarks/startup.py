"""How long a cold start of the command takes, beside a Python that does nothing. `make bench-startup`.

Each command is started afresh several times, in turns, so that a busy moment of the machine falls on all of them; the
median counts. Wall is what a person waits; work is processor time, which a busy machine changes less. First with
compiled bytecode at hand, as everybody has it from the second start on; then as this shell starts it, which where
PYTHONDONTWRITEBYTECODE is set means compiling much of it each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from os import times
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

ROUNDS: Final = 15
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


def medians(environment: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Seconds of wall time and of work per command."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS + 1):
        for name, command in COMMANDS.items():
            taken[name].append(_started(command, environment))
    # The first round writes the bytecode.
    return {
        name: (median(w for w, _ in several[1:]), median(c for _, c in several[1:])) for name, several in taken.items()
    }


def _started(command: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    begun, before = perf_counter(), times()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own command
    wall, after = perf_counter() - begun, times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with tempfile.TemporaryDirectory() as folder:
        compiled = medians({**plain, "PYTHONPYCACHEPREFIX": folder})
    here = medians(dict(os.environ))
    print(f"{'':40} {'compiled':^28} {'in this shell':^20}")
    print(f"{'':40} {'wall':>9} {'work':>9} {'ratio':>8} {'wall':>10} {'work':>9}")
    for name, (wall, work) in compiled.items():
        figures = (wall * 1000, work * 1000, wall / compiled[NOTHING][0], *(each * 1000 for each in here[name]))
        print(f"{name:40} {{:6.0f}} ms {{:6.0f}} ms {{:8.1f}} {{:7.0f}} ms {{:6.0f}} ms".format(*figures))


if __name__ == "__main__":
    main()
