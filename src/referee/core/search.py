"""Searching the rulebook by words, in any order, with tolerance for typing errors."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Final, final

from referee.core.printed_book import PrintedBook

_WORD: Final = re.compile(r"[a-z0-9]+")
_HEAD: Final = re.compile(r"^\s*-? ?(?:id|chapter|name): .*$|name: [^,}]+", re.MULTILINE)
_STOP: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "with",
    ]
)
IN_HEAD: Final = 4.0
IN_TEXT: Final = 1.0
BEGINS: Final = 0.7
RESEMBLES: Final = 0.5


@final
@dataclass(frozen=True)
class Found:
    """A rule that matches a search, and how well."""

    id: str
    score: float


@final
class Index:
    """The words of one system's rulebook. Built at the first search."""

    def __init__(self, printed_book: PrintedBook) -> None:
        self.printed_book = printed_book

    @cached_property
    def _words(self) -> dict[str, dict[str, float]]:
        """For each word, the rules that contain it and how characteristic it is of them."""
        found: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for id_ in self.printed_book.ids:
            text = self.printed_book.text(id_)
            for word in words(text):
                found[word][id_] = IN_TEXT
            for head in _HEAD.findall(text):
                for word in words(head):
                    found[word][id_] = IN_HEAD
        return dict(found)

    def search(self, query: str, most: int = 10) -> list[Found]:
        """The rules that contain most of the query's words, best first."""
        wanted = [word for word in words(query) if word not in _STOP] or words(query)
        scores: defaultdict[str, float] = defaultdict(float)
        for word in wanted:
            best: dict[str, float] = {}
            for known, likeness in self._like(word).items():
                rare = 1 + 1 / len(self._words[known])
                for id_, weight in self._words[known].items():
                    best[id_] = max(best.get(id_, 0.0), weight * likeness * rare)
            for id_, score in best.items():
                scores[id_] += score + 10  # one more matching word outweighs a better match of one word
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return [Found(id_, score) for id_, score in ranked[:most]]

    def _like(self, word: str) -> dict[str, float]:
        """The words of the book that may be meant: the word itself, longer ones, misspelled ones."""
        if word in self._words:
            found = {word: 1.0}
        else:
            found = dict.fromkeys(get_close_matches(word, self._words, 3, 0.75), RESEMBLES)
        return {**{known: BEGINS for known in self._words if len(word) > 2 and known.startswith(word)}, **found}


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
