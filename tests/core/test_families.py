"""Families of actions: one action whose first argument is what people choose from, with a rule of its own for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, TypeAlias

import pytest

from referee.core import (
    BOOK,
    Applies,
    Open,
    Pick,
    Refused,
    Scene,
    State,
    Who,
    action,
    action_of,
    adds,
    alter,
    family,
    frozen,
    legal_choices,
    refuse,
    rows,
    suggest,
)
from referee.core.printed_book import PRINTED_BOOKS, printed_book
from referee.core.rulebook import Book
from referee.core.rules import formula
from referee.core.run import Changed, Run
from referee.core.trace import RUNNING, watching
from referee.drivers.exact import Exact
from referee.drivers.scripted import play

FAIR: Final = """\
system: circus
rules:
  - id: circus.feats.do
    chapter: Feats
    kind: procedure
    rule: Do something at the carnival.
    values: {}

  - id: circus.feats.climb
    chapter: Feats
    kind: catalogue
    rule: Climb something.
    values:
      uses:
        climb: {group: Strength, tasks: [pole, tower], level: 10}
        climb a rope: {like: climb, tasks: [], rule: circus.feats.rope}

  - id: circus.feats.rope
    chapter: Feats
    kind: mechanic
    rule: A rope is like a pole.

  - id: circus.feats.wrestle
    chapter: Feats
    kind: catalogue
    rule: Wrestle somebody.
    values:
      uses:
        wrestle: {group: Strength, against: true, level: 15}

  - id: circus.feats.sing
    chapter: Feats
    kind: catalogue
    optional: true
    rule: Sing.
    values:
      uses:
        sing: {group: Charm, level: 5}
"""


@frozen
class Juggler:
    """Whoever does something at the carnival."""

    applause: Open[int] = 0
    lame: Open[bool] = False

    def after(self, applause: int) -> Juggler:
        return Juggler(self.applause + applause, self.lame)


@frozen
class FeatRow:
    name: str
    level: int
    group: str = ""
    tasks: tuple[str, ...] = ()
    against: bool = False


Person: TypeAlias = Who[Juggler]
FEATS: Final = rows("circus.feats.climb", "uses", FeatRow, also="*/uses", cites="rule")
ANA, BO = Who("ana", Juggler), Who("bo", Juggler)


def others(scene: Scene, who: Person) -> tuple[Person, ...]:
    return tuple(each for each in scene.all(Juggler) if each != who)


def tasks(scene: Scene, who: Person, feat: str) -> tuple[str, ...]:
    return scene[FEATS].look(feat).tasks


def verses(scene: Scene, who: Person, feat: str) -> tuple[str, ...]:
    return ("", "first", "last") if feat == "sing" else ()


def is_opposed(scene: Scene, who: Person, feat: str) -> bool:
    return scene[FEATS].look(feat).against


def check_feat(scene: Scene, who: Person, feat: str) -> None:
    if scene[who].lame and feat == "climb":
        refuse(f"{who} is lame")


@formula("circus.feats.do/level")
def level(scene: Scene, feat: str) -> int:
    return scene[FEATS][feat].level


@action("feat", "circus.feats.do", check=check_feat)
async def feat_(
    scene: Scene,
    who: Person,
    feat: Annotated[str, family(FEATS)],
    task: Annotated[str, Pick(tasks), Applies("tasks")] = "",
    other: Annotated[Person | None, Pick(others), Applies(is_opposed)] = None,
    verse: Annotated[str, Pick(verses), Applies()] = "",
    shouts: Annotated[int, suggest(1, 2)] = 1,
    about: Annotated[str, Applies("tasks")] = "",
    helpers: Annotated[tuple[Annotated[Person, Pick(others)], ...], Applies("tasks")] = (),
) -> int:
    """Do something; the harder it is, the more they clap."""
    won = level(scene, feat) + adds(shouts).amount
    await alter(who, Juggler.after, won)
    return won


FEAT: Final = action_of(feat_)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    before = dict(PRINTED_BOOKS)
    (tmp_path / "circus.yaml").write_text(FAIR, encoding="utf-8")
    book = Book(printed_book("circus", tmp_path), options={"circus.feats.sing": True})
    yield Scene(State({BOOK.name: book, "ana": Juggler(), "bo": Juggler()}))
    PRINTED_BOOKS.clear()
    PRINTED_BOOKS.update(before)


def without_songs(scene: Scene) -> Scene:
    return Scene(scene.state.but(BOOK.name, scene[BOOK].but({"options": {"circus.feats.sing": False}})))


def test_every_row_is_an_option_with_the_rule_it_carries_out(scene: Scene) -> None:
    assert FEAT.choices(scene, ANA)["feat"] == ("climb", "climb a rope", "wrestle", "sing")
    cited = {each: FEAT.citing(scene, {"feat": each}).cited for each in FEAT.choices(scene, ANA)["feat"]}
    assert cited == {
        "climb": ("circus.feats.climb", "circus.feats.do"),
        "climb a rope": ("circus.feats.rope", "circus.feats.do"),
        "wrestle": ("circus.feats.wrestle", "circus.feats.do"),
        "sing": ("circus.feats.sing", "circus.feats.do"),
    }
    assert FEAT.part({"feat": "climb a rope"}) == "feat/climb a rope"


def test_only_the_arguments_that_apply_are_asked(scene: Scene) -> None:
    asked = {each: set(FEAT.choices(scene, ANA, {"feat": each})) for each in FEAT.choices(scene, ANA)["feat"]}
    assert asked == {
        "climb": {"feat", "task", "shouts", "helpers"},
        "climb a rope": {"feat", "shouts"},
        "wrestle": {"feat", "other", "shouts"},
        "sing": {"feat", "verse", "shouts"},
    }
    assert FEAT.depends_on("about") == ("feat",)
    assert FEAT.deciding == {"feat"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"feat": "sing", "task": "pole"}, "sing: task does not apply to it (circus.feats.sing)"),
        ({"feat": "climb a rope", "other": BO}, "climb a rope: other does not apply to it (circus.feats.rope)"),
        ({"feat": "sing", "about": "love"}, "sing: about does not apply to it (circus.feats.sing)"),
        ({"feat": "climb"}, "is not one of the options (circus.feats.climb); legal: pole, tower"),
        ({"feat": "wrestle"}, "is not one of the options (circus.feats.wrestle); legal: bo"),
        ({"feat": "wrestle", "other": ANA}, "ana: it is not one of the options (circus.feats.wrestle); legal: bo"),
        ({"feat": "juggle"}, "juggle: it is not one of the options (circus.feats.do); legal: climb, climb a rope, wre"),
    ],
)
def test_what_does_not_apply_is_refused_with_the_reason(scene: Scene, given: dict[str, Any], why: str) -> None:
    assert why in str(FEAT.may(scene, ANA, **given))
    with pytest.raises(Refused) as refused:
        play(FEAT.do(ANA, **given), scene.state)
    assert str(refused.value) == str(FEAT.may(scene, ANA, **given))


def test_what_applies_is_legal_and_what_does_not_stays_as_it_is(scene: Scene) -> None:
    assert FEAT.may(scene, ANA, feat="climb", task="pole", about="the view") is None
    assert FEAT.may(scene, ANA, feat="wrestle", other=BO) is None
    assert FEAT.may(scene, ANA, feat="sing", shouts=7) is None


def test_every_legal_way_has_an_option_and_what_applies_to_it(scene: Scene) -> None:
    found = [tuple(way.values()) for way in FEAT.legal(scene, ANA)]
    assert found == [
        *(
            ("climb", task, None, "", n, helpers)
            for task in ("pole", "tower")
            for n in (1, 2)
            for helpers in ((), (BO,))
        ),
        *(("climb a rope", "", None, "", n, ()) for n in (1, 2)),
        *(("wrestle", "", BO, "", n, ()) for n in (1, 2)),
        *(("sing", "", None, verse, n, ()) for verse in ("", "first", "last") for n in (1, 2)),
    ]
    assert all(FEAT.may(scene, ANA, **way) is None for way in FEAT.legal(scene, ANA))
    way = FEAT.legal_at_random(scene, ANA, Random(3))
    assert way is not None
    assert FEAT.may(scene, ANA, **way) is None
    assert len(legal_choices((FEAT,), scene, ANA).of("feat", feat=lambda each: each == "wrestle")) == 2


def test_its_arguments_stay_plain_and_names_are_read_however_they_are_written(scene: Scene) -> None:
    args = FEAT.arguments(scene, {"who": "ana", "feat": "Climb-a-Rope", "shouts": 2})
    assert args == (ANA, "climb a rope", "", None, "", 2, "", ())
    assert FEAT.plain(ANA, feat="sing") == {"who": "ana", "feat": "sing"}


def test_while_an_option_runs_its_rule_is_cited(scene: Scene) -> None:
    with watching(set()) as seen:
        run: Run[int] = Run(scene, FEAT.do(ANA, feat="climb a rope", shouts=2))
    assert run.result == 12
    changed = next(each for each in run.events if isinstance(each, Changed))
    assert changed.rules == ("circus.feats.rope", "circus.feats.do")
    assert {"circus.feats.rope", "circus.feats.do", "circus.feats.climb#climb a rope"} <= seen
    assert RUNNING.rule is None


def test_a_check_of_an_option_refuses_by_its_rule(scene: Scene) -> None:
    lame = Scene(scene.state.but("ana", Juggler(lame=True)))
    assert str(FEAT.may(lame, ANA, feat="climb", task="pole")) == "climb: ana is lame (circus.feats.climb)"
    assert FEAT.may(lame, ANA, feat="sing") is None


def test_an_option_whose_rule_is_not_used_is_not_offered(scene: Scene) -> None:
    off = without_songs(scene)
    assert FEAT.choices(off, ANA)["feat"] == ("climb", "climb a rope", "wrestle")
    why = FEAT.may(off, ANA, feat="sing")
    assert str(why) == "sing: the optional rule circus.feats.sing is not used at this table (circus.feats.sing)"


def test_odds_of_an_option_are_those_of_its_play(scene: Scene) -> None:
    assert Exact().results(FEAT.do(ANA, feat="wrestle", other=BO), scene.state).of == {16: 1}


def test_a_family_is_first_and_what_it_declares_is_in_its_rows() -> None:
    with pytest.raises(TypeError, match="a family is the first argument"):

        @action("late", "circus.feats.do/late")
        async def late(scene: Scene, who: Person, task: int, feat: Annotated[str, family(FEATS)]) -> None: ...

    with pytest.raises(TypeError, match="'taske', which is no column"):

        @action("wrong", "circus.feats.do/wrong")
        async def wrong(
            scene: Scene,
            who: Person,
            feat: Annotated[str, family(FEATS)],
            task: Annotated[str, Applies("taske")] = "",
        ) -> None: ...

    with pytest.raises(TypeError, match="is not said, and it is not picked"):

        @action("silent", "circus.feats.do/silent")
        async def silent(
            scene: Scene, who: Person, feat: Annotated[str, family(FEATS)], task: Annotated[str, Applies()] = ""
        ) -> None: ...

    with pytest.raises(TypeError, match="what does not always apply has a default"):

        @action("bare", "circus.feats.do/bare")
        async def bare(
            scene: Scene, who: Person, feat: Annotated[str, family(FEATS)], task: Annotated[str, Applies("tasks")]
        ) -> None: ...
