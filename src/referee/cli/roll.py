"""`referee roll`: one action, given by its short form or with its arguments."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, final

from referee import registry
from referee.cli.show import WORDS
from referee.cli.terminal import BOLD, paint
from referee.core.actions import Action, ActionChoice
from referee.core.bands import DONE
from referee.core.cards import Card
from referee.core.describe import FieldType, describe_type, field_type
from referee.core.errors import BadInput
from referee.core.files import load_yaml
from referee.core.picks import options_of
from referee.core.plain import Plain, unknown, write
from referee.core.questions import Chance, Question
from referee.core.run import Run, drive
from referee.core.scene import Scene, State
from referee.core.system import System
from referee.core.wording import faces, phrase
from referee.drivers.policies import Decisions, decided
from referee.journal.seeded_dice import SeededDice

ROLLER: Final = "roller"
LONGEST: Final = 60
"""No short form is longer than this; it keeps out numbers of thousands of digits."""


@final
@dataclass(frozen=True)
class RollRequest:
    """An action someone would take, with everything it needs."""

    said: str
    system: System
    state: State
    offer: ActionChoice
    decisions: Decisions

    @property
    def action(self) -> Action[Any]:
        return self.offer.action


def asked(system: str, what: str, words: Sequence[str], scene: str, decide: Sequence[str]) -> RollRequest:
    """Parse the words of a command: `coin 3c`, or `coin toss who=ana bet=2`."""
    loaded = registry.load(system)
    short = loaded.shorthand(whole) if len(whole := " ".join((what, *words))) <= LONGEST else None
    if short is None:
        short = loaded.shorthand(what) if len(what) <= LONGEST else None
    else:
        what, words = whole, ()
    given = _pairs(words, "skill=Piloting")
    if short is not None:
        if scene:
            raise BadInput("--scene", WORDS.say("scene-not-needed"))
        state = loaded.new_state({ROLLER: short.sheet})
        action = loaded.action(short.action)
        given = {next(iter(action.rule.parameters)): ROLLER, **short.arguments, **given}
    else:
        known = tuple(each.key for each in loaded.actions)
        if what not in known:
            examples = loaded.words.texts.get("odds.examples", "").split(", ")
            such = WORDS.say("such-as", example=examples[0]) if examples[0] else ""
            raise BadInput(what, WORDS.say("neither", such=such, unknown=unknown(what, known)))
        from referee.cli.play import sample

        _, state = sample(loaded, scene)
        action = loaded.action(what)
    _check_complete(action, given, state)
    arguments = action.arguments(Scene(state), _as_named(action, given, Scene(state)))
    named = dict(zip(action.rule.parameters, arguments, strict=True))
    who = None if action.master else named.pop(next(iter(named)))
    return RollRequest(what, loaded, state, action.by(who, **named), Decisions(_pairs(decide, "push=yes")))


def _as_named(action: Action[Any], given: Mapping[str, Plain], scene: Scene) -> dict[str, Plain]:
    """The arguments with people as the scene names them, however they are written."""

    def named(written: Plain, found: FieldType | None) -> Plain:
        if found is not None and found.kind == "list" and isinstance(written, list):
            return [named(each, found.inner) for each in written]
        person = found is not None and found.kind == "person" and isinstance(written, str)
        return scene.who(written).name if person else written

    types = {name: field_type(each.annotation) for name, each in action.rule.parameters.items()}
    return {name: named(each, types.get(name.replace("-", "_"))) for name, each in given.items()}


def _pairs(words: Sequence[str], example: str) -> dict[str, Plain]:
    given: dict[str, Plain] = {}
    for word in words:
        name, found, value = word.partition("=")
        if not found or not name:
            raise BadInput(word, WORDS.say("pair-expected", example=example))
        if name in given:
            raise BadInput(name, WORDS.say("pair-twice"))
        try:
            given[name] = load_yaml(value) if value else ""
        except BadInput as problem:
            raise problem.within(name) from None
    return given


def _check_complete(action: Action[Any], given: Mapping[str, Plain], state: State) -> None:
    """Refuse a missing argument, and list the values it could have."""
    named = {name.replace("-", "_") for name in given}
    for name, parameter in action.rule.parameters.items():
        if name not in named and parameter.default is inspect.Parameter.empty:
            try:
                options = options_of(field_type(parameter.annotation), Scene(state), None)
                takes = WORDS.say("one-of", names=", ".join(str(write(each)) for each in options))
            except TypeError:
                takes = describe_type(parameter.annotation)
            raise BadInput(name, WORDS.say("missing", takes=takes))


def roll(one: RollRequest, seed: str, *, as_json: bool) -> None:
    """Take the action, and print the dice."""
    source = SeededDice(sha256(seed.encode()).digest()) if seed else SeededDice.fresh()
    throws: list[dict[str, Plain]] = []

    def answer(question: Question[Any], scene: Scene) -> Any:
        if isinstance(question, Chance):
            thrown = question.at_random(source.throw(len(throws) + 1))
            throws.append({"throw": str(question.name), "dice": thrown})
            return question.read(thrown)
        return decided(one.decisions, question, scene)

    found = drive(Run(Scene(one.state), one.offer.call), answer)
    result = write(found)
    one.decisions.check(one.action.rule.prompts)
    if as_json:
        print(json.dumps({"throws": throws, "result": result}, ensure_ascii=False))
        return
    for each in throws:
        if isinstance(each["dice"], str):
            print(WORDS.say("drawn", card=Card.from_plain(each["dice"])))
            continue
        name = one.system.words.say(f"throws.{each['throw']}")
        print(f"{name}: {faces(each['dice'])}")
    if result is not None:
        print(f"= {phrase(result)}")
    print(paint(_sentence(one, found, result), BOLD))


def _sentence(one: RollRequest, found: Any, result: Plain) -> str:
    """What came of it: the band of the result, its total if it has one, and whatever else it brought."""
    bands = one.action.bands
    if bands is DONE:
        return WORDS.say("roll-done")
    said = WORDS.say("roll-result", band=one.system.words.say(f"bands.{bands.of(found)}"))
    if isinstance(result, dict) and isinstance(result.get("total"), int):
        said += WORDS.say("roll-total", total=result["total"])
        if isinstance(needed := one.offer.arguments.get("difficulty"), int):
            said += WORDS.say("roll-against", needed=needed)
    also = [key for key, happens in {**bands.extra, **bands.bad}.items() if happens(found)]
    if also:
        said += WORDS.say(
            "roll-also", what=WORDS.say("roll-and").join(one.system.words.say(f"bands.{key}") for key in also)
        )
    return f"{said}."
