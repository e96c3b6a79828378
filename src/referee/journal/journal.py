"""The live table without I/O: a log, and the scene, the open steps and their questions that follow from it.

Answers are needed only to restore a step that is still open: it runs again, and must ask and change the same things.
Undo goes back to before a line and undoes everything later too; the log records both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, final

from referee.core.agenda import check_choice, next_of
from referee.core.arrivals import piles_leaving, piles_with
from referee.core.audience import Audience
from referee.core.cards import Pile, check_each_card_once
from referee.core.clock import PASSING, Clock, Deadline, pause, run_deadline, run_folded, skip_deadline
from referee.core.dice import Pool
from referee.core.draft_chance import thrown_by
from referee.core.drafts import RollDice
from referee.core.encounter import PLAYING
from referee.core.errors import BadInput, Refused, RuleFault
from referee.core.options import without_absent
from referee.core.plain import Plain, unknown
from referee.core.questions import Chance, Ruling
from referee.core.replay import Trail
from referee.core.rulebook import BOOK
from referee.core.rules import Call
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.visibility import VEIL, Limit, Veil, mentions, renamed, renamed_in
from referee.journal.changes import differences, patched
from referee.journal.kept_on_undo import kept_on_undo
from referee.journal.lines import (
    FORMAT,
    Aside,
    DraftThrown,
    Line,
    LinesRedone,
    LinesUndone,
    SceneEdited,
    StepBegan,
    StepCancelled,
    StepLine,
    ThrowHeld,
)
from referee.journal.log_items import LogItem, ValueAdded, WentIntoHiding
from referee.journal.record import BEGINNING, Base, Log
from referee.journal.seeded_dice import SeededDice
from referee.journal.steps import Handler, Handling, Open, Steps, again_of, do_it

DICE: Final = "dice"
CLOCK: Final = "clock"
EDIT: Final = "referee.table.edit"
CANCEL: Final = "referee.table.cancel"
DUE_IN_ONE_GO: Final = 200
"""How much may come due before time stands until the game master lets it go on."""


@final
class Journal:
    """A table: its log, and everything that follows from it."""

    def __init__(
        self,
        system: System,
        start: State,
        source: SeededDice | None = None,
        lines: Sequence[Line] = (),
        handle: Handler = do_it,
        base: Base = BEGINNING,
        *,
        halted: bool = False,
    ) -> None:
        self.system = system
        self.start = start
        self.source = source
        """The source of dice and cards. If None, every throw is a question, as with real dice."""
        self.handle = handle
        self.halted = halted
        """While this is set, no dice are thrown and no time passes automatically."""
        self.faults: dict[int, Exception] = {}
        """Why steps cannot continue automatically, by step number; 0 is for passing time."""
        self._steps = Steps(system, start, lines, base)
        self.settle()

    @property
    def record(self) -> Log:
        """Its lines, and which of them are in force."""
        return self._steps.record

    @property
    def scene(self) -> Scene:
        return self._steps.scene

    @property
    def state(self) -> State:
        return self.scene.state

    @property
    def base(self) -> Base:
        return self.record.base

    @property
    def lines(self) -> list[Line]:
        """The log from its base on."""
        return self.record.lines

    @property
    def asking(self) -> tuple[Open, ...]:
        """Every open question, of every open step."""
        return self._steps.asking

    @property
    def not_asked(self) -> tuple[Open, ...]:
        """The choices of every open step that no one was asked, because only one answer was legal."""
        return self._steps.not_asked

    @property
    def held(self) -> Mapping[tuple[int, int], ThrowHeld]:
        """Throws that were made and wait for the game master, by step and part."""
        return self.record.held

    @property
    def story(self) -> tuple[tuple[int, Line], ...]:
        """The lines in force, with their numbers."""
        return self.record.story

    @property
    def count(self) -> int:
        """How many lines the log has."""
        return self.record.count

    def line(self, number: int) -> Line:
        return self.record.line(number)

    def as_base(self) -> Base | None:
        """Where another journal could continue this log; None while a step is open or an undo can be reversed."""
        is_settled = not self._steps.open and not self.record.may_redo
        return Base(self.count, self.record.begun, self.record.throws) if is_settled else None

    def header(self) -> Plain:
        """The header of a written log."""
        return {
            "referee": FORMAT,
            "system": self.system.name,
            "version": self.system.version,
            "scene": self.system.plain(self.start),
            "commitment": self.source.commitment if self.source else None,
        }

    # What people can do.

    def begin(
        self,
        by: str,
        rule: str,
        arguments: Mapping[str, Plain] | None = None,
        *,
        secret: bool = False,
        call: Call[Any] | None = None,
    ) -> int:
        """Begin a step. An immediate refusal leaves no trace. Only the game master is told about a secret step.

        A caller that has already read the arguments passes `call` too, so that they are not read twice.
        """
        audience = Audience.MASTER if secret else Audience.EVERYONE
        step = self._steps.begin(by, rule, dict(arguments or {}), audience=audience, call=call)
        self.settle(step)
        return step

    def answer(self, by: str, step: int, plain: Plain, part: int = 0) -> None:
        """Answer an open question. An illegal answer leaves it open; a refusal withdraws the whole step."""
        try:
            self._steps.answer(by, step, part, plain, overrules=self._is_the_tables(step, part))
        except Refused:
            self.settle()
            raise
        self.settle(step)

    def take_default(self, by: str, step: int, part: int = 0) -> None:
        """Answer a ruling by its default, because the table is set so; the log says so."""
        question = next((each.question for each in self.asking if each[:2] == (step, part)), None)
        if not isinstance(question, Ruling):
            raise BadInput("answer", f"step {step} asks for no ruling now")
        try:
            self._steps.answer(by, step, part, question.write(question.default), by_default=True)
        except Refused:
            self.settle()
            raise
        self.settle(step)

    def accept_throw(self, by: str, step: int, part: int = 0) -> None:
        """Accept a held throw as thrown."""
        if (step, part) not in self.held:
            raise BadInput("answer", f"no throw of step {step} waits")
        self._steps.answer(by, step, part, self.held[step, part].answer)
        self.settle(step)

    def cancel(self, by: str, step: int) -> None:
        """Cancel an open step and revert everything it changed."""
        if step not in self._steps.open:
            raise BadInput("cancel", f"step {step} is not open")
        self._steps.withdraw(StepCancelled(by, step), self.state, (), CANCEL)
        self.settle()

    def stand_still(self, played: int) -> None:
        """So much has happened by itself that no turn is played until the game master lets it go on."""
        if not self.scene.get(Who(CLOCK, Clock), Clock()).stands:
            self._steps.begin(CLOCK, pause.id, {"played": played})

    def say(self, line: Aside) -> None:
        """Write an aside: who sits where, what was said, the table's settings."""
        self._steps.add(line)

    def throw_for_draft(self, to: str, draft: str, field: RollDice, pool: Pool) -> Plain:
        """Throw dice for a field of a draft: the next throw of the seed. Returns the pips, by groups."""
        if self.source is None:
            raise BadInput("dice", "this table has no dice of its own")
        throw = self.record.throws + 1
        pips = thrown_by(self.source.throw(throw), pool)
        dice = tuple((die.sides, count) for die, count in pool.groups)
        self.say(DraftThrown(DICE, draft, field.key, pips, throw, dice, again_of(pool), field.fixes, to=(to,)))
        return pips

    def edit(self, by: str, name: str, /, **changes: Plain) -> None:
        """The game master sets fields of anything in the scene; `kind=…` adds something new to it."""
        before = self.state.get(name)
        if "kind" in changes:
            self._set(by, name, self.system.value(changes, name, self.state.but(name, None)))
        elif before is None:
            raise BadInput("scene", f"{unknown(name, tuple(self.state))}; with a kind it would be new")
        else:
            self._set(by, name, patched(before, changes, name))

    def hide(self, by: str, names: frozenset[str]) -> None:
        """The game master sets who and what is hidden. To the others, revealed things appear and hidden ones vanish."""
        veil = self.scene.get(VEIL, Veil())
        before, after = veil.names, names
        shown = [name for name in sorted(before - after) if name in self.state]
        appear = [ValueAdded(self.system.plain_value(self.state[name]), name, rules=(EDIT,)) for name in shown]
        hid = [WentIntoHiding(name, rules=(EDIT,)) for name in sorted(after - before) if name in self.state]
        self._set(by, VEIL.name, replace(veil, names=names), (*appear, *hid))

    def limit(self, by: str, names: Iterable[str], limits: Iterable[Limit]) -> None:
        """The game master sets how much of these people's sheets is shown to others; without a limit, all of it."""
        veil, about = self.scene.get(VEIL, Veil()), set(names)
        kept = [each for each in veil.limits if each.who not in about]
        after = replace(veil, limits=tuple(sorted((*kept, *limits), key=lambda each: each.who)))
        if after != veil:
            self._set(by, VEIL.name, after)

    def rename_hidden(self, by: str, old: str, new: str) -> None:
        """Give something hidden another name wherever it is mentioned. Only the game master is told.

        An open step that mentions it is cancelled first: it would go on with the old name.
        """
        for step in dict.fromkeys(each.step for each in self.asking):
            if any(mentions(line.to_plain(), {old}) for line in self.record.of_step(step)):
                self.cancel(by, step)
        veil = renamed(self.scene.get(VEIL, Veil()), old, new)
        before = self.scene.get(VEIL, Veil()).names
        piles = {name for name, value in self.state.items() if isinstance(value, Pile) and value.owner == old}
        keys = {name: renamed_in(name, old, new) for name in (old, *piles)}  # piles are found by their owner's name
        moved = {keys.get(name, name): renamed(value, old, new) for name, value in self.state.items()}
        meanwhile = replace(veil, names=before | {*keys, new})  # old and new names alike are hidden while it is renamed
        self._edit(by, State({**moved, VEIL.name: meanwhile}))
        self._edit(by, self.state.but(VEIL.name, replace(veil, names=before - {old} | {new})))

    def remove(self, by: str, name: str) -> None:
        """The game master removes something from the scene."""
        self._set(by, self.scene.who(name).name, None)

    def play(self, by: str, encounter: str) -> None:
        """The game master says which of several encounters is played."""
        check_choice(self.scene, encounter)
        self.edit(by, PLAYING.name, kind="Playing", encounter=encounter)

    def opt(self, by: str, /, **overlay: Plain) -> None:
        """Turn options on or off, change figures, add rows: the campaign's house rules."""
        self._set(by, BOOK.name, self.scene[BOOK].but(overlay))

    def would_undo(self, number: int) -> tuple[tuple[int, Line], ...]:
        """What undoing this line would undo: the line itself and everything after it."""
        return self.record.from_line(number)

    def undo(self, by: str, number: int, told: Collection[int] | None = None) -> None:
        """Go back to before a line. Throw numbers are not reused, so new throws get new dice.

        If only some lines were told to whoever goes back, the others stay in force as far as they can.
        """
        later = self.would_undo(number)
        state = self.record.state_before_line(number)
        but = () if told is None else tuple(kept_on_undo(self.system, state, later, told))
        self._steps.add(LinesUndone(by, number, but))
        self._steps.rebuild()

    def redo(self, by: str) -> None:
        """Redo what was last undone, as long as nothing new has happened."""
        if not self.record.may_redo:
            raise BadInput("redo", "nothing was undone just now")
        self._steps.add(LinesRedone(by))
        self._steps.rebuild()
        self.settle()

    def follow(self, lines: Sequence[Line], source: SeededDice | None) -> None:
        """Take in lines that were written elsewhere: nothing is carried out, what they say has happened."""
        self.source = source
        self.faults = {}
        self._steps.follow(lines)

    def fork(self, before: int, source: SeededDice | None) -> Journal:
        """A journal with dice of its own that starts as a copy of the lines in force before a line.

        Undone lines are left out and steps are counted anew, so line and step numbers may differ from this journal's.
        """
        kept = [line for number, line in self.story if number < before]
        steps = {line.step: at for at, line in enumerate((each for each in kept if isinstance(each, StepBegan)), 1)}
        lines = [replace(line, step=steps[line.step]) if isinstance(line, StepLine) else line for line in kept]
        return Journal(self.system, self.start, source, lines)

    def trail(self, step: int) -> tuple[Call[Any], State, Trail]:
        """How an open step got to where it is: its call, the scene it began in, and its trail since then; for odds."""
        return self._steps.trail(step)

    def settle(self, own: int = 0) -> None:
        """Make the throws that are the table's, and run the deadlines that passing time reaches.

        A refusal or failure in the step `own` is raised; those of other steps go to the log or to `faults`.
        """
        refused: Refused | None = None
        self.faults = {}
        before = self.record.begun
        while not self.halted:
            waiting, handling = self._next_throw()
            try:
                if waiting is not None:
                    self._throw(waiting, handling)
                elif not self._comes_due(self.record.begun - before):
                    break
            except Refused as why:
                refused = why if waiting is not None and waiting.step == own else refused
            except Exception as why:  # noqa: BLE001  # a step that cannot continue must not block the others
                self.faults[waiting.step if waiting else 0] = why
                if waiting is None:
                    break
        if refused or own in self.faults:
            raise refused or self.faults[own]

    # Internals.

    def _set(self, by: str, name: str, after: Any, besides: Sequence[LogItem] = ()) -> None:
        """An edit: replace one value of the scene from outside."""
        who = Who(name, object)
        leaving = piles_leaving(self.state, who) if after is None else {}
        edited = self.state.after({name: after, **leaving}.items())
        if name not in self.state:
            edited = edited.after(piles_with(edited, who).items())
        if name == BOOK.name:  # fields that depend on an option now off are gone
            edited = edited.after(
                (each, without_absent(value, after)) for each, value in self.state.items() if each != name
            )
        then = (*differences(self.state, edited, (EDIT,)), *besides)
        if after is not None and type(after) is not type(self.state.get(name)):
            self.system.check_name(name, after, self.scene[BOOK])
        self.system.check_sheet(edited, name)
        check_each_card_once(edited)
        self.scene.state = edited
        self._steps.add(SceneEdited(by, then=then))
        self.settle()

    def _edit(self, by: str, after: State) -> None:
        """An edit of several values that leaves all of them as legal as they were."""
        then = differences(self.state, after, (EDIT,))
        self.scene.state = after
        self._steps.add(SceneEdited(by, then=then))

    def _throw(self, waiting: Open, handling: Handling) -> None:
        """Throw the table's dice; the result is accepted, or held for the game master's decision."""
        if self.source is None or not isinstance(waiting.question, Chance):
            return
        thrown = waiting.question.at_random(self.source.throw(self.record.throws + 1))
        if handling is Handling.ASK:
            self._steps.hold(DICE, waiting, thrown)
        else:
            self._steps.answer(DICE, waiting.step, waiting.part, thrown)

    def _comes_due(self, played: int) -> bool:
        """Begin a deadline that is due, or the next step of passing time. A deadline that is refused is skipped.

        After so many in one go, time stands until the game master lets it go on.
        """
        following = None if self._steps.open else next_of(self.scene, PASSING)
        if following is None or not following.is_clocks:
            return False
        call = following.call
        if played >= DUE_IN_ONE_GO and call.rule in (run_deadline, run_folded):
            self.stand_still(played)
            return True
        audience = next((each.audience for each in call.args if isinstance(each, Deadline)), Audience.EVERYONE)
        why = self.record.refused_just_now(CLOCK, call.plain())
        try:
            if why is None:
                self._steps.begin(CLOCK, call.rule.id, call.plain(), audience=audience)
                return True
        except Exception as wrong:
            if call.rule is not run_deadline:
                raise
            why = wrong.details if isinstance(wrong, RuleFault) else str(wrong)
        self._steps.begin(CLOCK, skip_deadline.id, {**call.plain(), "because": why}, audience=audience)
        return True

    def _is_the_tables(self, step: int, part: int) -> bool:
        """Whether a throw is or was the table's to make; anyone else who answers it overrules it."""
        if (step, part) in self.held or self.source is None:
            return (step, part) in self.held
        throws = (each for each in self.asking if isinstance(each.question, Chance))
        return any(each[:2] == (step, part) and self.handle(each) is not Handling.LEAVE for each in throws)

    def _next_throw(self) -> tuple[Open | None, Handling]:
        """The first throw that is the table's to make, and how to handle it."""
        if self.source is not None:
            for each in self.asking:
                is_open = each.step not in self.faults and (each.step, each.part) not in self.held
                if isinstance(each.question, Chance) and is_open:
                    handling = self.handle(each)
                    if handling is not Handling.LEAVE:
                        return each, handling
        return None, Handling.LEAVE
