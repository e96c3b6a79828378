"""How things look in a terminal: chances, sheets, lines of the log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.cli.terminal import DIM, GREEN, paint
from referee.core.wording import faces, phrase
from referee.core.words import Words

if TYPE_CHECKING:  # what is shown is made elsewhere; a roll needs none of it
    from collections.abc import Iterator
    from fractions import Fraction
    from typing import Any

    from referee.core.scene import State
    from referee.core.system import Bands, System
    from referee.forecast.bands import Forecast
    from referee.journal.lines import Item, Line

MASTER: Final = "game master"
WORDS: Final = Words(Path(__file__).parent / "words")


def bar(chance: Fraction, colour: str = GREEN, width: int = 20) -> str:
    """A chance, drawn and in figures."""
    full = round(chance * width)
    return f"{paint('█' * full, colour)}{paint('·' * (width - full), DIM)} {float(chance):6.1%}"


def hoped(odds: Forecast, bands: Bands[Any]) -> str:
    """The chance of what one hopes for; sampled figures are marked."""
    return bar(odds.chance_of(bands.good)) + (f" ≈ ±{odds.error:.1%}" if odds.samples else "")


def chances(odds: Forecast, system: System) -> str:
    """Every chance of a forecast on one line."""
    parts = [*odds.bands.items(), *odds.extra.items(), *odds.bad.items()]
    return "  ".join(f"{system.words.say(f'bands.{key}')} {float(chance):.1%}" for key, chance in parts) + (
        f"  ≈ ±{odds.error:.1%}" if odds.samples else ""
    )


def story_of(line: Line, system: System, state: State) -> Iterator[str]:
    """A line of the log, told: dice, what changed for somebody and by which rule, results."""
    if line.kind == "answered" and isinstance(line.what["answer"], list):
        name = system.words.say(f"throws.{line.what['asked']}")
        yield WORDS.say("dice", who=line.what["of"] or MASTER, name=name, faces=faces(line.what["answer"]))
    for item in line.then:
        yield from _followed(item, system, state)


def _followed(item: Item, system: System, state: State) -> Iterator[str]:
    if "set" in item and isinstance(state.get(item["who"]), system.sheet):
        for field, after in item["set"].items():
            before, now = (phrase(value) for value in (item["was"][field], after))
            yield WORDS.say("changed", who=item["who"], field=field, before=before, after=now, rule=item["rules"][0])
    elif "told" in item:
        yield "  " + system.words.say(f"story.{item['told']}", who=item["who"], **item["figures"])
    elif item.get("ended") is not None:
        yield WORDS.say("result", result=phrase(item["ended"]))
