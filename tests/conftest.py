"""Settings of all tests, their budget of CPU; a hub, two systems that only tests know, evenings played by chance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from referee import registry
from referee.core.errors import BadInput, Refused
from referee.core.questions import Choice
from referee.core.scene import Scene
from referee.core.system import System
from referee.drivers.stop import timed_by
from referee.journal.seeded_dice import SeededDice
from referee.store.export import export_campaign
from referee.store.sqlite import SQLiteStore
from referee.table import draft_desk, master_desk, seat_desk, undo_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import samples

HERE = Path(__file__).parent

pytest_plugins = ["referee.testing.coverage_plugin"]

settings.register_profile("referee", deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("quick", parent=settings.get_profile("referee"), max_examples=25)
settings.register_profile("proof", parent=settings.get_profile("quick"), derandomize=True)

CPU_SECONDS = 2.0
"""What a test may take unless it is marked slow."""
TOLERANCE = 3.0
"""How much more a test takes where others run beside it on the same cores."""


def pytest_configure(config: pytest.Config) -> None:
    """Processes that tests start keep their compiled code, so that a server does not compile itself each time."""
    quick = "proof" if "REFEREE_PROOF" in os.environ else "quick"
    settings.load_profile(quick if "not slow" in config.option.markexpr else "referee")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(config.rootpath / ".pytest_cache" / "compiled")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a sweep all cases are slow but a few, the same ones in whatever order tests run."""
    sweeps: dict[str, list[pytest.Item]] = {}
    for item in sorted(items, key=lambda item: item.nodeid):
        if item.get_closest_marker("sweep"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in sweeps.values():
        count = min(next(cases[0].iter_markers("sweep")).args[0], len(cases))
        quick = {at * len(cases) // count for at in range(count)}
        for at, case in enumerate(cases):
            if at not in quick:
                case.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """An unmarked test fails if it took far more CPU than it may, its processes that have ended included."""
    before = cpu_seconds()
    result = yield
    spent = cpu_seconds() - before
    if spent > CPU_SECONDS * TOLERANCE and not item.get_closest_marker("slow") and "REFEREE_PROOF" not in os.environ:
        pytest.fail(f"it took {spent:.1f} s of CPU and may take {CPU_SECONDS:.0f}: mark it slow, or make it quick")
    return result


def cpu_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.fixture(autouse=True, scope="session")
def budget_clock() -> Iterator[None]:
    """Odds have as much processor time as their budget says, however busy the machine is."""
    with timed_by(process_time):
        yield


@pytest.fixture
def systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """The systems that only tests know can be loaded."""
    for folder in (HERE / "sixth", HERE / "table" / "systems"):
        monkeypatch.syspath_prepend(str(folder))
    registry.load.cache_clear()


@pytest.fixture
def den(systems: None) -> System:
    return registry.load("den")


@pytest.fixture
def guild(systems: None) -> System:
    return registry.load("guild")


@pytest.fixture
def hub(tmp_path: Path, den: System) -> Iterator[Hub]:
    found = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    yield found
    found.close()


@dataclass
class Evening:
    """People at a table who do what comes into their heads, all of it legal at least in form."""

    hub: Hub
    system: System
    random: Random
    campaign: str = ""
    master: str = ""
    players: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    """The campaigns this one was forked from."""
    refused: int = 0
    """How often somebody was told no."""
    done: set[str] = field(default_factory=set)
    """What has been done so far, by name."""

    @classmethod
    def begin(cls, hub: Hub, system: System, seed: int) -> Evening:
        random = Random(seed)
        title, state = random.choice(list(samples(system)))
        seated = hub.create(title, system.name, system.plain(state), "Mo")
        evening = cls(hub, system, random, seated.campaign, seated.seat)
        for who in Scene(state).all(system.sheet)[:2]:
            code = hub.invite(evening.campaign, evening.master, Role.PLAYER, frozenset({who.name}))
            evening.players.append(hub.join(code, who.name.title()).seat)
        return evening

    def go(self, moves: int) -> None:
        for _ in range(moves):
            self.move()

    def look(self, read: Callable[[Desk], Any], seat: str = "") -> Any:
        return self.hub.read(self.campaign, seat or self.master, read)

    def do(self, command: DeskCommand, seat: str = "") -> None:
        try:
            self.hub.act(self.campaign, seat or self.master, command)
        except (Refused, BadInput):
            self.refused += 1

    def move(self) -> None:
        """Mostly play; now and then something beside it."""
        beside = [self.undo, self.redo, self.change_handling, self.take_real_dice, self.roll, self.whisper]
        beside += [self.undo, self.cancel, self.hide, self.reveal, self.fork, self.forget]
        beside += [self.draft, self.draft] if self.system.creation else []
        what = self.random.choice(beside) if self.random.random() < 0.25 else self.play
        self.done.add(what.__name__)
        what()

    def play(self) -> None:
        """Answer something that is asked, or begin something legal."""
        with suppress(StopIteration):
            self.do(
                DeskCommand(
                    lambda desk: self._answer(desk) if desk.campaign.questions(self.master) else self._act(desk)
                )
            )

    def _answer(self, desk: Desk) -> None:
        key, waiting = self.random.choice(list(desk.campaign.questions(self.master).items()))
        question: Any = waiting.question
        held = (waiting.step, waiting.part) in desk.journal.held
        if isinstance(question, Choice):
            desk.answer(key, question.write(self.random.choice(question.legal)))
        elif held and self.random.random() < 0.6:
            self.done.add("let stand")
            desk.answer(key, None)
        else:
            self.done.add("overrule" if held else "type in")
            desk.answer(key, question.at_random(self.random.randrange))

    def _act(self, desk: Desk) -> None:
        scene = desk.journal.scene
        who: Any
        ways = [
            (action, who, arguments)
            for action in self.system.actions
            for who in ((None,) if action.master else scene.all(self.system.sheet))
            for arguments in islice(action.legal(scene, who), 20)
        ]
        action, who, arguments = self.random.choice(ways) if ways else next(iter(()))
        given = action.plain(who, **arguments)
        if who is not None:
            given.pop(next(iter(action.rule.parameters)))
        desk.act(action.key, who and who.name, given)

    def draft(self) -> None:
        """Somebody goes on building a character, by chance, or begins to."""
        self.do(DeskCommand(self._draft), self.random.choice([self.master, *self.players]))

    def _draft(self, desk: Desk) -> None:
        known = [each for each in draft_desk.drafts_of(desk) if each.finished is None]
        mine = [each for each in known if each.seat == desk.member.id]
        if not mine:
            draft_desk.begin(desk, f"{self.random.randrange(2**32):x}", fill=self.random.random() < 0.5)
            return
        draft = self.random.choice(mine).id
        if self.random.random() < 0.2:
            draft_desk.discard(desk, draft)
            return
        draft_desk.fill(desk, draft)
        for lack in draft_desk.form_of(desk, draft).lacks:
            draft_desk.answer(desk, draft, lack.key, f"{lack.key} {self.random.randrange(100)}")
        draft_desk.finish(desk, draft)
        self.done.add("finish a draft")

    def undo(self) -> None:
        told = self.look(lambda desk: desk.feed.cursor)
        item = self.random.randrange(max(0, told - 12), told)
        self.do(DeskCommand(undo_desk.undo, item))

    def redo(self) -> None:
        self.do(DeskCommand(undo_desk.redo))

    def change_handling(self) -> None:
        handling = self.random.choice(["do it", "ask", "leave it", "ask", "do it"])
        ruling = self.random.choice(["do it", "ask", "leave it"])
        self.do(DeskCommand(master_desk.settings, {"throws": {"*": handling}, "rulings": {"*": ruling}}))

    def take_real_dice(self) -> None:
        if self.players:
            seat, real = self.random.choice(self.players), self.random.random() < 0.5
            self.do(DeskCommand(seat_desk.change_seat, seat, real_dice=real), seat)

    def roll(self) -> None:
        hidden = self.random.random() < 0.5
        self.do(DeskCommand(Desk.roll, "3d6", "1d20", hidden=hidden))

    def whisper(self) -> None:
        if self.players:
            self.do(DeskCommand(Desk.note, "psst", to=[self.players[0]]))

    def cancel(self) -> None:
        asked = self.look(lambda desk: list(desk.campaign.questions(self.master)))
        if asked:
            self.do(DeskCommand(master_desk.cancel, self.random.choice(asked)))

    def hide(self) -> None:
        names = [who.name for who in self.look(lambda desk: desk.journal.scene.all(self.system.sheet))]
        self.do(DeskCommand(master_desk.hide, self.random.choice(names), hidden=self.random.random() < 0.5))

    def reveal(self) -> None:
        self.hub.reveal(self.campaign, self.master)

    def forget(self) -> None:
        """As if the server had been started anew."""
        self.hub.evict_idle(-1)

    def fork(self, item: int | None = None) -> None:
        """Play goes on in the fork, whose story this is so far."""
        told = self.look(lambda desk: desk.feed.cursor)
        at = self.random.randrange(max(0, told - 15), told) if item is None else item
        self.before.append(self.campaign)
        self.campaign = self.hub.fork(self.campaign, self.master, at, "Otherwise").campaign
        members = self.look(lambda desk: list(desk.campaign.members.values()))
        self.players = [each.id for each in members if each.role is Role.PLAYER]

    def seeds(self) -> list[SeededDice]:
        """Every seed of this campaign and of those it was forked from."""
        campaigns = [*self.before, self.campaign]
        return [SeededDice(each.seed) for campaign in campaigns for each in self.hub.store.seeds(campaign)]

    def export(self, path: Path) -> Path:
        with path.open("wb") as file:
            export_campaign(self.hub.store, self.campaign, file, seeds=True)
        return path


BeginEvening: TypeAlias = Callable[[str, int], Evening]


@pytest.fixture
def begin_evening(hub: Hub) -> BeginEvening:
    """An evening of a system, by a seed."""
    return lambda system, seed: Evening.begin(hub, registry.load(system), seed)
