"""What the screens are made of: talk, odds, forms, looks, and the story in words."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee import registry
from referee.cli.show import percent as in_terminal
from referee.core.plain import Plain
from referee.core.questions import key_of
from referee.core.words import Words
from referee.web.pages.page import TEMPLATES, measured, percent, share, signed
from referee.web.pages.parts.actions import arguments_of
from referee.web.pages.parts.cards import pile_title
from referee.web.pages.parts.chances import chances
from referee.web.pages.parts.dice import thrown
from referee.web.pages.parts.markdown import marked_up
from referee.web.pages.parts.story import StoryWriter, option_words

ALIEN = registry.load("alien")
DISTEMPER = registry.load("distemper")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("hello", "<p>hello</p>"),
        ("**run** or *hide*", "<p><strong>run</strong> or <em>hide</em></p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("`a **b** <c>`", "<p><code>a **b** &lt;c&gt;</code></p>"),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("- a\n- **b**", "<ul><li>a</li><li><strong>b</strong></li></ul>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
        ("snake_case and ** not **", "<p>snake_case and ** not **</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('"><img src=x onerror=y>', "<p>&#34;&gt;&lt;img src=x onerror=y&gt;</p>"),
        ("a -> b 🐍", "<p>a -&gt; b 🐍</p>"),
    ],
)
def test_talk_is_marked_up_a_little_and_safely(text: str, html: str) -> None:
    assert str(marked_up(text)) == html


def test_long_talk_takes_no_long_time() -> None:
    assert "<em>" not in marked_up("*" * 10_000)
    assert marked_up("**a" * 3_000).count("<strong>") <= 3_000


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0, "0 %"), (0.004, "< 1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.99, "99 %"), (0.996, "> 99 %"), (1, "100 %")],
)
def test_what_can_happen_is_never_called_impossible(chance: float, text: str) -> None:
    assert percent(chance) == text


@pytest.mark.parametrize(("chance", "text"), [(0, "< 1 %"), (0.5, "50 %"), (0.999, "> 99 %"), (1, "> 99 %")])
def test_an_estimate_is_never_called_certain(chance: float, text: str) -> None:
    assert percent(chance, 0.073) == text


@pytest.mark.parametrize(("chance", "text"), [(0, "<1%"), (Fraction(1, 2), "50.0%"), (1, ">99%")])
def test_an_estimate_is_never_called_certain_in_a_terminal(chance: int | Fraction, text: str) -> None:
    assert in_terminal(Fraction(chance), is_estimate=True) == text


@pytest.mark.parametrize(
    ("system", "bands", "good", "text"),
    [
        ("d6", ("hit", "miss"), ("hit",), "34 %: you are hit"),
        ("dime", ("critical-hit", "hit", "miss"), ("critical-hit", "hit"), "34 %: you are hit"),
        ("yearzero", ("broken", "damage", "hit", "miss"), ("broken", "damage", "hit"), "34 %: you are hit"),
        ("distemper", ("success", "failure"), ("success",), "34 %: the other side succeeds"),
        ("alien", ("extra-success", "failure"), ("extra-success",), "34 %: an extra success, for the other side"),
    ],
)
def test_a_figure_against_oneself_says_so(
    system: str, bands: tuple[str, ...], good: tuple[str, ...], text: str
) -> None:
    share = {key: 0.34 / len(good) if key in good else 0.66 for key in bands}
    told = {key: {"float": each, "exact": ""} for key, each in share.items()}
    loaded = registry.load(system)
    shown = chances({"bands": told, "extra": {}, "bad": {}}, loaded, good).for_others(loaded, good)
    drawn = TEMPLATES.get_template("parts.html").module.chance_rows(shown, shown.beside)  # type: ignore[attr-defined]
    assert re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", drawn)).strip() == text


@pytest.mark.parametrize("system", registry.names())
def test_nothing_is_at_stake_where_only_one_thing_can_come_of_it(system: str) -> None:
    actions = {each.key: each for each in registry.load(system).actions}
    assert all(
        len(each.bands.keys) > 1 or each.bands.extra or each.bands.bad
        for each in actions.values()
        if each.bands.has_stake
    )
    assert "overrule" not in actions or not actions["overrule"].bands.has_stake


def test_modifiers_have_a_true_minus() -> None:
    assert [signed(each) for each in (2, 0, -1)] == ["+2", "+0", "\N{MINUS SIGN}1"]


def forecast(**bands: float) -> dict[str, Plain]:
    told = {key: {"exact": str(chance), "float": chance} for key, chance in bands.items()}
    return {"bands": told, "extra": {}, "bad": {"dire": {"exact": "0", "float": 0.0}}, "error": 0}


def test_what_one_hopes_for_comes_first_and_together() -> None:
    found = chances(forecast(wild=0.1, success=0.4, failure=0.5), DISTEMPER, ("wild", "success"))
    assert [(row.name, row.chance, row.tone) for row in found.rows] == [
        ("success", 0.5, "good"),
        ("wild", 0.1, "part"),
        ("plain success", 0.4, "part"),
        ("failure", 0.5, "plain"),
        ("dire", 0.0, "bad"),
    ]
    assert found.good == 0.5
    assert [row.name for row in found.told] == ["success", "wild", "plain success", "failure"]


def test_a_form_says_only_what_was_filled_in() -> None:
    action = ALIEN.action("skill-roll")
    form = {"arg-skill": ["Observation"], "arg-mods": ["+1 lamp, -2 dark", ""], "arg-helpers": ["Brekk", "Dallow"]}
    assert arguments_of(form, action) == {
        "skill": "Observation",
        "mods": ["+1 lamp", "-2 dark"],
        "helpers": ["Brekk", "Dallow"],
    }
    assert arguments_of({"arg-skill": [" "], "arg-other": ["x"]}, action) == {}


def test_a_form_takes_numbers_with_a_point() -> None:
    begin = registry.load("d6").action("begin-ship-combat")
    for typed, number in (
        ("500.0", 500.0),
        ("12.5", 12.5),
        ("400", 400),
        ("\N{MINUS SIGN}2", -2),
        ("1.", "1."),
        ("far", "far"),
    ):
        assert arguments_of({"arg-gap": [typed]}, begin) == {"gap": number}


def test_a_form_says_yes_and_several_at_once() -> None:
    check = DISTEMPER.action("check")
    assert arguments_of({"arg-using": ["Reason"], "arg-hidden": ["yes"]}, check) == {"using": "Reason", "hidden": True}
    group = DISTEMPER.action("group-check")
    assert arguments_of({"arg-members": ["Ash\nBell"], "arg-using": ["Reason"]}, group) == {
        "members": ["Ash", "Bell"],
        "using": "Reason",
    }


def test_every_system_has_a_look_whose_names_are_its_own() -> None:
    for system in (ALIEN, DISTEMPER):
        look = system.look
        fields = set(system.sheet.__dataclass_fields__)
        named = {look.items, look.mine, *look.chips, *(each.field for each in look.vitals)}
        named |= {each.of for each in look.vitals}
        assert named - {""} <= fields
        assert look.rolls is not None
        assert look.rolls.argument in system.action(look.rolls.action).parameters
        for kind, places in look.encounters.items():
            known = set(system.kind(kind).__dataclass_fields__)
            assert {places.round, places.phase, places.order, places.left, places.bands, *places.marks} - {""} <= known
        for vital in look.vitals:
            assert not vital.rule or vital.rule in system.printed_book.ids


def test_options_read_as_words() -> None:
    assert option_words(ALIEN, "push", "yes") == "Push"
    assert option_words(DISTEMPER, "action", "attack raider rifle") == "Attack: raider rifle"
    assert option_words(DISTEMPER, "action", "defend") == "Defend"
    assert option_words(DISTEMPER, "insight-before", "extra die") == "extra die"
    assert option_words(DISTEMPER, "insight-before", key_of(None)) == "no"


# --- the story --------------------------------------------------------------------------------------------------------


def told(*items: dict[str, Plain], system: Any = ALIEN) -> Any:
    teller = StoryWriter(system, system.look, {"m": "Mo", "a": "Anna"})
    return teller.tell([{"id": at, **item} for at, item in enumerate(items)])


def test_a_roll_is_told_with_its_dice_and_reasons() -> None:
    faces = ["blank"] * 5 + ["six"]
    roll = {
        "dice": [{"die": "base", "faces": faces}, {"die": "stress", "faces": ["one", *faces[1:]]}],
        "kept": {"base": {"six": 2}},
        "mods": [{"amount": 5, "label": "Wits", "rule": "alien.basics.skill-roll"}],
    }
    (piece,) = told(
        {"kind": "answered", "by": "dice", "prompt": "push", "of": "Ripa", "answer": [[6, 2], [1]], "roll": roll}
    )
    assert (piece.kind, piece.who, piece.text) == ("dice", "Ripa", "the push")
    drawn = [(die.pips, die.drawn, die.tone, die.kept) for _, dice in piece.thrown.groups for die in dice]
    assert drawn == [
        (6, "plain", "good", False),
        (2, "plain", "plain", False),
        (1, "plain", "bad", False),
        (6, "plain", "good", True),
        (6, "plain", "good", True),
    ]
    assert piece.thrown.text == "base 6, 2; stress 1; kept 6 kept, 6 kept"
    assert [(each.label, each.amount, each.rule) for each in piece.thrown.mods] == [
        ("Wits", 5, "alien.basics.skill-roll")
    ]
    assert piece.thrown.total is None  # successes are counted, not added up


def test_only_dice_for_no_rule_are_added_up() -> None:
    """What a rule makes of its dice and modifiers (limits, secrets, doubles), the rule tells."""
    roll = {"dice": [{"die": "d6", "sides": 6}], "mods": [{"amount": 2, "label": "Reason", "rule": "x"}]}
    item = {"kind": "answered", "by": "dice", "prompt": "check", "of": "Ash", "answer": [[3, 4]], "roll": roll}
    assert told(item, system=DISTEMPER)[0].thrown.total is None
    free = {"kind": "answered", "by": "dice", "prompt": "throw", "of": None, "answer": [[3, 4], [2]]}
    assert told(free)[0].thrown.total == 9


def test_a_throw_of_an_old_log_is_told_too() -> None:
    (piece,) = told({"kind": "answered", "by": "dice", "prompt": "skill", "of": "Ripa", "answer": [[6, 3], [2]]})
    assert [die.pips for _, dice in piece.thrown.groups for die in dice] == [6, 3, 2]


def test_who_declines_is_not_told_of() -> None:
    declined = {"kind": "answered", "by": "a", "prompt": "insight-before", "of": "Ash", "answer": "no"}
    assert told(declined, system=DISTEMPER) == ()
    (piece,) = told({"kind": "answered", "by": "a", "prompt": "push", "of": "Ripa", "answer": "no"})
    assert (piece.who, piece.text) == ("Ripa", "lets the roll stand.")


def test_what_changed_is_told_by_its_name_and_rule() -> None:
    item = {
        "kind": "happened",
        "then": [
            {
                "who": "Ash",
                "kind": "Character",
                "set": {"wp": 7},
                "changes": [{"path": ["wp"], "how": "changed", "was": 11, "now": 7}],
                "rules": ["distemper.combat.damage-tracks"],
            },
            {"who": "fight", "kind": "Fight", "set": {"round": 2}, "changes": [{"path": ["round"]}], "rules": []},
        ],
    }
    (piece,) = told(item, system=DISTEMPER)
    (moved,) = piece.moved
    assert (moved.who, moved.what, moved.before, moved.after) == ("Ash", "Wounds", "11", "7")
    assert (moved.text, moved.rule) == ("Ash: Wounds 11 → 7", "distemper.combat.damage-tracks")


def test_what_was_undone_stays_and_is_marked() -> None:
    began = {
        "kind": "began",
        "by": "a",
        "rule": "alien.basics.skill-roll",
        "arguments": {"who": "Ripa", "skill": "Survival"},
    }
    note = {"kind": "said", "by": "m", "about": "note", "text": "hm"}
    pieces = told(began, note, began, {"kind": "undone", "by": "m", "to": 2}, began)
    assert [(each.id, each.undone) for each in pieces] == [(0, False), (1, False), (2, True), (3, False), (4, False)]
    assert pieces[3].text == "Mo undid what is struck through."
    again = told(began, {"kind": "undone", "by": "m", "to": 0}, {"kind": "redone", "by": "m", "from": 0})
    assert [each.undone for each in again] == [False, False, False]


def test_who_does_what_is_told_in_the_words_of_the_system() -> None:
    began = {
        "kind": "began",
        "by": "a",
        "rule": "alien.basics.skill-roll",
        "arguments": {"who": "Ripa", "skill": "Survival"},
    }
    assert [(each.who, each.text) for each in told(began)] == [("Ripa", "tries Survival.")]
    secret = {"kind": "began", "by": "a", "rule": "alien.basics.skill-roll", "arguments": {"who": "Ripa"}}
    assert [(each.who, each.text) for each in told(secret)] == [
        ("Ripa", "does this: Skill roll.")
    ]  # the rest is not told here


def test_a_refusal_in_the_middle_is_told_with_its_rule() -> None:
    item = {"kind": "answered", "by": "a", "prompt": "push", "of": "Ripa", "answer": "yes"}
    then = [{"refused": "push: a stress die shows 1", "rules": ["alien.push.restrictions"]}]
    (piece,) = told({**item, "then": then})
    assert [(each.text, each.tone, each.rule) for each in piece.outcomes] == [
        ("a stress die shows 1", "bad", "alien.push.restrictions")
    ]


def test_a_result_is_told_and_whether_it_is_good() -> None:
    ended = {"success": True, "sixes": 2, "extra": 1, "pushes": 0, "response": None, "messed_up": False}
    (piece,) = told({"kind": "happened", "result_kind": "SkillRoll", "then": [{"ended": ended}]})
    assert [(each.text, each.tone) for each in piece.outcomes] == [("success, 2 sixes", "good")]


def test_a_pile_has_its_owners_and_the_games_name(tmp_path: Path) -> None:
    (tmp_path / "en.yaml").write_text("piles: {hand: Moxie}", encoding="utf-8")
    words = Words(tmp_path)
    scene = {"ana.hand": {"owner": "ana"}, "ana.deck": {"owner": "ana"}, "pot": {"owner": ""}}
    view: Any = SimpleNamespace(data={"scene": scene}, people=("ana",), system=SimpleNamespace(words=words))
    assert [pile_title(view, name) for name in ("ana.hand", "ana.deck", "pot")] == ["Ana’s Moxie", "Ana’s deck", "pot"]
    scene["gm.hand"] = {"owner": "gm"}
    assert pile_title(view, "gm.hand") == "Game master’s Moxie"


def test_a_card_is_an_option_in_words() -> None:
    assert option_words(registry.load("alien"), "which", "10H@ana") == "10 of hearts"
    assert option_words(registry.load("alien"), "which", "Joker1@ana") == "Joker"


def test_a_card_is_drawn_and_named() -> None:
    (piece,) = told({"kind": "answered", "by": "dice", "prompt": "flip", "of": "Ripa", "answer": "10H@ana"})
    assert (piece.card.rank, piece.card.code, piece.card.text) == ("10", "10H", "10 of hearts")
    (piece,) = told({"kind": "answered", "by": "dice", "prompt": "flip", "of": "Ripa", "answer": "Joker2"})
    assert (piece.card.rank, piece.card.code, piece.card.text) == ("Joker", "Joker", "Joker")
    (piece,) = told({"kind": "answered", "by": "a", "prompt": "which", "of": "Ripa", "answer": "QS"})
    assert (piece.text, piece.card.text) == ("chooses", "queen of spades")  # somebody said so; nothing was drawn


def test_a_seat_that_changes_is_not_taken_again() -> None:
    seat = {"id": "a", "name": "Anna", "role": "player", "controls": ["Ripa"], "real_dice": True}
    pieces = told(
        {"kind": "said", "by": "a", "about": "seat", "seat": {**seat, "real_dice": False}},
        {"kind": "said", "by": "a", "about": "seat", "seat": seat, "changed": True},
    )
    assert [each.text for each in pieces] == [
        "Anna took a seat.",
        "Anna is now a player and plays Ripa. They throw real dice.",
    ]


# --- throws -----------------------------------------------------------------------------------------------------------

LOOK = ALIEN.look
STRESS = {"die": "stress", "faces": ["one", "blank", "blank", "blank", "blank", "six"]}
LUCK = {"die": "luck", "sides": 6, "again": [6]}


def test_a_pushed_throw_is_drawn_with_every_die_in_its_place() -> None:
    shown = thrown([[2, 3]], {"dice": [STRESS], "places": [[[], [6], []]], "kept": {"stress": {"six": 1}}}, LOOK)
    ((name, dice),) = shown.groups
    assert (name, [(die.pips, die.kept) for die in dice]) == ("stress", [(2, False), (6, True), (3, False)])
    assert shown.text == "stress 2, 6 kept, 3"


def test_a_kind_of_which_every_die_was_kept_is_drawn_too() -> None:
    shown = thrown([[4]], {"dice": [LUCK, STRESS], "places": [[[]], [[6]]]}, LOOK)
    assert shown.text == "luck 4; stress 6 kept"


def test_a_die_thrown_again_is_drawn_throw_by_throw_also_beside_kept_ones() -> None:
    assert thrown([[6, 6, 2, 3]], {"dice": [LUCK]}, LOOK).text == "luck 6 thrown again, 6 thrown again, 2, 3"
    pushed = thrown([[6, 1, 2]], {"dice": [LUCK], "places": [[[], [5], []]]}, LOOK)
    assert pushed.text == "luck 6 thrown again, 1, 5 kept, 2"


def test_modifiers_are_shown_with_their_unit_in_words() -> None:
    assert [measured(*each) for each in ((2, "dice"), (-1, "dice"), (3, ""), (5, "difficulty"), (2, "rounds"))] == [
        "+2 dice",
        "\N{MINUS SIGN}1 die",
        "+3",
        "+5 to the difficulty",
        "+2 rounds",
    ]


def test_what_odds_left_out_is_told_beside_them() -> None:
    lost = {**forecast(success=0.5, failure=0.499), "lost": {"exact": "1/1000", "float": 0.001}}
    assert chances(lost, ALIEN, ("success",)).lost == 0.001
    assert chances(forecast(success=0.5, failure=0.5), ALIEN, ("success",)).lost == 0
    assert share(0.001) == "1 in 1,000"
    assert chances(lost, ALIEN, ("success",)).is_lossy
    hardly = {**lost, "lost": {"exact": "1/98394920073", "float": 1e-11}}
    assert not chances(hardly, ALIEN, ("success",)).is_lossy


def test_a_card_is_drawn_with_the_modifiers_of_the_draw() -> None:
    mods = [{"amount": 2, "label": "steady hand", "rule": "some.rule", "unit": "dice"}]
    item = {"kind": "answered", "by": "dice", "prompt": "flip", "of": "Ana", "answer": "7S"}
    (piece,) = told({**item, "roll": {"dice": [], "mods": mods}})
    page = TEMPLATES.from_string("{{ parts.thrown('/t', throw) }}").render(throw=piece.thrown)
    assert '<a class="term" href="/t/rules/some.rule">steady hand +2 dice</a>' in page
    assert 'class="dice"' not in page
    assert told(item)[0].thrown is None


def told_of(bands: dict[str, int], bad: int = 0, error: float = 0.0) -> str:
    def figure(chance: int) -> dict[str, Plain]:
        return {"float": chance / 100, "exact": ""}

    plain = {key: figure(each) for key, each in bands.items()}
    forecast = {"bands": plain, "extra": {}, "bad": {"mess-up": figure(bad)}, "error": error}
    return chances(forecast, registry.load("alien"), ("success",)).certain


def test_what_is_certain_is_said_instead_of_0_and_100_percent() -> None:
    assert told_of({"success": 0, "failure": 100}) == "failure"
    assert told_of({"success": 100, "failure": 0}) == "success"
    assert told_of({"success": 0, "failure": 100}, bad=100) == "failure, messing up"
    assert told_of({"success": 1, "failure": 99}) == ""
    assert told_of({"success": 0, "failure": 100}, bad=20) == "", "something is still open"
    assert told_of({"success": 0, "failure": 100}, error=0.01) == "", "an estimate is never certain"
