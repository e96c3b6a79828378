"""Playing the steps of a scenario: an action, any rule by its id, a look-up, an edit, an encounter, a creation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, final

from referee.core.actions import Action
from referee.core.agenda import next_of
from referee.core.arrivals import piles_leaving, piles_with
from referee.core.cards import check_each_card_once
from referee.core.clock import PASSING
from referee.core.draft_form import DraftForm, write_price
from referee.core.drafts import Draft
from referee.core.encounter import Encounter, ending
from referee.core.errors import BadInput, Refused, RulebookError
from referee.core.plain import Plain, unknown, write
from referee.core.questions import Question
from referee.core.rulebook import BOOK, DECLARED, RowsOf, declared
from referee.core.rules import FORMULAS, RULES, Call, Formula, Rule
from referee.core.run import Changed, Event, Run
from referee.core.scene import Scene, State, Who
from referee.core.system import System, check_step
from referee.core.trace import Citation, running
from referee.core.value_changes import in_words, value_changes
from referee.core.wording import phrase
from referee.drivers.exact import Exact
from referee.drivers.policies import Decisions
from referee.drivers.scripted import NoAnswer, Script, answer_in
from referee.testing import expectations
from referee.testing.expectations import (
    ANYTHING,
    COUNTED,
    NAMED,
    NO_BANDS,
    TRUTH,
    Difference,
    Form,
    Happened,
    Misplaced,
    Where,
    check_known,
)
from referee.testing.fights import fight_of, is_short
from referee.testing.pools import compare_pools, stops_at
from referee.testing.question_odds import compare_question_odds
from referee.testing.recordings import Recording
from referee.testing.seats import SEEN, compare_seen
from referee.testing.until import Until, until_of

VERBS: Final = ("action", "rule", "table", "edit", "run", "create", "grow")
STEP: Final[dict[str, Form]] = {
    **dict.fromkeys((*VERBS, "who", "row", "refused", "note", "until", "seen_by"), ANYTHING),
    "secret": TRUTH,
    **dict.fromkeys(("edit", "with", "answers", "policy", "expect"), NAMED),
    **dict.fromkeys(("at", "at_most"), COUNTED),
}
LOOK_UP: Final[dict[str, Form]] = {**STEP, "expect": ANYTHING}
"""A row may be a plain value."""
MOST_STEPS: Final = 1000
BEFORE: Final = {"odds", "actions", "dice"}
"""What can be expected of a step without playing it."""
LOOK: Final = "look"
"""A step that does nothing, and looks at what is there."""

Runnable: TypeAlias = Rule[..., Any] | Formula[..., Any]


@final
@dataclass
class OpenStep:
    """A step in progress; one of an encounter may wait for the answer to a question."""

    run: Run[Any]
    call: Call[Any]
    began: State
    answers: list[Plain]
    """What was answered so far."""
    encounter: Who[Any] | None = None
    waits_at: Question[Any] | None = None
    told: int = 0
    """How many of its events are told already."""
    barred: int = 0
    """How many of the choices that no one was asked are known already."""

    @property
    def question(self) -> Question[Any]:
        return self.run.asking[self.run.open[0]]

    @property
    def asks(self) -> str:
        return f"{self.question.who or 'game master'}.{self.question.name}"


@final
@dataclass
class ScenarioStage:
    """A scene on which steps are played one after another."""

    system: System
    state: State
    story: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """What the file calls otherwise than the rules do, with the names under which they look for it."""
    result: Plain = None
    """What the last step came to."""
    waiting: OpenStep | None = None
    """The step that was played up to a question."""
    recordings: list[Recording] = field(default_factory=list)
    """What was played so far, for what seats were sent."""

    def step(self, step: Plain, where: Where) -> list[Difference]:
        """Play one step; returns where it differs from what it expects."""
        check_known(step, LOOK_UP if isinstance(step, Mapping) and "table" in step else STEP, where)
        verbs = [verb for verb in VERBS if verb in step]
        if not verbs and ("expect" in step or "seen_by" in step):
            verbs = [LOOK]
        if len(verbs) != 1:
            raise Misplaced(where, f"must be one of {', '.join(VERBS)}, or nothing but what to `expect`")
        step = _for_seats(self._in_place(step), verbs[0], where)
        if verbs[0] != "table":
            expectations.check_known(step.get("expect") or {}, expectations.EXPECT, (*where, "expect"))
        refusal = self._refusal(step, where)
        before = self.state, self.waiting, len(self.recordings)
        try:
            happened = self._play(verbs[0], step)
        except Refused as why:
            self._back_to(*before)
            self.story.append(f"  refused: {why}")
            if refusal is None:
                return [Difference(where, f"refused: {expectations.suggesting(why)}")]
            return [*expectations.compare_refusal(refusal, why, (*where, "refused")), *self._expected(step, where)]
        except Exception:
            self._back_to(*before)
            raise
        self.result = happened.result
        return list(self._compared(step, verbs[0], happened, where))

    def _back_to(self, state: State, waiting: OpenStep | None, recorded: int) -> None:
        """A step that cannot be played leaves everything as it was; one that was open is withdrawn if it went on."""
        has_gone_on = waiting is not None and self.waiting is not waiting
        self.state = waiting.began if waiting is not None and has_gone_on else state
        self.waiting = None if has_gone_on else waiting
        del self.recordings[recorded:]

    def _refusal(self, step: Plain, where: Where) -> dict[str, Plain] | None:
        """How a step must be refused, or None if it must not."""
        if "refused" not in step:
            return None
        return expectations.expected_refusal(step["refused"], self.system.name, (*where, "refused"))

    def _expected(self, step: Plain, where: Where, happened: Happened | None = None) -> Iterator[Difference]:
        """Where a step differs from all that it expects."""
        expect, here, came = step.get("expect") or {}, (*where, "expect"), happened or Happened()
        yield from expectations.compare_all(expect, came, self.system, self.state, here)
        try:
            if expect.get("dice") is not None:
                yield from compare_pools(expect["dice"], came.asked, (*here, "dice"))
            if expect.get("questions") and len(expect["questions"]) == len(came.asked):
                yield from compare_question_odds(expect["questions"], came.recording, self.system, (*here, "questions"))
            if expect.get("seen_by"):
                played = self.recordings if came.recording is None else [came.recording]
                yield from compare_seen(expect["seen_by"], played, self.system, self.state, (*here, "seen_by"))
        except Misplaced as problem:
            yield Difference(problem.path, problem.problem)

    def _in_place(self, step: Plain) -> Plain:
        """A step with what is in the scene under the names that the rules look for."""
        for name, plain in (step.get("edit") or {}).items():
            if isinstance(plain, Mapping) and (place := self.system.place_of(str(plain.get("kind")), name)) != name:
                self.places[name] = place
        if not self.places:
            return step
        found = {**step, "run": self.places.get(step["run"], step["run"])} if "run" in step else dict(step)
        if step.get("edit"):
            found["edit"] = {self.places.get(name, name): each for name, each in step["edit"].items()}
        if (expect := step.get("expect")) and isinstance(expect, Mapping) and isinstance(expect.get("sheets"), Mapping):
            sheets = {self.places.get(name, name): each for name, each in expect["sheets"].items()}
            found["expect"] = {**expect, "sheets": sheets}
        return found

    def _compared(self, step: Plain, verb: str, happened: Happened, where: Where) -> Iterator[Difference]:
        if (refusal := self._refusal(step, where)) is not None:
            rest = phrase({name: each for name, each in refusal.items() if name != "rule"})
            by = f" by {refusal['rule']}" if "rule" in refusal else " by any rule" if not refusal else ""
            of = f"{by}{f' ({rest})' if len(refusal) > ('rule' in refusal) else ''}"
            came = "" if happened.result is None else f", and came to {phrase(happened.result, whole=True)}"
            yield Difference((*where, "refused"), f"a refusal{of} expected, but it was legal{came}")
        expect = step.get("expect")
        if verb == "table":
            yield from expectations.compare(expect, happened.result, (*where, "expect"))
        elif expect is not None:
            yield from self._expected(step, where, happened)

    def _play(self, verb: str, step: Plain) -> Happened:
        if self.waiting is not None and verb not in ("run", LOOK):
            go_on = f"go on with `run: {self.waiting.encounter}`"
            raise BadInput("", f"{self.waiting.asks} waits for its answer: {go_on} and answer it there")
        if "until" in step and verb != "run":
            raise BadInput("until", "is for `run`, which plays an encounter")
        match verb:
            case _ if verb == LOOK:
                Script(step.get("answers")).check_used_up()
                return Happened(asked=[self.waiting.question] if self.waiting else [])
            case "table":
                Script(step.get("answers")).check_used_up()
                return Happened(self._looked_up(step))
            case "edit":
                Script(step.get("answers")).check_used_up()
                return self._edited(step["edit"] or {})
            case "run":
                return self._run(step)
            case "create":
                return self._created(step)
            case "grow":
                Script(step.get("answers")).check_used_up()
                return self._grown(step)
            case "action":
                action = self.system.action(str(step["action"]))
                actor = {} if action.master else {next(iter(action.rule.parameters)): step.get("who")}
                return self._ruled(action.rule, {**actor, **(step.get("with") or {})}, step, action)
            case _:
                runnable = self._runnable(str(step["rule"]))
                who = {next(iter(runnable.parameters)): step["who"]} if "who" in step else {}
                return self._ruled(runnable, {**who, **(step.get("with") or {})}, step)

    def _runnable(self, id_: str) -> Runnable:
        found = RULES.get(id_) or FORMULAS.get(id_)
        if found is None:
            raise BadInput(
                "rule", unknown(id_, tuple(e for e in {**RULES, **FORMULAS} if e.startswith(self.system.name)))
            )
        return found

    def _ruled(self, runnable: Runnable, given: Plain, step: Plain, action: Action[Any] | None = None) -> Happened:
        """Run a rule or compute a formula, with its odds if the step expects them."""
        scene = Scene(self.state)
        self.story.append(f"{runnable.id} {phrase(given)}")
        arguments = runnable.arguments(given, scene) if action is None else action.arguments(scene, given)
        for absent in (value for value in arguments if isinstance(value, Who) and value not in scene):
            people = tuple(each.name for each in scene.all(absent.kind))
            raise BadInput("", f"{absent} is not in the scene: {unknown(absent.name, people)}")
        if isinstance(runnable, Formula):
            Script(step.get("answers")).check_used_up()
            value = runnable(scene, *arguments)
            return Happened(write(value), value)
        call: Call[Any] = runnable(*arguments)
        bands = runnable.bands if action is None else action.bands
        by, secret = str(step.get("who") or "game master"), bool(step.get("secret"))
        happened = Happened(bands=bands or NO_BANDS, recording=self._recorded(Recording(self.state, by, secret)))
        expect = step.get("expect") or {}
        if "odds" in expect:
            decisions = Decisions({str(name): answer for name, answer in (step.get("policy") or {}).items()})
            happened.odds = Exact(decisions).of(call, self.state)
            try:
                decisions.check(runnable.prompts)
            except BadInput as problem:
                raise problem.within("policy") from None
        if "answers" in step or "dice" in expect or not expect or not set(expect) <= BEFORE:
            script = Script(step.get("answers"))
            try:
                happened.value = self._drive(call, script, happened)
            except NoAnswer as why:
                if not stops_at(expect.get("dice"), why.question) or not set(expect) <= {*BEFORE, "questions"}:
                    raise
                script.check_used_up(happened.not_asked)
                return happened
            happened.result = write(happened.value)
            self._let_time_pass(script, happened)
            script.check_used_up(happened.not_asked)
            self.story.append(f"  = {phrase(happened.result)}")
        return happened

    def _recorded(self, recording: Recording) -> Recording:
        self.recordings.append(recording)
        return recording

    def _drive(self, call: Call[Any], script: Script, happened: Happened) -> Any:
        """Play a step to its end."""
        opened = OpenStep(Run(Scene(self.state), call), call, self.state, happened.begins(call))
        self._go_on(opened, script, happened)
        return opened.run.result

    def _go_on(self, opened: OpenStep, script: Script, happened: Happened, until: Until | None = None) -> None:
        """Play a step to its end, or up to a question at which it then waits."""
        run = opened.run
        self.waiting = None
        try:
            while not run.done:
                question = opened.question
                happened.asked.append(question)
                if until is not None and until.is_asked(question) and question is not opened.waits_at:
                    opened.waits_at, self.waiting = question, opened
                    break
                given = answer_in(run, script, question, run.scene)
                opened.answers.append(question.write(given))
                self.story.append(f"  {question} -> {phrase(opened.answers[-1], whole=True)}")
                run.answer(given, run.open[0])
        except BaseException as why:
            happened.asked += [run.asking[part] for part in run.open[1:] if isinstance(why, NoAnswer)]
            run.close()
            raise
        finally:
            happened.not_asked += run.not_asked[opened.barred :]
            opened.barred = len(run.not_asked)
        happened.events += run.events[opened.told :]
        self.story += (f"  {_line(event)}" for event in run.events[opened.told :])
        opened.told = len(run.events)
        self.state = run.scene.state
        if run.done:
            happened.steps += 1
            check_step(opened.call, opened.began, self.state)

    def _let_time_pass(self, script: Script, happened: Happened) -> None:
        """Play the deadlines that are due, and those that passing time reaches."""
        while (following := next_of(Scene(self.state), PASSING)) is not None:
            self._drive(following.call, script, happened)

    def _run(self, step: Plain) -> Happened:
        """Play an encounter until it is over, for `at_most` steps, or until something has come."""
        script, scene = Script(step.get("answers")), Scene(self.state)
        who = scene.who(str(step["run"]))
        if not isinstance(scene[who], Encounter):
            raise BadInput(who.name, "is not an encounter that plays by itself; people act by `action`")
        until = until_of(step["until"], scene, who, self.system.name) if step.get("until") is not None else None
        happened = Happened(recording=self.recordings[-1] if self.waiting else self._recorded(Recording(self.state)))
        if self.waiting is not None:
            self._go_on(self.waiting, script, happened, until)
        while self.waiting is None and happened.steps < step.get("at_most", MOST_STEPS):
            scene = Scene(self.state)
            following = next_of(scene, who)
            if following is None or (until is not None and until.has_come(scene, who)):
                break
            call = following.call
            opened = OpenStep(Run(scene, call), call, self.state, happened.begins(call), who)
            self._go_on(opened, script, happened, until)
        scene = Scene(self.state)
        if until is not None and self.waiting is None and not until.has_come(scene, who):
            raise BadInput("until", _not_reached(until, ending(scene, who), happened))
        happened.result = write(ending(scene, who))
        script.check_used_up(happened.not_asked)
        return happened

    def _edited(self, edits: Plain) -> Happened:
        """The game master sets fields, or adds something new to the scene; null removes it."""
        recording = self._recorded(Recording(self.state))
        for name, plain in edits.items():
            if is_short(plain) and name not in self.state:
                short = name
                name, plain = fight_of(self.system, self.state, plain, ("edit", name))  # noqa: PLW2901
                self.places[short] = name
            recording.edits[name] = plain
            if not isinstance(plain or {}, Mapping):
                raise BadInput(f"edit.{name}", f"must be fields by name, not {plain!r}")
            before = self.state.get(name)
            whole = {**(self.system.plain_value(before) if before is not None else {}), **(plain or {})}
            who = Who(name, object)
            after = None if plain is None else self.system.value(whole, name, self.state.but(name, None))
            leaving = piles_leaving(self.state, who) if after is None else {}
            self.state = self.state.after({name: after, **leaving}.items())
            if before is None:
                self.state = self.state.after(piles_with(self.state, who).items())
            if isinstance(self.state.get(name), self.system.sheet):
                self.system.check(Scene(self.state), Who(name, self.system.sheet))
            else:
                self.system.check_sheet(self.state, name)
        check_each_card_once(self.state)
        return Happened(recording=recording)

    def _created(self, step: Plain) -> Happened:
        """Build a character from the answers in `with` and the dice in `answers`; one that lacks nothing enters.

        The result is how the draft stands: what is `left` of its budgets, what is `missing`, what is `barred`. A step
        that does not ask for it is refused what is missing.
        """
        if self.system.creation is None:
            raise BadInput("create", f"{self.system.title} has no steps to build a character by")
        name = str(step["create"])
        form = DraftForm(self.system.creation, Scene(self.state)[BOOK], Draft({"name": name}))
        thrown = {
            key: [int(each) for each in str(dice).replace("|", " ").split()]
            for key, dice in (step.get("answers") or {}).items()
        }
        form = form.at(form.from_answers(step.get("with") or {}, thrown))
        return self._built(form, name, step)

    def _grown(self, step: Plain) -> Happened:
        """Let somebody of the scene grow by the answers in `with`; the result is how the draft stands, as of `create`.

        Besides, it names the `prices` of what can be raised by one.
        """
        if self.system.advancement is None:
            raise BadInput("grow", f"{self.system.title} has no steps to let a character grow by")
        name, scene = str(step["grow"]), Scene(self.state)
        form = DraftForm(self.system.advancement, scene[BOOK], Draft({}, scene[scene.who(name)], name), self.state)
        return self._built(form.at(form.from_answers(step.get("with") or {})), name, step)

    def _built(self, form: DraftForm, name: str, step: Plain) -> Happened:
        """A draft, finished if it lacks nothing, and how it stands."""
        if not form.lacks or "result" not in (step.get("expect") or {}):
            sheet = form.finished()
            self.state = self.state.but(name, sheet)
            self.system.check(Scene(self.state), Who(name, self.system.sheet))
        if "result" not in (step.get("expect") or {}):
            return Happened()
        spreads = {each.field.key: each for each in map(form.state, form.fields) if each.parts}
        return Happened(
            {
                "left": {each.budget.key: write_price(each.left) for each in form.budgets},
                "missing": {each.key: each.because for each in form.lacks},
                "barred": {key: barred for key in form.fields if (barred := form.barred_in(key))},
                "prices": {
                    key: {each.part.name: write_price(each.costs) for each in state.parts if not each.more}
                    for key, state in spreads.items()
                },
            }
        )

    def _looked_up(self, step: Plain) -> Plain:
        id_, slash, path = str(step["table"]).partition("/")
        entries = (self.system.printed_book.entry(id_),) if id_ in self.system.printed_book.ids else ()
        read_there = (pair for entry in entries for pair in declared(entry))
        tables = [each for each, at in read_there if isinstance(each, RowsOf) and (not slash or path == at)]
        if not tables:
            known = tuple(each for each, found in DECLARED.items() if any(isinstance(f, RowsOf) for f in found))
            raise BadInput("table", unknown(str(step["table"]), known))
        read = [Scene(self.state)[each] for each in tables]
        row, found = str(step.get("row")), read[0]
        with running(Citation("look up", id_)):
            if step.get("at") is None:
                return write(next((each for each in read if row in each), found)[row])
            try:
                return write(found.at(step["at"]))
            except RulebookError as none:
                raise Refused(str(step["at"]), because=f"no row has {step['at']}", rule=id_) from none


def _not_reached(until: Until, ended: object, happened: Happened) -> str:
    """What came instead of what an encounter was to be played to."""
    stop = f"after {happened.steps} steps" if ended is None else f"it was over ({phrase(write(ended))})"
    asked = ", ".join(dict.fromkeys(f"{each.who or 'game master'}.{each.name}" for each in happened.asked))
    return f"{stop} before {until}; asked on the way: {asked or 'nothing'}"


def _for_seats(step: Plain, verb: str, where: Where) -> Plain:
    """A step that is `seen_by` somebody expects of them what a seat is sent, and the rest of the table."""
    if "seen_by" not in step:
        return step
    if verb == "table":
        raise Misplaced((*where, "seen_by"), "nobody is sent a row of a table")
    expect = step.get("expect")
    seen = {name: each for name, each in (expect or {}).items() if name in SEEN}
    if not seen:
        raise Misplaced((*where, "seen_by"), f"goes with what is expected of it: {', '.join(SEEN)}")
    if strange := [str(name) for name in expect if name not in {**SEEN, **expectations.EXPECT}]:
        raise Misplaced((*where, "expect", strange[0]), unknown(strange[0], {**SEEN, **expectations.EXPECT}))
    names = step["seen_by"] if isinstance(step["seen_by"], list) else [step["seen_by"]]
    rest = {name: each for name, each in expect.items() if name not in SEEN}
    return {**step, "expect": {**rest, "seen_by": {**rest.get("seen_by", {}), **{str(each): seen for each in names}}}}


def _line(event: Event) -> str:
    """One line of the story for something that happened."""
    if not isinstance(event, Changed):
        return f"{event.line.key} {phrase(write(dict(event.line.figures)))}  [{event.rules[0]}]"
    before, after = write(event.before), write(event.after)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return f"{event.who}: {phrase(after)}  [{event.rules[0]}]"
    changes = value_changes(type(event.after), before, after)
    return f"{'; '.join(in_words(each, event.who).text for each in changes)}  [{event.rules[0]}]"
