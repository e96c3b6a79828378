"""The rulebook: entries read when asked for, loud about what is wrong with them, and changed per campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core import (
    BOOK,
    BadInput,
    Prompt,
    Refused,
    Rows,
    Scene,
    State,
    Who,
    figure,
    figure_at,
    figures,
    formula,
    from_book,
    rows,
    rows_of,
)
from referee.core.describe import field_type
from referee.core.effects import Effect, Forbids
from referee.core.errors import RulebookError
from referee.core.picks import options_of
from referee.core.printed_book import PRINTED_BOOKS, Entry, PrintedBook, printed_book
from referee.core.rulebook import DECLARED, Book, Figure, RowsOf, declared
from referee.core.scene import Read
from referee.core.search import Index
from referee.core.trace import Citation, running, watching

BOOK_TEXT = """\
system: tavern
rules:
  - id: tavern.brawl.punch
    chapter: Brawling / Fists
    kind: procedure
    rule: >-
      Throw a punch: one die,
      and a bruise for every four.
    values: {dice: 1, hurts: {four: 2}, needs: [4, 5, 6], odds: 0.5, note: null}
    refs: [tavern.brawl.wounds]

  - id: tavern.brawl.chairs
    chapter: Brawling / Furniture
    kind: mechanic
    optional: true
    rule: Chairs may be thrown.
    values: {range: 3}

  - id: tavern.brawl.wounds
    chapter: Brawling / Wounds
    kind: table
    rule: What a blow does.
    values:
      table:
        - {from: null, to: 0, name: Nothing}
        - {from: 1, to: 3, name: Bruise, hurts: 1}
        - {from: 4, to: null, name: Knockout, hurts: 3, effects: [{forbids: brawl}]}
      moods: [calm, tipsy, drunk]

  - id: tavern.manners
    chapter: Manners
    kind: guidance
    rule: Nobody hits the keeper.
"""


@dataclass(frozen=True, slots=True)
class Wound:
    name: str
    hurts: int = 0
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Song:
    name: str
    cost: int


DICE = figure("tavern.brawl.punch", "dice", int)
FOUR = figure("tavern.brawl.punch", "hurts/four", int)
NEEDS = figure("tavern.brawl.punch", "needs", tuple[int, ...])
RANGE = figure("tavern.brawl.chairs", "range", int)


@figures("tavern.brawl.punch")
class Punch:
    """Two figures of one rule."""

    dice: int
    needs: tuple[int, ...]


WOUNDS = rows("tavern.brawl.wounds", "table", Wound, by=("from", "to"))
MOODS = rows("tavern.brawl.wounds", "moods", str)
PUNCH = Prompt("punch")


@formula("tavern.brawl.punch")
def strength(scene: Scene) -> int:
    """What a punch does, as this campaign plays it."""
    return scene[DICE] * scene[FOUR] + scene[WOUNDS].at(4).hurts


def shelf_of(folder: Path, **files: str) -> PrintedBook:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return printed_book("tavern", folder)


@pytest.fixture
def tavern(tmp_path: Path) -> Iterator[PrintedBook]:
    yield shelf_of(tmp_path, tavern=BOOK_TEXT)
    del PRINTED_BOOKS["tavern"]


def scene_of(shelf: PrintedBook, **overlay: Any) -> Scene:
    return Scene(State({"book": Book(shelf, **overlay)}))


def entry_text(**fields: str) -> str:
    lines = {"chapter": "Odd", "kind": "mechanic", "rule": "Something.", **fields}
    return "rules:\n  - id: tavern.odd\n" + "".join(f"    {k}: {v}\n" for k, v in lines.items() if v)


# --- entries ----------------------------------------------------------------------------------------------------------


def test_an_entry_has_its_text_on_one_line_and_its_figures(tavern: PrintedBook) -> None:
    punch = tavern.entry("tavern.brawl.punch")
    assert punch.rule == "Throw a punch: one die, and a bruise for every four."
    assert punch.values["hurts"] == {"four": 2}
    assert (punch.kind, punch.optional, punch.refs) == ("procedure", False, ("tavern.brawl.wounds",))


def test_only_guidance_cannot_be_computed(tavern: PrintedBook) -> None:
    assert [tavern.entry(id_).computable for id_ in tavern.ids] == [True, True, True, False]


def test_rows_are_named_by_name_by_text_or_by_place(tavern: PrintedBook) -> None:
    assert tavern.entry("tavern.brawl.wounds").rows == ("Nothing", "Bruise", "Knockout", "calm", "tipsy", "drunk")
    assert tavern.entry("tavern.brawl.punch").rows == ()
    nameless = Entry("x", "c", "table", "r", values={"t": [{"low": 1}, {"low": 2, "what": "fog"}, 7], "n": 3})
    assert nameless.rows == ("0", "fog", "7")
    assert Entry("x", "c", "table", "r", values=[1, 2]).rows == ("1", "2")


def test_an_unknown_entry_names_the_book_and_what_may_be_meant(tavern: PrintedBook) -> None:
    with pytest.raises(RulebookError, match=r"tavern rulebook: 'tavern.brawl.punsh' .* did you mean 'tavern.brawl.pun"):
        tavern.entry("tavern.brawl.punsh")


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"chapter": ""}, "odd.yaml: tavern.odd: chapter: is missing"),
        ({"kind": ""}, "odd.yaml: tavern.odd: kind: is missing"),
        ({"rule": ""}, "odd.yaml: tavern.odd: rule: is missing"),
        ({"rule": "3"}, "odd.yaml: tavern.odd: rule: must be text, not 3"),
        ({"kind": "tabel"}, "odd.yaml: tavern.odd: kind: 'tabel' is not known; did you mean 'table'?"),
        ({"optional": "perhaps"}, "odd.yaml: tavern.odd: optional: must be yes or no, not 'perhaps'"),
        ({"optonal": "yes"}, "odd.yaml: tavern.odd: optonal: 'optonal' is not known; did you mean 'optional'?"),
        ({"refs": "[1]"}, "odd.yaml: tavern.odd: refs[0]: must be text, not 1"),
        ({"chapter": "[a]"}, "odd.yaml: tavern.odd: chapter: must be text, not ['a']"),
    ],
)
def test_a_malformed_entry_is_told_by_file_id_and_field(tmp_path: Path, fields: dict[str, str], complaint: str) -> None:
    shelf = PrintedBook("tavern", tmp_path)
    (tmp_path / "odd.yaml").write_text(entry_text(**fields), encoding="utf-8")
    with pytest.raises(RulebookError) as told:
        shelf.entry("tavern.odd")
    assert str(told.value).startswith(complaint)


def test_an_entry_whose_yaml_is_broken_hurts_only_who_asks_for_it(tmp_path: Path) -> None:
    broken = BOOK_TEXT + "\n  - id: tavern.broken\n    rule: [never closed\n"
    shelf = shelf_of(tmp_path, tavern=broken)
    assert shelf.ids[-1] == "tavern.broken"
    assert shelf.entry("tavern.manners").rule == "Nobody hits the keeper."
    assert Book(shelf).read(DICE) == 1
    with pytest.raises(RulebookError, match=r"tavern\.yaml: tavern\.broken: not YAML: while parsing"):
        shelf.entry("tavern.broken")


def test_an_id_stands_in_one_file_only(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path, one=entry_text(), two=entry_text())
    with pytest.raises(RulebookError, match=r"two\.yaml: tavern\.odd: stands in one\.yaml too"):
        shelf.entry("tavern.odd")


def test_a_book_may_be_spread_over_files(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path, tavern=BOOK_TEXT, odd=entry_text())
    assert len(shelf.ids) == 5
    assert (shelf.file("tavern.odd"), shelf.file("tavern.manners")) == ("odd.yaml", "tavern.yaml")


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    shelf = printed_book("tavern", tmp_path / "nowhere")
    assert shelf.ids == ()


def test_the_fingerprint_of_a_book_follows_its_text(tmp_path: Path) -> None:
    first = shelf_of(tmp_path, tavern=BOOK_TEXT).version
    assert first == shelf_of(tmp_path, tavern=BOOK_TEXT).version
    assert first != shelf_of(tmp_path, tavern=BOOK_TEXT.replace("dice: 1", "dice: 2")).version


# --- figures and tables -----------------------------------------------------------------------------------------------


def test_figures_are_read_through_the_scene(tavern: PrintedBook) -> None:
    scene = scene_of(tavern)
    assert (scene[DICE], scene[FOUR], scene[NEEDS], scene[RANGE]) == (1, 2, (4, 5, 6), 3)


@pytest.mark.parametrize(
    ("figure_", "complaint"),
    [
        (Figure("tavern.brawl.punch", "dies", int), "punch: dies: 'dies' is not known; did you mean 'dice'?"),
        (Figure("tavern.brawl.punch", "dice/three", int), "punch: dice/three: 'three' is not known; there are none"),
        (Figure("tavern.brawl.punch", "dice", str), "punch: dice: must be text, not 1"),
        (Figure("tavern.brawl.punch", "hurts", dict[str, str]), "punch: hurts: four: must be text, not 2"),
        (Figure("tavern.brawl.punch", "needs/3", int), "punch: needs/3: '3' is not known"),
        (RowsOf("tavern.brawl.punch", "dice", Wound), "punch: dice: must be rows, not 1"),
        (RowsOf("tavern.brawl.wounds", "table", int), "wounds: table: Nothing: must be a whole number"),
        (
            RowsOf("tavern.brawl.wounds", "moods", Wound),
            "wounds: moods: calm: must be fields of a Wound (name, …), not 'calm'",
        ),
    ],
)
def test_a_figure_that_cannot_be_read_names_file_id_and_path(
    tavern: PrintedBook, figure_: Figure[Any], complaint: str
) -> None:
    with pytest.raises(RulebookError) as told:
        scene_of(tavern)[figure_]
    assert str(told.value).startswith(f"tavern.yaml: tavern.brawl.{complaint}")


def test_a_figure_of_a_scene_without_a_book_is_an_error() -> None:
    with pytest.raises(BadInput, match="scene: 'book' is not known"):
        Scene({})[DICE]


@pytest.mark.parametrize(
    ("number", "name"),
    [(-99, "Nothing"), (0, "Nothing"), (1, "Bruise"), (3, "Bruise"), (4, "Knockout"), (99, "Knockout")],
)
def test_a_row_is_found_by_the_number_in_its_band(tavern: PrintedBook, number: int, name: str) -> None:
    assert scene_of(tavern)[WOUNDS].at(number).name == name


def table_of(by: str | tuple[str, str], *ranges: Any, numbers: tuple[int, ...] = ()) -> Rows[Wound]:
    """Rows called a, b, c, … with the columns that place them."""
    columns = (by,) if isinstance(by, str) else by
    plain = [
        {**dict(zip(columns, each if isinstance(each, tuple) else (each,), strict=True)), "name": "abcdef"[at]}
        for at, each in enumerate(ranges)
    ]
    placed: RowsOf[Wound] = RowsOf("x", "y", Wound, (by, by) if isinstance(by, str) else by, numbers)
    return placed.make(plain, None)  # type: ignore[arg-type]  # it needs no book


def test_a_number_no_row_holds_is_an_error() -> None:
    table = table_of("roll", 2, 3, 4)
    assert table.at(4).name == "c"
    for number in (1, 5):
        with pytest.raises(RulebookError, match=f"x: the table has no row for {number}"):
            table.at(number)


@pytest.mark.parametrize(
    ("ranges", "problem"),
    [
        (((1, 3), (3, 5)), "the rows a and b overlap"),
        (((1, 3), (5, 6)), "no row has 4: there is a gap between a and b"),
        (((4, 5), (1, 2)), "no row has 3: there is a gap between b and a"),
        (((1, None), (7, 9)), "the rows a and b overlap"),
        (((None, 3), (None, 5)), "the rows a and b overlap"),
        (((1, 3), (5, 4)), "b ends at 4, before it begins at 5"),
        (((1, "x"),), "a.from or to: must be a whole number"),
    ],
)
def test_rows_that_overlap_or_leave_a_gap_are_refused_by_name(ranges: Any, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        table_of(("from", "to"), *ranges)


def test_rows_may_be_placed_by_any_columns() -> None:
    assert table_of(("min", "max"), (None, 2), (3, None)).at(99).name == "b"


def test_a_table_of_numbers_that_cannot_all_occur_must_hold_those_that_can() -> None:
    assert table_of("roll", 11, 12, 21, 22, numbers=(11, 12, 21, 22)).at(21).name == "c"
    with pytest.raises(BadInput, match="no row has 22"):
        table_of("roll", 11, 12, 21, numbers=(11, 12, 21, 22))


def test_columns_that_place_no_row_are_fields_like_others() -> None:
    with pytest.raises(BadInput, match=r"a\.from: 'from' is not known"):
        RowsOf("x", "y", Wound).make([{"from": 1, "name": "a"}], None)  # type: ignore[arg-type]  # it needs no book


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("table/Bruise/to", 2, "no row has 3: there is a gap between Bruise and Knockout"),
        ("table/Bruise/to", 4, "the rows Bruise and Knockout overlap"),
    ],
)
def test_a_house_rule_with_a_gap_is_refused_by_name(tavern: PrintedBook, path: str, value: int, problem: str) -> None:
    with pytest.raises(RulebookError, match=rf"tavern\.yaml: tavern\.brawl\.wounds: table: {problem}"):
        Book(tavern, set={"tavern.brawl.wounds": {path: value}})


def test_a_house_rule_may_move_a_border_between_two_rows(tavern: PrintedBook) -> None:
    moved = {"table/Bruise/to": 5, "table/Knockout/from": 6}
    assert scene_of(tavern, set={"tavern.brawl.wounds": moved})[WOUNDS].at(5).name == "Bruise"


def test_an_entry_of_a_ledger_loads_as_it_is(tmp_path: Path) -> None:
    text = """\
rules:
  - id: inn.song
    chapter: Songs
    lines: [3, 9]
    file: 004.txt
    source: scanned
    kind: option
    optional: true
    rule: Who sings is heard.
    values:
      - {name: ballad, cost: 2}
      - {name: shanty, cost: 1}
"""
    entry = shelf_of(tmp_path, inn=text).entry("inn.song")
    assert (entry.kind, entry.optional, entry.computable) == ("option", True, True)
    songs: RowsOf[Song] = RowsOf("inn.song", "", Song)
    assert songs.parse(Book(shelf_of(tmp_path, inn=text)))["shanty"].cost == 1


ARMOURY = """\
system: inn
rules:
  - id: inn.arms.blades
    chapter: Arms
    kind: catalogue
    rule: Blades.
    values:
      weapons:
        - {name: knife, cost: 2}
        - {name: sword, cost: 9}

  - id: inn.arms.clubs
    chapter: Arms
    kind: catalogue
    rule: Clubs, by their names.
    values:
      chair leg: {cost: 0}
      bottle: {cost: 1}

  - id: inn.arms.wounds
    chapter: Arms
    kind: table
    rule: Two numbers in one column, and further columns.
    values:
      head: [{d12: [1, 6], name: bruise, cost: 1}, {d12: [7, 12], name: gash, cost: 3}]
      leg: [{d12: 13, name: limp, cost: 2}]
      words: {torn: it hangs loose, bent: it can be straightened}
"""


@dataclass(frozen=True, slots=True)
class Gash:
    name: str
    cost: int
    d12: tuple[int, ...] = ()


def armoury(folder: Path, text: str = ARMOURY) -> Book:
    return Book(shelf_of(folder, inn=text))


ARMS: RowsOf[Song] = RowsOf("inn.arms.blades", "weapons", Song, also=(("inn.arms.clubs", ""),))


def test_a_catalogue_may_be_printed_in_several_tables(tmp_path: Path) -> None:
    arms = ARMS.parse(armoury(tmp_path))
    assert arms.names == ("knife", "sword", "chair leg", "bottle")
    assert arms["Bottle"] == Song("bottle", 1)
    assert [arms.rule_of(each) for each in ("knife", "bottle")] == ["inn.arms.blades", "inn.arms.clubs"]
    with watching(set()) as seen, running(Citation("arms", "inn.arms")):
        _ = arms["chair leg"]
    assert seen == {"inn.arms.clubs", "inn.arms.clubs#chair leg"}


def test_rows_of_several_tables_must_have_names_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(RulebookError) as wrong:
        ARMS.parse(armoury(tmp_path, ARMOURY.replace("bottle:", "knife:")))
    assert str(wrong.value) == "inn.yaml: inn.arms.clubs: : inn.arms.blades has a row called knife too"


def test_a_campaign_adds_rows_to_each_of_several_tables(tmp_path: Path) -> None:
    book = armoury(tmp_path).but(
        {
            "add": {
                "inn.arms.blades": {"weapons": [{"name": "axe", "cost": 4}]},
                "inn.arms.clubs": {"": [{"name": "stool", "cost": 3}]},
            },
            "set": {"inn.arms.clubs": {"bottle/cost": 5}},
        }
    )
    assert [(each.name, each.cost) for each in ARMS.parse(book)][2:] == [
        ("axe", 4),
        ("chair leg", 0),
        ("bottle", 5),
        ("stool", 3),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [({"cost": 3}, "a row needs a name"), ("stool", "a row needs a name"), ({"name": "bottle"}, "called bottle")],
)
def test_a_row_added_to_a_table_by_names_needs_one_of_its_own(tmp_path: Path, row: Any, problem: str) -> None:
    with pytest.raises(RulebookError, match=problem):
        armoury(tmp_path).but({"add": {"inn.arms.clubs": {"": [row]}}})


def test_declared_again_a_table_is_known_under_each_of_its_rules(tmp_path: Path) -> None:
    arms = rows("inn.arms.blades", "weapons", Song, also=("inn.arms.clubs/", "inn.arms.wounds/leg"))
    try:
        assert [arms in DECLARED[each] for each in arms.rules] == [True] * 3
        assert arms.paths(armoury(tmp_path).entry("inn.arms.wounds")) == ("leg",)
        with pytest.raises(RulebookError, match=r"inn\.yaml: inn\.arms\.wounds: leg: limp\.d12: 'd12' is not known"):
            arms.parse(armoury(tmp_path))
    finally:
        for each in arms.rules:
            DECLARED[each].remove(arms)


def test_a_table_by_names_reserves_the_column_of_the_name(tmp_path: Path) -> None:
    with pytest.raises(RulebookError) as wrong:
        ARMS.parse(armoury(tmp_path, ARMOURY.replace("bottle: {cost: 1}", "bottle: {name: jug, cost: 1}")))
    assert str(wrong.value) == (
        "inn.yaml: inn.arms.clubs: : bottle.name: this column is reserved: the row is printed under its name"
    )


def test_rows_that_are_texts_by_name_are_found_by_it(tmp_path: Path) -> None:
    texts: RowsOf[str] = RowsOf("inn.arms.wounds", "words", str)
    assert texts.parse(armoury(tmp_path))["torn"] == "it hangs loose"


def test_a_column_may_hold_the_first_and_the_last_number_of_a_row(tmp_path: Path) -> None:
    wounds: RowsOf[Song] = RowsOf(
        "inn.arms.wounds", "head", Song, by=("d12", "d12"), also=(("inn.arms.wounds", "leg"),)
    )
    table = wounds.parse(armoury(tmp_path))
    assert [table.at(number).name for number in (1, 6, 7, 12, 13)] == ["bruise", "bruise", "gash", "gash", "limp"]
    with pytest.raises(RulebookError, match=r"inn\.arms\.wounds: head: the rows bruise and gash overlap"):
        wounds.parse(armoury(tmp_path, ARMOURY.replace("[7, 12]", "[6, 12]")))
    with pytest.raises(RulebookError, match=r"bruise\.d12: must be 2 values, not 3"):
        wounds.parse(armoury(tmp_path, ARMOURY.replace("[1, 6]", "[1, 3, 6]")))


def test_a_column_that_places_a_row_may_be_a_field_of_it_too(tmp_path: Path) -> None:
    wounds: RowsOf[Gash] = RowsOf("inn.arms.wounds", "head", Gash, by=("d12", "d12"))
    assert wounds.parse(armoury(tmp_path)).at(7) == Gash("gash", 3, (7, 12))


def test_a_figure_may_be_held_to_a_range(tavern: PrintedBook) -> None:
    on_a_die: Figure[int] = Figure("tavern.brawl.punch", "hurts/four", int, among=range(1, 7))
    assert on_a_die.parse(Book(tavern)) == 2
    high = Book(tavern, set={"tavern.brawl.punch": {"hurts/four": 7}})
    with pytest.raises(RulebookError, match=r"tavern\.brawl\.punch: hurts/four: must be from 1 to 6, not 7"):
        on_a_die.parse(high)


def test_the_numbers_that_can_occur_may_depend_on_the_book(tavern: PrintedBook) -> None:
    by_dice: RowsOf[str] = RowsOf("tavern.brawl.wounds", "moods", str, numbers=lambda book: range(3 * book.read(DICE)))
    assert by_dice.parse(Book(tavern)).at(2) == "drunk"
    with pytest.raises(RulebookError, match=r"tavern\.brawl\.wounds: moods: no row has 3"):
        by_dice.parse(Book(tavern, set={"tavern.brawl.punch": {"dice": 2}}))


def test_a_file_without_entries_adds_none(tmp_path: Path) -> None:
    assert shelf_of(tmp_path, tavern=BOOK_TEXT, empty="system: tavern\nrules: []\n").ids[0] == "tavern.brawl.punch"


def test_rows_printed_by_names_are_counted(tmp_path: Path) -> None:
    assert armoury(tmp_path).printed_book.entry("inn.arms.clubs").rows == ("chair leg", "bottle")
    assert armoury(tmp_path).printed_book.entry("inn.arms.wounds").rows == ("bruise", "gash", "limp")


def test_a_row_is_found_by_name_in_any_letters_and_nothing_else(tavern: PrintedBook) -> None:
    table = scene_of(tavern)[WOUNDS]
    assert table["bruise"] is table.look("Bruise")
    with pytest.raises(Refused, match=r"Scar: the book has none of this name .*; legal: Nothing, Bruise, Knockout"):
        table.look("Scar")


def test_of_a_row_that_names_several_things_one_is_enough() -> None:
    table = Rows("inn.arms.furniture", [("Door, gate", 1), ("Bar, oak", 2), ("Bar, iron", 3), ("Stool or bench", 4)])
    assert (table["gate"], table.look("DOOR"), table["Bar, iron"], table["bench"]) == (1, 1, 3, 4)
    with pytest.raises(Refused, match="Bar: the book has none of this name"):
        table.look("Bar")


def test_rows_are_counted_listed_and_known(tavern: PrintedBook) -> None:
    table = scene_of(tavern)[WOUNDS]
    assert (len(table), table.names) == (3, ("Nothing", "Bruise", "Knockout"))
    assert "Bruise" in table
    assert "bruise" not in table
    assert [row.hurts for row in table] == [0, 1, 3]


def test_a_list_of_names_is_a_table_by_place(tavern: PrintedBook) -> None:
    moods = scene_of(tavern)[MOODS]
    assert (moods.at(1), moods["drunk"]) == ("tipsy", "drunk")


def test_two_rows_of_one_name_are_refused(tavern: PrintedBook) -> None:
    with pytest.raises(RulebookError, match=r"tavern\.brawl\.wounds: table: two rows are called Bruise"):
        Book(tavern, add={"tavern.brawl.wounds": {"table": [{"from": 9, "to": 9, "name": "Bruise"}]}})


def test_using_a_row_is_noted_and_looking_at_it_is_not(tavern: PrintedBook) -> None:
    table = scene_of(tavern)[WOUNDS]
    with watching(set()) as seen:
        table.look("Bruise")
        table.at(2)
        assert seen == set()
        with running(Citation("brawl", "tavern.brawl.wounds")):
            table.look("Bruise")
            table.at(4)
            table["nothing"]
    assert seen == {"tavern.brawl.wounds", "tavern.brawl.wounds#Knockout", "tavern.brawl.wounds#Nothing"}


def test_an_argument_from_a_table_offers_its_rows(tavern: PrintedBook) -> None:
    scene = scene_of(tavern, add={"tavern.brawl.wounds": {"moods": ["asleep"]}})
    assert options_of(field_type(Annotated[str, MOODS]), scene, None) == ("calm", "tipsy", "drunk", "asleep")


# --- overlays ---------------------------------------------------------------------------------------------------------


def test_a_campaigns_figures_and_rows_reach_rules_and_nobody_else(tavern: PrintedBook) -> None:
    house = scene_of(
        tavern,
        set={
            "tavern.brawl.punch": {"hurts/four": 5},
            "tavern.brawl.wounds": {"table/Knockout/hurts": 7, "table/Knockout/to": 49},
        },
        add={"tavern.brawl.wounds": {"table": [{"name": "Scar", "from": 50, "to": 60}]}},
    )
    assert strength(house) == 12
    assert house[WOUNDS].names == ("Nothing", "Bruise", "Knockout", "Scar")
    assert strength(scene_of(tavern)) == 5
    assert "Scar" not in scene_of(tavern)[WOUNDS]


@pytest.mark.parametrize("path", ["table/2", "table/Knockout"])
def test_a_whole_row_may_be_replaced_by_place_or_by_name_bug(tavern: PrintedBook, path: str) -> None:
    row = {"from": 4, "to": None, "name": "Knockout", "hurts": 9}
    assert scene_of(tavern, set={"tavern.brawl.wounds": {path: row}})[WOUNDS].at(4) == Wound("Knockout", 9)


def test_a_figure_inside_a_list_may_be_set(tavern: PrintedBook) -> None:
    assert scene_of(tavern, set={"tavern.brawl.punch": {"needs/0": 3}})[NEEDS] == (3, 5, 6)
    assert scene_of(tavern, set={"tavern.brawl.punch": {"needs": [6]}})[NEEDS] == (6,)


def test_effects_of_an_overlay_are_read_as_effects(tavern: PrintedBook) -> None:
    path = "table/Bruise"
    row = {"from": 1, "to": 3, "name": "Bruise", "effects": {"forbids": "dance"}}
    bruise = scene_of(tavern, set={"tavern.brawl.wounds": {path: row}})[WOUNDS]["Bruise"]
    assert bruise.effects == (Effect(Forbids("dance")),)


@pytest.mark.parametrize(
    ("overlay", "complaint"),
    [
        ({"set": {"tavern.brawl.punch": {"dies": 2}}}, "punch: dies: 'dies' is not known; did you mean 'dice'?"),
        ({"set": {"tavern.brawl.punch": {"dice": "two"}}}, "punch: dice: 'two' cannot stand where 1 stood"),
        ({"set": {"tavern.brawl.punch": {"dice": True}}}, "punch: dice: True cannot stand where 1 stood"),
        ({"set": {"tavern.brawl.punch": {"dice": None}}}, "punch: dice: must be a whole number, not None"),
        ({"set": {"tavern.brawl.punch": {"needs/9": 1}}}, "punch: needs/9: '9' is not known"),
        ({"set": {"tavern.brawl.punch": {"needs/²": 1}}}, "punch: needs/²: '²' is not known"),
        ({"set": {"tavern.brawl.punch": {"hurts/for": 1}}}, "punch: hurts/for: 'for' is not known; did you mean"),
        ({"set": {"tavern.brawl.punch": {"needs": [4, "x"]}}}, "punch: needs: [1]: must be a whole number"),
        ({"set": {"tavern.brawl.wounds": {"table/Scar/hurts": 1}}}, "wounds: table/Scar/hurts: 'Scar' is not"),
        ({"set": {"tavern.brawl.wounds": {"table/Bruise/effects": []}}}, "wounds: table/Bruise/effects: 'effects' is"),
        ({"add": {"tavern.brawl.punch": {"dice": [1]}}}, "punch: dice: is no table; rows cannot be added to it"),
        ({"add": {"tavern.brawl.wounds": {"tabel": [1]}}}, "wounds: tabel: 'tabel' is not known; did you mean 'table'"),
        (
            {"add": {"tavern.brawl.wounds": {"table": [3]}}},
            "wounds: table: 3: must be fields of a Wound (name, …), not 3",
        ),
        ({"options": {"tavern.brawl.punch": False}}, "punch: is not an optional rule"),
    ],
)
def test_an_overlay_that_does_not_fit_is_told_by_file_id_and_path(
    tavern: PrintedBook, overlay: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(RulebookError) as told:
        Book(tavern, **overlay)
    assert str(told.value).startswith(f"tavern.yaml: tavern.brawl.{complaint}")


@pytest.mark.parametrize("part", ["options", "set", "add"])
def test_an_overlay_of_an_unknown_rule_is_refused_with_the_nearest(tavern: PrintedBook, part: str) -> None:
    value: Any = True if part == "options" else {"x": [1]}
    with pytest.raises(RulebookError, match=r"did you mean 'tavern\.brawl\.chairs'"):
        Book(tavern, **{part: {"tavern.brawl.chair": value}})


@pytest.mark.parametrize(
    ("overlay", "complaint"),
    [
        ({"options": ["tavern.brawl.chairs"]}, "options: must be names with values"),
        ({"options": {"tavern.brawl.chairs": "perhaps"}}, "options.tavern.brawl.chairs: must be yes or no"),
        ({"set": 3}, "set: must be names with values, not 3"),
        ({"set": {"tavern.brawl.punch": 3}}, "set.tavern.brawl.punch: must be names with values, not 3"),
        ({"set": {"tavern.brawl.punch": {3: 3}}}, "set.tavern.brawl.punch: must be text, not 3"),
        ({"add": {"tavern.brawl.wounds": ["table"]}}, "add.tavern.brawl.wounds: must be names with values"),
        ({"house": {}}, "house: 'house' is not known; one of system, options, set, add"),
        ({3: {}}, "3: '3' is not known"),
        ({"system": "tavren"}, "system: 'tavren' is not known; did you mean 'tavern'?"),
        ({"system": ["tavern"]}, "system: "),
    ],
)
def test_an_overlay_of_the_wrong_form_is_complained_of(
    tavern: PrintedBook, overlay: dict[Any, Any], complaint: str
) -> None:
    with pytest.raises(BadInput) as told:
        Book.from_plain({"system": "tavern", **overlay}).check()
    assert str(told.value).startswith(complaint)


def test_an_optional_rule_is_off_until_a_campaign_turns_it_on(tavern: PrintedBook) -> None:
    assert not Book(tavern).on("tavern.brawl.chairs")
    assert Book(tavern, options={"tavern.brawl.chairs": True}).on("tavern.brawl.chairs")
    assert not Book(tavern, options={"tavern.brawl.chairs": False}).on("tavern.brawl.chairs")
    assert Book(tavern).on("tavern.brawl.punch")
    with pytest.raises(RulebookError, match=r"'tavern\.brawl\.tables' is not known"):
        Book(tavern).on("tavern.brawl.tables")


def test_the_printed_book_stays_as_it_is_printed(tavern: PrintedBook) -> None:
    house = Book(tavern, set={"tavern.brawl.punch": {"needs/0": 1}}, add={"tavern.brawl.wounds": {"moods": ["asleep"]}})
    assert house.entry("tavern.brawl.punch").values["needs"] == [1, 5, 6]
    assert tavern.entry("tavern.brawl.punch").values["needs"] == [4, 5, 6]
    assert tavern.entry("tavern.brawl.wounds").values["moods"] == ["calm", "tipsy", "drunk"]


# --- books are values -------------------------------------------------------------------------------------------------

overlays = st.fixed_dictionaries(
    {},
    optional={
        "options": st.dictionaries(st.just("tavern.brawl.chairs"), st.booleans()),
        "set": st.dictionaries(
            st.just("tavern.brawl.punch"),
            st.dictionaries(st.sampled_from(["dice", "hurts/four", "needs/1"]), st.integers(0, 3)),
        ),
        "add": st.dictionaries(
            st.just("tavern.brawl.wounds"),
            st.dictionaries(st.just("moods"), st.lists(st.sampled_from("abc"), unique=True, min_size=1)),
        ),
    },
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrintedBook]:
    yield shelf_of(tmp_path_factory.mktemp("rulebook"), tavern=BOOK_TEXT)
    PRINTED_BOOKS.pop("tavern", None)


@settings(max_examples=50)
@given(overlays, overlays)
def test_two_books_are_equal_exactly_if_they_say_the_same(shelf: PrintedBook, one: Any, other: Any) -> None:
    assert (Book(shelf, **one) == Book(shelf, **other)) is (
        Book(shelf, **one).to_plain() == Book(shelf, **other).to_plain()
    )
    assert hash(Book(shelf, **one)) == hash(Book(shelf, **one))


@settings(max_examples=50)
@given(overlays)
def test_a_book_reads_back(shelf: PrintedBook, overlay: Any) -> None:
    PRINTED_BOOKS["tavern"] = shelf
    assert Book.from_plain(Book(shelf, **overlay).to_plain()) == Book(shelf, **overlay)


def test_what_an_overlay_was_made_of_may_change_without_it(tavern: PrintedBook) -> None:
    overlay = {"tavern.brawl.punch": {"dice": 2}}
    book = Book(tavern, set=overlay)
    overlay["tavern.brawl.punch"]["dice"] = 9
    assert book.read(DICE) == 2


def test_a_book_is_no_other_thing(tavern: PrintedBook) -> None:
    assert Book(tavern) != "tavern"
    assert Book.from_plain(book := Book(tavern)) is book


def test_further_figures_join_earlier_ones(tavern: PrintedBook) -> None:
    book = Book(tavern, set={"tavern.brawl.punch": {"dice": 2}}, options={"tavern.brawl.chairs": True})
    further = book.but({"set": {"tavern.brawl.punch": {"hurts/four": 4}, "tavern.brawl.chairs": {"range": 9}}})
    assert [further.read(each) for each in (DICE, FOUR, RANGE)] == [2, 4, 9]
    assert further.on("tavern.brawl.chairs")
    assert further.but({"set": {"tavern.brawl.punch": {"dice": 3}}}).read(DICE) == 3
    assert book.read(DICE) == 2


def test_further_rows_join_earlier_ones_bug(tavern: PrintedBook) -> None:
    book = Book(tavern)
    for mood in ("asleep", "awake"):
        book = book.but({"add": {"tavern.brawl.wounds": {"moods": [mood]}}})
    assert book.read(MOODS).names == ("calm", "tipsy", "drunk", "asleep", "awake")


@pytest.mark.parametrize("overlay", [{"house": {}}, {"set": {"tavern.brawl.punch": 3}}, {"add": 3}, {"options": [1]}])
def test_further_things_of_the_wrong_form_are_refused(tavern: PrintedBook, overlay: Any) -> None:
    with pytest.raises(BadInput):
        Book(tavern).but(overlay)


def test_what_code_reads_is_declared_under_its_rule() -> None:
    assert DICE in DECLARED["tavern.brawl.punch"]
    assert [type(each) for each in DECLARED["tavern.brawl.wounds"]] == [RowsOf, RowsOf]
    assert isinstance(WOUNDS.make([], None), Rows)  # type: ignore[arg-type]  # no book is needed for no rows
    assert BOOK.name == "book"


# --- search -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("punch", "tavern.brawl.punch"),
        ("PUNCH!", "tavern.brawl.punch"),
        ("pnuch", "tavern.brawl.punch"),
        ("chiars", "tavern.brawl.chairs"),
        ("knockout", "tavern.brawl.wounds"),
        ("keper", "tavern.manners"),
        ("furnit", "tavern.brawl.chairs"),
        ("the keeper of manners", "tavern.manners"),
        ("a bruise for a punch", "tavern.brawl.punch"),
    ],
)
def test_search_finds_the_rule_that_is_meant_whatever_the_typing(tavern: PrintedBook, query: str, first: str) -> None:
    assert Index(tavern).search(query)[0].id == first


@pytest.mark.parametrize("query", ["xylophone", "", "   ", "!?", "qqqq zzzz"])
def test_search_for_what_is_not_there_finds_nothing(tavern: PrintedBook, query: str) -> None:
    assert Index(tavern).search(query) == []


def test_search_gives_at_most_so_many_the_best_first(tavern: PrintedBook) -> None:
    found = Index(tavern).search("brawling", most=2)
    assert len(found) == 2
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_a_rule_that_holds_more_of_the_words_comes_first(tavern: PrintedBook) -> None:
    assert [each.id for each in Index(tavern).search("bruise punch")][:2] == [
        "tavern.brawl.punch",
        "tavern.brawl.wounds",
    ]


@settings(max_examples=50)
@given(st.text())
def test_no_search_crashes(shelf: PrintedBook, query: str) -> None:
    assert len(Index(shelf).search(query)) <= 4


# --- the figures of a rule as one class -------------------------------------------------------------------------------


def test_the_figures_of_a_rule_are_read_by_the_name_of_their_class(tavern: PrintedBook) -> None:
    scene = scene_of(tavern)
    assert (scene[Punch].dice, scene[Punch].needs) == (scene[DICE], scene[NEEDS])
    assert scene[Punch] is scene[Punch]


def test_a_changed_figure_reaches_its_class(tavern: PrintedBook) -> None:
    assert scene_of(tavern, set={"tavern.brawl.punch": {"dice": 9}})[Punch].dice == 9


def test_a_figure_of_the_wrong_form_is_an_error_that_names_it(tavern: PrintedBook) -> None:
    with pytest.raises(RulebookError, match=r"tavern\.brawl\.punch: dice: .*'many'"):
        Book(tavern, set={"tavern.brawl.punch": {"dice": "many"}})


def test_every_figure_of_a_class_is_declared_by_itself() -> None:
    assert {"dice", "needs"} <= {each.path for each in DECLARED["tavern.brawl.punch"]}


def test_a_figure_the_book_does_not_have_is_an_error(tavern: PrintedBook) -> None:
    @figures("tavern.brawl.chairs")
    class Chairs:
        legs: int

    with pytest.raises(RulebookError, match=r"tavern\.brawl\.chairs: legs"):
        _ = scene_of(tavern)[Chairs]
    DECLARED["tavern.brawl.chairs"].pop()


# --- what is looked up ------------------------------------------------------------------------------------------------


def test_what_reads_the_rulebook_alone_is_worked_out_once_for_each_book_and_arguments(tavern: PrintedBook) -> None:
    asked: list[tuple[str, int]] = []

    @from_book
    def cost(scene: Scene, drink: str, cups: int) -> int:
        asked.append((drink, cups))
        return scene[FOUR] * cups

    one, same, other = Book(tavern), Book(tavern), Book(tavern)
    scene = Scene({"book": one})
    assert [cost(scene, "ale", 2), cost(scene, "ale", 2), cost(Scene({"book": one}), "ale", 2)] == [4, 4, 4]
    assert asked == [("ale", 2)]
    assert cost(scene, "ale", 3) == 6
    assert [cost(Scene({"book": each}), "ale", 2) for each in (same, other)] == [4, 4]
    assert len(asked) == 4


def test_what_is_looked_up_can_read_nothing_else_and_notes_that_it_read_the_book(tavern: PrintedBook) -> None:
    guest = Who("guest", int)

    @from_book
    def peeks(scene: Scene) -> int:
        return scene[guest]

    reads: set[Read] = set()
    with pytest.raises(BadInput, match="guest"):
        peeks(Scene({"book": Book(tavern), "guest": 3}, reads))
    assert reads == {"book"}
    with pytest.raises(TypeError, match="by name"):
        peeks(Scene({"book": Book(tavern)}), by="name")  # type: ignore[call-arg]


FEATS_TEXT = """\
system: fair
rules:
  - id: fair.feats.climbing
    chapter: Feats
    kind: catalogue
    rule: Climb.
    values:
      uses:
        pole: {level: 10, tools: [rope, hook]}
        greased pole: {like: pole, level: 20}
        tower: {like: Greased pole, rule: fair.feats.towers}

  - id: fair.feats.towers
    chapter: Feats
    kind: mechanic
    rule: A tower is climbed as a pole is.
    values: {height: 9}

  - id: fair.feats.strength
    chapter: Feats
    kind: catalogue
    rule: Lift.
    values:
      uses:
        - {name: anvil, level: 15}
        - {like: fair.feats.climbing/uses/pole, name: mast}

  - id: fair.feats.borrowed
    chapter: Feats
    kind: catalogue
    rule: What the others do, and the bell.
    values:
      feats:
        like: fair.feats.climbing/uses
        pole: {level: 5}
        bell: {level: 8}
"""


@dataclass(frozen=True, slots=True)
class Feat:
    name: str
    level: int
    tools: tuple[str, ...] = ()


FEATS: RowsOf[Feat] = rows("fair.feats.climbing", "uses", Feat, also="*/uses", cites="rule")
BORROWED: RowsOf[Feat] = rows("fair.feats.borrowed", "feats", Feat, cites="rule")


def fair(tmp_path: Path, text: str = FEATS_TEXT) -> Book:
    (tmp_path / "fair.yaml").write_text(text, encoding="utf-8")
    return Book(printed_book("fair", tmp_path))


def test_a_catalogue_is_found_in_every_entry_that_has_the_path(tmp_path: Path) -> None:
    book = fair(tmp_path)
    assert book.read(FEATS).names == ("pole", "greased pole", "tower", "anvil", "mast")
    found = {id_: [at for each, at in declared(book.entry(id_)) if each is FEATS] for id_ in book.printed_book.ids}
    assert found == {
        "fair.feats.climbing": ["uses"],
        "fair.feats.towers": [],
        "fair.feats.strength": ["uses"],
        "fair.feats.borrowed": [],
    }


def test_a_row_is_like_another_but_for_what_it_says(tmp_path: Path) -> None:
    feats = fair(tmp_path).read(FEATS)
    assert feats.look("greased pole") == Feat("greased pole", 20, ("rope", "hook"))
    assert feats.look("tower") == Feat("tower", 20, ("rope", "hook"))
    assert feats.look("mast") == Feat("mast", 10, ("rope", "hook"))


def test_a_row_carries_out_the_rule_that_it_names(tmp_path: Path) -> None:
    feats = fair(tmp_path).read(FEATS)
    assert [feats.rule_of(each) for each in feats.names] == [
        "fair.feats.climbing",
        "fair.feats.climbing",
        "fair.feats.towers",
        "fair.feats.strength",
        "fair.feats.strength",
    ]
    assert feats.printed_under("tower") == "fair.feats.climbing"
    with watching(set()) as seen, running(Citation("climb", "fair.feats.climbing")):
        assert feats["tower"].level == 20
    assert seen == {"fair.feats.climbing", "fair.feats.climbing#tower", "fair.feats.towers"}


def test_a_table_borrows_the_rows_of_another_and_keeps_its_own(tmp_path: Path) -> None:
    book = fair(tmp_path)
    feats = book.read(BORROWED)
    assert {each.name: each.level for each in feats} == {"pole": 5, "bell": 8, "greased pole": 20, "tower": 20}
    assert feats.rule_of("greased pole") == "fair.feats.borrowed"
    harder = book.but({"set": {"fair.feats.climbing": {"uses/greased pole/level": 30}}})
    assert [harder.read(each).look("greased pole").level for each in (FEATS, BORROWED)] == [30, 30]


@pytest.mark.parametrize(
    ("was", "now", "problem"),
    [
        ("anvil, level: 15", "anvil, level: far", "feats.strength: uses: anvil.level: must be a whole number"),
        ("like: pole", "like: tower", "fair.feats.climbing: uses: greased pole is like itself"),
        ("like: pole", "like: pale", "fair.feats.climbing: uses: greased pole.like: 'pale' is not known; did you mean"),
        ("fair.feats.towers}", "fair.feats.spires}", "climbing: uses: tower.rule: there is no rule fair.feats.spires"),
        ("climbing/uses/pole", "climbing/uses/mast", "strength: uses: mast.like: uses/mast: 'mast' is not known"),
    ],
)
def test_an_error_of_a_row_names_its_own_rule(tmp_path: Path, was: str, now: str, problem: str) -> None:
    with pytest.raises(RulebookError) as wrong:
        fair(tmp_path, FEATS_TEXT.replace(was, now)).read(FEATS)
    assert problem in str(wrong.value)


def test_a_table_is_not_like_something_that_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(RulebookError, match=r"borrowed: feats: like: fair\.feats\.sports/uses is no other table"):
        fair(tmp_path, FEATS_TEXT.replace("like: fair.feats.climbing/uses\n", "like: fair.feats.sports/uses\n")).read(
            BORROWED
        )


@figures("fair.feats.climbing")
class Climbs:
    """All that one rule prints, in one class."""

    easiest: int = figure_at("uses/pole/level")
    uses: Rows[Feat] = rows_of(also="*/uses", cites="rule")


def test_a_class_of_figures_may_hold_tables_and_say_where_figures_stand(tmp_path: Path) -> None:
    book = fair(tmp_path)
    climbs: Any = Climbs  # `scene[Climbs]` is the value of this class
    scene = Scene(State({BOOK.name: book}))
    assert (scene[Climbs].easiest, scene[Climbs].uses.look("mast").level) == (10, 10)
    assert scene[Climbs].uses.rule_of("tower") == "fair.feats.towers"
    harder = book.but({"set": {"fair.feats.strength": {"uses/0/level": 16}}})
    assert Scene(State({BOOK.name: harder}))[Climbs].uses.look("anvil").level == 16
    assert scene[Climbs].uses.look("anvil").level == 15
    assert not hasattr(climbs, "uses")
