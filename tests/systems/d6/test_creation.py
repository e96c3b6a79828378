"""Building characters of the D6 System: what chance builds is legal, paid for to the point, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from random import Random

import pytest

from referee import registry
from referee.core import Draft, Refused, Scene, State, Who
from referee.core.draft_chance import filled, random_sheet, thrown_by
from referee.core.draft_form import DraftForm
from referee.core.drafts import HOUSE, Part, PickSeveral, SpreadPoints
from referee.core.errors import BadInput
from referee.core.plain import read
from referee.core.rulebook import Book
from referee.kits.dice_codes import Stat
from referee.systems.d6.character import check_sheet
from referee.systems.d6.creation import CREATION, chance
from referee.systems.d6.creation.points import CP, STEP_NAMES
from referee.systems.d6.creation.skills import field_options
from referee.systems.d6.sheet import Hero
from referee.systems.d6.species import Species
from referee.systems.d6.traits import trait_value

D6 = registry.load("d6")
ANA = Who("ana", Hero)
CAMPAIGNS: dict[str, dict[str, bool | str]] = {
    "the book": {},
    "everything": {
        "d6.creation.power-levels": "Legendary Heroes",
        "d6.creation.optional-traits": True,
        "d6.core.fate-points": "single action",
        "d6.creation.fate-points": "bad fate",
        "d6.creation.flaw-limit": True,
        "d6.merits.secret": True,
        "d6.templates.attributes": "limited",
    },
    "waived": {
        "d6.creation.skill-cost": "waived",
        "d6.creation.specialization-cost": "free",
        "d6.creation.advanced-skill-cost": "free",
        "d6.creation.merits-flaws-cost": "waived",
        "d6.templates.wealth": "unlimited",
        "d6.templates.species": "charged",
    },
    "estimated": {"d6.creation.roughly-estimated": True},
}
BOOKS = {name: Book(D6.printed_book, options=options) for name, options in CAMPAIGNS.items()}


def form_of(book: Book, **answers: object) -> DraftForm:
    return DraftForm(CREATION, book, Draft(dict(answers)))


def by_chance(book: Book, seed: int) -> DraftForm:
    form, random = form_of(book, name="Ana"), Random(seed)
    return form.at(filled(form, random, lambda _, pool: thrown_by(random.randrange, pool)))


@pytest.mark.parametrize("campaign", CAMPAIGNS)
@pytest.mark.parametrize("seed", range(4))
def test_random_builds_are_legal(campaign: str, seed: int) -> None:
    book = BOOKS[campaign]
    sheet = random_sheet(CREATION, book, Random(seed))
    check_sheet(Scene(State({"book": book, "ana": sheet})), ANA)
    assert D6.value(D6.plain_value(sheet)) == sheet


def pips(code: Stat) -> int:
    return 3 * code.dice + code.pips


def advanced_price(code: int, attribute: int) -> Fraction:
    return 3 + sum((Fraction(1, 2) if each < attribute else Fraction(1) for each in range(3, code)), start=Fraction(0))


ADVANCED = {
    "Danger sense": "Perception",
    "Blind combat": "Perception",
    "Martial arts": "Agility",
    "Medicine": "Knowledge",
}
ADVANCED |= {"Performing": "Charisma", "Design": "Technical", "Hacking": "Technical"}


def price(scene: Scene, form: DraftForm, sheet: Hero) -> Fraction:
    """What a finished sheet costs, reckoned from the sheet alone, by the figures of the book."""
    attributes = {name: pips(code) for name, code in sheet.attributes.items()}
    build = _attribute_of(form)
    found = Fraction(10 * (sum(attributes.values()) - 63) + 2 * (sheet.move - 10))
    found += sum(pips(code) - attributes[build[name]] for name, code in sheet.skills.items())
    found += len(sheet.specializations)
    for name, code in sheet.advanced_skills.items():
        found += advanced_price(pips(code), attributes[ADVANCED[name.removesuffix(" (A)")]])
    found += sum(trait_value(scene, each) for each in sheet.merits)
    found -= sum(trait_value(scene, each) for each in sheet.flaws)
    return found


def _attribute_of(form: DraftForm) -> dict[str, str]:
    return {name: part.group for name, part in form.parts("skills").items()}


@pytest.mark.parametrize("seed", range(12))
def test_points_spent_are_points_priced(seed: int) -> None:
    form = by_chance(BOOKS["the book"], seed)
    sheet = form.finished()
    paid = price(form.scene, form, sheet)
    sets = {"Eidetic memory", "Language talent", "Musical talent", "Mute", "Deaf", "Mute and deaf", "Blind"}
    if not sets & {each.name for each in (*sheet.merits, *sheet.flaws)}:
        assert form.budget(CP).left == 30 - paid
        assert sheet.character_points == 5 + floor(30 - paid)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("campaign", ["the book", "everything"])
def test_a_purchase_taken_back_restores_everything(campaign: str, seed: int) -> None:
    form, random = by_chance(BOOKS[campaign], seed), Random(seed)
    for key, name, level in random.sample([*raisable(form)], 4):
        before = form.levels(key)
        bought = form.at(form.answered(key, level + 1, name))
        assert bought.draft != form.draft
        back = bought.at(bought.answered(key, level, name))
        assert back.levels(key) == before
        assert [each.left for each in back.budgets] == [each.left for each in form.budgets]
        assert back.lacks == form.lacks
    for key, name in random.sample([*choosable(form)], 2):
        chosen = list(form.draft.several(key))
        bought = form.at(form.answered(key, [*chosen, name]))
        back = bought.at(bought.answered(key, chosen or None))
        assert [each.left for each in back.budgets] == [each.left for each in form.budgets]


def raisable(form: DraftForm) -> Iterator[tuple[str, str, int]]:
    for field in form.fields.values():
        if isinstance(field, SpreadPoints):
            yield from (
                (field.key, each.part.name, each.level) for each in form.part_states(field) if each.more is None
            )


def choosable(form: DraftForm) -> Iterator[tuple[str, str]]:
    for field in form.fields.values():
        if isinstance(field, PickSeveral):
            free = (each for each in form.option_states(field) if each.barred is None and not each.chosen)
            yield from ((field.key, each.option.name) for each in free)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("campaign", ["the book", "everything"])
def test_every_illegal_change_is_refused_with_its_rule(campaign: str, seed: int) -> None:
    form, random = by_chance(BOOKS[campaign], seed), Random(seed)
    barred = [
        (field.key, each.part.name, each.level + 1, each.more)
        for field in form.fields.values()
        if isinstance(field, SpreadPoints)
        for each in form.part_states(field)
        if each.more is not None
    ]
    assert len(barred) > 5
    for key, name, level, why in random.sample(barred, min(12, len(barred))):
        with pytest.raises(Refused) as refused:
            form.answered(key, level, name)
        assert refused.value.rule == why.rule
        assert why.rule in D6.printed_book.ids
        assert why.rule != HOUSE
    lowest = [(key, part) for key in ("attributes", "skills", "merits", "flaws") for part in form.parts(key).values()]
    for key, part in random.sample(lowest, 10):
        with pytest.raises(Refused):
            form.answered(key, part.least - 1, part.name)


def test_attributes_and_skills_read_as_codes_and_are_raised_to_codes() -> None:
    form = form_of(BOOKS["the book"], template="own design")
    shown = {each.part.name: each.part.write(each.level) for each in form.part_states(form.field("attributes"))}  # type: ignore[arg-type]
    assert shown["Agility"] == "3D"
    form = form.at(form.answered("attributes", "3D+2", "Agility"))
    assert form.level("attributes", "Agility") == 11
    form = form.at(form.answered("skills", "+1D+1", "Dodge"))
    dodge = form.parts("skills")["Dodge"]
    assert (form.level("skills", "Dodge"), dodge.write(4), dodge.says, dodge.write(0)) == (4, "+1D+1", "5D", "+0")
    with pytest.raises(Refused) as refused:
        form.answered("attributes", "7D", "Agility")
    assert refused.value.legal == ("2D to 4D",)
    with pytest.raises(BadInput, match="dice code"):
        form.answered("attributes", "three", "Agility")
    parts = form.to_plain()["steps"][0]["fields"][2]["parts"]
    assert [each["written"] for each in parts if each["name"] == "Agility"] == ["3D+2"]


def test_more_than_there_is_cannot_be_spent() -> None:
    form = form_of(BOOKS["the book"], template="own design")
    names = list(form.parts("skills"))
    form = form.at(form.answered("skills", dict.fromkeys(names[:5], 6)))
    assert form.budget(CP).left == 0
    with pytest.raises(Refused) as refused:
        form.answered("skills", 1, names[6])
    assert (refused.value.rule, refused.value.because) == ("d6.creation.template-cost", "1 more to pay, nothing left")
    paid = form.at(form.answered("flaws", 1, "Shy"))
    assert paid.at(paid.answered("skills", 3, names[6])).budget(CP).left == 0


def test_a_flaw_whose_points_are_spent_is_missed() -> None:
    form = form_of(BOOKS["the book"], name="Ana", template="own design", flaws={"Shy": 1})
    form = form.at(form.answered("skills", dict.fromkeys(list(form.parts("skills"))[:5], 6)))
    form = form.at(form.answered("skills", 3, "Search"))
    with pytest.raises(Refused):
        form.answered("flaws", 0, "Shy")


def test_a_template_cannot_be_left_for_a_dearer_one_without_telling() -> None:
    book = BOOKS["the book"].but(
        {
            "add": {
                "d6.templates.paperwork": {"templates": [{"name": "Titan", "attributes": dict.fromkeys(NAMES, "4d")}]}
            }
        }
    )
    form = form_of(book, name="Ana", template="own design")
    titan = form.at(form.answered("template", "Titan"))
    assert [(each.key, each.because) for each in titan.lacks] == [(CP, "180 too many spent")]


NAMES = ("Agility", "Coordination", "Strength", "Knowledge", "Perception", "Charisma", "Technical")


def test_the_steps_are_those_of_the_book() -> None:
    steps = [step.key.replace("-", " ") for step in CREATION.steps if step.key != "equipment"]  # the book names none
    assert (*steps, "remaining points") == form_of(BOOKS["the book"]).scene[STEP_NAMES]


def test_without_fate_points_there_are_none_to_buy() -> None:
    form = form_of(BOOKS["the book"])
    with pytest.raises(BadInput):
        form.answered("fate_points", 2, "Fate Points")
    assert form.laid_out[5].barred is not None


def test_ready_made_characters_are_there_where_the_game_master_hands_them_out() -> None:
    ready = {"name": "Rya the Scout", "answers": {"name": "Rya", "template": "Scout", "skills": {"Search": 6}}}
    book = Book(
        D6.printed_book,
        options={"d6.creation.pre-rolled": True},
        add={"d6.creation.pre-rolled": {"characters": [ready]}},
    )
    form = form_of(book)
    sheet = form.at(form.from_template("Rya the Scout")).finished()
    assert str(sheet.skills["Search"]) == "6D"
    assert form_of(BOOKS["the book"]).templates() == {}


def test_answers_that_pay_for_each_other_may_be_given_in_any_order() -> None:
    form = form_of(BOOKS["the book"])
    answers = {
        "template": "own design",
        "skills": dict.fromkeys(list(form.parts("skills"))[:6], 6),
        "flaws": {"Guilt": 1},
    }
    assert form.at(form.from_answers(answers)).budget(CP).left == 2
    with pytest.raises(Refused) as refused:
        form.from_answers({**answers, "flaws": {"Shy": 1}})
    assert refused.value.rule == "d6.creation.template-cost"


@pytest.mark.slow
def test_a_thousand_random_characters_are_legal() -> None:
    book, random = BOOKS["the book"], Random(1)
    for _ in range(1000):
        sheet = random_sheet(CREATION, book, random)
        check_sheet(Scene(State({"book": book, "ana": sheet})), ANA)


def test_a_wrong_word_in_a_trait_of_a_species_is_named_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"special\[0\]\.merit: 'merit' is not known; one of name, level, value, about"):
        read(Species, {"name": "Elf", "special": [{"merit": "Night vision", "tp": 3}]}, "species")


class FewAttributes:
    """A form with three attributes, of which one has no most."""

    def __init__(self, **levels: int) -> None:
        self._levels = levels

    def parts(self, field: str) -> dict[str, Part]:
        bounds: tuple[tuple[str, int, int | None], ...] = (("Agility", 5, 7), ("Strength", 5, 7), ("Luck", 0, None))
        return {name: Part(name, least, most) for name, least, most in bounds}

    def levels(self, field: str) -> dict[str, int]:
        return dict(self._levels)


def test_chance_moves_attributes_within_their_bounds_and_as_far_as_they_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "form_of", lambda scene, draft: FewAttributes(Agility=9, Strength=2, Luck=3))
    found = [chance.some_attributes(Scene(State({})), Draft({}), Random(seed)) for seed in range(60)]
    rows = [dict(each) for each in found if isinstance(each, dict)]
    assert {sum(each.values()) for each in rows} == {7 + 5 + 3}
    assert [{each[name] for each in rows} for name in ("Agility", "Strength")] == [{5, 6, 7}, {5, 6, 7}]
    assert min(each["Luck"] for each in rows) >= 1


def test_a_step_of_a_trait_says_what_it_is_where_the_book_does() -> None:
    parts = form_of(BOOKS["the book"], name="Ana", merits={"Ally": 1}).parts("Ally")
    assert parts["influence"].says.startswith("Local – a neighborhood or a specific domain")
    assert parts["skill"].says == "Generic NPC"


def test_fields_of_a_skill_that_only_another_species_has_are_barred() -> None:
    gliding = {"name": "Gliding", "of_species": True, "specializations": ["thermals"]}
    book = {"kind": "Book", "add": {"d6.creation.skill-list-agility": {"skills": [gliding]}}}
    options = {each.name: each for each in field_options(Scene(D6.state({"book": book})), Draft())}
    assert options["Gliding::thermals"].barred is not None
    assert options["Acrobatics::breaking fall"].barred is None
