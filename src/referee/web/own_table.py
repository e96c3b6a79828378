"""A table of one's own, walked through page by page as its game master: for `conform`, and for any system.

A real server on this machine serves the pages; a browser without scripts opens them and sends their forms as they
stand. What cannot be done that way, or leaves the table in a state that its rules refuse, is a problem.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final
from urllib.parse import urlencode, urlsplit

from referee.core.actions import ActionChoice
from referee.core.drafts import NAME
from referee.core.encounter import Encounter, stands
from referee.core.errors import RefereeError
from referee.core.files import Place, line_at, load_all_yaml
from referee.core.look import FILE as LOOK
from referee.core.plain import Plain
from referee.core.questions import Choose
from referee.core.rulebook import BOOK, Book
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.wording import class_words
from referee.drivers.stop import Stop
from referee.store.folders import DATABASE
from referee.store.sqlite import SQLiteStore
from referee.table import draft_desk
from referee.table.campaign import Campaign
from referee.table.desk import Desk
from referee.table.hub import Hub
from referee.testing.conform import Finding, Progress, said
from referee.web.demo import samples
from referee.web.pages.drafts.drafts import TEXT
from referee.web.pages.parts.board import kinds_of
from referee.web.pages.parts.starting import SIDE
from referee.web.plain_browser import Page, PageForm, PageRefused, PlainBrowser
from referee.web.server import Background
from referee.web.settings import ServerSettings
from referee.web.sign_in import COOKIE

OFTEN: Final = 1_000_000
"""A rate that no walk reaches."""
AT_RANDOM: Final = 3
"""So many characters are built by chance without a template."""
OURS, FOES = 2, 3
"""How many of either side stand in an encounter."""
CROWD: Final = 16
"""With so many people at a table, the next ones are added to another."""
NAMED: Final = f"{TEXT}{NAME.key}"
BROKEN: Final = 500
"""The statuses of a server that fails; below it, one that refuses."""
MOST_ANSWERS: Final = 40
"""So many answers may be given until somebody acts."""
NAMES: Final = ("Ana", "Bo", "Cy", "Di", "Eli")


@final
@dataclass
class OwnTable:
    """A table at a server of its own, as its game master sees it."""

    browser: PlainBrowser
    hub: Hub
    system: System
    campaign: str
    seat: str

    def read(self, look: Callable[[Campaign], Any]) -> Any:
        return self.hub.read(self.campaign, self.seat, lambda desk: look(desk.campaign))

    def open(self, rest: str = "", **query: str) -> Page:
        return self.browser.open(f"/table/{self.campaign}{rest}{'?' if query else ''}{urlencode(query)}")

    @property
    def people(self) -> list[str]:
        kind = self.system.sheet
        found: list[str] = self.read(
            lambda at: [name for name, each in at.journal.state.items() if isinstance(each, kind)]
        )
        return found

    @property
    def stuck(self) -> str:
        """Why the table cannot go on, if it cannot."""
        found: str = self.read(lambda at: at.stuck)
        return found

    def save_untouched(self, name: str) -> str:
        """Open somebody's sheet in the game master's form and save it at once; what is wrong with that."""
        before = self.read(lambda at: (at.journal.state, len(at.journal.lines)))
        (form,) = self.open("/master/person", name=name).to("/master/person")
        self.browser.send(form)
        after = self.read(lambda at: (at.journal.state, len(at.journal.lines)))
        if after[0] != before[0]:
            was, now = before[0][name], after[0][name]
            changed = [field for field in self.system.plain_value(now) if _differs(self.system, was, now, field)]
            return f"saved untouched, it changes {', '.join(changed)}"
        return "" if after[1] == before[1] else "saved untouched, it writes a line of the log"

    def add(self, key: str, count: int = 1) -> None:
        """Add somebody from the list of ready-made people, or copies of them."""
        (form,) = (each for each in self.open("/master/add").to("/master/add") if each.choices.get("count"))
        button = next(each for each in form.buttons if each.value == key)
        self.browser.send(form, {"count": str(count)}, button)


def _differs(system: System, was: Any, now: Any, field: str) -> bool:
    return bool(system.plain_value(was)[field] != system.plain_value(now)[field])


@final
@dataclass
class OwnServer:
    """A server for the length of a check, and the browser that visits it."""

    system: System
    hub: Hub
    browser: PlainBrowser
    faults: Faults

    def begin(self, sample: str = "", options: Mapping[str, Plain] | None = None) -> OwnTable:
        """Open a table from the start page: empty, with what the system says of new tables, or with a sample."""
        fields = [("system", self.system.name), ("name", "Own table"), ("master", "Mo")]
        fields += [("sample", sample)] if sample else []
        for option, chosen in (options or {}).items():
            fields.append(("option", option) if chosen is True else (f"choice-{option}", str(chosen)))
        page = self.browser.post("/tables", [*fields, ("chosen", "yes")] if options else fields)
        found = self.hub.seat_of(self.browser.cookies[COOKIE].rpartition(".")[2])
        if found is None:
            raise PageRefused(200, f"{page.address} is no table of one's own")
        return OwnTable(self.browser, self.hub, self.system, *found)

    def tried(self, walk: Callable[[], str]) -> str:
        """What came of part of a walk: its own problem, what a page refused, or what broke, and where."""
        self.faults.last = ""
        try:
            return walk()
        except PageRefused as why:
            return self.faults.last or str(why)
        except (RefereeError, LookupError, ValueError) as why:  # a page without the form that is looked for
            return f"{type(why).__name__}: {why}"


@final
class Faults(logging.Handler):
    """The last fault of the server: what was raised, and where."""

    def __init__(self, folder: Path) -> None:
        super().__init__(logging.ERROR)
        self.folder = folder
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.last = said(record.exc_info[1], self.folder)


@contextmanager
def own_server(system: System) -> Iterator[OwnServer]:
    faults = Faults(system.folder)
    log = logging.getLogger("referee.web")
    log.addHandler(faults)
    try:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            hub = Hub(SQLiteStore.open(Path(folder) / DATABASE))
            settings = ServerSettings(port=0, rate=OFTEN, log="none", odds_workers=0, demo=False, data=Path(folder))
            try:
                with Background(hub, settings) as server:
                    browser = PlainBrowser(server.settings.host, server.port)
                    try:
                        yield OwnServer(system, hub, browser, faults)
                    finally:
                        browser.close()
            finally:
                hub.close()
    finally:
        log.removeHandler(faults)


# --- sheets -----------------------------------------------------------------------------------------------------------


def sheets(system: System, stop: Stop, told: Progress) -> Finding:
    """Every sheet of every sample opens in the game master's form, and is saved from it unchanged."""
    found = {
        sample: [name for name, plain in scene.items() if issubclass(system.kind(plain["kind"]), system.sheet)]
        for sample, (_, scene) in samples(system.name).items()
    }
    count, of, problems = 0, sum(map(len, found.values())), list[str]()
    with own_server(system) as server:
        for sample, names in found.items():
            if not names or stop.is_past:
                continue
            file = system.folder / "samples" / f"{sample}.yaml"
            try:
                table = server.begin(sample)
            except PageRefused as why:
                problems.append(f"{file}: {server.faults.last or why}")
                continue
            for name in names:
                told("sheets", count, of)
                if stop.is_past:
                    break
                if problem := server.tried(partial(table.save_untouched, name)):
                    problems.append(f"{_line(file, ('sheets', name))}: {name}: {problem}")
                count += 1
    done = f"{count} of {of} opened and saved unchanged"
    return Finding("sheets", done, tuple(problems), complete=count == of)


# --- people -----------------------------------------------------------------------------------------------------------


def people(system: System, stop: Stop, told: Progress) -> Finding:
    """Everybody who can be added to an empty table is: by copy, at random, and built step by step."""
    with own_server(system) as server:
        walk = _Newcomers(server, server.begin())
        ways = list(walk.ways())
        for at, (what, way) in enumerate(ways):
            told("people", at, len(ways))
            if stop.is_past:
                break
            if problem := server.tried(way):
                walk.problems.append(f"{what}: {problem}")
            if len(walk.table.people) >= CROWD:  # a page with a crowd on it takes its time
                walk.table = server.begin()
    done = f"{walk.copied} added by copy, {walk.random} at random, {walk.built} built step by step"
    return Finding(
        "people", done, tuple(walk.problems), complete=sum((walk.copied, walk.random, walk.built)) == len(ways)
    )


@final
@dataclass
class _Newcomers:
    """Adds everybody who can be added to tables that start empty."""

    server: OwnServer
    table: OwnTable
    copied: int = 0
    random: int = 0
    built: int = 0
    problems: list[str] = field(default_factory=list)

    def ways(self) -> Iterator[tuple[str, Callable[[], str]]]:
        page = self.table.open("/master/add")
        for key in _ready(page):
            yield _of_sample(self.server.system, key), partial(self._copy, key)
        for form in page.to("/master/add/random"):
            templates = form.choices.get("template", [""])
            for template in (*[templates[0]] * (AT_RANDOM - 1), *templates):
                yield f"at random, like {template or 'anybody'}", partial(self._at_random, template)
            for template in templates:
                yield f"built step by step, like {template or 'nobody'}", partial(self._build, template)

    def _copy(self, key: str) -> str:
        self.copied += 1
        return self._added(lambda: self.table.add(key))

    def _at_random(self, template: str) -> str:
        self.random += 1
        (form,) = self.table.open("/master/add").to("/master/add/random")
        return self._added(lambda: self.server.browser.send(form, {"template": template}))

    def _build(self, template: str) -> str:
        self.built += 1
        return self._added(lambda: self._walk_draft(template))

    def _walk_draft(self, template: str) -> None:
        """Open every step of a draft, let chance answer it, write what only people can, and finish."""
        table, browser = self.table, self.server.browser
        (begin,) = table.open("/master/add").to("/drafts")
        draft = urlsplit(browser.send(begin, {"template": template}).address).path.rpartition("/")[2]
        here = f"/drafts/{draft}"
        steps: list[str] = table.read(
            lambda at: [each.key for each in draft_desk.form_of(Desk(at, table.seat), draft).laid_out]
        )
        for step in steps:
            page = table.open(here, step=step)
            for form in page.to(f"{here}/fill"):
                if not form.one("all"):
                    page = browser.send(form)
            for form in page.to(f"{here}/texts"):
                empty = {name: f"Builder {self.built}" for name, value in form.fields if name == NAMED and not value}
                page = browser.send(form, empty)
        page = table.open(here, step=steps[-1])
        if page.to("/fill"):  # else it is finished: the last step had a text
            for form in page.to("/fill"):
                if form.one("all"):
                    browser.send(form)
            browser.post(f"/table/{table.campaign}{here}/finish", [("step", steps[-1])])

    def _added(self, way: Callable[[], object]) -> str:
        """Add somebody; what is wrong with the table afterwards, or with whoever was added."""
        before = set(self.table.people)
        way()
        new = [each for each in self.table.people if each not in before]
        if len(new) != 1:
            return "nobody is added" if not new else f"{', '.join(new)} are added"
        return self.table.stuck or self.table.save_untouched(new[0])


def _ready(page: Page) -> list[str]:
    """Whom the page for adding people lists, by their samples and names."""
    found = [each.value for form in page.to("/master/add") for each in form.buttons if each.name == "copy"]
    return [each for each in found if not each.startswith("scene/")]


def _of_sample(system: System, key: str) -> str:
    """Where somebody of a sample is written, or the rule that prints them, and their name."""
    sample, _, name = key.partition("/")
    if sample not in samples(system.name):
        return f"{sample}: {name}"
    return f"{_line(system.folder / 'samples' / f'{sample}.yaml', ('sheets', name))}: {name}"


# --- encounters -------------------------------------------------------------------------------------------------------


def encounters(system: System, stop: Stop, told: Progress) -> Finding:
    """Every kind of encounter begins at a table opened empty, and is played until somebody has acted."""
    kinds, problems, count = tuple(kinds_of(system)), list[str](), 0
    with own_server(system) as server:
        for at, kind in enumerate(kinds):
            told("encounters", at, len(kinds))
            if stop.is_past:
                break
            if problem := server.tried(partial(_begin_and_play, server, kind)):
                problems.append(f"{_line(system.folder / LOOK, ('encounters', kind))}: {class_words(kind)}: {problem}")
            count += 1
    names = f": {', '.join(map(class_words, kinds[:count]))}" if count else ""
    done = f"{count} of {len(kinds)} kinds begun and played{names}" if kinds else "none declared"
    return Finding("encounters", done, tuple(problems), complete=count == len(kinds))


def _begin_and_play(server: OwnServer, kind: str) -> str:
    table = server.begin(options=_options_for(server.system, kind))
    _add_two_and_three(table, kind)
    forms = [each for each in table.open().to("/master/encounter") if each.one("kind") == kind]
    if not forms:
        return "the table page does not offer it"
    for name in forms[0].required:
        forms[0].set(name, "1")
    refused = _begin(server, forms[0])
    if refused and _begins_session(server, table):
        refused = _begin(server, forms[0])
    if refused:
        return refused
    return table.stuck or _play(server, table, kind)


def _begins_session(server: OwnServer, table: OwnTable) -> bool:
    """Begin a session, where the game has an action for it: some encounters need what it gives out."""
    session = server.system.look.session
    forms = [each for each in table.open().to("/act") if session and each.one("action") == session]
    for form in forms[:1]:
        server.browser.send(form)
    return bool(forms)


def _begin(server: OwnServer, form: PageForm) -> str:
    """Begin an encounter as its form stands; between two people, any two of those who are there. Why not, if not."""
    picked = {name: value for name, value in form.fields if name.startswith(SIDE)}
    ways = [picked]
    if sum(map(bool, picked.values())) == 2 < len(picked):
        pairs = ((one, other) for one in picked for other in picked if one != other)
        ways += [{**dict.fromkeys(picked, ""), one: "1", other: "2"} for one, other in pairs]
    refused = ""
    for way in ways:
        try:
            server.browser.send(form, way)
        except PageRefused as why:
            if why.status >= BROKEN:
                raise
            refused = refused or str(why)
        else:
            return ""
    return refused


def _options_for(system: System, kind: str) -> dict[str, Plain]:
    """The options of a new table, and what this kind of encounter depends on."""
    options: dict[str, Plain] = dict(system.new_table)
    places = kinds_of(system)[kind]
    needed = [places.option] if places.option else []
    if places.begins is not None:
        action = system.action(places.begins.action)
        needed += [action.rule.option] if action.rule.option else []
        for _ in range(len(system.printed_book.ids)):
            book = Book(system.printed_book, options=options)
            why = action.absence(Scene(State({BOOK.name: book})))
            if why is None or why.rule in options:
                break
            options[why.rule] = True
    for each in needed:
        option, _, choice = each.partition("=")
        options[option] = choice or True
    return {} if options == system.new_table else options


def _add_two_and_three(table: OwnTable, kind: str) -> None:
    """Two characters of players and three foes: ready-made, or built by chance, or with the sheet as it comes.

    Those of a sample with such an encounter come first, those of the rulebook last.
    """
    page, mine = table.open("/master/add"), table.system.look.mine
    known = samples(table.system.name)
    shown = [key for key, (_, scene) in known.items() if _has(scene, kind)]
    ready = sorted(_ready(page), key=lambda each: (of := each.partition("/")[0], of not in shown, of not in known)[1:])
    own = [each for each in ready if not mine or _is_own(table.system, each)]
    others = [each for each in ready if each not in own] or own[OURS:] or own
    if ready:
        for key in (own or others)[:OURS]:
            table.add(key)
        table.add(others[0], FOES)
    random = page.to("/master/add/random")
    for name in NAMES[len(table.people) :]:
        if random:
            table.browser.send(random[0])
            continue
        (form,) = table.open("/master/person").to("/master/person")
        table.browser.send(form, {"name": name})


def _has(scene: Plain, kind: str) -> bool:
    return any(each.get("kind") == kind for each in scene.values())


def _is_own(system: System, key: str) -> bool:
    sample, _, name = key.partition("/")
    return sample in (known := samples(system.name)) and bool(known[sample][1][name].get(system.look.mine))


def _play(server: OwnServer, table: OwnTable, kind: str) -> str:
    """Answer what is asked, each time by a question's next button, until somebody has acted; else what is wrong."""
    has_begun, decided, pressed = False, 0, Counter[str]()
    for _ in range(MOST_ANSWERS):
        page = table.open()
        goes_on = table.read(lambda at: _goes_on(at, kind))
        has_begun = has_begun or goes_on
        if table.stuck:
            return table.stuck
        if has_begun and not goes_on:
            return "" if decided else "it is over before anybody has acted"
        asked = next((each for each in page.to("/answer") if each.buttons), None)
        if asked is None:
            return _act(server, table) if has_begun else "it does not begin"
        key = asked.one("question")
        weight, prompt = table.read(partial(_weight, seat=table.seat, key=key)), key.rpartition(".")[2]
        server.browser.send(asked, button=asked.buttons[pressed[prompt] % len(asked.buttons)])
        pressed[prompt] += 1
        if weight == ACTS:
            return table.stuck
        decided += weight
    return "" if has_begun and decided else f"nobody has acted after {MOST_ANSWERS} answers"


def _goes_on(campaign: Campaign, kind: str) -> bool:
    """Whether an encounter of a kind stands in the scene."""
    scene = campaign.journal.scene
    found = ((name, each) for name, each in campaign.journal.state.items() if type(each).__name__ == kind)
    return any(not isinstance(each, Encounter) or stands(scene, name) for name, each in found)


ACTS: Final = 2


def _weight(campaign: Campaign, seat: str, key: str) -> int:
    """What an answer to a question is: an action, another decision of somebody, or neither (an offer, dice)."""
    question, look = campaign.questions(seat)[key].question, campaign.system.look
    if not isinstance(question, Choose) or question.who is None or question.name in (*look.standing, *look.ahead):
        return 0
    if any(isinstance(each, ActionChoice) for each in question.legal):
        return ACTS
    return int(not all(isinstance(each, bool) for each in question.legal))


def _act(server: OwnServer, table: OwnTable) -> str:
    """Send the first action of a page that is not refused, for whoever may act."""
    refused = ""
    for who in table.people:
        for form in table.open(**{"as": who}).to("/act"):
            if form.one("who") != who:
                continue
            try:
                server.browser.send(form)
            except PageRefused as why:
                if why.status >= BROKEN:
                    raise
                refused = refused or f"{who}, {form.one('action')}: {why}"
            else:
                return table.stuck
    return f"nobody can act: {refused}" if refused else "nobody is asked, and nobody can act"


def _line(file: Path, place: Place) -> str:
    """A file and the line of a place in it."""
    if not file.exists():
        return file.name
    node = load_all_yaml(file.read_text(encoding="utf-8"))[0][1]
    return f"{file}:{line_at(node, place)}"


OWN_TABLE: Final = (sheets, people, encounters)
"""What `conform` walks through at a table of one's own."""
