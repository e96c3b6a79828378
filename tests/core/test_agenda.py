"""What comes next: deadlines that are due, passing time, then the innermost of the encounters that are played."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.trek import (
    ANA,
    BRAWL,
    DIARY,
    JOURNEY,
    TREK,
    Brawl,
    Diary,
    Hiker,
    Journey,
    ambush,
    exchange,
    fester,
    treat,
    walk,
    wound,
)

from referee.core import BadInput, Call, Clock, Refused, Scene, State, Who, advance_clock
from referee.core.agenda import end_encounter, ending_of, next_of, playing, undecided
from referee.core.clock import CLOCK, PASSING, Deadline, Passing, arrive, run_deadline
from referee.core.encounter import PLAYING, Playing
from referee.core.run import Changed, Told
from referee.core.visibility import VEIL, Veil
from referee.core.words import story_line
from referee.drivers.scripted import play, play_out

START = State({"clock": Clock(), "diary": Diary(), "ana": Hiker(), "bo": Hiker()})
OTHER = Who("brawl 2", Brawl)


def after(*calls: Call[Any], state: State = START) -> State:
    for call in calls:
        state = play(call, state).state
    return state


def but(state: State = START, **values: Any) -> State:
    for name, value in values.items():
        state = state.but(name.replace("_", " "), value)
    return state


def following(state: State, of: Who[Any] | None = None) -> Call[Any] | None:
    found = next_of(Scene(state), of)
    return found.call if found else None


def diary(state: State) -> tuple[str, ...]:
    return Scene(state)[DIARY].lines


# --- which ------------------------------------------------------------------------------------------------------------


def test_nothing_comes_next_by_itself_where_no_encounter_stands() -> None:
    assert following(START) is None
    assert following(State({})) is None


def test_the_only_encounter_is_played_without_being_chosen() -> None:
    assert following(but(journey=Journey(2))) == walk(JOURNEY)


def test_an_encounter_is_told_its_own_name() -> None:
    assert following(but(brawl_2=Brawl(1))) == exchange(OTHER)


def test_the_innermost_plays_first() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1, "journey"))
    assert following(state) == exchange(BRAWL)
    assert following(state, JOURNEY) == exchange(BRAWL)
    deeper = but(state, brawl_2=Brawl(1, "brawl"))
    assert following(deeper) == exchange(OTHER)


def test_of_several_none_is_played_until_the_game_master_says_which() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1))
    assert following(state) is None
    assert [each.name for each in undecided(Scene(state))] == ["brawl", "journey"]
    for chosen, step in {"journey": walk(JOURNEY), "brawl": exchange(BRAWL)}.items():
        decided = but(state, playing=Playing(chosen))
        assert following(decided) == step
        assert undecided(Scene(decided)) == ()


def test_what_stands_inside_the_chosen_one_is_played_first() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1, "journey"), brawl_2=Brawl(1), playing=Playing("journey"))
    assert following(state) == exchange(BRAWL)


def test_of_two_inside_one_the_game_master_says_which() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1, "journey"), brawl_2=Brawl(1, "journey"))
    assert following(state) is None
    assert following(but(state, playing=Playing("brawl 2"))) == exchange(OTHER)
    with pytest.raises(BadInput, match="several stand inside journey: brawl, brawl 2; say which one is played"):
        play_out(JOURNEY, state)


def test_a_choice_that_no_longer_stands_does_not_count() -> None:
    assert following(but(journey=Journey(2), playing=Playing("brawl"))) == walk(JOURNEY)
    assert following(but(journey=Journey(2), brawl=Brawl(0), playing=Playing("brawl"))) == end_encounter(BRAWL)


def test_one_in_hiding_is_played_only_if_chosen_or_alone() -> None:
    hidden = but(journey=Journey(2), brawl=Brawl(1), veil=Veil(frozenset({"brawl"})))
    assert VEIL in Scene(hidden)
    assert following(hidden) == walk(JOURNEY)
    assert following(but(hidden, playing=Playing("brawl"))) == exchange(BRAWL)
    assert following(hidden.but("journey", None)) == exchange(BRAWL)


def test_encounters_inside_each_other_wait_for_a_choice_and_do_not_hang() -> None:
    state = but(brawl=Brawl(1, "brawl 2"), brawl_2=Brawl(1, "brawl"))
    assert following(state) is None
    assert following(but(state, playing=Playing("brawl"))) == exchange(OTHER)
    assert following(but(brawl=Brawl(1, "brawl"))) == exchange(BRAWL)


def test_what_stands_inside_one_that_is_gone_stands_by_itself() -> None:
    assert following(but(brawl=Brawl(1, "journey"))) == exchange(BRAWL)


# --- time -------------------------------------------------------------------------------------------------------------

DUE = Deadline(0, 0, "ana", "trek.fester", "leg")


def test_what_is_due_comes_before_every_encounter() -> None:
    state = but(journey=Journey(2), clock=Clock(0, (DUE,)))
    assert following(state) == run_deadline(DUE)
    assert following(state, JOURNEY) == run_deadline(DUE)
    assert following(state, PASSING) == run_deadline(DUE)


def test_what_is_not_due_yet_waits() -> None:
    assert following(but(journey=Journey(2), clock=Clock(0, (replace(DUE, at=1),)))) == walk(JOURNEY)
    assert following(but(clock=Clock(0, (replace(DUE, at=1),)))) is None


def test_time_that_is_passing_is_played_before_encounters() -> None:
    later = replace(DUE, at=3)
    state = but(journey=Journey(2), brawl=Brawl(1, "journey"), passing=Passing(6), clock=Clock(0, (later,)))
    assert following(state) == following(state, JOURNEY) == following(state, PASSING) == run_deadline(later)
    assert following(but(state, clock=Clock(0))) == arrive(6)
    assert following(but(state, clock=Clock(6))) == exchange(BRAWL)


def test_what_stands_inside_passing_time_is_played_before_it_goes_on() -> None:
    state = after(advance_clock(6), state=but(clock=Clock(0, (Deadline(3, 0, "ana", ambush.id),))))
    played = play_out(PASSING, state)
    assert diary(played.state) == ("ambush at 3", "brawl at 3", "brawl at 3")
    assert (played.result, Scene(played.state)[CLOCK].now) == (6, 6)
    assert BRAWL not in Scene(played.state)


# --- only the outermost moves the clock -------------------------------------------------------------------------------


def test_by_itself_a_fight_moves_the_clock() -> None:
    played = play_out(BRAWL, but(brawl=Brawl(2)))
    assert diary(played.state) == ("brawl at 0", "brawl at 1")
    assert (played.result, Scene(played.state)[CLOCK].now) == ("won", 2)


def test_inside_a_journey_a_fight_takes_no_time_and_the_journey_does() -> None:
    played = play_out(JOURNEY, but(journey=Journey(2, brawl_at=2)))
    assert diary(played.state) == ("journey 2 at 0", "brawl at 6", "brawl at 6", "journey 1 at 6")
    assert (played.result, Scene(played.state)[CLOCK].now) == ("arrived", 12)


def test_a_fight_is_inside_a_journey_until_the_journey_has_ended() -> None:
    arrived = but(journey=Journey(0), brawl=Brawl(2, "journey"))
    assert PASSING not in Scene(after(exchange(BRAWL), state=arrived))
    assert Scene(after(exchange(BRAWL), state=arrived.but("journey", None)))[PASSING].until == 1
    itself = but(brawl=Brawl(2, "brawl"))
    assert Scene(after(exchange(BRAWL), state=itself))[PASSING].until == 1


def test_a_fight_is_inside_passing_time_while_it_passes() -> None:
    state = but(brawl=Brawl(2, "passing"), passing=Passing(6))
    assert Scene(after(exchange(BRAWL), state=state))[PASSING].until == 6
    assert Scene(after(exchange(BRAWL), state=but(state, clock=Clock(6))))[PASSING].until == 7


def test_no_one_else_lets_time_pass_while_one_stands_inside_another() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1, "journey"))
    with pytest.raises(Refused, match="brawl stands inside journey, which moves the clock"):
        after(advance_clock(1), state=state)
    assert Scene(after(advance_clock(1), state=but(journey=Journey(2))))[PASSING].until == 1


# --- the end ----------------------------------------------------------------------------------------------------------


def test_one_that_is_over_leaves_and_the_story_says_how_it_ended() -> None:
    state = but(journey=Journey(2), brawl=Brawl(0, "journey"))
    assert following(state) == end_encounter(BRAWL)
    played = play(end_encounter(BRAWL), state)
    (told,) = [event.line for event in played.events if isinstance(event, Told)]
    assert (told.key, dict(told.figures)) == (
        "encounter-over",
        {"encounter": "brawl", "kind": "Brawl", "ending": "won"},
    )
    assert following(played.state) == walk(JOURNEY)


def test_whoever_plays_an_encounter_to_its_end_finds_it_there() -> None:
    played = play_out(BRAWL, but(brawl=Brawl(1)))
    assert played.result == "won"
    assert following(played.state, BRAWL) is None
    assert following(played.state) == end_encounter(BRAWL)


def test_the_choice_goes_back_to_the_outer_one_when_an_inner_one_ends() -> None:
    state = but(journey=Journey(2), brawl=Brawl(0, "journey"), brawl_2=Brawl(1), playing=Playing("brawl"))
    ended = after(end_encounter(BRAWL), state=state)
    assert Scene(ended)[PLAYING] == Playing("journey")
    assert following(ended) == walk(JOURNEY)


def test_one_that_is_not_over_has_no_ending_to_tell_of() -> None:
    played = play(end_encounter(JOURNEY), but(journey=Journey(2)))
    (told,) = [event.line for event in played.events if isinstance(event, Told)]
    assert dict(told.figures)["ending"] is None
    with pytest.raises(BadInput, match="journey: is not over"):
        ending_of(Scene(but(journey=Journey(2))), JOURNEY)


@pytest.mark.parametrize(
    ("kind", "ending", "sentence"),
    [
        ("Brawl", "won", "The brawl is over: won."),
        ("Brawl", None, "The brawl is over."),
        ("SeaBattle", "al and bo", "The sea battle is over: al and bo."),
        ("Journey", "arrived", "The travellers have arrived."),
        ("Journey", "lost", "The journey is over: lost."),
        ("Journey", None, "The journey is over."),
    ],
)
def test_an_encounter_ends_with_a_sentence(kind: str, ending: Any, sentence: str) -> None:
    assert story_line(TREK.words, "encounter-over", encounter="x", kind=kind, ending=ending) == sentence


def test_playing_follows_the_choice() -> None:
    state = but(journey=Journey(2), brawl=Brawl(1), playing=Playing("brawl"))
    assert playing(Scene(state)) == BRAWL
    assert playing(Scene(state), JOURNEY) == JOURNEY


# --- wounds, one by one -----------------------------------------------------------------------------------------------


def test_of_two_wounds_the_one_that_is_treated_does_not_fester_and_the_other_does() -> None:
    state = after(wound(ANA, "leg", 3), wound(ANA, "arm", 5), treat(ANA, "arm"))
    clock = Scene(state)[CLOCK]
    assert (clock.when(ANA, fester, "leg"), clock.when(ANA, fester, "arm"), clock.when(ANA, fester)) == (3, None, 3)
    played = play_out(PASSING, after(advance_clock(9), state=state))
    assert Scene(played.state)[ANA].festered == ("leg",)
    assert diary(played.state) == ("ana's leg at 3",)


def test_both_fester_at_their_own_time_if_left_alone() -> None:
    state = after(wound(ANA, "leg", 5), wound(ANA, "arm", 3), advance_clock(9))
    assert Scene(play_out(PASSING, state).state)[ANA].festered == ("arm", "leg")


def test_a_deadline_is_cited_by_the_rule_that_sets_it_cancels_it_or_comes_due() -> None:
    rules = [
        event.rules
        for call in (wound(ANA, "leg", 3), treat(ANA, "leg"))
        for event in play(call, after(wound(ANA, "leg", 3))).events
        if isinstance(event, Changed)
    ]
    assert rules == [("trek.wound",), ("trek.treat",)]
    came = play(run_deadline(replace(DUE, at=3)), after(wound(ANA, "leg", 3)))
    (moved,) = [event for event in came.events if isinstance(event, Changed) and event.who == "clock"]
    assert moved.rules == ("trek.fester", "referee.clock.deadline")
