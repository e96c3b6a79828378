"""Odds as a screen shows them: a few rows, each a chance in words with a bar; the rest on demand."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final, final

from referee.core.plain import Plain
from referee.core.system import System
from referee.core.wording import phrase
from referee.forecast.risk_card import NO_FIGURES
from referee.web.pages.page import WORDS, percent, whose

SHORT_OF_TIME: Final = frozenset({"time", "busy", "ended"})
LOSS_TO_TELL: Final = 0.0005
GROOVE: Final = 0.8
"""What lies between two parts of a bar, in percent of it."""


@final
@dataclass(frozen=True)
class ChanceRow:
    """A chance with its name."""

    name: str
    chance: float
    exact: str
    tone: str = "good"
    is_against: bool = False
    """Whether it is what whoever reads it hopes will fail."""


@final
@dataclass(frozen=True)
class Chances:
    """The possible outcomes of something."""

    rows: tuple[ChanceRow, ...]
    error: float = 0.0
    """The error of sampled figures; 0 if they are exact."""
    lost: float = 0.0
    """The chance of what was left out as too unlikely."""
    then: str = ""
    """What may become of whom it is done to, in the words of the system."""
    three: tuple[ChanceRow, ...] = ()
    """What may come of it where three things may, which the look names; then they stand beside each other."""

    @property
    def split(self) -> tuple[tuple[str, float, float], ...]:
        """The three as parts of a bar: tone, where it begins, and how long it is, in percent."""
        starts = [*accumulate((100 * row.chance for row in self.three), initial=0.0)]
        ends = [*(end - GROOVE for end in starts[1:-1]), starts[-1]]
        parts = zip(self.three, starts, ends, strict=False)
        return tuple((row.tone, at, max(0.0, end - at)) for row, at, end in parts)

    @property
    def is_lossy(self) -> bool:
        """Whether so much was left out that people should know: they read whole percents."""
        return self.lost > LOSS_TO_TELL

    @property
    def good(self) -> float:
        return next((row.chance for row in self.rows if row.tone == "good"), 0.0)

    @property
    def certain(self) -> str:
        """What comes of it for sure, if that is known: the figures would be nothing but 0 and 100."""
        if self.error or self.lost or any(row.chance not in (0, 1) for row in self.beside):
            return ""
        sure = [row for row in self.rows if row.chance == 1 and row.tone != "extra"]
        narrow = any(row.tone == "part" for row in sure)  # "plain success" says more than "success"
        band = next((row.name for row in sure if row.tone in ("part" if narrow else "good", "plain")), "")
        return phrase([band, *(row.name for row in sure if row.tone == "bad")]) if band else ""

    @property
    def worth(self) -> tuple[float, float]:
        """The hoped-for outcomes first, then how little goes wrong."""
        return self.good, -sum(row.chance for row in self.rows if row.tone == "bad")

    def for_others(self, system: System, good: tuple[str, ...], *, is_oneself: bool = True) -> Chances:
        """As told to somebody who hopes that it fails: what goes well does so for the other side.

        The system says how that sounds: `against.hit` (you are hit), unless it is somebody else whom it is aimed at;
        several bands together sound like the plainest of them.
        """
        said = (each for each in good if f"against.{each}" in system.words)
        key = good[0] if len(good) == 1 else _plainest(system.words, good) or next(said, good[0])
        rows = (
            replace(
                row,
                name=_against(system, key, row.name) if is_oneself else WORDS.say("odds.for-others", band=row.name),
                is_against=True,
            )
            if row.tone == "good"
            else row
            for row in self.rows
        )
        return replace(self, rows=tuple(rows))

    def without(self, names: Container[str]) -> Chances:
        three = tuple(row for row in self.three if row.name not in names)
        return replace(self, rows=tuple(row for row in self.rows if row.name not in names), three=three)

    @property
    def told(self) -> tuple[ChanceRow, ...]:
        """Every band, and the side effects that are possible at all."""
        return tuple(row for row in self.rows if row.chance or row.tone in ("good", "plain", "part"))

    @property
    def beside(self) -> tuple[ChanceRow, ...]:
        """What a button shows: the hoped-for outcomes, and what may go wrong."""
        return tuple(row for row in self.rows if row.tone in ("good", "bad"))


def chances(forecast: Mapping[str, Plain], system: System, good: tuple[str, ...]) -> Chances:
    """A forecast: its good bands, then the other bands, then side effects."""
    bands: dict[str, Any] = dict(forecast["bands"])
    words = system.words
    hoped = [key for key in bands if key in good]
    rows = []
    if len(hoped) > 1:
        together = sum(bands[key]["float"] for key in hoped)
        whole = _any(words, hoped)
        parts = (_row(words, key, bands[key], "part") for key in hoped)
        rows.append(ChanceRow(whole, together, ""))
        rows += [
            replace(row, name=WORDS.say("odds.plainly", band=whole)) if row.name == whole else row for row in parts
        ]
    else:
        rows += [_row(words, key, bands[key], "good") for key in hoped]
    rows += [_row(words, key, each, "plain") for key, each in bands.items() if key not in good]
    rows += [_row(words, key, each, "extra") for key, each in forecast["extra"].items()]
    rows += [_row(words, key, each, "bad") for key, each in forecast["bad"].items()]
    error, lost = float(forecast.get("error") or 0), float(forecast.get("lost", {}).get("float", 0))
    return Chances(tuple(rows), error, lost, ", ".join(_consequences(system, bands, error)), _three(system, bands))


def _consequences(system: System, bands: Mapping[str, Any], error: float) -> Iterator[str]:
    """What the look says of bands that may come."""
    for each in system.look.consequences:
        chance = sum(float(bands[key]["float"]) for key in each.bands if key in bands)
        if chance:
            yield each.says.format(chance=percent(chance, error))


def _three(system: System, bands: Mapping[str, Any]) -> tuple[ChanceRow, ...]:
    """The bands as good, the same and bad, where the look says which are which of all of them."""
    named = system.look.outcomes3.every if system.look.outcomes3 else ()
    if not set(bands) <= {key for each in named for key in each}:
        return ()
    tones = zip(("gain", "same", "lose"), named, strict=True)
    rows = [_row(system.words, key, bands[key], tone) for tone, keys in tones for key in keys if key in bands]
    return tuple(row for row in rows if row.chance)


def missing_words(card: Mapping[str, Plain], key: str = "") -> str:
    """Why there are no odds for an answer, in words; empty if there are, or if figures would say nothing."""
    missing = card.get("missing") or {}
    why = missing.get(key) or (None if silent_words(card) else missing.get(""))
    return WORDS.say(f"odds.missing.{why['because']}", what=_what(why)) if why else ""


def silent_words(card: Mapping[str, Plain]) -> str:
    """Why a question has no figures though nothing is missing, in words; empty if it has."""
    why = (card.get("missing") or {}).get("", {}).get("because")
    return WORDS.say(f"odds.missing.{why}") if why in NO_FIGURES else ""


def _what(why: Mapping[str, Plain]) -> str:
    return whose(str(why["what"])) if why["because"] == "hidden" else str(why["what"])


def is_short_of_time(card: Mapping[str, Plain]) -> bool:
    """Whether it lacks a figure that it would have with more time."""
    around = card.get("around")
    missing = any(why["because"] in SHORT_OF_TIME for why in (card.get("missing") or {}).values())
    return missing or (around is not None and is_short_of_time(around))


def _any(words: Any, keys: list[str]) -> str:
    """Several hoped-for bands, named by the plainest of them: a success, a hit."""
    return _plainest(words, keys) or WORDS.say("odds.well")


def _against(system: System, key: str, band: str) -> str:
    return str(system.words.say_or(f"against.{key}", WORDS.say("odds.for-others", band=band)))


def _plainest(words: Any, keys: Sequence[str]) -> str | None:
    return next((key for key in ("success", "hit") if key in keys and words.say(f"bands.{key}") == key), None)


def _row(words: Any, key: str, each: Mapping[str, Plain], tone: str) -> ChanceRow:
    return ChanceRow(str(words.say(f"bands.{key}")), float(each["float"]), str(each["exact"]), tone)
