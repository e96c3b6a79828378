"""Chases: movers on a road, plans declared openly and face down, their order, and how a chase ends."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import pytest

from referee.core import (
    D6,
    Call,
    Encounter,
    Levels,
    Open,
    Own,
    Pick,
    Pool,
    Prompt,
    Refused,
    Scene,
    State,
    Total,
    Who,
    action,
    alter,
    choose,
    frozen,
    roll,
    rule,
    together,
)
from referee.core.agenda import check_starts, next_of
from referee.core.plain import read, write
from referee.core.system import System
from referee.core.visibility import Seat, seen_records
from referee.drivers.exact import Exact
from referee.drivers.scripted import play, play_out
from referee.forecast.figures import Budget
from referee.forecast.question_odds import question_query
from referee.journal.journal import Journal
from referee.journal.seeded_dice import SeededDice
from referee.kits.chase_tracker import CHASE as TRACKED
from referee.kits.chase_tracker import ChaseTracker, end_chase, move_in_chase
from referee.kits.chases import (
    ADVANCED,
    Advance,
    ChaseBand,
    ChaseManeuver,
    ChasePlan,
    ChaseSpeed,
    ChaseStage,
    Declaring,
    Mover,
    Pursuit,
    RoadAhead,
    band_at,
    check_maneuver,
    fight_within,
    gain_or_lose,
    speeds_within,
)

BANDS: Final = (ChaseBand("near", 0), ChaseBand("short", 2), ChaseBand("far", 5))
RUSH: Final = ChaseManeuver("rush")
HIDE: Final = ChaseManeuver("hide", who=("quarry",), min_range="short", modifiers=Levels({"short": -2}))
DASH, LAY_DOWN, TAKE = Prompt("dash"), Prompt("lay-down"), Prompt("take")


@frozen
class Racer:
    """Somebody who runs or drives."""

    down: Open[bool] = False


@frozen
class Race(Pursuit):
    """The smallest chase with secret plans: rush, and be a die further; or rest."""

    declares: ClassVar = Declaring.FACE_DOWN

    def bands(self, scene: Scene) -> Sequence[ChaseBand]:
        return BANDS

    def is_able(self, scene: Scene, who: str) -> bool:
        return Pursuit.is_able(self, scene, who) and not scene[Who(who, Racer)].down

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        match self.stage(scene):
            case ChaseStage.DECLARE:
                return ask_plans()
            case ChaseStage.REVEAL:
                return reveal()
            case ChaseStage.RESOLVE:
                return resolve(Who(self.resolving(scene)[0].driver, Racer))
            case ChaseStage.END:
                return next_round()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        if (how := Pursuit.over(self, scene, me)) is not None:
            return how
        return "escaped" if self.stage(scene) is ChaseStage.END and not self.caught_up(scene) else None

    def caught_up(self, scene: Scene) -> bool:
        """Whether a pursuer is still on the road."""
        return any(band_at(BANDS, self.gap_to_quarry(scene, each.name)) for each in self.running(scene, "pursuer"))


@frozen
class OpenRace(Race):
    """The same with open plans, the lowest in the order first."""

    declares: ClassVar = Declaring.LOWEST_FIRST


RACE: Final = Who("race", Race)


@rule("race.tries")
async def tries(scene: Scene, maneuver: str, role: str, band: int) -> None:
    check_maneuver({"rush": RUSH, "hide": HIDE}[maneuver], role, BANDS[band], BANDS)


def check_lays(scene: Scene, who: Who[Racer]) -> None:
    scene[RACE].check_declares(scene, who)


@action("race-lay-down", "race.plans", turn=check_lays)
async def lay_down(
    scene: Scene, who: Who[Racer], way: Own[Annotated[str, Pick(lambda scene, who: ("rush", "rest"))]]
) -> None:
    """Lay down a plan."""
    await alter(RACE, Race.declared, ChasePlan(who.name, way))


@rule("race.round", bands=ADVANCED)
async def resolve_all(scene: Scene) -> Advance:
    """How the round goes, as the plans are."""
    before = scene[RACE].gap_to_quarry(scene, scene[RACE].running(scene, "pursuer")[0].name)
    for mover in scene[RACE].resolving(scene):
        _ = await resolve(Who(mover.driver, Racer))
    race = scene[RACE]
    after = race.gap_to_quarry(scene, race.running(scene, "pursuer")[0].name)
    return Advance(after - before, race.sides[0])


@rule("race.plans/ask", bands=ADVANCED, foresees=lambda scene: resolve_all())
async def ask_plans(scene: Scene) -> None:
    """Everybody who has no plan chooses one at once."""
    waiting = [Who(name, Racer) for name in scene[RACE].undeclared(scene)]
    chosen = await together(*(choose(each, LAY_DOWN, ("rush", "rest")) for each in waiting))
    for each, way in zip(waiting, chosen, strict=True):
        await alter(RACE, Race.declared, ChasePlan(each.name, way))


@rule("race.reveal")
async def reveal(scene: Scene) -> None:
    """All at once."""
    await alter(RACE, Race.revealed)


WON: Final = gain_or_lose(lambda steps: steps)


@rule("race.resolve", bands=WON)
async def resolve(scene: Scene, who: Who[Racer]) -> int:
    """A die further, or nowhere; a one is a step back."""
    plan = scene[RACE].plan(who.name)
    steps = 0
    if plan is not None and plan.way == "rush":
        thrown = (await roll(DASH, who, Pool.of((D6, 1)), Total)).total
        steps = -1 if thrown == 1 else 1 if thrown < 6 else 2
    await alter(RACE, Race.moved, who.name, steps)
    await alter(RACE, Race.done, who.name)
    return steps


@rule("race.next")
async def next_round(scene: Scene) -> None:
    await alter(RACE, Race.next_round)


def road(*sides: Sequence[str], movers: Sequence[Mover] = (), **fields: Any) -> Scene:
    people = {name: Racer() for side in sides for name in side}
    chase = Race(tuple(map(tuple, sides)), movers=tuple(movers), **fields)
    return Scene(State({**people, "race": chase}))


def who(name: str) -> Who[Racer]:
    return Who(name, Racer)


# --- the road ---------------------------------------------------------------------------------------------------------


def test_whoever_rides_in_nothing_runs_by_themselves_and_the_quarry_comes_first() -> None:
    race = road(["ana", "bo"], ["cy", "di"], movers=[Mover("truck", "di"), Mover("jeep", "ana", ("bo",))])[RACE]
    assert [mover.name for mover in race.all_movers] == ["jeep", "truck", "cy"]
    assert (race.mover("bo").name, race.role("bo"), race.role("truck")) == ("jeep", "quarry", "pursuer")
    with pytest.raises(Refused, match="takes no part"):
        race.mover("ed")


def test_gaps_are_between_places_and_bands_are_named_by_the_game() -> None:
    scene = road(["ana"], ["bo", "cy"], movers=[Mover("ana", at=10), Mover("bo", at=8)])
    race = scene[RACE]
    assert [race.gap_to_quarry(scene, name) for name in ("bo", "cy")] == [2, 10]
    near = race.band(scene, "bo", "ana")
    assert near is not None
    assert near.name == "short"
    assert race.band(scene, "cy", "ana") is None
    assert band_at(BANDS, -1) == BANDS[0]
    assert band_at((ChaseBand("any"),), 99) == ChaseBand("any")


def test_closing_in_stops_beside_the_other_and_a_gap_can_be_set() -> None:
    race = road(["ana"], ["bo"], movers=[Mover("ana", at=3)])[RACE]
    assert race.closing("bo", "ana", 2).gap("bo", "ana") == 1
    assert race.closing("bo", "ana", 9).gap("bo", "ana") == 0
    assert race.moved("ana", 4).gap("bo", "ana") == 7
    assert race.set_apart("bo", "ana", 5).gap("bo", "ana") == 5


def test_whoever_overtakes_becomes_the_quarry() -> None:
    race = road(["ana", "al"], ["bo", "cy"], movers=[Mover("jeep", "ana", ("al",), at=1), Mover("van", "bo", at=1)])[
        RACE
    ]
    after = race.overtaking("van", "jeep", 2)
    assert after.sides == (("bo",), ("cy", "ana", "al"))
    assert after.gap("jeep", "van") == 2
    assert (after.role("van"), after.role("al")) == ("quarry", "pursuer")


def test_the_nearest_quarry_counts_for_a_pursuer() -> None:
    scene = road(["ana", "bo"], ["cy"], movers=[Mover("ana", at=9), Mover("bo", at=4)])
    assert scene[RACE].gap_to_quarry(scene, "cy") == 4
    assert scene[RACE].losing("bo").gap_to_quarry(scene, "cy") == 9


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_maneuver_is_refused_for_the_wrong_role_and_from_too_near() -> None:
    nobody = State({})
    assert play(tries("rush", "pursuer", 0), nobody).result is None
    assert play(tries("hide", "quarry", 2), nobody).result is None
    with pytest.raises(Refused, match="hide is for the quarry only"):
        play(tries("hide", "pursuer", 2), nobody)
    with pytest.raises(Refused, match="needs short or more, and this is near"):
        play(tries("hide", "quarry", 0), nobody)


def test_speeds_are_reached_by_ranks() -> None:
    rows = tuple(ChaseSpeed(name, at) for at, name in enumerate(("stop", "slow", "fast", "flat out")))
    assert [row.name for row in speeds_within(rows, "fast", faster=1, slower=2)] == ["stop", "slow", "fast", "flat out"]
    assert [row.name for row in speeds_within(rows, "stop")] == ["stop", "slow"]
    assert [row.name for row in speeds_within(rows, "nowhere")] == ["stop", "slow"]


# --- plans ------------------------------------------------------------------------------------------------------------


def test_open_plans_are_declared_by_the_lowest_first_and_stand() -> None:
    people = {"ana": Racer(), "bo": Racer()}
    scene = Scene(State({**people, "race": OpenRace((("ana",), ("bo",)), scores=Levels({"ana": 3, "bo": 7}))}))
    assert scene[RACE].declaring_now(scene) == ("ana",)
    with pytest.raises(Refused, match="bo declares later"):
        play(lay_down(who("bo"), "rush"), scene.state)
    scene = play(lay_down(who("ana"), "rush"), scene.state).scene
    assert scene[RACE].declaring_now(scene) == ("bo",)
    with pytest.raises(Refused, match="ana has declared"):
        play(lay_down(who("ana"), "rest"), scene.state)
    scene = play(lay_down(who("bo"), "rest"), scene.state).scene
    assert scene[RACE].stage(scene) is ChaseStage.RESOLVE


def test_a_plan_face_down_may_be_changed_until_the_last_is_laid_and_then_all_are_revealed() -> None:
    scene = play(lay_down(who("ana"), "rush"), road(["ana"], ["bo"]).state).scene
    scene = play(lay_down(who("ana"), "rest"), scene.state).scene
    assert scene[RACE].plan("ana") == ChasePlan("ana", "rest", audience=scene[RACE].plans[0].audience)
    assert (scene[RACE].laid, scene[RACE].stage(scene)) == (frozenset({"ana"}), ChaseStage.DECLARE)
    assert scene[RACE].taken_back("ana").laid == frozenset()
    scene = play(lay_down(who("bo"), "rush"), scene.state).scene
    assert scene[RACE].stage(scene) is ChaseStage.REVEAL
    with pytest.raises(Refused, match="everybody has declared"):
        play(lay_down(who("ana"), "rush"), scene.state)
    scene = play(reveal(), scene.state).scene
    assert scene[RACE].stage(scene) is ChaseStage.RESOLVE


def test_others_see_only_that_a_plan_lies_there() -> None:
    for way in ("rush", "rest"):
        race = play(lay_down(who("ana"), way), road(["ana"], ["bo"]).state).scene[RACE]
        seen = seen_records(Race, race, Seat("p", frozenset({"bo"})), "race")
        assert (seen.plans, seen.laid) == ((), {"ana"})
        assert seen_records(Race, race, Seat("p", frozenset({"ana"})), "race") == race
        assert seen_records(Race, race.revealed(), Seat("p", frozenset({"bo"})), "race").plans[0].way == way


def test_whoever_steers_nothing_declares_nothing() -> None:
    scene = road(["ana", "al"], ["bo"], movers=[Mover("jeep", "ana", ("al",))])
    with pytest.raises(Refused, match="al steers nothing"):
        play(lay_down(who("al"), "rush"), scene.state)


def test_a_secret_choice_has_odds_given_a_guess_of_the_others() -> None:
    scene = road(
        ["ana"], ["bo"], plans=(ChasePlan("ana", "rush"), ChasePlan("bo", "rest")), laid=frozenset({"ana", "bo"})
    )
    found = Exact().results(resolve(who("ana")), scene.state)
    assert found.chance(lambda steps: WON.of(steps) == "gain") == Fraction(5, 6)
    assert found.chance(lambda steps: WON.of(steps) == "same") == 0
    assert found.chance(lambda steps: WON.of(steps) == "lose") == Fraction(1, 6)


def test_a_secret_choice_has_a_figure_for_each_guess_of_what_the_other_does(tmp_path: Path) -> None:
    """Whoever rushes gains by a two or more; two who rush gain and lose the same but for the dice."""
    system = System("race", "Race", tmp_path, 1, Racer, (Race,))
    journal = Journal(system, road(["ana"], ["bo"]).state, SeededDice(b"chase"))
    journal.begin("gm", "race.plans/ask", {})
    waiting = journal.asking[0]
    card = question_query(journal, waiting, Seat("p", frozenset({"ana"})), plan=False).card(Budget(None))
    assert (card.about, card.asked) == ("race.plans/ask", {})
    assert card.pairs["rush / rest"].bands == {"gain": Fraction(5, 6), "same": 0, "lose": Fraction(1, 6)}
    assert card.pairs["rest / rush"].bands == {"gain": Fraction(1, 6), "same": 0, "lose": Fraction(5, 6)}
    assert card.pairs["rest / rest"].bands == {"gain": 0, "same": 1, "lose": 0}
    both = card.pairs["rush / rush"].bands
    assert both == {"gain": Fraction(9, 36), "same": Fraction(18, 36), "lose": Fraction(9, 36)}


def test_plans_are_resolved_by_score_and_the_quarry_comes_first_of_equals() -> None:
    laid = frozenset({"ana", "bo", "cy"})
    scene = road(["ana"], ["bo", "cy"], laid=laid)
    assert [mover.name for mover in scene[RACE].resolving(scene)] == ["ana", "bo", "cy"]
    faster = replace(scene[RACE], scores=Levels({"cy": 2, "ana": 1}))
    assert [mover.name for mover in faster.resolving(scene)] == ["cy", "ana", "bo"]
    assert [mover.name for mover in faster.done("ana").resolving(scene)] == ["cy", "bo"]


def test_what_lay_ahead_lies_behind_after_a_round() -> None:
    race = road(["ana"], ["bo"])[RACE].meeting(RoadAhead("ditch"), RoadAhead("side road", is_branch=True))
    assert [(each.name, each.past) for each in race.next_round().ahead] == [("ditch", True)]
    assert [each.name for each in race.next_round().meeting(RoadAhead("dog")).ahead] == ["dog", "ditch"]
    assert [each.name for each in race.next_round().next_round().ahead] == []


# --- a whole chase ----------------------------------------------------------------------------------------------------


def test_a_chase_is_played_round_by_round_until_somebody_is_out_of_reach() -> None:
    scene = road(["ana"], ["bo"], movers=[Mover("ana", at=4)])
    played = play_out(RACE, scene.state, {"ana.lay-down": "rush", "bo.lay-down": "rest", "ana.dash": "6"})
    assert (played.result, played.scene[RACE].gap("bo", "ana")) == ("escaped", 6)


def test_whoever_is_down_lies_behind_and_the_last_side_that_runs_decides() -> None:
    scene = road(["ana"], ["bo", "cy"])
    over = scene[RACE].over
    assert over(scene, RACE) is None
    without_ana = Scene(scene.state.but("ana", Racer(down=True)))
    assert without_ana[RACE].over(without_ana, RACE) == "caught"
    alone = Scene(scene.state.but("bo", Racer(down=True)).but("cy", None))
    assert alone[RACE].over(alone, RACE) == "escaped"
    nobody = Scene(alone.state.but("ana", None))
    assert nobody[RACE].over(nobody, RACE) == "nobody"
    assert scene[RACE].ending("hidden").over(scene, RACE) == "hidden"


def test_whoever_leaves_hands_on_the_wheel_and_their_plan_goes() -> None:
    scene = road(["ana", "al"], ["bo"], movers=[Mover("jeep", "ana", ("al",))], plans=(ChasePlan("ana", "rush"),))
    race = scene[RACE].left_by("ana")
    assert (race.mover("jeep").pilot, race.plans) == ("al", ())
    assert race.left_by("al").movers == ()
    assert scene[RACE].left_by("al").mover("jeep").people == ("ana",)
    assert race.joined_by("di", 1).sides == (("ana", "al"), ("bo", "di"))


@frozen
class Scuffle(Encounter):
    """A fight inside a chase."""

    within: Open[str] = ""

    def next_step(self, scene: Scene, me: Who[Any]) -> Call[Any]:
        return next_round()

    def over(self, scene: Scene, me: Who[Any]) -> Hashable | None:
        return None


def test_a_fight_inside_a_chase_is_found() -> None:
    scene = road(["ana"], ["bo"])
    assert fight_within(scene, RACE) is None
    inside = Scene(scene.state.but("scuffle", Scuffle("race")))
    assert fight_within(inside, RACE) == Who("scuffle", Scuffle)


def test_a_chase_is_plain_data() -> None:
    race = road(["ana"], ["bo"], movers=[Mover("jeep", "ana", at=3)], plans=(ChasePlan("ana", "rush"),))[RACE]
    assert read(Race, write(race)) == race


# --- where a game has no rules for it ---------------------------------------------------------------------------------


def tracked(**fields: Any) -> Scene:
    people = {name: Racer() for name in ("ana", "bo", "cy")}
    return Scene(State({**people, "chase": ChaseTracker((("ana",), ("bo", "cy")), **fields)}))


def test_nothing_comes_next_by_itself_in_a_chase_without_rules() -> None:
    scene = tracked()
    assert next_of(scene) is None
    check_starts(scene, "chase")
    with pytest.raises(Refused, match="no steps of its own"):
        play(scene[TRACKED].next_step(scene, TRACKED), scene.state)


def test_the_game_master_moves_people_from_band_to_band_and_ends_it() -> None:
    scene = tracked()
    assert [scene[TRACKED].gap_to_quarry(scene, name) for name in ("bo", "cy")] == [2, 2]
    scene = play(move_in_chase("bo", "right behind"), scene.state).scene
    scene = play(move_in_chase("cy", "far behind"), scene.state).scene
    assert [scene[TRACKED].gap_to_quarry(scene, name) for name in ("bo", "cy")] == [0, 3]
    with pytest.raises(Refused, match="ana"):
        play(move_in_chase("ana", "close"), scene.state)
    over = play(end_chase("caught"), scene.state).scene
    assert over[TRACKED].over(over, TRACKED) == "caught"


def test_a_chase_is_over_once_nobody_who_follows_sees_them_any_longer() -> None:
    scene = play(move_in_chase("bo", "out of sight"), tracked().state).scene
    assert scene[TRACKED].over(scene, TRACKED) is None
    scene = play(move_in_chase("cy", "out of sight"), scene.state).scene
    assert scene[TRACKED].over(scene, TRACKED) == "escaped"
