"""A session in a terminal: answer open questions or start an action, with commands in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, Final, TypeVar, final

from referee.cli.scene_words import argument_words, choice_words, state_words, way_words
from referee.cli.show import MASTER, WORDS, chances, hoped
from referee.core.actions import Action, ActionChoice, LegalChoices
from referee.core.agenda import NextStep, next_of, playing, undecided
from referee.core.cards import Card
from referee.core.describe import field_type
from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.files import load_yaml
from referee.core.knowledge import known_to
from referee.core.look import look_in
from referee.core.options import present_fields
from referee.core.plain import Plain, frozen, read, write
from referee.core.questions import Choice, Choose, Ruling, key_of
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, State, Who
from referee.core.system import System
from referee.core.value_changes import in_words
from referee.core.visibility import Seat
from referee.core.wording import faces, heading, phrase
from referee.core.words import story_line
from referee.drivers.policies import Policy, decided
from referee.forecast.bands import Forecast
from referee.forecast.figures import Budget
from referee.forecast.question_odds import odds_at
from referee.forecast.risk import odds_of
from referee.forecast.risk_card import BESIDE, RiskCard
from referee.journal.changes import told
from referee.journal.journal import CLOCK, DICE
from referee.journal.lines import AnswerGiven, AnswerLine, CheckFailed, Line, SettingsChanged, StepBegan
from referee.journal.log_items import FieldsChanged, LogItem, StepEnded, StoryLine
from referee.journal.steps import Handling, Open
from referee.store.log_file import LogFile
from referee.table.settings import EVERYTHING, TableSettings
from referee.table.setup import TableSetup
from referee.views.clock import arguments_in_words, clock_in_words

T = TypeVar("T")

TABLE: Final = "table"
"""The actor that starts the steps of an encounter."""
BUDGET: Final = Budget(seconds=None, runs=1500, plays=400)
"""The budget for odds next to an option. It has no time limit, so that a session can be replayed identically."""
ALL: Final = Seat(MASTER, master=True)
MOST_FIGURED: Final = 8
"""So many actions of a turn have their chances beside them before one of them is chosen."""
SHORT: Final = 9
"""A longer list of actions is asked for in two steps: what to do, then how."""


class Left(Exception):
    """The player left the table."""


class _Again(Exception):
    """The scene changed while a question was open: ask again."""


@frozen
class _Ways:
    """An action that can be taken in several ways."""

    key: str
    options: tuple[ActionChoice, ...]


@final
class TerminalTable:
    """A table with one player, who is game master of all sides except those played by policies."""

    def __init__(
        self, system: System, file: LogFile, policies: Mapping[str, Policy], ask: Callable[[str], str] = input
    ) -> None:
        self.system = system
        self.file = file
        self.journal = file.journal
        self.policies = policies
        self._ask = ask
        self._printed = len(self.journal.lines)
        self._declined: set[str] = set()
        self._barred: tuple[str, ...] = ()

    def play(self) -> None:
        """Play until the player leaves."""
        self.sheets()
        while True:
            try:
                self._step()
            except _Again:
                continue
            except RefereeError as problem:
                print(f"  {problem}")
            self._tell()

    def _step(self) -> None:
        """Answer an open question, continue an encounter, or let someone act."""
        waiting = next((each for each in self.journal.asking if isinstance(each.question, Choice)), None)
        if waiting is not None:
            self._answer(waiting)
        elif (following := next_of(self.journal.scene)) and not self._acts_itself(following):
            if following.waits:
                _ = self._pick(WORDS.say("time-stands"), (following.call,), lambda _: WORDS.say("go-on"))
            self.journal.begin(TABLE, following.call.rule.id, following.call.plain())
            self.file.save()
        elif several := undecided(self.journal.scene):
            chosen = self._pick(WORDS.say("which-encounter"), several, str)
            self.journal.play(MASTER, chosen.name)
            self.file.save()
        else:
            self._act()

    def _acts_itself(self, following: NextStep) -> bool:
        """Whether somebody at the terminal takes a turn by an action of theirs; a policy is asked."""
        return any(each not in self.policies for each in following.awaited)

    # Acting and answering.

    def _act(self) -> None:
        """Choose who does what, with the odds next to each option."""
        scene = self.journal.scene
        everybody = (*scene.all(self.system.sheet), None)
        turn = self._on_turn()
        first = tuple(each for each in everybody if each is not None and each.name in turn)
        who = self._pick(WORDS.say("who-acts"), everybody, lambda each: each.name if each else MASTER, enter=first[:1])
        is_turn = who is not None and who.name in turn
        action = self._action(who, self._playing_kind() if is_turn else "")
        arguments: dict[str, Any] = {}
        for name, argument in action.picks.items():
            prompt = WORDS.say("which", argument=argument_words(self.system, name))
            options = action.choices(scene, who, arguments).get(name)
            if options is None:  # it does not apply
                continue
            if argument.family is not None:
                words, group = self._part_words(action), partial(argument.family.group_of, scene)
                arguments[name] = self._pick(prompt, sorted(options, key=group), words, title=group)
            elif argument.many:
                arguments[name] = self._pick_several(prompt, options)
            else:
                options = self._foes_first(options, who) if is_turn else options
                default = action.parameters[name].default
                usual = tuple(each for each in options if each == default) or options[:1] if is_turn else ()
                arguments[name] = self._pick(prompt, options, self._beside(action, who, name), enter=usual)
        for name, parameter in action.parameters.items():
            if field_type(parameter.annotation).kind == "mods":
                arguments[name] = self._mods(action, name)
        odds = self._forecast(action.by(who, **arguments))
        if odds is not None:
            print(f"  {chances(odds, self.system)}")
        self.journal.begin(MASTER, action.rule.id, action.plain(who, **arguments))
        self.file.save()

    def _on_turn(self) -> tuple[str, ...]:
        """Whose turn it is where turns are taken by actions."""
        following = next_of(self.journal.scene)
        return following.awaited if following else ()

    def _playing_kind(self) -> str:
        """The kind of the encounter that is played."""
        found = playing(self.journal.scene)
        return type(self.journal.scene[found]).__name__ if found else ""

    def _action(self, who: Who[Any] | None, encounter: str = "") -> Action[Any]:
        """Pick one of the legal actions; print why the others are not legal.

        In an encounter with kinds of actions of its own these come first, with the chance of what is usual; Enter takes
        the first.
        """
        mine = self.system.actions_in(self.journal.scene, master=who is None)
        barred = {action.key: why for action in mine if (why := action.may(self.journal.scene, who)) is not None}
        self._barred = tuple(dict.fromkeys(map(str, barred.values())))
        for said in self._barred if len(self._barred) <= SHORT else (WORDS.say("barred", count=len(barred)),):
            print(f"  ({said})")
        legal = {action.key: action for action in mine if action.key not in barred}
        look = look_in(self.system.look, self.journal.scene[BOOK])
        turns = look.groups_in(encounter) if encounter else ()
        groups = (*turns, *look.groups_in()) if len(legal) > SHORT or turns else ()
        titles = {key: group.words for group in reversed(groups) for key in group.of}
        titles = {key: titles[key] for group in groups for key in group.of}
        ordered = sorted(legal, key=[*titles, *(key for key in legal if key not in titles)].index)
        prompt = WORDS.say("what-action", who=who or MASTER)
        other = WORDS.say("other-actions") if titles else ""
        shown = [key for group in turns for key in group.of if key in legal][:MOST_FIGURED]

        def words(key: str) -> str:
            said = self._word(f"actions.{key}")
            odds = self._usual(legal[key], who) if key in shown else None
            return f"{said:34} {hoped(odds, legal[key].bands)}" if odds else said

        listed = [key for key in ordered if any(key in group.of for group in turns)] or ordered
        more = tuple(key for key in ordered if key not in listed)
        if more:
            print(f"  ({WORDS.say('more-by-name', count=len(more))})")
        usual = tuple(shown[:1])
        picked = self._pick(prompt, listed, words, title=lambda key: titles.get(key, other), enter=usual, typed=more)
        return legal[picked]

    def _foes_first(self, options: Sequence[Any], who: Who[Any] | None) -> tuple[Any, ...]:
        """People of one's own side come last in the fight that is played."""
        found = playing(self.journal.scene)
        sides = getattr(self.journal.scene[found], "sides", ()) if found and who else ()
        own = next((side for side in sides if who is not None and who.name in side), ())
        return tuple(sorted(options, key=lambda each: isinstance(each, Who) and each.name in own))

    def _usual(self, action: Action[Any], who: Who[Any] | None) -> Forecast | None:
        """The chance of an action as it is usually taken: in its first legal way."""
        way = next(action.legal(self.journal.scene, who), None) if action.bands.has_stake else None
        return None if way is None else self._forecast(action.by(who, **way))

    def _part_words(self, action: Action[Any]) -> Callable[[Any], str]:
        """What the options of a family are called."""
        return lambda option: self.system.action_words(f"{action.key}/{key_of(option)}")

    def _beside(self, action: Action[Any], who: Who[Any] | None, argument: str) -> Callable[[Any], str]:
        """Describe an option of an argument, with its odds if no other argument has to be chosen."""
        scene = self.journal.scene
        alone = list(action.choices(scene, who)) == [argument]

        def describe(option: Any) -> str:
            odds = self._forecast(action.by(who, **{argument: option})) if alone else None
            return f"{key_of(option):18} {hoped(odds, action.bands)}" if odds else key_of(option)

        return describe

    def _mods(self, action: Action[Any], name: str) -> Any:
        while True:
            said = self._read(f"{WORDS.say('modifiers')}: ")
            try:
                return read(action.parameters[name].annotation, [said] if said else [], name)
            except BadInput as problem:
                print(f"  {problem}")

    def _answer(self, waiting: Open) -> None:
        """Let a policy answer, or ask the player, with the odds of each option."""
        question = waiting.question
        name = question.who.name if question.who else MASTER
        asked = False
        if isinstance(question, Ruling) and name not in self.policies:
            self._rule(waiting, question)
            return
        if name in self.policies:
            answer = decided(self.policies[name], question, self.journal.scene)
            if answer is not None:
                print(WORDS.say("decides", who=name, what=self._option(waiting, answer)))
        elif isinstance(question, Choose) and question.may_decline and question.name in self._declined:
            answer = None
        elif isinstance(question, Choice):
            asked = True
            prompt = WORDS.say("ask", who=name, prompt=self._word(f"prompts.{question.name}"))
            answer = self._pick_answer(prompt, waiting, question)
        else:
            return
        by = MASTER if asked else TABLE
        self.journal.answer(by, waiting.step, question.write(answer), waiting.part)
        self.file.save()

    def _pick_answer(self, prompt: str, waiting: Open, question: Choice[Any]) -> Any:
        """Pick an answer. From a long list of actions, first what to do and then how; both can be typed at once."""
        card = odds_at(self.journal, waiting, ALL, budget=BUDGET)
        odds, prompt = card.asked, self._with_subject(prompt, card)
        options = tuple(question.legal)
        if isinstance(question, Choose) and isinstance(question.options, LegalChoices):
            self._barred = tuple(dict.fromkeys(map(str, question.options.barred())))
        by_action: dict[str, list[Any]] = {}
        for each in options:
            by_action.setdefault(each.part if isinstance(each, ActionChoice) else key_of(each), []).append(each)
        whole = partial(self._with_odds, card, words=partial(self._option, waiting))
        enter = tuple(each for each in options if each == question.default)
        ways = partial(self._with_odds, card, words=partial(way_words, self.system))
        if len(by_action) == 1 and len(options) > 1:
            return self._pick(prompt, options, ways, enter=enter)
        if len(options) <= SHORT or len(by_action) == len(options):
            return self._pick(prompt, options, whole, enter=enter)
        kinds = [each[0] if len(each) == 1 else _Ways(key, tuple(each)) for key, each in by_action.items()]
        picked = self._pick(prompt, kinds, lambda kind: self._kind(kind, odds, whole), enter=enter, typed=options)
        if not isinstance(picked, _Ways):
            return picked
        prompt = WORDS.say("how", who=question.who or MASTER, action=self.system.action_words(picked.key))
        return self._pick(prompt, picked.options, ways)

    def _kind(self, kind: Any, odds: Mapping[str, Forecast], whole: Callable[[Any], str]) -> str:
        """An action of a list: the only way to take it, or how many there are and the chance of the best."""
        if not isinstance(kind, _Ways):
            return whole(kind)
        action = kind.options[0].action
        words = WORDS.say("ways", action=self.system.action_words(kind.key), count=len(kind.options))
        known = [odds[each.key] for each in kind.options if each.key in odds]
        best = max(known, key=lambda each: each.chance_of(action.bands.good), default=None)
        return f"{words:34} {hoped(best, action.bands)}" if best else words

    def _rule(self, waiting: Open, question: Ruling[Any]) -> None:
        """Rule as the game master, or by default if this table is set so. Enter takes a default that is proposed."""
        how = self._settings.ruling(str(question.name))
        if how is Handling.DO:
            self.journal.take_default(TABLE, waiting.step, waiting.part)
            self.file.save()
            return
        prompt = WORDS.say("ask", who=MASTER, prompt=self._word(f"prompts.{question.name}"))
        enter = question.default if how is Handling.ASK else None
        if enter is not None:
            prompt += "\n" + WORDS.say("proposed", default=self._option(waiting, enter))
        if question.options:
            card = odds_at(self.journal, waiting, ALL, budget=BUDGET)
            prompt = self._with_subject(prompt, card)
            described = partial(self._with_odds, card, words=partial(self._option, waiting))
            taken = () if enter is None else (enter,)
            answer = question.write(self._pick(prompt, question.options, described, enter=taken))
        else:
            print(prompt)
            answer = self._read("> ") or enter
        self.journal.answer(MASTER, waiting.step, answer, waiting.part)
        self.file.save()

    @property
    def _settings(self) -> TableSettings:
        return TableSetup().after_all(self.journal.lines).settings

    def _with_subject(self, prompt: str, card: RiskCard) -> str:
        """A question, and what the odds of its answers are about."""
        if not card.about or not (card.asked or card.pairs):
            return prompt
        return f"{prompt}\n  {WORDS.say('odds-about', what=self.system.called(card.about))}"

    def _with_odds(self, card: RiskCard, option: Any, *, words: Callable[[Any], str]) -> str:
        """An option of an open question, with the odds of the action it starts, or of what the question is about."""
        said, found = words(option), card.asked.get(key_of(option))
        for pair, each in card.pairs.items():
            own, _, other = pair.partition(BESIDE)
            if own == key_of(option):
                said += f"\n{'':17} {WORDS.say('odds-beside', answer=other)} {chances(each, self.system)}"
        if found is None:
            return said
        if isinstance(option, ActionChoice):
            return f"{said:34} {hoped(found, option.action.bands)}"
        told = f"{said:14} {chances(found, self.system)}"
        further = card.around.asked.get(key_of(option)) if card.around else None
        if card.around is None or further is None:
            return told
        return f"{told}\n{'':17} {self.system.called(card.around.about)}: {chances(further, self.system)}"

    def _option(self, waiting: Open, option: Any) -> str:
        if isinstance(option, ActionChoice):
            return choice_words(self.system, option)
        if isinstance(option, Card):
            return str(option)
        return self._word(f"options.{waiting.question.name}.{key_of(option)}")

    def _forecast(self, offer: ActionChoice) -> Forecast | None:
        if not offer.action.bands.has_stake:
            return None
        try:
            return odds_of(offer, known_to(self.journal.state, ALL), ALL, budget=BUDGET, decisions=False).now
        except Refused:
            return None

    # Printing.

    def _tell(self) -> None:
        """Print what happened since the last time."""
        for line in self.journal.lines[self._printed :]:
            for text in story_of(line, self.system, self.journal.state):
                print(text)
        self._printed = len(self.journal.lines)

    def sheet(self, words: Sequence[str]) -> None:
        """Print all of somebody's sheet."""
        if not words:
            raise BadInput("sheet", WORDS.say("sheet-hint"))
        scene = self.journal.scene
        who = scene.who(" ".join(words))
        for name, value in present_fields(scene[who], scene[BOOK]).items():
            if value not in (None, "", [], {}, 0, False):
                print(f"  {heading(name):20} {phrase(value)}")

    def sheets(self, _: Sequence[str] = ()) -> None:
        """Print how everyone in the scene is."""
        scene = self.journal.scene
        for who in scene.all(self.system.sheet):
            print(f"  {who.name:14} {state_words(self.system, scene, who)}")
        time = clock_in_words(self.system, self.journal.scene)
        for each in time["deadlines"]:
            about = f" ({each['about']})" if each["about"] else ""
            print(WORDS.say("due", who=each["who"], rule=each["rule"], about=about, after=each["in"]))

    # Reading.

    def _pick(
        self,
        prompt: str,
        options: Iterable[T],
        words: Callable[[T], str],
        *,
        enter: Sequence[T] = (),
        typed: Sequence[T] = (),
        title: Callable[[T], str] = lambda _: "",
    ) -> T:
        """Pick one of the options, by number, by name or by the beginning of its name; Enter takes `enter`.

        `typed` are options that are not listed, and can only be named; options of the same title stand below it.
        """
        listed = [(option, words(option)) for option in options]
        if not listed:
            print(f"  {WORDS.say('legal-none')}")
            raise _Again
        print(prompt)
        above = ""
        for at, (option, text) in enumerate(listed, 1):
            if above != (above := title(option)):
                print(f"  {above}")
            print(f"  {at:2}  {text}{WORDS.say('or-enter') if option in enter else ''}")
        while True:
            said = self._read("> ").casefold()
            if not said and enter:
                return enter[0]
            if said.isdecimal() and 1 <= int(said) <= len(listed):
                return listed[int(said) - 1][0]
            named = _fitting(said, listed) or _fitting(said, [(each, _key(each)) for each in typed])
            if len(named) == 1:
                return named[0][0]
            if named:
                print(f"  {WORDS.say('several', given=said, options=', '.join(_key(option) for option, _ in named))}")
            else:
                known = [
                    *(text.casefold() for _, text in listed),
                    *(_key(each) for each, _ in listed),
                    *map(_key, typed),
                ]
                near = get_close_matches(said, known, 1, 0.7)
                print(f"  {WORDS.say('bad-choice-near' if near else 'bad-choice', given=said, near=''.join(near))}")

    def _pick_several(self, prompt: str, options: Iterable[T]) -> tuple[T, ...]:
        """Pick some of the options, one by one and each once."""
        left, picked = list(options), list[T]()
        while left:
            enough: list[T | None] = [None] if picked else []
            more = self._pick(prompt, [*left, *enough], lambda each: _key(each) if each else WORDS.say("enough"))
            if more is None:
                break
            left.remove(more)
            picked.append(more)
        return tuple(picked)

    def _read(self, prompt: str) -> str:
        """Read a line from the player; table commands are carried out at once."""
        while True:
            said = self._ask(prompt).strip()
            command, *rest = said.split() or [""]
            if command not in COMMANDS:
                return said
            try:
                COMMANDS[command](self, rest)
            except RefereeError as problem:
                print(f"  {problem}")

    def _word(self, key: str) -> str:
        return self.system.words.say(key)

    # Commands.

    def quit(self, _: Sequence[str]) -> None:
        raise Left

    def undo(self, _: Sequence[str]) -> None:
        """Undo the last thing the player decided, with all its consequences."""
        decisions = [number for number, line in self.journal.story if line.by not in (DICE, CLOCK, TABLE)]
        if not decisions:
            raise Refused("undo", because=WORDS.say("nothing-to-undo"), rule="referee.table.undo")
        gone = self.journal.would_undo(decisions[-1])
        self.journal.undo(MASTER, decisions[-1])
        self._moved(WORDS.say("undone", count=len(gone)))

    def redo(self, _: Sequence[str]) -> None:
        self.journal.redo(MASTER)
        self._moved(WORDS.say("redone"))

    def edit(self, words: Sequence[str]) -> None:
        """Set a field, as the game master."""
        if len(words) < 3:
            raise BadInput("edit", WORDS.say("edit-hint"))
        name, field, *value = words
        self.journal.edit(MASTER, self.journal.scene.who(name).name, **{field: load_yaml(" ".join(value))})
        self._tell()
        self._moved("")

    def log(self, _: Sequence[str]) -> None:
        for number, line in self.journal.story:
            what, given = line.kind, ""
            if isinstance(line, StepBegan):
                what = line.rule
                given = arguments_in_words(self.system, self.journal.scene, line.rule, line.arguments)
            elif isinstance(line, AnswerLine):
                what, given = line.prompt, phrase(line.answer)
            print(f"  {number:4} {line.by:12} {what} {given}")

    def why(self, words: Sequence[str]) -> None:
        """Print the text of a rule, or of the last rule that changed anything."""
        cited = [item.rules[0] for _, line in self.journal.story for item in line.then if item.rules]
        if not words and not cited:
            raise BadInput("why", WORDS.say("nothing-to-undo"))
        entry = self.system.printed_book.entry(words[0] if words else cited[-1])
        print(f"  {entry.id}: {entry.rule}")

    def decline(self, words: Sequence[str]) -> None:
        """Decline these offers without asking from now on; `decline` alone clears the list."""
        self._declined = {*self._declined, *words} if words else set()
        print(WORDS.say("declined", names=", ".join(sorted(self._declined)) or WORDS.say("nothing")))
        raise _Again

    def barred(self, _: Sequence[str]) -> None:
        """Print why the other actions were not possible when somebody was last asked to act."""
        for why in self._barred or (WORDS.say("nothing"),):
            print(f"  {why}")

    def rulings(self, words: Sequence[str]) -> None:
        """Set how rulings are made, all of them or one; `rulings` alone says how they are made now."""
        settings = self._settings
        if words:
            how = {each.value.split()[0]: each.value for each in Handling}
            if words[0] not in how or len(words) > 2:
                raise BadInput("rulings", WORDS.say("rulings-hint"))
            rulings = {**settings.rulings, words[1] if len(words) > 1 else EVERYTHING: how[words[0]]}
            settings = settings.but({"rulings": write(rulings)})
            self.journal.say(SettingsChanged(MASTER, settings.to_plain()))
            self.file.save()
        made = {EVERYTHING: settings.ruling(EVERYTHING), **settings.rulings}
        print(WORDS.say("rulings", how=", ".join(f"{name} {each.value}" for name, each in made.items())))
        raise _Again

    def help(self, _: Sequence[str]) -> None:
        print(WORDS.say("commands"))
        print(WORDS.say("decline-hint"))
        print(WORDS.say("edit-hint"))
        print(WORDS.say("rulings-hint"))

    def _moved(self, said: str) -> None:
        self.file.save()
        self._printed = len(self.journal.lines)
        if said:
            print(said)
        raise _Again


def _fitting(said: str, listed: Sequence[tuple[T, str]]) -> list[tuple[T, str]]:
    """The options with exactly this name, or else those that begin with it."""
    for fits in (str.__eq__, str.startswith):
        named = [each for each in listed if said and (fits(_key(each[0]), said) or fits(each[1].casefold(), said))]
        if named:
            return named
    return []


def _key(option: object) -> str:
    return key_of(option).casefold()


COMMANDS: Final[dict[str, Callable[[TerminalTable, Sequence[str]], None]]] = {
    "quit": TerminalTable.quit,
    "undo": TerminalTable.undo,
    "redo": TerminalTable.redo,
    "edit": TerminalTable.edit,
    "log": TerminalTable.log,
    "why": TerminalTable.why,
    "decline": TerminalTable.decline,
    "barred": TerminalTable.barred,
    "rulings": TerminalTable.rulings,
    "sheet": TerminalTable.sheet,
    "sheets": TerminalTable.sheets,
    "help": TerminalTable.help,
}


def story_of(line: Line, system: System, state: State) -> Iterator[str]:
    """A line of the log as text: dice, what changed for someone and by which rule, results."""
    if isinstance(line, AnswerGiven) and isinstance(line.answer, list):
        name = system.words.say(f"throws.{line.prompt}")
        yield WORDS.say("dice", who=line.of or MASTER, name=name, faces=faces(line.answer))
    if isinstance(line, AnswerGiven) and isinstance(line.answer, str) and line.by == DICE:
        yield WORDS.say("card", who=line.of or MASTER, card=Card.from_plain(line.answer))
    if isinstance(line, AnswerGiven) and line.by_default:
        yield WORDS.say("by-default", prompt=system.words.say(f"prompts.{line.prompt}"), answer=phrase(line.answer))
    if isinstance(line, CheckFailed):
        yield WORDS.say("check-failed", why=line.text)
    for item in line.then:
        yield from _followed(item, system, state)


def _is_action(system: System, result: Plain) -> bool:
    """Whether the result of a step is the action that was taken in it, which has been told already."""
    return isinstance(result, str) and any(result.partition(" ")[0] == each.key for each in system.actions)


def _followed(item: LogItem, system: System, state: State) -> Iterator[str]:
    match item:
        case FieldsChanged() if isinstance(state.get(item.who), system.sheet):
            for each in told(system, item):
                yield WORDS.say("changed", text=in_words(each, item.who, system.words).text, rule=item.rules[0])
        case StoryLine():
            yield "  " + story_line(system.words, item.story, item.who, **item.figures)
        case FieldsChanged() if item.who == CLOCK and "now" in item.set:
            yield WORDS.say("time", now=system.in_units(Scene(state), item.set["now"]))
        case StepEnded() if item.ended is not None and not _is_action(system, item.ended):
            yield WORDS.say("result", result=phrase(item.ended))
        case _:
            pass
