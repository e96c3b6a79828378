"""Systems by name: ours, and those other packages bring through entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import registry
from referee.core.errors import BadInput, RefereeError
from referee.core.scene import Scene
from referee.core.system import System
from referee.testing.conformance import ConformanceWalk, never_reached
from referee.testing.scenarios import samples
from referee.web.demo import samples as playable

SIXTH = Path(__file__).parent / "sixth"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package of tests/sixth were installed."""
    monkeypatch.syspath_prepend(str(SIXTH))


@pytest.mark.usefixtures("installed")
def test_a_system_of_another_package_is_found_through_its_entry_point() -> None:
    assert registry.names() == (*registry.OURS, "coin")
    coin = registry.load("coin")
    assert (coin.name, coin.title, len(coin.actions)) == ("coin", "Three coins", 3)
    assert coin is sys.modules["coin"].SYSTEM


def test_without_the_package_there_is_no_such_system() -> None:
    assert registry.names() == registry.OURS
    with pytest.raises(BadInput, match=r"system: 'coin' is not known; one of alien"):
        registry.load("coin")


@pytest.mark.usefixtures("installed")
def test_a_misspelt_system_is_refused_with_the_nearest_of_all() -> None:
    with pytest.raises(BadInput, match="did you mean 'coin'"):
        registry.load("coyn")


@pytest.mark.usefixtures("installed")
def test_a_system_is_loaded_once() -> None:
    assert registry.load("coin") is registry.load("coin")
    assert registry.load("alien") is registry.load("alien")


@pytest.mark.parametrize("name", registry.OURS)
def test_ours_bear_their_names(name: str) -> None:
    assert registry.load(name).name == name


@pytest.mark.usefixtures("installed")
def test_a_system_of_another_package_has_rulebook_words_and_samples_like_ours() -> None:
    coin = registry.load("coin")
    assert "coin.toss.toss" in coin.printed_book.ids
    assert coin.words.say("actions.sleight") == "Sleight of hand"
    ((name, state),) = samples(coin)
    assert (name, sorted(who.name for who in Scene(state).all(coin.sheet))) == ("saloon", ["ana", "bo"])


@pytest.mark.usefixtures("installed")
def test_a_system_of_another_package_is_played_by_every_driver() -> None:
    coin = registry.load("coin")
    ((_, state),) = samples(coin)
    walk = ConformanceWalk(coin, state, 3)
    walk.go(20)
    assert walk.compared > 0
    assert never_reached(coin, [state], walks=4, moves=12) == ["coin.toss.marked"]


@pytest.mark.usefixtures("installed")
def test_an_action_of_another_package_describes_itself_for_forms_and_schemas() -> None:
    assert registry.load("coin").action("bluff").description() == {
        "action": "bluff",
        "rule": "coin.bluff.bluff",
        "says": "Both show a side at once; the caller wins a match.",
        "master": False,
        "parameters": {"against": {"type": "Who Gambler", "required": True}},
        "depends_on": {},
        "bands": ["won", "lost"],
        "good": ["won"],
        "extra": [],
        "bad": [],
    }


def install(folder: Path, point: str, code: str) -> None:
    """A package with one entry point."""
    (folder / "odd-1.0.dist-info").mkdir()
    (folder / "odd-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n", "utf-8")
    (folder / "odd-1.0.dist-info" / "entry_points.txt").write_text(f"[referee.systems]\n{point}\n", "utf-8")
    (folder / "oddball.py").write_text(code, "utf-8")


@pytest.mark.parametrize(
    ("point", "code"),
    [
        ("odd = oddball:SYSTEM", "SYSTEM = 3"),
        ("odd = oddball:SYSTEM", "from referee.systems.alien import SYSTEM"),
    ],
)
def test_an_entry_point_that_gives_no_system_of_its_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, code: str
) -> None:
    install(tmp_path, point, code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "oddball", raising=False)
    with pytest.raises(RefereeError, match="the entry point odd does not give a system of that name"):
        registry.load("odd")


def test_no_other_package_can_displace_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "alien = oddball:SYSTEM", "raise RuntimeError")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry.names() == registry.OURS
    assert isinstance(registry.load("alien"), System)


@pytest.mark.parametrize("name", registry.OURS)
def test_the_front_of_a_system_says_what_the_loaded_system_says(name: str) -> None:
    front, system = registry.front(name), registry.load(name)
    assert (front.title, front.about) == (system.title, system.words.say("about"))
    assert front.accent == system.look.accent
    shown = [key for key, _ in front.samples]
    assert sorted(front.samples) == sorted((key, title) for key, (title, _) in playable(name).items())
    assert shown[: len(system.look.samples)] == list(system.look.samples)


@pytest.mark.usefixtures("installed")
def test_a_system_of_another_package_has_a_front() -> None:
    front = registry.front("coin")
    assert (front.name, front.title, front.samples) == ("coin", "Three coins", (("saloon", "The saloon"),))
