"""The log as a readable story: what a seat was told, piece by piece, in words, dice and figures with their rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, final

from markupsafe import Markup

from referee.core.actions import Action
from referee.core.agenda import end_encounter
from referee.core.belongings import PLAIN_WAY
from referee.core.encounter import PLAYING, Encounter
from referee.core.look import Look
from referee.core.plain import Plain
from referee.core.rulebook import BOOK
from referee.core.scene import Scene
from referee.core.system import HOUSE_NAMES, System
from referee.core.taking_part import give_up, join_encounter, leave_encounter
from referee.core.value_changes import ToldChange, ValueChange, in_words
from referee.core.wording import Worded, capital, class_words, phrase, spaced
from referee.core.words import story_line
from referee.journal.journal import CLOCK, DICE
from referee.table.free_roll import EXPRESSION, THROW, FreeThrow, free_roll
from referee.web.pages.page import WORDS
from referee.web.pages.parts.action_sentences import action_of, action_sentence, chosen_sentence, decision, told_answer
from referee.web.pages.parts.cards import Face, face
from referee.web.pages.parts.dice import ThrowShown, summands, thrown
from referee.web.pages.parts.markdown import marked_up
from referee.web.pages.table_view import TableView

TABLE: Final = "table"
FREE_THROWS: Final = (str(THROW), str(EXPRESSION))
"""The names of throws made without a rule: plain dice, which are added up, and dice whose result says their total."""
EMOTE: Final = "/me "
"""How a note begins that says what somebody does."""
TOLD_BY_A_SENTENCE: Final = PLAIN_WAY | {end_encounter.id, join_encounter.id, leave_encounter.id, give_up.id}
"""Steps that are told by the sentence of what came of them."""
UNSAID: Final = frozenset(
    {
        "prepared",
        "seed",
        "standing",
        "notes",
        "settings",
        "undo-asked",
        "draft",
        "draft-answer",
        "draft-throw",
        "draft-end",
        "portrait",
    }
)
"""Kinds of items that are not part of the story and are shown elsewhere."""
DRAFTED: Final = {"referee.table.enter": "entered", "referee.table.grow": "grew"}
"""The steps that finished drafts come to, by their rules, and the keys of their words."""


@final
@dataclass(frozen=True)
class ResultShown:
    """The result of something."""

    text: str
    tone: str
    rule: str


@final
@dataclass(frozen=True)
class Piece:
    """One thing told, in the order of the log."""

    id: int
    kind: str
    """`act`, `choice`, `dice`, `after`, `next`, `note`, `table` or `undo`: how it is displayed."""
    at: int | None = None
    who: str = ""
    text: str = ""
    body: Markup | None = None
    """A note with its Markdown rendered."""
    whisper: bool = False
    emote: bool = False
    """Whether a note says what somebody does, instead of what they say."""
    file: str = ""
    thrown: ThrowShown | None = None
    card: Face | None = None
    overruled: bool = False
    moved: tuple[ToldChange, ...] = ()
    outcomes: tuple[ResultShown, ...] = ()
    tales: tuple[str, ...] = ()
    rule: str = ""
    round: int | None = None
    """The round that begins after it."""
    undone: bool = False

    @property
    def clock(self) -> str:
        return "" if self.at is None else datetime.fromtimestamp(self.at, UTC).strftime("%H:%M")

    @property
    def iso(self) -> str:
        return "" if self.at is None else datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")


@final
@dataclass
class StoryWriter:
    """Tells the items of a story to a seat."""

    system: System
    look: Look
    names: Mapping[str, str]
    """The names of the people, by the id of their seat."""
    cast: frozenset[str] = frozenset()
    """Everyone in the scene, so that an answer that names someone can be read."""
    things: frozenset[str] = frozenset()
    """The names of everything else in the scene, as far as this seat knows."""
    scene: Scene | None = None
    """The scene with the book as this table plays it."""
    _doer: str = field(default="", init=False)
    """Who did what was told last."""
    _has_thrown: bool = field(default=False, init=False)
    """Whether dice were told since."""
    _step: Action[Any] | None = field(default=None, init=False)
    """The action whose items are being told."""
    _cites: str = field(default="", init=False)
    """The rule of that: of the option, where it is a family."""
    _after: str = field(default="", init=False)
    """What is being told: an `act`, what an `unseen` one does, or a step of the `table` that is no one's act."""

    @classmethod
    def of(cls, view: TableView) -> StoryWriter:
        names = {each.id: each.name for each in view.members.values()}
        things = frozenset(_named(view.data["scene"]))
        return cls(view.system, view.look, names, frozenset(view.data["scene"]), things, view.scene)

    def tell(self, items: list[dict[str, Plain]], gone: set[int] | None = None) -> tuple[Piece, ...]:
        """The pieces of a story; undone ones are marked (if `gone` is not given, those that these items undo)."""
        gone = undone_in(items) if gone is None else gone
        found = (piece for item in items for piece in self._pieces(item, undone=item["id"] in gone))
        return tuple(found)

    def _pieces(self, item: Mapping[str, Plain], *, undone: bool) -> Iterator[Piece]:
        kind = item["kind"]
        told = getattr(self, f"_{kind}", self._happened)(item)
        if told is not None:
            if told["kind"] not in ("after", "note"):
                self._after = "unseen" if item.get("unseen") else "act"
            if told["kind"] == "act":
                self._doer, self._has_thrown = str(told["who"]), False
            yield Piece(id=item["id"], at=item.get("at"), undone=undone, **told)

    # One for each kind of item.

    def _began(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        rule, given = str(item["rule"]), dict(item.get("arguments") or {})
        self._doer = ""
        self._step = next((each for each in self.system.actions if each.rule.id == rule), None)
        self._cites = rule
        if self._step is not None and self._step.family is not None and self.scene is not None:
            self._cites = self._step.citing(self.scene, given).cites
        followed = self._followed(item)
        if rule == free_roll.id:
            return {"kind": "act", "who": self._name(item["by"]), "text": _free_roll_words(given), **followed}
        if rule in DRAFTED:
            who = str(given.get("who", self._name(item["by"])))
            return {"kind": "act", "who": who, "text": WORDS.say(f"story.{DRAFTED[rule]}"), **followed}
        if (item["by"] in (TABLE, CLOCK) or rule in TOLD_BY_A_SENTENCE) and self._step is None:
            self._after = "table"
            return {"kind": "after", **followed} if any(followed.values()) else None
        return {"kind": "act", "rule": self._cites, **self._action(rule, given, str(item["by"])), **followed}

    def _action(self, rule: str, given: dict[str, Plain], by: str) -> dict[str, Any]:
        """Who does what."""
        action = self._step
        if action is None:
            return {"who": self._name(by), "text": phrase(rule.rpartition(".")[2])}
        who = self._name(by) if action.master else str(given.pop(next(iter(action.rule.parameters)), self._name(by)))
        return {
            "who": "" if action.master and self._names_its_subject(action) else who,
            "text": action_sentence(self.system, action, given),
        }

    def _names_its_subject(self, action: Action[Any]) -> bool:
        """Whether the words of an action are a whole sentence about those it names."""
        return self.system.words.texts.get(f"tales.{action.key}", "").startswith(("{", "A "))

    def _answered(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        followed = self._followed(item)
        answer, prompt = item.get("answer"), str(item.get("prompt", ""))
        who = str(item.get("of") or self._master(item.get("by")))
        if isinstance(answer, list):
            text = self.system.words.say(f"throws.{prompt}") if f"throws.{prompt}" in self.system.words else ""
            by_hand = item.get("by") not in (DICE, TABLE)
            fell = thrown(answer, item.get("roll"), self.look)
            if who == self._doer and not self._has_thrown:
                who, text = "", ""  # what they roll for was just told
            elif who == self._doer:
                who, text = "", capital(text)
            self._has_thrown = True
            if prompt in FREE_THROWS:
                who = self._name(item["by"]) if by_hand else ""  # who rolls them was just told
            if prompt == FREE_THROWS[0]:
                fell = replace(fell, total=sum(pips for group in answer for pips in group))
            told = {"kind": "dice", "who": who, "text": text, "thrown": fell}
            return {**told, "overruled": bool(item.get("overruled")) and by_hand, **followed}
        if card := face(answer):
            if chosen := told_answer(self.system, prompt, "", card.text):
                return {"kind": "choice", "who": who, "text": chosen, "card": card, **followed}
            text = WORDS.say("cards.draws" if item.get("roll") or item.get("by") == DICE else "cards.chooses")
            told = {"kind": "dice", "who": who, "text": text, "card": card}
            mods = summands(item.get("roll"))
            return {**told, **({"thrown": ThrowShown((), mods)} if mods else {}), **followed}
        if answer == "no" and not item.get("by_default") and self._goes_without_saying(prompt):
            return {"kind": "after", **followed} if any(followed.values()) else None
        chosen = option_words(self.system, prompt, str(answer))
        if item.get("by_default"):
            asked = self.system.words.say(f"prompts.{prompt}")
            text = WORDS.say("story.by-default", prompt=asked, what=chosen)
            return {"kind": "choice", "who": who, "text": text, **followed}
        if found := action_of(self.system, str(answer)):
            action, rest = found
            said = chosen_sentence(self.system, action, rest, self.cast, self.things)
            return {"kind": "act", "who": who, "text": said, **followed}
        said = decision(self.system, prompt, str(answer), chosen, self.cast, str(who or ""))
        return {"kind": "choice", "who": who, "text": said, **followed}

    def _goes_without_saying(self, prompt: str) -> bool:
        """Whether nobody needs to be told that an offer was declined: it is made at every turn, or has no words."""
        return prompt in self.look.standing or f"options.{prompt}.no" not in self.system.words

    def _happened(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        """What followed. If it is not from what was told before, a heading says so: no one else is blamed for it."""
        followed = self._followed(item)
        if not any(followed.values()):
            return None
        if item.get("unseen") and self._after != "unseen":
            is_act = any(rule in self._action_rules for each in item["then"] for rule in each.get("rules", ()))
            what = "someone" if is_act else "something"
            head = {"who": WORDS.say(f"story.unseen.{what}"), "text": WORDS.say(f"story.unseen.{what}-does")}
            return {"kind": "act", **head, **followed}
        if (
            self._after == "table"
            and not item.get("unseen")
            and any(followed[each] for each in ("moved", "tales", "outcomes"))
        ):
            self._after = "act"
            return {"kind": "next", "text": WORDS.say("story.next"), **followed}
        return {"kind": "after", **followed}

    @property
    def _action_rules(self) -> frozenset[str]:
        return frozenset(each.rule.id for each in self.system.actions)

    def _held(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        fell = thrown(item.get("answer"), item.get("roll"), self.look)
        text = WORDS.say("story.held")
        return {"kind": "dice", "who": str(item.get("of") or ""), "text": text, "thrown": fell}

    def _cancelled(self, item: Mapping[str, Plain]) -> dict[str, Any]:
        return {"kind": "table", "text": WORDS.say("story.cancelled", who=self._name(item.get("by")))}

    def _edited(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        followed = self._followed(item)
        who = self._name(item.get("by"))
        then = item.get("then", ())
        came = [each for each in then if "new" in each and each["who"] not in HOUSE_NAMES]
        begun = [str(each["new"]["kind"]) for each in came if self._is_encounter(each)]
        new = self._owners(str(each["who"]) for each in came if not self._is_encounter(each))
        gone = self._owners(str(each["gone"]) for each in then if "gone" in each and each["gone"] not in HOUSE_NAMES)
        prepared = {str(each["who"]) for each in came if each.get("hidden")}
        tales = [WORDS.say("story.prepared" if name in prepared else "story.came", who=name) for name in new]
        tales += [WORDS.say("story.hid", who=str(each["hid"])) for each in then if "hid" in each]
        tales += [WORDS.say("story.left", who=name) for name in gone]
        tales += [WORDS.say("story.begins", what=self._encounter_words(kind)) for kind in begun]
        chosen = (each["set"] if "set" in each else each["new"] for each in then if each.get("who") == PLAYING.name)
        tales += [WORDS.say("story.plays", what=each["encounter"]) for each in chosen if each.get("encounter")]
        tales += [WORDS.say("story.house-rules", who=who) for each in then if each.get("who") == BOOK.name]
        if not tales and not any(followed.values()):
            return None
        if tales and not followed["moved"]:
            return {"kind": "table", "text": "", **followed, "tales": tuple(tales)}
        edited = [
            str(each["who"]) for each in then if "changes" in each and each.get("kind") in self.system.person_kinds
        ]
        text = (
            WORDS.say("story.edited-of", who=who, whom=phrase(edited)) if edited else WORDS.say("story.edited", who=who)
        )
        return {"kind": "table", "text": text, **followed, "tales": tuple(tales)}

    def _owners(self, names: Iterable[str]) -> list[str]:
        """Names without those of what comes and goes with somebody, such as a hand of cards: `Ada.hand`."""
        every = list(names)
        owners = {*every, *self.cast}
        return [name for name in every if name.rpartition(".")[0] not in owners]

    def _encounter_words(self, kind: str) -> str:
        """What an encounter is called, in a sentence: the fight, whatever its class is called."""
        title = self.system.words.say_or(f"encounters.{kind}", class_words(kind))
        return title.removeprefix("The ").casefold()

    def _is_encounter(self, item: Mapping[str, Plain]) -> bool:
        kind: Any = next((each for each in self.system.kinds if each.__name__ == item["new"].get("kind")), object)
        return issubclass(kind, Encounter) or kind.__name__ in self.look.encounters

    def _undone(self, item: Mapping[str, Plain]) -> dict[str, Any]:
        return {"kind": "undo", "text": WORDS.say("story.undone", who=self._name(item.get("by")))}

    def _redone(self, item: Mapping[str, Plain]) -> dict[str, Any]:
        return {"kind": "undo", "text": WORDS.say("story.redone", who=self._name(item.get("by")))}

    def _said(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        about = str(item["about"])
        who = self._name(item.get("by"))
        if about == "note":
            whisper = "to" in item
            to = ", ".join(self._name(each) for each in item.get("to") or ())
            title = str(item.get("title", ""))
            text = WORDS.say("story.whisper", to=to) if whisper else ""
            if title:
                text = WORDS.say("story.hands-to" if whisper else "story.hands", to=to, title=title)
            words = str(item.get("text", ""))
            told = {"kind": "note", "who": who, "text": text, "whisper": whisper}
            body = marked_up(words.removeprefix(EMOTE))
            return {**told, "emote": words.startswith(EMOTE), "body": body, "file": str(item.get("file") or "")}
        if about == "page":
            return self._page(item)
        if about in UNSAID:
            return None
        if about == "seat":
            return {"kind": "table", "text": self._sits(item)}
        if about == "check":
            text = WORDS.say("story.said.check", who=item["who"], text=item["text"])
            return {"kind": "table", "text": text, "rule": str(item["rule"])}
        if about == "left":
            who = self._name(item.get("seat"))
        return {"kind": "table", "text": WORDS.say(f"story.said.{about}", who=who)}

    def _page(self, item: Mapping[str, Plain]) -> dict[str, Any] | None:
        """Someone wrote in the journal that everyone shares; later changes to a page are not news."""
        if "to" in item or item.get("changed"):
            return None
        return {"kind": "table", "text": WORDS.say("story.wrote", who=self._name(item.get("by")), title=item["title"])}

    def _sits(self, item: Mapping[str, Plain]) -> str:
        """Someone took a seat, or their seat was changed."""
        seat = item["seat"]
        if not item.get("changed"):
            return WORDS.say("story.said.seat", who=seat["name"])
        plays = ", ".join(map(str, seat["controls"])) or WORDS.say("nobody")
        dice = WORDS.say("story.said.real-dice") if seat["real_dice"] else ""
        return (
            WORDS.say(
                "story.said.plays", who=seat["name"], role=WORDS.say(f"story.said.roles.{seat['role']}"), plays=plays
            )
            + dice
        )

    # Consequences.

    def _followed(self, item: Mapping[str, Plain]) -> dict[str, Any]:
        then = item.get("then", ())
        moved = tuple(each for one in then for each in self._moved(one))
        tales = tuple(self._tale(one) for one in then if "story" in one)
        begins = max((each for one in then for each in self._rounds(one)), default=None)
        return {"moved": moved, "tales": tales, "outcomes": tuple(self._outcomes(item)), "round": begins}

    def _rounds(self, item: Mapping[str, Plain]) -> Iterator[int]:
        """The round of an encounter that begins with a change."""
        places = self.look.encounters.get(str(item.get("kind", "")))
        field = places.round if places else ""
        for change in item.get("changes", ()) if field else ():
            if change["path"] == [field] and isinstance(change.get("now"), int):
                yield change["now"]

    def _moved(self, item: Mapping[str, Plain]) -> Iterator[ToldChange]:
        labels = {each.field: each.words for each in self.look.vitals if each.field}
        if item.get("kind") in self.system.person_kinds:
            told = told_changes(self.system, item, lambda name: labels.get(name) or spaced(name))
            yield from (each for each in told if not each.is_silent and not self.look.is_quiet(each.fields))

    def _tale(self, item: Mapping[str, Plain]) -> str:
        return story_line(self.system.words, str(item["story"]), item.get("who"), **item.get("figures", {}))

    def _outcomes(self, item: Mapping[str, Plain]) -> Iterator[ResultShown]:
        for each in item.get("sub_results", ()):
            yield from self._outcome(str(each.get("kind", "")), each.get("result"), str(each.get("rule", "")))
        for one in item.get("then", ()):
            if "refused" in one:
                rule = str((one.get("rules") or [""])[0])
                yield ResultShown(_refusal(str(one["refused"]), rule), "bad", rule)
            if one.get("ended") is not None:
                kind = str(item.get("result_kind", ""))
                yield from self._outcome(kind, one["ended"], self._cites if self._step else "")

    def _outcome(self, kind: str, result: Plain, rule: str) -> Iterator[ResultShown]:
        if kind == FreeThrow.__name__ and isinstance(result, dict):
            yield ResultShown(_free_total(result), "plain", "")
            return
        told = self.look.results.get(kind)
        if told is None or not isinstance(result, dict):
            return
        good = result.get(told.good)
        words = {name: Worded(self._figure(value)) for name, value in result.items()}
        band = self.system.words.say(f"bands.{told.bands[0 if good else 1]}")
        tone = "good" if good else "bad" if told.good else "plain"
        says = told.otherwise if told.good and not good and told.otherwise else told.says
        if text := says.format(**words, band=band).strip(" ,:"):
            yield ResultShown(text, tone, rule)

    def _figure(self, value: Plain) -> str:
        """A figure of a result: one that is a band is called as the band is."""
        text = phrase(value, nothing="")
        return self.system.words.say_or(f"bands.{text.casefold().replace(' ', '-')}", text)

    def _master(self, seat: Plain) -> str:
        """The game master by name, who answered for nobody in the scene."""
        return self.names.get(str(seat), WORDS.say("the-game-master"))

    def _name(self, seat: Plain) -> str:
        return self.names.get(str(seat), WORDS.say("the-table") if seat == TABLE else WORDS.say("somebody"))


def _refusal(text: str, rule: str) -> str:
    """Why something did not happen, without the key of what was tried and the id of the rule."""
    because, _, legal = text.partition(f" ({rule})")
    return f"{because.partition(': ')[2] or because}{legal}"


def _free_roll_words(given: Mapping[str, Plain]) -> str:
    """What somebody throws for no rule."""
    return WORDS.say("story.free-roll", dice=" ".join(map(str, given.get("dice") or ())))


def _free_total(result: Mapping[str, Plain]) -> str:
    """The total of an expression of dice, with the dice that do not count."""
    said = WORDS.say("story.free-total", dice=result["dice"], total=result["total"])
    dropped = ", ".join(map(str, result.get("dropped") or ()))
    return f"{said} {WORDS.say('story.free-dropped', dice=dropped)}" if dropped else said


def _named(plain: Plain) -> Iterator[str]:
    """Every name in some data: of records, and of levels."""
    if isinstance(plain, Mapping):
        yield from (each for each in (plain.get("name"), *plain) if isinstance(each, str))
    for each in plain.values() if isinstance(plain, Mapping) else plain if isinstance(plain, list) else ():
        yield from _named(each)


def told_changes(system: System, item: Mapping[str, Plain], label: Callable[[str], str]) -> Iterator[ToldChange]:
    """What changed inside a value, in words, from an item that followed."""
    is_person = item.get("kind") in system.person_kinds
    rule = str((item.get("rules") or [""])[0])
    for each in item.get("changes", ()):
        change = ValueChange.from_plain(each)
        yield in_words(change, str(item["who"]), system.words, label=label, person=is_person, rule=rule)


def assumed(card: Mapping[str, Plain], system: System) -> tuple[str, ...]:
    """What the odds of a card take for granted, in words."""
    return tuple(
        WORDS.say(
            "odds.assumes",
            who=capital(each["who"]),
            prompt=system.words.say(f"prompts.{each['prompt']}"),
            answer=option_words(system, each["prompt"], each["answer"]),
        )
        for each in card.get("assumes", ())
    )


def option_words(system: System, prompt: str, key: str) -> str:
    """An option in words. An action is written as its name and the rest."""
    if f"options.{prompt}.{key}" in system.words:
        return system.words.say(f"options.{prompt}.{key}")
    cards = [face(each) for each in key.split("-")]
    if all(cards):
        return ", ".join(card.text for card in cards if card)
    name, _, rest = key.partition(" ")
    if any(each.key == name for each in system.actions):
        action = system.words.say(f"actions.{name}")
        return f"{action}: {rest}" if rest else action
    return WORDS.say(key) if key in ("yes", "no") else key


def undone_in(items: list[dict[str, Plain]]) -> set[int]:
    """The items that are no longer in force."""
    gone: list[set[int]] = []
    in_force: set[int] = set()
    for item in items:
        if item["kind"] == "undone":
            back = {each for each in in_force if each >= item["to"]} - set(item.get("but", ()))
            in_force -= back
            gone.append(back)
        elif item["kind"] == "redone" and gone:
            in_force |= gone.pop()
        elif item["kind"] != "said":
            in_force.add(item["id"])
    return {each for back in gone for each in back}
