"""How a plain fight falls apart into its fighters, for forecasts that look up one turn at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from referee.core import CLOCK, Call, Levels, Scene, State, Who, frozen
from referee.core.clock import PASSING, Clock, coming
from referee.core.effects import EFFECTS, NONE
from referee.core.encounter import stands
from referee.core.questions import Question
from referee.kits.breakdown import EffectsOn, FightBreakdown, FighterFacts
from referee.kits.dice_codes import Rolled
from referee.kits.rounds import in_this_order
from referee.systems.d6.combat.fast_draw import DRAWS_FAST
from referee.systems.d6.combat.initiative import (
    FUMBLES,
    METHOD,
    InitiativeMethod,
    initiative_of,
    standing_of,
)
from referee.systems.d6.combat.reach import CLOSE
from referee.systems.d6.combat.round import FIGHT, RoundPhase
from referee.systems.d6.health import DURATION
from referee.systems.d6.policies import aggressive, cautious, is_target, target_rank
from referee.systems.d6.sheet import Hero
from referee.systems.d6.wounds import NEUTRALIZED

COUNTS: Final = ("declared", "left", "added", "taken", "reactions")
"""What a fight counts for each fighter."""
APART: Final = (EFFECTS.name, PASSING.name)
"""What is put together anew: effects on people, and time that has passed."""
LONG_FIGHT: Final = 100
"""Rounds: what comes due later does so after the fight."""
ONE_CODE: Final = 1_000
"""More than any code has pips: a better total counts more than a better code."""


@frozen
class FighterCondition:
    """What a scene holds about a fighter: the sheet, what lies on them, and what they did in this round."""

    name: str
    """Who it is, if that matters: whoever fights somebody at close distance can be told from others like them."""
    sheet: Hero
    effects: EffectsOn
    counts: tuple[int, ...]


class PlainFight(FightBreakdown):
    """Fights in which nobody is bound to anyone else: no holds, no full reactions, no surprise."""

    def refusal(self, scene: Scene, policy: Callable[..., Any]) -> str:
        fight = scene[FIGHT]
        heroes = [Who(name, Hero) for name in fight.fighters]
        if policy not in (aggressive, cautious):
            return "somebody decides in a way of their own"
        if fight.phase is not RoundPhase.BEGIN or fight.surprised or fight.full or fight.deferred or fight.gone:
            return "the round has begun, or somebody is surprised or gone"
        if scene[METHOD] is not InitiativeMethod.VARIABLE or scene[FUMBLES] or scene[DRAWS_FAST]:
            return "initiative is not simply rolled"
        if any(scene[who].grapple or scene[who].spraying or scene[who].preparing for who in heroes):
            return "somebody holds another, or keeps a zone under fire"
        soon = any(each.at <= scene[CLOCK].now + LONG_FIGHT for each in coming(scene))
        return "something is due already" if soon or stands(scene, PASSING.name) else ""

    def condition(self, state: State, who: str) -> Hashable:
        """Without those whom one fights from afar: a melee that has not begun yet begins like that."""
        scene, hero = Scene(state), Who(who, Hero)
        fight, laid, sheet = scene[FIGHT], scene.get(EFFECTS, NONE), scene[hero]
        out = replace(sheet.unconscious, since=0, until=None) if sheet.unconscious is not None else None
        sheet = replace(sheet, unconscious=out, hurt_since=0, rests_since=Levels(), working=None)
        close = tuple(each for each in sheet.melee if each.distance == CLOSE)
        return FighterCondition(
            who if close else "",
            replace(sheet, melee=close),
            EffectsOn.of(laid, who),
            tuple(getattr(fight, name).get(who, 0) for name in COUNTS),
        )

    def only_of(self, condition: Hashable) -> str:
        return condition.name if isinstance(condition, FighterCondition) else ""

    def rest(self, state: State) -> State:
        """Without the fighters, what is counted for them, and what comes due long after the fight."""
        fight = Scene(state)[FIGHT]
        counted: dict[str, Any] = {name: Levels() for name in COUNTS}
        bare = replace(fight, **counted, phase=RoundPhase.BEGIN, round=0, scores=Levels(), initiative=Levels())
        kept = State({name: value for name, value in state.items() if name not in (*fight.fighters, *APART)})
        return kept.after(((FIGHT.name, replace(bare, preferred=(), acting="")), (CLOCK.name, Clock())))

    def between_rounds(self, rest: State, conditions: Mapping[str, Hashable]) -> State:
        found: dict[str, FighterCondition] = {
            who: each for who, each in conditions.items() if isinstance(each, FighterCondition)
        }
        counts: dict[str, Any] = {
            name: Levels({who: each.counts[at] for who, each in found.items() if each.counts[at]})
            for at, name in enumerate(COUNTS)
        }
        laid = EffectsOn.laid({who: each.effects for who, each in found.items()})
        sheets = ((who, each.sheet) for who, each in found.items())
        fight = replace(Scene(rest)[FIGHT], **counts)
        return rest.after((*sheets, (FIGHT.name, fight), (EFFECTS.name, laid)))

    def amid_turns(
        self, rest: State, conditions: Mapping[str, Hashable], order: Sequence[str], equals: Collection[str] = ()
    ) -> State:
        state = self.between_rounds(rest, conditions)
        fight = Scene(state)[FIGHT]
        return state.but(FIGHT.name, replace(fight, phase=RoundPhase.RESOLVE, round=1, scores=in_this_order(order)))

    def is_between_rounds(self, state: State) -> bool:
        return Scene(state)[FIGHT].phase is RoundPhase.BEGIN and not stands(Scene(state), PASSING.name)

    def is_amid_turns(self, state: State) -> bool:
        return Scene(state)[FIGHT].phase is RoundPhase.RESOLVE

    def facts(self, scene: Scene, who: str) -> FighterFacts:
        fight, hero = scene[FIGHT], Who(who, Hero)
        able = fight.is_able(scene, who)
        ready = able and fight.left.get(who, 0) > 0
        stands = able and scene[hero].wound != NEUTRALIZED
        rank = target_rank(scene, hero) if is_target(scene, hero) else None
        return FighterFacts(able, stands, ready, fight.taken.get(who, 0), rank)

    def initiative(self, scene: Scene, who: str) -> Call[Rolled]:
        return initiative_of(Who(who, Hero))

    def initiative_score(self, scene: Scene, who: str, result: Rolled) -> int:
        return self._score(scene, who, result.total)

    def _score(self, scene: Scene, who: str, total: int) -> int:
        """The total, then the code, then who is a player's; never below 0."""
        less, less_code, is_master_s = standing_of(scene, who, total)
        return (ONE_CODE - less) * ONE_CODE - less_code * 2 - is_master_s

    def scores(self, state: State) -> Mapping[str, int]:
        scene = Scene(state)
        return {who: self._score(scene, who, total) for who, total in scene[FIGHT].initiative.items()}

    def order(self, state: State) -> tuple[str, ...]:
        scores = Scene(state)[FIGHT].scores
        return tuple(sorted(scores, key=lambda name: -scores[name]))

    def is_immaterial(self, question: Question[Any]) -> bool:
        """How long somebody is unconscious; it is always minutes."""
        return question.name == DURATION

    def horizon(self, state: State) -> int:
        scene = Scene(state)
        return min((each.at - scene[CLOCK].now for each in coming(scene)), default=10**9)
