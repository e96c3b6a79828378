"""Two servers, one log: whoever follows, and whoever opens the table anew, has it as the one who wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.postgres import open_postgres

from referee import registry
from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain, write
from referee.core.questions import Choice
from referee.core.scene import Scene
from referee.core.system import System
from referee.table import storage
from referee.table.campaign import Campaign
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import samples

MOVES = int(os.environ.get("MOVES", "12"))


@pytest.fixture
def hubs(tmp_path: Path) -> Iterator[tuple[Hub, Hub]]:
    one, other = (Hub(open_postgres(tmp_path), clock=lambda: 1000.0) for _ in range(2))  # each counts its own time
    with closing(one), closing(other):
        yield one, other


def begun(hub: Hub, system: System, sample: int = 0) -> tuple[str, str]:
    """A campaign of a sample, and the seat of its game master."""
    _, state = list(samples(system))[sample]
    admitted = hub.create("Walk", system.name, system.plain(state), "Gia")
    return admitted.campaign, admitted.seat


def known(hub: Hub, campaign: str) -> dict[str, Any]:
    """All that a server knows of a campaign."""
    with hub._looking(campaign) as (_, current):
        return what_is_known(current)


def what_is_known(current: Campaign) -> dict[str, Any]:
    journal = current.journal
    return {
        "count": current.count,
        "state": journal.state,
        "asking": [(each.step, each.part, str(each.question.name)) for each in journal.asking],
        "held": dict(journal.held),
        "dice": journal.source.commitment if journal.source else None,
        "throws": journal.record.throws,
        "redo": journal.record.may_redo,
        "setup": current.setup,
        "on turn": current.on_turn,
        "stuck": current.stuck,
        "halted": current.is_halted,
        "views": {seat: current.view(seat) for seat in current.members},
        "feeds": {
            seat: (feed.cursor, feed.since(max(feed.before, feed.cursor - 20))) for seat, feed in current.feeds.items()
        },
    }


def move(desk: Desk, random: Random) -> None:
    """Something that a game master may do at random; much of it is refused."""
    journal = desk.journal
    chance = random.random()
    if journal.asking and chance < 0.75:
        waiting = random.choice(journal.asking)
        question = waiting.question
        answer: Plain = question.write(question.default) if isinstance(question, Choice) else None
        journal.answer(desk.member.id, waiting.step, answer, waiting.part)
    elif chance < 0.1 and journal.story:
        number = random.choice([number for number, _ in journal.story][-6:])
        journal.undo(desk.member.id, number)
    elif chance < 0.15 and journal.record.may_redo:
        journal.redo(desk.member.id)
    else:
        begin(random, desk)
    desk.campaign.advance()


def begin(random: Random, desk: Desk) -> None:
    """An action that somebody may take."""
    journal, system = desk.journal, desk.campaign.system
    scene = Scene(journal.state)
    people = list(scene.all(system.sheet))
    actions = list(system.actions_in(scene, master=False))
    for _ in range(12):
        who, action = random.choice(people), random.choice(actions)
        with suppress(RefereeError):
            given = next(action.legal(scene, who), None)
            if given is not None:
                journal.begin(desk.member.id, action.rule.id, write(action.plain(who, **given)))
                return


def walk(hubs: tuple[Hub, Hub], system: str, moves: int) -> int:
    """Moves at random servers; after each, all three must know the same. How many lines were written."""
    loaded, random = registry.load(system), Random(f"two hubs {system}")
    campaign, seat = begun(hubs[0], loaded)
    hubs[0].add_seat(
        campaign, "Ana", Role.PLAYER, frozenset({str(next(iter(Scene(state_of(hubs[0], campaign)).all(loaded.sheet))))})
    )
    for number in range(moves):
        writer, follower = random.sample(hubs, 2)
        with suppress(Refused, BadInput):
            writer.act(campaign, seat, DeskCommand(move, random))
        if random.random() < 0.1:
            writer.reveal(campaign, seat)
        wrote, followed = known(writer, campaign), known(follower, campaign)
        opened = what_is_known(storage.open_campaign(hubs[0].store, campaign, hubs[0].clock))
        for name, value in wrote.items():
            assert followed[name] == value, (number, name)
            assert opened[name] == value, (number, name)
    return int(known(hubs[0], campaign)["count"])


def state_of(hub: Hub, campaign: str) -> Any:
    return known(hub, campaign)["state"]


@pytest.mark.parametrize("system", registry.OURS)
@pytest.mark.parametrize("moves", [MOVES, pytest.param(20 * MOVES, marks=pytest.mark.slow)])
def test_writer_follower_and_whoever_opens_it_anew_know_the_same(
    hubs: tuple[Hub, Hub], system: str, moves: int
) -> None:
    assert walk(hubs, system, moves) > moves // 2
