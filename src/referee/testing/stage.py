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
from referee.core.encounter import ending
from referee.core.errors import BadInput, Refused, RulebookError
from referee.core.plain import Plain, unknown, write
from referee.core.questions import Question
from referee.core.rulebook import BOOK, DECLARED, RowsOf
from referee.core.rules import FORMULAS, RULES, Call, Formula, Rule
from referee.core.run import Changed, Event, Run, drive
from referee.core.scene import Scene, State, Who
from referee.core.system import System, check_step
from referee.core.trace import Citation, running
from referee.core.value_changes import in_words, value_changes
from referee.core.wording import phrase
from referee.drivers.exact import Exact
from referee.drivers.policies import Decisions
from referee.drivers.scripted import Script, answer_in
from referee.testing import expectations
from referee.testing.expectations import (
    ANYTHING,
    COUNTED,
    NAMED,
    Difference,
    Form,
    Happened,
    Misplaced,
    Where,
    check_known,
)

VERBS: Final = ("action", "rule", "table", "edit", "run", "create")
STEP: Final[dict[str, Form]] = {
    **dict.fromkeys((*VERBS, "who", "row", "refused", "note"), ANYTHING),
    **dict.fromkeys(("edit", "with", "answers", "policy", "expect"), NAMED),
    **dict.fromkeys(("at", "at_most"), COUNTED),
}
LOOK_UP: Final[dict[str, Form]] = {**STEP, "expect": ANYTHING}
"""A row may be a plain value."""
BEFORE: Final = {"odds", "actions"}
"""What can be expected of a step without playing it."""

Runnable: TypeAlias = Rule[..., Any] | Formula[..., Any]


@final
@dataclass
class ScenarioStage:
    """A scene on which steps are played one after another."""

    system: System
    state: State
    story: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """What the file calls otherwise than the rules do, with the names under which they look for it."""

    def step(self, step: Plain, where: Where) -> list[Difference]:
        """Play one step; returns where it differs from what it expects."""
        check_known(step, LOOK_UP if isinstance(step, Mapping) and "table" in step else STEP, where)
        verbs = [verb for verb in VERBS if verb in step]
        if len(verbs) != 1:
            raise Misplaced(where, f"must be one of {', '.join(VERBS)}")
        step = self._in_place(step)
        before = self.state
        try:
            happened = self._play(verbs[0], step)
        except Refused as why:
            self.state = before
            self.story.append(f"  refused: {why}")
            if "refused" not in step:
                return [Difference(where, f"refused: {why}")]
            after = expectations.compare_all(
                step.get("expect") or {}, Happened(), self.system, self.state, (*where, "expect")
            )
            return [*expectations.compare_refusal(step["refused"], why, (*where, "refused")), *after]
        return list(self._compared(step, verbs[0], happened, where))

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
        if "refused" in step:
            yield Difference((*where, "refused"), f"a refusal by {step['refused']} expected, but it was legal")
        expect = step.get("expect")
        if verb == "table":
            yield from expectations.compare(expect, happened.result, (*where, "expect"))
        elif expect is not None:
            yield from expectations.compare_all(expect, happened, self.system, self.state, (*where, "expect"))

    def _play(self, verb: str, step: Plain) -> Happened:
        match verb:
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
        happened = Happened(action=action)
        expect = step.get("expect") or {}
        if "odds" in expect:
            decisions = Decisions({str(name): answer for name, answer in (step.get("policy") or {}).items()})
            happened.odds = Exact(decisions).of(call, self.state)
            try:
                decisions.check(runnable.prompts)
            except BadInput as problem:
                raise problem.within("policy") from None
        if "answers" in step or not expect or not set(expect) <= BEFORE:
            script = Script(step.get("answers"))
            happened.value = self._drive(call, script, happened)
            happened.result = write(happened.value)
            self._let_time_pass(script, happened)
            script.check_used_up(happened.not_asked)
            self.story.append(f"  = {phrase(happened.result)}")
        return happened

    def _drive(self, call: Call[Any], script: Script, happened: Happened) -> Any:
        scene = Scene(self.state)

        def answer(question: Question[Any], at: Scene) -> Any:
            happened.asked.append(question)
            given = answer_in(run, script, question, at)
            self.story.append(f"  {question} -> {phrase(question.write(given), whole=True)}")
            return given

        run = Run(scene, call)
        try:
            result = drive(run, answer)
        finally:
            happened.not_asked += run.not_asked
        happened.events += run.events
        happened.steps += 1
        self.story += (f"  {_line(event)}" for event in run.events)
        check_step(call, self.state, scene.state)
        self.state = scene.state
        return result

    def _let_time_pass(self, script: Script, happened: Happened) -> None:
        """Play the deadlines that are due, and those that passing time reaches."""
        while (following := next_of(Scene(self.state), PASSING)) is not None:
            self._drive(following.call, script, happened)

    def _run(self, step: Plain) -> Happened:
        """Play an encounter until it is over, or for `at_most` steps."""
        happened = Happened()
        script = Script(step.get("answers"))
        who = Scene(self.state).who(str(step["run"]))
        for _ in range(step.get("at_most", 1000)):
            following = next_of(Scene(self.state), who)
            if following is None:
                break
            self._drive(following.call, script, happened)
        happened.result = write(ending(Scene(self.state), who))
        script.check_used_up(happened.not_asked)
        return happened

    def _edited(self, edits: Plain) -> Happened:
        """The game master sets fields, or adds something new to the scene; null removes it."""
        for name, plain in edits.items():
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
        return Happened()

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
        if not form.lacks or "result" not in (step.get("expect") or {}):
            sheet = form.finished()
            self.state = self.state.but(name, sheet)
            self.system.check(Scene(self.state), Who(name, self.system.sheet))
        return Happened(
            {
                "left": {each.budget.key: write_price(each.left) for each in form.budgets},
                "missing": {each.key: each.because for each in form.lacks},
                "barred": {key: barred for key in form.fields if (barred := form.barred_in(key))},
            }
        )

    def _looked_up(self, step: Plain) -> Plain:
        id_, slash, path = str(step["table"]).partition("/")
        tables = [
            lookup
            for lookup in DECLARED.get(id_, ())
            if isinstance(lookup, RowsOf) and (not slash or path in lookup.paths(id_))
        ]
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


def _line(event: Event) -> str:
    """One line of the story for something that happened."""
    if not isinstance(event, Changed):
        return f"{event.line.key} {phrase(write(dict(event.line.figures)))}  [{event.rules[0]}]"
    before, after = write(event.before), write(event.after)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return f"{event.who}: {phrase(after)}  [{event.rules[0]}]"
    changes = value_changes(type(event.after), before, after)
    return f"{'; '.join(in_words(each, event.who).text for each in changes)}  [{event.rules[0]}]"
