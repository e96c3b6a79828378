"""What to do with one's turn: a kind of action, then how, then at whom, each with its price and its odds.

A question whose options are actions is laid out in these steps, from what the system declares: its groups, targets and
costs. Every step is a choice of the page itself, so that it works without a script; only the last one is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, final

from referee.core.actions import Action, ActionChoice
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import ActionGroup
from referee.core.questions import key_of
from referee.core.relation import Relation
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import capital
from referee.web.pages.page import WORDS
from referee.web.pages.parts.actions import LETTERS, TAKEN, argument_words, label
from referee.web.pages.parts.ahead import Ahead, asked_ahead
from referee.web.pages.parts.board import EncounterPanel, TokenFace
from referee.web.pages.parts.chances import Chances
from referee.web.pages.parts.costs import CostMark, costs_of
from referee.web.pages.parts.people import SheetFigure, figures
from referee.web.pages.table_view import TableView

MOST_TABS: Final = 8
"""More ways to do something than this are a list to pick from."""
MOST_KEYS: Final = 5


@final
@dataclass(frozen=True)
class Way:
    """One legal way to take an action; its value is what is sent."""

    value: str
    words: str
    face: TokenFace | None = None
    vital: SheetFigure | None = None
    note: str = ""
    """What is said of the target: in cover, two bands away."""
    chances: Chances | None = None
    key: str = ""
    """The key that picks it."""
    ahead: str = ""
    """For what is done again: the offer that is declined with it."""
    has_odds: bool = False
    """For what is done again: whether anything is at stake, known or not."""

    @property
    def id(self) -> str:
        """An id for the page, made of characters that are safe in HTML."""
        return "".join(sign if sign.isalnum() else "-" for sign in self.value)


@final
@dataclass(frozen=True)
class Manner:
    """One way of doing an action, such as a weapon, and whom it may be done to; `folded` are those one rarely means."""

    words: str
    ways: tuple[Way, ...]
    folded: tuple[Way, ...] = ()
    is_unmeant: bool = False
    """Whether nobody is preselected: there are only those one rarely means."""

    @property
    def every(self) -> tuple[Way, ...]:
        return self.ways + self.folded

    @property
    def is_list(self) -> bool:
        """Whether there are too many for a line each."""
        return len(self.every) > MOST_TABS and not any(way.face for way in self.every)

    @property
    def is_single(self) -> bool:
        """Whether nothing is left to choose."""
        return len(self.every) == 1 and self.every[0].face is None


@final
@dataclass(frozen=True)
class How:
    """An action of a kind, with its price and all ways to take it."""

    key: str
    words: str
    says: str
    rule: str
    manners: tuple[Manner, ...]
    costs: tuple[CostMark, ...] = ()
    has_odds: bool = False
    ahead: Ahead | None = None

    @property
    def every(self) -> tuple[Way, ...]:
        return tuple(way for manner in self.manners for way in manner.every)

    @property
    def best(self) -> Chances | None:
        """The best chance against those one would rather do it to."""
        meant = (manner for manner in self.manners if not manner.is_unmeant)
        known = (way.chances for manner in meant for way in manner.ways if way.chances)
        return max(known, key=lambda each: each.worth, default=None)


@final
@dataclass(frozen=True)
class ActionKind:
    """A kind of actions: the first thing one chooses."""

    words: str
    icon: str
    hows: tuple[How, ...]

    @property
    def best(self) -> Chances | None:
        """The best chance of anything of this kind."""
        return max((how.best for how in self.hows if how.best), key=lambda each: each.worth, default=None)

    @property
    def has_odds(self) -> bool:
        return any(how.has_odds for how in self.hows)


@final
@dataclass(frozen=True)
class TurnChoice:
    """Everything one may do with a turn."""

    who: str
    kinds: tuple[ActionKind, ...]
    again: Way | None = None
    """What one did last, if it may be done again."""
    left: str = ""
    """What is left of the turn, in words."""
    later: bool = False
    """Whether what is done now takes effect later."""

    @property
    def ways(self) -> Iterator[Way]:
        return (way for kind in self.kinds for how in kind.hows for way in how.every)


def turn_choice(
    view: TableView,
    who: str,
    options: Iterable[ActionChoice],
    odds: Mapping[str, Chances],
    played: EncounterPanel | None,
    last: str = "",
) -> TurnChoice:
    """The options of a turn, by kind, action, manner and target."""
    by_action: dict[str, list[ActionChoice]] = {}
    for option in options:
        by_action.setdefault(option.part, []).append(option)
    hows = {key: _how(view, who, some, odds, played) for key, some in by_action.items()}
    kinds = tuple(_kinds(view, hows))
    again = next((_repeated(how, way) for how in hows.values() for way in how.every if way.value == last), None)
    turn = next((each for each in played.order if each.name == who), None) if played else None
    left = _left(view, who, turn.left, played.kind) if turn and played and turn.left else ""
    return TurnChoice(who, kinds, again, left, _is_later(view, who, played))


def _left(view: TableView, who: str, count: int, kind: str) -> str:
    """What is left of a turn, as prices of the same kind are written."""
    places = view.look.encounters.get(kind)
    cost = view.look.costs.get(places.left) if places else None
    if cost is not None and cost.many and count > 1:
        return WORDS.say("pick.left-of", who=who, what=cost.many.format(n=count))
    return WORDS.say("pick.last", who=who) if count == 1 else WORDS.say("pick.left", who=who, count=count)


def _repeated(how: How, way: Way) -> Way:
    words = f"{how.words}: {way.value.partition(' ')[2]}" if " " in way.value else how.words
    return replace(way, words=words, ahead=how.ahead.prompt if how.ahead else "", has_odds=how.has_odds)


def _kinds(view: TableView, hows: Mapping[str, How]) -> Iterator[ActionKind]:
    """The groups that a system declares, and everything else; without groups there is one kind."""
    groups = view.look.groups_in()
    grouped = set[str]()
    for group in groups:
        mine = {key: how for key, how in hows.items() if named_in(group, key)}
        found = tuple(sorted(mine.values(), key=lambda how: place_in(group, how.key)))
        grouped |= mine.keys()
        if found:
            yield ActionKind(group.words, group.icon, found)
    rest = tuple(how for key, how in hows.items() if key not in grouped)
    if rest:
        yield ActionKind(WORDS.say("pick.other" if groups else "pick.all"), "other", rest)


def _how(
    view: TableView,
    who: str,
    options: list[ActionChoice],
    odds: Mapping[str, Chances],
    played: EncounterPanel | None,
) -> How:
    action, part = options[0].action, options[0].part
    words, cites = view.system.action_words(part), action.citing(view.scene, options[0].arguments)
    target = _target(action, options)
    manners: dict[tuple[str, ...], list[ActionChoice]] = {}
    for option in options:
        rest = tuple(_value_words(view.system, name, each) for name, each in asked_of(option).items() if name != target)
        manners.setdefault(rest, []).append(option)
    if target is None or len(manners) > MOST_TABS:
        ways = tuple(_way(view, each, None, odds, played, who) for each in options)
        found: tuple[Manner, ...] = (Manner("", ways),)
    else:
        wanted = view.look.targets_of(part).first
        found = tuple(
            _manner(view, ", ".join(filter(None, rest)), some, target, odds, played, who, wanted)
            for rest, some in manners.items()
        )
    costs = tuple(costs_of(view, action, options[0].who))
    ahead = asked_ahead(view, options[0])
    rule = action.rule.id if cites is action.rule else cites.cites
    return How(part, words, action.rule.says, rule, found, costs, action.bands.has_stake, ahead)


def asked_of(option: ActionChoice) -> Mapping[str, Any]:
    """What says how it is done: its arguments, but for the option of a family, which is what is done."""
    family = option.action.family
    return {name: each for name, each in option.arguments.items() if family is None or name != family.name}


def named_in(group: ActionGroup, part: str) -> bool:
    """Whether a group names an action, or an option of a family, or the whole family."""
    return part in group.of or part.partition("/")[0] in group.of


def place_in(group: ActionGroup, part: str) -> int:
    """Where in a group it stands."""
    return group.of.index(part if part in group.of else part.partition("/")[0])


def _target(action: Action[Any], options: list[ActionChoice]) -> str | None:
    """The argument that says whom it is done to: the first that is somebody."""
    given = options[0].arguments
    return next((name for name in action.picks if isinstance(given.get(name), Who)), None)


def _manner(
    view: TableView,
    words: str,
    options: list[ActionChoice],
    target: str,
    odds: Mapping[str, Chances],
    played: EncounterPanel | None,
    who: str,
    wanted: str,
) -> Manner:
    ways = [_way(view, each, each.arguments[target], odds, played, who) for each in options]
    ways.sort(key=lambda way: _distance(way.words, played))
    meant = [way for way in ways if wanted == "everyone" or way.face is None or _is_meant(way.face, wanted)]
    is_unmeant = not meant and any(_is_meant(turn.face, wanted) for turn in (played.order if played else ()))
    meant = meant or ways
    letters = (letter for letter in LETTERS if letter not in TAKEN)
    keyed = tuple(replace(way, key=next(letters, "")) for way in meant)
    return Manner(words, keyed, tuple(way for way in ways if way not in meant), is_unmeant)


def _is_meant(face: TokenFace, wanted: str) -> bool:
    is_foes = wanted == "foes"
    return (face.side == "foe") is is_foes and not (is_foes and face.is_out)


def _way(
    view: TableView,
    option: ActionChoice,
    target: Who[Any] | None,
    odds: Mapping[str, Chances],
    played: EncounterPanel | None,
    who: str,
) -> Way:
    found = odds.get(option.key)
    if target is None:
        said = ", ".join(
            filter(None, (_value_words(view.system, name, each) for name, each in asked_of(option).items()))
        )
        return Way(option.key, capital(said) if said else "", chances=found)
    name = target.name
    face = next((turn.face for turn in played.order if turn.name == name), None) if played else None
    by_kind = "foe" if view.relation(who, name) is Relation.FOE else "ally"
    face = face or TokenFace(name, "bystander" if played else by_kind)
    vital = next((each for each in figures(view, name) if each.strip == 1), None) if name in view.people else None
    state = view.condition_words(name) if vital is None else ""
    return Way(option.key, name, face, vital, ", ".join(filter(None, (state, _note(name, played)))), found)


def _distance(name: str, played: EncounterPanel | None) -> int:
    """How far away someone is: the nearest come first."""
    if played and played.zones:
        box = played.zones.box_of(name)
        return 0 if box is None else len(played.zones.boxes) if box.apart is None else box.apart
    lanes = played.bands if played else ()
    return next((at for at, lane in enumerate(lanes) if any(name == token.name for token in lane.tokens)), 0)


def _note(name: str, played: EncounterPanel | None) -> str:
    """Where someone is, and whether they are in cover."""
    if played is None:
        return ""
    lane = next((lane for lane in played.bands for token in lane.tokens if token.name == name), None)
    covers = (
        token.cover for each in (() if played.zones else played.lanes) for token in each.tokens if token.name == name
    )
    box = played.zones.box_of(name) if played.zones else None
    where = lane.words if lane else f"{box.name}, {box.far}" if box else ""
    return ", ".join(each for each in (where, *covers) if each)


def _value_words(system: System, name: str, value: Any) -> str:
    """The value of an argument in words; yes and no say what of."""
    key = f"values.{name}.{key_of(value)}"
    if key in system.words:
        return system.words.say(key)
    if isinstance(value, bool):
        return f"{argument_words(system, name)}: {label(system, value)}"
    return label(system, value)


def _is_later(view: TableView, who: str, played: EncounterPanel | None) -> bool:
    """Whether what someone does now takes effect later, as the encounter says."""
    places = view.look.encounters.get(played.kind) if played else None
    asked: Any = (
        getattr(view.state.get(played.name), places.later, None) if played and places and places.later else None
    )
    if asked is None:
        return False
    try:
        return bool(asked(view.scene, who))
    except (NotKnown, RefereeError):
        return False
