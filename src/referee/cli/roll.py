"""`referee roll` and `referee odds`: one action, by its short form or with its arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, final

from referee import registry
from referee.cli.play import sample
from referee.cli.show import bar
from referee.core.errors import BadInput
from referee.core.files import load_yaml
from referee.core.plain import Plain, spoken, unknown, write
from referee.core.questions import Chance, Question
from referee.core.rules import Call
from referee.core.run import Run, drive
from referee.core.scene import Scene, State
from referee.core.system import Action, System
from referee.drivers.advisor import forecast
from referee.drivers.exact import Exact
from referee.drivers.fair import Fair
from referee.drivers.policies import always, decided

ROLLER = "roller"


@final
@dataclass(frozen=True)
class Asked:
    """An action somebody would take, with everything it needs."""

    system: System
    state: State
    action: Action[Any]
    call: Call[Any]
    decisions: dict[str, Plain]


def asked(system: str, what: str, words: Sequence[str], scene: str, decide: Sequence[str]) -> Asked:
    """From the words of a command: `alien 5b3s`, or `alien skill-roll who=Ripa skill=Piloting`."""
    loaded = registry.load(system)
    short = loaded.shorthand(what)
    given = dict(_pair(word) for word in words)
    if short is not None:
        state = loaded.state({ROLLER: short.sheet})
        action = loaded.action(short.action)
        given = {next(iter(action.rule.parameters)): ROLLER, **short.arguments, **given}
    else:
        known = tuple(each.key for each in loaded.actions)
        if what not in known:
            raise BadInput(what, f"neither a short form nor an action: {unknown(what, known)}")
        _, state = sample(loaded, scene)
        action = loaded.action(what)
    call = action.rule.call(*action.rule.arguments(given))
    return Asked(loaded, state, action, call, dict(_pair(word) for word in decide))


def _pair(word: str) -> tuple[str, Plain]:
    name, found, value = word.partition("=")
    if not found:
        raise BadInput(word, "name=value expected")
    return name, load_yaml(value)


def roll(one: Asked, seed: str, *, as_json: bool) -> None:
    """Take the action; undecided questions are answered as by silence."""
    source = Fair(sha256(seed.encode()).digest()) if seed else Fair.fresh()
    policy = always(**one.decisions)
    throws: list[dict[str, Plain]] = []

    def answer(question: Question[Any], scene: Scene) -> Any:
        if isinstance(question, Chance):
            thrown = question.at_random(source.throw(len(throws) + 1))
            throws.append({"throw": str(question.name), "dice": thrown})
            return question.read(thrown)
        return decided(policy, question, scene)

    result = write(drive(Run(Scene(one.state), one.call), answer))
    if as_json:
        print(json.dumps({"throws": throws, "result": result}, ensure_ascii=False))
        return
    for each in throws:
        faces = " | ".join(" ".join(map(str, group)) for group in each["dice"])
        name = one.system.words.say(f"throws.{each['throw']}")
        print(f"{name}: {faces}")
    print(f"= {spoken(result)}")


def odds(one: Asked, *, as_json: bool) -> None:
    """The chance of everything that can come of the action."""
    found = forecast(one.call, one.state, one.action.bands, Exact(always(**one.decisions)))
    groups = {"bands": found.bands, "extra": found.extra, "bad": found.bad}
    if as_json:
        plain = {group: {key: str(chance) for key, chance in chances.items()} for group, chances in groups.items()}
        print(json.dumps(plain, ensure_ascii=False))
        return
    for chances in groups.values():
        for key, chance in chances.items():
            print(f"{one.system.words.say(f'bands.{key}'):20} {bar(chance)}  {chance}")
