"""The first step: a template to start from, or one of one's own; species, attributes, Move and what else it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from referee.core import BOOK, Draft, DraftOption, Part, PickOne, PickSeveral, Reason, Scene, SpreadPoints, figure
from referee.core.drafts import DraftField, Price
from referee.core.errors import BadInput
from referee.core.plain import read
from referee.kits.dice_codes import Code
from referee.systems.d6 import templates
from referee.systems.d6.creation.build import Build, ThisBook, build_of, spoken, stat
from referee.systems.d6.creation.chance import nothing, some_attributes
from referee.systems.d6.creation.points import (
    ABILITIES,
    ATTRIBUTE_CHANGES,
    ATTRIBUTE_COST,
    SPECIES_RULE,
    TEMPLATE_COST,
    TRAIT_CHANGES,
    TRAIT_COST,
    Changes,
    attribute_cost,
    budget_of,
    trait_cost,
)
from referee.systems.d6.sheet import ATTRIBUTES
from referee.systems.d6.species import BULK, FORMAT, SPECIES, bulk_of, species_warning
from referee.systems.d6.templates import (
    ABILITY_LIST,
    CLASSES,
    EQUIPMENT_LIST,
    STATUSES,
    TEMPLATES,
    appearance_tp,
    in_use,
    move_tp,
    pips_tp,
    species_tp,
    status_caution,
    status_tp,
    template_move,
    template_value,
)
from referee.systems.d6.traits import effects_of

OWN_DESIGN: Final = "own design"
AS_TEMPLATE: Final = Reason("the game master keeps it as the template has it", TRAIT_COST)


NO_SPECIES: Final = figure("d6.setting.creation", "no_species", tuple[str, ...])


def template_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    yield DraftOption(
        OWN_DESIGN, says=f"{scene[templates.AttributeFigures].budget} for attributes as you like", weight=3
    )
    yield from _printed_templates(ThisBook(scene[BOOK]))


@lru_cache(maxsize=16)
def _printed_templates(this: ThisBook) -> tuple[DraftOption, ...]:
    scene = this.scene
    codes = {row: ", ".join(f"{name} {code}" for name, code in row.attributes.items()) for row in scene[TEMPLATES]}
    return tuple(
        DraftOption(row.name, says=f"{template_value(scene, row):+d} TP: {says}") for row, says in codes.items()
    )


def species_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    template = build_of(scene, draft).template
    free = species_tp(scene, template.species) if template else 0
    for row in scene[SPECIES]:
        bulk = scene[BULK].at(bulk_of(scene, row))
        if not bulk.pc_allowed:
            yield DraftOption(row.name, barred=Reason(f"{bulk.name} is not for player characters", BULK.rule))
            continue
        if row.name in scene[NO_SPECIES]:
            yield DraftOption(row.name, barred=Reason("it is not for players in this setting", NO_SPECIES.rule))
            continue
        says = _species_says(ThisBook(scene[BOOK]), row.name)
        yield DraftOption(row.name, species_tp(scene, row.name) - free, says=says)


@lru_cache(maxsize=64)
def _species_says(this: ThisBook, name: str) -> str:
    row = this.scene[SPECIES].look(name)
    return species_warning(this.scene, row) or row.description


def joint(
    levels: Mapping[str, int], base: Mapping[str, int], total: Callable[[Mapping[str, int]], Price]
) -> dict[str, Callable[[int], Price]]:
    """Prices of parts whose worth is worked out together: each pays what it adds to those before it."""

    def price(before: Mapping[str, int], name: str, level: int) -> Price:
        return total({**before, name: level}) - total(before)

    found: dict[str, Callable[[int], Price]] = {}
    before = dict(base)
    for name in base:
        found[name] = partial(price, dict(before), name)
        before[name] = levels[name]
    return found


def attribute_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    """Attributes, a pip at a time: blank ones share the dice that everyone has, those of a template have a price."""
    build = build_of(scene, draft)
    keeps = build.template is not None and scene[ATTRIBUTE_CHANGES] is Changes.AS_TEMPLATE
    together = joint(build.attributes, build.base, lambda now: pips_tp(scene, sum(now.values())))
    for name in scene[ATTRIBUTES].names:
        (low, high), base = build.bounds[name], build.base[name]
        why = Reason(f"of a {build.species.name} it is {stat(scene, low)} to {stat(scene, high)}", FORMAT)
        if keeps:
            low = high = min(max(base, low), high)
            why = Reason("the game master keeps attributes as the template has them", ATTRIBUTE_COST)
        price = partial(_changed, scene, base) if build.template else together[name]
        yield Part(name, low, high, why, price, build.starts[name], write=build.written)


def _changed(scene: Scene, base: int, level: int) -> Price:
    return attribute_cost(scene, stat(scene, base), stat(scene, level))


def one_trait(build: Build, part: Part, tp: Callable[[int], int], rule: str) -> Part:
    """Move, rank or Wealth: its bounds, and the difference to the template in points."""
    scene, start = build.scene, part.begins
    bounds = f"{part.least} to {part.most}" if part.most is not None else f"{part.least} or more"
    part = replace(
        part, why=Reason(f"it is {bounds}", rule), price=lambda level: trait_cost(scene, tp(start), tp(level))
    )
    if build.template is None or scene[TRAIT_CHANGES] is Changes.ALLOWED:
        return part
    return replace(part, least=start, most=start, why=AS_TEMPLATE)


def move_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    build = build_of(scene, draft)
    low, high = build.species.move
    least = low if scene[templates.LOW_MOVE] is templates.LowMove.WITHIN else scene[templates.TemplateMove].least
    same = build.template is not None and build.template.species == build.species.name
    start = template_move(scene, build.template) if build.template and same else low
    yield one_trait(
        build, Part("Move", least, high, start=start), partial(move_tp, scene, build.species.name), templates.MOVE
    )


def status_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    build, known = build_of(scene, draft), [row.status for row in scene[STATUSES]]
    start = templates.template_status(scene, build.template or templates.Template(""))
    part = Part("Social Status", min(known), max(known), start=start)
    row = scene[STATUSES].at(min(max(build.status, min(known)), max(known)))
    caution = "; think twice about it" if status_caution(scene, row.status) else ""
    part = one_trait(build, part, partial(_status, scene, min(known), max(known)), templates.STATUS)
    yield replace(part, says=f"{row.medieval_europe}, {row.modern_france}, {row.space_opera}{caution}")


def _status(scene: Scene, least: int, most: int, level: int) -> int:
    return status_tp(scene, min(max(level, least), most))


def wealth_parts(scene: Scene, draft: Draft) -> Iterator[Part]:
    build, found = build_of(scene, draft), scene[templates.WealthFigures]
    most = None if scene[templates.RICH] is templates.RichAs.UNLIMITED else found.suggested_maximum.dice
    part = Part("Wealth", found.minimum.dice, most, start=build.base_wealth)
    yield one_trait(build, part, lambda dice: (dice - found.average.dice) * found.tp_per_die, templates.WEALTH)


def whole_dice(name: str, written: str) -> int:
    """Wealth by its code; it is bought by the die."""
    code: Code = read(Code, written)
    if code.pips:
        raise BadInput("", f"must be whole dice, not {written!r}")
    return code.dice


def appearance_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    build = build_of(scene, draft)
    base = build.base_appearance
    keeps = build.template is not None and scene[TRAIT_CHANGES] is Changes.AS_TEMPLATE
    for row in scene[CLASSES]:
        barred = AS_TEMPLATE if keeps and row.name != base else None
        if asker := next((one for one in build.asking if one.appearance and row.name not in one.appearance), None):
            barred = Reason(f"{asker.name} does not go with it", build.rule_of[asker.name])
        price = trait_cost(scene, appearance_tp(scene, base), appearance_tp(scene, row.name))
        yield DraftOption(row.name, price, barred)


def ability_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    build = build_of(scene, draft)
    granted = (each.effect.does for trait in build.traits for each in effects_of(scene, trait))
    had = {getattr(does, "action", "") for does in granted} | {trait.name for trait in build.traits}
    for row in scene[ABILITY_LIST]:
        barred = Reason(f"needs {row.needs}", ABILITIES) if row.needs and row.needs not in had else None
        yield DraftOption(row.name, row.tp, barred)


def equipment_options(scene: Scene, draft: Draft) -> Iterator[DraftOption]:
    for row in scene[EQUIPMENT_LIST]:
        yield DraftOption(row.name, row.tp)


def template_fields(scene: Scene, draft: Draft) -> tuple[DraftField, ...]:
    pays, trait = budget_of(scene), TRAIT_COST
    optional: dict[str, DraftField] = {
        templates.APPEARANCE: PickOne("appearance", appearance_options, optional=True, rule=trait, budget=pays),
        templates.STATUS: SpreadPoints("social_status", status_parts, rule=trait, budget=pays, chance=nothing),
        templates.WEALTH: SpreadPoints(
            "wealth", wealth_parts, level=whole_dice, rule=trait, budget=pays, chance=nothing
        ),
        templates.ABILITIES: PickSeveral("special_abilities", ability_options, rule=ABILITIES, budget=pays),
        templates.EQUIPMENT: PickSeveral("equipment", equipment_options, own=0, rule=templates.EQUIPMENT, budget=pays),
    }
    return (
        PickOne("template", template_options, rule=TEMPLATE_COST),
        PickOne("species", species_options, optional=True, rule=SPECIES_RULE, budget=pays),
        SpreadPoints(
            "attributes",
            attribute_parts,
            level=partial(spoken, scene),
            rule=ATTRIBUTE_COST,
            budget=pays,
            chance=some_attributes,
        ),
        SpreadPoints("move", move_parts, rule=trait, budget=pays, chance=nothing),
        *(field for rule, field in optional.items() if in_use(scene, rule)),
    )
