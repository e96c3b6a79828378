"""Drafts at a table: kept in the log, seen by their player and the game master alone, finished in one append."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core.draft_form import DraftForm
from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain
from referee.core.system import System
from referee.journal.lines import DraftAnswered, DraftBegan, DraftEnded, DraftThrown, SeatTaken, StepBegan
from referee.journal.seeded_dice import SeededDice
from referee.store.export import export_campaign
from referee.store.sqlite import SQLiteStore
from referee.table import draft_desk, master_desk, seat_desk, storage, undo_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.drafts import DraftKind, DraftRecord
from referee.table.hub import Hub
from referee.table.members import NotAllowed, Role
from referee.table.setup import TableSetup
from referee.verify.log_file import read_written
from referee.verify.report import verify


class Table:
    """A game master, three players and a spectator at the guild."""

    def __init__(self, hub: Hub, system: str = "guild", scene: dict[str, Plain] | None = None) -> None:
        self.hub = hub
        seated = hub.create("The hall", system, scene or {}, "Mo")
        self.campaign, self.mo = seated.campaign, seated.seat
        self.ann, self.bob, self.cy = (self._sit(name, Role.PLAYER) for name in ("Ann", "Bob", "Cy"))
        self.guest = self._sit("Gil", Role.SPECTATOR)

    def _sit(self, name: str, role: Role) -> str:
        code = self.hub.invite(self.campaign, self.mo, role)
        found: Admitted = self.hub.join(code, name)
        return found.seat

    def do(self, seat: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        self.hub.act(self.campaign, seat, DeskCommand(function, *args, **kwargs))

    def read(self, seat: str, function: Callable[..., Any], /, *args: Any) -> Any:
        return self.hub.read(self.campaign, seat, lambda desk: function(desk, *args))

    def refused(self, seat: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> RefereeError:
        with pytest.raises(RefereeError) as why:
            self.do(seat, function, *args, **kwargs)
        return why.value

    def form(self, seat: str, draft: str = "a") -> DraftForm:
        found = self.read(seat, draft_desk.form_of, draft)
        assert isinstance(found, DraftForm)
        return found

    def record(self, seat: str, draft: str = "a") -> DraftRecord:
        found = self.read(seat, draft_desk.record, draft)
        assert isinstance(found, DraftRecord)
        return found

    def told(self, seat: str) -> list[Any]:
        return self.hub.story(self.campaign, seat, 0, 10_000)

    def view(self, seat: str) -> Any:
        return self.read(seat, Desk.view)

    def lines(self) -> list[Any]:
        return storage.read_lines(self.hub.store, self.campaign)

    def builds(self, seat: str, draft: str, name: str) -> None:
        """Everything but the last step."""
        self.do(seat, draft_desk.begin, draft, template="Journeyman")
        self.do(seat, draft_desk.roll, draft, "purse")
        self.do(seat, draft_desk.answer, draft, "secret", "none")
        self.do(seat, draft_desk.answer, draft, "name", name)


@pytest.fixture
def table(hub: Hub) -> Table:
    return Table(hub)


# --- kept in the log --------------------------------------------------------------------------------------------------


def test_a_draft_is_one_changed_field_a_line_and_of_levels_only_what_changed(table: Table) -> None:
    before = len(table.lines())
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    table.do(table.ann, draft_desk.answer, "a", "traits", {"Brawn": 3, "Wits": 2})
    table.do(table.ann, draft_desk.answer, "a", "traits", 4, "Brawn")
    table.do(table.ann, draft_desk.answer, "a", "age", None)
    found = table.lines()[before:]
    assert [(each.field, each.part, each.answer) for each in found if isinstance(each, DraftAnswered)] == [
        ("age", None, "Young"),
        ("traits", "Brawn", 3),
        ("traits", "Wits", 2),
        ("traits", "Brawn", 4),
        ("age", None, None),
    ]
    assert isinstance(found[0], DraftBegan)
    assert all(each.to == (table.ann,) for each in found)
    assert dict(table.record(table.ann).answers) == {"traits": {"Brawn": 4, "Wits": 2}}


def test_the_same_answer_again_writes_nothing(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    before = len(table.lines())
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    assert len(table.lines()) == before


def test_what_the_book_does_not_allow_is_refused_by_its_rule_and_leaves_nothing(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    before = len(table.lines())
    why = table.refused(table.ann, draft_desk.answer, "a", "traits", 99, "Brawn")
    assert str(why) == "Brawn: a trait is 1 to 4 (guild.creation.traits); legal: 1 to 4"
    why = table.refused(table.ann, draft_desk.begin, "b", answers={"age": "Young", "trade": ["Smith"]})
    assert str(why) == "Smith: needs Brawn 3 (guild.creation.crafts); legal: Baker"
    why = table.refused(table.ann, draft_desk.finish, "a")
    assert "points: 6 left to spend" in str(why)
    assert len(table.lines()) == before


def test_several_build_at_once_and_each_sees_only_their_own(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.bob, draft_desk.begin, "b")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    table.do(table.bob, draft_desk.answer, "b", "age", "Old")
    seen = {seat: [each.id for each in table.read(seat, draft_desk.drafts_of)] for seat in (table.ann, table.bob)}
    assert seen == {table.ann: ["a"], table.bob: ["b"]}
    assert [each.id for each in table.read(table.mo, draft_desk.drafts_of)] == ["a", "b"]
    assert [each.id for each in table.read(table.cy, draft_desk.drafts_of)] == []
    assert str(table.refused(table.cy, draft_desk.answer, "a", "age", "Old")) == "draft: you have no such draft"
    assert str(table.refused(table.cy, draft_desk.answer, "z", "age", "Old")) == "draft: you have no such draft"
    assert table.form(table.mo, "b").draft.one("age") == "Old"


def test_the_game_master_may_help_and_may_build_for_others(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.mo, draft_desk.answer, "a", "age", "Old")
    assert table.record(table.ann).answers["age"] == "Old"
    table.do(table.mo, draft_desk.begin, "c", seat=table.cy, fill=True)
    table.do(table.mo, draft_desk.answer, "c", "secret", "x")
    table.do(table.mo, draft_desk.answer, "c", "name", "Ned")
    table.do(table.mo, draft_desk.finish, "c")
    assert table.view(table.cy)["you"]["controls"] == ["Ned"]
    assert isinstance(table.refused(table.ann, draft_desk.begin, "x", seat=table.bob), NotAllowed)
    assert isinstance(table.refused(table.guest, draft_desk.begin, "x"), NotAllowed)
    assert isinstance(table.refused(table.mo, draft_desk.begin, "x", seat=table.guest), NotAllowed)


def test_undo_at_the_table_leaves_drafts_alone(table: Table) -> None:
    table.do(table.mo, master_desk.edit, "Odo", {"kind": "Adept"})
    item = next(each["id"] for each in table.told(table.mo) if each["kind"] == "edited")
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    table.do(table.ann, draft_desk.roll, "a", "purse")
    before = table.record(table.ann)
    table.do(table.mo, undo_desk.undo, item)
    assert "Odo" not in table.view(table.mo)["scene"]
    assert table.record(table.ann) == before
    table.do(table.ann, draft_desk.answer, "a", "traits", 2, "Brawn")  # nor does a draft end what can be redone
    table.do(table.mo, undo_desk.redo)
    assert "Odo" in table.view(table.mo)["scene"]


def test_a_draft_outlives_the_server(tmp_path: Path, den: System) -> None:
    store = SQLiteStore.open(tmp_path / "referee.db")
    table = Table(Hub(store))
    table.do(table.ann, draft_desk.begin, "a", template="Journeyman")
    table.do(table.ann, draft_desk.roll, "a", "purse")
    before = table.record(table.ann)
    table.hub.evict_idle(-1)
    assert table.record(table.ann) == before
    table.hub.close()
    table.hub = Hub(SQLiteStore.open(tmp_path / "referee.db"))
    assert table.record(table.ann) == before
    table.do(table.ann, draft_desk.answer, "a", "secret", "none")
    assert table.record(table.ann).answers["secret"] == "none"
    table.hub.close()


def test_a_checkpoint_carries_drafts_and_an_old_one_has_none(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "CHECKPOINT_EVERY", 3)
    table.do(table.ann, draft_desk.begin, "a", template="Journeyman")
    table.do(table.ann, draft_desk.roll, "a", "purse")
    table.do(table.ann, draft_desk.discard, "a")
    table.do(table.ann, draft_desk.begin, "b")
    before = table.record(table.ann, "b")
    kept = table.hub.store.checkpoint(table.campaign)
    assert kept is not None
    assert kept.plain["drafts"]["open"]
    table.hub.evict_idle(-1)
    assert table.record(table.ann, "b") == before
    setup = {name: value for name, value in kept.plain.items() if name != "drafts"}
    assert TableSetup.from_plain(setup).drafts.open == {}


def test_drafts_go_with_their_seat_also_in_a_fork(table: Table) -> None:
    """A fork has the seat of the game master only, and so only their drafts."""
    table.do(table.mo, draft_desk.begin, "m")
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.bob, draft_desk.begin, "b")
    item = len(table.told(table.mo)) - 1
    forked = table.hub.fork(table.campaign, table.mo, item, "Otherwise")
    found = table.hub.read(forked.campaign, table.mo, draft_desk.drafts_of)
    assert [each.id for each in found] == ["m"]
    table.do(table.mo, draft_desk.discard, "m")
    table.do(table.mo, seat_desk.dismiss, table.ann)
    assert [each.id for each in table.read(table.mo, draft_desk.drafts_of)] == ["b"]


# --- dice -------------------------------------------------------------------------------------------------------------


def test_a_roll_is_the_next_throw_of_the_seed_and_is_kept(table: Table) -> None:
    table.do(table.mo, Desk.roll, "1d6")
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Young")
    table.do(table.ann, draft_desk.roll, "a", "purse")
    line = next(each for each in table.lines() if isinstance(each, DraftThrown))
    assert (line.throw, line.dice, line.fixes) == (2, ((6, 2),), ("age",))
    seed = SeededDice(table.hub.store.seeds(table.campaign)[0].seed)
    below = seed.throw(2)
    assert line.answer == [[below(6) + 1, below(6) + 1]]
    assert "they are kept" in str(table.refused(table.ann, draft_desk.roll, "a", "purse"))
    assert "is rolled, not set" in str(table.refused(table.ann, draft_desk.answer, "a", "purse", [[6, 6]]))
    table.do(table.mo, Desk.roll, "1d6")
    assert [each.thrown for each in table.lines() if each.thrown] == [1, 2, 3]


def test_dice_seen_are_kept_for_the_next_draft(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a")
    table.do(table.ann, draft_desk.answer, "a", "age", "Old")
    table.do(table.ann, draft_desk.begin, "other")
    table.do(table.ann, draft_desk.roll, "a", "purse")
    dice = table.record(table.ann).answers["purse"]
    table.do(table.ann, draft_desk.answer, "other", "age", "Young")
    why = table.refused(table.ann, draft_desk.roll, "other", "purse")
    assert "another of your drafts has these dice" in str(why)
    assert "another of your drafts" in str(table.refused(table.ann, draft_desk.fill, "other"))
    table.do(table.ann, draft_desk.discard, "a")
    assert "a new draft begins with them" in str(table.refused(table.ann, draft_desk.roll, "other", "purse"))
    table.do(table.ann, draft_desk.begin, "b")
    assert table.record(table.ann, "b").answers == {"age": "Old", "purse": dice}
    table.do(table.ann, draft_desk.discard, "b")
    table.do(table.ann, draft_desk.begin, "c")
    assert table.record(table.ann, "c").answers == {"age": "Old", "purse": dice}
    table.do(table.bob, draft_desk.begin, "d")
    assert table.record(table.bob, "d").answers == {}


def test_dice_are_thrown_anew_for_the_next_character(table: Table) -> None:
    table.builds(table.ann, "a", "Tam")
    table.do(table.ann, draft_desk.finish, "a")
    table.do(table.ann, draft_desk.begin, "b", template="Journeyman")
    table.do(table.ann, draft_desk.roll, "b", "purse")
    assert len([each for each in table.lines() if isinstance(each, DraftThrown)]) == 2


def exported(table: Table, path: Path) -> Path:
    with path.open("wb") as file:
        export_campaign(table.hub.store, table.campaign, file, seeds=True)
    return path


def test_verify_counts_the_throws_of_drafts(table: Table, tmp_path: Path) -> None:
    table.builds(table.ann, "a", "Tam")
    table.do(table.mo, Desk.roll, "2d6")
    table.do(table.ann, draft_desk.finish, "a")
    table.hub.reveal(table.campaign, table.mo)
    file = exported(table, tmp_path / "hall.jsonl")
    report = verify(read_written(file))
    assert (report.holds, report.checked, report.steps) == (True, 2, 2)
    assert report.commitments[0].throws == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answer": [[6, 6]]}, "by the seed it is"),
        ({"answer": [[1, 1]]}, "by the seed it is"),
        ({"throw": 7}, "is throw 7 where throw 1 should be"),
        ({"by": "x"}, "a throw of the table's that x made"),
    ],
)
def test_verify_notices_a_forged_throw(table: Table, tmp_path: Path, change: dict[str, Plain], problem: str) -> None:
    table.builds(table.ann, "a", "Tam")
    table.hub.reveal(table.campaign, table.mo)
    rows = exported(table, tmp_path / "hall.jsonl").read_text("utf-8").splitlines()
    at = next(number for number, row in enumerate(rows) if '"draft-throw"' in row)
    plain = json.loads(rows[at])
    line = plain.get("line", plain)
    if line["answer"] == change.get("answer"):
        pytest.skip("it fell so")
    line.update(change)
    rows[at] = json.dumps(plain)
    (tmp_path / "forged.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    assert any(problem in str(each) for each in verify(read_written(tmp_path / "forged.jsonl")).mismatches)


def test_chance_completes_a_draft_and_throws_the_tables_dice(table: Table) -> None:
    table.do(table.ann, draft_desk.begin, "a", fill=True)
    assert {each.key for each in table.form(table.ann).lacks} == {"secret", "name"}
    assert len([each for each in table.lines() if isinstance(each, DraftThrown)]) == 1
    table.do(table.bob, draft_desk.begin, "b")
    table.do(table.bob, draft_desk.fill, "b", "age")
    assert set(table.record(table.bob, "b").answers) == {"age"}


# --- finishing --------------------------------------------------------------------------------------------------------


def test_finishing_files_the_step_and_the_seats_character_in_one_append(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.builds(table.ann, "a", "Tam")
    appended: list[list[str]] = []
    append = storage.append

    def watched(store: Any, campaign: str, before: int, lines: Any, *rest: Any) -> None:
        appended.append([type(each).__name__ for each in lines])
        append(store, campaign, before, lines, *rest)

    monkeypatch.setattr(storage, "append", watched)
    table.do(table.ann, draft_desk.finish, "a")
    assert appended == [["SeatTaken", "DraftEnded", "StepBegan"]]
    assert table.view(table.ann)["you"]["controls"] == ["Tam"]
    assert table.view(table.ann)["scene"]["Tam"]["traits"] == {"Brawn": 4, "Grace": 2, "Wits": 3}
    assert table.view(table.ann)["scene"]["Tam"]["secret"] == "none"
    assert "secret" not in table.view(table.bob)["scene"]["Tam"]


def test_if_storing_fails_nothing_of_it_has_happened(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.builds(table.ann, "a", "Tam")
    before = table.record(table.ann)

    def broken(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "append", broken)
        with pytest.raises(OSError, match="no space"):
            table.do(table.ann, draft_desk.finish, "a")
    assert table.record(table.ann) == before
    assert "Tam" not in table.view(table.ann)["scene"]
    assert table.view(table.ann)["you"]["controls"] == []
    table.do(table.ann, draft_desk.finish, "a")
    assert table.view(table.ann)["you"]["controls"] == ["Tam"]


def test_others_are_told_of_the_new_character_and_nothing_of_the_draft(table: Table) -> None:
    before = len(table.told(table.cy))
    table.builds(table.ann, "a", "Tam")
    assert len(table.told(table.cy)) == before
    table.do(table.ann, draft_desk.finish, "a")
    new = table.told(table.cy)[before:]
    assert [each["kind"] for each in new] == ["said", "began", "happened"]
    assert "none" not in json.dumps(new)  # the secret
    assert "secret" not in json.dumps(new)
    mine = json.dumps(table.told(table.ann))
    assert '"secret": "none"' in mine


def test_a_finished_draft_stays_finished_unless_its_character_is_undone(table: Table) -> None:
    table.builds(table.ann, "a", "Tam")
    table.do(table.ann, draft_desk.finish, "a")
    assert "it is finished" in str(table.refused(table.ann, draft_desk.answer, "a", "age", "Old"))
    assert "the character is in play" in str(table.refused(table.ann, draft_desk.reopen, "a"))
    item = next(each["id"] for each in table.told(table.mo) if each.get("rule") == "referee.table.enter")
    table.do(table.mo, undo_desk.undo, item)
    assert "Tam" not in table.view(table.mo)["scene"]
    table.do(table.ann, draft_desk.reopen, "a")
    table.do(table.ann, draft_desk.answer, "a", "motto", "Again!")
    table.do(table.ann, draft_desk.finish, "a")
    assert table.view(table.mo)["scene"]["Tam"]["motto"] == "Again!"
    assert table.view(table.ann)["you"]["controls"] == ["Tam"]


def test_a_name_that_is_known_to_be_taken_is_refused(table: Table) -> None:
    table.do(table.mo, master_desk.edit, "Odo", {"kind": "Adept"})
    table.builds(table.ann, "a", "Odo")
    before = len(table.lines())
    assert str(table.refused(table.ann, draft_desk.finish, "a")) == "name: Odo is in the scene already"
    for name in ("clock", "veil", "book", "Game Master"):
        table.do(table.ann, draft_desk.answer, "a", "name", name)
        assert "reserved" in str(table.refused(table.ann, draft_desk.finish, "a"))
    assert len(table.lines()) == before + 4


def test_nothing_is_finished_while_play_is_stopped(table: Table) -> None:
    table.builds(table.ann, "a", "Tam")
    table.do(table.bob, Desk.stop)
    table.do(table.ann, draft_desk.answer, "a", "motto", "I wait.")  # building goes on
    assert "play is stopped" in str(table.refused(table.ann, draft_desk.finish, "a"))


def test_only_the_game_master_lets_a_character_enter_hidden(table: Table) -> None:
    table.builds(table.ann, "a", "Tam")
    assert isinstance(table.refused(table.ann, draft_desk.finish, "a", hidden=True), NotAllowed)
    table.builds(table.mo, "m", "Spy")
    before = [table.told(seat) for seat in (table.ann, table.bob, table.guest)]
    table.do(table.mo, draft_desk.finish, "m", hidden=True)
    assert [table.told(seat) for seat in (table.ann, table.bob, table.guest)] == before
    assert "Spy" not in table.view(table.ann)["scene"]
    assert "Spy" in table.view(table.mo)["scene"]


def test_a_sheet_that_the_book_does_not_allow_is_refused_in_the_end(
    table: Table, guild: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a declaration lets through, `System.check` has the last word; it is the check of imported sheets too."""
    table.builds(table.ann, "a", "Tam")
    table.do(
        table.mo,
        master_desk.house_rules,
        {"set": {"guild.creation.traits": {"most": 9}, "guild.growth.traits": {"most": 3}}},
    )
    why = table.refused(table.ann, draft_desk.finish, "a")
    assert isinstance(why, Refused)
    assert (why.because, why.rule) == ("4 is out of range", "guild.creation.traits")
    added = table.refused(table.mo, master_desk.add, "Nia", {"kind": "Adept", "traits": {"Brawn": 4}})
    assert "4 is out of range (guild.creation.traits)" in str(added)
    table.do(table.mo, master_desk.add, "Nia", {"kind": "Adept", "traits": {"Brawn": 3}})


def test_there_is_a_limit_to_drafts_and_finished_ones_make_room(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_desk, "MOST_DRAFTS", 2)
    table.builds(table.ann, "a", "Tam")
    table.do(table.ann, draft_desk.finish, "a")
    table.do(table.ann, draft_desk.begin, "b")
    table.do(table.ann, draft_desk.begin, "c")
    assert [each.id for each in table.read(table.ann, draft_desk.drafts_of)] == ["b", "c"]
    assert "at most 2 drafts" in str(table.refused(table.ann, draft_desk.begin, "d"))
    assert "this id is taken" in str(table.refused(table.bob, draft_desk.begin, "b"))


# --- growth -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def grown(hub: Hub) -> Table:
    mara = {"traits": {"Brawn": 2, "Wits": 2, "Grace": 2}, "xp": 12, "secret": "a spy"}
    table = Table(hub, scene={"Mara": mara, "Odo": {}})
    table.do(table.mo, seat_desk.hand_over, table.ann, "Mara")
    return table


def test_growth_is_a_draft_upon_the_sheet(grown: Table) -> None:
    grown.do(grown.ann, draft_desk.begin, "g", DraftKind.ADVANCEMENT, character="Mara")
    grown.do(grown.ann, draft_desk.answer, "g", "traits", 3, "Wits")
    grown.do(grown.mo, master_desk.edit, "Mara", {"coins": 7})  # meanwhile something else changes
    grown.do(grown.ann, draft_desk.finish, "g")
    mara = grown.view(grown.mo)["scene"]["Mara"]
    assert (mara["traits"]["Wits"], mara["xp"], mara["coins"]) == (3, 3, 7)
    assert grown.view(grown.ann)["you"]["controls"] == ["Mara"]


def test_growth_is_refused_if_what_grows_has_changed_since(grown: Table) -> None:
    grown.do(grown.ann, draft_desk.begin, "g", DraftKind.ADVANCEMENT, character="Mara")
    grown.do(grown.ann, draft_desk.answer, "g", "traits", 3, "Wits")
    grown.do(grown.mo, master_desk.edit, "Mara", {"xp": 20})
    assert "xp changed since this draft began" in str(grown.refused(grown.ann, draft_desk.finish, "g"))
    grown.do(grown.mo, master_desk.remove, "Mara")
    assert "is not in the scene any more" in str(grown.refused(grown.ann, draft_desk.finish, "g"))


def test_one_grows_only_whom_one_plays(grown: Table) -> None:
    for seat in (grown.ann, grown.bob):
        why = grown.refused(seat, draft_desk.begin, "g", DraftKind.ADVANCEMENT, character="Odo")
        assert isinstance(why, BadInput)
    grown.do(grown.mo, draft_desk.begin, "g", DraftKind.ADVANCEMENT, character="Odo")


def test_the_sheet_in_a_line_of_growth_is_not_sent_to_players(grown: Table) -> None:
    grown.do(grown.ann, draft_desk.begin, "g", DraftKind.ADVANCEMENT, character="Mara")
    began = [each for each in grown.told(grown.ann) if each.get("about") == "draft"]
    assert [sorted(each) for each in began] == [
        ["about", "by", "character", "draft", "form", "id", "kind", "seat", "to"]
    ]


def test_a_system_without_creation_says_so(hub: Hub) -> None:
    table = Table(hub, "den")
    assert "The den has no creation by steps" in str(table.refused(table.ann, draft_desk.begin, "a"))


# --- ours -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "field", "part", "level", "said"),
    [
        ("alien", "attributes", "Strength", 99, "an attribute is 1 to 5 (alien.character.attributes)"),
        ("alien", "attributes", "Strength", 0, "an attribute is 1 to 5 (alien.character.attributes)"),
        ("alien", "skills", "Piloting", 6, "a skill level is 0 to 5 (alien.character.skills)"),
        ("alien", "resolve", "Resolve", -1, "it is never below 0 (alien.stress.stress-level)"),
        ("distemper", "attributes", "Reason", 99, "(distemper.checks.amod)"),
        ("distemper", "skills", "Stealth", 99, "(distemper.checks.smod)"),
        ("distemper", "points", "Wound Points", 0, "nobody starts without a point (distemper.sheet.tracked-values)"),
    ],
)
def test_our_systems_have_plain_drafts_within_the_books_bounds(
    hub: Hub, system: str, field: str, part: str, level: int, said: str
) -> None:
    table = Table(hub, system)
    table.do(table.ann, draft_desk.begin, "a")
    assert said in str(table.refused(table.ann, draft_desk.answer, "a", field, level, part))
    table.do(table.ann, draft_desk.answer, "a", field, 3, part)
    table.do(table.ann, draft_desk.fill, "a")
    table.do(table.ann, draft_desk.answer, "a", "name", "Tam")
    table.do(table.ann, draft_desk.finish, "a")
    scene = table.view(table.bob)["scene"]
    assert registry.load(system).sheet.__name__ == scene["Tam"]["kind"]
    assert table.view(table.ann)["you"]["controls"] == ["Tam"]


def test_a_forked_step_of_entering_can_be_read_again(table: Table) -> None:
    table.builds(table.ann, "a", "Tam")
    table.do(table.ann, draft_desk.finish, "a")
    kinds = [type(each) for each in table.lines()[-3:]]
    assert kinds == [SeatTaken, DraftEnded, StepBegan]
    table.hub.evict_idle(-1)
    assert "Tam" in table.view(table.bob)["scene"]
