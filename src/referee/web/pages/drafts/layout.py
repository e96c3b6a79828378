"""A draft in words: the rail of its steps, its purses, its fields with what may be chosen and why not the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, final

from referee.core.draft_form import (
    BudgetState,
    DraftForm,
    FieldState,
    OptionState,
    PartState,
    StepState,
    at_most,
    spelled,
)
from referee.core.drafts import (
    HOUSE,
    MOST_ENTRIES,
    Lack,
    Part,
    PickSeveral,
    Price,
    Reason,
    RollDice,
    SpreadPoints,
    WriteText,
)
from referee.core.plain import Plain
from referee.core.system import System
from referee.core.wording import capital, heading
from referee.web.pages.page import WORDS

MOST_PIPS: Final = 6
"""Levels up to this are drawn as pips, higher ones as figures."""
MOST_PURSE_PIPS: Final = 20
MOST_ROWS: Final = 30
MOST_BEGUN: Final = 12
"""Where more levels than this would be listed, those that stand as they began are left out."""
SHORT: Final = 3
"""Options up to this length stand side by side."""
LONG: Final = 60
"""Texts longer than this have several lines."""


@final
@dataclass(frozen=True)
class ReasonShown:
    """Why something is barred, and the rule to look up; empty if it is a rule of the house."""

    text: str
    rule: str = ""


@final
@dataclass(frozen=True)
class RailStop:
    """A step on the rail."""

    key: str
    number: int
    words: str
    note: str
    done: bool
    current: bool


@final
@dataclass(frozen=True)
class PurseShown:
    """Points to spend."""

    words: str
    left: str
    total: str
    over: bool
    pips: tuple[bool, ...]
    rule: str


@final
@dataclass(frozen=True)
class DraftOptionShown:
    """An option."""

    name: str
    says: str
    price: str
    chosen: bool
    barred: ReasonShown | None


@final
@dataclass(frozen=True)
class LevelShown:
    """A level with its two buttons."""

    name: str
    says: str
    level: int
    written: str
    pips: tuple[bool, ...]
    of: str
    got: bool
    cost: str
    """What one more costs, in words."""
    price: str
    """The same as it stands on the button: a number."""
    more: ReasonShown | None
    less: ReasonShown | None
    locked: bool
    """Whether it can be neither raised nor lowered, so that only the reason is shown."""


@final
@dataclass(frozen=True)
class FieldShown:
    """A field."""

    key: str
    kind: str
    words: str
    says: str
    barred: ReasonShown | None
    missing: str
    problems: tuple[ReasonShown, ...]
    text: str = ""
    lines: bool = False
    longest: int = 0
    groups: tuple[tuple[str, tuple[DraftOptionShown | LevelShown, ...]], ...] = ()
    own: tuple[str, ...] | None = None
    """Entries in the player's own words; None if there can be none."""
    own_price: str = ""
    count: str = ""
    """How many are picked of how many may be, where that is few."""
    dice: str = ""
    pips: tuple[int, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether it has so many rows that one searches for them, and groups are folded."""
        return sum(len(rows) for _, rows in self.groups) > MOST_ROWS

    @property
    def is_brief(self) -> bool:
        """Whether its options are so short that they stand side by side: the numbers of an array."""
        rows = [row for _, group in self.groups for row in group]
        return bool(rows) and all(isinstance(row, DraftOptionShown) and _is_brief(row) for row in rows)


def _is_brief(row: DraftOptionShown) -> bool:
    return len(row.name) <= SHORT and not row.says and not row.price


@final
@dataclass(frozen=True)
class AnswerShown:
    """What was answered, for the sheet that grows beside the steps."""

    words: str
    rows: tuple[tuple[str, str, str], ...]
    """Names with their levels, and what the one that changed last was before."""
    text: str = ""
    is_new: bool = False
    """Whether it is what changed last."""


@final
@dataclass(frozen=True)
class DraftWords:
    """The words of a system for its drafts; where it has none, they are made from the keys."""

    system: System
    kind: str

    def _say(self, key: str, default: str, **filled: str) -> str:
        words = self.system.words
        for each in (f"drafts.{self.kind}.{key}", f"drafts.{key}"):
            if each in words:
                return words.say(each, **(filled if each.startswith(f"drafts.{self.kind}.") else {}))
        return default

    def step(self, key: str) -> str:
        return self._say(f"steps.{key}.title", WORDS.say("drafts.name") if key == "name" else heading(key))

    def ask(self, key: str, who: str = "") -> str:
        default = WORDS.say("drafts.ask-name") if key == "name" else self.step(key)
        return self._say(f"steps.{key}.ask", default, **({"who": who} if who else {}))

    def says(self, key: str) -> str:
        return self._say(f"steps.{key}.says", "")

    def field(self, key: str) -> str:
        return self._say(f"fields.{key}", WORDS.say("drafts.name") if key == "name" else heading(key))

    def field_says(self, key: str) -> str:
        return self._say(f"says.{key}", "")

    def budget(self, key: str) -> str:
        return self._say(f"budgets.{key}", heading(key).lower())

    def chances(self) -> str:
        """What the chance beside a level is about."""
        rolls = self.system.look.rolls
        if rolls is None:
            return ""
        action = self.system.action(rolls.action)
        if "drafts.chances" in self.system.words:
            usual = {name: each.default for name, each in action.parameters.items()}
            return self.system.words.say("drafts.chances", **usual)
        return WORDS.say("drafts.chances", action=self.system.words.say(f"actions.{action.key}"))

    def left(self, state: BudgetState) -> str:
        """Points that are left, and what becomes of them."""
        what, one = counted(state.left, self.budget(state.budget.key)), state.left == 1
        said = WORDS.say("drafts.one-unspent" if one else "drafts.unspent", what=what)
        then = self._say(f"left.{state.budget.key}", "")
        return f"{said} {then}".strip()

    def lack(self, form: DraftForm, lack: Lack) -> str:
        """What is missing, in a few words: "3 points left to spend"."""
        if lack.key in form.fields:
            return f"{self.field(lack.key)}: {lack.because}"
        number, _, rest = lack.because.partition(" ")
        return f"{number} {self.budget(lack.key)} {rest}"


def reason(why: Reason | None) -> ReasonShown | None:
    if why is None:
        return None
    return ReasonShown(why.because, "" if why.rule == HOUSE else why.rule)


def rail(form: DraftForm, words: DraftWords, current: str) -> Iterator[RailStop]:
    for number, step in enumerate(form.laid_out, 1):
        note = words.lack(form, step.lacks[0]).removeprefix(f"{words.step(step.key)}: ") if step.lacks else ""
        if not note and step.barred is not None:
            note = step.barred.because
        yield RailStop(step.key, number, words.step(step.key), note, step.is_done, step.key == current)


def purses(step: StepState, words: DraftWords) -> Iterator[PurseShown]:
    for each in step.budgets:
        if each.total or each.spent or each.budget.spare:  # no Wealth is nothing to spend
            yield purse(each, words)


def purse(state: BudgetState, words: DraftWords) -> PurseShown:
    left, total, spent = state.left, state.total, state.spent
    drawn = isinstance(total, int) and isinstance(spent, int) and 0 < total <= MOST_PURSE_PIPS and spent >= 0
    pips = tuple(at < spent for at in range(int(total))) if drawn else ()
    rule = "" if state.budget.rule == HOUSE else state.budget.rule
    return PurseShown(words.budget(state.budget.key), _signed(left), spelled(total), left < 0, pips, rule)


def _signed(price: Price) -> str:
    return f"\N{MINUS SIGN}{spelled(-price)}" if price < 0 else spelled(price)


def fields(step: StepState, words: DraftWords) -> Iterator[FieldShown]:
    for each in step.fields:
        yield _field(each, words)


def _field(state: FieldState, words: DraftWords) -> FieldShown:
    found = state.field
    budget = words.budget(found.budget) if found.budget else ""
    problems = tuple(each for each in map(reason, state.problems) if each is not None)
    shown = FieldShown(
        found.key,
        found.kind,
        words.field(found.key),
        words.field_says(found.key),
        reason(state.barred),
        capital(state.missing),
        problems,
    )
    match found:
        case WriteText():
            text = str(state.answer or "")
            return replace(shown, text=text, lines=found.longest > LONG, longest=found.longest)
        case RollDice():
            pips = tuple(pip for group in state.answer or () for pip in group)
            return replace(shown, dice=str(state.dice or ""), pips=pips)
        case SpreadPoints():
            levels = [(each.part.group, _level(each, budget)) for each in state.parts]
            return replace(shown, groups=_grouped(levels))
        case _:
            count = _count(state)
            options = [(each.option.group, _choice(_may_swap(state, each), budget)) for each in state.options]
            if count:  # it says that there can be no more; that need not stand beside each
                full = reason(at_most(found, state.most)) if isinstance(found, PickSeveral) else None
                options = [(group, _unsaid(each) if each.barred == full else each) for group, each in options]
            shown = replace(shown, groups=_grouped(options), count=count)
            if isinstance(found, PickSeveral) and found.own is not None:
                known = {each.option.name for each in state.options}
                own = tuple(each for each in state.answer or () if each not in known)
                return replace(shown, own=own, own_price=_cost(found.own, budget))
            return shown


def _unsaid(option: DraftOptionShown) -> DraftOptionShown:
    """An option that cannot be had, for a reason that stands elsewhere."""
    return replace(option, barred=ReasonShown(""))


def _count(state: FieldState) -> str:
    """How many are picked: `2 of 7 chosen`; nothing where as many as there are may be, or so many must be."""
    if not isinstance(state.field, PickSeveral) or state.least or state.barred or not 1 < state.most < MOST_ENTRIES:
        return ""
    return WORDS.say("drafts.chosen", count=len(state.answer or ()), most=state.most)


def _may_swap(state: FieldState, option: OptionState) -> OptionState:
    """Where only one may be ticked, ticking another replaces it."""
    is_full = isinstance(state.field, PickSeveral) and state.most == 1 and option.option.barred is None
    return option._replace(barred=None) if is_full and option.barred == at_most(state.field, 1) else option


def _grouped(
    rows: list[tuple[str, DraftOptionShown]] | list[tuple[str, LevelShown]],
) -> tuple[tuple[str, tuple[DraftOptionShown | LevelShown, ...]], ...]:
    """Rows under the headings of their groups, in the order in which these first come."""
    found: dict[str, list[DraftOptionShown | LevelShown]] = {}
    for group, row in rows:
        found.setdefault(group, []).append(row)
    return tuple((group, tuple(each)) for group, each in found.items())


def _choice(state: OptionState, budget: str) -> DraftOptionShown:
    option = state.option
    return DraftOptionShown(option.name, option.says, _cost(option.price, budget), state.chosen, reason(state.barred))


def _level(state: PartState, budget: str) -> LevelShown:
    part, level = state.part, state.level
    drawn = part.most is not None and part.most <= MOST_PIPS and part.least >= 0 and part.write is str
    pips = tuple(at < level for at in range(part.most or 0)) if drawn else ()
    written = part.write(level)
    of = WORDS.say("figure.of", name=part.name, value=level, most=part.most) if drawn else f"{part.name} {written}"
    more, less = reason(state.more), reason(state.less)
    locked = part.most == part.least == level
    cost = _cost(state.costs, budget) if budget and not more else ""
    price = _signed(state.costs) if cost else ""
    got = level > part.begins
    return LevelShown(part.name, part.says, level, written, pips, of, got, cost, price, more, less, locked)


def _cost(price: Price, budget: str) -> str:
    if not price:
        return ""
    key, amount = ("drafts.gives", -price) if price < 0 else ("drafts.costs", price)
    return WORDS.say(key, what=counted(amount, budget))


def counted(amount: Price, budget: str) -> str:
    """So many points of a budget: `1 Creation Point`."""
    return f"{spelled(amount)} {budget.removesuffix('s') if amount == 1 else budget}"


def _written(part: Part, before: Plain, now: int) -> str:
    """What a level was before, if that was something else."""
    return part.write(before) if before != now else ""


def is_level(value: Plain) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@final
@dataclass(frozen=True)
class LeftOver:
    """What is named before a draft is finished: what is missing; else what is left and may stay so."""

    missing: tuple[tuple[str, str], ...] = ()
    """Steps, and what is missing in them."""
    unspent: tuple[str, ...] = ()
    untouched: tuple[tuple[str, str], ...] = ()
    """Steps in which nothing was chosen, and what they are called."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.may_stay)

    @property
    def may_stay(self) -> bool:
        return bool(self.unspent or self.untouched)


def left_over(form: DraftForm, words: DraftWords, step: str) -> LeftOver:
    """What is named at the last step."""
    missing = tuple((each.step, words.lack(form, each)) for each in form.lacks if each.step != step)
    if missing:
        return LeftOver(missing)
    untouched = tuple((each, words.step(each)) for each in form.untouched if each != step)
    return LeftOver((), tuple(map(words.left, form.unspent)), untouched)


def so_far(
    form: DraftForm, words: DraftWords, last: tuple[str, str | None, Plain] | None = None
) -> Iterator[AnswerShown]:
    """Everything that was answered, step by step; `last` is what changed last."""
    field, part, was = last or ("", None, None)
    for _, found in form.steps:
        for each in found:
            answer: Plain = form.draft.answers.get(each.key)
            name = words.field(each.key)
            if each.key == "name" or (answer is None and not isinstance(each, SpreadPoints)):
                continue
            match each:
                case SpreadPoints():
                    parts = form.parts(each.key)
                    levels = {name: form.level(each.key, name) for name in parts}
                    before: dict[str, Plain] = {}
                    if each.key == field and part is not None and part in parts:
                        before[part] = was if is_level(was) else parts[part].begins
                    rows = [
                        (name, parts[name].write(level), _written(parts[name], before.get(name, level), level))
                        for name, level in levels.items()
                        if level or parts[name].least or name in before
                    ]
                    if len(rows) > MOST_BEGUN:
                        rows = [row for row in rows if row[0] in before or levels[row[0]] != parts[row[0]].begins]
                    if rows:
                        yield AnswerShown(words.field(each.key), tuple(rows))
                case PickSeveral():
                    yield AnswerShown(name, (), ", ".join(form.draft.several(each.key)), each.key == field)
                case RollDice():
                    yield AnswerShown(name, (), str(sum(form.draft.dice(each.key))))
                case _:
                    yield AnswerShown(name, (), str(answer), each.key == field)
