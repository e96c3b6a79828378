"""Tracks: how events move them, which marks they pass, and who may know of them."""

from __future__ import annotations

import pytest

from referee.core import Audience, Open, Scene, State, Who, alter, frozen, rule
from referee.core.errors import NotKnown
from referee.core.knowledge import NOBODY, known_to
from referee.core.visibility import Seat
from referee.drivers.exact import Exact
from referee.drivers.scripted import play
from referee.kits.tracks import Track, TrackMark, Tracks, track_of, with_moved, with_track

ALARM = Track("alarm", 0, 6, marks=(TrackMark("guards", 2), TrackMark("dogs", 4)))
MASTER = Audience.MASTER


@frozen
class Fort:
    """A place with an open track and a hidden one."""

    tracks: Open[Tracks] = ()

    def moving(self, name: str, by: int) -> Fort:
        return Fort(with_moved(self.tracks, name, by))


FORT = Who("fort", Fort)
STATE = State({"fort": Fort((ALARM, Track("treason", 1, 4, audience=MASTER)))})


@rule("tracks.sneak")
async def sneak(scene: Scene, name: str) -> int:
    """Something moves a track; what it is then."""
    await alter(FORT, Fort.moving, name, 2)
    return track_of(scene[FORT].tracks, name).value


def test_a_track_is_moved_within_its_ends() -> None:
    assert [ALARM.moved(by).value for by in (3, 9, -2)] == [3, 6, 0]
    assert Track("trust", 0, lowest=-3).moved(-9).value == -3
    assert Track("trust").moved(99).value == 99


def test_marks_are_passed_once_on_the_way_up() -> None:
    assert ALARM.moved(1).passed(ALARM) == ()
    assert ALARM.moved(4).passed(ALARM) == ("guards", "dogs")
    assert ALARM.moved(4).passed(ALARM.moved(2)) == ("dogs",)
    assert ALARM.moved(2).passed(ALARM.moved(4)) == ()


@pytest.mark.parametrize(("value", "quarters"), [(0, 0), (1, 1), (2, 1), (3, 2), (6, 3), (7, 3), (8, 4)])
def test_a_share_is_the_nearest_part_and_the_whole_only_at_the_end(value: int, quarters: int) -> None:
    assert Track("progress", value, 8).share(4) == quarters


def test_a_track_without_an_end_is_never_full_and_has_no_share() -> None:
    assert (Track("trust", 50).is_full, Track("trust", 50).share(4)) == (False, 0)


def test_a_track_keeps_its_place() -> None:
    two = (Track("one"), Track("two"))
    assert [each.name for each in with_moved(two, "one", 1)] == ["one", "two"]
    assert [each.name for each in with_track(two, Track("three"))] == ["one", "two", "three"]


def test_a_rule_moves_what_the_scene_keeps() -> None:
    played = play(sneak("treason"), STATE)
    assert played.result == 3
    assert track_of(played.scene[FORT].tracks, "treason").audience is MASTER


def test_who_may_not_know_of_a_track_does_not_find_it() -> None:
    known = known_to(STATE, NOBODY)
    assert [each.name for each in known["fort"].tracks] == ["alarm"]  # type: ignore[attr-defined]
    whole = known_to(STATE, Seat("mo", master=True))
    assert len(whole["fort"].tracks) == 2  # type: ignore[attr-defined]


def test_odds_that_a_hidden_track_decides_are_not_known() -> None:
    assert Exact().of(sneak("alarm"), known_to(STATE, NOBODY)).of == {2: 1}
    with pytest.raises(NotKnown, match="treason"):
        Exact().of(sneak("treason"), known_to(STATE, NOBODY))
