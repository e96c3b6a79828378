"""What the game master alone does: set the scene, its encounters, its rules and settings, and what others see of it.

Each function is one action from a desk: `DeskCommand(master_desk.hide, "raider 2")`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from referee.core import agenda, clock
from referee.core.encounter import Encounter, encounters
from referee.core.errors import BadInput
from referee.core.plain import Plain, unknown, write
from referee.core.rulebook import BOOK
from referee.core.scene import Scene, Who
from referee.core.system import HOUSE_NAMES, find_unit
from referee.core.visibility import VEIL, Exposure, Veil
from referee.journal.lines import RecapWritten, SettingsChanged
from referee.journal.steps import TABLE
from referee.table.desk import Desk
from referee.table.members import Role
from referee.table.merging import Entered, merged
from referee.views.exposure import limit_of

LONGEST_RECAP: Final = 20_000


def edit(desk: Desk, name: str, changes: Mapping[str, Plain]) -> None:
    """Set fields of anything in the scene; with `kind`, add something new to it."""
    desk.check_role("edit", Role.MASTER)
    with desk.step():
        if "kind" in changes and name not in desk.journal.state:
            _check_new(desk, name, changes)
            limit_newcomer(desk, name, changes)
        desk.journal.edit(desk.member.id, name, **changes)


def edit_seen(desk: Desk, name: str, seen: int, said: Mapping[str, Entered]) -> None:
    """Set fields by a form that was filled when the log had so many lines.

    What play has changed since stays as it is, unless the form changes it too.
    """
    desk.check_role("edit", Role.MASTER)
    if name not in desk.journal.state:
        raise BadInput("name", unknown(name, tuple(desk.journal.state)))
    value = desk.journal.state[name]
    now: Mapping[str, Plain] = desk.campaign.system.plain_value(value)
    if changes := merged(type(value), plain_seen(desk, name, seen), said, now):
        edit(desk, name, changes)


def plain_seen(desk: Desk, name: str, seen: int) -> Mapping[str, Plain]:
    """What a form showed that was filled when the log had so many lines."""
    desk.check_role("edit", Role.MASTER)
    shown = desk.journal.record.state_at(seen).get(name)
    if shown is None or type(shown) is not type(desk.journal.state.get(name)):
        raise BadInput("name", f"{name} is somebody else by now; open the form again")
    found: Mapping[str, Plain] = desk.campaign.system.plain_value(shown)
    return found


def add(desk: Desk, name: str, changes: Mapping[str, Plain], *, hidden: bool = False) -> None:
    """Add something new to the scene. If it is hidden from the start, the others are told nothing about it."""
    desk.check_role("edit", Role.MASTER)
    if name in desk.journal.state:
        raise BadInput("name", f"{name} is in the scene already")
    _check_new(desk, name, changes)
    with desk.step():
        if hidden:
            desk.journal.hide(desk.member.id, desk.journal.scene.get(VEIL, Veil()).names | {name})
        limit_newcomer(desk, name, changes)
        desk.journal.edit(desk.member.id, name, **changes)


def add_all(
    desk: Desk, names: Sequence[str], changes: Mapping[str, Plain], *, hidden: bool = False, like: str = ""
) -> None:
    """Add somebody several times, under these names; with the picture of whom they are `like`."""
    portrait = desk.campaign.setup.portraits.people.get(like)
    for name in names:
        add(desk, name, changes, hidden=hidden)
        if portrait is not None:
            desk.journal.say(portrait.line(desk.member.id, who=name))
    desk.campaign.advance()


def _check_new(desk: Desk, name: str, changes: Mapping[str, Plain]) -> None:
    """Refuse what cannot be added before any line says that it was: a name, a sheet, an encounter that cannot start."""
    system, state = desk.campaign.system, desk.journal.state
    value = system.value(changes, name, state)
    system.check_name(name, value, desk.journal.scene[BOOK])
    system.check_sheet(state.but(name, value), name)
    if isinstance(value, Encounter) and name != clock.PASSING.name:
        agenda.check_starts(Scene(state.but(name, value)), name)


def edit_from(desk: Desk, name: str, changes: Callable[[object], Mapping[str, Plain]]) -> None:
    """Set fields by how something is now, whatever has happened since somebody looked at it."""
    desk.check_role("edit", Role.MASTER)
    if name not in desk.journal.state:
        raise BadInput("scene", unknown(name, tuple(desk.journal.state)))
    edit(desk, name, changes(desk.journal.state[name]))


def set_entry(desk: Desk, name: str, field: str, key: str, value: Plain) -> None:
    """Set one entry of a field that holds several entries by name; the others do not change."""
    desk.check_role("edit", Role.MASTER)
    if name not in desk.journal.state:
        raise BadInput("scene", unknown(name, tuple(desk.journal.state)))
    entries = write(getattr(desk.journal.state[name], field))
    edit(desk, name, {field: {**entries, key: value}})


def remove(desk: Desk, name: str, *, kinds: tuple[str, ...] = ()) -> None:
    """Remove something from the scene; with `kinds`, only if it is of one of these kinds."""
    desk.check_role("remove", Role.MASTER)
    if name in HOUSE_NAMES:
        raise BadInput(name, "every scene needs it")
    of_kind = tuple(each for each, value in desk.journal.state.items() if type(value).__name__ in kinds)
    if kinds and name not in of_kind:
        raise BadInput("scene", unknown(name, of_kind))
    with desk.step():
        desk.journal.remove(desk.member.id, name)
        limit(desk, (name,), Exposure.SHEET)


def pass_time(desk: Desk, amount: int, unit: str) -> None:
    """Let time pass, for systems that have no action for it; whatever falls due in that time happens."""
    desk.check_role("edit", Role.MASTER)
    scene = desk.journal.scene
    units = desk.campaign.system.units(scene)
    if (found := find_unit(units, unit)) is None:
        raise BadInput("unit", unknown(unit, tuple(each.name for each in units)))
    clock.check_may_pass(scene)
    until = scene[clock.CLOCK].now + amount * found.size
    edit(desk, clock.PASSING.name, {"kind": "Passing", "until": until})


def let_time_go_on(desk: Desk) -> None:
    """Let time go on that stands because so much came due in one go."""
    desk.check_role("let time go on", Role.MASTER)
    if not desk.journal.scene[clock.CLOCK].stands:
        raise BadInput("time", "does not stand")
    with desk.step():
        desk.journal.begin(desk.member.id, clock.go_on.id, {})


def play_encounter(desk: Desk, name: str) -> None:
    """Say which of several encounters the table plays."""
    desk.check_role("edit", Role.MASTER)
    with desk.step():
        desk.journal.play(desk.member.id, name)


def end_encounter(desk: Desk, name: str) -> None:
    """End an encounter, over or not: it leaves the scene, and the story says so. Its open step is cancelled."""
    desk.check_role("remove", Role.MASTER)
    here = tuple(each.name for each in encounters(desk.journal.scene) if each != clock.PASSING)
    if name not in here:
        raise BadInput("encounter", unknown(name, here))
    with desk.step():
        if agenda.playing(desk.journal.scene) == Who(name, object):
            for step in {each.step for each in desk.journal.asking}:
                if desk.journal.record.began(step).by == TABLE:
                    desk.journal.cancel(desk.member.id, step)
        desk.journal.begin(desk.member.id, agenda.end_encounter.id, {"encounter": name})


def cancel(desk: Desk, question: str) -> None:
    """Cancel the step a question belongs to, and revert everything it has changed."""
    desk.check_role("cancel", Role.MASTER)
    with desk.step():
        desk.journal.cancel(desk.member.id, desk.question(question).step)


def hide(desk: Desk, name: str, *, hidden: bool = True) -> None:
    """Hide something, or let everyone see it."""
    desk.check_role("hide", Role.MASTER)
    veil = desk.journal.scene.get(VEIL, Veil())
    known = set(desk.journal.state) - set(HOUSE_NAMES) if hidden else veil.names
    if name not in known:
        raise BadInput("scene", unknown(name, tuple(sorted(known))))
    with desk.step():
        desk.journal.hide(desk.member.id, veil.names | {name} if hidden else veil.names - {name})


def expose(desk: Desk, name: str, level: Exposure) -> None:
    """Say how much of a character's sheet those see who do not play it."""
    desk.check_role("hide", Role.MASTER)
    known = tuple(each for each, value in desk.journal.state.items() if _has_sheet(desk, value))
    if name not in known:
        raise BadInput("scene", unknown(name, known))
    with desk.step():
        limit(desk, (name,), level)


def limit_newcomer(desk: Desk, name: str, changes: Mapping[str, Plain]) -> None:
    """Limit what is shown of somebody before they enter, so that no one sees more of them for a moment."""
    system, level = desk.campaign.system, desk.campaign.settings.foes
    if level is Exposure.SHEET:
        return
    value = system.value(changes, name, desk.journal.state)
    if _has_sheet(desk, value) and not (system.look.mine and getattr(value, system.look.mine)):
        limit(desk, (name,), level)


def limit(desk: Desk, names: Collection[str], level: Exposure) -> None:
    """Show as much of these people's sheets to others as a level says."""
    found = (limit_of(desk.campaign.system.look, name, level) for name in names)
    desk.journal.limit(desk.member.id, names, (each for each in found if each is not None))


def _foes(desk: Desk) -> tuple[str, ...]:
    """The characters whom no one plays and that are no player's."""
    played = {name for each in desk.campaign.members.values() for name in each.controls}
    mine = desk.campaign.system.look.mine
    return tuple(
        name
        for name, value in desk.journal.state.items()
        if _has_sheet(desk, value) and name not in played and not (mine and getattr(value, mine))
    )


def _has_sheet(desk: Desk, value: object) -> bool:
    return isinstance(value, desk.campaign.system.sheet)


def house_rules(desk: Desk, overlay: Mapping[str, Plain]) -> None:
    """Turn options on or off, change figures, add rows."""
    desk.check_role("house rules", Role.MASTER)
    with desk.step():
        desk.journal.opt(desk.member.id, **overlay)


def remove_rows(desk: Desk, rule: str, path: str) -> None:
    """Remove the rows that this campaign has added to a table of the rulebook."""
    desk.check_role("house rules", Role.MASTER)
    book = desk.journal.scene[BOOK]
    added = {each: dict(paths) for each, paths in book.added.items()}
    added.get(rule, {}).pop(path, None)
    edit(desk, BOOK.name, {"kind": "Book", "options": book.options, "set": book.set, "add": added})


def settings(desk: Desk, changes: Mapping[str, Plain]) -> None:
    """Change settings of the table. How much is shown of foes from now on counts for those in the scene too."""
    desk.check_role("settings", Role.MASTER)
    changed = desk.campaign.settings.but(changes)
    is_other = changed.foes is not desk.campaign.settings.foes
    desk.journal.say(SettingsChanged(desk.member.id, changed.to_plain()))
    desk.campaign.advance()
    if is_other:
        with desk.step():
            limit(desk, _foes(desk), changed.foes)


def recap(desk: Desk, text: str) -> None:
    """Tell everyone the story so far; the latest recap counts."""
    desk.check_role("recap", Role.MASTER)
    if len(text) > LONGEST_RECAP or not text.strip():
        raise BadInput("text", f"must be 1 to {LONGEST_RECAP} characters")
    desk.journal.say(RecapWritten(desk.member.id, text))
    desk.campaign.advance()
