"""`referee play`: a scene in the terminal, as game master of all sides, with odds beside each choice."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar, final

import yaml

from referee import registry
from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain, read, write
from referee.core.questions import Choice, key_of
from referee.core.scene import State, Who
from referee.core.system import DONE, Action, System
from referee.core.words import Words
from referee.drivers.advisor import Forecast, compare, forecast
from referee.drivers.exact import Answered
from referee.drivers.fair import Fair
from referee.drivers.journal import DICE, Open
from referee.drivers.log import Line
from referee.table.logfile import LogFile
from referee.testing.scenarios import scene_of

T = TypeVar("T")

MASTER: Final = "game master"
WORDS: Final = Words(Path(__file__).parent / "words")


def play(system: str, scene: str, log: Path | None, seed: str) -> None:
    """Open or resume a table, and play until the player leaves."""
    loaded = registry.load(system)
    title, state = sample(loaded, scene)
    path = log or _data_folder() / f"{system}-{title.casefold().replace(' ', '-')}.jsonl"
    if path.exists():
        file = LogFile.open(path)
        print(WORDS.say("resumed", line=len(file.journal.lines), log=path))
    else:
        source = Fair(sha256(seed.encode()).digest()) if seed else None
        file = LogFile.create(path, loaded, state, source)
    print(WORDS.say("welcome", title=loaded.title, scene=title, log=path))
    print(WORDS.say("commands"))
    try:
        Table(loaded, file).play()
    except (EOFError, KeyboardInterrupt, _Left):
        print()
    print(WORDS.say("bye", system=system, log=path))


def sample(system: System, name: str) -> tuple[str, State]:
    """A sample scene of a system by its name, or a file of one's own; the first sample where none is named."""
    files = sorted((system.folder / "samples").glob("*.yaml"))
    chosen = Path(name) if name.endswith(".yaml") else next((f for f in files if name in ("", f.stem)), None)
    if chosen is None or not chosen.exists():
        raise BadInput("scene", f"{name!r} is neither a file nor one of {', '.join(f.stem for f in files)}")
    plain = yaml.safe_load(chosen.read_text(encoding="utf-8"))
    _, state = scene_of(plain)
    return str(plain.get("scenario", chosen.stem)), state


def _data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "referee"


class _Left(Exception):  # a signal, not an error
    """The player left the table."""


class _Again(Exception):  # a signal, not an error
    """The scene has moved under a question: ask anew."""


@final
class Table:
    """One evening in a terminal."""

    def __init__(self, system: System, file: LogFile, ask: Callable[[str], str] = input) -> None:
        self.system = system
        self.file = file
        self.journal = file.journal
        self._ask = ask
        self._told = len(self.journal.lines)

    def play(self) -> None:
        """Answer what is asked, or else begin something, until somebody leaves."""
        self.sheets()
        while True:
            try:
                waiting = [each for each in self.journal.asking if isinstance(each.question, Choice)]
                if waiting:
                    self._answer(waiting[0])
                else:
                    self._act()
            except _Again:
                continue
            except RefereeError as problem:
                print(f"  {problem}")
            self._tell()

    # Acting and answering.

    def _act(self) -> None:
        """Choose who does what, with the odds beside it."""
        scene = self.journal.scene
        everybody = (*scene.all(self.system.sheet), None)
        who = self._pick(WORDS.say("who-acts"), everybody, lambda each: each.name if each else MASTER)
        action = self._action(who)
        arguments: dict[str, Any] = {}
        for name, options in action.choices(scene, who).items():
            arguments[name] = self._pick(WORDS.say("which", argument=name), options, self._described(action, who, name))
        if "mods" in action.parameters:
            arguments["mods"] = self._mods(action)
        if action.bands is not DONE:
            self._show(forecast(action.do(scene, who, **arguments), self.journal.state, action.bands))
        self.journal.begin(MASTER, action.rule.id, action.plain(who, **arguments))
        self.file.save()

    def _action(self, who: Who[Any] | None) -> Action[Any]:
        """One of the lawful actions; the others are named with the reason why not."""
        mine = [action for action in self.system.actions if action.master is (who is None)]
        barred = {action.key: why for action in mine if (why := action.may(self.journal.scene, who)) is not None}
        for why in barred.values():
            print(f"  ({why})")
        lawful = [action for action in mine if action.key not in barred]
        return self._pick(WORDS.say("what-action", who=who or MASTER), lawful, lambda a: self._word(f"actions.{a.key}"))

    def _described(self, action: Action[Any], who: Who[Any] | None, argument: str) -> Callable[[Any], str]:
        """An option of an argument, with the odds it would give where it is the last one to choose."""
        scene, state = self.journal.scene, self.journal.state

        def describe(option: Any) -> str:
            if action.bands is DONE or list(action.choices(scene, who)) != [argument]:
                return key_of(option)
            odds = forecast(action.do(scene, who, **{argument: option}), state, action.bands)
            return f"{key_of(option):18} {bar(odds.bands[action.bands.keys[0]])}"

        return describe

    def _mods(self, action: Action[Any]) -> Any:
        while True:
            said = self._read(f"{WORDS.say('modifiers')}: ")
            try:
                return read(action.parameters["mods"].annotation, [said] if said else [], "modifiers")
            except BadInput as problem:
                print(f"  {problem}")

    def _answer(self, waiting: Open) -> None:
        """Put an open question to the player, with what each option would bring."""
        question = waiting.question
        if not isinstance(question, Choice):
            return
        odds = self._odds(waiting)

        def describe(option: Any) -> str:
            words = self._word(f"options.{question.name}.{key_of(option)}")
            return f"{words:14} {_forecast(odds[option], self.system)}" if option in odds else words

        prompt = WORDS.say("ask", who=question.who or MASTER, prompt=self._word(f"prompts.{question.name}"))
        option = self._pick(prompt, question.lawful, describe)
        self.journal.answer(MASTER, waiting.step, key_of(option), waiting.part)
        self.file.save()

    def _odds(self, waiting: Open) -> dict[Any, Forecast]:
        began = next(line for _, line in self.journal.story if line.step == waiting.step)
        action = next((a for a in self.system.actions if a.rule.id == began.what["rule"]), None)
        if action is None:
            return {}
        call, state, trail = self.journal.trail(waiting.step)
        return compare(call, state, action.bands, Answered(waiting.question, waiting.part, None), trail=trail)

    # Telling.

    def _tell(self) -> None:
        """What happened since the last time: dice, changes with their rules, results."""
        for line in self.journal.lines[self._told :]:
            self._tell_line(line)
        self._told = len(self.journal.lines)

    def _tell_line(self, line: Line) -> None:
        if line.by == DICE:
            faces = " | ".join(" ".join(map(str, group)) for group in line.what["answer"])
            print(
                WORDS.say(
                    "dice",
                    who=line.what["of"] or MASTER,
                    name=self._word(f"throws.{line.what['asked']}"),
                    faces=faces,
                )
            )
        for item in line.then:
            if "set" in item:
                for field, after in item["set"].items():
                    before = item["was"][field]
                    print(
                        WORDS.say(
                            "changed", who=item["who"], field=field, before=before, after=after, rule=item["rules"][0]
                        )
                    )
            elif "told" in item:
                told = self._word(f"story.{item['told']}", who=item["who"], **item["figures"])
                print(f"  {told}")
            elif "ended" in item and item["ended"] is not None:
                print(WORDS.say("result", result=_spoken(item["ended"])))

    def _show(self, odds: Forecast) -> None:
        print(f"  {_forecast(odds, self.system)}")

    def sheets(self) -> None:
        """Everybody in the scene."""
        for who in self.journal.scene.all(self.system.sheet):
            print(f"  {who.name:12} {_spoken(write(self.journal.scene[who]))}")

    # Reading.

    def _pick(self, prompt: str, options: Iterable[T], words: Callable[[T], str]) -> T:
        """One of the options, by number, by name or by the beginning of it."""
        listed = list(options)
        print(prompt)
        for at, option in enumerate(listed, 1):
            print(f"  {at:2}  {words(option)}")
        while True:
            said = self._read("> ")
            if said.isdigit() and 1 <= int(said) <= len(listed):
                return listed[int(said) - 1]
            named = [option for option in listed if said and key_of(option).casefold().startswith(said.casefold())]
            named = named or [
                option for option in listed if said and words(option).casefold().startswith(said.casefold())
            ]
            if len(named) == 1:
                return named[0]
            print(f"  {WORDS.say('bad-choice', given=said)}")

    def _read(self, prompt: str) -> str:
        """A line from the player; commands of the table are carried out at once."""
        while True:
            said = self._ask(prompt).strip()
            command, *rest = shlex.split(said) if said else [""]
            if command not in COMMANDS:
                return said
            try:
                COMMANDS[command](self, rest)
            except RefereeError as problem:
                print(f"  {problem}")

    def _word(self, key: str, **figures: Any) -> str:
        return self.system.words.say(key, **figures)

    # Commands.

    def quit(self, _: Sequence[str]) -> None:
        raise _Left

    def undo(self, _: Sequence[str]) -> None:
        """Take back the last thing somebody decided, with all its consequences."""
        decided = [number for number, line in self.journal.story if line.by not in (DICE, "clock")]
        if not decided:
            raise Refused("undo", because=WORDS.say("nothing-to-undo"), rule="referee.table.undo")
        gone = self.journal.would_undo(decided[-1])
        self.journal.undo(MASTER, decided[-1])
        self._moved(WORDS.say("undone", count=len(gone)))

    def redo(self, _: Sequence[str]) -> None:
        self.journal.redo(MASTER)
        self._moved(WORDS.say("redone"))

    def edit(self, words: Sequence[str]) -> None:
        """The game master sets a field."""
        if len(words) < 3:
            raise BadInput("edit", WORDS.say("edit-hint"))
        name, field, *value = words
        self.journal.edit(MASTER, name, **{field: yaml.safe_load(" ".join(value))})
        self._tell()
        self._moved("")

    def log(self, _: Sequence[str]) -> None:
        for number, line in self.journal.story:
            what = line.what.get("rule") or line.what.get("asked") or line.kind
            given = line.what.get("arguments") or line.what.get("answer") or ""
            print(f"  {number:4} {line.by:12} {what} {_spoken(given)}")

    def show_sheets(self, _: Sequence[str]) -> None:
        self.sheets()

    def help(self, _: Sequence[str]) -> None:
        print(WORDS.say("commands"))
        print(WORDS.say("edit-hint"))

    def _moved(self, said: str) -> None:
        self.file.save()
        self._told = len(self.journal.lines)
        if said:
            print(said)
        raise _Again


COMMANDS: Final[dict[str, Callable[[Table, Sequence[str]], None]]] = {
    "quit": Table.quit,
    "undo": Table.undo,
    "redo": Table.redo,
    "edit": Table.edit,
    "log": Table.log,
    "sheets": Table.show_sheets,
    "help": Table.help,
}


def bar(chance: Fraction, width: int = 20) -> str:
    """A chance, drawn and in figures."""
    full = round(chance * width)
    return f"{'█' * full}{'·' * (width - full)} {float(chance):6.1%}"


def _forecast(odds: Forecast, system: System) -> str:
    parts = [*odds.bands.items(), *odds.extra.items(), *odds.bad.items()]
    return "  ".join(f"{system.words.say(f'bands.{key}')} {float(chance):.1%}" for key, chance in parts)


def _spoken(plain: Plain) -> str:
    if isinstance(plain, dict):
        return ", ".join(
            f"{key} {_spoken(value)}" for key, value in plain.items() if value not in (None, [], {}, 0, False)
        )
    if isinstance(plain, list):
        return " ".join(map(_spoken, plain))
    return {True: "yes", False: "no"}.get(plain, str(plain)) if isinstance(plain, bool) else str(plain)
