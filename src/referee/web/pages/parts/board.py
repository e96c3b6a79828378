"""The scene as a picture: encounters with rounds, turn order and range bands, and the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, final

from referee.core.agenda import playing
from referee.core.encounter import Encounter
from referee.core.errors import NotKnown, RefereeError
from referee.core.look import Places, TokenMarks
from referee.core.plain import Plain, read
from referee.core.relation import Relation, by_sides
from referee.core.rulebook import figure
from referee.core.rules import RULES
from referee.core.scene import Who
from referee.core.system import System
from referee.core.wording import capital, class_words, phrase, spaced
from referee.kits.chases import Pursuit
from referee.kits.posts import Phased
from referee.kits.rounds import Rounds
from referee.kits.zones import ZoneMap
from referee.table.portraits import Portrait
from referee.web.pages.book.search import title_of as rule_title
from referee.web.pages.faces import drawn_face
from referee.web.pages.page import WORDS
from referee.web.pages.parts.chase import ChaseBoard, chase_board
from referee.web.pages.parts.crew import CrewBoard, crew_board
from referee.web.pages.parts.journeys import JourneyBoard, journey_board
from referee.web.pages.parts.zones import ZoneBoard, zone_board
from referee.web.pages.table_view import TableView

ROUNDS: Final = Places(
    round="round", order="scores", left="left", turn="group", sides="sides", out="gone", waiting="deferred"
)
"""How rounds of turns are drawn where a system says nothing about them."""


@final
@dataclass(frozen=True)
class TokenFace:
    """Someone as a picture: two letters in a shape, round for one's own side and square for the others."""

    name: str
    side: str
    """`you`, `ally`, `foe`, or `bystander` for someone who takes no part."""
    hidden: bool = False
    """Whether only the game master sees them."""
    is_out: bool = False
    portrait: Portrait | None = None
    campaign: str = ""
    """The id of the campaign that keeps the picture."""
    drawn: str = ""
    """Where a face from the samples is, for somebody without a picture of their own."""

    @property
    def letters(self) -> str:
        """The initials of several words, or the first two letters of one; a number at the end tells namesakes apart."""
        words = self.name.split()
        if words[-1].isdecimal():
            words = [words[0], words[-1][-1]]
        short = "".join(word[0] for word in words[:2]) if len(words) > 1 else self.name[:2]
        return short[:1].upper() + short[1:]


@final
@dataclass(frozen=True)
class Turn:
    """Someone in the turn order."""

    face: TokenFace
    score: int | None
    left: int
    of: int
    """How many actions a round has."""
    is_now: bool
    is_done: bool
    """Whether nothing is left to them in this round."""

    @property
    def name(self) -> str:
        return self.face.name

    @property
    def is_out(self) -> bool:
        return self.face.is_out

    @property
    def dots(self) -> list[bool]:
        """The actions of the round, those that are left first."""
        return [at < self.left for at in range(max(self.of, self.left))]


@final
@dataclass(frozen=True)
class BoardToken:
    """Someone on the board."""

    face: TokenFace
    pair: str = ""
    """The key under which the distance from whoever looks is stored."""
    cover: str = ""
    """If they have some: what that is called."""
    notes: tuple[str, ...] = ()
    """What else is marked about them, in words."""

    @property
    def name(self) -> str:
        return self.face.name


@final
@dataclass(frozen=True)
class Lane:
    """A part of the board and who is there, in groups; people in one group are locked together."""

    words: str
    groups: tuple[tuple[BoardToken, ...], ...] = ()
    number: int | None = None
    """The distance it stands for."""
    is_self: bool = False

    @property
    def tokens(self) -> tuple[BoardToken, ...]:
        return tuple(token for group in self.groups for token in group)


@final
@dataclass(frozen=True)
class Runner:
    """A side of a race."""

    words: str
    tokens: tuple[BoardToken, ...]
    points: int
    share: float
    """How far it has come, of those who have come furthest."""
    is_ahead: bool


@final
@dataclass(frozen=True)
class RaceBoard:
    """An encounter that is run for points."""

    runners: tuple[Runner, ...]
    played: int
    of: int
    now: str
    """What this round brings."""
    says: str = ""
    """What is said of those who are ahead just now."""

    @property
    def steps(self) -> list[bool]:
        """The rounds there are; those that were played first."""
        return [at < self.played for at in range(max(self.of, self.played))]

    @property
    def lead(self) -> str:
        """Who is ahead, and by how much."""
        first, *others = sorted(self.runners, key=lambda each: -each.points)
        by = first.points - max((each.points for each in others), default=0)
        return WORDS.say("race.leads", who=first.words, by=by) if by else WORDS.say("race.level")


@final
@dataclass(frozen=True)
class EncounterPanel:
    """An encounter in progress: a fight, a chase."""

    name: str
    kind: str
    title: str
    round: int | None
    phase: str
    order: tuple[Turn, ...]
    lanes: tuple[Lane, ...]
    seen_from: str
    field: str
    """The field that holds the distances."""
    waiting: tuple[str, ...] = ()
    """Whose results wait until others have acted."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else is known of it, in words."""
    over: str = ""
    within: str = ""
    """The name of the encounter it stands inside."""
    is_played: bool = False
    """Whether it is the one of several that the table plays now."""
    zones: ZoneBoard | None = None
    race: RaceBoard | None = None
    chase: ChaseBoard | None = None
    crew: CrewBoard | None = None
    phases: tuple[tuple[str, bool], ...] = ()
    """What it goes through, and whether it is there now."""
    journey: JourneyBoard | None = None

    @property
    def now(self) -> tuple[str, ...]:
        """Whose turn it is."""
        return tuple(turn.name for turn in self.order if turn.is_now)

    @property
    def bands(self) -> tuple[Lane, ...]:
        """The lanes that are distances, beginning with the nearest."""
        return tuple(lane for lane in self.lanes if lane.number is not None)


@final
@dataclass(frozen=True)
class Now:
    """What the clock shows."""

    text: str
    deadlines: tuple[str, ...]


def title_of(system: System, kind: str, name: str = "") -> str:
    """What an encounter is called: by its kind, and by its number if it is not the first of the kind."""
    key = f"encounters.{kind}"
    title = system.words.say(key) if key in system.words else f"The {class_words(kind)}"
    return f"{title} ({name})" if name.rpartition(" ")[2].isdecimal() else title


def kinds_of(system: System) -> dict[str, Places]:
    """The kinds of encounters of a system, and how each is drawn."""
    drawn = system.look.encounters
    found = [kind for kind in system.kinds if kind.__name__ in drawn or issubclass(kind, Encounter)]
    return {
        kind.__name__: drawn.get(kind.__name__) or (ROUNDS if issubclass(kind, Rounds) else Places()) for kind in found
    }


def encounters(view: TableView, seen_from: str | None) -> tuple[EncounterPanel, ...]:
    """The encounters in progress, drawn as the system declares."""
    kinds = kinds_of(view.system)
    found = []
    for name, plain in view.data["scene"].items():
        places = kinds.get(plain.get("kind", ""))
        if places is not None:
            found.append(_encounter(view, name, plain, places, seen_from))
    if len(found) < 2:
        return tuple(found)
    played = _played(view)
    return tuple(replace(each, is_played=each.name == played) for each in found)


def _played(view: TableView) -> str:
    """The encounter that the table plays now, as far as the seat knows."""
    try:
        who = playing(view.scene)
    except (NotKnown, RefereeError):
        return ""
    return who.name if who else ""


def _encounter(
    view: TableView, name: str, plain: Mapping[str, Plain], places: Places, seen_from: str | None
) -> EncounterPanel:
    value: Any = view.state.get(name)
    over = _asked_of(value, "told_ending", view, view.scene.who(name))
    sides = [[str(each) for each in side] for side in plain.get(places.sides) or ()]
    scores: dict[str, int] = dict(plain.get(places.order) or {})
    fighters = [each for side in sides for each in side]
    party = [str(each) for each in plain.get("party") or ()] if places.journey else []
    names = [each for each in (party or fighters or sorted(scores) or view.people) if each in view.data["scene"]]
    now = tuple(_asked_of(value, places.turn, view)) if places.turn else ()
    origin = seen_from if seen_from in names else str(next(iter([*now, *names]), ""))
    out = {*(plain.get(places.out) or ()), *_asked_of(value, "out", view)}
    faces = {each: _face(view, sides, each, seen_from, is_out=each in out or view.is_out(each)) for each in names}
    return EncounterPanel(
        name,
        str(plain["kind"]),
        title_of(view.system, str(plain["kind"]), name),
        plain.get(places.round),
        str(plain.get(places.phase) or ""),
        tuple(_turns(view, plain, places, faces, now)),
        tuple(_lanes(view, plain, places, origin, faces, sides)),
        origin,
        places.bands,
        tuple(str(each["by"]) for each in plain.get(places.waiting) or () if each.get("by") in faces),
        () if str(plain["kind"]) in view.look.encounters else tuple(_facts(plain, places)),
        str(over or ""),
        str(plain.get("within") or ""),
        zones=_zones(plain, places, faces, origin),
        race=_race(view, plain, places, faces),
        chase=_chase(view, value, plain, places, faces),
        crew=_crew(view, value, plain, places),
        phases=tuple((each, each == plain.get(places.phase)) for each in places.phases),
        journey=journey_board(view, value, places.journey, faces, origin) if places.journey else None,
    )


def _zones(plain: Mapping[str, Plain], places: Places, faces: Mapping[str, TokenFace], origin: str) -> ZoneBoard | None:
    """The map of zones, if the encounter has one with zones on it."""
    found: ZoneMap | None = read(ZoneMap, plain[places.zones]) if plain.get(places.zones) else None
    if found is None or not found.zones:
        return None
    return zone_board(found, places.zones, origin, tuple(_grouped(plain, places, faces, origin)))


def _race(
    view: TableView, plain: Mapping[str, Plain], places: Places, faces: Mapping[str, TokenFace]
) -> RaceBoard | None:
    race = places.race
    if race is None:
        return None
    points: dict[str, int] = dict(plain.get(race.points) or {})
    tokens = {each.name: each for group in _grouped(plain, places, faces, "") for each in group}
    most = max((*points.values(), 1))
    ahead = plain.get(race.ahead) or ()
    sides: Plain = plain.get(places.sides) or []
    runners = tuple(
        Runner(
            capital(name),
            tuple(tokens[each] for each in side if each in tokens),
            points.get(name, 0),
            max(0, points.get(name, 0)) / most,
            any(each in ahead for each in side),
        )
        for name, side in zip(race.names, sides, strict=False)
    )
    return RaceBoard(
        runners,
        int(plain.get(race.played) or 0),
        int(plain.get(race.of) or 0),
        str(plain.get(race.now) or ""),
        race.says,
    )


def _chase(
    view: TableView, value: Any, plain: Mapping[str, Plain], places: Places, faces: Mapping[str, TokenFace]
) -> ChaseBoard | None:
    if places.chase is None or not isinstance(value, Pursuit):
        return None
    tokens = {each.name: each for group in _grouped(plain, places, faces, "") for each in group}
    return chase_board(view, value, places.chase, tokens)


def _crew(view: TableView, value: Any, plain: Mapping[str, Plain], places: Places) -> CrewBoard | None:
    if places.crew is None or not isinstance(value, Phased):
        return None
    return crew_board(view, value, plain, places.crew, partial(face_of, view))


def _face(view: TableView, sides: list[list[str]], name: str, me: str | None, *, is_out: bool) -> TokenFace:
    """Someone in an encounter; friends are those on one's own side, or else the players' characters."""
    found = by_sides(tuple(map(tuple, sides)), me, name) if me else None
    is_friend = view.is_own(name) if found is None else found is not Relation.FOE
    side = "you" if name == me else "ally" if is_friend else "foe"
    return _token_face(view, name, side, is_out=is_out)


def face_of(view: TableView, name: str) -> TokenFace:
    """Someone's face, outside of any encounter."""
    side = "you" if name in view.member.controls else "ally" if view.is_own(name) else "foe"
    return _token_face(view, name, side, is_out=view.is_out(name))


def _token_face(view: TableView, name: str, side: str, *, is_out: bool) -> TokenFace:
    is_hidden, drawn = name in hidden_from_others(view), drawn_face(view.system, name)
    return TokenFace(name, side, is_hidden, is_out, view.portraits.get(name), view.id, drawn)


def hidden_from_others(view: TableView) -> frozenset[str]:
    """Who is in the scene, and only the game master knows."""
    return frozenset(view.data["scene"].get("veil", {}).get("names", ()))


def _turns(
    view: TableView, plain: Mapping[str, Plain], places: Places, faces: Mapping[str, TokenFace], now: tuple[str, ...]
) -> Iterator[Turn]:
    scores: dict[str, int] = dict(plain.get(places.order) or {})
    left: dict[str, int] = dict(plain.get(places.left) or {})
    done = plain.get(places.done) or ()
    of = view.scene[figure(places.actions.rule, places.actions.figure, int)] if places.actions else 0
    for name in sorted(faces, key=lambda each: -scores.get(each, 0)):
        is_done = name in done or (bool(places.left) and name in scores and bool(left) and not left.get(name))
        yield Turn(faces[name], scores.get(name), left.get(name, 0), of if left else 0, name in now, is_done)


def _lanes(
    view: TableView,
    plain: Mapping[str, Plain],
    places: Places,
    origin: str,
    faces: Mapping[str, TokenFace],
    sides: list[list[str]],
) -> Iterator[Lane]:
    """Distances from someone; where a system knows none, the sides; without sides, everyone in one place."""
    groups = _grouped(plain, places, faces, origin)
    if places.bands:
        apart: dict[str, int] = dict(plain.get(places.bands) or {})
        found: dict[int, list[tuple[BoardToken, ...]]] = {}
        for group in groups:
            far = {each: apart.get(each.pair, 0) for each in group if each.name != origin}
            for number in sorted(set(far.values())):
                found.setdefault(number, []).append(tuple(each for each in far if far[each] == number))
        held = tuple(each for group in groups for each in group if each.name == origin)
        yield Lane(WORDS.say("scene.you") if faces[origin].side == "you" else origin, (held,), is_self=True)
        for at in range(max([places.furthest - 1, *found]) + 1):
            yield Lane(distance_words(view.system, at), tuple(found.get(at, ())), at)
        return
    for number, side in enumerate(sides or [list(faces)]):
        words = _side_words(faces, side, number, len(sides)) if sides else WORDS.say("scene.here")
        words = "" if len(side) == 1 and len(sides) > 1 else words  # whoever stands there says it
        yield Lane(words, tuple(group for group in groups if group[0].name in side))


def _side_words(faces: Mapping[str, TokenFace], side: list[str], number: int, count: int) -> str:
    """What a side is called: one's own and the other one, if whoever looks is on one of two."""
    if count != 2 or not any(face.side == "you" for face in faces.values()):
        return WORDS.say("scene.side", number=number + 1)
    is_own = any(each in faces and faces[each].side == "you" for each in side)
    return WORDS.say("scene.own-side" if is_own else "scene.other-side")


def _grouped(
    plain: Mapping[str, Plain], places: Places, faces: Mapping[str, TokenFace], origin: str
) -> list[tuple[BoardToken, ...]]:
    """Everyone as a token, those who are locked together in one group; whoever looks stands alone."""
    tokens = places.tokens or TokenMarks()
    cover = plain.get(tokens.cover) or ()
    called = places.marks.get(tokens.cover) or spaced(tokens.cover)
    shown = {
        field: words for field, words in places.marks.items() if field not in (tokens.cover, places.out, places.done)
    }
    made = {
        name: BoardToken(
            face,
            " ".join(sorted((origin, name))),
            called if name in cover else "",
            tuple(words for field, words in shown.items() if name in (plain.get(field) or ())),
        )
        for name, face in faces.items()
    }
    pairs = [tuple(map(str, pair)) for pair in plain.get(tokens.engaged) or ()]
    group_of = {name: {name} for name in made}
    for pair in pairs:
        if all(each in made for each in pair) and (origin not in pair or not places.bands):
            joined = set().union(*(group_of[each] for each in pair))
            group_of.update(dict.fromkeys(joined, joined))
    unique = {id(group): group for group in group_of.values()}
    return [tuple(made[name] for name in made if name in group) for group in unique.values()]


def _facts(plain: Mapping[str, Plain], places: Places) -> Iterator[tuple[str, str]]:
    """What an encounter knows and the board does not draw, where the system says nothing about its look."""
    drawn = {"kind", "within", places.round, places.order, places.left, places.sides, places.out, places.waiting}
    for name, value in plain.items():
        if name not in drawn and value not in (None, False, 0, "", [], {}):
            yield spaced(name), phrase(value)


def _asked_of(value: Any, method: str, view: TableView, *more: Who[Any]) -> Any:
    """What an encounter answers about itself, as far as the seat knows."""
    found = getattr(value, method, None) if method else None
    if found is None:
        return ()
    try:
        return found(view.scene, *more)
    except (NotKnown, RefereeError):
        return ()


def distance_words(system: System, distance: int) -> str:
    """A distance as the system calls it; beyond its last name every distance is called like that."""
    own = [text for key, text in system.words.texts.items() if key.startswith("distances.")]
    return own[min(distance, len(own) - 1)] if own else WORDS.say("scene.distance", number=distance)


def clock(view: TableView) -> Now:
    """The time, largest unit first, and the deadlines to come."""
    time = view.data["time"]
    moved = bool((view.data["scene"].get("clock") or {}).get("now"))
    return Now(str(time["now"]) if moved else "", tuple(map(_due, time["deadlines"])))


def due_for(view: TableView, name: str) -> Iterator[str]:
    """What will come due for someone, as far as this seat knows."""
    for each in view.data["time"]["deadlines"]:
        if each["who"] == name:
            key = "clock.own-about" if each["about"] else "clock.own"
            yield WORDS.say(key, rule=_comes(str(each["rule"])), about=each["about"], after=each["in"])


def _due(deadline: Mapping[str, Plain]) -> str:
    key, who = "clock.due-about" if deadline["about"] else "clock.due", capital(str(deadline["who"]))
    return WORDS.say(key, who=who, rule=_comes(str(deadline["rule"])), about=deadline["about"], after=deadline["in"])


def _comes(rule: str) -> str:
    """What comes due: what the rule itself does, rather than the chapter it stands in."""
    return RULES[rule].title if rule in RULES else rule_title(rule)


def who_of(view: TableView, name: str) -> Who[Any]:
    return Who(name, view.system.sheet)
