"""Words and looks that name what does not exist are refused at load, with file and line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import registry
from referee.core.errors import BadInput
from referee.core.proofreading import faults
from referee.core.system import System

CODE = """
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any
from referee.core import (
    D6, Bands, Call, Encounter, Levels, Open, Pick, Pool, Prompt, Scene, System, Total, Who, action, actions_of,
    formula, frozen, roll, tell,
)

from referee.core.drafts import Creation, DraftBudget, DraftStep, WriteText

THROW = Prompt("throw")


@frozen
class Item:
    name: Open[str]
    worn: Open[int] = 0


@frozen
class Hero:
    luck: Open[int] = 1
    luck_full: Open[int] = 3
    tired: Open[bool] = False
    items: Open[tuple[Item, ...]] = ()


@frozen
class Fight(Encounter):
    round: Open[int] = 0
    sides: Open[tuple[tuple[str, ...], ...]] = ()

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return leap(scene.all(Hero)[0], 1)

    def over(self, scene: Scene, me: Who[Any]) -> str | None:
        return "done"

    def turn(self, scene: Scene) -> tuple[str, ...]:
        return ()


@frozen
class Raft:
    hull: Open[int] = 5
    hull_full: Open[int] = 5
    leaks: Open[tuple[str, ...]] = ()
    rooms: Open[Levels] = field(default_factory=Levels)


@frozen
class Leap:
    pips: int
    landed: bool


WON = Bands[Leap](of=lambda leap: "landed", keys=("landed", "fell"))
Far = Annotated[int, Pick(lambda scene, who: (1, 2))]


@formula("odd.leap.reach")
def reach(scene: Scene, who: Who[Hero]) -> int:
    return 1


@action("leap", "odd.leap.leap", bands=WON)
async def leap(scene: Scene, who: Who[Hero], far: Far) -> Leap:
    thrown = await roll(THROW, who, Pool.of((D6, 1)), Total)
    await tell("leapt", who=who, how=thrown.total)
    return Leap(thrown.total, True)


@action("storm", "odd.leap.storm", master=True)
async def storm(scene: Scene, whom: Who[Hero]) -> None:
    pass


CREATION = Creation(
    steps=(DraftStep("luck", (WriteText("luck"),)),),
    finish=lambda scene, draft: Hero(),
    budgets=(DraftBudget("points", lambda scene, draft: 3, "odd.leap.leap", exact=False),),
)
SYSTEM = System("odd", "Odd", Path(__file__).parent, 1, Hero, (Fight, Raft), actions_of(__name__), creation=CREATION)
"""
BOOK = """
system: odd
rules:
  - id: odd.leap.leap
    chapter: Leaping
    kind: procedure
    rule: Leap.
  - id: odd.leap.storm
    chapter: Leaping
    kind: procedure
    rule: Storm.
  - id: odd.leap.reach
    chapter: Leaping
    kind: formula
    rule: Reach.
  - id: odd.leap.rain
    chapter: Leaping
    kind: mechanic
    optional: true
    rule: Rain.
  - id: odd.leap.turns
    chapter: Leaping
    kind: mechanic
    rule: Turns.
    values: {each: 2}
"""
WORDS = """
about: Leaping.
actions: {leap: Leap, storm: Storm}
arguments: {far: How far, whom: Whom}
bands: {landed: landed, fell: fell}
prompts: {throw: Throw?}
options: {throw: {"yes": Do}}
throws: {throw: the leap}
rulings: {throw: how it falls}
story:
  leapt: "{who} leaps {how}."
  encounter-over: "{what} ends, {ending}."
tales: {leap: "leaps {far}.", storm: "storms {whom}."}
changes:
  tired: {"yes": "{who} tires."}
  items: {lost: "{who} drops {name}.", worn: {changed: "{name} {before} {after}"}}
encounters: {Fight: The brawl}
endings: {Fight: {done: "The {what} ends: {ending}."}}
distances: {"0": near, "1": far}
odds: {examples: 1d6, along: {luck: Luck}}
drafts: {steps: {luck: {ask: How lucky?}}, fields: {luck: Luck}, budgets: {points: points}}
"""
LOOK = """
accent: {colour: ["#112233", "#445566"], soft: ["#112233", "#445566"], ink: ["#112233", "#445566"]}
vitals:
  - {words: Luck, field: luck, of: luck_full, drawn: rounds, tone: calm, rule: odd.leap.leap}
  - {words: Reach, formula: odd.leap.reach, option: odd.leap.rain}
chips: [tired]
tiles: {field: luck, names: [a]}
rolls: {action: leap, argument: far, learned: luck}
items: items
mine: tired
out: tired
time: storm
encounters: {Fight: {round: round, sides: sides, turn: turn, marks: {sides: here}}}
dice: {d6: warning}
marks: {six: good}
results: {Leap: {says: "{band}: {pips}", good: landed}}
groups: [{words: Leaps, icon: move, of: [leap]}]
targets: {leap: {first: friends}}
costs: {luck: {words: 1 luck, many: "{n} luck", last: all luck, mark: gem}}
clocks: [{field: items, left: worn, of: worn, says: "{name} breaks in {worn}."}]
standing: [throw]
ahead: [throw]
handling: {dropped: [{action: leap, thing: far}]}
"""
FIGHT_LOOK = "{round: round, sides: sides, turn: turn, marks: {sides: here}}"
FULL_LOOK = (
    "{done: sides, waiting: sides, later: turn, tokens: {cover: sides, engaged: sides}, "
    "actions: {rule: odd.leap.turns, figure: each}}"
)


class Package:
    """A package with a system, which can be spoiled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "odd"
        (folder / "odd-1.0.dist-info").mkdir(parents=True)
        (folder / "odd-1.0.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n", "utf-8"
        )
        (folder / "odd-1.0.dist-info" / "entry_points.txt").write_text("[referee.systems]\nodd = odd:SYSTEM\n", "utf-8")
        for file, text in {
            "__init__.py": CODE,
            "rulebook/odd.yaml": BOOK,
            "words/en.yaml": WORDS,
            "look.yaml": LOOK,
        }.items():
            self.write(file, text)

    def write(self, file: str, text: str) -> None:
        (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / file).write_text(text, "utf-8")

    def load(self) -> System:
        registry.load.cache_clear()
        return registry.load("odd")

    def problem(self) -> str:
        with pytest.raises(BadInput) as refused:
            self.load()
        return str(refused.value).replace(f"{self.folder}/", "")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "odd", raising=False)
    yield Package(tmp_path)
    sys.modules.pop("odd", None)
    registry.load.cache_clear()
    from referee.core.rules import FORMULAS, RULES
    from referee.core.system import SYSTEMS

    for known in (RULES, FORMULAS):
        for id_ in [each for each in known if each.startswith("odd.")]:
            del known[id_]
    SYSTEMS.pop("odd", None)


def test_a_system_whose_texts_name_only_what_exists_is_loaded(package: Package) -> None:
    assert list(faults(package.load())) == []


def test_a_system_needs_neither_words_nor_a_look(package: Package) -> None:
    (package.folder / "words" / "en.yaml").unlink()
    (package.folder / "look.yaml").unlink()
    assert package.load().look.vitals == ()


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("about:", "abuot:", "words/en.yaml:2: abuot: 'abuot' is not known; did you mean 'about'? one of about"),
        ("about: Leaping.", "about: 3", "words/en.yaml:2: about: must be a text, not 3"),
        ("about: Leaping.", "about: '{who}'", "words/en.yaml:2: about: {who} is not filled in here; nothing is"),
        ("about: Leaping.", "about: 'a {'", "words/en.yaml:2: about: Single '{' encountered in format string: 'a {'"),
        ("{leap: Leap,", "{leep: Leap,", "words/en.yaml:3: actions.leep: 'leep' is not known; did you mean 'leap'?"),
        ("far: How far", "fra: How far", "words/en.yaml:4: arguments.fra: 'fra' is not known; did you mean 'far'?"),
        (
            "landed: landed",
            "lande: landed",
            "words/en.yaml:5: bands.lande: 'lande' is not known; did you mean 'landed'",
        ),
        (
            "prompts: {throw",
            "prompts: {thorw",
            "words/en.yaml:6: prompts.thorw: 'thorw' is not known; did you mean 'th",
        ),
        ("options: {throw", "options: {thorw", "words/en.yaml:7: options.thorw.yes: 'thorw' is not known"),
        ('{throw: {"yes": Do}}', "{throw: Do}", "words/en.yaml:7: options.throw: must be 2 levels deep"),
        ("throws: {throw", "throws: {thorw", "words/en.yaml:8: throws.thorw: 'thorw' is not known"),
        ("rulings: {throw", "rulings: {thorw", "words/en.yaml:9: rulings.thorw: 'thorw' is not known"),
        ("leapt: ", "lept: ", "words/en.yaml:11: story.lept: no rule tells 'lept'"),
        ("leaps {how}", "leaps {why}", "words/en.yaml:11: story.leapt: {why} is not filled in here; only how, who"),
        ("{what} ends, ", "{wat} ends, ", "words/en.yaml:12: story.encounter-over: {wat} is not filled in here"),
        ("leaps {far}", "leaps {fra}", "words/en.yaml:13: tales.leap: {fra} is not filled in here; only far"),
        ("leaps {far}", "leaps {who}", "words/en.yaml:13: tales.leap: {who} is not filled in here; only far"),
        ("tired: {", "tird: {", "words/en.yaml:15: changes.tird.yes: 'tird' is not known; did you mean 'tired'?"),
        (
            'tired: {"yes"',
            "tired: {yess",
            "words/en.yaml:15: changes.tired.yess: 'yess' is not known; did you mean 'yes'",
        ),
        (
            "worn: {changed",
            "wron: {changed",
            "words/en.yaml:16: changes.items.wron.changed: 'wron' is not known; did you mean",
        ),
        (
            "{who} drops",
            "{whom} drops",
            "words/en.yaml:16: changes.items.lost: {whom} is not filled in here; only after, b",
        ),
        ("encounters: {Fight", "encounters: {Figth", "words/en.yaml:17: encounters.Figth: 'Figth' is not known"),
        ("endings: {Fight", "endings: {Hero", "words/en.yaml:18: endings.Hero.done: 'Hero' is not known; one of Fight"),
        (
            "{steps: {luck",
            "{steps: {lukc",
            "words/en.yaml:21: drafts.steps.lukc.ask: 'lukc' is not known; did you mean",
        ),
        ("{ask: How", "{aks: How", "words/en.yaml:21: drafts.steps.luck.aks: 'aks' is not known; did you mean 'ask'?"),
        (
            "{points: points",
            "{coins: points",
            "words/en.yaml:21: drafts.budgets.coins: 'coins' is not known; ",
        ),
        ("{steps: {", "{step: {", "words/en.yaml:21: drafts.step.luck.ask: 'step' is not known; did you mean 'steps'?"),
        (
            "ends: {ending}",
            "ends: {how}",
            "words/en.yaml:18: endings.Fight.done: {how} is not filled in here; only ending",
        ),
    ],
)
def test_words_about_what_does_not_exist_are_refused(package: Package, good: str, bad: str, problem: str) -> None:
    assert good in WORDS
    package.write("words/en.yaml", WORDS.replace(good, bad, 1))
    assert package.problem().startswith(problem)


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("chips:", "chip:", "look.yaml:6: chip: 'chip' is not known; did you mean 'chips'? one of accent"),
        ("#112233", "red", "look.yaml:2: accent: must be a colour such as #9a3d12, not 'red'"),
        (
            "drawn: rounds",
            "drawn: circles",
            "look.yaml:4: vitals.0.drawn: 'circles' is not known; one of bar, squares, ro",
        ),
        ("tone: calm", "tone: [1]", "look.yaml:4: vitals.0.tone: '[1]' is not known"),
        ("words: Luck", "words: 3", "look.yaml:4: vitals.0.words: must be text, not 3"),
        ("words: Luck, ", "", "look.yaml:4: vitals.0.words: is missing"),
        ("field: luck,", "field: lukc,", "look.yaml:4: vitals.0.field: 'lukc' is not known; did you mean 'luck'?"),
        (
            "of: luck_full",
            "of: luck_ful",
            "look.yaml:4: vitals.0.of: 'luck_ful' is not known; did you mean 'luck_full'",
        ),
        ("rule: odd.leap.leap", "rule: odd.leap.leep", "look.yaml:4: vitals.0.rule: 'odd.leap.leep' is not known; did"),
        (
            "formula: odd.leap.reach",
            "formula: odd.leap.rech",
            "look.yaml:5: vitals.1.formula: 'odd.leap.rech' is not k",
        ),
        ("formula: odd.leap.reach, ", "", "look.yaml:5: vitals.1: needs a field or a formula"),
        (
            "odd.leap.rain",
            "odd.leap.snow",
            "look.yaml:5: vitals.1.option: 'odd.leap.snow' is not known; did you",
        ),
        ("chips: [tired]", "chips: [tird]", "look.yaml:6: chips.0: 'tird' is not known; did you mean 'tired'?"),
        ("tiles: {field: luck", "tiles: {field: lukc", "look.yaml:7: tiles.field: 'lukc' is not known"),
        ("action: leap", "action: leep", "look.yaml:8: rolls.action: 'leep' is not known; did you mean 'leap'?"),
        ("argument: far", "argument: fra", "look.yaml:8: rolls.argument: 'fra' is not known; did you mean 'far'?"),
        ("learned: luck", "learned: lukc", "look.yaml:8: rolls.learned: 'lukc' is not known"),
        ("items: items", "items: itmes", "look.yaml:9: items: 'itmes' is not known; did you mean 'items'?"),
        (
            "{action: leap, thing",
            "{action: lepa, thing",
            "look.yaml:23: handling.dropped.0.action: 'lepa' is not known",
        ),
        ("thing: far", "thing: fra", "look.yaml:23: handling.dropped.0.thing: 'fra' is not known; did you mean 'far'?"),
        ("mine: tired", "mine: tird", "look.yaml:10: mine: 'tird' is not known"),
        ("out: tired", "out: tird", "look.yaml:11: out: 'tird' is not known; did you mean 'tired'?"),
        ("time: storm", "time: strom", "look.yaml:12: time: 'strom' is not known; did you mean 'storm'?"),
        ("encounters: {Fight", "encounters: {Figth", "look.yaml:13: encounters.Figth: 'Figth' is not known; did you m"),
        ("round: round", "round: runde", "look.yaml:13: encounters.Fight.round: 'runde' is not known"),
        ("turn: turn", "turn: whose", "look.yaml:13: encounters.Fight.turn: Fight has no method 'whose'"),
        ("marks: {sides", "marks: {cover", "look.yaml:13: encounters.Fight.marks.cover: 'cover' is not known"),
        ("results: {Leap", "results: {Leep", "look.yaml:16: results.Leep: no class of the system is called 'Leep'"),
        ("{pips}", "{pisp}", "look.yaml:16: results.Leap.says: {pisp} is not filled in here; only band, landed, pips"),
        (
            "good: landed",
            "good: lande",
            "look.yaml:16: results.Leap.good: 'lande' is not known; did you mean 'landed'?",
        ),
        ("tone: calm", "strip: 3", "look.yaml:4: vitals.0.strip: must be 0 to 2, not 3"),
        ("tone: calm", "strip: -1", "look.yaml:4: vitals.0.strip: must be 0 to 2, not -1"),
        ("of: [leap]", "of: [leep]", "look.yaml:17: groups.0.of.0: 'leep' is not known; did you mean 'leap'?"),
        ("of: [leap]", "of: [leap, leap]", "look.yaml:17: groups.0.of.1: leap is in another group already"),
        (
            "of: [leap]",
            "of: [leap], encounter: Figth",
            "look.yaml:17: groups.0.encounter: 'Figth' is not known; did you",
        ),
        ("icon: move", "icon: sword", "look.yaml:17: groups.0.icon: 'sword' is not known; one of attack, defend, move"),
        (
            "{words: Leaps, icon: move, of: [leap]}",
            ", ".join(["{words: A, of: []}"] * 5),
            "look.yaml:17: groups: must be at most 4, not 5",
        ),
        ("targets: {leap", "targets: {leep", "look.yaml:18: targets.leep: 'leep' is not known; did you mean 'leap'?"),
        (
            "first: friends",
            "first: rivals",
            "look.yaml:18: targets.leap.first: 'rivals' is not known; one of foes, friends",
        ),
        ("costs: {luck", "costs: {luk", "look.yaml:19: costs.luk: 'luk' is not known"),
        ("{n} luck", "{m} luck", "look.yaml:19: costs.luck.many: {m} is not filled in here; only n"),
        ("mark: gem", "mark: star", "look.yaml:19: costs.luck.mark: 'star' is not known; one of dot, gem, round"),
        (
            "clocks: [{field: items",
            "clocks: [{field: item",
            "look.yaml:20: clocks.0.field: 'item' is not known; did you mean",
        ),
        ("clocks: [{field: items", "clocks: [{field: luck", "look.yaml:20: clocks.0.field: luck holds no records"),
        ("left: worn", "left: wron", "look.yaml:20: clocks.0.left: 'wron' is not known; did you mean 'worn'?"),
        (
            "breaks in {worn}",
            "breaks in {left}",
            "look.yaml:20: clocks.0.says: {left} is not filled in here; only name, worn",
        ),
        (
            "standing: [throw]",
            "standing: [thorw]",
            "look.yaml:21: standing.0: 'thorw' is not known; did you mean 'throw'?",
        ),
        ("ahead: [throw]", "ahead: [leap]", "look.yaml:22: ahead.0: 'leap' is not known"),
    ],
)
def test_a_look_at_what_does_not_exist_is_refused(package: Package, good: str, bad: str, problem: str) -> None:
    assert good in LOOK
    package.write("look.yaml", LOOK.replace(good, bad, 1))
    assert package.problem().startswith(problem)


def test_every_fault_is_listed(package: Package) -> None:
    system = package.load()
    package.write("words/en.yaml", WORDS.replace("leap: Leap", "leep: Leap").replace("{far}", "{fra}"))
    package.write("look.yaml", LOOK.replace("mine: tired", "mine: tird"))
    assert [(fault.file.name, fault.line) for fault in faults(system)] == [
        ("en.yaml", 3),
        ("en.yaml", 13),
        ("look.yaml", 10),
    ]


def test_an_empty_file_of_words_is_refused(package: Package) -> None:
    package.write("words/en.yaml", "")
    assert package.problem() == "words/en.yaml:1: must be keys with texts"


def test_an_encounter_may_say_all_there_is_to_say(package: Package) -> None:
    package.write("look.yaml", LOOK.replace(FIGHT_LOOK, FULL_LOOK, 1))
    assert package.load().look.encounters["Fight"].later == "turn"


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("done: sides", "done: side", "done: 'side' is not known; did you mean 'sides'?"),
        ("waiting: sides", "waiting: results", "waiting: 'results' is not known"),
        ("later: turn", "later: round_", "later: Fight has no method 'round_'"),
        ("cover: sides", "cover: wall", "tokens.cover: 'wall' is not known"),
        ("engaged: sides", "engaged: pins", "tokens.engaged: 'pins' is not known"),
        ("odd.leap.turns", "odd.leap.turn", "actions.rule: 'odd.leap.turn' is not known; did you mean"),
        ("figure: each", "figure: all", "actions.figure: "),
    ],
)
def test_an_encounter_that_says_what_does_not_exist_is_refused(
    package: Package, good: str, bad: str, problem: str
) -> None:
    assert good in FULL_LOOK
    package.write("look.yaml", LOOK.replace(FIGHT_LOOK, FULL_LOOK.replace(good, bad, 1), 1))
    assert package.problem().startswith(f"look.yaml:13: encounters.Fight.{problem}")


RAFT_LOOK = """
kinds:
  Raft:
    {words: raft, vitals: [{words: Hull, field: hull, of: hull_full}], chips: [leaks], quiet: [hull_full],
    tiles: {field: rooms, names: [a]}}
"""


def test_what_is_nobody_may_have_a_look(package: Package) -> None:
    package.write("look.yaml", LOOK + RAFT_LOOK)
    assert package.load().look.kinds["Raft"].words == "raft"


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    [
        ("Raft:", "Rat:", "kinds.Rat: 'Rat' is not known; did you mean 'Raft'?"),
        ("Raft:", "Hero:", "kinds.Hero: 'Hero' is not known"),
        ("Raft:", "Fight:", "kinds.Fight: 'Fight' is not known"),
        ("field: hull,", "field: hulk,", "kinds.Raft.vitals.0.field: 'hulk' is not known; did you mean 'hull'?"),
        ("chips: [leaks]", "chips: [leak]", "kinds.Raft.chips.0: 'leak' is not known; did you mean 'leaks'?"),
        ("quiet: [hull_full]", "quiet: [full]", "kinds.Raft.quiet.0: 'full' is not known"),
        ("field: rooms", "field: room", "kinds.Raft.tiles.field: 'room' is not known; did you mean 'rooms'?"),
    ],
)
def test_a_look_of_what_does_not_exist_is_refused(package: Package, good: str, bad: str, problem: str) -> None:
    assert good in RAFT_LOOK
    package.write("look.yaml", LOOK + RAFT_LOOK.replace(good, bad, 1))
    assert problem in package.problem()
