"""The contract of a system: actions that say whether, what and how; scenes from plain data and back."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final

import pytest

from referee.core import (
    CLOCK,
    D6,
    Action,
    BadInput,
    Bands,
    Call,
    Card,
    Clock,
    Encounter,
    Facing,
    Hidden,
    Levels,
    Mods,
    Open,
    Own,
    Pick,
    Pile,
    Pool,
    Prompt,
    Refused,
    Scene,
    System,
    Total,
    Who,
    change,
    roll,
    rows,
    rule,
)
from referee.core.audience import Audience, audiences
from referee.core.bands import DONE
from referee.core.describe import describe_type, field_type
from referee.core.effects import Effects
from referee.core.errors import RefereeError
from referee.core.picks import options_of

STRIKE: Final = Prompt("strike")


class Aim(Enum):
    HEAD = "head"
    LEGS = "legs"


@dataclass(frozen=True, slots=True)
class WeaponRow:
    name: str
    hurts: int = 1


WEAPONS = rows("yard.weapons", "weapons", WeaponRow)
Weapon = Annotated[str, WEAPONS]
Maybe = Annotated[int | None, Audience.MASTER]


@final
@dataclass(frozen=True, slots=True)
class Fighter:
    health: Open[int] = 3
    grudges: Own[tuple[str, ...]] = ()
    skills: Hidden[Levels] = Levels()  # noqa: RUF009  # a frozen value


@final
@dataclass(frozen=True, slots=True)
class Bout(Encounter):
    rounds: Open[int] = 1

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return ring()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return "over" if self.rounds > 1 else None


@rule("yard.strike")
async def strike(scene: Scene, who: Who[Fighter], at: Who[Fighter], weapon: Weapon, aim: Aim, mods: Mods = ()) -> int:
    """Strike somebody."""
    check_strike(scene, who, at)
    return (await roll(STRIKE, who, Pool.of((D6, 1)), Total, mods=mods)).total


def check_strike(scene: Scene, who: Who[Fighter], at: Who[Fighter] | None = None, **_: Any) -> None:
    """Only who stands strikes, and only at who stands."""
    if not scene[who].health:
        raise Refused("strike", because=f"{who} is down", rule="yard.strike")
    if at is not None and not scene[at].health:
        raise Refused("strike", because=f"{at} is down", rule="yard.strike")


@rule("yard.ring")
async def ring(scene: Scene, times: Annotated[int, Pick(lambda scene, who: (1, 2))] = 1) -> None:
    """The bell, rung by the game master."""
    for who in scene.all(Bout):
        await change(who, replace(scene[who], rounds=scene[who].rounds + times))


def check_sheet(scene: Scene, who: Who[Fighter]) -> None:
    if scene[who].health < 0:
        raise Refused("health", because="it is never below 0", rule="yard.health")


ACTION: Final[Action[int]] = Action(
    "strike",
    strike,
    Bands(
        of=lambda n: "hit" if n > 3 else "miss",
        keys=("hit", "miss"),
        extra={"perfect": lambda n: n == 6},
        bad={"slip": lambda n: n == 1},
    ),
    check=check_strike,
)
RING: Final = Action("ring", ring, master=True)


@pytest.fixture
def yard(tmp_path: Path) -> System:
    (tmp_path / "rulebook").mkdir()
    (tmp_path / "rulebook" / "yard.yaml").write_text(
        "rules:\n  - id: yard.weapons\n    chapter: c\n    kind: catalogue\n    rule: r\n"
        "    values: {weapons: [{name: stick}, {name: sword, hurts: 3}]}\n",
        encoding="utf-8",
    )
    return System("yard", "Yard", tmp_path, 1, Fighter, (Bout,), (ACTION, RING), check=check_sheet)


def fight(yard: System, **sheets: Any) -> Scene:
    return Scene(yard.state({"ana": {}, "bo": {}, "cy": {"health": 0}, **sheets}))


ANA, BO, CY = (Who(name, Fighter) for name in ("ana", "bo", "cy"))


# --- actions ----------------------------------------------------------------------------------------------------------


def test_an_action_describes_itself_for_forms_commands_and_schemas() -> None:
    assert ACTION.description() == {
        "action": "strike",
        "rule": "yard.strike",
        "says": "Strike somebody.",
        "master": False,
        "parameters": {
            "at": {"type": "Who Fighter", "required": True},
            "weapon": {"type": "a name from yard.weapons", "required": True},
            "aim": {"type": "one of head, legs", "required": True},
            "mods": {"type": "list of Mod", "required": False, "default": []},
        },
        "depends_on": {},
        "bands": ["hit", "miss"],
        "good": ["hit"],
        "extra": ["perfect"],
        "bad": ["slip"],
    }
    assert RING.description()["parameters"] == {"times": {"type": "whole number", "required": False, "default": 1}}
    assert RING.description()["bands"] == ["done"]


def test_an_action_is_legal_in_every_way_its_check_allows(yard: System) -> None:
    ways = list(ACTION.legal(fight(yard), ANA))
    assert len(ways) == 1 * 2 * 2
    assert {way["at"] for way in ways} == {BO}
    assert {way["weapon"] for way in ways} == {"stick", "sword"}
    assert {way["aim"] for way in ways} == {Aim.HEAD, Aim.LEGS}


def test_who_may_not_act_at_all_has_no_way(yard: System) -> None:
    assert list(ACTION.legal(fight(yard), CY)) == []
    why = ACTION.may(fight(yard), CY)
    assert why is not None
    assert str(why) == "strike: cy is down (yard.strike)"


def test_whether_one_may_is_asked_with_any_of_the_arguments(yard: System) -> None:
    scene = fight(yard)
    assert ACTION.may(scene, ANA) is None
    assert ACTION.may(scene, ANA, at=BO) is None
    assert str(ACTION.may(scene, ANA, at=CY)) == "strike: cy is down (yard.strike)"


def test_doing_it_is_the_call_of_its_rule(yard: System) -> None:
    call = ACTION.do(ANA, at=BO, weapon="stick", aim=Aim.LEGS)
    assert call == strike(ANA, BO, "stick", Aim.LEGS, ())
    assert ACTION.plain(ANA, at=BO, aim=Aim.LEGS) == {"who": "ana", "at": "bo", "aim": "legs"}


def test_a_game_masters_action_has_nobody_who_acts(yard: System) -> None:
    assert RING.do(times=2) == ring(2)
    assert list(RING.legal(fight(yard))) == [{"times": 1}, {"times": 2}]
    assert RING.plain(times=2) == {"times": 2}


def test_an_action_without_bands_is_just_done() -> None:
    assert (DONE.of(object()), DONE.keys) == ("done", ("done",))
    assert RING.bands is DONE


def test_what_there_is_to_choose_from_follows_from_the_type(yard: System) -> None:
    scene = fight(yard)
    assert options_of(field_type(bool), scene, None) == (True, False)
    assert options_of(field_type(Aim), scene, None) == tuple(Aim)
    assert options_of(field_type(Open[bool]), scene, None) == (True, False)
    assert options_of(field_type(Who[Fighter]), scene, ANA) == (BO, CY)
    assert options_of(field_type(Who[Fighter]), scene, None) == (ANA, BO, CY)
    with pytest.raises(TypeError, match="offers nothing to pick from: give it a Pick"):
        options_of(field_type(int), scene, None)


def test_an_unknown_action_is_refused_with_the_nearest(yard: System) -> None:
    assert yard.action("strike") is ACTION
    with pytest.raises(BadInput, match="action: 'stryke' is not known; did you mean 'strike'"):
        yard.action("stryke")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "whole number"),
        (str | None, "text or nothing"),
        (int | str, "whole number or text"),
        (Literal["a", "b"], "one of a, b"),
        (tuple[int, ...], "list of whole number"),
        (tuple[Who[Fighter], ...], "list of Who Fighter"),
        (Aim, "one of head, legs"),
        (Hidden[bool], "yes or no"),
        (Weapon, "a name from yard.weapons"),
        (Fighter, "Fighter"),
    ],
)
def test_types_are_told_describe_type(annotation: Any, words: str) -> None:
    assert describe_type(annotation) == words


@pytest.mark.parametrize(
    ("annotation", "kind", "inner"),
    [
        (bool, "check", None),
        (Maybe, "number", None),
        (float, "number", None),
        (str, "text", None),
        (Aim, "pick", None),
        (Literal["a", "b"], "pick", None),
        (Weapon, "name", None),
        (Who[Fighter], "person", None),
        (Levels, "levels", None),
        (Mods, "mods", None),
        (tuple[Who[Fighter], ...], "list", "person"),
        (frozenset[Weapon], "list", "name"),
        (tuple[Fighter, ...], "list", "record"),
        (int | str, "data", None),
        (tuple[int, str], "data", None),
    ],
)
def test_types_are_fields_of_a_form(annotation: Any, kind: str, inner: str | None) -> None:
    found = field_type(annotation)
    assert found.kind == kind
    assert (found.inner and found.inner.kind) == inner
    assert found.optional is (annotation == Maybe)


def test_a_record_has_the_fields_of_its_type() -> None:
    found = field_type(Fighter)
    assert found.kind == "record"
    assert list(found.fields) == [each.name for each in fields(Fighter)]


# --- scenes -----------------------------------------------------------------------------------------------------------


def test_a_scene_always_has_a_book_and_a_clock(yard: System) -> None:
    assert set(yard.state({})) == {"book", "clock"}


def test_a_scene_reads_back_with_everything_in_it(yard: System) -> None:
    state = yard.state(
        {
            "ana": {"health": 2, "grudges": ["bo"], "skills": {"Fencing": 3}},
            "bout": {"kind": "Bout", "rounds": 2},
            "deck": {"kind": "Pile", "cards": ["7S", "QH@bo"], "facing": "hand", "owner": "ana"},
            "clock": {"kind": "Clock", "now": 7},
            "effects": {"kind": "Effects", "lasting": []},
            "passing": {"kind": "Passing", "until": 9},
            "book": {"kind": "Book", "set": {"yard.weapons": {"weapons/stick": {"name": "stick", "hurts": 2}}}},
        }
    )
    assert yard.state(yard.plain(state)) == state
    assert state["deck"] == Pile((Card("7S"), Card("QH", "bo")), Facing.HAND, "ana")
    assert Scene(state)[CLOCK] == Clock(7)
    assert Scene(state)[WEAPONS]["stick"].hurts == 2


@pytest.mark.parametrize(
    ("plain", "complaint"),
    [
        ([1], "scene: must be names with their values, not [1]"),
        ({"ana": 3}, "scene.ana: must be fields by name, not 3"),
        ({"ana": "strong"}, "scene.ana: must be fields by name, not 'strong'"),
        ({"ana": [1]}, "scene.ana: must be fields by name, not [1]"),
        ({"ana": {"helth": 3}}, "scene.ana.helth: 'helth' is not known; did you mean 'health'?"),
        ({"ana": {"health": "3"}}, "scene.ana.health: must be a whole number, not '3'"),
        ({"ana": {"health": -1}}, "scene.ana: health: it is never below 0 (yard.health)"),
        ({"ana": {"kind": "Figher"}}, "scene.ana.kind: 'Figher' is not known; did you mean 'Fighter'?"),
        ({"ana": {"kind": ["Fighter"]}}, "scene.ana.kind: "),
        ({"deck": {"kind": "Pile", "cards": ["7S", "7S"]}}, "piles: in more than one place: 7S"),
        ({"clock": {}}, "scene.clock: this name is reserved for a Clock"),
        ({"book": {"health": 2}}, "scene.book: this name is reserved for a Book"),
        ({"book": {"kind": "Book", "opions": {}}}, "scene.book.opions: 'opions' is not known; did you mean 'options'?"),
    ],
)
def test_a_scene_of_the_wrong_form_is_complained_of_by_place(yard: System, plain: Any, complaint: str) -> None:
    with pytest.raises(BadInput) as told:
        yard.state(plain)
    assert str(told.value).startswith(complaint)


def test_nothing_said_of_somebody_is_the_plain_default(yard: System) -> None:
    assert yard.state({"ana": None, "bo": {}})["ana"] == Fighter()


# --- audiences --------------------------------------------------------------------------------------------------------


def test_every_field_states_its_audience() -> None:
    assert audiences(Fighter) == {
        "health": Audience.EVERYONE,
        "grudges": Audience.OWNER,
        "skills": Audience.MASTER,
    }
    assert audiences(Effects)
    assert audiences(int) == {}


@dataclass(frozen=True, slots=True)
class Careless:
    health: Open[int] = 3
    secret: int = 0


@dataclass(frozen=True, slots=True)
class Undecided:
    secret: Annotated[int, Audience.EVERYONE, Audience.MASTER] = 0


@pytest.mark.parametrize("kind", [Careless, Undecided])
def test_a_field_without_one_audience_fails_when_the_system_is_made(tmp_path: Path, kind: type[Any]) -> None:
    with pytest.raises(RefereeError, match="secret states no audience: write Open"):
        System("careless", "Careless", tmp_path, 1, Fighter, (kind,))
