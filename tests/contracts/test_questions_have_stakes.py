"""Every question that scenarios ask is about something, or `docs/stakes.md` says why it is about nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.core.actions import ActionChoice
from referee.core.questions import Choice, Choose
from referee.testing import stage
from referee.testing.scenarios import check_file

ROOT: Final = Path(__file__).parents[2]
ROW: Final = re.compile(r"^\| `([\w.-]+)` \| `([\w./-]+)` \| (.+) \|$", re.MULTILINE)
Met: TypeAlias = dict[tuple[str, str], Counter[str]]
"""By prompt and the rule that asks: what it was about, and how often."""
ANSWERS: Final = "answer_in"
CHOOSES_ACTIONS: Final = "actions"
"""The options are actions, each of which has its own odds."""


def met_in(system: str, monkeypatch: pytest.MonkeyPatch) -> Met:
    """The questions that the scenarios of a system ask, and what they are about."""
    found: Met = defaultdict(Counter)
    answer_in: Any = getattr(stage, ANSWERS)

    def noting(run: Any, script: Any, question: Any, at: Any) -> Any:
        if isinstance(question, Choice) and len(tuple(question.legal)) > 1:
            options = question.options if isinstance(question, Choose) else ()
            asks = run._stack[-1].call.rule.id
            rules = [each.call.rule for each in run.stakes]
            about = next((each.id for each in reversed(rules) if question.who or not each.bands.each), "")
            if any(isinstance(each, ActionChoice) for each in options):
                about = CHOOSES_ACTIONS
            found[str(question.name), asks][about] += 1
        return answer_in(run, script, question, at)

    monkeypatch.setattr(stage, ANSWERS, noting)
    for path in sorted((ROOT / "tests/scenarios" / system).glob("**/*.yaml")):
        _ = check_file(path)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("system", ["alien", "d6", "dime", "distemper", "yearzero"])
def test_every_question_is_about_something_or_says_why_not(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {(prompt, asks): about for prompt, asks, about in ROW.findall((ROOT / "docs/stakes.md").read_text("utf-8"))}
    met = met_in(system, monkeypatch)
    assert [each for each in met if each not in told] == []
    for key, abouts in met.items():
        stakes = [each for each, _ in abouts.most_common() if each]
        wanted = f"`{stakes[0]}`" if stakes and stakes[0] != CHOOSES_ACTIONS else stakes[0] if stakes else "none: "
        assert told[key].startswith(wanted), key
