"""How a plain fight falls apart into its fighters, for forecasts that look up one turn at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from referee.core import CLOCK, Call, Levels, Scene, State, Who, frozen
from referee.core.deferred import Deferred
from referee.core.effects import EFFECTS, NONE
from referee.core.questions import Question
from referee.kits.breakdown import EffectsOn, FightBreakdown, FighterFacts
from referee.kits.rounds import in_this_order
from referee.systems.distemper.attacks import hurt, lash_out
from referee.systems.distemper.checks import initiative_checks
from referee.systems.distemper.combat import FIGHT, Fight, Phase, within
from referee.systems.distemper.policies import aggressive
from referee.systems.distemper.sheet import Character, living

COUNTS: Final = ("left", "lost", "reactions")
"""What a fight counts for each fighter."""
MARKS: Final = ("passed", "gone", "frozen", "berserk", "involved", "rapid", "cover")
"""What a fight notes of some of them."""
ABOVE_ZERO: Final = 1_000
"""Added to initiative, which can be below 0."""


@frozen
class CombatantCondition:
    """What a scene holds about a fighter: the sheet, what lies on them, what a fight counts and notes of them."""

    sheet: Character
    effects: EffectsOn
    counts: tuple[int | None, ...]
    marks: frozenset[str]


class PlainBrawl(FightBreakdown):
    """Fights in which everyone attacks: nobody moves, holds another, or aims at one person alone."""

    at_once: ClassVar[bool] = True

    def refusal(self, scene: Scene, policy: Callable[..., Any]) -> str:
        fight = scene[FIGHT]
        if policy is not aggressive:
            return "somebody decides in a way of their own"
        if fight.phase is not Phase.INITIATIVE or fight.pins or fight.steps or fight.deferred:
            return "the round has begun, or somebody holds another"
        if any(each.against for each in scene.get(EFFECTS, NONE).lasting):
            return "somebody aims at one person alone"
        if CLOCK in scene and scene[CLOCK].deadlines:
            return "something is due already"
        if {each.name for each in living(scene, None)} - set(fight.fighters):
            return "somebody stands by who could be attacked"
        return ""

    def condition(self, state: State, who: str) -> Hashable:
        """Without Insight, which the policy never spends."""
        scene = Scene(state)
        fight, sheet = scene[FIGHT], scene[Who(who, Character)]
        return CombatantCondition(
            replace(sheet, insight=0 if sheet.player else sheet.insight),
            EffectsOn.of(scene.get(EFFECTS, NONE), who),
            tuple(getattr(fight, name).get(who) for name in COUNTS),
            frozenset(name for name in MARKS if who in getattr(fight, name)),
        )

    def only_of(self, condition: Hashable) -> str:
        return ""

    def rest(self, state: State) -> State:
        """Without the fighters, what is counted and noted of them, and the order of the round."""
        fight = Scene(state)[FIGHT]
        apart: dict[str, Any] = {name: Levels() for name in COUNTS} | {name: frozenset() for name in MARKS}
        bare = replace(fight, **apart, phase=Phase.INITIATIVE, round=0, scores=Levels())
        kept = {name: value for name, value in state.items() if name not in (*fight.fighters, EFFECTS.name)}
        return State(kept).but(FIGHT.name, bare)

    def between_rounds(self, rest: State, conditions: Mapping[str, Hashable]) -> State:
        found = {who: each for who, each in conditions.items() if isinstance(each, CombatantCondition)}
        apart: dict[str, Any] = {
            name: Levels({who: count for who, each in found.items() if (count := each.counts[at]) is not None})
            for at, name in enumerate(COUNTS)
        }
        apart |= {name: frozenset(who for who, each in found.items() if name in each.marks) for name in MARKS}
        laid = EffectsOn.laid({who: each.effects for who, each in found.items()})
        sheets = ((who, each.sheet) for who, each in found.items())
        return rest.after((*sheets, (FIGHT.name, replace(Scene(rest)[FIGHT], **apart)), (EFFECTS.name, laid)))

    def amid_turns(
        self, rest: State, conditions: Mapping[str, Hashable], order: Sequence[str], equals: Collection[str] = ()
    ) -> State:
        state, scores = self.between_rounds(rest, conditions), in_this_order(order)
        together = max((scores[name] for name in equals), default=0)
        at_once = Levels({**scores, **dict.fromkeys(equals, together)})
        fight = replace(Scene(state)[FIGHT], phase=Phase.ACTIONS, round=1, scores=at_once)
        return state.but(FIGHT.name, fight)

    def is_between_rounds(self, state: State) -> bool:
        return Scene(state)[FIGHT].phase is Phase.INITIATIVE

    def is_amid_turns(self, state: State) -> bool:
        return Scene(state)[FIGHT].phase is Phase.ACTIONS

    def facts(self, scene: Scene, who: str) -> FighterFacts:
        fight: Fight = scene[FIGHT]
        able, wp = fight.is_able(scene, who), scene[Who(who, Character)].wp
        return FighterFacts(
            able=able,
            stands=able,
            ready=fight.is_ready(scene, who),
            turns_taken=0,
            target_rank=(wp,) if able else None,
            is_led=who in fight.berserk,
            in_round=who in fight.left,
            seen=wp if able else None,
        )

    def initiative(self, scene: Scene, who: str) -> Call[Any]:
        return initiative_checks((Who(who, Character),))

    def initiative_score(self, scene: Scene, who: str, result: Any) -> int:
        (score,) = result.values()
        return int(score) + ABOVE_ZERO

    def scores(self, state: State) -> Mapping[str, int]:
        return {who: score + ABOVE_ZERO for who, score in Scene(state)[FIGHT].scores.items()}

    def order(self, state: State) -> tuple[str, ...]:
        scores = Scene(state)[FIGHT].scores
        return tuple(sorted(scores, key=lambda name: (-scores[name], name)))

    def is_immaterial(self, question: Question[Any]) -> bool:
        return False

    def horizon(self, state: State) -> int:
        return 10**9

    def split(self, condition: Hashable) -> tuple[Hashable, Hashable]:
        """Points decide only about damage, and whom others attack."""
        if not isinstance(condition, CombatantCondition):
            return condition, None
        sheet = condition.sheet
        return replace(condition, sheet=replace(sheet, wp=sheet.wp_full, rp=sheet.rp_full)), (sheet.wp, sheet.rp)

    def joined(self, condition: Hashable, aside: Hashable) -> Hashable:
        if not isinstance(condition, CombatantCondition) or not isinstance(aside, tuple):
            return condition
        wp, rp = aside
        return replace(condition, sheet=replace(condition.sheet, wp=wp, rp=rp))

    def is_left(self, call: Call[Any]) -> bool:
        """Damage is the same whoever did it; panic strikes whoever is close."""
        return call.rule in (hurt, lash_out)

    def partner(self, scene: Scene, call: Call[Any]) -> str | None:
        """Of panic: the game master says on whom; by default, the last of them."""
        if call.rule is not lash_out:
            return None
        victims = within(scene, call.args[0], 0)
        return victims[-1].name if victims else ""

    def waiting(self, state: State) -> tuple[Deferred, ...]:
        return Scene(state)[FIGHT].deferred

    def with_waiting(self, state: State, results: tuple[Deferred, ...]) -> State:
        fight = Scene(state)[FIGHT]
        return state if fight.deferred == results else state.but(FIGHT.name, replace(fight, deferred=results))
