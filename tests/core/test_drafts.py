"""A draft says at every moment what may be chosen, what it costs, what is left, missing and barred, and why."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

import pytest

from referee.core.dice import D6, Pool
from referee.core.draft_chance import filled
from referee.core.draft_form import DraftForm, spelled
from referee.core.drafts import (
    Creation,
    Draft,
    DraftBudget,
    DraftOption,
    DraftStep,
    Part,
    PickOne,
    PickSeveral,
    Reason,
    RollDice,
    SpreadPoints,
    WriteText,
)
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain
from referee.core.rulebook import Book
from referee.core.system import System


class Player:
    """Somebody who fills in a form."""

    def __init__(self, system: System, draft: Draft | None = None, form: str = "creation") -> None:
        creation = getattr(system, form)
        self.form: DraftForm = DraftForm(creation, Book(system.printed_book), draft or Draft())

    def set(self, field: str, plain: Plain, part: str | None = None) -> None:
        self.form = self.form.at(self.form.answered(field, plain, part))

    def roll(self, field: str, *pips: int) -> None:
        assert self.form.throw(field)[1].size == len(pips)
        self.form = self.form.at(self.form.draft.but(field, [list(pips)]))

    def left(self, budget: str) -> object:
        return self.form.budget(budget).left

    def lacks(self) -> dict[str, str]:
        return {each.key: each.because for each in self.form.lacks}

    def barred(self, field: str) -> dict[str, str]:
        return {each.option.name: each.barred.because for each in self.form.state(field).options if each.barred}

    def refused(self, field: str, plain: Plain, part: str | None = None) -> Refused:
        with pytest.raises(Refused) as why:
            self.set(field, plain, part)
        return why.value


@pytest.fixture
def ann(guild: System) -> Player:
    return Player(guild)


def test_a_new_draft_says_what_is_missing_and_what_must_come_first(ann: Player) -> None:
    assert ann.lacks() == {"age": "choose one", "secret": "write something", "name": "write something"}
    barred = {key: why.because for key in ann.form.fields if (why := ann.form.barred(key))}
    assert barred == {"traits": "choose an age first", "trade": "choose an age first", "purse": "choose an age first"}


def test_an_answer_opens_what_depends_on_it(ann: Player) -> None:
    ann.set("age", "Old")
    assert ann.left("points") == 4
    assert ann.lacks()["trade"] == "choose 2"
    assert ann.lacks()["points"] == "4 left to spend"
    ann.set("age", "Young")
    assert (ann.left("points"), ann.lacks()["trade"]) == (6, "choose 1")


def test_a_field_that_must_wait_is_refused_with_its_rule(ann: Player) -> None:
    why = ann.refused("traits", {"Brawn": 2})
    assert (why.because, why.rule) == ("choose an age first", "guild.creation.ages")


def test_levels_are_bounded_and_paid_for(ann: Player) -> None:
    ann.set("age", "Young")
    ann.set("traits", 4, "Brawn")
    assert ann.left("points") == 3
    why = ann.refused("traits", 99, "Brawn")
    assert str(why) == "Brawn: a trait is 1 to 4 (guild.creation.traits); legal: 1 to 4"
    assert ann.refused("traits", 0, "Wits").rule == "guild.creation.traits"
    why = ann.refused("traits", {"Wits": 3, "Grace": 3})
    assert (why.because, why.rule) == ("4 more to pay, 3 left", "guild.creation.traits")
    assert ann.form.levels("traits") == {"Brawn": 4, "Wits": 1, "Grace": 1}


def test_each_level_says_what_one_more_costs_and_why_it_cannot_be_had(ann: Player) -> None:
    ann.set("age", "Old")
    ann.set("traits", {"Brawn": 4, "Wits": 2})
    brawn, wits, grace = ann.form.state("traits").parts
    assert brawn.more == Reason("a trait is 1 to 4", "guild.creation.traits")
    assert wits.more == Reason("costs 1, nothing left", "guild.creation.traits")
    assert (wits.costs, wits.less) == (1, None)
    assert grace.less == Reason("a trait is 1 to 4", "guild.creation.traits")


def test_a_flaw_gives_a_point(ann: Player) -> None:
    ann.set("age", "Old")
    ann.set("flaws", ["Vain"])
    assert ann.left("points") == 5
    why = ann.refused("flaws", ["Vain", "Slow"])
    assert (why.because, why.rule) == ("at most 1", "guild.creation.flaws")
    assert ann.barred("flaws") == {"Slow": "at most 1"}


def test_taking_back_what_gave_points_is_refused_while_they_are_spent(ann: Player) -> None:
    ann.set("age", "Old")
    ann.set("flaws", ["Vain"])
    ann.set("traits", {"Brawn": 4, "Wits": 3})
    assert ann.left("points") == 0
    assert ann.refused("flaws", []).because == "1 more to pay, nothing left"
    ann.set("traits", 2, "Wits")
    ann.set("flaws", [])
    assert ann.form.draft.several("flaws") == ()


def test_what_is_barred_names_its_reason_and_its_rule(ann: Player) -> None:
    ann.set("age", "Young")
    assert ann.barred("trade") == {"Smith": "needs Brawn 3", "Scribe": "needs Wits 3", "Dancer": "needs Grace 3"}
    why = ann.refused("trade", ["Smith"])
    assert (why.because, why.rule, why.legal) == ("needs Brawn 3", "guild.creation.crafts", ("Baker",))
    ann.set("traits", 3, "Brawn")
    ann.set("trade", ["Smith"])
    assert "trade" not in ann.lacks()


def test_going_back_is_free_and_what_is_not_legal_any_more_is_told(ann: Player) -> None:
    ann.set("age", "Young")
    ann.set("traits", {"Brawn": 4, "Wits": 4})
    ann.set("trade", ["Smith"])
    ann.set("age", "Old")
    assert ann.left("points") == -2
    assert ann.lacks()["points"] == "2 too many spent"
    ann.set("traits", 2, "Brawn")
    assert ann.lacks()["trade"] == "Smith: needs Brawn 3"
    ann.set("trade", ["Smith", "Baker"])  # what was there may stay, what is new is checked
    assert ann.refused("trade", ["Smith", "Dancer"]).because == "needs Grace 3"
    ann.set("age", "Young")
    assert ann.lacks()["trade"] == "1 too many; at most 1"


def test_points_may_be_given_back_while_too_many_are_spent(ann: Player) -> None:
    ann.set("age", "Young")
    ann.set("traits", {"Brawn": 4, "Wits": 4})
    ann.set("age", "Old")
    assert ann.refused("traits", 2, "Grace").because == "1 more to pay, nothing left"
    ann.set("traits", 3, "Wits")
    assert ann.left("points") == -1


def test_a_throw_is_kept_and_fixes_what_it_depends_on(ann: Player) -> None:
    ann.set("age", "Old")
    assert str(ann.form.throw("purse")[1]) == "3 d6"
    ann.roll("purse", 1, 2, 4)
    assert ann.left("coins") == 7
    with pytest.raises(Refused, match=r"the dice have been thrown; they are kept \(guild.creation.purse\)"):
        ann.form.throw("purse")
    assert ann.refused("age", "Young").because == "the dice for purse have been thrown"
    with pytest.raises(BadInput, match="is rolled, not set"):
        ann.set("purse", [[6, 6, 6]])
    with pytest.raises(BadInput, match="is rolled, not set"):
        ann.set("purse", None)


def test_prices_are_compared_with_what_is_left(ann: Player) -> None:
    ann.set("age", "Young")
    ann.roll("purse", 1, 2)
    assert ann.barred("tools") == {"Anvil": "costs 12, 3 left"}
    why = ann.refused("tools", ["Anvil"])
    assert (why.because, why.rule) == ("12 more to pay, 3 left", "guild.creation.purse")
    ann.set("tools", ["Quill", "a bag of nails"])  # the second is in the player's own words
    assert ann.left("coins") == 0
    assert "coins" not in ann.lacks()  # what is left over is kept
    assert ann.refused("tools", ["Quill", "a bag of nails", "Lamp"]).because == "1 more to pay, nothing left"


def test_a_finished_draft_is_a_sheet(ann: Player) -> None:
    with pytest.raises(Refused, match="age: choose one") as why:
        ann.form.finished()
    assert why.value.rule == "guild.creation.ages"
    ann.form = ann.form.at(ann.form.from_template("Journeyman"))
    ann.roll("purse", 3, 4)
    ann.set("tools", ["Lamp"])
    ann.set("secret", "He cannot read.\nNobody knows.")
    assert ann.lacks() == {"name": "write something"}
    ann.set("name", "Tam")
    sheet = ann.form.finished()
    assert dict(sheet.traits) == {"Brawn": 4, "Wits": 3, "Grace": 2}
    assert (sheet.crafts, sheet.tools, sheet.coins, sheet.motto) == (("Smith",), ("Lamp",), 6, "")


def test_answers_are_refused_in_the_wrong_form(ann: Player) -> None:
    ann.set("age", "Young")
    wrong: list[tuple[str, Any, str]] = [
        ("age", 3, "age: '3' is not known; one of Young, Old"),
        ("age", 3.5, "age: must be text"),
        ("age", "Ageless", "Ageless"),
        ("traits", {"Brawn": "4"}, "traits.Brawn: must be a whole number"),
        ("traits", {"Luck": 1}, "Luck"),
        ("traits", {"Brawn": 10**9}, "out of range"),
        ("trade", ["Baker", "Baker"], "each only once"),
        ("tools", ["x" * 200], "at most 120 characters"),
        ("name", "a\x00b", "printable"),
        ("name", "two\nlines", "printable"),
        ("name", "x" * 61, "at most 60 characters"),
        ("weapon", "sword", "weapon"),
    ]
    for field, plain, said in wrong:
        with pytest.raises(BadInput, match=said):
            ann.set(field, plain)
    with pytest.raises(BadInput, match="has no parts"):
        ann.set("age", "Young", "Brawn")


def test_an_answer_can_be_taken_back(ann: Player) -> None:
    ann.set("name", "Tam")
    ann.set("name", None)
    ann.set("age", "Old")
    ann.set("age", None)
    assert dict(ann.form.draft.answers) == {}
    ann.set("name", "   ")
    assert "name" in ann.lacks()


def thrower(thrown: list[str]) -> Any:
    def throw(field: RollDice, pool: Pool) -> Plain:
        thrown.append(field.key)
        return [[3] * n for _, n in pool.groups]

    return throw


@pytest.mark.parametrize("seed", range(30))
def test_chance_answers_the_same_steps_and_its_characters_are_legal(ann: Player, seed: int) -> None:
    thrown: list[str] = []
    draft = filled(ann.form, Random(seed), thrower(thrown))
    assert thrown == ["purse"]
    ann.form = ann.form.at(draft)
    assert ann.lacks() == {"secret": "write something", "name": "write something"}  # nobody's words are made up
    ann.set("secret", "none")
    ann.set("name", "Tam")
    assert sum(ann.form.finished().traits.values()) - 3 == {"Young": 6, "Old": 4}[draft.one("age")]


def test_chance_keeps_what_was_chosen_and_can_fill_a_single_step(ann: Player) -> None:
    ann.set("age", "Old")
    ann.set("traits", 3, "Grace")
    draft = filled(ann.form, Random(1), thrower([]), "traits")
    assert set(draft.answers) == {"age", "traits"}
    assert draft.one("age") == "Old"
    assert draft.level("traits", "Grace") >= 3
    assert ann.form.at(draft).budget("points").left == 0
    with pytest.raises(BadInput, match="magic"):
        filled(ann.form, Random(1), thrower([]), "magic")


def test_chance_tries_again_but_never_throws_again(guild: System) -> None:
    """Half of the attempts lead nowhere."""
    thrown: list[str] = []
    attempts = count()

    def fickle(scene: object, draft: Draft) -> list[DraftOption]:
        next(attempts)
        return [DraftOption("left"), DraftOption("right")]

    creation = Creation(
        steps=(
            DraftStep("luck", (RollDice("luck", lambda *_: Pool.of((D6, 1))), PickOne("way", fickle))),
            DraftStep("end", (PickOne("end", lambda _, d: [DraftOption("home")] if d.one("way") == "right" else []),)),
        ),
        finish=lambda *_: None,
    )
    for seed in range(20):
        form = DraftForm(creation, Book(guild.printed_book), Draft())
        thrown.clear()
        draft = filled(form, Random(seed), thrower(thrown))
        assert (draft.one("end"), draft.dice("luck"), thrown) == ("home", (3,), ["luck"])


def test_chance_gives_up_where_there_is_no_legal_way(guild: System) -> None:
    nowhere = Creation(steps=(DraftStep("end", (PickOne("end", lambda *_: ()),)),), finish=lambda *_: None)
    with pytest.raises(Refused, match="no legal way"):
        filled(DraftForm(nowhere, Book(guild.printed_book), Draft()), Random(1), thrower([]))


def test_heavier_options_come_more_often(guild: System) -> None:
    options = [DraftOption("rare"), DraftOption("common", weight=9)]
    creation = Creation(steps=(DraftStep("s", (PickOne("it", lambda *_: options),)),), finish=lambda *_: None)
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    drawn = [filled(form, Random(seed), thrower([])).one("it") for seed in range(200)]
    assert 150 < drawn.count("common") < 200


def test_half_points_are_counted_exactly(guild: System) -> None:
    def parts(*_: object) -> list[Part]:
        return [Part("Hacking", 0, 6, price=lambda level: Fraction(level, 2)), Part("Law", 0, 6)]

    creation = Creation(
        steps=(DraftStep("skills", (SpreadPoints("skills", parts, budget="cp"),)),),
        finish=lambda *_: None,
        budgets=(DraftBudget("cp", lambda *_: 3, "d6.cp"),),
    )
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    form = form.at(form.answered("skills", {"Hacking": 3, "Law": 1}))
    assert form.budget("cp").left == Fraction(1, 2)
    assert form.lacks[0].because == "1/2 left to spend"
    assert form.state("skills").parts[1].more == Reason("costs 1, 1/2 left", "d6.cp")
    assert spelled(Fraction(7, 2)) == "3 1/2"


def test_an_array_is_a_pick_for_each_name_and_chance_deals_it_out(guild: System) -> None:
    """As in Dime: each number of 7 6 6 5 is assigned once."""
    array, stats = (7, 6, 6, 5), ("Strength", "Speed", "Wits", "Will")

    def numbers(stat: str) -> Any:
        def options(_: object, draft: Draft) -> list[DraftOption]:
            taken = [draft.one(other) for other in stats if other != stat]
            used = Reason("assigned already", "dime.chargen.stats")
            return [
                DraftOption(str(each), barred=used if taken.count(str(each)) >= array.count(each) else None)
                for each in sorted(set(array))
            ]

        return options

    creation = Creation(
        steps=(DraftStep("stats", tuple(PickOne(each, numbers(each)) for each in stats)),), finish=lambda *_: None
    )
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    for seed in range(20):
        draft = filled(form, Random(seed), thrower([]))
        assert sorted(draft.one(each) for each in stats) == ["5", "6", "6", "7"]


def test_steps_may_grow_out_of_what_was_chosen(guild: System) -> None:
    """As skills that are taken field by field: what is named in one step is spread over in the next."""

    def fields(_: object, draft: Draft) -> tuple[SpreadPoints, ...]:
        return tuple(SpreadPoints(f"of {each}", lambda *_: [Part("level", 0, 3)]) for each in draft.several("langs"))

    creation = Creation(
        steps=(DraftStep("langs", (PickSeveral("langs", lambda *_: (), own=0),)), DraftStep("levels", fields)),
        finish=lambda *_: None,
    )
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    draft = form.from_answers({"of Latin": {"level": 2}, "langs": ["Latin"]})
    assert draft.level("of Latin", "level") == 2
    with pytest.raises(BadInput, match="of Greek"):
        form.from_answers({"of Greek": {"level": 2}, "langs": ["Latin"]})


def test_names_are_read_as_they_are_said_and_one_number_is_of_the_only_part(guild: System) -> None:
    options = [DraftOption("Own Design"), DraftOption("Scout (mounted)")]
    fields = (
        PickOne("template", lambda *_: options),
        PickSeveral("tools", lambda *_: options, own=1),
        SpreadPoints("skills", lambda *_: [Part("First aid", 0, 3), Part("Law", 0, 3)]),
        SpreadPoints("move", lambda *_: [Part("Move", 5, 15)]),
    )
    creation = Creation(steps=(DraftStep("all", fields),), finish=lambda *_: None)
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    assert form.answered("template", "own-design").one("template") == "Own Design"
    assert form.answered("tools", ["scout", "A rope"]).several("tools") == ("Scout (mounted)", "A rope")
    assert form.answered("skills", {"first-Aid": 2}).level("skills", "First aid") == 2
    assert form.answered("move", 12).level("move", "Move") == 12
    with pytest.raises(BadInput, match="must be names with values"):
        form.answered("skills", 2)


def test_several_answers_may_be_written_in_a_form_of_the_systems_own_and_have_throws_among_them(guild: System) -> None:
    fields = (PickOne("trade", lambda *_: [DraftOption("Smith")]), RollDice("purse", lambda *_: Pool.of((D6, 2))))
    creation = Creation(
        steps=(DraftStep("all", fields),),
        finish=lambda *_: None,
        spelled=lambda _, answers: {"trade": answers["job"]} if "job" in answers else answers,
    )
    form = DraftForm(creation, Book(guild.printed_book), Draft())
    draft = form.from_answers({"job": "smith"}, {"purse": [3, 4]})
    assert (draft.one("trade"), draft.dice("purse")) == ("Smith", (3, 4))
    with pytest.raises(Refused, match="the dice have been thrown"):
        form.at(draft).from_answers({}, {"purse": [1, 1]})


def test_a_mistake_in_a_declaration_is_loud(guild: System) -> None:
    twice = Creation(
        steps=(DraftStep("a", (WriteText("x"),)), DraftStep("b", (WriteText("x"),))), finish=lambda *_: None
    )
    with pytest.raises(TypeError, match="one key"):
        DraftForm(twice, Book(guild.printed_book), Draft()).lacks  # noqa: B018  # computed when it is read
    unpaid = Creation(
        steps=(DraftStep("a", (SpreadPoints("x", lambda *_: [Part("y")], budget="gold"),)),), finish=lambda *_: None
    )
    with pytest.raises(TypeError, match="no budget"):
        DraftForm(unpaid, Book(guild.printed_book), Draft()).lacks  # noqa: B018  # computed when it is read


def test_growth_is_a_draft_upon_a_sheet(guild: System) -> None:
    sheet = guild.value({"traits": {"Brawn": 2, "Wits": 1, "Grace": 4}, "xp": 17})
    bo = Player(guild, Draft(sheet=sheet), "advancement")
    assert "name" not in bo.form.fields
    bo.set("traits", 3, "Brawn")
    assert bo.left("xp") == 8
    assert bo.refused("traits", 4, "Brawn").because == "one level a season, and none is sold"
    assert bo.refused("traits", 1, "Brawn").rule == "guild.growth.traits"
    assert bo.refused("traits", 5, "Grace").because == "15 more to pay, 8 left"
    bo.set("traits", 2, "Wits")
    grown = bo.form.finished()
    assert (dict(grown.traits), grown.xp) == ({"Brawn": 3, "Wits": 2, "Grace": 4}, 2)


def test_house_rules_reach_a_draft(guild: System) -> None:
    book = Book(guild.printed_book).but({"set": {"guild.creation.traits": {"most": 5}}})
    assert guild.creation is not None
    form = DraftForm(guild.creation, book, Draft({"age": "Young"}))
    assert form.answered("traits", 5, "Brawn").level("traits", "Brawn") == 5


def test_points_that_need_not_be_spent_are_named_while_some_are_left(ann: Player) -> None:
    ann.set("age", "Young")
    assert [each.budget.key for each in ann.form.unspent] == []
    ann.roll("purse", 4, 6)
    assert [(each.budget.key, each.left) for each in ann.form.unspent] == [("coins", 10)]
    ann.set("tools", ["nails"])
    assert [(each.budget.key, each.left) for each in ann.form.unspent] == [("coins", 9)]
    plain = ann.form.to_plain()
    assert (plain["unspent"], [each["left"] for each in plain["budgets"]]) == (["coins"], [6, 9])


def test_a_rating_is_no_point_left_over(guild: System) -> None:
    def amount(scene: object, draft: Draft) -> int:
        return 4

    def things(scene: object, draft: Draft) -> list[DraftOption]:
        return [DraftOption("rope", 1)]

    def left(*, spare: bool) -> int:
        budget = DraftBudget("wealth", amount, "guild.creation.purse", exact=False, spare=spare)
        steps = (DraftStep("things", (PickSeveral("things", things, budget="wealth"),)),)
        creation = Creation(steps, lambda scene, draft: None, budgets=(budget,))
        return len(DraftForm(creation, Book(guild.printed_book), Draft()).unspent)

    assert (left(spare=True), left(spare=False)) == (1, 0)


def test_steps_in_which_nothing_was_chosen_are_named_but_not_those_that_only_tell_or_must_wait(guild: System) -> None:
    def things(scene: object, draft: Draft) -> list[DraftOption]:
        return [DraftOption("rope")]

    def waits(scene: object, draft: Draft) -> Reason | None:
        return None if draft.one("age") else Reason("choose an age first", "guild.creation.age")

    def nothing(scene: object, draft: Draft) -> list[DraftOption]:
        return []

    steps = (
        DraftStep("age", (PickOne("age", things, optional=True),)),
        DraftStep("gear", (PickSeveral("gear", things),)),
        DraftStep("person", (WriteText("motto", optional=True), PickSeveral("friends", things))),
        DraftStep("magic", (PickSeveral("spells", things),), when=waits),
        DraftStep("empty", (PickSeveral("empty", nothing),)),
    )
    form = DraftForm(Creation(steps, lambda scene, draft: None), Book(guild.printed_book), Draft())
    assert form.untouched == ("age", "gear")
    form = form.at(form.answered("age", "rope"))
    assert form.untouched == ("gear", "magic")
    assert form.at(form.answered("gear", ["rope"])).untouched == ("magic",)
