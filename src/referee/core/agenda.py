"""What comes next at a table: the deadlines that are due, then the innermost of the encounters that are played.

Every driver plays what `next_of` says: the live table, scripts, samples and exact chains.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from referee.core.clock import CLOCK, PASSING, Clock, go_on, run_deadline
from referee.core.encounter import PLAYING, Encounter, Playing, encounters, ending, outer_of, stands
from referee.core.errors import BadInput, NotKnown, RefereeError
from referee.core.knowledge import NOBODY, known_to
from referee.core.plain import Plain, unknown, write
from referee.core.requests import change, tell
from referee.core.rules import Call, rule
from referee.core.run import Run
from referee.core.scene import Scene, State, Who
from referee.core.visibility import hidden_names


class NextStep(NamedTuple):
    """The step that comes next, and the encounter it belongs to; None for a deadline that is due."""

    call: Call[Any]
    encounter: Who[Any] | None
    awaited: tuple[str, ...] = ()
    """Whose own action the step only stands for: where people play, it waits until they act."""

    @property
    def is_clocks(self) -> bool:
        """Whether it is a step of time passing."""
        return not self.waits and (self.encounter is None or self.encounter == PASSING)

    @property
    def waits(self) -> bool:
        """Whether it waits for the game master: time stands until he lets it go on."""
        return self.call.rule is go_on


def next_of(scene: Scene, of: Who[Any] | None = None) -> NextStep | None:
    """The step that comes next in a scene, or in one of its encounters and what stands inside it.

    Deadlines that are due come first, then time that is passing, then the encounter the game master chose, or the only
    one there is; the innermost plays first. One that is over ends, except `of` itself. None means that nothing comes
    next by itself, or that the game master has to say which.
    """
    clock = scene.get(CLOCK, Clock())
    due = clock.due(clock.now)
    if clock.stands:
        return NextStep(go_on(), None)
    if due is not None:
        return NextStep(run_deadline(due), None)
    who = playing(scene, of)
    if who is None or (who == of and ending(scene, who) is not None):
        return None
    value: Encounter = scene[who]
    if value.over(scene, who) is not None:
        return NextStep(end_encounter(who), who)
    if value.by_hand:
        return None
    return NextStep(value.next_step(scene, who), who, tuple(value.awaited(scene, who)))


def playing(scene: Scene, of: Who[Any] | None = None) -> Who[Any] | None:
    """The encounter that is played now: the innermost of what the game master chose, or of `of`."""
    here = [each for each in encounters(scene) if each != PASSING]
    found = _outermost(scene, here, of)
    been = {found}
    while found is not None:
        inner = [each for each in here if outer_of(scene, each) == found.name and each not in been]
        if not inner:
            return found
        found = _only(scene, inner)
        been.add(found)
    return None


def undecided(scene: Scene, of: Who[Any] | None = None) -> tuple[Who[Any], ...]:
    """The encounters among which the game master has to choose before any step of them comes next."""
    here = tuple(each for each in encounters(scene) if each not in (PASSING, of) and stands(scene, each.name))
    return here if playing(scene, of) is None else ()


def _outermost(scene: Scene, here: Sequence[Who[Any]], of: Who[Any] | None) -> Who[Any] | None:
    """Where to begin: with time that is passing, with `of`, with what was chosen, or with the only one."""
    if PASSING in scene and stands(scene, PASSING.name):
        return PASSING
    if of is not None:
        return None if of == PASSING else of
    chosen = scene.get(PLAYING, Playing()).encounter
    if chosen and stands(scene, chosen):
        return scene.who(chosen)
    names = {each.name for each in here}
    return _only(scene, [each for each in here if outer_of(scene, each) not in names - {each.name}])


def _only(scene: Scene, several: Sequence[Who[Any]]) -> Who[Any] | None:
    """One that is over, else the only one, else the only one that is not hidden; None if that does not decide."""
    for each in several:
        if not stands(scene, each.name):
            return each
    hidden = hidden_names(scene.state)
    in_sight = [each for each in several if each.name not in hidden]
    return several[0] if len(several) == 1 else in_sight[0] if len(in_sight) == 1 else None


def ending_of(scene: Scene, encounter: Who[Any]) -> Hashable:
    """How an encounter that was played to its end has ended."""
    how = ending(scene, encounter)
    names = ", ".join(each.name for each in undecided(scene, encounter))
    if how is None and names:
        raise BadInput("encounter", f"several stand inside {encounter}: {names}; say which one is played")
    if how is None:
        raise BadInput(encounter.name, "is not over")
    return how


def check_choice(scene: Scene, name: str) -> None:
    """Refuse to play an encounter that does not stand."""
    known = tuple(each.name for each in encounters(scene) if each != PASSING and stands(scene, each.name))
    if name not in known:
        raise BadInput("encounter", unknown(name, known))


def check_starts(scene: Scene, name: str) -> None:
    """Refuse a new encounter that could not be played: one that is over already, or whose first step is refused."""
    who = scene.who(name)
    value: Encounter = scene[who]
    if value.over(scene, who) is not None:
        raise BadInput(name, "it would be over at once: who takes part, or what it needs, is missing")
    if not value.by_hand:
        Run(Scene(scene.state), value.next_step(scene, who), silent=True).close()


@rule("referee.encounter.end")
async def end_encounter(scene: Scene, encounter: Who[Any]) -> None:
    """An encounter leaves the scene, and the story says how it ended, as far as everyone knows."""
    value, outer = scene[encounter], outer_of(scene, encounter)
    how = _known_ending(scene, encounter)
    await tell("encounter-over", encounter=encounter.name, kind=type(value).__name__, ending=how)
    await change(encounter, None)
    if scene.get(PLAYING, Playing()).encounter == encounter.name:
        await change(PLAYING, Playing(outer))


def _known_ending(scene: Scene, encounter: Who[Any]) -> Plain:
    """How an encounter ended, computed from what everyone knows, so that the story gives nothing away."""
    everything = State({each.name: scene[each] for each in _everything(scene)})
    known = Scene(known_to(everything, NOBODY))
    value = known.read(encounter.name)
    try:
        return write(value.told_ending(known, encounter)) if isinstance(value, Encounter) else None
    except (NotKnown, RefereeError):
        return None


def _everything(scene: Scene) -> Iterable[Who[Any]]:
    kind: Any = object
    return scene.all(kind)
