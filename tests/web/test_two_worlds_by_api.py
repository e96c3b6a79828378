"""Two tables that differ in secrets answer a player alike, whatever is sent with whichever argument the API has.

`CASES` is what is sent. An argument of the schema that is in no case fails a test, and so does a path that is neither
tried nor left out by name: whoever adds one says here how it is tried.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, cast

import pytest
from tests.web.conftest import Running, Visitor

from referee import registry
from referee.client import Client, SeatClient
from referee.core.errors import RefereeError
from referee.core.plain import Plain
from referee.forecast.encounters import EncounterPlan
from referee.forecast.transport import pack
from referee.journal.seeded_dice import SeededDice
from referee.table import draft_desk, master_desk
from referee.table.desk import DeskCommand
from referee.table.hub import Hub
from referee.web import forecasts
from referee.web.app import make_app

Case = Mapping[str, Plain]
HERE: Final = Path(__file__).parent.parent
START: Final = "/api/v1/campaigns/{campaign}"
EVERYWHERE: Final = {"campaign", "expected", "Idempotency-Key", "If-Match"}
"""What says where and when, and nothing of whom."""
LEFT_OUT: Final = {
    "GET /events": "sends what `GET ` and `GET /log` say, as it happens",
    "POST /tokens": "is about programs",
    "GET /tokens": "is about programs",
    "DELETE /tokens/{token}": "is about programs",
    "POST /files": "is about pictures",
    "GET /files/{file}": "is about pictures",
}
HIDDEN: Final = ("lookout", "lurker")
"""Somebody hidden in both worlds, who differs, and somebody hidden in one of them."""
ATTACKS: Final = (
    *("zzz=1", "lookout.wp=9999", "lookout=cautious", "lookout.action=attack", "lurker.wp=3", "lurker=cautious"),
    *("veil.names=none", "veil=cautious", "clock.now=3", "book.x=1", "lookout.items.x=1", "Ash.items.x=1"),
    *("raider.wp=1", "raider.wp=9999", "raider.skills.Brawl=1", "raider.skills.Melee Combat=3", "raider.items.x=1"),
    *("raider.attributes.Physicality=99", "raider.zzz=1", "Ash.zzz=1", "Ash.wp=zzz", "fight.sides=1", "fight=cautious"),
)
"""What somebody writes who would like to know more."""
GUESSES: Final = ("fight", "raider", "nobody", *HIDDEN)


def each(**values: Sequence[Plain]) -> Iterator[Case]:
    """One case for each value of one argument."""
    ((name, found),) = values.items()
    return ({name: value} for value in found)


def with_(case: Case, *others: Case) -> list[Case]:
    """A case by itself, and with each of the others."""
    return [case, *({**case, **other} for other in others)]


CHECK: Final[Case] = {"action": "check", "who": "Ash", "arguments": {"using": "Acumen"}}
OPPOSED: Final[Case] = {
    "action": "opposed-check",
    "who": "Ash",
    "arguments": {"using": "Acumen", "answering": "Acumen"},
}
AGAINST: Final = [{"arguments": {**OPPOSED["arguments"], "other": name}} for name in GUESSES]
TAKEN: Final = [*each(who=(*GUESSES, "Bell", None)), {"arguments": {"using": "Acumen", "secret": 2}}]
QUESTIONS: Final = ("{question}", *(f"{name}.action" for name in GUESSES))
CURVE: Final[Case] = {**CHECK, "along": "cmods", "values": [2], "seconds": 2.0}
ALONG: Final = ("wp", "skills.Tactics", "items.x", "zzz", "secret", "who", "raider.wp", "lookout.wp", "veil.names")
EDITS: Final = [{"name": name, "changes": {"wp": 1}} for name in GUESSES]
CASES: Final[Mapping[str, Sequence[Case]]] = {
    "GET ": [{}],
    "GET /seats": [{}],
    "GET /questions": [{}],
    "GET /actions": [{}, *each(who=("Ash", "Bell", *GUESSES))],
    "POST /choices": [*with_(CHECK, *TAKEN), *with_(OPPOSED, *AGAINST), *each(action=("zzz", "attack", "shoot"))],
    "POST /odds": [*with_({**CHECK, "seconds": 2.0}, *TAKEN), *with_(OPPOSED, *AGAINST)],
    "GET /odds": [{"question": key, "seconds": 2.0} for key in QUESTIONS],
    "POST /curves": [
        *with_(CURVE, *TAKEN, *each(along=ALONG)),
        *({**CURVE, **OPPOSED, **other, "along": "wp"} for other in AGAINST),
    ],
    "POST /forecast": [
        *with_({}, *each(changes=[[one] for one in ATTACKS]), *each(compare=[[one] for one in ATTACKS])),
        *each(encounter=GUESSES),
        {"changes": ["policy=cautious"], "compare": ["Ash.wp=3"], "encounter": "fight", "fights": 7},
    ],
    "GET /forecast": [{}],
    "DELETE /forecast": [{}],
    "GET /log": [{}, {"before": 3, "limit": 2}],
    "GET /notebook": [{}],
    "GET /undo": list(each(item=(0, 3, 999))),
    "GET /undo/requests": [{}],
    "GET /audit": [
        {},
        *each(by=GUESSES),
        *each(who=GUESSES),
        {"rule": "distemper.checks.dice-check"},
        {"start": 0, "limit": 5},
    ],
    "GET /rules": [{"search": "lookout"}, {"kind": "option"}],
    "GET /rules/{rule}": list(each(rule=("distemper.checks.dice-check", "lookout"))),
    "GET /export": [{}],
    "GET /invitations": [{}],
    "GET /drafts": [{}],
    "POST /drafts": [
        *each(character=("Ash", "Bell", *GUESSES)),
        *({"kind": "advancement", "character": name} for name in ("Ash", *GUESSES)),
        {"kind": "creation", "template": "lookout"},
        {"seat": "lookout"},
        {"answers": {"name": "lookout"}},
        {"answers": {"name": "lurker"}, "fill": True},
        {"fill": True},
    ],
    "GET /drafts/{draft}": list(each(draft=("{draft}", "lookout"))),
    "POST /drafts/{draft}/answers": [
        *({"draft": "{draft}", "field": "name", "answer": name} for name in ("Ash", *GUESSES)),
        {"draft": "{draft}", "field": "lookout", "answer": 1, "part": "lurker"},
    ],
    "POST /drafts/{draft}/rolls": [{"draft": "{draft}", "field": name} for name in ("purse", *HIDDEN)],
    "POST /drafts/{draft}/fill": [
        {"draft": "{draft}"},
        *({"draft": "{draft}", "step": n, "template": n} for n in HIDDEN),
    ],
    "POST /drafts/{draft}/finish": [{"draft": "{draft}", "hidden": True}, {"draft": "{draft}"}],
    "POST /drafts/{draft}/reopen": [{"draft": "{draft}"}],
    "DELETE /drafts/{draft}": [{"draft": "{draft}"}],
    "POST /edits": EDITS,
    "POST /removals": list(each(name=GUESSES)),
    "POST /playing": list(each(encounter=GUESSES)),
    "POST /time": [{}],
    "POST /endings": list(each(encounter=GUESSES)),
    "POST /visibility": [{"name": name, "hidden": False} for name in GUESSES],
    "POST /exposure": [{"name": name, "shown": "sheet"} for name in GUESSES],
    "PATCH /house-rules": [
        {"options": {"lookout": True}, "set": {"lookout": {"wp": 1}}, "add": {"lookout": {"wp": [1]}}}
    ],
    "PATCH /settings": [
        {
            "undo": "own",
            "offer_after": 1,
            "turns": True,
            "throws": {"lookout": "do it"},
            "rulings": {"*": "ask"},
            "foes": "sheet",
            "players_pick": False,
            "invite_shown": True,
        }
    ],
    "PATCH ": [{"name": "lookout"}],
    "PATCH /seats/{seat}": [
        *({"seat": "{seat}", "controls": [name]} for name in GUESSES),
        {"seat": "{seat}", "role": "game master", "name": "lookout", "real_dice": False},
    ],
    "DELETE /seats/{seat}": [{"seat": "lookout"}],
    "POST /handover": [{"to": "{seat}", "character": name, "table": False} for name in GUESSES],
    "POST /invitations": [{"role": "player", "controls": [name], "uses": 1, "stays": False} for name in GUESSES],
    "DELETE /invitations/{invitation}": [{"invitation": "lookout"}],
    "POST /reveal-seed": [{}],
    "POST /forks": [{"item": 0, "name": "lookout"}],
    "PUT /portraits/{who}": [
        {"who": name, "file": "0" * 64, "left": 1, "top": 1, "share": 50} for name in ("Bell", *GUESSES)
    ],
    "POST /cancel": list(each(question=QUESTIONS)),
    "POST /answers": [{"question": key, "answer": name} for key in QUESTIONS for name in (*GUESSES, "no", 0)],
    "POST /standing-answers": [{"prompt": "lookout", "answer": "lurker"}],
    "POST /actions": [*with_(CHECK, *TAKEN), *with_(OPPOSED, *AGAINST)],
    "POST /rolls": [{"dice": ["2d6"], "hidden": True}, {"dice": ["2d6"]}],
    "POST /notes": [{"text": "hello", "to": [name]} for name in GUESSES]
    + [{"text": "x", "file": "0" * 64, "title": "y"}],
    "POST /notebook": [{"page": "p", "title": "lookout", "text": "x", "shared": True, "before": "lurker"}],
    "POST /undo": list(each(item=(0, 999))),
    "POST /undo/requests": list(each(item=(0, 999))),
    "DELETE /undo/requests/{seat}": list(each(seat=("{seat}", "lookout"))),
    "POST /redo": [{}],
    "POST /stop": [{}],
    "POST /resume": [{}],
}
MORE: Final[Mapping[str, Mapping[str, Sequence[Case]]]] = {
    "coin": {
        "GET ": [{}],
        "GET /actions": list(each(who=("Ana", "Bo", "Cy"))),
        "POST /choices": [{"action": "bluff", "who": "Ana", "arguments": {"against": name}} for name in ("Bo", "Cy")],
        "POST /odds": [
            *({"action": "toss", "who": name, "arguments": {"bet": bet}} for name in ("Ana", "Bo") for bet in (1, 9)),
            *({"action": "bluff", "who": "Ana", "arguments": {"against": name}} for name in ("Bo", "Cy", "Di")),
            {"action": "sleight", "who": "Ana"},
        ],
        "POST /curves": [
            {"action": "toss", "who": "Ana", "arguments": {"bet": 1}, "along": along, "values": [0, 3]}
            for along in ("bet", "purse", "mark", "nerve", "nerve.x", "purse.x", "against", "zzz")
        ],
    },
    "guild": {
        "GET /drafts": [{}],
        "POST /drafts": [{"kind": "advancement", "character": name} for name in ("Mara", "Odo", "Tam", "nobody")],
        "POST /drafts/{draft}/answers": [
            *({"draft": "{draft}", "field": "name", "answer": name} for name in ("Mara", "Odo", "Tam")),
            {"draft": "{draft}", "field": "traits", "answer": 2, "part": "Brawn"},
        ],
        "POST /drafts/{draft}/rolls": [{"draft": "{draft}", "field": "purse"}],
        "POST /drafts/{draft}/fill": [
            *({"draft": "{draft}", "template": name} for name in ("Journeyman", "Tam")),
            {"draft": "{draft}", "step": "traits"},
            {"draft": "{draft}"},
        ],
        "POST /drafts/{draft}/finish": [{"draft": "{draft}"}],
        "DELETE /drafts/{draft}": [{"draft": "{draft}"}],
    },
}
"""What other games have: fields that nobody or only their owner sees, and drafts with everything."""
TRIED: Final = [*(("road", each_) for each_ in CASES), *((stage, each_) for stage in MORE for each_ in MORE[stage])]


# --- the schema -------------------------------------------------------------------------------------------------------


def operations() -> dict[str, dict[str, str]]:
    """Every way to ask for something at a table: its arguments, and where each is sent."""
    schema = make_app(cast(Hub, None)).openapi()
    found: dict[str, dict[str, str]] = {}
    for path, methods in schema["paths"].items():
        if path.startswith(START):
            for method, operation in methods.items():
                given = {one["name"]: one["in"] for one in operation.get("parameters", ())}
                for body in operation.get("requestBody", {}).get("content", {}).values():
                    kind = schema["components"]["schemas"].get(body["schema"].get("$ref", "").rpartition("/")[2], {})
                    given |= dict.fromkeys(kind.get("properties", ()), "body")
                kept = {name: place for name, place in given.items() if name not in EVERYWHERE}
                found[f"{method.upper()} {path.removeprefix(START)}"] = kept
    return found


OPERATIONS: Final = operations()


def test_everything_that_can_be_asked_at_a_table_is_tried_or_left_out() -> None:
    assert OPERATIONS.keys() == CASES.keys() | LEFT_OUT.keys()


@pytest.mark.parametrize("operation", CASES)
def test_every_argument_is_tried(operation: str) -> None:
    tried = {name for case in CASES[operation] for name in case}
    assert OPERATIONS[operation].keys() == tried


# --- two worlds -------------------------------------------------------------------------------------------------------


class World(NamedTuple):
    """A table with secrets: its game master, and a player by program and by browser."""

    mo: SeatClient
    anna: SeatClient
    browser: Visitor
    drafts: list[str]

    def ask(self, operation: str, case: Case) -> str:
        """What the player is answered, with what is named by chance called the same in every world."""
        method, _, path = operation.partition(" ")
        places: dict[str, dict[str, Plain]] = defaultdict(dict)
        for name, value in case.items():
            places[OPERATIONS[operation][name]][name] = self._filled(value)
        sent: dict[str, Any] = {"params": places["query"]} if places["query"] else {}
        if method in ("POST", "PATCH", "PUT"):
            sent["json"] = places["body"]
        where = START.format(campaign=self.anna.campaign) + path.format(**places["path"])
        token = {"Authorization": f"Bearer {self.anna.token}"}
        found = self.anna.http.request(method, where, headers=token, **sent)
        if operation == "POST /drafts" and found.is_success:
            self.drafts.append(found.json()["draft"])
        return f"{found.status_code} {self._alike(found.text)}"

    def page(self, page: str, fields: Case) -> str:
        """The page that the player gets, asked for or for a form; wherever its address has a name, they guess."""
        method, _, path = page.partition(" ")
        name = next(iter(fields.values()), "Ash")
        for part in ("{draft}", "{seat}"):
            path = path.replace(part, str(self._filled(part)))
        path = re.sub(r"\{[\w:]+\}", str(self._filled(name)), path)
        sent = {key: self._filled(value) for key, value in fields.items()}
        origin = {"Origin": str(self.browser.http.base_url)}
        given: dict[str, Any] = {"params": sent} if method == "GET" else {"data": sent, "headers": origin}
        found = self.browser.http.request(method, f"{self.browser.table}{path}", **given)
        return f"{found.status_code} {self._alike(html.unescape(found.text))}"

    def _filled(self, value: Plain) -> Plain:
        known = {"{seat}": self.anna.seat, "{draft}": self.drafts[-1]}
        if value == "{question}":
            return self.question
        return known.get(value, value) if isinstance(value, str) else value

    @property
    def question(self) -> str:
        """The key of the first question that is open for the player."""
        found = self.anna.questions().questions
        return found[0].key if found else "none"

    def _alike(self, text: str) -> str:
        for chance, name in (
            (self.anna.campaign, "CAMPAIGN"),
            (self.anna.seat, "ANNA"),
            (self.mo.seat, "MO"),
            *((draft, f"DRAFT{at}") for at, draft in enumerate(self.drafts) if draft),
        ):
            text = text.replace(chance, name)
        return re.sub(DIFFERENT, "", text)


class Planned:
    """A forecast that is not begun: it says what its processes would be handed."""

    is_done, has_begun, is_cut_short, played, fights = True, True, False, 0, 0

    def __init__(self, plans: Sequence[EncounterPlan], fights: int, **_: Any) -> None:
        self.plans = plans
        for plan in plans:
            plan.prepared()
        packed = [pack(replace(plan, changes=()), registry.load(plan.system)) for plan in plans]
        assert not [name for name in HIDDEN for known in packed if name.encode() in known]
        self.problem = RefereeError(" ".join(known.hex() for known in packed))

    def found(self) -> None:
        return None

    def stop(self) -> None:
        """There is nothing to end."""


def seated(running: Running, client: Client, system: str, scene: dict[str, Plain], plays: str) -> World:
    mo = client.create("The road", system, master="Mo", scene=scene)
    mo.settings(turns=False)
    anna = client.join(mo.invite(controls=[plays]).code, "Anna")
    draft = anna.begin_draft() if system != "coin" else ""
    return World(mo, anna, Visitor(running.address, mo.campaign, str(anna.token)), [draft])


def in_hiding(running: Running, world: World, name: str, kind: str, **sheet: Plain) -> None:
    command = DeskCommand(master_desk.add, name, {"kind": kind, **sheet}, hidden=True)
    running.hub.act(world.mo.campaign, world.mo.seat, command)


def road(running: Running, client: Client, world: int) -> World:
    """Somebody in hiding differs, and so does what is not shown of the raider; in one world there is one more.

    A question is open whose odds depend on a modifier that the game master keeps secret.
    """
    sample = client.sample("distemper", "roadblock").scene
    fight = sample.pop("fight")
    sample["lookout"] |= {"wp": (3, 7)[world], "skills": ({}, {"Tactics": 3})[world]}
    sample["raider"] |= {"wp": (5, 6)[world], "skills": ({"Tactics": 1}, {"Melee Combat": 4})[world]}
    found = seated(running, client, "distemper", sample, "Ash")
    found.mo.hide("lookout")
    found.mo.expose("raider", "state")
    if world:
        in_hiding(running, found, "lurker", "Character", player=False)
    found.mo.do("/edits", name="fight", changes=fight)
    found.mo.act("check", "Ash", using="Reason", secret=(-2, 3)[world])
    return found


def coin(running: Running, client: Client, world: int) -> World:
    """What Bo marked, and nerves that only the game master knows of; in one world there is somebody more."""
    scene = {"Ana": {"nerve": world}, "Bo": {"mark": ("", "heads")[world], "nerve": 4 * world}, "Di": {}}
    found = seated(running, client, "coin", scene, "Ana")
    if world:
        in_hiding(running, found, "Cy", "Gambler")
    return found


def guild(running: Running, client: Client, world: int) -> World:
    """What Odo keeps to himself; in one world there is somebody in hiding whose name may be wanted."""
    scene = {"Mara": {"xp": 12}, "Odo": {"secret": ("", "a debt")[world]}}
    found = seated(running, client, "guild", scene, "Mara")
    if world:
        in_hiding(running, found, "Tam", "Adept")
    return found


STAGES: Final = {"road": road, "coin": coin, "guild": guild}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with the same dice everywhere, the systems of the tests, and forecasts that are only planned."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in (HERE / "sixth", HERE / "table" / "systems"):
            patch.syspath_prepend(str(folder))
        registry.load.cache_clear()
        patch.setattr(SeededDice, "fresh", lambda: SeededDice(b"two worlds"))
        patch.setattr(draft_desk, "SystemRandom", lambda: Random(1))
        patch.setattr(forecasts, "Forecasting", Planned)
        found = Running(tmp_path_factory.mktemp("worlds"))
        yield found
        found.stop()


@contextmanager
def pairs(served: Running) -> Iterator[Callable[[str], list[World]]]:
    """Two worlds of a stage, the same ones whenever they are asked for."""
    with Client(served.address) as client, ExitStack() as open_browsers:

        def pair(stage: str) -> list[World]:
            found = [STAGES[stage](served, client, world) for world in (0, 1)]
            for world in found:
                open_browsers.callback(world.browser.http.close)
            return found

        yield cache(pair)


@pytest.fixture(scope="module")
def looked_at(served: Running) -> Iterator[Callable[[str], list[World]]]:
    """For whatever changes nothing."""
    with pairs(served) as found:
        yield found


@pytest.fixture
def played_in(served: Running) -> Iterator[Callable[[str], list[World]]]:
    """New ones for each test."""
    with pairs(served) as found:
        yield found


DIFFERENT: Final = re.compile(
    r"\b1[789]\d{8}(\.\d+)?\b|\d{4}-\d\d-\d\d[T ][\d:+.]+|\b\d\d:\d\d\b"  # times
    r"|\bseen=\w{16}|\(error \w{8}\)"  # a digest of a page with its address; a number that the server's log has
)
READING: Final = ("GET ", "POST /choices", "POST /odds", "POST /curves", "POST /forecast", "DELETE /forecast")


@pytest.mark.parametrize(("stage", "operation"), TRIED)
def test_a_player_is_answered_alike_in_both_worlds(
    stage: str,
    operation: str,
    looked_at: Callable[[str], list[World]],
    played_in: Callable[[str], list[World]],
) -> None:
    worlds = (looked_at if operation.startswith(READING) else played_in)(stage)
    for case in MORE[stage][operation] if stage in MORE else CASES[operation]:
        here, there = (world.ask(operation, case) for world in worlds)
        assert here == there, case
        assert not here.startswith("5"), case


def test_a_question_is_open_that_a_secret_modifier_counts_for(looked_at: Callable[[str], list[World]]) -> None:
    """Otherwise its odds would prove nothing."""
    cards = [world.mo.odds_at(world.question).asked["no"]["bands"] for world in looked_at("road")]
    assert cards[0] != cards[1]


# --- in a browser -----------------------------------------------------------------------------------------------------

TABLE: Final = "/table/{campaign}"
ENDLESS: Final = {"GET /live"}
ALSO: Final[Mapping[str, Sequence[Case]]] = {
    "GET /odds": [
        {**CHECK["arguments"], "who": "Ash", "action": "check", "along": along} for along in ("wp", "items.x", "secret")
    ],
    "GET /ask": [{"question": "{question}"}],
    "POST /encounter-forecast": [*({"changes": one} for one in ATTACKS), *({"compare": one} for one in ATTACKS)],
    "POST /beside": [{"who": "Ash", "action": "opposed-check", "other": name, "using": "Acumen"} for name in GUESSES],
    "POST /pick": [{"who": "Ash", "action": "opposed-check", "other": name} for name in GUESSES],
    "POST /forecast": [{"who": "Ash", "action": "opposed-check", "other": name} for name in GUESSES],
    "POST /things/handle": [
        *({"who": "Ash", "thing": "rifle", "way": "give", "to": name} for name in GUESSES),
        *({"who": "Ash", "owner": name, "thing": "knife", "way": "take"} for name in GUESSES),
        *({"who": "Ash", "owner": name, "all": "yes", "way": "take"} for name in GUESSES),
        *({"who": name, "thing": "knife", "put": "dropped"} for name in GUESSES),
    ],
    "POST /things/get": [{"who": name, "key": "rifle"} for name in GUESSES],
    "POST /things/buy": [{"who": name, "key": "rifle"} for name in ("Ash", *GUESSES)],
    "POST /act": [{"who": "Ash", "action": "opposed-check", "other": name, "using": "Acumen"} for name in GUESSES],
}
"""What forms send, besides a name in each of their fields."""


def pages(routes: Iterable[Any]) -> Iterator[str]:
    """Every page and form of a table."""
    for route in routes:
        inner = getattr(route, "original_router", route)
        if hasattr(inner, "routes"):
            yield from pages(inner.routes)
        elif route.path.startswith(TABLE):
            yield from (f"{method} {route.path.removeprefix(TABLE)}" for method in route.methods - {"HEAD"})


PAGES: Final = sorted({*pages(make_app(cast(Hub, None)).routes)} - ENDLESS)


def fields() -> list[str]:
    """Every field that a form or an address of ours may have."""
    text = "".join(path.read_text("utf-8") for path in Path(forecasts.__file__).parent.rglob("pages/**/*.py"))
    return sorted(set(re.findall(r'\.(?:one|all|maybe)\("([\w-]+)"', text)))


FIELDS: Final = fields()


def test_pages_and_fields_are_found() -> None:
    assert {"GET ", "GET /odds", "POST /act", "POST /encounter-forecast", "GET /sheet/{who}"} <= set(PAGES)
    assert {"who", "name", "action", "question", "along", "changes", "compare", "encounter"} <= set(FIELDS)
    assert set(ALSO) <= set(PAGES)


def check_pages(page: str, worlds: list[World]) -> None:
    for case in [{}, *(dict.fromkeys(FIELDS, name) for name in GUESSES), *ALSO.get(page, ())]:
        here, there = (world.page(page, case) for world in worlds)
        assert here == there, (page, case)
        assert not here.startswith("5"), (page, case)


@pytest.mark.parametrize("page", [each_ for each_ in PAGES if each_.startswith("GET")])
def test_a_player_sees_the_same_pages_in_both_worlds(page: str, looked_at: Callable[[str], list[World]]) -> None:
    check_pages(page, looked_at("road"))


@pytest.mark.parametrize("page", [each_ for each_ in ALSO if each_.startswith("POST")])
def test_forms_that_compute_come_to_the_same_in_both_worlds(page: str, played_in: Callable[[str], list[World]]) -> None:
    """Other forms become commands, as what programs send does."""
    check_pages(page, played_in("road"))
