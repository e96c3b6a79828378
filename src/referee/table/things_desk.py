"""Handling things: from hand to hand, in hand or put away, taken from the fallen, bought, given by the game master.

Where the game has actions for it (`handling` in its look), these are taken. Elsewhere it is done the plain way
(`core.belongings`): by the game master, and by whoever plays somebody who may act and is in no encounter.
Each function is one action from a desk: `DeskCommand(things_desk.give, "ana", "rifle", "bo")`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core import belongings
from referee.core.belongings import field_of_things, holders, system_of, things_in
from referee.core.catalogue import CatalogueRow, find_row
from referee.core.clock import PASSING
from referee.core.encounter import encounters, stands
from referee.core.errors import BadInput, NotKnown, RefereeError, Refused
from referee.core.look import ThingAction
from referee.core.plain import Plain, unknown
from referee.core.rulebook import BOOK
from referee.core.rules import Call
from referee.core.scene import Scene, Who
from referee.core.system import System
from referee.core.things import DROPPED, PLACES, THINGS, Amount, name_of, place_of, thing_of
from referee.core.visibility import mentions
from referee.table.desk import Desk
from referee.table.members import NotAllowed, Role
from referee.views.exposure import things_in_sight

MOST_GIVEN: Final = 100
"""So many of one thing are given or bought at once."""
MOST_TAKEN: Final = 200
"""So many things are taken at once."""


# --- what somebody may do


def give(desk: Desk, who: str, thing: str, to: str, amount: Amount | None = None) -> None:
    """Somebody gives something to somebody else."""
    giver, taker = _holder(desk, who), _holder(desk, to)
    found = _thing(desk, giver, thing)
    given = {"thing": name_of(found), "other": taker.name, "amount": amount}
    if not _by_the_rules(desk, "give", giver.name, given):
        part = {} if amount is None else {"amount": amount}
        _plainly(desk, belongings.give, giver, {"to": taker.name, "thing": name_of(found), **part}, taker)


def take(desk: Desk, who: str, owner: str, things: Sequence[str]) -> None:
    """Somebody takes things that lie on the ground or in store, or all they want of somebody who is out."""
    taker, source = _holder(desk, who), _holder(desk, owner)
    if not 0 < len(things) <= MOST_TAKEN:
        raise BadInput("things", f"must be 1 to {MOST_TAKEN} things")
    in_sight = things_in_sight(desk.campaign.system, desk.journal.state, desk.member.seat, source.name)
    if in_sight:
        if strangers := [each for each in things if each not in in_sight]:
            raise BadInput("thing", unknown(strangers[0], tuple(in_sight)))
        _plainly(desk, belongings.take, taker, {"owner": source.name, "things": list(things)}, source)
        return
    found = tuple(_thing(desk, source, each) for each in things)
    lone = {"thing": name_of(found[0]), "other": source.name}
    if len(found) == 1 and _by_the_rules(desk, "take", taker.name, lone, insists=False):
        return
    if not desk.member.is_master:
        for each in found:
            check_may_be_taken(Scene(desk.known), desk.campaign.system, source, each)
    named = [name_of(each) for each in found]
    _plainly(desk, belongings.take, taker, {"owner": source.name, "things": named}, source)


def put(desk: Desk, who: str, thing: str, place: str) -> None:
    """Somebody takes a thing in hand, puts it on, puts it away, drops it or picks it up."""
    holder = _holder(desk, who)
    found = _thing(desk, holder, thing)
    own = {"thing": name_of(found), "other": holder.name}
    if place_of(found) == DROPPED and _by_the_rules(desk, "take", holder.name, own, insists=False):
        return
    if place not in PLACES or not _by_the_rules(desk, place, holder.name, {"thing": name_of(found), "place": place}):
        _plainly(desk, belongings.put, holder, {"thing": name_of(found), "place": place})


def buy(desk: Desk, who: str, key: str, amount: int = 1) -> None:
    """Somebody buys something of the catalogue, where the game has a rule for it."""
    _check_count(amount)
    desk.actor(who)
    row = _row(desk, key)
    if (why := not_for_sale(desk.campaign.system, row)) is not None:
        raise why
    if not _by_the_rules(desk, "buy", who, {"thing": row.key, "amount": amount, "price": row.price}):
        raise Refused(row.name, because="nothing can be bought just now", rule=THINGS)


def not_for_sale(system: System, row: CatalogueRow) -> Refused | None:
    """Why nobody can buy something by the rules."""
    if "buy" in system.look.handling and row.price is not None:
        return None
    if "buy" in system.look.handling:
        because = "the book gives it no price"
    elif row.price is not None:
        because = "the book has prices, but neither money nor a rule for buying"
    else:
        because = "the book has no rule for buying"
    return Refused(row.name, because=because, rule=row.rule or THINGS, legal=("ask the game master",))


# --- the game master's hand


def get(desk: Desk, who: str, key: str, amount: int = 1) -> None:
    """The game master gives somebody something of the catalogue."""
    desk.check_role("give", Role.MASTER)
    _check_count(amount)
    row = _row(desk, key)
    _plainly(desk, belongings.get, _holder(desk, who), {"thing": row.plain, "amount": amount})


def lose(desk: Desk, who: str, thing: str, amount: Amount | None = None) -> None:
    """The game master takes something away from somebody."""
    desk.check_role("take away", Role.MASTER)
    holder = _holder(desk, who)
    part = {} if amount is None else {"amount": amount}
    _plainly(desk, belongings.lose, holder, {"thing": name_of(_thing(desk, holder, thing)), **part})


# --- what is refused


def check_may_be_taken(scene: Scene, system: System, owner: Who[Any], thing: Any) -> None:
    """Players take what lies on the ground or in store, and what somebody has who is out."""
    is_person = isinstance(scene[owner], system.sheet)
    if is_person and place_of(thing) != DROPPED and not is_out(scene, system, owner):
        because = f"{owner} still has it"
        raise Refused(name_of(thing), because=because, rule=THINGS, legal=(f"let {owner} give it",))


def is_out(scene: Scene, system: System, who: Who[Any]) -> bool:
    """Whether somebody takes part no more, as far as this scene says."""
    if not isinstance(scene[who], system.sheet):
        return False
    try:
        condition = system.condition_of(scene, who)
    except (NotKnown, RefereeError):
        return False
    return condition is not None and condition.is_out


def in_encounter(scene: Scene, who: str) -> str:
    """The encounter that somebody is in; empty if they are in none."""
    for each in encounters(scene):
        if each != PASSING and stands(scene, each.name) and mentions(scene[each], frozenset({who})):
            return each.name
    return ""


def _check_free(desk: Desk, who: Who[Any]) -> None:
    """Whoever plays somebody handles their things, unless an encounter says when, or they can no longer."""
    scene = Scene(desk.known)
    desk.actor(who.name)
    if is_out(scene, desk.campaign.system, who):
        raise Refused(who.name, because=f"{who} can do nothing now", rule=THINGS, legal=("ask the game master",))
    if encounter := in_encounter(scene, who.name):
        because = f"{who} is in the {encounter}, where handling things takes time"
        raise Refused(who.name, because=because, rule=THINGS, legal=("ask the game master",))


def _check_count(amount: int) -> None:
    if not 1 <= amount <= MOST_GIVEN:
        raise BadInput("amount", f"must be 1 to {MOST_GIVEN}")


def _row(desk: Desk, key: str) -> CatalogueRow:
    field_of_things(desk.campaign.system)
    return find_row(desk.campaign.system, desk.journal.scene[BOOK], key)


def _holder(desk: Desk, name: str) -> Who[Any]:
    """Somebody, or a place for things, that this seat knows of."""
    there = tuple(each.name for each in known_holders(Scene(desk.known)))
    if name not in there:
        raise BadInput("who", unknown(name, there))
    return Who(name, type(desk.known[name]))


def known_holders(scene: Scene) -> Iterator[Who[Any]]:
    """Everyone with a sheet, and every place for things, as far as somebody knows; their things may be unknown."""
    sheet: Any = system_of(scene).sheet
    yield from scene.all(sheet)
    yield from (each for each in holders(scene) if not isinstance(scene[each], sheet))


def _thing(desk: Desk, holder: Who[Any], name: str) -> Any:
    """A thing that this seat knows of."""
    try:
        return thing_of(things_in(Scene(desk.known), holder), name)
    except NotKnown:
        because = f"you do not know what {holder} has"
        raise NotAllowed(name, because=because, rule="referee.table.seats") from None


# --- doing it


def _by_the_rules(desk: Desk, way: str, who: str, given: Mapping[str, Plain], *, insists: bool = True) -> bool:
    """Take the game's own action, if it has one that may be tried now; what it refuses to players stays refused.

    What cannot be tried at all leaves the plain way open: drawing a weapon is an action of fights, and there is none.
    """
    system, scene = desk.campaign.system, Scene(desk.known)
    refused: RefereeError | None = None
    ways = next((found for name, found in system.look.handling.items() if name == way), ())
    for each in ways:
        action = system.action(each.action)
        if not isinstance(scene[Who(who, object)], system.sheet):
            continue
        if not desk.member.is_master:
            desk.actor(who)
        if action.may(scene, Who(who, system.sheet)) is not None:
            continue
        arguments = _arguments(each, given)
        try:
            call = desk.check_known(action, desk.given(action, who, arguments))
            if why := action.may(scene, call.args[0], **dict(zip(action.parameters, call.args[1:], strict=True))):
                raise why
        except RefereeError as because:
            refused = refused or because
            continue
        desk.act(action.key, who, arguments)
        return True
    if refused is not None and insists and not desk.member.is_master:
        raise refused
    return False


def _arguments(how: ThingAction, given: Mapping[str, Plain]) -> dict[str, Plain]:
    """The arguments of an action, by their names there."""
    named = {part: getattr(how, part) for part in ("thing", "other", "place", "amount", "price")}
    return {name: given[part] for part, name in named.items() if name and given.get(part) is not None}


def _plainly(desk: Desk, of: Any, who: Who[Any], given: Mapping[str, Plain], *others: Who[Any]) -> None:
    """A step of the plain way. Only the game master is told of it, if nobody else sees what any of these have."""
    desk.check_playing()
    if not desk.member.is_master:
        _check_free(desk, who)
    arguments = {"who": who.name, **given}
    call: Call[Any] = of(*of.arguments(arguments))
    secret = not any(belongings.is_shown(desk.journal.scene, each) for each in (who, *others))
    with desk.step():
        desk.journal.begin(desk.member.id, of.id, arguments, secret=secret, call=call)
