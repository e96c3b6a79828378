"""All wording in one place: keys with their texts, one YAML file per language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final, final

from referee.core.errors import BadInput
from referee.core.files import load_yaml
from referee.core.wording import Worded, class_words, phrase


@final
class Words:
    """Texts under dotted keys such as `prompts.push`. A key without a text is shown as it is."""

    def __init__(self, folder: Path, language: str = "en") -> None:
        self._file = folder / f"{language}.yaml"

    @cached_property
    def texts(self) -> dict[str, str]:
        """Every text by its key."""
        if not self._file.exists():
            return {}
        return dict(self._flat(load_yaml(self._file.read_text(encoding="utf-8")), ""))

    def __contains__(self, key: str) -> bool:
        return key in self.texts

    def say(self, key: str, **figures: Any) -> str:
        """The words for a key, with its figures filled in."""
        text = self.texts.get(key)
        if text is None:
            return key.rpartition(".")[2].replace("-", " ")
        return text.format(
            **{name: Worded(value) if isinstance(value, str) else value for name, value in figures.items()}
        )

    def say_or(self, key: str, otherwise: str) -> str:
        """The words for a key, or others if it has none."""
        return self.texts.get(key, otherwise)

    def _flat(self, texts: Any, outer: str) -> Iterator[tuple[str, str]]:
        if not isinstance(texts, dict):
            raise BadInput(f"{self._file.name}: {outer}", "must be keys with texts")
        for key, text in texts.items():
            if isinstance(text, str):
                yield f"{outer}{key}", text
            else:
                yield from self._flat(text, f"{outer}{key}.")


HOUSE_WORDS: Final = Words(Path(__file__).parent / "texts")
"""What the story says in every system, unless the system has words of its own for it."""


def story_line(words: Words, key: str, who: str | None = None, /, **figures: Any) -> str:
    """A line of the story in the words of a system, or else in those of the house.

    How an encounter ends is said by `endings.Fight.nobody` or `endings.Fight.otherwise` for a `Fight` that ended with
    `nobody`, or with anything else.
    """
    said = {name: phrase(value) for name, value in figures.items()}
    keys = [f"story.{key}"]
    if key == "encounter-over":
        kind, how = str(figures.get("kind")), figures.get("ending")
        said["what"] = words.say_or(f"encounters.{kind}", class_words(kind)).removeprefix("The ").casefold()
        keys = (
            [f"endings.{kind}.{said['ending']}", f"endings.{kind}.otherwise", *keys]
            if how
            else ["story.encounter-ended"]
        )
    for each in keys:
        if each in words:
            return words.say(each, who=who or "", **said)
    return HOUSE_WORDS.say(keys[-1], who=who or "", **said)
