"""Charts in letters and as SVG: readable, well-formed, safe to put into a page; and the documentation's are current."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from xml.etree import ElementTree

import pytest

from referee.core.errors import BadInput
from referee.odds import Distribution, Joint, NamedOutcomes, dice, die, symbol_pool, wild_dice, win_table
from referee.odds.pools import SymbolDie
from referee.odds.svg import plot_lines, svg_curves, svg_lines, svg_map
from referee.odds.text import grouped

ROOT = Path(__file__).parent.parent.parent
SVG = "{http://www.w3.org/2000/svg}"
POOL = symbol_pool([(SymbolDie(6, {6: "success", 1: "bane"}, locks=(1, 6)), 3)], ("success", "bane"), pushes=1)


def test_a_distribution_in_letters() -> None:
    assert dice(2, 3).text(columns=6, title="2d3").splitlines() == [
        "2d3",
        "2  ██····   11.1%",
        "3  ████··   22.2%",
        "4  ██████   33.3%",
        "5  ████··   22.2%",
        "6  ██····   11.1%",
        "mean 4, deviation 1.155",
    ]


def test_bands_in_letters() -> None:
    assert (
        NamedOutcomes({"fail": 1, "success": 3}).text(columns=8)
        == "   fail  ██······   25.0%\nsuccess  ██████··   75.0%"
    )


def test_joint_distributions_in_letters() -> None:
    odds = Joint(("success", "bane"), {(0, 1): 1, (1, 0): 3})
    assert odds.text().splitlines() == [
        "success down, bane across",
        "           0      1",
        "    0      ·  25.0%",
        "    1  75.0%      ·",
    ]
    three = Joint.independent(a=die(2), b=die(2), c=die(2))
    assert len(three.text().splitlines()) == 9


@pytest.mark.parametrize("odds", [dice(1), dice(200, 20), wild_dice(10, extra=10), die(1), die(5000) + 10**9])
def test_long_distributions_are_drawn_in_few_rows_that_add_up(odds: Distribution) -> None:
    rows = grouped(odds)
    assert len(rows) <= 42
    assert sum(rows.values()) == pytest.approx(1)
    for picture in (odds.svg(), odds.svg(at_least=True)):
        assert len(picture) < 20_000


@pytest.mark.parametrize(
    "picture",
    [
        dice(3).svg("3d6 & <more>"),
        dice(3).svg(at_least=True),
        Distribution({5: 1}).svg(),
        POOL.svg(),
        Joint.independent(a=die(2), b=die(2), c=die(2)).svg(),
        win_table([dice(1), dice(2)]).svg("wins", rows=("1D", "2D"), columns=("1D", "2D")),
        svg_curves({"3d6": dice(3), "2d10": dice(2, 10)}),
        svg_curves({"certain": Distribution({5: 1})}),
    ],
)
def test_pictures_are_well_formed_and_tell_what_they_show(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    title, told = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text
    assert told is not None
    assert told.text
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {told.get('id')}"
    assert "var(--accent, #" in picture
    for unsafe in ("<script", "<style", "style=", "http:" if "xmlns" not in picture else "href"):
        assert unsafe not in picture


def test_a_line_is_broken_where_nothing_is_known() -> None:
    picture = svg_lines("1234", {"one": (0.0, None, 0.5, 1.0), "two": (None, 0.5, None, 0.5)}, "t", across="a")
    pieces = [each.get("points") for each in ElementTree.fromstring(picture).iter(f"{SVG}polyline")]
    assert pieces == ["666.67,100 1000,0"]
    assert picture.count("<title>one, a ") == 3
    assert "one: 0.0% at 1, 100.0% at 4; two: unknown at 1, 50.0% at 4." in picture


def test_the_place_at_which_things_stand_is_marked() -> None:
    plot = plot_lines("123", {"one": (0.0, 0.5, 1.0)}, now="2")
    assert '<line x1="54.5%" x2="54.5%"' in plot
    assert 'font-weight="700" font-size="13" text-anchor="middle">2</text>' in plot
    assert 'x="54.5%" y="214"' in plot_lines("1", {"one": (0.0,)})


def test_two_pictures_in_one_page_have_different_ids() -> None:
    assert ElementTree.fromstring(dice(2).svg()).get("aria-labelledby") != ElementTree.fromstring(dice(3).svg()).get(
        "aria-labelledby"
    )


def test_notebooks_get_a_picture_and_its_figures() -> None:
    for odds in (dice(2), POOL):
        assert odds._repr_svg_() == odds.svg()
        assert odds._repr_html_().startswith("<figure><svg")
        assert "mean" in odds._repr_html_()
    assert win_table([dice(1)])._repr_svg_().startswith("<svg")


def test_pictures_that_nobody_could_read_are_refused() -> None:
    with pytest.raises(BadInput, match="cells"):
        svg_map([[0.5] * 50] * 50, ["x"] * 50, ["y"] * 50)
    with pytest.raises(BadInput, match="from 1 to"):
        svg_curves({})


@pytest.mark.slow
def test_the_pictures_of_the_documentation_are_current() -> None:
    spec = spec_from_file_location("odds_pictures", ROOT / "docs" / "pictures" / "odds.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, picture in module.pictures().items():
        assert (ROOT / "docs" / "pictures" / name).read_text("utf-8") == picture, "run docs/pictures/odds.py"
    assert sys.modules.get("odds_pictures") is None
