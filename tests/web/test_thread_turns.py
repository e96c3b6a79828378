"""Threads take turns often only while one of them computes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from starlette.types import Receive, Scope, Send
from tests.web.conftest import until

from referee.web.thread_turns import CAN_TELL, OFTEN, SELDOM, ThreadTurns, computes


async def nobody(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that nobody asks for anything."""


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(not CAN_TELL, reason="turns are always short here")
def test_turns_are_short_while_a_thread_computes_and_long_again_afterwards() -> None:
    turns, is_over = ThreadTurns(nobody), threading.Event()

    def interval() -> float:
        turns.look()
        return sys.getswitchinterval()

    def compute() -> None:
        while not is_over.is_set():
            sum(range(1000))

    until(lambda: interval() == pytest.approx(SELDOM))
    thread = threading.Thread(target=compute)
    thread.start()
    until(lambda: interval() == pytest.approx(OFTEN))
    is_over.set()
    thread.join()
    until(lambda: interval() == pytest.approx(SELDOM))


def test_many_threads_that_share_the_time_do_not_compute() -> None:
    assert not computes([0.005] * 16, 0.1)
    assert not computes([0.004], 0.004)  # hardly anything happens
    assert not computes([], 0.0)
    assert computes([0.005] * 8 + [0.06], 0.1)
