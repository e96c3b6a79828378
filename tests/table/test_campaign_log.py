"""A campaign is its log: opened again from any line on, or from a checkpoint, it is the same to every seat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

import pytest

from referee import registry
from referee.core.files import load_yaml_file
from referee.core.plain import Plain
from referee.core.scene import State
from referee.core.system import System
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import Line, LinesUndone, SeatTaken
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import TABLE
from referee.table import master_desk, undo_desk
from referee.table.campaign import Campaign, Checkpoint
from referee.table.members import Member
from referee.table.rehearsal import Rehearsal, open_table
from referee.testing.two_worlds import secrets
from referee.testing.two_worlds.moves import USUAL
from referee.testing.two_worlds.walk import GUEST, MASTER, Secret, Stage, Walk

SEED: Final = SeededDice(b"the log")


def open_fair(system: System, start: State, source: SeededDice, plays: Mapping[str, tuple[str, ...]]) -> Rehearsal:
    """A table whose dice follow from one seed."""
    return open_table(system, start, SEED, plays)


def alien_secrets(random: Random) -> tuple[Secret, ...]:
    beasts: list[Plain] = [{"kind": "Colonist", "stress": n} for n in (0, 3)]
    wolf = secrets.Foe("wolf", beasts, [("skill-roll", lambda who: {"skill": "Mobility"})])
    return (
        secrets.hidden_rolls(),
        secrets.whispers("ana's", ("bo's",)),
        secrets.standing("bo's", {"push": ("yes", "no")}),
        secrets.hiding(wolf, wolf, random),
    )


def coin_secrets(random: Random) -> tuple[Secret, ...]:
    return (
        secrets.sealed("bo's"),
        secrets.standing("bo's", {"show": ("heads", "tails")}),
        secrets.whispers("ana's", ("bo's",)),
    )


SAMPLES: Final = {"derelict": "alien", "market": "distemper", "roadblock": "distemper"}


def stage_of(name: str) -> Stage:
    """Coins, or a scene that comes with a system."""
    if name == "coin":
        scene: dict[str, Plain] = {"ana": {"purse": 9}, "bo": {"purse": 9}}
        plays = {"ana's": ("ana",), "bo's": ("bo",)}
        return Stage(registry.load("coin"), scene, plays, coin_secrets, USUAL)
    system = registry.load(SAMPLES[name])
    plain = load_yaml_file(system.folder / "samples" / f"{name}.yaml")
    one, other, *_ = plain["sheets"]
    kept = alien_secrets if name == "derelict" else lambda _: (secrets.hidden_rolls(),)
    scene = {**plain["sheets"], **plain.get("scene", {})}
    return Stage(system, scene, {"ana's": (one,), "bo's": (other,)}, kept, USUAL)


SCENES: Final = ("coin", *SAMPLES)


def played(name: str, seed: int, moves: int) -> Iterator[Campaign]:
    """An evening by chance: the campaign after each thing done."""
    walk = Walk(stage_of(name), open_fair, seed)
    table = walk.worlds[0].table
    assert isinstance(table, Rehearsal)
    ways = [*walk.stage.moves, *(each for secret in walk.secrets for each in secret.moves)]
    for _ in range(moves):
        move = walk.random.choice(ways)(walk.random, walk)
        if move is not None and move.here is not None:
            walk.worlds[0].do(move.here)
            walk.worlds[1].do(move.here)
            walk.script.append((move, "", ""))
            yield table.campaign


def written(lines: list[Line]) -> list[Line]:
    return [Line.from_plain(json.loads(json.dumps(line.to_plain()))) for line in lines]


def opened(campaign: Campaign, lines: list[Line]) -> Campaign:
    return Campaign(campaign.system, campaign.journal.start, SEED, lines, clock=lambda: 0.0)


def seen(campaign: Campaign) -> str:
    """All that every seat sees and was told."""
    seats = sorted(campaign.members)
    return json.dumps([[campaign.view(seat), campaign.feeds[seat].items] for seat in seats])


@pytest.mark.usefixtures("systems")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SCENES)
def test_opened_again_after_anything_done_it_is_the_same_to_every_seat(name: str, seed: int) -> None:
    for campaign in played(name, seed, 30):
        again = opened(campaign, written(campaign.journal.lines))
        assert again.count == campaign.count
        assert seen(again) == seen(campaign)
        assert again.stuck == campaign.stuck


@pytest.mark.usefixtures("systems")
@pytest.mark.parametrize("name", SCENES)
def test_opened_from_any_line_on_it_goes_on_as_it_did(name: str) -> None:
    """What a crash left behind goes on by itself, and comes to the same lines; nobody's decision is made for them."""
    *_, campaign = played(name, 7, 40)
    lines = written(campaign.journal.lines)
    for count in range(len(lines) + 1):
        again = opened(campaign, lines[:count])
        more = again.journal.lines[count:]
        assert more == lines[count : again.count]
        automatic = {DICE, TABLE, CLOCK, *campaign.members}  # a member's, where an answer stands
        assert all(line.by in automatic for line in more)
        assert all(line.kind in ("held", "answered") for line in more if line.by in campaign.members)


@pytest.mark.usefixtures("systems")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["coin", "derelict", "market"])
def test_taken_up_from_a_checkpoint_it_is_the_same_and_goes_on_the_same(name: str, seed: int) -> None:
    kept_: list[tuple[Checkpoint, int]] = []
    last: Campaign | None = None
    for campaign in played(name, 100 + seed, 40):
        last = campaign
        found = campaign.checkpoint()
        if found is not None:
            kept_.append((Checkpoint.from_plain(json.loads(json.dumps(found.to_plain()))), campaign.count))
    assert last is not None
    lines = written(last.journal.lines)
    tried = 0
    for since, count in kept_:
        if any(isinstance(line, LinesUndone) and line.to < count for line in lines[count:]):
            continue  # an undo has gone back to before it: it holds no longer
        tried += 1
        state = State({name: last.system.value(value, name) for name, value in since.scene.items()})
        again = Campaign(
            last.system, state, SEED, lines[count:], since=since, earlier=lambda: iter(lines), clock=lambda: 0.0
        )
        assert again.count == last.count
        for seat in last.members:
            assert again.view(seat) == last.view(seat)
            feed = again.feeds[seat]
            assert feed.items == last.feeds[seat].items[feed.before :]
            assert [each["id"] for each in feed.items] == list(range(feed.before, feed.cursor))
        for table in (again, last):
            assert table.checkpoint() is None or table.checkpoint() == last.checkpoint()
    assert tried


@pytest.mark.usefixtures("systems")
def test_no_checkpoint_is_made_while_a_step_is_open_or_an_undo_can_be_taken_back() -> None:
    table = open_fair(
        registry.load("coin"), registry.load("coin").state({"ana": {}, "bo": {}}), SEED, {"ana's": ("ana",)}
    )
    desk = table.desk("ana's")
    assert table.campaign.checkpoint() is not None
    desk.act("bluff", "ana", {"against": "bo"})
    assert table.campaign.checkpoint() is None
    master_desk.cancel(table.desk(MASTER), "ana.show")
    assert table.campaign.checkpoint() is not None
    undo_desk.undo(table.desk(MASTER), table.desk(MASTER).feed.cursor - 2)
    undo_desk.redo(table.desk(MASTER))
    assert table.campaign.checkpoint() is not None
    desk.roll("1d6")
    item = table.desk(MASTER).feed.cursor - 3
    undo_desk.undo(table.desk(MASTER), item)
    assert table.campaign.checkpoint() is None
    undo_desk.redo(table.desk(MASTER))
    assert table.campaign.checkpoint() is not None


@pytest.mark.usefixtures("systems")
def test_who_joins_after_a_checkpoint_hears_the_story_from_before_it() -> None:
    coin = registry.load("coin")
    table = open_fair(coin, coin.state({"ana": {}, "bo": {}}), SEED, {"ana's": ("ana",)})
    for _ in range(5):
        table.desk("ana's").act("toss", "ana", {"bet": 1})
        if table.campaign.view(MASTER)["scene"]["ana"]["purse"] == 0:
            break
    since, lines = table.campaign.checkpoint(), written(table.campaign.journal.lines)
    assert since is not None
    state = coin.state(since.scene)
    again = Campaign(coin, state, SEED, [], since=since, earlier=lambda: iter(lines), clock=lambda: 0.0)
    for campaign in (again, table.campaign):
        sits = {"id": "late", "name": "Late", "role": "spectator", "controls": [], "real_dice": False}
        campaign.journal.say(SeatTaken("late", Member.from_plain(sits).data))
        campaign.advance()
    assert again.feeds["late"].items == table.campaign.feeds["late"].items
    assert again.feeds["late"].before == 0
    assert again.feeds["late"].items[:-1] == table.campaign.feeds[GUEST].items[:-1]
