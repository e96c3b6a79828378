"""What the game master does about encounters: begins them, prepares them, and says who comes and goes.

Each function is one action from a desk: `DeskCommand(encounter_desk.begin, start)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import Any, Final

from referee.core.agenda import check_starts
from referee.core.arrivals import piles_with
from referee.core.cards import Pile
from referee.core.clock import PASSING
from referee.core.encounter import Encounter, encounters
from referee.core.errors import BadInput, Refused
from referee.core.plain import Plain, unknown, write
from referee.core.rules import Call
from referee.core.scene import Scene, State
from referee.core.system import HOUSE_NAMES
from referee.core.taking_part import TAKING_PART, OpenSides, give_up, join_encounter, leave_encounter
from referee.core.visibility import hidden_names
from referee.core.wording import class_words
from referee.journal.lines import EncounterPrepared
from referee.journal.steps import TABLE
from referee.table import master_desk
from referee.table.desk import Desk
from referee.table.members import NotAllowed, Role
from referee.table.preparations import EncounterStart, Preparation
from referee.wire.limits import LONGEST_TITLE

MOST_PREPARED: Final = 100
ENCOUNTERS: Final = "referee.table.encounters"


# --- beginning --------------------------------------------------------------------------------------------------------


def begin(desk: Desk, start: EncounterStart) -> None:
    """Begin an encounter: by the action that its rules have for it, or by putting it into the scene."""
    desk.check_role("edit", Role.MASTER)
    desk.check_playing()
    check_people(desk, start)
    begins = desk.campaign.system.look.encounters
    found = begins[start.kind].begins if start.kind in begins else None
    if found is None:
        _check_sides(desk, start)
        _reveal(desk, start)
        master_desk.add(desk, free_name(desk, start.kind), {"kind": start.kind, **_sides(desk, start), **start.given})
        return
    action = desk.campaign.system.action(found.action)
    arguments = start.arguments(desk.campaign.system)
    who = None if action.master else str(arguments.pop(next(iter(action.rule.parameters))))
    call = desk.check_known(action, desk.given(action, who, arguments))
    values = dict(zip(action.rule.parameters, call.args, strict=True))
    actor = None if action.master else values.pop(next(iter(action.rule.parameters)))
    if (why := action.may(desk.journal.scene, actor, **values)) is not None:
        raise why
    _reveal(desk, start)
    desk.act(found.action, who, arguments)


def _sides(desk: Desk, start: EncounterStart) -> dict[str, Plain]:
    """The field of the sides, where the encounter has one."""
    look = desk.campaign.system.look.encounters.get(start.kind)
    field = look.sides if look else "sides" if start.sides else ""
    return {field: [list(side) for side in start.sides if side]} if field else {}


def _check_sides(desk: Desk, start: EncounterStart) -> None:
    look = desk.campaign.system.look.encounters.get(start.kind)
    sided, alone = sum(map(bool, start.sides)), bool(look and look.begins and len(look.begins.sides) == 1)
    if (start.sides or (look and look.sides)) and sided < (1 if alone else 2):
        raise BadInput("sides", "somebody has to take part" if alone else "must be two sides, each with somebody on it")


def check_people(desk: Desk, start: EncounterStart) -> None:
    """Refuse people who have left the scene, and people on two sides."""
    missing = [each for each in start.people if each not in desk.journal.state]
    if missing:
        here = tuple(each for each in desk.journal.state if each not in HOUSE_NAMES)
        raise BadInput("sides", unknown(missing[0], here))
    if len(set(start.people)) < len(start.people):
        raise BadInput("sides", "nobody can be on two sides")


def _reveal(desk: Desk, start: EncounterStart) -> None:
    """Show those who take part, unless they are to stay hidden."""
    veiled = hidden_names(desk.journal.state)
    shown = {each for each in start.people if each in veiled}
    if shown and not start.hidden:
        with desk.step():
            desk.journal.hide(desk.member.id, veiled - shown)


def free_name(desk: Desk, kind: str) -> str:
    """The name of a new encounter: what the rules call it, or its kind; numbered if several of the kind may stand."""
    system = desk.campaign.system
    name = system.place_of(kind, class_words(kind))
    return numbered(name, desk.journal.state) if getattr(system.kind(kind), "several", False) else name


def numbered(name: str, taken: Mapping[str, object]) -> str:
    """A name that is not taken: itself, or with the first number that is free."""
    names = (name, *(f"{name} {number}" for number in range(2, 10_000)))
    return next(each for each in names if each not in taken)


# --- coming and going -------------------------------------------------------------------------------------------------


def join(desk: Desk, encounter: str, who: str, side: int) -> None:
    """Somebody joins a side, or changes to it."""
    desk.check_role("join", Role.MASTER)
    _come_and_go(desk, join_encounter, encounter, who, {"side": side})


def leave(desk: Desk, encounter: str, who: str) -> None:
    """Somebody leaves."""
    desk.check_role("leave", Role.MASTER)
    _come_and_go(desk, leave_encounter, encounter, who, {})


def surrender(desk: Desk, encounter: str, who: str) -> None:
    """Somebody gives up: the game master says so of anybody, whoever plays a character of that one."""
    if not desk.member.is_master and who not in desk.member.controls:
        mine = sorted(desk.member.controls)
        raise NotAllowed("surrender", because=f"you do not play {who}", rule="referee.table.seats", legal=mine)
    _come_and_go(desk, give_up, encounter, who, {})


def _come_and_go(desk: Desk, of: Any, encounter: str, who: str, given: Mapping[str, Plain]) -> None:
    desk.check_playing()
    here = open_encounters(Scene(desk.known))
    if encounter not in here:
        closed = encounter in (each.name for each in encounters(Scene(desk.known)))
        legal = ("end it",) if closed else here
        because = "nobody joins or leaves it once it has begun" if closed else "there is no such encounter"
        raise Refused(encounter, because=because, rule=TAKING_PART, legal=legal)
    if who not in desk.known:
        raise BadInput("who", unknown(who, tuple(each for each in desk.known if each not in HOUSE_NAMES)))
    with desk.step():
        _start_over(desk, who)
        rule: str = of.id
        call: Call[Any] = of(*of.arguments({"encounter": encounter, "who": who, **given}))
        desk.journal.begin(desk.member.id, rule, {"encounter": encounter, "who": who, **given}, call=call)


def open_encounters(scene: Scene) -> tuple[str, ...]:
    """What people may join and leave."""
    kind: Any = object
    return tuple(each.name for each in scene.all(kind) if isinstance(scene[each], OpenSides) and each != PASSING)


def _start_over(desk: Desk, who: str) -> None:
    """What the table asks is asked anew afterwards, unless dice have fallen and somebody else is asked: that goes on.

    Dice that have fallen for a question to who comes or goes are the game master's to take back.
    """
    for step in dict.fromkeys(each.step for each in desk.journal.asking):
        asked = {each.question.who.name for each in desk.journal.asking if each.step == step and each.question.who}
        has_thrown = any(line.thrown for line in desk.journal.record.of_step(step))
        if has_thrown and who in asked and not desk.member.is_master:
            because = f"{who} is asked something, and dice have fallen for it"
            raise Refused(who, because=because, rule=TAKING_PART, legal=("answer first", "ask the game master"))
        if who in asked or (desk.journal.record.began(step).by == TABLE and not has_thrown):
            desk.journal.cancel(TABLE, step)


# --- prepared encounters ----------------------------------------------------------------------------------------------


def prepare(desk: Desk, title: str, start: EncounterStart) -> None:
    """Keep an encounter for later; only the game master knows of it."""
    desk.check_role("prepare", Role.MASTER)
    check_people(desk, start)
    title = " ".join(title.split())
    if not title or len(title) > LONGEST_TITLE:
        raise BadInput("title", f"must be 1 to {LONGEST_TITLE} characters")
    if len(desk.campaign.setup.preparations) >= MOST_PREPARED:
        raise BadInput("title", f"at most {MOST_PREPARED} encounters are kept; remove one first")
    desk.journal.say(EncounterPrepared(desk.member.id, token_hex(6), title, write(start), to=()))
    desk.campaign.advance()


def prepared(desk: Desk, name: str) -> Preparation:
    """A prepared encounter, for the game master."""
    desk.check_role("prepare", Role.MASTER)
    known = desk.campaign.setup.preparations
    if name not in known:
        raise BadInput("prepared", "there is no such prepared encounter")
    return known[name]


def drop(desk: Desk, name: str) -> None:
    """Keep a prepared encounter no longer."""
    found = prepared(desk, name)
    desk.journal.say(EncounterPrepared(desk.member.id, name, found.title, {}, to=()))
    desk.campaign.advance()


def begin_prepared(desk: Desk, name: str) -> None:
    """Begin an encounter as it was prepared. It is kept, until it is removed."""
    begin(desk, prepared(desk, name).start)


# --- samples ----------------------------------------------------------------------------------------------------------


def load_scene(desk: Desk, scene: Mapping[str, Plain]) -> None:
    """Add the people and the encounters of a scene; names that are taken get numbers."""
    desk.check_role("edit", Role.MASTER)
    system, state = desk.campaign.system, desk.journal.state
    piles = {name for name, plain in scene.items() if plain["kind"] == Pile.__name__}
    news = {name: plain for name, plain in scene.items() if name not in HOUSE_NAMES and name not in piles}
    people = [name for name, plain in news.items() if plain["kind"] in system.person_kinds]
    fixed = {each.name for each in system.places}
    called: dict[str, str] = {}
    for name in (*people, *(each for each in news if each not in people and each not in fixed)):
        called[name] = numbered(
            name, {**state, **dict.fromkeys(called.values()), **dict.fromkeys(news.keys() - {name})}
        )
    if stands := next((each for each in news if each in fixed and each in state), None):
        raise Refused(stands, because=f"a {stands} goes on already", rule=ENCOUNTERS, legal=("end it first",))
    changed = {called.get(name, name): _renamed(plain, called) for name, plain in news.items()}
    others = sorted(changed, key=lambda name: name not in called.values())  # encounters come after their people
    trial = state
    for name in others:
        trial = trial.but(name, system.value(changed[name], name, trial))
        trial = State({**trial, **piles_with(trial, Scene(trial).who(name))})
    for name in others:
        system.check_sheet(trial, name)
        if isinstance(trial[name], Encounter):
            check_starts(Scene(trial), name)
    for name in others:
        master_desk.add(desk, name, changed[name])


def _renamed(plain: Plain, called: Mapping[str, str]) -> Plain:
    """Plain data with other names of people, also in pairs of names."""
    if isinstance(plain, str):
        return called.get(plain) or _pair(plain, called)
    if isinstance(plain, Mapping):
        return {_renamed(name, called): _renamed(each, called) for name, each in plain.items()}
    return [_renamed(each, called) for each in plain] if isinstance(plain, list) else plain


def _pair(text: str, called: Mapping[str, str]) -> str:
    """Two names in one text, as distances are kept: `al bo`, in the order of the new names."""
    words = text.split(" ")
    for at in range(1, len(words)):
        one, other = " ".join(words[:at]), " ".join(words[at:])
        if one in called and other in called:
            return " ".join(sorted((called[one], called[other])))
    return text


def encounter_of(desk: Desk, start: EncounterStart) -> tuple[str, Any] | None:
    """A prepared encounter as it would stand in the scene, for forecasts; None if it has no turns of its own."""
    system = desk.campaign.system
    sides = tuple(side for side in start.sides if side)
    name = free_name(desk, start.kind)
    if system.fight is not None and len(sides) > 1:
        found = system.fight(Scene(desk.known), sides, "")
        if type(found).__name__ == start.kind:
            return name, found
    return None
