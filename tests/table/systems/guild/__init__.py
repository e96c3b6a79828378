"""The smallest system whose creation needs everything: each kind of field, budgets, reasons, a throw, growth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, final

from referee.core import (
    D6,
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Levels,
    Open,
    Own,
    Part,
    PickOne,
    PickSeveral,
    Pool,
    Reason,
    Refused,
    RollDice,
    Scene,
    SpreadPoints,
    System,
    Who,
    WriteText,
    figure,
    rows,
)
from referee.core.plain import Plain


@final
@dataclass(frozen=True, slots=True)
class Age:
    name: str
    points: int
    crafts: int
    dice: int


@final
@dataclass(frozen=True, slots=True)
class Craft:
    name: str
    needs: str = ""


@final
@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    price: int


@final
@dataclass(frozen=True, slots=True)
class Flaw:
    name: str


AGES: Final = rows("guild.creation.ages", "ages", Age)
TRAITS: Final = figure("guild.creation.traits", "traits", tuple[str, ...])
LEAST: Final = figure("guild.creation.traits", "least", int)
MOST: Final = figure("guild.creation.traits", "most", int)
CRAFTS: Final = rows("guild.creation.crafts", "crafts", Craft)
CRAFT_LEVEL: Final = figure("guild.creation.crafts", "level", int)
TOOLS: Final = rows("guild.creation.tools", "tools", Tool)
FLAWS: Final = rows("guild.creation.flaws", "flaws", Flaw)
MOST_FLAWS: Final = figure("guild.creation.flaws", "most", int)
FACTOR: Final = figure("guild.growth.traits", "factor", int)
MOST_EVER: Final = figure("guild.growth.traits", "most", int)
PURSE: Final = "guild.creation.purse"
CHOOSE_AGE: Final = Reason("choose an age first", AGES.rule)


@final
@dataclass(frozen=True, slots=True)
class Adept:
    traits: Open[Levels] = field(default_factory=Levels)
    crafts: Open[tuple[str, ...]] = ()
    tools: Open[tuple[str, ...]] = ()
    flaws: Open[tuple[str, ...]] = ()
    coins: Open[int] = 0
    xp: Open[int] = 0
    motto: Open[str] = ""
    secret: Own[str] = ""


def age(scene: Scene, draft: Draft) -> Age | None:
    return scene[AGES].look(draft.one("age")) if draft.one("age") else None


def needs_age(scene: Scene, draft: Draft) -> Reason | None:
    return None if age(scene, draft) else CHOOSE_AGE


def points(scene: Scene, draft: Draft) -> int:
    found = age(scene, draft)
    return found.points if found else 0


def traits(scene: Scene, draft: Draft) -> Iterator[Part]:
    least, most = scene[LEAST], scene[MOST]
    why = Reason(f"a trait is {least} to {most}", TRAITS.rule)
    for name in scene[TRAITS]:
        yield Part(name, least, most, why, price=lambda level: level - 1)


def crafts(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    for row in scene[CRAFTS]:
        short = row.needs and draft.level("traits", row.needs, 1) < scene[CRAFT_LEVEL]
        yield DraftOption(row.name, barred=Reason(f"needs {row.needs} 3", CRAFTS.rule) if short else None, weight=1)


def how_many(scene: Scene, draft: Draft) -> int:
    found = age(scene, draft)
    return found.crafts if found else 0


def coins(scene: Scene, draft: Draft) -> int:
    return sum(draft.dice("purse"))


def dice(scene: Scene, draft: Draft) -> Pool:
    found = age(scene, draft)
    return Pool.of((D6, found.dice if found else 0))


def finish(scene: Scene, draft: Draft) -> Adept:
    spent = sum(scene[TOOLS].look(each).price if each in scene[TOOLS] else 1 for each in draft.several("tools"))
    return Adept(
        Levels({name: draft.level("traits", name, 1) for name in scene[TRAITS]}),
        draft.several("trade"),
        draft.several("tools"),
        draft.several("flaws"),
        coins(scene, draft) - spent,
        motto=draft.one("motto"),
        secret=draft.one("secret"),
    )


def templates(scene: Scene) -> Mapping[str, Mapping[str, Plain]]:
    return {"Journeyman": {"age": "Young", "traits": {"Brawn": 4, "Wits": 3, "Grace": 2}, "trade": ["Smith"]}}


CREATION: Final = Creation(
    steps=(
        DraftStep(
            "age", (PickOne("age", lambda scene, _: [DraftOption(row.name) for row in scene[AGES]], rule=AGES.rule),)
        ),
        DraftStep(
            "traits",
            (
                SpreadPoints("traits", traits, rule=TRAITS.rule, budget="points", when=needs_age),
                PickSeveral(
                    "flaws",
                    lambda scene, _: [DraftOption(row.name, -1) for row in scene[FLAWS]],
                    most=lambda scene, _: scene[MOST_FLAWS],
                    rule=FLAWS.rule,
                    budget="points",
                ),
            ),
        ),
        DraftStep("trade", (PickSeveral("trade", crafts, how_many, how_many, rule=CRAFTS.rule, when=needs_age),)),
        DraftStep(
            "gear",
            (
                RollDice("purse", dice, ("age",), rule=PURSE, when=needs_age),
                PickSeveral(
                    "tools",
                    lambda scene, _: [DraftOption(row.name, row.price) for row in scene[TOOLS]],
                    own=1,
                    rule=TOOLS.rule,
                    budget="coins",
                ),
            ),
        ),
        DraftStep("person", (WriteText("secret", 300), WriteText("motto", optional=True))),
    ),
    finish=finish,
    budgets=(DraftBudget("points", points, TRAITS.rule), DraftBudget("coins", coins, PURSE, exact=False)),
    templates=templates,
)


def grown(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Each trait by one level, and no lower than it was."""
    for name in scene[TRAITS]:
        now = draft.sheet.traits.get(name, 1)
        most = min(now + 1, scene[MOST_EVER])
        why = Reason("one level a season, and none is sold", FACTOR.rule)
        yield Part(name, now, most, why, price=partial(price_of_growth, scene[FACTOR], now))


def price_of_growth(factor: int, now: int, level: int) -> int:
    return factor * level if level > now else 0


def finish_growth(scene: Scene, draft: Draft) -> Adept:
    sheet: Adept = draft.sheet
    raised = {part.name: draft.level("traits", part.name, part.least) for part in grown(scene, draft)}
    paid = sum(part.price(raised[part.name]) for part in grown(scene, draft))
    return replace(sheet, traits=Levels(raised), xp=sheet.xp - int(paid))


GROWTH: Final = Creation(
    steps=(DraftStep("traits", (SpreadPoints("traits", grown, rule=FACTOR.rule, budget="xp"),)),),
    finish=finish_growth,
    budgets=(DraftBudget("xp", lambda _, draft: draft.sheet.xp, FACTOR.rule, exact=False),),
)


def check(scene: Scene, who: Who[Adept]) -> None:
    for name, level in scene[who].traits.items():
        if name not in scene[TRAITS] or not 1 <= level <= scene[MOST_EVER]:
            raise Refused(name, because=f"{level} is out of range", rule=TRAITS.rule)
    if len(scene[who].flaws) > scene[MOST_FLAWS]:
        raise Refused("flaws", because="one at most", rule=FLAWS.rule)


SYSTEM: Final = System(
    name="guild",
    title="The guild",
    folder=Path(__file__).parent,
    version=1,
    sheet=Adept,
    check=check,
    creation=CREATION,
    advancement=GROWTH,
)
