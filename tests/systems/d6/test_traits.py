"""Every merit and flaw, at every level, changes the rolls it names and no other; what no roll reads yet is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.core import Effect, Levels, Scene, State, Who, applying
from referee.core.effects import Adds
from referee.core.run import Run
from referee.systems.d6.codes import abilities
from referee.systems.d6.resolution import quality_roll
from referee.systems.d6.sheet import ATTRIBUTES, SKILLS, Hero
from referee.systems.d6.traits import FLAWS, MERITS, TABLES, CharacterTrait, TraitRow, effects_of, trait_row

D6 = registry.load("d6")
NAMES = ("Agility", "Coordination", "Strength", "Knowledge", "Perception", "Charisma", "Technical")
STATE = D6.state({"ana": {"attributes": dict.fromkeys(NAMES, "6D")}})
BOOK = Scene(STATE)
ANA = Who("ana", Hero)
SUBJECT = "the matter at hand"
PENDING = Path(__file__).parents[3] / "docs" / "d6-pending-effects.md"


def every_level() -> Iterator[tuple[str, int]]:
    """Every merit, flaw and exotic trait at every level; those without a highest, up to the third."""
    for table in TABLES:
        for row in BOOK[table]:
            yield from ((row.name, level) for level in range(1, (row.most_level or 3) + 1))


LEVELS = tuple(every_level())


def having(*traits: CharacterTrait) -> State:
    merits = tuple(each for each in traits if trait_row(BOOK, each.name)[1] in (MERITS, TABLES[2]))
    flaws = tuple(each for each in traits if each not in merits)
    sheet = BOOK[ANA]
    return STATE.but("ana", Hero(attributes=sheet.attributes, merits=merits, flaws=flaws))


def dice_and_pips(state: State, using: str, situation: tuple[str, ...]) -> tuple[int, int, int]:
    """What is rolled for an ability in a situation: its dice, its pips, and what its difficulty is raised by."""
    run = Run(Scene(state), quality_roll(ANA, using, situation=situation))
    question: Any = run.asking[0]
    mods = [mod for mod in question.mods if mod.unit == "pips"]
    harder = sum(mod.amount for mod in applying(Scene(state), ANA, *situation).mods if mod.unit == "difficulty")
    return sum(count for _, count in question.pool.groups), sum(mod.amount for mod in mods), harder


def situation_of(effect: Effect) -> tuple[str, tuple[str, ...]]:
    """An ability to roll and a situation in which an effect applies."""
    abilities = [tag for tag in sorted(effect.when) if tag in BOOK[SKILLS] or tag in BOOK[ATTRIBUTES]]
    return (abilities[0] if abilities else "Strength"), tuple(sorted(effect.when - {"any roll"}))


def sums(trait: CharacterTrait, when: frozenset[str]) -> tuple[int, int, int]:
    """What a trait adds in a situation, by its data: dice, pips, difficulty."""
    found = [each.effect.does for each in effects_of(BOOK, trait) if each.effect.fits(when)]
    amounts = {"": 0, "pips": 0, "difficulty": 0}
    for does in found:
        if isinstance(does, Adds):
            amounts[does.unit] += does.amount
    return amounts[""], amounts["pips"], amounts["difficulty"]


SITUATIONS = frozenset(
    tag.replace("about", SUBJECT)
    for name, level in LEVELS
    for each in effects_of(BOOK, CharacterTrait(name, level))
    for tag in each.effect.when
)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_its_effects_change_the_rolls_they_name(name: str, level: int) -> None:
    trait = CharacterTrait(name, level, about=SUBJECT)
    state, none = having(trait), having()
    for active in effects_of(BOOK, trait):
        if isinstance(active.effect.does, Adds) and not active.effect.when & {"advancement", "creation"}:
            using, situation = situation_of(active.effect)
            for_all = tuple(each for each in situation if each != SUBJECT)
            before, after = dice_and_pips(none, using, for_all), dice_and_pips(state, using, situation)
            changed = tuple(now - was for was, now in zip(before, after, strict=True))
            tags = active.effect.when | {using, "any roll", "action"}
            expected = sums(trait, tags)
            assert expected != (0, 0, 0) or (name, level) == ("Natural weapon", 1)  # it is its Strength, no more
            assert changed == (max(expected[0], -before[0]), *expected[1:])


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_it_changes_no_other_roll(name: str, level: int) -> None:
    trait = CharacterTrait(name, level, about=SUBJECT)
    scene = Scene(having(trait))
    wanted = [each.effect.when for each in effects_of(BOOK, trait)]
    abilities = (*BOOK[ATTRIBUTES].names, *BOOK[SKILLS].names)
    for tag in (*abilities, *SITUATIONS):
        if not any(when <= {tag, "any roll"} for when in wanted):
            applied = applying(scene, ANA, tag, "any roll", "action", "skill")
            assert [each for each in applied.active if each.source == name] == [], tag


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_it_does_something_or_is_for_the_story_and_says_so(name: str, level: int) -> None:
    row = trait_row(BOOK, name)[0]
    does = list(effects_of(BOOK, CharacterTrait(name, level)))
    printed = row.level(level)
    rolls = row.roll or (printed and printed.roll)
    assert does or rolls or row.effects_per_miss or row.says or (printed and printed.says)


@pytest.mark.parametrize(
    ("name", "level", "when", "dice"),
    [
        ("Absolute direction", 1, ["Navigation"], 1),
        ("Absolute timing", 1, ["time travel"], -1),
        ("Acute hearing", 1, ["hearing"], 1),
        ("Acute hearing", 2, ["hearing"], 2),
        ("Acute hearing", 1, ["interaction", "natural voice"], 0),
        ("Acute hearing", 2, ["interaction", "natural voice"], 1),
        ("Acute hearing", 2, ["damage taken", "sonic"], 2),
        ("Acute sight", 2, ["sight"], 2),
        ("Acute sight", 1, ["damage taken", "intense light"], 1),
        ("Acute smell and taste", 2, ["smell and taste"], 2),
        ("Acute smell and taste", 2, ["interaction", "body odor"], 1),
        ("Animal empathy", 1, ["wild animals"], 1),
        ("Animal empathy", 1, ["domestic animals"], 2),
        ("Authority", 2, ["interaction", "identified officer"], 2),
        ("Combat sense", 1, ["initiative"], 1),
        ("Good reputation", 1, ["interaction", SUBJECT], 1),
        ("Good reputation", 2, ["interaction", SUBJECT], 2),
        ("High pain threshold", 1, ["wound penalty"], 1),
        ("High pain threshold", 2, ["resist pain"], 4),
        ("Lightning calculator", 1, ["calculation"], 1),
        ("Magical resistance", 3, ["resist magic"], 3),
        ("Night vision", 1, ["darkness penalty"], 2),
        ("Psionic resistance", 2, ["resist psionics"], 2),
        ("Rapid healing", 1, ["recovery"], 1),
        ("Sense of balance", 1, ["balance"], 1),
        ("Voice", 1, ["Diplomacy"], 1),
        ("Voice", 1, ["Persuasion"], 0),
        ("Age old", 1, ["initiative"], -1),
        ("Albinos", 1, ["sight", "strong light"], -1),
        ("Allergy", 3, ["allergen"], -1),
        ("Bad hearing", 1, ["hearing"], -1),
        ("Bad sense of taste and smell", 1, ["smell and taste"], -1),
        ("Bad sight", 2, ["sight", "without glasses"], -1),
        ("Bad sight", 1, ["sight"], 0),
        ("Blind", 1, ["interaction", "pity"], 1),
        ("Color blind", 1, ["colors"], -1),
        ("Eunuch", 1, ["Seduction"], -3),
        ("Eunuch", 1, ["interaction", "known eunuch"], -1),
        ("One handed", 1, ["both hands"], -2),
        ("One handed", 2, ["both hands"], -3),
        ("One handed", 2, ["Intimidation"], 1),
        ("Hemophiliac", 1, ["death check"], -1),
        ("Lame", 1, ["legs"], -1),
        ("Lame", 2, ["legs"], -2),
        ("Lame", 3, ["legs"], 0),
        ("Lame", 3, ["melee"], -2),
        ("Low pain threshold", 1, ["wound penalty"], -1),
        ("Low pain threshold", 1, ["resist pain"], -1),
        ("Low pain threshold", 1, ["knock-out"], -1),
        ("One eye", 1, ["spatial perception"], -1),
        ("One eye", 1, ["interaction"], -1),
        ("Stuttering", 1, ["interaction", "speech"], -1),
        ("Stuttering", 1, ["interaction", "speech", "fast talk"], -3),
        ("Stuttering", 1, ["interaction", "fast talk"], -3),
        ("Innocent", 1, ["resist lies"], -2),
        ("Shy", 1, ["interaction", "strangers"], -1),
        ("Traumatic flashback", 2, ["flashback"], -2),
        ("Unable to lie", 1, ["lying"], -2),
        ("Unable to lie", 2, ["lying"], -4),
        ("Bad reputation", 2, ["interaction", SUBJECT], -2),
        ("Aquatic species", 3, ["dry environment"], -3),
    ],
)
def test_so_many_dice(name: str, level: int, when: list[str], dice: int) -> None:
    assert sums(CharacterTrait(name, level, about=SUBJECT), frozenset(when))[0] == dice


@pytest.mark.parametrize(
    ("name", "level", "when", "pips"),
    [
        ("Rapid healing", 1, "death check", 1),
        ("Toughness", 2, "resist damage", 2),
        ("Natural armor", 6, "resist damage", 6),
        ("Natural weapon", 1, "natural weapon damage", 0),
        ("Natural weapon", 7, "natural weapon damage", 6),
    ],
)
def test_so_many_pips(name: str, level: int, when: str, pips: int) -> None:
    assert sums(CharacterTrait(name, level), frozenset({when}))[1] == pips


@pytest.mark.parametrize(
    ("name", "level", "of", "times"),
    [
        ("Luck", 1, "Character Point", 3),
        ("Strong built", 1, "wound level", 1),
        ("Weak built", 1, "wound level", -1),
        ("Long sleeper", 3, "hour of sleep needed", 3),
        ("Unlucky", 2, "re-roll by the game master", 2),
        ("Primitive", 2, "Tech Level missing", 2),
        ("Acute hearing", 2, "times a sonic effect", 4),
        ("Acute smell and taste", 2, "times an effect of stench", 2),
        ("Additional limb", 2, "free attack or parry", 1),
    ],
)
def test_so_many_more(name: str, level: int, of: str, times: int) -> None:
    assert applying(Scene(having(CharacterTrait(name, level))), ANA).extra(of) == times


def test_a_higher_level_does_what_the_lower_ones_do() -> None:
    scene = Scene(having(CharacterTrait("Authority", 3)))
    assert all(
        applying(scene, ANA).granted(each) for each in ("arrest people", "act in the whole nation", "license to kill")
    )
    assert not applying(Scene(having(CharacterTrait("Authority", 1))), ANA).granted("license to kill")


def test_the_steps_of_a_drug_count() -> None:
    drug = CharacterTrait("Addiction", parts=Levels({"hallucinogenic": 2, "incapacitating": 1}))
    applied = applying(Scene(having(drug)), ANA, "under the influence")
    assert [str(each.effect.does) for each in applied.active] == ["Forbids(action='skills')"]


# --- what no roll reads yet -------------------------------------------------------------------------------------------

READ_BY_NOW = frozenset({"advancement"})


def listed() -> dict[str, str]:
    """The page of pending effects: each tag or word with the chapter that will read it."""
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", PENDING.read_text("utf-8"), re.MULTILINE))


def words_of(effect: Effect) -> Iterator[str]:
    """What a chapter must ask for if an effect is to count: situations of rolls, and things granted, forbidden, had."""
    does: Any = effect.does
    rollable = isinstance(does, Adds) and not effect.when & {"advancement"}
    if rollable:
        yield from (tag for tag in effect.when if tag in NOT_ROLLED_YET)
    elif isinstance(does, Adds):
        yield "advancement"
    elif hasattr(does, "action"):
        yield does.action
    elif hasattr(does, "of"):
        yield does.of


NOT_ROLLED_YET = frozenset({"damage taken", "natural weapon damage"} | {"melee damage"})
PLAYED = frozenset(
    {"omni-connection", "Character Point", "magic", "psionics", "wound level", "act", "fall unconscious at any stun"}
    | {"ignore the first stun of physical damage", "die of it", "wound", "wound a minute", "wound a period"}
    | {"dodge", "parry", "sense danger", "range combat", "see"}
    | {"halve penalties", "ignore penalties", "fight with a natural weapon", "natural weapon damage", "melee damage"}
    | {"add weapon dice to Strength", "free attack or parry", "handle an object with the limb", "use both hands"}
    | {"fight with the hook", "use two-handed weapons", "see"}
    | {"climate rank", "hour of sleep needed", "breathe air", "breathe water", "damage taken"}
    | {"times a sonic effect", "times an effect of light", "times an effect of stench"}
    | {"die of fatigue", "ignore stuns and fatigue", "poison with an attack", "walk"}
    | {"re-roll by the game master", "be seduced", "call in the favor", "lie", "speak", "hear", "skills"}
)


def test_what_no_chapter_reads_yet_is_on_the_list() -> None:
    traits = [CharacterTrait(name, level) for name, level in LEVELS]
    effects = [each.effect for trait in traits for each in effects_of(BOOK, trait)]
    rolls = [roll for trait in traits if (roll := _roll(trait_row(BOOK, trait.name)[0], trait.level))]
    effects += [effect for roll in rolls for effect in (*roll.on_success, *roll.on_failure)]
    bulk = [effect for row in BOOK[_bulk()] for effect in row.effects]
    pending = {word for effect in (*effects, *bulk) for word in words_of(effect)} - PLAYED
    assert set(listed()) == pending


def test_the_page_of_the_system_lists_the_situations_of_merits_and_flaws() -> None:
    page = (PENDING.parent / "d6.md").read_text("utf-8")
    named = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", page, re.MULTILINE))
    for name, level in LEVELS:
        for each in effects_of(BOOK, CharacterTrait(name, level)):
            for tag in each.effect.when & named.keys():
                assert name in named[tag], f"{tag}: {name}"


def _bulk() -> Any:
    from referee.systems.d6.species import BULK

    return BULK


def _roll(row: TraitRow, level: int) -> Any:
    printed = row.level(level)
    return (printed.roll if printed else None) or row.roll


def test_flaws_and_merits_have_names_of_their_own() -> None:
    assert not set(BOOK[MERITS].names) & set(BOOK[FLAWS].names)


def test_skills_by_type_are_offered_with_their_type_alone() -> None:
    state = registry.load("d6").state({"ana": {"skills": {"Melee combat <swords>": "3D"}}})
    offered = abilities(Scene(state), Who("ana", Hero))
    assert [each for each in offered if "<" in each] == ["Melee combat <swords>"]
    assert "Search" in offered
    assert "Perception" in offered
