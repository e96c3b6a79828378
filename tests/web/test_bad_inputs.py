"""Bad inputs, and what each gets: never a fault, always the one shape of errors, and nothing changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from referee.client import ApiError, Client
from referee.store.records import BadRecord, Conflict, StoreError
from referee.table.access import A_YEAR
from referee.web.errors import problem_of
from referee.web.limits import BODY_LIMIT
from referee.wire.replies import ErrorReply

if TYPE_CHECKING:
    from tests.web.conftest import Party, Running

ROLL = {"action": "skill-roll", "who": "Ripa", "arguments": {"skill": "Observation"}}
DEEP = b'{"action":"skill-roll","who":"Ripa","arguments":{"skill":' + b"[" * 60 + b"]" * 60 + b"}}"
DEEPER = b'{"arguments":' + b"[" * 19_000 + b"]" * 19_000 + b"}"
JSON = {"Content-Type": "application/json"}


class Bad(NamedTuple):
    """A request, who sends it, and what it gets."""

    name: str
    who: str
    method: str
    path: str
    sent: Any
    status: int
    error: str
    headers: tuple[tuple[str, str], ...] = ()


def bad(
    name: str,
    at: str,
    sent: Any = None,
    status: int = 422,
    error: str = "bad-input",
    who: str = "anna",
    **headers: str,
) -> Bad:
    method, _, path = at.partition(" ")
    given = tuple((each.replace("_", "-"), value) for each, value in headers.items())
    return Bad(name, who, method, path, sent, status, error, given)


def act(name: str, sent: Any, status: int = 422, error: str = "bad-input", who: str = "anna") -> Bad:
    return bad(name, "POST /actions", sent, status, error, who)


NOT_ALLOWED: Any = {"status": 403, "error": "not-allowed"}
NOT_FOUND: Any = {"status": 404, "error": "not-found"}
NOT_SEATED: Any = {"status": 401, "error": "not-signed-in"}

TABLE = [
    # What cannot be read.
    act("not JSON", b"{"),
    act("no body", b""),
    act("an empty object", {}),
    act("a list", []),
    act("null", b"null"),
    act("bad UTF-8", b'{"action":"\xff\xfe","who":"Ripa"}'),
    act("NUL in a text", b'{"action":"skill\\u0000roll","who":"Ripa"}'),
    act("NUL in a key", b'{"action":"skill-roll","who":"Ripa","arguments":{"\\u0000":1}}'),
    act("half a sign", b'{"action":"skill-roll","who":"Ripa","arguments":{"skill":"\\ud83d"}}'),
    act("nested deeply", DEEP),
    act("nested very deeply", DEEPER),
    act("NaN", b'{"action":"skill-roll","who":"Ripa","arguments":{"skill":NaN}}'),
    act("infinity by exponent", b'{"action":"skill-roll","who":"Ripa","arguments":{"skill":1e999}}'),
    act("a number of many digits", b'{"action":"skill-roll","who":"Ripa","arguments":{"mods":' + b"9" * 5000 + b"}}"),
    act("a number beyond 2^53", b'{"action":"skill-roll","who":"Ripa","arguments":{"mods":9007199254740993}}'),
    act("too many values", b"[" + b"[]," * 80_000 + b"[]]", 413, "too-large"),
    act("a huge body", b'{"action":"' + b"x" * BODY_LIMIT + b'"}', 413, "too-large"),
    bad("a form", "POST /actions", b"action=skill-roll&who=Ripa", Content_Type="application/x-www-form-urlencoded"),
    # What does not fit.
    act("an unknown field", {**ROLL, "as": "admin"}),
    act("a wrong type", {**ROLL, "who": 7}),
    act("a number as text", {**ROLL, "expected": "7"}),
    act("a negative count", {**ROLL, "expected": -1}),
    act("an action there is not", {**ROLL, "action": "fly"}),
    act("an action with a long name", {**ROLL, "action": "x" * 300}),
    act("a skill there is not", {**ROLL, "arguments": {"skill": "Cooking"}}, 409, "refused"),
    act("an argument there is not", {**ROLL, "arguments": {"skill": "Observation", "cheat": True}}),
    act("an argument missing", {**ROLL, "arguments": {}}),
    act("an argument of the wrong form", {**ROLL, "arguments": {"skill": ["Observation", {}]}}),
    act("who acts in the arguments", {**ROLL, "who": "Ripa", "arguments": {"who": "Dallow", "skill": "Piloting"}}),
    bad("an answer nobody asked for", "POST /answers", {"question": "Ripa.push", "answer": "yes"}),
    bad("an item never told", "POST /undo", {"item": 99999}, who="mo"),
    bad("redo of nothing", "POST /redo", {}, who="mo"),
    bad("dice without end", "POST /rolls", {"dice": ["999d1000"]}),
    bad("dice that are none", "POST /rolls", {"dice": ["3d6; DROP TABLE lines"]}),
    bad("no dice", "POST /rolls", {"dice": []}),
    bad("an empty note", "POST /notes", {"text": "  "}),
    bad("a long note", "POST /notes", {"text": "x" * 10001}),
    bad("a whisper to nobody known", "POST /notes", {"text": "x", "to": ["nobody"]}),
    bad("a picture there is not", "POST /notes", {"text": "x", "file": "0" * 64}, **NOT_FOUND),
    bad("a sheet the book does not allow", "POST /edits", {"name": "Ripa", "changes": {"stress": -3}}, who="mo"),
    bad("a field there is not", "POST /edits", {"name": "Ripa", "changes": {"__class__": "x"}}, who="mo"),
    bad("a kind there is not", "POST /edits", {"name": "New", "changes": {"kind": "os.system"}}, who="mo"),
    bad("an option there is not", "PATCH /house-rules", {"options": {"alien.nothing": True}}, who="mo"),
    bad("a setting there is not", "PATCH /settings", {"cheating": True}, who="mo"),
    bad("a seat there is not", "DELETE /seats/ffffffff", who="mo", **NOT_FOUND),
    bad("a character nobody knows", "POST /invitations", {"controls": ["Nobody"]}, who="mo"),
    bad("a role there is not", "POST /invitations", {"role": "admin"}, who="mo"),
    bad("the last game master leaves", "DELETE /seats/{mo}", who="mo", status=409, error="refused"),
    bad("a name of nothing", "PATCH /seats/{anna}", {"name": " "}),
    bad("a name with a line break", "PATCH /seats/{anna}", {"name": "An\nna"}),
    bad("a limit beyond the page", "GET /log?limit=100000"),
    bad("a limit that is not a number", "GET /log?limit=all"),
    bad("a bad key", "POST /actions", ROLL, Idempotency_Key="x" * 101),
    bad("a bad expectation", "POST /actions", ROLL, If_Match="*"),
    bad("a bad last event", "GET /events", Last_Event_ID="-5"),
    # What is not theirs.
    act("somebody else's character", {**ROLL, "who": "Dallow"}, 403, "not-allowed"),
    act("somebody in nobody's seat", {**ROLL, "who": "Ghost"}, 403, "not-allowed"),
    act("a spectator acts", ROLL, 403, "not-allowed", "zoe"),
    bad("a spectator rolls", "POST /rolls", {"dice": ["1d6"]}, who="zoe", **NOT_ALLOWED),
    bad("a player edits", "POST /edits", {"name": "Ripa", "changes": {"stress": 0}}, **NOT_ALLOWED),
    bad("a player makes themselves game master", "PATCH /seats/{anna}", {"role": "game master"}, **NOT_ALLOWED),
    bad("a player gives another a character", "PATCH /seats/{mo}", {"controls": ["Brekk"]}, **NOT_ALLOWED),
    bad("a player takes whom nobody knows", "PATCH /seats/{anna}", {"controls": ["Nobody"]}),
    bad("a player exports", "GET /export", **NOT_ALLOWED),
    bad("another's question", "GET /odds?question=Ripa.push", who="ben"),
    bad("the actions of another's", "GET /actions?who=Ripa", who="ben", **NOT_ALLOWED),
    # Who they are not.
    act("no token", ROLL, 401, "not-signed-in", "nobody"),
    act("a token nobody has", ROLL, 401, "not-signed-in", "stranger"),
    act("an expired token", ROLL, 401, "not-signed-in", "expired"),
    act("a removed seat", ROLL, 401, "not-signed-in", "removed"),
    act("a seat at another table", ROLL, 404, "not-found", "elsewhere"),
    bad("another way to be known", "GET ", who="nobody", Authorization="Basic bW86bW8=", **NOT_SEATED),
    bad("a token without end", "GET ", who="nobody", Authorization="Bearer " + "x" * 5000, **NOT_SEATED),
    act("no token, and too many values", b"[" + b"[]," * 80_000 + b"[]]", 401, "not-signed-in", "nobody"),
    act("no token, and no JSON", b"{", 401, "not-signed-in", "nobody"),
    # What is not there.
    bad("an address there is not", "GET /cheats", **NOT_FOUND),
    bad("a path out of the campaign", "GET /../../../etc/passwd", **NOT_FOUND),
    bad("an encoded path out", "GET /files/..%2f..%2fetc%2fpasswd", **NOT_FOUND),
    bad("a file with a long way up", "GET " + "/files/" + "." * 64),
    bad("a rule there is not", "GET /rules/alien.nothing", **NOT_FOUND),
    bad("a method it does not take", "PUT /actions", ROLL, status=405, error="method-not-allowed"),
]


def send(bad: Bad, client: Client, party: Party, running: Running) -> tuple[int, bytes]:
    seats = {"mo": party.mo.seat, "anna": party.anna.seat}
    address = f"{running.address}/api/v1{party.mo.path}{bad.path.format(**seats)}"
    token = token_of(bad.who, client, party, running)
    headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **JSON, **dict(bad.headers)}
    content = bad.sent if isinstance(bad.sent, bytes) else None if bad.sent is None else json.dumps(bad.sent).encode()
    response = client.http.request(bad.method, address, content=content, headers=headers)
    return response.status_code, response.content


def token_of(who: str, client: Client, party: Party, running: Running) -> str | None:
    match who:
        case "nobody":
            return None
        case "stranger":
            return "x" * 43
        case "elsewhere":
            return client.create("Elsewhere", "alien", master="Eve").token
        case "removed":
            party.mo.remove_seat(party.ben.seat)
            return party.ben.token
        case "expired":
            now = running.hub.clock
            try:
                running.hub.clock = lambda: now() - 2 * A_YEAR
                return running.hub.new_token(party.anna.campaign, party.anna.seat)
            finally:
                running.hub.clock = now
        case _:
            token: str = getattr(party, who).token
            return token


@pytest.mark.parametrize("bad", TABLE, ids=[each.name for each in TABLE])
def test_bad_input_is_refused_in_one_shape_and_changes_nothing(
    bad: Bad, client: Client, party: Party, running: Running
) -> None:
    if bad.who == "removed":
        token_of(bad.who, client, party, running)
        bad = bad._replace(who="ben")
    before = party.mo.view()
    status, content = send(bad, client, party, running)
    shape = ErrorReply.model_validate_json(content)
    assert (status, shape.error) == (bad.status, bad.error), shape.message
    assert shape.message
    assert set(json.loads(content)) == {"error", "message", "rule", "legal", "where"}
    assert "Traceback" not in shape.message
    assert party.mo.view() == before


def test_the_table_of_bad_inputs_is_long() -> None:
    assert len(TABLE) >= 60
    assert len({bad.name for bad in TABLE}) == len(TABLE)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "'; DROP TABLE lines;--", "${7*7}", "../../etc/passwd", "<b>&amp;"]
)
def test_names_that_look_like_attacks_are_only_names(name: str, client: Client, party: Party) -> None:
    seat = client.join(party.mo.invite().code, name)
    assert seat.view().you.name == name
    party.mo.edit(name, kind="Colonist")
    assert name in seat.view().scene
    page = client.http.get(f"/join/{name.replace('/', '')}")
    assert "<script>" not in page.text


def test_a_body_that_does_not_say_how_long_it_is_is_counted(client: Client, party: Party) -> None:
    def endless() -> Any:
        yield b'{"action":"'
        for _ in range(40):
            yield b"x" * 65536

    headers = {"Authorization": f"Bearer {party.anna.token}", **JSON}
    response = client.http.post(f"/api/v1{party.anna.path}/actions", content=endless(), headers=headers)
    assert (response.status_code, response.json()["error"]) == (413, "too-large")


def test_a_picture_too_large_is_refused(client: Client, party: Party) -> None:
    headers = {"Authorization": f"Bearer {party.anna.token}"}
    response = client.http.post(f"/api/v1{party.anna.path}/files?name=x", content=b"x" * (9 * 2**20), headers=headers)
    assert response.status_code == 413


def test_no_refusal_tells_a_player_who_is_in_hiding(party: Party) -> None:
    party.mo.edit("Stowaway", kind="Colonist")
    party.mo.hide("Stowaway")
    tried: list[Callable[[str], object]] = [
        lambda name: party.anna.change_seat(party.anna.seat, controls=[name]),
        lambda name: party.anna.invite(controls=[name]),
        lambda name: party.anna.hand_over(party.anna.seat, name),
        lambda name: party.anna.act("skill-roll", name, skill="Observation"),
        party.anna.actions,
        lambda name: party.anna.odds("skill-roll", name, skill="Observation"),
        party.anna.hide,
        lambda name: party.anna.edit(name, stress=1),
        party.anna.remove,
        lambda name: party.anna.answer(f"{name}.push", "no"),
        lambda name: party.anna.odds_at(f"{name}.push"),
        lambda name: party.anna.audit(who=name),
    ]
    for attempt in tried:
        told = []
        for name in ("Stowaway", "Nobodyer"):
            with pytest.raises(ApiError) as why:
                attempt(name)
            told.append(f"{why.value} {why.value.legal} {why.value.where}".replace(name, "…"))
        assert told[0] == told[1]
        assert "Stowaway" not in told[1]


@pytest.mark.parametrize(
    "trouble", [StoreError("/secret/place is full"), Conflict("c", 3, 57), BadRecord("c", 57, "x")]
)
def test_trouble_with_the_storage_is_told_without_its_particulars(trouble: StoreError) -> None:
    problem = problem_of(trouble)
    assert problem.status_code in {409, 503}
    assert not {"secret", "57"} & set(re.findall(r"\w+", problem.shape.message))
