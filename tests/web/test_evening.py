"""A scripted evening of two systems over HTTP: five seats, a fight to its end, pushes, secrets, an undo, a fork."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from tests.pictures import png

from referee.client import ApiError, Client, SeatClient
from referee.verify.log_file import read_written
from referee.verify.report import verify
from referee.wire.replies import FeedItem, QuestionInfo, View

PICTURE = png()

Decide = Callable[[QuestionInfo, Random], Any]


class Evening(NamedTuple):
    """Five seats at one table."""

    mo: SeatClient
    anna: SeatClient
    ben: SeatClient
    cleo: SeatClient
    zoe: SeatClient

    @property
    def players(self) -> tuple[SeatClient, ...]:
        return self.anna, self.ben, self.cleo


def seated(client: Client, system: str, sample: str, *played: str) -> Evening:
    mo = client.create(f"An evening of {system}", system, sample=sample, master="Mo")
    names = zip(("Anna", "Ben", "Cleo"), played, strict=True)
    anna, ben, cleo = (client.join(mo.invite(controls=[whom]).code, name) for name, whom in names)
    return Evening(mo, anna, ben, cleo, client.join(mo.invite("spectator").code, "Zoe"))


def played_on(evening: Evening, decide: Decide, most: int = 400) -> int:
    """Everybody answers what they are asked, the game master what is left, until nothing is asked any more."""
    random = Random(5)
    for count in range(most):
        waiting = [(seat, asked) for seat in (*evening.players, evening.mo) for asked in seat.questions().questions[:1]]
        if not waiting:
            return count
        seat, question = waiting[0]
        seat.answer(question.key, decide(question, random))
    raise AssertionError("it goes on and on")


def thrown(question: QuestionInfo, random: Random) -> list[list[int]]:
    """Real dice, as somebody reads them off the table."""
    dice: dict[str, int] = (question.model_extra or {})["dice"]
    return [[random.randint(1, int(die.removeprefix("d"))) for _ in range(count)] for die, count in dice.items()]


def aggressive(question: QuestionInfo, random: Random) -> Any:
    """A policy that knows no more than the question: attack where that is an option."""
    if question.options is None:
        return thrown(question, random)
    foes = ("raider", "lookout") if question.who in ("Ash", "Bell") else ("Ash", "Bell")
    attacks = [option for option in question.options if option.startswith("attack") and option.split()[1] in foes]
    return random.choice(attacks or question.options)


def extra(item: FeedItem) -> dict[str, Any]:
    return item.model_extra or {}


def everything(seat: SeatClient) -> list[FeedItem]:
    items: list[FeedItem] = []
    before: int | None = None
    while True:
        page = seat.log(before, 200)
        items = [*page.items, *items]
        before = page.earlier
        if before is None:
            return items


# --- Distemper --------------------------------------------------------------------------------------------------------


def test_an_evening_of_distemper(client: Client) -> None:
    evening = seated(client, "distemper", "roadblock", "Ash", "Bell", "raider")
    mo, anna, ben, _, zoe = evening
    ben.change_seat(ben.seat, real_dice=True)

    # A whisper, a picture and a stop before it begins.
    anna.note("I shoot first.", to=[ben.seat])
    handout = mo.upload_picture("road.png", PICTURE)
    mo.note("The road", file=handout)
    assert [seat.picture(handout) for seat in evening] == [PICTURE] * 5
    zoe.stop()
    with pytest.raises(ApiError, match="stop"):
        played_on(evening, aggressive)
    mo.resume()

    decided = played_on(evening, aggressive)
    assert decided > 6  # a round of five at the least; the dice are real ones
    scene = zoe.view().scene
    assert "fight" not in scene, "a fight goes on until one side is down or gone, and then it ends"
    told = [item["story"] for each in everything(zoe) for item in extra(each).get("then", ()) if "story" in item]
    assert told.count("encounter-over") == 1
    assert zoe.view().waiting_for == []

    # Everybody was told the same fight, but for whispers; Ben's throws are his own.
    at_once = ("initiative-before", "initiative-after")  # one's own answer is told at once, the others' together
    stories = [
        [each for each in everything(seat) if each.kind != "said" and extra(each).get("prompt") not in at_once]
        for seat in evening
    ]
    assert all(len(story) == len(stories[0]) for story in stories)
    throws = [extra(each) for each in stories[0] if each.kind == "answered" and isinstance(extra(each)["answer"], list)]
    assert {each["by"] for each in throws if each["of"] == "Bell"} == {ben.seat}
    assert {each["by"] for each in throws if each["of"] == "Ash"} == {"dice"}
    whispers = [sum(extra(each).get("text") == "I shoot first." for each in everything(seat)) for seat in evening]
    assert whispers == [1, 1, 1, 0, 0]


# --- ALIEN ------------------------------------------------------------------------------------------------------------


def pushed(seat: SeatClient, who: str, skill: str) -> None:
    """Throw for a skill, and push wherever that is legal."""
    seat.act("skill-roll", who, skill=skill)
    while asked := seat.questions().questions:
        options = asked[0].options or []
        seat.answer(asked[0].key, "yes" if "yes" in options else options[0])


def test_an_evening_of_alien(client: Client, tmp_path: Path) -> None:
    evening = seated(client, "alien", "derelict", "Ripa", "Dallow", "Brekk")
    pushes_raise_stress(evening)
    a_hidden_roll_is_heard_by_nobody_else(evening)
    a_held_throw_is_overruled(evening)
    real_dice_are_remembered_through_a_push(evening)
    before = three_items_back_and_forth(evening)
    a_fork_goes_its_own_way(evening, before)
    an_export_is_taken_in_and_verified(evening, client, tmp_path)


def pushes_raise_stress(evening: Evening) -> None:
    before = evening.anna.view().scene["Ripa"]["stress"]
    for _ in range(3):
        pushed(evening.anna, "Ripa", "Observation")
        played_on(evening, quietly)
    assert evening.anna.view().scene["Ripa"]["stress"] > before


def a_hidden_roll_is_heard_by_nobody_else(evening: Evening) -> None:
    told = [seat.view().cursor for seat in evening]
    evening.mo.roll("1d66", hidden=True)
    assert [seat.view().cursor - had for seat, had in zip(evening, told, strict=True)] == [3, 0, 0, 0, 0]


def a_held_throw_is_overruled(evening: Evening) -> None:
    mo, ben = evening.mo, evening.ben
    mo.settings(throws={"*": "ask"})
    mo.edit("Dallow", stress=0)
    ben.act("skill-roll", "Dallow", skill="Piloting")
    (held,) = mo.questions().questions
    assert ben.questions().questions == []
    fell = extra_of(held)["held"]
    mo.answer(held.key, [[7 - pip for pip in group] for group in fell])
    (overruled,) = [each for each in everything(ben) if extra(each).get("overruled")]
    assert fell not in extra(overruled).values()
    assert fell in [extra(each).get("instead_of") for each in everything(mo)]
    mo.settings(throws={})
    played_on(evening, quietly)


def real_dice_are_remembered_through_a_push(evening: Evening) -> None:
    cleo = evening.cleo
    cleo.change_seat(cleo.seat, real_dice=True)
    evening.mo.edit("Brekk", stress=1)
    cleo.act("skill-roll", "Brekk", skill="Stamina")
    cleo.answer("Brekk.skill", [[1, 2, 3, 4, 5, 6], [2]])
    cleo.answer("Brekk.push", "yes")
    (again,) = cleo.questions().questions
    assert list(extra_of(again)["dice"].values()) == [5, 2]  # the six stays, and one stress die joins
    cleo.answer(again.key, [[6] * 5, [6] * 2])
    assert evening.anna.view().scene["Brekk"]["stress"] == 2


def three_items_back_and_forth(evening: Evening) -> View:
    mo, zoe = evening.mo, evening.zoe
    start = mo.view()
    for stress in (3, 4, 5):
        mo.edit("Dallow", stress=stress)
    gone = mo.undo_preview(start.cursor)
    assert [each.id for each in gone] == [start.cursor, start.cursor + 1, start.cursor + 2]
    mo.undo(start.cursor)
    assert zoe.view().scene["Dallow"] == start.scene["Dallow"]
    mo.redo()
    assert zoe.view().scene["Dallow"]["stress"] == 5
    return start


def a_fork_goes_its_own_way(evening: Evening, before: View) -> None:
    what_if = evening.mo.fork(before.cursor, "What if")
    assert what_if.view().scene["Dallow"] == before.scene["Dallow"]
    what_if.edit("Dallow", stress=1)
    assert evening.mo.view().scene["Dallow"]["stress"] == 5


def an_export_is_taken_in_and_verified(evening: Evening, client: Client, folder: Path) -> None:
    evening.mo.reveal()
    exported = evening.mo.export()
    again = client.import_campaign(exported, "Mo again")
    assert again.view().scene == evening.mo.view().scene
    file = folder / "campaign.jsonl"
    file.write_bytes(exported)
    report = verify(read_written(file))
    assert report.holds
    assert report.checked > 0
    assert report.unchecked == 0
    with pytest.raises(ApiError, match="checksum"):
        client.import_campaign(exported.replace(b'"stress":5', b'"stress":4'), "Eve")


def quietly(question: QuestionInfo, random: Random) -> Any:
    """No where that is an option, and dice where dice are asked for."""
    if question.options is None:
        return thrown(question, random)
    return "no" if "no" in question.options else question.options[0]


def extra_of(question: QuestionInfo) -> dict[str, Any]:
    return question.model_extra or {}


# --- encounters and time ----------------------------------------------------------------------------------------------


def test_a_program_says_which_encounter_is_played_and_ends_it(client: Client) -> None:
    mo, anna, *_ = seated(client, "distemper", "roadblock", "Ash", "Bell", "raider")
    with pytest.raises(ApiError, match="only the game master"):
        anna.play_encounter("fight")
    with pytest.raises(ApiError, match="only the game master"):
        anna.end_encounter("fight")
    with pytest.raises(ApiError, match="'feast' is not known"):
        mo.play_encounter("feast")
    mo.play_encounter("fight")
    assert anna.view().scene["playing"] == {"kind": "Playing", "encounter": "fight"}
    assert anna.view().waiting_for != []
    mo.end_encounter("fight")
    assert "fight" not in anna.view().scene
    assert anna.view().waiting_for == [], "what was asked in it is cancelled"
    (over,) = [item for each in everything(anna) for item in extra(each).get("then", ()) if "story" in item]
    assert over["figures"] == {"encounter": "fight", "kind": "Fight", "ending": None}


def test_a_program_is_told_the_time_in_units(client: Client) -> None:
    mo = client.create("Time", "alien", sample="derelict", master="Mo")
    ripa = client.join(mo.invite(controls=["Ripa"]).code, "Anna")
    mo.act("pass-time", amount=2, unit="Stretch")
    due = {"at": 200, "order": 0, "who": "Ripa", "rule": "alien.stress.trigger"}
    mo.edit("clock", deadlines=[due, {**due, "audience": "game master"}])
    time = ripa.view().time
    assert time.now == "2 Stretches"
    assert [(each.who, each.in_) for each in time.deadlines] == [("Ripa", "1 Stretch 20 Rounds")]
    assert [each.in_ for each in mo.view().time.deadlines] == ["1 Stretch 20 Rounds"] * 2
