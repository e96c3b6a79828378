"""What any store must do, whatever database it keeps its campaigns in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.postgres import open_postgres

from referee.core.errors import BadInput, TooLarge
from referee.store.base import Store
from referee.store.records import (
    FILE_LIMIT,
    OUTCOME_LIMIT,
    Admission,
    BadRecord,
    CheckpointRecord,
    Conflict,
    File,
    FileInfo,
    Header,
    Invitation,
    LogRow,
    NotInvited,
    Repeated,
    Seed,
    Taken,
    Token,
    UnknownCampaign,
)
from referee.store.sqlite import SQLiteStore

HEADER = Header("lamp", "The Lamp", "alien", 3, 1, {"ana": {"kind": "Colonist", "stress": 0}}, 1000.0)
THREADS = 8

Opener = Callable[[Path], Store]


def open_sqlite(folder: Path) -> Store:
    return SQLiteStore.open(folder / "referee.sqlite")


@pytest.fixture(params=[open_sqlite, open_postgres])
def opener(request: pytest.FixtureRequest) -> Opener:
    opened: Opener = request.param
    return opened


@pytest.fixture
def store(opener: Opener, tmp_path: Path) -> Iterator[Store]:
    """A store with one empty campaign, `lamp`."""
    opened = opener(tmp_path)
    opened.create(HEADER)
    yield opened
    opened.close()


def rows(first: int, count: int = 1, **more: Any) -> list[LogRow]:
    return [
        LogRow(number, 1000.5 + number, {"kind": "edited", "n": number, **more})
        for number in range(first, first + count)
    ]


def all_at_once(work: Callable[[int], Any]) -> list[Any]:
    """What eight threads got that did the same at the same time."""
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(work, range(THREADS)))


# --- campaigns --------------------------------------------------------------------------------------------------------


def test_a_campaign_comes_back_as_it_was_given(store: Store) -> None:
    assert store.header("lamp") == HEADER
    assert store.count("lamp") == 0
    assert list(store.lines("lamp")) == []


def test_a_campaign_is_never_overwritten(store: Store) -> None:
    store.append("lamp", 0, rows(0))
    with pytest.raises(Taken, match="'lamp' stands there already"):
        store.create(replace(HEADER, name="Another"))
    assert store.header("lamp").name == "The Lamp"
    assert store.count("lamp") == 1


def test_the_list_has_the_newest_first_with_counts_and_last_activity(store: Store) -> None:
    store.create(Header("moth", "The Moth", "d6", 1, 1, {}, 2000.0, forked_from="lamp"))
    store.append("lamp", 0, rows(0, 3))
    moth, lamp = store.headers()
    assert (moth.id, moth.name, moth.system, moth.lines, moth.active) == ("moth", "The Moth", "d6", 0, 2000.0)
    assert moth.forked_from == "lamp"
    assert (lamp.id, lamp.lines, lamp.active, lamp.archived, lamp.problem) == ("lamp", 3, 1002.5, None, None)


def test_a_campaign_can_be_renamed_and_set_aside_and_loses_nothing(store: Store) -> None:
    store.append("lamp", 0, rows(0, 2))
    store.rename("lamp", "Die Lampe ✨")
    store.archive("lamp", 3000.0)
    assert store.header("lamp").name == "Die Lampe ✨"
    assert store.headers()[0].archived == 3000.0
    assert list(store.lines("lamp")) == rows(0, 2)
    store.archive("lamp", None)
    assert store.headers()[0].archived is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.header("nobody"),
        lambda s: s.count("nobody"),
        lambda s: s.lines("nobody"),
        lambda s: s.append("nobody", 0, rows(0)),
        lambda s: s.append("nobody", 0, [], "key"),
        lambda s: s.remembered("nobody", "key"),
        lambda s: s.rename("nobody", "x"),
        lambda s: s.archive("nobody", 1.0),
        lambda s: s.keep_checkpoint("nobody", 0, {}),
        lambda s: s.checkpoint("nobody"),
        lambda s: s.drop_checkpoints("nobody"),
        lambda s: s.keep_seed("nobody", "c", b"s"),
        lambda s: s.seed("nobody", "c"),
        lambda s: s.reveal_seed("nobody", "c", 1.0),
        lambda s: s.seeds("nobody"),
        lambda s: s.keep_token(Token("h", "nobody", "ana", "browser", 1.0)),
        lambda s: s.tokens("nobody"),
        lambda s: s.revoke_seat("nobody", "ana"),
        lambda s: s.keep_invitation(Invitation("h", "nobody", "player")),
        lambda s: s.invitations("nobody"),
        lambda s: s.keep_file("nobody", "a", "b", b"c"),
        lambda s: s.file("nobody", "x"),
        lambda s: s.files("nobody"),
    ],
)
def test_an_unknown_campaign_is_told_at_once(store: Store, ask: Callable[[Store], object]) -> None:
    with pytest.raises(UnknownCampaign, match="there is no campaign 'nobody'"):
        ask(store)
    assert store.check() == []


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"id": ""}, "campaign"),
        ({"id": "../etc"}, "campaign"),
        ({"id": "x" * 65}, "campaign"),
        ({"id": "lämp"}, "campaign"),
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800b"}, "name"),
        ({"version": -1}, "version"),
        ({"version": 2**40}, "version"),
        ({"version": True}, "version"),
        ({"created": float("nan")}, "created"),
        ({"created": float("inf")}, "created"),
        ({"scene": {"x": float("nan")}}, "scene"),
        ({"scene": {"x": {1, 2}}}, "scene"),
        ({"forked_from": "no such id!"}, "forked_from"),
    ],
)
def test_a_header_that_no_database_could_keep_is_refused(store: Store, wrong: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput, match=f"^{where}: "):
        store.create(replace(HEADER, **{"id": "other", **wrong}))
    assert [each.id for each in store.headers()] == ["lamp"]


# --- lines ------------------------------------------------------------------------------------------------------------


def test_lines_come_back_in_order_from_any_place(store: Store) -> None:
    store.append("lamp", 0, rows(0, 3))
    store.append("lamp", 3, rows(3, 1200))
    assert list(store.lines("lamp")) == rows(0, 1203)
    assert list(store.lines("lamp", 1, 3)) == rows(1, 2)
    assert list(store.lines("lamp", 1200)) == rows(1200, 3)
    assert list(store.lines("lamp", 0, 5000)) == rows(0, 1203)
    assert list(store.lines("lamp", 1203)) == list(store.lines("lamp", 7, 7)) == list(store.lines("lamp", 9, 2)) == []


def test_the_times_of_any_lines_are_read_at_once(store: Store) -> None:
    store.append("lamp", 0, rows(0, 1200))
    assert store.times("lamp", [7, 3, 7, 1199]) == {3: 1003.5, 7: 1007.5, 1199: 2199.5}
    assert store.times("lamp", range(1200)) == {number: 1000.5 + number for number in range(1200)}
    assert store.times("lamp", ()) == {}
    with pytest.raises(BadRecord, match="line 1200: is missing"):
        store.times("lamp", [1199, 1200])


def test_a_reader_sees_the_lines_there_were_when_it_began(store: Store) -> None:
    store.append("lamp", 0, rows(0, 2))
    reading = store.lines("lamp")
    store.append("lamp", 2, rows(2))
    assert list(reading) == rows(0, 2)


def test_a_conflict_says_what_was_expected_and_what_there_is(store: Store) -> None:
    store.append("lamp", 0, rows(0, 2))
    for expected in (0, 1, 3):
        with pytest.raises(Conflict) as raised:
            store.append("lamp", expected, rows(expected))
        assert (raised.value.campaign, raised.value.expected, raised.value.found) == ("lamp", expected, 2)
        assert str(raised.value) == f"campaign 'lamp' has 2 lines, not {expected}; somebody wrote first"
    assert list(store.lines("lamp")) == rows(0, 2)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (LogRow(2, 1.0, {}), "is numbered 2; lines are numbered without a gap"),
        (LogRow(0, 1.0, {}), "is numbered 0"),
        (LogRow(1, float("nan"), {}), "must be a time"),
        (LogRow(1, 1.0, {"x": float("inf")}), "cannot be written as JSON"),
        (LogRow(1, 1.0, {"x": object()}), "cannot be written as JSON"),
        (LogRow(1, 1.0, []), "must be an object, not list"),  # type: ignore[arg-type] # what a careless caller might do
    ],
)
def test_one_bad_line_keeps_its_whole_batch_out(store: Store, bad: LogRow, why: str) -> None:
    with pytest.raises(BadInput, match=r"^line 1") as raised:
        store.append("lamp", 0, [*rows(0), bad, *rows(2)], "key")
    assert why in str(raised.value)
    assert store.count("lamp") == 0
    assert store.remembered("lamp", "key") is None


def test_a_line_nested_beyond_measure_is_refused(store: Store) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadInput, match="nested too deeply"):
        store.append("lamp", 0, [LogRow(0, 1.0, {"deep": deep})])


def test_a_line_beyond_the_limit_is_refused(store: Store) -> None:
    with pytest.raises(TooLarge, match=r"line 0: .* at most 16777216"):
        store.append("lamp", 0, [LogRow(0, 1.0, {"x": "y" * 2**24})])


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.dictionaries(st.text(st.characters(exclude_categories=())), plain, max_size=5))
def test_any_json_survives(store: Store, line: dict[str, Any]) -> None:
    other = replace(HEADER, id=f"any-{len(store.headers())}", scene=line)
    store.add_campaign(other, [LogRow(0, 1.5, line)])
    assert [each.line for each in store.lines(other.id)] == [line]
    assert store.header(other.id).scene == line


def test_what_was_written_is_there_when_opened_again(opener: Opener, tmp_path: Path) -> None:
    store = opener(tmp_path)
    store.create(HEADER)
    store.append("lamp", 0, rows(0, 2), "key", {"ok": 1})
    store.keep_seed("lamp", "c", b"seed")
    store.close()
    again = opener(tmp_path)
    assert list(again.lines("lamp")) == rows(0, 2)
    assert again.remembered("lamp", "key") == {"ok": 1}
    assert again.seed("lamp", "c") == b"seed"
    again.close()


def test_of_eight_writers_at_once_each_line_number_goes_to_one(store: Store) -> None:
    def write(thread: int) -> int:
        """Add 20 lines, trying again after each conflict; how many conflicts there were."""
        conflicts = done = 0
        while done < 20:
            at = store.count("lamp")
            try:
                store.append("lamp", at, rows(at, 2, thread=thread, turn=done))
                done += 1
            except Conflict:
                conflicts += 1
        return conflicts

    assert sum(all_at_once(write)) > 0
    found = list(store.lines("lamp"))
    assert [each.number for each in found] == list(range(2 * 20 * THREADS))
    pairs = [(each.line["thread"], each.line["turn"]) for each in found]
    assert pairs[::2] == pairs[1::2]  # a batch is never torn apart
    assert sorted(set(pairs)) == [(thread, turn) for thread in range(THREADS) for turn in range(20)]
    assert store.check() == []


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_key_is_remembered_with_its_outcome(store: Store) -> None:
    assert store.remembered("lamp", "once") is None
    store.append("lamp", 0, rows(0), "once", {"lines": [0]})
    assert store.remembered("lamp", "once") == {"lines": [0]}
    with pytest.raises(Repeated) as raised:
        store.append("lamp", 1, rows(1), "once", {"lines": [1]})
    assert raised.value.outcome == {"lines": [0]}
    assert store.count("lamp") == 1


def test_a_repetition_is_told_before_a_conflict(store: Store) -> None:
    store.append("lamp", 0, rows(0), "once", "done")
    with pytest.raises(Repeated):
        store.append("lamp", 0, rows(0), "once", "done")


def test_a_refused_append_leaves_its_key_free(store: Store) -> None:
    with pytest.raises(Conflict):
        store.append("lamp", 5, rows(5), "once", "done")
    assert store.remembered("lamp", "once") is None
    store.append("lamp", 0, rows(0), "once", "done")
    assert store.remembered("lamp", "once") == "done"


def test_a_key_may_be_remembered_for_an_action_that_wrote_no_line(store: Store) -> None:
    store.append("lamp", 0, [], "once")
    assert store.remembered("lamp", "once") == {}
    assert store.count("lamp") == 0
    assert store.headers()[0].active == HEADER.created


def test_each_campaign_has_its_own_keys(store: Store) -> None:
    store.create(replace(HEADER, id="moth"))
    store.append("lamp", 0, rows(0), "once", 1)
    store.append("moth", 0, rows(0), "once", 2)
    assert (store.remembered("lamp", "once"), store.remembered("moth", "once")) == (1, 2)


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb"])
def test_a_key_must_be_a_short_text(store: Store, key: str) -> None:
    with pytest.raises(BadInput, match=r"^key: "):
        store.append("lamp", 0, rows(0), key)
    assert store.count("lamp") == 0


def test_an_outcome_must_be_small(store: Store) -> None:
    with pytest.raises(TooLarge, match="outcome"):
        store.append("lamp", 0, rows(0), "key", "x" * OUTCOME_LIMIT)
    assert store.count("lamp") == 0


def test_old_keys_can_be_forgotten(store: Store) -> None:
    store.append("lamp", 0, rows(0), "once", 1)
    assert store.forget_keys(before=1.0) == 0
    assert store.forget_keys(before=1e12) == 1
    assert store.remembered("lamp", "once") is None
    assert store.count("lamp") == 1


def test_of_eight_that_send_the_same_key_one_is_done_and_all_hear_its_outcome(store: Store) -> None:
    for turn in range(10):

        def send(thread: int, key: str = f"turn {turn}") -> tuple[bool, Any]:
            while True:
                at = store.count("lamp")
                try:
                    store.append("lamp", at, rows(at, thread=thread), key, {"by": thread})
                except Repeated as again:
                    return False, again.outcome
                except Conflict:
                    continue
                return True, {"by": thread}

        told = all_at_once(send)
        winners = [outcome for done, outcome in told if done]
        assert len(winners) == 1
        assert all(outcome == winners[0] for _, outcome in told)
        assert next(store.lines("lamp", turn)).line["thread"] == winners[0]["by"]
        assert store.count("lamp") == turn + 1


# --- whole campaigns --------------------------------------------------------------------------------------------------


def picture(data: bytes, name: str = "map.png") -> File:
    return File(hashlib.sha256(data).hexdigest(), name, "image/png", data)


def test_a_whole_campaign_is_taken_in_at_once(store: Store) -> None:
    parts: list[LogRow | File | Seed] = [*rows(0, 1001), Seed("c", b"seed", 5.0), picture(b"map")]
    store.add_campaign(replace(HEADER, id="moth"), parts)
    assert list(store.lines("moth")) == rows(0, 1001)
    assert store.seeds("moth") == [Seed("c", b"seed", 5.0)]
    assert store.file("moth", picture(b"map").id) == picture(b"map")
    assert {each.id: (each.lines, each.active) for each in store.headers()}["moth"] == (1001, 2000.5)
    store.append("moth", 1001, rows(1001))
    assert store.check() == []


def test_a_campaign_that_breaks_off_in_the_middle_leaves_nothing(store: Store) -> None:
    def broken() -> Iterator[LogRow | File | Seed]:
        yield picture(b"map")
        yield from rows(0, 1200)
        raise BadInput("line 1201", "cut off")

    with pytest.raises(BadInput, match="cut off"):
        store.add_campaign(replace(HEADER, id="moth"), broken())
    with pytest.raises(BadInput, match="line 1: is numbered 2"):
        store.add_campaign(replace(HEADER, id="moth"), [*rows(0), *rows(2)])
    assert [each.id for each in store.headers()] == ["lamp"]
    assert store.check() == []
    store.add_campaign(replace(HEADER, id="moth"), rows(0))


def test_a_fork_can_read_the_campaign_it_is_taken_from(store: Store) -> None:
    store.append("lamp", 0, rows(0, 700))
    store.add_campaign(replace(HEADER, id="moth", forked_from="lamp"), store.lines("lamp", 0, 650))
    assert list(store.lines("moth")) == rows(0, 650)


# --- checkpoints ------------------------------------------------------------------------------------------------------


def test_the_newest_checkpoint_at_or_below_a_line_is_given(store: Store) -> None:
    assert store.checkpoint("lamp") is None
    for number in (64, 128, 192):
        store.keep_checkpoint("lamp", number, {"after": number})
    assert store.checkpoint("lamp") == CheckpointRecord(192, {"after": 192})
    assert store.checkpoint("lamp", 191) == store.checkpoint("lamp", 128) == CheckpointRecord(128, {"after": 128})
    assert store.checkpoint("lamp", 63) is None


def test_a_checkpoint_is_replaced_and_dropped(store: Store) -> None:
    for number in (64, 128):
        store.keep_checkpoint("lamp", number, "old")
        store.keep_checkpoint("lamp", number, "new")
    store.drop_checkpoints("lamp", below=128)
    assert store.checkpoint("lamp", 127) is None
    assert store.checkpoint("lamp") == CheckpointRecord(128, "new")
    store.drop_checkpoints("lamp")
    assert store.checkpoint("lamp") is None


# --- secrets ----------------------------------------------------------------------------------------------------------


def test_a_seed_is_kept_per_campaign_and_never_replaced(store: Store) -> None:
    store.create(replace(HEADER, id="moth"))
    store.keep_seed("lamp", "c", b"\x00\xff")
    store.keep_seed("lamp", "c", b"\x00\xff")
    with pytest.raises(BadInput, match="another seed is kept"):
        store.keep_seed("lamp", "c", b"other")
    assert store.seed("lamp", "c") == b"\x00\xff"
    assert store.seed("lamp", "d") is None
    assert store.seed("moth", "c") is None


def test_a_seed_is_revealed_once_and_for_all(store: Store) -> None:
    store.keep_seed("lamp", "c", b"seed")
    assert store.seeds("lamp") == [Seed("c", b"seed", None)]
    assert store.reveal_seed("lamp", "c", 5.0) == b"seed"
    assert store.reveal_seed("lamp", "c", 6.0) == b"seed"
    assert store.seeds("lamp") == [Seed("c", b"seed", 5.0)]
    with pytest.raises(BadInput, match="no seed with this commitment"):
        store.reveal_seed("lamp", "d", 5.0)


def test_a_token_lets_in_until_it_expires_or_is_revoked(store: Store) -> None:
    browser = Token("h1", "lamp", "ana", "browser", 10.0, 20.0)
    program = Token("h2", "lamp", "ana", "program", 11.0)
    for each in (browser, program):
        store.keep_token(each)
    assert store.token("h1", now=19.9) == browser
    assert store.token("h1", now=20.0) is None
    assert store.token("h1") is None
    assert store.token("h2") == program
    assert store.tokens("lamp") == [browser, program]
    assert store.revoke_token("h2")
    assert not store.revoke_token("h2")
    assert store.token("h2") is None


def test_a_seat_loses_all_its_tokens_and_no_other_does(store: Store) -> None:
    for digest, seat in (("a", "ana"), ("b", "ana"), ("c", "bo")):
        store.keep_token(Token(digest, "lamp", seat, "browser", 1.0))
    assert store.revoke_seat("lamp", "ana") == 2
    assert [each.digest for each in store.tokens("lamp")] == ["c"]


def test_an_invitation_can_be_taken_as_often_as_it_says(store: Store) -> None:
    given = Invitation("h", "lamp", "player", ("ana", "bo"), expires=20.0, uses=2)
    store.keep_invitation(given)
    assert store.invitation("h", now=19.0) == given
    assert store.invitation("h", now=20.0) is None
    assert store.invitation("x", now=19.0) is None
    for seat in ("bo", "cy"):
        store.append("lamp", store.count("lamp"), [], admits=Admission(Token(seat, "lamp", seat, "browser", 19.0), "h"))
    assert [each.seat for each in store.tokens("lamp")] == ["bo", "cy"]
    assert store.invitation("h", now=19.0) is None
    assert store.invitations("lamp") == [replace(given, uses=0)]
    assert store.revoke_invitation("h")
    assert not store.revoke_invitation("h")


@pytest.mark.parametrize(("invitation", "at"), [("h", 20.0), ("x", 19.0)])
def test_who_is_not_invited_leaves_neither_lines_nor_a_token(store: Store, invitation: str, at: float) -> None:
    store.keep_invitation(Invitation("h", "lamp", "player", expires=20.0))
    before = store.count("lamp")
    with pytest.raises(NotInvited, match="unknown, used up or expired"):
        store.append(
            "lamp", before, rows(before), "k", 1, Admission(Token("t", "lamp", "bo", "browser", at), invitation)
        )
    assert (store.count("lamp"), store.remembered("lamp", "k"), store.tokens("lamp")) == (before, None, [])
    assert [each.uses for each in store.invitations("lamp")] == [1]


def test_of_eight_that_come_by_an_invitation_for_three_three_get_in(store: Store) -> None:
    store.keep_invitation(Invitation("h", "lamp", "player", uses=3))
    before = store.count("lamp")

    def came(number: int) -> bool:
        try:
            store.append("lamp", before, [], admits=Admission(Token(f"{number}", "lamp", "bo", "browser", 1.0), "h"))
        except NotInvited:
            return False
        return True

    assert sorted(all_at_once(came)) == [False] * 5 + [True] * 3
    assert len(store.tokens("lamp")) == 3


# --- attachments ------------------------------------------------------------------------------------------------------


def test_an_attachment_is_named_by_its_bytes(store: Store) -> None:
    data = bytes(range(256)) * 40
    kept = store.keep_file("lamp", "map.png", "image/png", data)
    assert kept == hashlib.sha256(data).hexdigest()
    assert store.keep_file("lamp", "again.png", "image/png", data) == kept
    assert store.file("lamp", kept) == File(kept, "map.png", "image/png", data)
    assert store.files("lamp") == [FileInfo(kept, "map.png", "image/png", 10240)]
    assert store.file("lamp", "0" * 64) is None


def test_who_uploaded_an_attachment_is_known(store: Store) -> None:
    """Those who upload the same bytes have both uploaded them."""
    kept = [store.keep_file("lamp", "map.png", "image/png", b"map", seat) for seat in ("", "ana", "bo", "ana")]
    plan = store.keep_file("lamp", "plan.png", "image/png", b"plan", "bo")
    assert set(kept) == {kept[0]}
    assert [[each.id for each in store.files("lamp", seat)] for seat in ("ana", "cy")] == [[kept[0]], []]
    assert {each.id for each in store.files("lamp", "bo")} == {kept[0], plan}
    assert len(store.files("lamp")) == 2


def test_an_attachment_belongs_to_its_campaign(store: Store) -> None:
    store.create(replace(HEADER, id="moth"))
    kept = store.keep_file("lamp", "map.png", "image/png", b"map")
    assert store.file("moth", kept) is None
    assert store.files("moth") == []


def test_an_attachment_has_a_limit(store: Store) -> None:
    store.keep_file("lamp", "empty", "text/plain", b"")
    store.keep_file("lamp", "large", "image/png", bytes(FILE_LIMIT))
    with pytest.raises(TooLarge, match=r"map.png: 8388609 bytes; at most 8388608 are kept"):
        store.keep_file("lamp", "map.png", "image/png", bytes(FILE_LIMIT + 1))
    assert len(store.files("lamp")) == 2


def test_a_sound_store_has_no_problems(store: Store) -> None:
    store.append("lamp", 0, rows(0, 3), "key", 1)
    store.keep_checkpoint("lamp", 3, {})
    store.keep_seed("lamp", "c", b"seed")
    store.keep_token(Token("h", "lamp", "ana", "browser", 1.0))
    store.keep_invitation(Invitation("h", "lamp", "player"))
    store.keep_file("lamp", "map.png", "image/png", b"map")
    assert store.check() == []
