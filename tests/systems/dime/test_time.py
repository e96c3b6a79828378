"""Time passing in Dime Adventures: bleeding for long is one step, the same as round by round."""

from __future__ import annotations

import json

import pytest

from referee import registry
from referee.core import CLOCK, Clock, Scene, Who
from referee.drivers.scripted import play
from referee.journal.journal import Journal
from referee.journal.lines import Line, StepBegan
from referee.systems.dime.damage import BLEEDING, bled, bleed
from referee.systems.dime.sheet import Adventurer
from referee.verify.replay import LogReplay

DIME = registry.load("dime")
ANA = Who("ana", Adventurer)


@pytest.mark.parametrize("severity", [1, 2, 3, 4])
@pytest.mark.parametrize(("hp", "times"), [(30, 1), (30, 2), (31, 40), (9, 3), (0, 2)])
def test_bleeding_for_many_rounds_is_as_if_it_were_played(severity: int, hp: int, times: int) -> None:
    consequences = [{"name": BLEEDING, "severity": severity}]
    sheet = {"hp": hp, "hp_full": 40, "consequences": consequences, "lasting_harm": {BLEEDING: 2}}
    state = DIME.new_state({"ana": sheet}).but("clock", Clock(100))
    folded, covered = bled(Scene(state), ANA, times, 100 + times)
    assert covered == min(times, hp // severity**2)
    for _ in range(covered):
        state = state.but("clock", Clock(Scene(state)[CLOCK].now + 1))
        state = play(bleed(ANA), state).state
    assert not covered or folded == Scene(state)[ANA]


def test_a_table_plays_it_in_one_step_which_can_be_opened_again_and_verified() -> None:
    sheet = {"hp": 60, "hp_full": 60, "consequences": [{"name": BLEEDING, "severity": 1}]}
    journal = Journal(DIME, DIME.new_state({"ana": sheet}))
    journal.edit("gm", "passing", kind="Passing", until=55)
    ana = journal.scene[ANA]
    assert (ana.hp, ana.injured_at, ana.lasting_harm[BLEEDING], journal.scene[CLOCK]) == (5, 55, 55, Clock(55))
    begun = [each.rule for each in journal.lines if isinstance(each, StepBegan)]
    assert begun == ["referee.clock.folded"]
    lines = [Line.from_plain(json.loads(json.dumps(each.to_plain()))) for each in journal.lines]
    assert Journal(DIME, journal.start, journal.source, lines).state == journal.state
    replay = LogReplay(DIME, journal.start)
    assert [problem for line in lines for problem in replay.follow(line)] == []
