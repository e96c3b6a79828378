"""The plain way of handling things, in a game that declares no more than which field holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.core import Open, Own, Refused, Scene, State, Who, frozen
from referee.core.audience import Audience
from referee.core.belongings import field_of_things, get, give, is_shown, lose, put, take, things_in
from referee.core.catalogue import catalogue
from referee.core.rulebook import BOOK
from referee.core.run import Told
from referee.core.system import System
from referee.core.things import CARRIED, HELD
from referee.core.visibility import VEIL, Exposure, Limit, Veil
from referee.drivers.scripted import Played, play


@frozen
class Lamp:
    """A thing of its own kind, with no place and no number."""

    name: str
    oil: int = 3


@frozen
class Miner:
    lamps: Open[tuple[Lamp, ...]] = ()


@frozen
class Pilgrim:
    """What a pilgrim has are words, and nobody else's business."""

    bundle: Own[tuple[str, ...]] = ()


def game(folder: Path, name: str, sheet: type, look: str) -> System:
    folder = folder / name
    (folder / "rulebook").mkdir(parents=True)
    (folder / "look.yaml").write_text(look, encoding="utf-8")
    return System(name, name.title(), folder, 1, sheet, (), ())


@pytest.fixture
def mine(tmp_path: Path) -> System:
    return game(tmp_path, "mine", Miner, "items: lamps\n")


@pytest.fixture
def pilgrims(tmp_path: Path) -> System:
    return game(tmp_path, "pilgrims", Pilgrim, "items: bundle\n")


ANA, BO = Who("ana", Miner), Who("bo", Miner)


def told(played: Played[None]) -> list[tuple[str, Audience]]:
    """The lines of the story, each with who hears it."""
    return [(each.line.key, each.line.audience) for each in played.events if isinstance(each, Told)]


def names(scene: Scene, who: Who[Miner]) -> list[str]:
    return [each.name for each in scene[who].lamps]


def test_a_record_with_a_name_changes_hands(mine: System) -> None:
    state = mine.state({"ana": {"lamps": [{"name": "lamp", "oil": 1}]}, "bo": {"lamps": [{"name": "lamp"}]}})
    played = play(give(ANA, BO, "lamp"), state)
    assert played.scene[ANA].lamps == ()
    assert played.scene[BO].lamps == (Lamp("lamp"), Lamp("lamp 2", 1))
    assert told(played) == [("thing-given", Audience.EVERYONE)]


def test_what_says_nothing_of_places_cannot_be_put_anywhere(mine: System) -> None:
    with pytest.raises(Refused, match="cannot be put there"):
        play(put(ANA, "lamp", HELD), mine.state({"ana": {"lamps": [{"name": "lamp"}]}}))


def test_several_are_given_under_names_of_their_own_and_taken_away_one_by_one(mine: System) -> None:
    state = mine.state({"ana": {}})
    got = play(get(ANA, {"name": "lamp", "oil": 2}, 2), state)
    assert names(got.scene, ANA) == ["lamp", "lamp 2"]
    assert names(play(lose(ANA, "lamp"), got.scene.state).scene, ANA) == ["lamp 2"]


def test_names_alone_are_things_too(pilgrims: System) -> None:
    ana, bo = Who("ana", Pilgrim), Who("bo", Pilgrim)
    state = pilgrims.state({"ana": {"bundle": ["bread", "staff"]}, "bo": {"bundle": ["bread"]}})
    played = play(take(bo, ana, ("bread", "staff")), state)
    assert played.scene[ana].bundle == ()
    assert played.scene[bo].bundle == ("bread", "bread 2", "staff")
    assert play(get(ana, "cup"), state).scene[ana].bundle == ("bread", "staff", "cup")


def test_what_nobody_else_sees_is_told_to_nobody_else(pilgrims: System, mine: System) -> None:
    ana = Who("ana", Pilgrim)
    assert told(play(get(ana, "cup"), pilgrims.state({"ana": {}}))) == [("thing-got", Audience.OWNER)]
    limited = State({**mine.state({"ana": {}}), VEIL.name: Veil(limits=(Limit("ana", Exposure.STATE),))})
    assert not is_shown(Scene(limited), ANA)
    assert told(play(get(ANA, {"name": "lamp"}), limited)) == [("thing-got", Audience.OWNER)]


def test_nothing_that_is_not_there_is_given_and_nothing_to_oneself(mine: System) -> None:
    state = mine.state({"ana": {"lamps": [{"name": "lamp"}]}, "bo": {}})
    for call in (give(ANA, BO, "rope"), give(ANA, ANA, "lamp"), give(ANA, BO, "lamp", 2), lose(ANA, "lamp", 0)):
        with pytest.raises(Refused):
            play(call, state)


def test_a_game_without_samples_has_an_empty_catalogue(mine: System) -> None:
    scene = Scene(mine.state({"ana": {"lamps": [{"name": "lamp"}]}}))
    assert catalogue(mine, scene[BOOK]) == ()
    assert [each.name for each in things_in(scene, ANA)] == ["lamp"]
    assert CARRIED not in mine.catalogue.places(scene, Lamp("lamp"))


def test_a_game_whose_sheets_list_no_things_says_so(tmp_path: Path) -> None:
    hermits = game(tmp_path, "hermits", Miner, "{}\n")
    with pytest.raises(Refused, match="sheets of Hermits list no things"):
        field_of_things(hermits)
