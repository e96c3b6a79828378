"""A character grows: what can be bought now, before and after in chances, why not the rest, and the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, final

from referee.core.draft_form import DraftForm, FieldState, OptionState, PartState, StepState, spelled
from referee.core.drafts import Draft, Planned, Price, SpreadPoints
from referee.core.knowledge import KnownState, supposing_like
from referee.core.plain import Plain, write
from referee.core.scene import Scene
from referee.core.system import unit_named
from referee.table.drafts import DraftRecord
from referee.table.portraits import Portrait
from referee.web.odds import OddsAsker
from referee.web.pages.drafts.layout import DraftWords, PurseShown, ReasonShown, counted, purse, reason
from referee.web.pages.page import WORDS
from referee.web.pages.parts.board import who_of
from referee.web.pages.table.table import line_chances
from referee.web.pages.table_view import TableView

MOST_SHOWN: Final = 8
"""More rows than this, of those that nothing is planned in, are folded."""
CELLS: Final = 10
"""How many parts the calendar has."""


@final
@dataclass(frozen=True)
class GrowRow:
    """Something that may grow: from what to what, its price and time, or the one reason why not."""

    field: str
    name: str
    says: str
    was: str
    to: str
    price: str
    takes: str
    planned: bool
    raised: bool
    """Whether it is a level; otherwise it is picked, or not."""
    level: int = 0
    rolled: bool = False
    """Whether something is rolled with it, so that it has a chance before and after."""
    more: str = ""
    """What one more costs of something that is planned."""
    why: ReasonShown | None = None

    @property
    def id(self) -> str:
        return f"{self.field}-{self.name}".replace(" ", "-").replace("/", "-")


@final
@dataclass(frozen=True)
class GrowStop:
    """A step on the rail, and how much of it can be bought."""

    key: str
    words: str
    note: str
    current: bool


@final
@dataclass(frozen=True)
class PlanLine:
    """Something that is planned, and when."""

    name: str
    to: str
    price: str
    when: str
    says: str


@final
@dataclass(frozen=True)
class DayShown:
    """A part of the calendar: its days, and what is trained then."""

    words: str
    what: str
    begins: bool


@final
@dataclass(frozen=True)
class ChancePair:
    """The chance of a roll before and after, for its place on the page."""

    id: str
    name: str
    before: float | None
    after: float | None
    planned: bool = False


@final
@dataclass(frozen=True)
class GrowChances:
    """The chances before and after, for rows that stand on the page already."""

    template: ClassVar[str] = "grow_chances.html"
    rows: tuple[ChancePair, ...]


@final
@dataclass(frozen=True)
class GrowScreen:
    """What a character may grow in, at one of the steps."""

    template: ClassVar[str] = "grow.html"
    view: TableView
    record: DraftRecord
    form: DraftForm
    step: str
    portrait: Portrait | None
    against: str = ""
    """How hard the rolls are whose chances are shown; the usual, if nothing is said."""
    problem: ReasonShown | None = None

    @property
    def here(self) -> str:
        return f"{self.view.here}/drafts/{self.record.id}"

    @property
    def name(self) -> str:
        return self.record.character or ""

    @property
    def words(self) -> DraftWords:
        return DraftWords(self.view.system, self.record.kind.value)

    @property
    def ask(self) -> str:
        return self.words.ask(self.step, self.name)

    @property
    def says(self) -> str:
        return self.words.says(self.step)

    @cached_property
    def _state(self) -> StepState:
        return next(each for each in self.form.laid_out if each.key == self.step)

    @cached_property
    def purses(self) -> tuple[PurseShown, ...]:
        return tuple(purse(each, self.words) for each in self.form.budgets)

    @property
    def time_left(self) -> str:
        """The time that is left for training, in words; nothing if nobody counts it."""
        left = self.form.creation.time_left(self.form.scene, self.form.draft)
        return "" if left is None else self.duration(left) or WORDS.say("grow.none-left")

    def duration(self, amount: int) -> str:
        """A stretch of time in days, where the game has them."""
        if amount <= 0:
            return ""
        units = self.view.system.units(self.form.scene)
        day = next((each for each in units if each.name == "day"), None)
        return day.count(-(-amount // day.size)) if day else self.view.system.in_units(self.form.scene, amount, 1)

    # What there is to buy.

    @cached_property
    def rows(self) -> tuple[GrowRow, ...]:
        return tuple(row for each in self._state.fields for row in self.rows_of(each))

    @property
    def first(self) -> tuple[GrowRow, ...]:
        """What can be bought now: what is planned, and the first of the rest."""
        free = [row for row in self.rows if not row.why and not row.planned][:MOST_SHOWN]
        return tuple(row for row in self.rows if row.planned or row in free)

    @property
    def rest(self) -> tuple[GrowRow, ...]:
        known = {row.id for row in self.first}
        return tuple(row for row in self.rows if row.id not in known and not row.why)

    @property
    def barred(self) -> tuple[GrowRow, ...]:
        """What cannot be bought now; the first of it, if it is much."""
        return self._barred[:MOST_SHOWN]

    @property
    def barred_rest(self) -> tuple[GrowRow, ...]:
        return self._barred[MOST_SHOWN:]

    @cached_property
    def _barred(self) -> tuple[GrowRow, ...]:
        return tuple(row for row in self.rows if row.why and not row.planned)

    @property
    def rail(self) -> Iterator[GrowStop]:
        for each in self.form.laid_out:
            rows = [row for field in each.fields for row in self.rows_of(field) if row.raised or row.price]
            open_, planned = sum(not row.why for row in rows), sum(row.planned for row in rows)
            note = WORDS.say("grow.open" if each.key == self.step else "grow.count", count=open_, of=len(rows))
            note = WORDS.say("grow.planned-count", count=planned) if planned else note
            yield GrowStop(each.key, self.words.step(each.key), note if rows else "", each.key == self.step)

    def rows_of(self, state: FieldState) -> Iterator[GrowRow]:
        """The rows of a field; one that cannot be answered has its reason on each."""
        for part in state.parts:
            yield self._level_row(state, part)
        for option in state.options:
            yield self._option_row(state, option)

    def _level_row(self, state: FieldState, found: PartState) -> GrowRow:
        part, level = found.part, found.level
        planned = level > part.begins
        to = level if planned else part.begins + 1
        price = part.price(to) - part.price(part.begins)
        time = part.takes(to) - part.takes(part.begins) if part.takes else 0
        free = WORDS.say("grow.at-once") if part.takes and not found.more and not time else ""
        return GrowRow(
            state.field.key,
            part.name,
            part.says,
            part.write(part.begins),
            part.write(to),
            spelled(price) if price else "",
            self.duration(time) or free,
            planned,
            True,
            level,
            part.takes is not None and part.name in self.rollable,
            spelled(found.costs) if planned and not found.more else "",
            reason(state.barred or (None if planned else found.more)),
        )

    def _option_row(self, state: FieldState, found: OptionState) -> GrowRow:
        option = found.option
        barred = reason(state.barred or found.barred)
        price, time = spelled(option.price) if option.price else "", self.duration(option.takes)
        return GrowRow(state.field.key, option.name, option.says, "", "", price, time, found.chosen, False, why=barred)

    # The plan.

    @cached_property
    def plan(self) -> tuple[Planned, ...]:
        declared = self.form.creation.plan
        found = declared(self.form.scene, self.form.draft) if declared else self._usual_plan()
        return tuple(found)

    def _usual_plan(self) -> Iterator[Planned]:
        for step in self.form.laid_out:
            for state in step.fields:
                for each in state.parts:
                    part, level = each.part, each.level
                    if level > part.begins:
                        time = part.takes(level) if part.takes else 0
                        yield Planned(part.name, part.write(level), part.price(level), time)
                for one in state.options:
                    if one.chosen:
                        yield Planned(one.option.name, "", one.option.price, one.option.takes)

    @property
    def plan_lines(self) -> Iterator[PlanLine]:
        begins = 0
        for each in self.plan:
            when = WORDS.say("grow.at-once")
            if each.takes:
                first, last = (
                    begins // self._day + 1,
                    max(begins // self._day + 1, -(-(begins + each.takes) // self._day)),
                )
                when = WORDS.say("grow.days" if last > first else "grow.day", first=first, last=last)
            begins += each.takes
            yield PlanLine(each.name, each.to, self.price_words(each.price), when, each.says)

    def price_words(self, price: Price) -> str:
        return counted(price, self.purses[0].words) if price and self.purses else ""

    @cached_property
    def _day(self) -> int:
        units = self.view.system.units(self.form.scene)
        return unit_named(units, "day").size if any(each.name == "day" for each in units) else 1

    @property
    def calendar(self) -> tuple[DayShown, ...]:
        """What is trained when; each of the parts stands for as many days as it takes."""
        total = sum(each.takes for each in self.plan)
        days = -(-total // self._day)
        if not days:
            return ()
        each_is = -(-days // CELLS)
        ends, so_far = [], 0
        for one in self.plan:
            so_far += one.takes
            ends.append((so_far, one.name))
        shown, before = [], ""
        for first in range(0, days, each_is):
            name = next((name for end, name in ends if end > first * self._day), "")
            words = str(first + 1) if each_is == 1 else WORDS.say("grow.span", first=first + 1, last=first + each_is)
            shown.append(DayShown(words, name, name != before))
            before = name
        return tuple(shown)

    @property
    def confirm(self) -> str:
        names = [each.name for each in self.plan]
        if len(names) > 2:
            return WORDS.say("grow.confirm-many", first=names[0], count=len(names) - 1)
        return WORDS.say("grow.confirm", what=WORDS.say("grow.then").join(names))

    @property
    def whole_price(self) -> str:
        return self.price_words(sum(each.price for each in self.plan))

    @property
    def whole_time(self) -> str:
        return self.duration(sum(each.takes for each in self.plan))

    @property
    def lacks(self) -> tuple[tuple[str, str], ...]:
        return tuple((each.step, self.words.lack(self.form, each)) for each in self.form.lacks)

    # Chances.

    @cached_property
    def difficulties(self) -> tuple[tuple[str, str, bool], ...]:
        """How hard a roll may be: values, their words, and which one is chosen."""
        rolls = self.view.look.rolls
        if rolls is None or not rolls.against:
            return ()
        action, words = self.view.system.action(rolls.action), self.view.system.words
        known = action.choices(Scene(self.before), who_of(self.view, self.name)).get(rolls.against, ())
        usual = str(write(action.parameters[rolls.against].default))
        chosen = self.against or usual

        def said(value: str) -> str:
            key = f"drafts.against.{value}"
            return words.say(key) if key in words else value

        return tuple((str(write(each)), said(str(write(each))), str(write(each)) == chosen) for each in known)

    @property
    def against_value(self) -> Plain:
        value = next((value for value, _, chosen in self.difficulties if chosen), "")
        return int(value) if value.lstrip("-").isdecimal() else value or None

    @property
    def before(self) -> KnownState:
        """The character as the sheet is."""
        return self._with(self.form.draft.sheet)

    def after(self, draft: Draft) -> KnownState:
        """The character once what a draft plans has come about."""
        return self._with(self.form.creation.outlook(self.form.scene, draft))

    def _with(self, sheet: Any) -> KnownState:
        return supposing_like(self.view.state, self.name, sheet)

    @property
    def one_more(self) -> Draft:
        """The draft with a step of everything here that is not planned yet."""
        draft = self.form.draft
        for state in self._state.fields:
            if isinstance(state.field, SpreadPoints):
                raised = {
                    each.part.name: each.part.begins + 1
                    for each in state.parts
                    if each.level == each.part.begins and each.part.name in self.rollable
                }
                draft = draft.but(state.field.key, {**(draft.answers.get(state.field.key) or {}), **raised})
        return draft

    @cached_property
    def rollable(self) -> frozenset[str]:
        """The names here that something is rolled with."""
        rolls = self.view.look.rolls
        if rolls is None:
            return frozenset()
        action = self.view.system.action(rolls.action)
        known = action.choices(Scene(self.before), who_of(self.view, self.name)).get(rolls.argument, ())
        return frozenset(map(str, known))

    def chances(self, odds: OddsAsker, *, rest: bool = False) -> GrowChances:
        """Before and after for every row that is rolled, and for what is planned; or for the rows that are folded."""
        shown = (*self.rest, *self.barred_rest) if rest else (*self.first, *self.barred)
        rows = [row for row in shown if row.rolled]
        plan = [] if rest else list(dict.fromkeys(each.name for each in self.plan if each.name in self.rollable))

        def asked(names: Iterable[str], state: KnownState) -> Mapping[str, float]:
            return line_chances(self.view, self.name, names, state, odds, self.against_value)

        before = asked([*(row.name for row in rows), *plan], self.before)
        after = asked([row.name for row in rows], self.after(self.one_more)) if rows else {}
        in_all = asked(plan, self.after(self.form.draft)) if plan else {}
        pairs = [ChancePair(row.id, row.name, before.get(row.name), after.get(row.name)) for row in rows]
        pairs += [ChancePair(f"plan-{name}", name, before.get(name), in_all.get(name), True) for name in plan]
        return GrowChances(tuple(replace(each, id=each.id.replace(" ", "-")) for each in pairs))
