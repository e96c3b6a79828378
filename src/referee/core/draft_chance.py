"""Drafts completed by chance: a random character is the same steps, answered at random."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, TypeAlias, final

from referee.core.dice import Pool, thrown_pips
from referee.core.draft_form import DraftForm
from referee.core.drafts import (
    HOUSE,
    Creation,
    Draft,
    DraftField,
    Lack,
    PickOne,
    PickSeveral,
    Reason,
    RollDice,
    SpreadPoints,
    WriteText,
)
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, unknown
from referee.core.rulebook import Book

MOST_TRIES: Final = 40
"""How often chance starts again before it gives up."""

Thrower: TypeAlias = Callable[[RollDice, Pool], Plain]
"""Throws the dice of a field; gives their pips."""


def random_sheet(creation: Creation, book: Book, random: Random) -> Any:
    """A random legal sheet. Its texts are empty."""
    form = DraftForm(creation, book, Draft())
    draft = filled(form, random, lambda _, pool: thrown_by(random.randrange, pool))
    return creation.finish(form.scene, draft)


def filled(form: DraftForm, random: Random, throw: Thrower, step: str = "") -> Draft:
    """The draft with everything that is missing (in one step, or in all) answered by chance.

    Dice are thrown by `throw`, once each. Texts without a `chance` of their own stay missing.
    """
    if step and step not in {each.key for each, _ in form.steps}:
        raise BadInput("step", unknown(step, tuple(each.key for each, _ in form.steps)))
    start, last = form, Reason("", HOUSE)
    for _ in range(MOST_TRIES):
        attempt = _Chance(start, random, throw, step)
        try:
            return attempt.go()
        except Refused as why:
            last = Reason(why.because, why.rule)
        start = form.at(attempt.kept(start.draft))
    raise Refused("fill", because=f"chance found no legal way: {last.because}", rule=last.rule)


@final
class _Chance:
    """One attempt to complete a draft by chance."""

    def __init__(self, form: DraftForm, random: Random, throw: Thrower, step: str) -> None:
        self.form = form
        self.random = random
        self.throw = throw
        self.step = step
        self.thrown: list[RollDice] = []

    def go(self) -> Draft:
        done: set[str] = set()
        while (field := self._next(done)) is not None:
            done.add(field.key)
            self._answer(field)
        lacks = [each for each in self.form.lacks if self.step in ("", each.step) and not self._is_left(each)]
        if lacks:
            raise Refused("fill", because=lacks[0].because, rule=lacks[0].rule)
        return self.form.draft

    def kept(self, draft: Draft) -> Draft:
        """A draft to start from again: dice that have been thrown stay, with what they fix."""
        for throw in self.thrown:
            for key in (*throw.fixes, throw.key):
                draft = draft.but(key, self.form.draft.answers.get(key))
        return draft

    def _next(self, done: set[str]) -> DraftField | None:
        for step, fields in self.form.steps:
            if self.step in ("", step.key):
                for each in fields:
                    if each.key not in done and self.form.barred(each.key) is None:
                        return each
        return None

    def _is_left(self, lack: Lack) -> bool:
        """Whether it is a text, which chance does not write."""
        found = self.form.fields.get(lack.key)
        return isinstance(found, WriteText) and found.chance is None

    def _set(self, key: str, plain: Plain) -> None:
        self.form = self.form.at(self.form.answered(key, plain))

    def _answer(self, field: DraftField) -> None:
        answer = self.form.draft.answers.get(field.key)
        if field.chance is not None:
            if answer is None:
                self._set(field.key, field.chance(self.form.scene, self.form.draft, self.random))
            return
        match field:
            case RollDice() if answer is None:
                thrown = self.throw(*self.form.throw(field.key))
                self.form = self.form.at(self.form.draft.but(field.key, thrown))
                self.thrown.append(field)
            case PickOne(optional=False) if answer is None:
                self._set(field.key, self._pick(field))
            case PickSeveral():
                while self.form.missing(field):
                    self._set(field.key, [*self.form.draft.several(field.key), self._pick(field)])
            case SpreadPoints() if field.budget:
                while self._raise_one(field):
                    pass
            case _:
                return

    def _pick(self, field: PickOne | PickSeveral) -> str:
        free = [each.option for each in self.form.option_states(field) if not each.barred and not each.chosen]
        if not free:
            raise Refused(field.key, because="nothing legal is left to choose", rule=field.rule)
        return self.random.choices(free, [each.weight for each in free])[0].name

    def _raise_one(self, field: SpreadPoints) -> bool:
        """Raise a part by one, if one can be raised; whether it was."""
        free = [each for each in self.form.part_states(field) if each.more is None]
        if not free or self.form.budget(field.budget).left <= 0:
            return False
        chosen = self.random.choice(free)
        self._set(field.key, {chosen.part.name: chosen.level + 1})
        return True


def thrown_by(below: Callable[[int], int], pool: Pool) -> Plain:
    """The pips of a throw, by groups; `below` gives a number from 0 up to a bound."""
    return [thrown_pips(die.sides, count, die.again_pips, below) for die, count in pool.groups]
