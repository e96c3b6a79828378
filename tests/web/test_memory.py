"""Memory: what has been answered is let go of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.conftest import Running

MEGABYTE = 2**20
QUESTIONS = 1000


def resident(pid: str) -> int:
    """Bytes of memory that a process holds."""
    (line,) = (each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_thousand_expensive_questions_leave_no_memory_behind(serve: Callable[..., Running]) -> None:
    """Each is another question, so that no answer is remembered from before."""
    running = serve(odds_workers=1)
    pool = running.served.odds.pool
    assert pool is not None
    with Client(running.address) as client:
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        held: list[int] = []
        for number in range(QUESTIONS):
            mo.odds("grapple", "Ash", target="Bell", cmods=[f"{number % 9 - 4:+} reason {number}"])
            if number in (QUESTIONS // 4, QUESTIONS - 1):
                held.append(sum(resident(pid) for pid in ("self", *map(str, pool.pids))))
    quarter, whole = held
    assert whole - quarter < 64 * MEGABYTE, f"{quarter / MEGABYTE:.0f} to {whole / MEGABYTE:.0f} MiB"
