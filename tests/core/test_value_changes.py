"""What changed inside a value is told place by place: fields, levels, records, entries, each with its audience."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, final

import pytest

from referee.core import Audience, Hidden, Levels, Open, Own, System, Unset
from referee.core.clock import Clock, Deadline
from referee.core.effects import Effect, Effects, Lasting
from referee.core.errors import RefereeError
from referee.core.plain import Plain, write
from referee.core.value_changes import ValueChange, in_words, value_changes
from referee.core.words import Words


@final
@dataclass(frozen=True, slots=True)
class Thing:
    """Something carried."""

    name: str
    worn: int = 0
    jammed: bool = False
    tags: frozenset[str] = frozenset()


@final
@dataclass(frozen=True, slots=True)
class Wound:
    """A wound that only some may know of; two may be of one name."""

    name: str
    days: int = 3
    audience: Audience = Audience.EVERYONE
    who: str = ""


@final
@dataclass(frozen=True, slots=True)
class Debt:
    """A record without a name of its own."""

    known_by: ClassVar = ("to", "why")

    to: str
    why: str
    coins: int = 1


@final
@dataclass(frozen=True, slots=True)
class Grip:
    """A value inside another."""

    strength: int = 1
    secret: Hidden[int] = 0


@final
@dataclass(frozen=True, slots=True)
class Guard:
    """A sheet with a field of every form."""

    hp: Open[int] = 10
    dead: Open[bool] = False
    skills: Open[Levels] = field(default_factory=Levels)
    items: Open[tuple[Thing, ...]] = ()
    wounds: Own[tuple[Wound, ...]] = ()
    debts: Open[tuple[Debt, ...]] = ()
    moods: Open[frozenset[str]] = frozenset()
    scars: Open[tuple[str, ...]] = ()
    post: Open[str | None] = None
    grip: Open[Grip] = Grip()
    dice: Open[tuple[int, ...]] = ()
    luck: Hidden[int] = 0


def between(before: Any, after: Any) -> list[ValueChange]:
    """What changed between two values of one kind."""
    return list(value_changes(type(after), write(before), write(after)))


def told(before: Any, after: Any, **given: Any) -> list[str]:
    return [in_words(each, "al", **given).text for each in between(before, after)]


SHIELD: Final = Thing("riot shield")
LAMP: Final = Thing("flashlight")


# --- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (Guard(), Guard(), []),
        (Guard(), Guard(hp=7), ["al: hp 10 → 7"]),
        (
            Guard(skills=Levels({"Athletics": 2, "Aim": 1})),
            Guard(skills=Levels({"Athletics": 3, "Aim": 1})),
            ["al: Athletics 2 → 3"],
        ),
        (Guard(), Guard(skills=Levels({"Athletics": 1})), ["Al gains Athletics 1."]),
        (Guard(skills=Levels({"Athletics": 1})), Guard(), ["Al loses Athletics."]),
        (
            Guard(items=(SHIELD, LAMP)),
            Guard(items=(Thing("riot shield", worn=1), LAMP)),
            ["al: riot shield: worn 0 → 1"],
        ),
        (Guard(items=(SHIELD, LAMP)), Guard(items=(SHIELD,)), ["Al loses the flashlight."]),
        (Guard(items=(SHIELD,)), Guard(items=(SHIELD, LAMP)), ["Al gains the flashlight."]),
        (Guard(items=(LAMP, LAMP, LAMP)), Guard(items=(LAMP, LAMP)), ["Al loses the flashlight."]),
        (Guard(items=(SHIELD,)), Guard(items=(Thing("riot shield", jammed=True),)), ["Al: riot shield is jammed."]),
        (
            Guard(items=(Thing("riot shield", jammed=True),)),
            Guard(items=(SHIELD,)),
            ["Al: riot shield is no longer jammed."],
        ),
        (
            Guard(items=(SHIELD,)),
            Guard(items=(Thing("riot shield", tags=frozenset({"wet"})),)),
            ["Al: riot shield gains wet."],
        ),
        (Guard(), Guard(dead=True), ["Al is dead."]),
        (Guard(dead=True), Guard(), ["Al is no longer dead."]),
        (Guard(), Guard(moods=frozenset({"Jumpy"})), ["Al gains Jumpy."]),
        (Guard(scars=("nose", "ear")), Guard(scars=("ear",)), ["Al loses nose."]),
        (Guard(scars=("nose", "nose")), Guard(scars=("nose",)), ["Al loses nose."]),
        (Guard(scars=("nose", "ear")), Guard(scars=("ear", "nose")), ["al: scars nose, ear → ear, nose"]),
        (Guard(), Guard(post="gate"), ["al: post gate"]),
        (Guard(post="gate"), Guard(post="wall"), ["al: post gate → wall"]),
        (Guard(post="gate"), Guard(), ["al: post gate → none"]),
        (Guard(), Guard(grip=Grip(2)), ["al: grip: strength 1 → 2"]),
        (Guard(dice=(1, 2)), Guard(dice=(1, 3)), ["al: dice 1, 2 → 1, 3"]),
        (Guard(debts=(Debt("bo", "ale"),)), Guard(debts=(Debt("bo", "ale", 4),)), ["al: bo ale: coins 1 → 4"]),
    ],
)
def test_each_place_is_told_on_its_own(before: Guard, after: Guard, says: list[str]) -> None:
    assert told(before, after) == says


def test_several_places_are_told_in_order_and_nothing_else_is() -> None:
    before = Guard(items=(SHIELD, LAMP), skills=Levels({"Aim": 1}))
    after = Guard(hp=4, items=(Thing("riot shield", worn=2), Thing("rope")), skills=Levels({"Aim": 2}))
    assert told(before, after) == [
        "al: hp 10 → 4",
        "al: Aim 1 → 2",
        "al: riot shield: worn 0 → 2",
        "Al gains the rope.",
        "Al loses the flashlight.",
    ]


def test_records_of_one_name_are_matched_in_order_after_those_that_are_equal() -> None:
    before = Guard(wounds=(Wound("arm", 3), Wound("arm", 5)))
    (change,) = between(before, Guard(wounds=(Wound("arm", 3), Wound("arm", 4))))
    assert (change.path, change.was, change.now) == (("wounds", "arm", "days"), 5, 4)
    assert told(before, Guard(wounds=(Wound("arm", 5),))) == ["Al loses the arm."]


def test_a_record_called_like_a_field_is_still_a_record() -> None:
    (change,) = between(Guard(items=(Thing("items"),)), Guard(items=(Thing("items", worn=1),)))
    assert (change.path, change.fields, change.name) == (("items", "items", "worn"), ("items", "worn"), "items")


def test_yes_and_one_are_different_things() -> None:
    assert [each.how for each in value_changes(None, {"x": 1}, {"x": True})] == ["changed"]


# --- defaults ---------------------------------------------------------------------------------------------------------


def test_what_a_record_leaves_out_is_its_default_not_nothing() -> None:
    was, now = {"items": [{"name": "riot shield"}]}, {"items": [{"name": "riot shield", "worn": 1}]}
    (change,) = value_changes(Guard, was, now)
    assert (change.was, change.now) == (0, 1)
    assert list(value_changes(Guard, was, {"items": [{"name": "riot shield", "worn": 0}]})) == []


def test_what_was_not_known_before_is_told_without_a_before() -> None:
    (change,) = value_changes(Guard, None, {"hp": 3})
    assert in_words(change, "al").text == "al: hp 3"
    assert change.to_plain() == {"path": ["hp"], "how": "set", "now": 3}


def test_a_field_that_is_unset_stands_for_something() -> None:
    (spent,) = value_changes(Guard, {"post": None}, {"post": 1}, {"post": 2})
    (back,) = value_changes(Guard, {"post": 1}, {"post": None}, {"post": 2})
    assert (spent.was, spent.now, back.was, back.now) == (2, 1, 1, 2)
    assert list(value_changes(Guard, {"post": None}, {"post": 2}, {"post": 2})) == []


def test_a_formula_that_is_none_fails_at_load(tmp_path: Path) -> None:
    @final
    @dataclass(frozen=True, slots=True)
    class Lost:
        dice: Open[Annotated[int | None, Unset("tests.no-formula")]] = None

    globals()["Lost"] = Lost
    with pytest.raises(RefereeError, match=r"Lost'>.dice stands for tests.no-formula, which is not a formula"):
        System("lost", "Lost", tmp_path, 1, Lost)


def test_a_kind_that_is_not_known_is_read_by_its_data() -> None:
    was: Plain = {"bag": [{"name": "rope", "worn": 0}], "levels": {"Aim": 1}, "old": 1}
    now: Plain = {"bag": [{"name": "rope", "worn": 1}], "levels": {"Aim": 2}, "old": 1}
    found = [in_words(each, "al").text for each in value_changes(None, was, now)]
    assert found == ["al: rope: worn 0 → 1", "al: Aim 1 → 2"]


# --- audiences --------------------------------------------------------------------------------------------------------


def test_each_change_has_the_narrowest_audience_on_its_way() -> None:
    after = Guard(hp=9, luck=1, wounds=(Wound("arm"),), grip=Grip(secret=1))
    assert {each.path: each.audience for each in between(Guard(), after)} == {
        ("hp",): Audience.EVERYONE,
        ("luck",): Audience.MASTER,
        ("wounds", "arm"): Audience.OWNER,
        ("grip", "secret"): Audience.MASTER,
    }


@pytest.mark.parametrize("stated", list(Audience))
def test_a_record_that_states_its_audience_is_told_to_no_one_else(stated: Audience) -> None:
    one = Wound("arm", audience=stated, who="bo")
    least = Audience.OWNER if stated is Audience.EVERYONE else stated  # the field itself is the owner's
    for before, after in (((), (one,)), ((one,), ()), ((one,), (Wound("arm", 1, stated, "bo"),))):
        (change,) = between(Guard(wounds=before), Guard(wounds=after))
        assert (change.audience, change.owner) == (least, "bo")


def test_a_record_that_was_secret_is_not_told_as_changed_when_it_becomes_known() -> None:
    secret, known = (Wound("arm", days, stated) for days, stated in ((3, Audience.MASTER), (2, Audience.EVERYONE)))
    changes = between(Guard(wounds=(secret,)), Guard(wounds=(known,)))
    assert [each.audience for each in changes] == [Audience.MASTER, Audience.MASTER]


def test_a_record_that_leaves_its_audience_out_has_its_default() -> None:
    (change,) = value_changes(Guard, {"wounds": []}, {"wounds": [{"name": "arm"}]})
    assert (change.audience, change.owner) == (Audience.OWNER, None)


# --- the house's own records ------------------------------------------------------------------------------------------


def test_deadlines_are_told_one_by_one() -> None:
    before = Clock(0, (Deadline(3, 0, "al", "x.bleed"), Deadline(4, 0, "bo", "x.bleed")))
    after = Clock(0, (Deadline(5, 0, "al", "x.bleed"), Deadline(9, 0, "bo", "x.heal")))
    assert [in_words(each, "clock", person=False).text for each in between(before, after)] == [
        "clock: deadlines: al x.bleed: at 3 → 5",
        "clock: deadlines: bo x.heal added",
        "clock: deadlines: bo x.bleed removed",
    ]


def test_effects_are_told_one_by_one_with_what_is_left_of_them() -> None:
    def lasting(uses: int) -> Lasting:
        return Lasting(1, "al", Effect.from_plain({"adds": 1, "uses": uses}), "aim", "x.aim")

    (change,) = between(Effects((lasting(2),)), Effects((lasting(1),)))
    assert (change.path, change.was, change.now) == (("lasting", "al aim", "effect", "uses"), 2, 1)


# --- words ------------------------------------------------------------------------------------------------------------


WORDS: Final = """
changes:
  dead: {"yes": "{who} dies.", "no": "{who} breathes again."}
  hp: {changed: "{who} goes from {before} to {after}, {by} points.", becomes: {"0": "{who} is out."}}
  post: {set: "{who} stands at the {after}.", cleared: ""}
  debts: {gained: "{who} owes {to} {coins} coins for {why}."}
  items: {lost: "{who} drops the {name}.", jammed: {"yes": "the {name} of {who} jams."}}
"""


@pytest.fixture
def words(tmp_path: Path) -> Words:
    (tmp_path / "en.yaml").write_text(WORDS, encoding="utf-8")
    return Words(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (Guard(), Guard(dead=True), "Al dies."),
        (Guard(dead=True), Guard(), "Al breathes again."),
        (Guard(), Guard(hp=7), "Al goes from 10 to 7, 3 points."),
        (Guard(), Guard(hp=0), "Al is out."),
        (Guard(), Guard(post="gate"), "Al stands at the gate."),
        (Guard(), Guard(debts=(Debt("Bo", "a horse", 7),)), "Al owes Bo 7 coins for a horse."),
        (Guard(items=(LAMP,)), Guard(), "Al drops the flashlight."),
        (Guard(), Guard(items=(LAMP,)), "Al gains the flashlight."),
        (Guard(items=(LAMP,)), Guard(items=(Thing("flashlight", jammed=True),)), "The flashlight of al jams."),
    ],
)
def test_a_system_says_it_in_its_own_words(words: Words, before: Guard, after: Guard, says: str) -> None:
    assert told(before, after, words=words) == [says]


def test_an_empty_text_and_another_order_say_nothing(words: Words) -> None:
    (gone,) = between(Guard(post="gate"), Guard())
    assert in_words(gone, "al", words).is_silent
    assert not in_words(gone, "al").is_silent
    assert in_words(ValueChange(("items",), "changed", ["a", "b"], ["b", "a"]), "al").is_silent


def test_a_change_that_was_sent_is_told_as_before() -> None:
    before, after = Guard(items=(SHIELD, LAMP)), Guard(dead=True, items=(Thing("riot shield", worn=1),), post="gate")
    sent = [ValueChange.from_plain(each.to_plain()) for each in between(before, after)]
    assert [in_words(each, "al").text for each in sent] == told(before, after)


def test_a_deadline_is_known_by_what_it_is_about_and_keeps_its_audience() -> None:
    leg, arm = (Deadline(7, 0, "bo", "den.fester", about) for about in ("leg", "arm"))
    hidden = Deadline(9, 0, "bo", "den.fester", "plot", Audience.MASTER)
    was, now = write(Clock(3, (leg, arm))), write(Clock(3, (leg, replace(arm, at=8), hidden)))
    found = list(value_changes(Clock, was, now, {}))
    assert [(each.path, each.how, each.audience) for each in found] == [
        (("deadlines", "bo den.fester arm", "at"), "changed", Audience.EVERYONE),
        (("deadlines", "bo den.fester plot"), "added", Audience.MASTER),
    ]
