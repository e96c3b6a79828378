"""A fight on the kit of rounds: played out by policies, at a table, and going on from before it was an encounter."""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from referee import registry
from referee.cli.table import Left, TerminalTable
from referee.core import Scene, State, Who
from referee.core.agenda import next_of
from referee.core.knowledge import fully_known
from referee.drivers.policies import Policy, by_default
from referee.drivers.sampled import Sampled
from referee.forecast.encounters import prepared
from referee.journal.seeded_dice import SeededDice
from referee.store.log_file import LogFile
from referee.store.sqlite import SQLiteStore
from referee.systems.yearzero.battle import BATTLE, Battle
from referee.systems.yearzero.injury_tables import OUTBURST
from referee.systems.yearzero.policies import aggressive, cautious
from referee.systems.yearzero.sheet import EMPATHY, Survivor
from referee.table import master_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import samples

YEARZERO: Final = registry.load("yearzero")
RUSK: Final = Who("Rusk", Survivor)
ROADBLOCK: Final = dict(samples(YEARZERO))["roadblock"]
OLDER: Final = Path(__file__).parents[2] / "table" / "samples" / "battle"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    yield hub
    hub.close()


def look(hub: Hub, seat: Admitted) -> Any:
    return hub.read(seat.campaign, seat.seat, Desk.view)


def act(hub: Hub, seat: Admitted, key: str, who: str, **arguments: Any) -> None:
    hub.act(seat.campaign, seat.seat, DeskCommand(Desk.act, key, who, arguments))


# --- by policies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [aggressive, cautious])
def test_a_policy_plays_a_fight_to_its_end(policy: Policy) -> None:
    for seed in range(3):
        end, after = Sampled(Random(seed), policy).play_out(BATTLE, ROADBLOCK)
        assert end in ("Juno and Okonkwo", "Rusk and Vee")
        assert any(Scene(after)[Who(name, Survivor)].broken for name in ("Juno", "Okonkwo", "Rusk", "Vee"))


def test_whoever_lashes_out_in_an_outburst_is_attacked_as_others_are() -> None:
    rusk: Survivor = Scene(ROADBLOCK)[RUSK]
    raging = rusk.losing(EMPATHY, rusk.full(EMPATHY)).with_condition(OUTBURST)
    _, after = Sampled(Random(1), aggressive).play_out(BATTLE, ROADBLOCK.but("Vee", None).but("Rusk", raging))
    assert Scene(after)[RUSK].damage != raging.damage


def test_a_round_ends_although_somebody_of_it_was_taken_out_of_the_scene() -> None:
    scene = Scene(ROADBLOCK.but("Vee", None))
    while scene[BATTLE].round == Scene(ROADBLOCK)[BATTLE].round:
        following = next_of(scene)
        assert following is not None
        _, after = Sampled(Random(1), by_default).play(following.call, scene.state)
        scene = Scene(after)
    assert scene[BATTLE].turn != "Vee"


def test_the_careful_defend_themselves_and_the_bold_do_not() -> None:
    reactions = {}
    for policy in (aggressive, cautious):
        _, after = Sampled(Random(1), policy).play_out(BATTLE, ROADBLOCK.but("Vee", None), most_steps=2_000)
        reactions[policy] = after["Rusk"]
    assert reactions[aggressive] != reactions[cautious]


def test_a_fight_about_to_begin_is_forecast_from_its_initiative_on() -> None:
    assert YEARZERO.fight is not None
    sides = (("Juno", "Okonkwo"), ("Rusk", "Vee"))
    begins = YEARZERO.fight(Scene(ROADBLOCK), sides, "")
    assert begins == Battle(sides)
    plan = prepared(YEARZERO, fully_known(ROADBLOCK.but(BATTLE.name, begins)), changes=("Rusk=cautious",))
    end, after = Sampled(Random(2), plan.policy).play_out(BATTLE, State(plan.state))
    assert set(Scene(after)[BATTLE].initiative) == {"Juno", "Okonkwo", "Rusk", "Vee"}
    assert end in ("Juno and Okonkwo", "Rusk and Vee")


# --- at a table -------------------------------------------------------------------------------------------------------


@pytest.fixture
def mo(hub: Hub) -> Admitted:
    return hub.create("The roadblock", "yearzero", YEARZERO.plain(ROADBLOCK), "Mo")


def test_a_table_waits_for_whoever_has_the_go_and_asks_nothing(hub: Hub, mo: Admitted) -> None:
    view = look(hub, mo)
    assert view["scene"]["battle"]["turn"] == "Okonkwo"
    assert view["questions"] == []
    assert view["waiting_for"] == ["Okonkwo"]
    assert "stuck" not in view


def test_players_are_not_told_of_somebody_hidden_who_has_the_go(hub: Hub, mo: Admitted) -> None:
    anna = hub.join(hub.invite(mo.campaign, mo.seat, Role.PLAYER, frozenset({"Juno"})), "Anna")
    assert look(hub, anna)["waiting_for"] == ["Okonkwo"]
    hub.act(mo.campaign, mo.seat, DeskCommand(master_desk.hide, "Okonkwo"))
    assert look(hub, anna)["waiting_for"] == []
    assert look(hub, mo)["waiting_for"] == ["Okonkwo"]


def test_a_go_ends_by_itself_when_nothing_is_left_of_it(hub: Hub, mo: Admitted) -> None:
    act(hub, mo, "keep-moving", "Okonkwo")
    assert look(hub, mo)["scene"]["battle"]["turn"] == "Okonkwo"
    act(hub, mo, "hit-the-dirt", "Okonkwo")
    act(hub, mo, "stand-up", "Okonkwo")
    assert look(hub, mo)["scene"]["battle"]["turn"] == "Rusk"


def test_in_a_terminal_a_policy_takes_its_goes_and_whoever_plays_acts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = LogFile.create(tmp_path / "log.jsonl", YEARZERO, ROADBLOCK, SeededDice(b"x"))

    def usual(prompt: str) -> str:
        """What is asked is answered by Enter; then it is somebody's go who is played here."""
        if file.journal.asking:
            return ""
        raise Left

    with pytest.raises(Left):
        TerminalTable(YEARZERO, file, dict.fromkeys(("Okonkwo", "Rusk", "Vee"), aggressive), usual).play()
    said = capsys.readouterr().out
    assert "Okonkwo: Shoot or throw (Vee, hunting rifle" in said
    assert "Who acts?" in said
    battle = file.journal.scene[BATTLE]
    assert "Okonkwo" in battle.acted
    assert battle.turn == "Juno"


# --- from before ------------------------------------------------------------------------------------------------------


def test_a_fight_from_before_it_was_an_encounter_opens_as_it_was_and_goes_on(hub: Hub) -> None:
    """Version 6 of the rules kept a fight that people played by hand; it was stopped at a question."""
    header = hub.import_file(io.BytesIO(lzma.decompress((OLDER / "yearzero.jsonl.xz").read_bytes())))
    seen = json.loads(lzma.decompress((OLDER / "yearzero.json.xz").read_bytes()))
    mo = Admitted(header.id, next(iter(seen)), "")
    was, now = seen[mo.seat], look(hub, mo)
    assert was["scene"]["battle"].items() <= now["scene"]["battle"].items()
    assert [each["key"] for each in was["asked"]] == [each["key"] for each in now["questions"]] == ["Vee.defend-other"]
    for _ in range(40):
        if not (asked := look(hub, mo)["questions"]):
            break
        options = asked[0]["options"]
        hub.act(
            mo.campaign, mo.seat, DeskCommand(Desk.answer, asked[0]["key"], "no" if "no" in options else options[0])
        )
    battle = look(hub, mo)["scene"]["battle"]
    assert battle["turn"] == "Juno"
    assert battle["acting"] is None
    act(hub, mo, "end-go", "Juno")
    assert look(hub, mo)["scene"]["battle"]["turn"] == "Vee", "Rusk is Broken"
