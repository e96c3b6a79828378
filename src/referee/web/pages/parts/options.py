"""The options of a rulebook for people: by chapter, with their choices in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from referee.core.plain import Plain
from referee.core.printed_book import OFF, Entry
from referee.core.rulebook import Book
from referee.web.pages.book.search import title_of
from referee.web.pages.forms import Form
from referee.web.pages.page import WORDS

CHOICE: Final = "choice-"
"""The prefix of form fields with a choice, by the id of the option."""


@final
@dataclass(frozen=True)
class ChoiceShown:
    """One way to play a rule."""

    key: str
    words: str
    chosen: bool


@final
@dataclass(frozen=True)
class OptionShown:
    """A rule that a campaign decides about."""

    id: str
    title: str
    says: str
    on: bool
    choices: tuple[ChoiceShown, ...]
    """The ways to play it; a switch has none."""
    not_with: tuple[str, ...]
    """What cannot be used together with it, in words."""
    only_with: tuple[str, ...]
    """What it depends on, in words."""


def options_by_chapter(book: Book) -> tuple[tuple[str, tuple[OptionShown, ...]], ...]:
    """Every option of a book, as it is set."""
    chapters: dict[str, list[OptionShown]] = {}
    for entry in book.printed_book.options:
        chapters.setdefault(entry.chapter, []).append(option_shown(book, entry))
    return tuple((chapter, tuple(options)) for chapter, options in chapters.items())


def option_shown(book: Book, entry: Entry) -> OptionShown:
    others = (
        each for each in book.printed_book.options if entry.id in (one.partition("=")[0] for one in each.excludes)
    )
    excluded = dict.fromkeys((*entry.excludes, *(each.id for each in others)))
    return OptionShown(
        entry.id,
        title_of(entry.id),
        entry.rule,
        book.on(entry.id),
        choices_shown(book, entry),
        tuple(_named(book, each) for each in excluded),
        tuple(_named(book, each) for each in entry.option),
    )


def choices_shown(book: Book, entry: Entry) -> tuple[ChoiceShown, ...]:
    """The ways to play a rule, among them not to use it."""
    if not entry.choices:
        return ()
    chosen = book.choice(entry.id)
    off = {OFF: WORDS.say("master.rules.not-used")} if entry.optional else {}
    return tuple(ChoiceShown(key, words, key == chosen) for key, words in {**off, **entry.choices}.items())


def setting_words(entry: Entry, setting: Plain) -> str:
    """A setting of an option in words: on, off, or one of its choices."""
    if setting is True and entry.choices:
        setting = next(iter(entry.choices))
    if isinstance(setting, str) and setting != OFF:
        return entry.choices.get(setting, setting)
    return WORDS.say("master.rules.on" if setting is True else "master.rules.off")


def settings_in(form: Form, system: str) -> Mapping[str, Plain]:
    """The options that a form for a new table sets: ticked switches, and choices."""
    switches = dict.fromkeys(form.all("option"), True)
    choices = {name.removeprefix(CHOICE): form.one(name) for name in form.fields if name.startswith(CHOICE)}
    given = {**switches, **{id_: choice for id_, choice in choices.items() if choice}}
    return {id_: setting for id_, setting in given.items() if id_.startswith(f"{system}.")}


def _named(book: Book, option: str) -> str:
    id_, _, choice = option.partition("=")
    if not choice:
        return title_of(id_)
    words = book.printed_book.entry(id_).choices[choice].rstrip(".")
    return WORDS.say("master.rules.choice-of", rule=title_of(id_), choice=words)
