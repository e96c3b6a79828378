"""How a system wants to look: `look.yaml` in its folder. Without one, a system is shown only by its fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

from referee.core.errors import BadInput
from referee.core.files import load_yaml_file
from referee.core.plain import read
from referee.core.rulebook import Book

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "look.yaml"
_COLOUR: Final = re.compile("#[0-9a-f]{6}")
MOST_IN_STRIP: Final = 2
"""How many vitals fit into the strip of turns."""
MOST_GROUPS: Final = 4
"""How many kinds of actions a system may name; what belongs to none of them makes one more."""


@final
@dataclass(frozen=True)
class Vital:
    """A figure that everyone watches: a field of the sheet, or a formula of the rulebook."""

    words: str
    field: str = ""
    """A field; `attributes.Strength` is one level of it."""
    of: str = ""
    """The field with its maximum, if there is one."""
    formula: str = ""
    full: str = ""
    """The formula of its maximum, where no field has it."""
    drawn: Literal["bar", "squares", "rounds", "gems", "figure", "text"] = "figure"
    tone: Literal["health", "calm", "warning", "plain"] = "plain"
    rule: str = ""
    strip: int = 0
    """Its place in the strip of turns: 1 or 2; 0 leaves it out."""
    option: str = ""
    """The option it is shown with, as in a rulebook: `rule.id` or `rule.id=choice`; so it is for other parts."""

    def __post_init__(self) -> None:
        if not 0 <= self.strip <= MOST_IN_STRIP:
            raise BadInput("strip", f"must be 0 to {MOST_IN_STRIP}, not {self.strip}")


@final
@dataclass(frozen=True)
class Tiles:
    """A field of levels, a few of which are always visible."""

    field: str
    names: tuple[str, ...]
    otherwise: int | str = 0
    """What stands where the sheet lists none: a level, or a dice code as it is written."""
    option: str = ""


WITH: Final = "{with}"


@final
@dataclass(frozen=True)
class Typical:
    """A chance that says how good somebody is: of a plain roll with that one of some lines which promises most."""

    words: str
    """What comes of it, with a place for the line: `hits a target at difficulty 10 with {with}`."""
    of: tuple[str, ...] = ()
    """The lines, each with what is narrower than it; without any, those learned best that no other chance is about."""
    given: dict[str, int | str] = field(default_factory=dict)
    """What else the roll is about: the difficulty."""

    def __post_init__(self) -> None:
        if WITH not in self.words:
            raise BadInput("words", f"must have a place for the line, {WITH}")


@final
@dataclass(frozen=True)
class KindLook:
    """How something in the scene that is nobody is drawn: a vehicle, a community, a place."""

    words: str = ""
    """What it is called; without, the name of its class in words."""
    vitals: tuple[Vital, ...] = ()
    chips: tuple[str, ...] = ()
    """Fields with conditions or names, each a name or a list of names."""
    tiles: Tiles | None = None
    quiet: tuple[str, ...] = ()
    """Fields that only rules read."""
    option: str = ""


@final
@dataclass(frozen=True)
class Rolls:
    """The action that a line of the sheet rolls, and the argument the line fills."""

    action: str
    argument: str
    learned: str = ""
    """The field with the levels that were learned."""
    typical: tuple[Typical, ...] = ()
    """What is said of somebody's chances where people are chosen from a list."""
    option: str = ""
    against: str = ""
    """The argument that says how hard the roll is: chances before and after are shown for any value of it."""


@final
@dataclass(frozen=True)
class ActionsOfRound:
    """How many actions a round has, as a figure of the rulebook: the strip of turns shows what is left of them."""

    rule: str
    figure: str


@final
@dataclass(frozen=True)
class TokenMarks:
    """What a token on the board shows besides its face, by fields of the encounter."""

    cover: str = ""
    """The field with the names of those in cover."""
    engaged: str = ""
    """The field with pairs of names that are locked together."""


@final
@dataclass(frozen=True)
class SheetClock:
    """A countdown on the sheet: a ring with what is left, and a sentence that says what happens at its end."""

    field: str
    """The field with the countdowns: a record, or a list of records."""
    left: str
    """The field of a record with what is left."""
    says: str
    """The sentence, with fields of the record in braces."""
    of: str = ""
    """The field of a record with the whole."""
    tone: Literal["bad", "calm"] = "bad"
    unit: str = ""
    """The unit of the game that is counted; then `{left}` is said with it: 2 rounds."""
    option: str = ""


@final
@dataclass(frozen=True)
class ItemCount:
    """Something of an item that is used up: its wear, its rounds."""

    field: str
    of: str = ""
    """The field with the whole of it."""
    most: int = 0
    """The whole of it, if it is the same for every item."""
    words: str = ""


@final
@dataclass(frozen=True)
class ItemLook:
    """How an item is drawn, by the fields of its record: a card with figures, wear and rounds."""

    figures: dict[str, str] = field(default_factory=dict)
    """Fields, and what they are called; the others are listed under their own names."""
    wear: ItemCount | None = None
    rounds: ItemCount | None = None
    marks: dict[str, str] = field(default_factory=dict)
    """Fields that are true or false, and what it means that they are true."""
    hidden: tuple[str, ...] = ()
    """Fields that are not shown."""


WayToHandle: TypeAlias = Literal["give", "take", "held", "worn", "carried", "dropped", "buy"]
"""A way to handle a thing: it changes hands, is put somewhere, or is bought."""


@final
@dataclass(frozen=True)
class ThingAction:
    """An action by which somebody handles a thing, and the arguments that say how."""

    action: str
    thing: str
    """The argument with the name of the thing."""
    other: str = ""
    """The argument with whom it is given to, or taken from."""
    place: str = ""
    """The argument with where it is put: held, worn, carried or dropped."""
    amount: str = ""
    """The argument with how many."""
    price: str = ""
    """The argument with the price it is bought at."""


@final
@dataclass(frozen=True)
class DieLook:
    """How dice of a kind are told apart: by shape, colour and letter."""

    shape: Literal["square", "hexagon", "octagon", "cartridge", "circle", "dashed", "diamond", "kite", "pentagon"] = (
        "square"
    )
    tone: Literal["base", "skill", "gear", "ammo", "stress", "negative", "artifact"] = "base"
    letter: str = ""


@final
@dataclass(frozen=True)
class ActionGroup:
    """A kind of actions, the first thing one chooses at one's turn."""

    words: str
    of: tuple[str, ...]
    """Its actions, in the order in which they are shown; one option of a family is `use-skill/climb`."""
    icon: Literal["attack", "defend", "move", "help", "other"] = "other"
    encounter: str = ""
    """The kind of encounter it is for; while none of that kind is played it is not shown."""
    option: str = ""


@final
@dataclass(frozen=True)
class Targets:
    """Whom the list of targets of an action starts with; the others are folded away below them."""

    first: Literal["foes", "friends", "everyone"] = "foes"


@final
@dataclass(frozen=True)
class Aims:
    """An argument that says what is aimed for, where luck may bring the same: the odds of both stand side by side."""

    argument: str
    prompt: str
    """The offer by which luck brings it."""
    counts: str
    """What is counted beside the bands of a result (`extra`): that it was brought."""
    meant: str
    """What it is called to go for it."""
    lucky: str
    """What it is called to leave it to luck."""


@final
@dataclass(frozen=True)
class Prospect:
    """What outcome bands mean for whom something is done to, beside whom one picks from: `{chance} goes down`."""

    bands: tuple[str, ...]
    says: str


@final
@dataclass(frozen=True)
class CostWords:
    """How a price is written on a button: a mark, and words for one and for more."""

    words: str
    many: str = ""
    """The words for more than one, with `{n}` for the number; without them those for one are used."""
    last: str = ""
    """The words if nothing is left afterwards."""
    mark: Literal["dot", "gem", "round"] = "dot"


@final
@dataclass(frozen=True)
class Race:
    """An encounter that is run for points: who is ahead, and for how long it goes on."""

    points: str
    """The field with the points of each side, by its name."""
    names: tuple[str, ...]
    """The names of the sides, in their order."""
    played: str = ""
    """The field with the number of rounds that were played."""
    of: str = ""
    """The field with the number of rounds there are."""
    now: str = ""
    """The field with what this round brings, in words."""
    ahead: str = ""
    """The field with the names of those who are ahead just now."""
    says: str = ""
    """What is said of them."""


GAP: Final = "{gap}"


@final
@dataclass(frozen=True)
class ChaseLook:
    """A chase drawn as a road (`kits.chases.Pursuit`): the quarry at its head, those who follow in bands behind."""

    bands: str = "bands"
    """The method with the bands behind the quarry, given the scene."""
    quarry: str = ""
    """What the head of the road is called."""
    ahead: str = ""
    """What that is called which lies ahead."""
    gap: str = ""
    """How a gap is written, with a place for the number: `{gap} m behind`. Without it, the band says enough."""
    control: str = ""
    """The action by which speed and maneuver are declared: a grid sets both with one tap."""
    speed: str = ""
    """Its argument with the speed."""
    maneuver: str = ""
    """Its argument with the maneuver."""
    secret: str = ""
    """The prompt by which plans are laid face down."""
    placed: bool = False
    """Whether the game master moves everybody, from band to band."""

    def __post_init__(self) -> None:
        if self.gap and GAP not in self.gap:
            raise BadInput("gap", f"must have a place for the number, {GAP}")
        if bool(self.control) != bool(self.speed and self.maneuver):
            raise BadInput("control", "an action comes with its two arguments, speed and maneuver")


@final
@dataclass(frozen=True)
class StationLook:
    """A post as a place on the screen: what it is called, whose post it is, and in which phase it acts."""

    words: str
    post: str
    skill: str = ""
    phase: str = ""


@final
@dataclass(frozen=True)
class CrewLook:
    """Movers with posts (`kits.posts.Phased`): stations with people and orders, systems with their damage."""

    stations: tuple[StationLook, ...]
    systems: str = "systems"
    """The method with the systems of a mover, given the scene and its name."""
    line: str = ""
    """How far apart they are, with a place for a field: `{gap} m apart`."""


@final
@dataclass(frozen=True)
class Outcomes3:
    """Outcome bands of which three things may come: they are drawn beside each other, each with a shape of its own."""

    good: tuple[str, ...]
    same: tuple[str, ...]
    bad: tuple[str, ...]

    @property
    def every(self) -> tuple[tuple[str, ...], ...]:
        return (self.good, self.same, self.bad)


JourneyIcon: TypeAlias = Literal[
    "boot", "eye", "leaf", "bow", "straight", "tent", "bed", "search", "food", "drop", "fuel", "bag", "hand", "fish"
]


@final
@dataclass(frozen=True)
class JourneyRole:
    """Something to do in a quarter, as a tile."""

    icon: JourneyIcon = "straight"
    says: str = ""
    rolls: bool = True
    """Whether it takes a roll, whose chance the tile shows."""


@final
@dataclass(frozen=True)
class JourneySupply:
    """What a party uses up, and for how long it lasts."""

    words: str
    formula: str
    """How much somebody has, given the scene and them."""
    each: int = 0
    """How much each traveller takes in a day; 0 if it is not counted by days."""
    icon: JourneyIcon = "bag"


@final
@dataclass(frozen=True)
class JourneyLook:
    """An expedition as a screen: the day in quarters, a tile for each thing to do, the map, supplies in days."""

    quarters: tuple[str, ...]
    """What the quarters of the day are called; the first begins at moment 0."""
    roles: dict[str, JourneyRole]
    """The tiles, in their order, by the value of the argument."""
    action: str
    """The action by which somebody says what they do."""
    argument: str
    take_back: str = ""
    """The action by which somebody chooses again."""
    unit: str = "quarter day"
    dawn: int = 6
    """The hour of the day at which the first quarter begins."""
    map: dict[str, Literal["wood", "hill", "open", "water", "swamp", "ruin"]] = field(default_factory=dict)
    """How terrain is drawn on the map, by its name."""
    supplies: tuple[JourneySupply, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    """Fields of the journey that are told beside the day, and what they are called."""


@final
@dataclass(frozen=True)
class CardTable:
    """A game with hands of cards: its piles, what it asks about them, and what cards are worth."""

    hand: str
    """The name of the pile that is somebody's hand; so for the others."""
    deck: str = ""
    spent: str = ""
    flip: str = ""
    """The pile with the cards of somebody's flip."""
    turn: str = ""
    """The prompt by which the top card is turned."""
    first: str = ""
    """The prompt by which a card from the hand begins a flip."""
    counts: str = ""
    """The prompt by which a stack is chosen that counts."""
    values: str = ""
    """The formula of what cards are worth: `card_hands.CardValues`, given the scene."""
    trump: str = ""
    """The formula of the trump suits, given the scene, a person and a stat."""
    stat: str = ""
    """The rule of that term of a sum which names the stat."""


@final
@dataclass(frozen=True)
class Begins:
    """The action by which an encounter is begun, where its rules have one."""

    action: str
    """The game master's, or that of the one person of the first side."""
    sides: tuple[str, ...]
    """The arguments that hold the people of each side; of one that is a single person, the side is that person."""
    leaders: tuple[str, ...] = ()
    """The arguments that hold who leads each side."""
    leader: str = ""
    """Where a side is a unit: the field of the unit with its leader."""
    members: str = ""
    """Where a side is a unit: the field of the unit with its members."""


@final
@dataclass(frozen=True)
class Places:
    """How an encounter is drawn, by its fields."""

    round: str = ""
    phase: str = ""
    order: str = ""
    """The field with everyone's score; the highest comes first."""
    left: str = ""
    """The field with everyone's remaining actions."""
    done: str = ""
    """The field with the names of those who have acted in this round, where actions are not counted."""
    turn: str = ""
    """The method that says whose turn it is, given the scene."""
    sides: str = ""
    bands: str = ""
    """The field with the distance between two people, by their names: `al bo`."""
    furthest: int = 4
    zones: str = ""
    """The field with a map of zones (`kits.zones.ZoneMap`)."""
    race: Race | None = None
    chase: ChaseLook | None = None
    crew: CrewLook | None = None
    phases: tuple[str, ...] = ()
    """The phases it goes through, in their order."""
    out: str = ""
    """The field with the names of those who have left it."""
    marks: dict[str, str] = field(default_factory=dict)
    """Fields that contain names, and what it means to be named there."""
    actions: ActionsOfRound | None = None
    tokens: TokenMarks | None = None
    later: str = ""
    """The method that says whether what someone does now takes effect later, given the scene and a name."""
    waiting: str = ""
    """The field with results that wait until others have acted."""
    begins: Begins | None = None
    """The action by which it is begun; without one it is put into the scene as it is."""
    journey: JourneyLook | None = None
    """How an expedition (`kits.journeys.Expedition`) is drawn."""
    option: str = ""


@final
@dataclass(frozen=True)
class Result:
    """How a result is told: words with its figures in them, and what decides whether it is good."""

    says: str
    good: str = ""
    """The field that says so."""
    bands: tuple[str, str] = ("success", "failure")
    """The bands whose words say how it went, well or not."""
    option: str = ""
    otherwise: str = ""
    """What is said of one that is not good, if that is told in other words."""


@final
@dataclass(frozen=True)
class Accent:
    """The colour of a system, each as `#rrggbb` on light and on dark paper."""

    colour: tuple[str, str]
    soft: tuple[str, str]
    """A ground of that colour."""
    ink: tuple[str, str]
    """Text upon the colour."""

    def __post_init__(self) -> None:
        for each in (*self.colour, *self.soft, *self.ink):
            if not _COLOUR.fullmatch(each):
                raise BadInput("", f"must be a colour such as #9a3d12, not {each!r}")


@final
@dataclass(frozen=True)
class Award:
    """What the game master gives players' characters when an evening is over."""

    words: str
    field: str
    also: tuple[str, ...] = ()
    """Fields that grow by the same, such as all that was ever given."""
    action: str = ""
    """The game master's action that gives it: then the field is an argument of it, whose first is the character."""
    guide: str = ""
    """The table of the rulebook that says what for, and from where to where."""
    rolled: bool = False
    """Whether it is picked from what a character has rolled in the evening."""


@final
@dataclass(frozen=True)
class Look:
    """How a system wants to look."""

    accent: Accent | None = None
    vitals: tuple[Vital, ...] = ()
    quiet: tuple[str, ...] = ()
    """Fields that only rules read: the sheet does not list them, and the story leaves their changes to the history.

    `bleeding.rolls` is one field of a record, `bleeding.*` all of them: only the story leaves these out.
    """
    chips: tuple[str, ...] = ()
    """Fields with conditions, each a name or a list of names."""
    tiles: Tiles | None = None
    rolls: Rolls | None = None
    items: str = ""
    mine: str = ""
    """The field that distinguishes players' characters from others."""
    out: str = ""
    """The field that says who takes part no more."""
    time: str = ""
    """The game master's action that lets time pass."""
    session: str = ""
    """The game master's action that begins a session."""
    awards: tuple[Award, ...] = ()
    """What characters are given at the end of an evening."""
    encounters: dict[str, Places] = field(default_factory=dict)
    kinds: dict[str, KindLook] = field(default_factory=dict)
    """By kind: how what is neither somebody nor an encounter is drawn beside the scene."""
    item: ItemLook | None = None
    handling: dict[WayToHandle, tuple[ThingAction, ...]] = field(default_factory=dict)
    """How things are handled where the game has actions for it: of several, the first that may be tried is used."""
    dice: dict[str, Literal["plain", "warning"] | DieLook] = field(default_factory=dict)
    """How the dice of a name are drawn; those of well-known names have a look already."""
    marks: dict[str, Literal["good", "bad", "plain"]] = field(default_factory=dict)
    """What the marked faces of dice mean to the roller."""
    results: dict[str, Result] = field(default_factory=dict)
    outcomes3: Outcomes3 | None = None
    groups: tuple[ActionGroup, ...] = ()
    """The kinds of actions to choose from at one's turn, before the action itself."""
    targets: dict[str, Targets] = field(default_factory=dict)
    """By action, or option of a family: whom its list of targets starts with. Without a word about it: foes."""
    aims: Aims | None = None
    consequences: tuple[Prospect, ...] = ()
    """What is told of everyone an action may be done to besides the chance that it goes well; what can happen is."""
    costs: dict[str, CostWords] = field(default_factory=dict)
    """By a field of the sheet, or of an encounter with everyone's level in it: how a price in it is written."""
    clocks: tuple[SheetClock, ...] = ()
    standing: tuple[str, ...] = ()
    """Offers that may be declined, and questions whose default may be given, once and for all, by their prompts."""
    cards: CardTable | None = None
    edited: tuple[str, ...] = ()
    """Further fields that a game master changes in play: damage and injuries where formulas make vitals of them."""
    about: tuple[str, ...] = ()
    """Fields that say in words who somebody is; the first that is not empty counts."""
    samples: tuple[str, ...] = ()
    """The samples to try first, by the names of their files."""
    ahead: tuple[str, ...] = ()
    """Offers that are answered together with the action they come first in, by their prompts."""

    def __post_init__(self) -> None:
        most = max(Counter(group.encounter for group in self.groups).values(), default=0)
        if most > MOST_GROUPS:
            raise BadInput("groups", f"must be at most {MOST_GROUPS}, not {most}")

    def targets_of(self, part: str) -> Targets:
        """Whom the list of targets starts with: of an option of a family as its own line says, or of the family."""
        return self.targets.get(part) or self.targets.get(part.partition("/")[0]) or Targets()

    def groups_in(self, encounter: str = "") -> tuple[ActionGroup, ...]:
        """The kinds of actions of an encounter; without one, those for everything else."""
        return tuple(group for group in self.groups if group.encounter == encounter)

    @property
    def _parts(self) -> tuple[Part, ...]:
        others = (each for each in (self.tiles, self.rolls) if each)
        kinds: tuple[Part, ...] = (*self.encounters.values(), *self.kinds.values())
        return (*self.vitals, *others, *kinds, *self.results.values(), *self.groups, *self.clocks)

    @property
    def options(self) -> frozenset[str]:
        """The options that parts of it depend on."""
        return frozenset(part.option for part in self._parts if part.option)

    def without(self, options: AbstractSet[str]) -> Look:
        """The look without the parts that depend on any of these options."""
        return replace(
            self,
            vitals=tuple(part for part in self.vitals if part.option not in options),
            tiles=None if self.tiles and self.tiles.option in options else self.tiles,
            rolls=None if self.rolls and self.rolls.option in options else self.rolls,
            encounters={kind: part for kind, part in self.encounters.items() if part.option not in options},
            kinds={kind: part for kind, part in self.kinds.items() if part.option not in options},
            results={kind: part for kind, part in self.results.items() if part.option not in options},
            groups=tuple(part for part in self.groups if part.option not in options),
            clocks=tuple(part for part in self.clocks if part.option not in options),
        )

    def is_quiet(self, fields: Sequence[str]) -> bool:
        """Whether the story leaves out what happens at a path of fields."""
        starts = [".".join(fields[:size]) for size in range(1, len(fields) + 1)]
        return any(each in self.quiet for each in (*starts, *(f"{each}.*" for each in starts[:-1])))


Part: TypeAlias = Vital | Tiles | Rolls | Places | KindLook | Result | ActionGroup | SheetClock


def read_look(folder: Path) -> Look:
    """The look in a system's folder, with everything any campaign may play."""
    file = folder / FILE
    return read(Look, load_yaml_file(file)) if file.exists() else Look()


def look_in(look: Look, book: Book) -> Look:
    """The look of a system in a campaign: parts that depend on an option that is off are left out."""
    off = frozenset(each for each in look.options if not book.on(each))
    return look.without(off) if off else look
