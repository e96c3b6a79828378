"""The tables of large scale combat: levels of engagement, what helps a general, results, the battle table, eras."""

from __future__ import annotations

from typing import Final

from referee.core import (
    Levels,
    Prompt,
    Scene,
    figure,
    figures,
    formula,
    frozen,
    refuse,
    rows,
    rule,
    rule_on,
)

ROUND: Final = "d6.battle.round"
ENGAGEMENT: Final = "d6.battle.engagement-levels"
GENERALS: Final = "d6.battle.generals-roll"
RESULTS: Final = "d6.battle.results"
TABLE: Final = "d6.battle.table"

STRATEGY: Final = figure("d6.skills.strategy-tactics", "skill", str)
MOST_RANKS: Final = figure(ENGAGEMENT, "most_ranks", int)
SPECOPS_FROM: Final = figure(ENGAGEMENT, "specops_from", str)
HEROES_DIVISOR: Final = figure(RESULTS, "heroes_divisor", int)
OFFSET: Final = figure(TABLE, "offset", Levels)

LEVEL: Final = Prompt("engagement-level")
GENERAL: Final = Prompt("general")
ARMIES_CLASH: Final = Prompt("armies-clash")
BATTLE_DICE: Final = Prompt("battle-table")
BATTLE_TURN: Final = Prompt("battle-turn")
EPISODE: Final = Prompt("battle-episode")
EVENT: Final = Prompt("battle-event")
ANOTHER: Final = "another"
"""An event of the game master's own making."""
BODY: Final = Prompt("vehicle-body")

ATTACKERS: Final = "attackers"
DEFENDERS: Final = "defenders"
BATTLE_SIDES: Final = (ATTACKERS, DEFENDERS)
SPECOPS_ATTACKERS: Final = Prompt("specops-attackers")
SPECOPS_DEFENDERS: Final = Prompt("specops-defenders")

NOT_INVOLVED: Final = "Not involved"
SUPPORT: Final = "Support"
SPECOPS: Final = "Specops"
PARRY: Final = "Parry"
MELEE: Final = ("melee combat", "heavy melee")
"""The skills with melee weapons, by which one parries."""


@figures(ROUND)
class BattleTime:
    """How short and how long a battle round may be, in minutes."""

    shortest_minutes: int
    longest_minutes: int


@figures(TABLE)
class BattleTable:
    """The dice of the battle table, the most an event is worth, and above which margin a defeat hurts more."""

    dice: int
    most_for_an_event: int
    margin_without_more_damage: int


@frozen
class EngagementLevel:
    """How deep in the battle somebody is: a rank among the others, and a column of the battle table."""

    name: str
    says: str
    rank: int | None = None
    column: int | None = None


@frozen
class BattleModifier:
    """What adds to a general's roll: points in a range, or points for so many percent."""

    name: str
    min: int | None = None
    max: int | None = None
    per: int = 0
    gives: int = 0
    most: int | None = None
    only: str = ""
    """The one side it is for."""
    one_side: bool = False
    """Whether only one of the sides can have it."""
    carried: bool = False
    """Whether it comes from the round before."""
    says: str = ""


@frozen
class BattleOutcome:
    """What a margin of the generals' roll means."""

    name: str
    says: str
    decides: bool = False


@frozen
class BattleLine:
    """A line of the battle table: damage, tactical points and whether something happens, in six columns."""

    name: str
    damage: tuple[int, ...]
    points: tuple[int, ...]
    event: tuple[bool, ...]


@frozen
class Era:
    """How much worse its weapons are, and the skill that helps against them."""

    name: str
    damage: int
    skill: str = ""
    at_least: bool = False
    """Whether the game master may set more, and the skill."""
    says: str = ""


ENGAGEMENT_LEVELS: Final = rows(ENGAGEMENT, "levels", EngagementLevel)
BATTLE_MODIFIERS: Final = rows(GENERALS, "modifiers", BattleModifier)
OUTCOMES: Final = rows(RESULTS, "outcomes", BattleOutcome, by=("min", "max"))


@frozen
class BattleEvent:
    """Something that may happen to a hero in a battle, for the table to play out."""

    name: str


LINES: Final = rows(TABLE, "lines", BattleLine, by=("min", "max"))
ERAS: Final = rows(TABLE, "eras", Era)
SAMPLE_EVENTS: Final = rows(TABLE, "sample_events", BattleEvent)


# --- what they say ----------------------------------------------------------------------------------------------------


SPECOPS_EFFECT: Final = "Specops effect"


@formula("d6.battle.generals-roll/condition", GENERALS)
def condition_points(scene: Scene, name: str, amount: int) -> int:
    """What a condition adds to a general's roll: its points, or points for so many percent."""
    row = scene[BATTLE_MODIFIERS][name]
    if not row.per:
        return amount
    points = amount // row.per * row.gives
    return points if row.most is None else min(points, row.most)


def check_conditions(scene: Scene, side: str, conditions: Levels) -> None:
    """Each condition within its range, and none that comes from the round before."""
    for name, amount in conditions.items():
        row = scene[BATTLE_MODIFIERS].look(name)
        if row.carried:
            refuse("it comes from the round before", what=row.name, rule=GENERALS)
        if row.only and row.only != side and amount:
            refuse(f"it is for the {row.only}", what=row.name, rule=GENERALS)
        if row.per and amount < 0:
            refuse("a percentage is not below 0", what=row.name, rule=GENERALS)
        if row.min is not None and row.max is not None and amount and not row.min <= amount <= row.max:
            refuse(f"it is {row.min:+} to {row.max:+}", what=row.name, rule=GENERALS)


def check_one_side(scene: Scene, mine: Levels, theirs: Levels) -> None:
    """Some conditions only one of the sides can have."""
    for name, amount in theirs.items():
        if amount and mine.get(name, 0) and scene[BATTLE_MODIFIERS].look(name).one_side:
            refuse("the other side has it", what=name, rule=GENERALS)


def as_printed(scene: Scene, conditions: Levels) -> Levels:
    """Conditions by their names as the book prints them; those that add nothing are left out."""
    return Levels({scene[BATTLE_MODIFIERS].look(name).name: amount for name, amount in conditions.items() if amount})


@formula("d6.battle.engagement-levels/check", ENGAGEMENT)
def check_level(scene: Scene, battle_round: int, before: str, level: str) -> None:
    """After the first round a level changes by one rank at most; Specops only from Support or less.

    Whoever comes back from Specops counts as having been at Support.
    """
    levels = scene[ENGAGEMENT_LEVELS]
    if battle_round == 1:
        return
    was = levels[SUPPORT if before == SPECOPS else before].rank or 0
    now = levels[level].rank
    if now is None:
        if was > (levels[scene[SPECOPS_FROM]].rank or 0):
            refuse(f"it takes {scene[SPECOPS_FROM]} or less in the round before", what=level, rule=ENGAGEMENT)
    elif abs(now - was) > scene[MOST_RANKS]:
        refuse(f"from {before} it is at most {scene[MOST_RANKS]} rank", what=level, rule=ENGAGEMENT)


@formula("d6.battle.results/outcome", RESULTS)
def outcome_of(scene: Scene, margin: int) -> BattleOutcome:
    """What a margin means."""
    return scene[OUTCOMES].at(margin)


@frozen
class BattleCell:
    """A cell of the battle table: `6d-2*` is damage of 6D, 2 tactical points, and something happens."""

    damage: int
    points: int
    event: bool


@formula("d6.battle.table/cell", TABLE)
def battle_cell(scene: Scene, result: str, level: str, total: int) -> BattleCell:
    """What the table says of somebody: by how it went for their side, where they are, and their total."""
    column = scene[ENGAGEMENT_LEVELS][level].column
    if column is None:
        refuse("nobody rolls there", what=level, rule=TABLE)
    line, at = scene[LINES].at(total), column + scene[OFFSET][result]
    return BattleCell(line.damage[at], line.points[at], line.event[at])


@formula("d6.battle.table/events", TABLE)
def sample_events(scene: Scene) -> tuple[str, ...]:
    """What may happen to somebody in a battle, to begin with; the game master thinks of more."""
    return scene[SAMPLE_EVENTS].names


@rule("d6.battle.table/episode", TABLE)
async def episode(scene: Scene) -> str:
    """What happens to a hero: one of the book's, or something that the game master thinks of."""
    chosen = await rule_on(EPISODE, ANOTHER, options=(*sample_events(scene), ANOTHER))
    return chosen if chosen == ANOTHER else scene[SAMPLE_EVENTS][chosen].name


@formula("d6.battle.results/margin", RESULTS)
def final_margin(scene: Scene, margin: int, points: int) -> int:
    """The margin, less half of the losing heroes' tactical points if these are more than it; never below 0."""
    return margin if points <= margin else max(0, margin - points // scene[HEROES_DIVISOR])
