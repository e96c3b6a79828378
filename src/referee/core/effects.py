"""Effects as data: what a talent, weapon, wound or order does. There are few kinds, and one call gathers them.

No rule names a talent. It asks `applying(scene, who, tags)` and gets the modifiers, forbidden actions and changed
figures that apply, each with the rule behind it. Effects that wait ("+2 on the next attack against this target") are
stored in the scene and lose a use when they apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias, TypeVar, final

from referee.core.audience import Open
from referee.core.errors import BadInput, Refused
from referee.core.modifiers import Mod, Mods
from referee.core.plain import Levels, Plain, frozen, read
from referee.core.requests import change
from referee.core.rulebook import BOOK, Figure
from referee.core.rules import Call, rule
from referee.core.scene import Read, Scene, Who
from referee.core.trace import RUNNING, Kept, kept, note_row
from referee.core.wording import phrase

T = TypeVar("T")


@final
@frozen
class Adds:
    """More or fewer dice, pips or points; without a unit, in the usual one of the throw."""

    amount: int
    unit: str = ""


@final
@frozen
class Sets:
    """A different value for a figure of the rulebook, named `rule/path`."""

    figure: str
    to: Any


@final
@frozen
class Swaps:
    """One attribute, skill or item used in place of another."""

    this: str
    for_: str


@final
@frozen
class Grants:
    """An action that is not available otherwise."""

    action: str


@final
@frozen
class Forbids:
    """An action that may not be taken."""

    action: str


@final
@frozen
class Extra:
    """One more push, re-roll or die."""

    of: str
    times: int = 1


@final
@frozen
class At:
    """A rule that runs at a given moment."""

    moment: str
    run: str


@final
@frozen
class Caps:
    """An ability (`*` is any other) that is used at the lower of its own level and another's: Riding, on horseback."""

    of: str
    by: str
    unless: str | int = ""
    """The level of the other at which it holds nothing down any more; without one, it always does."""


Doing: TypeAlias = Adds | Sets | Swaps | Grants | Forbids | Extra | At | Caps
_FORMS: Final[dict[str, tuple[Any, str]]] = {
    "adds": (Adds, "amount"),
    "sets": (Sets, "figure"),
    "swaps": (Swaps, "this"),
    "grants": (Grants, "action"),
    "forbids": (Forbids, "action"),
    "extra": (Extra, "of"),
    "at": (At, "moment"),
    "caps": (Caps, "of"),
}
_SHARED: Final = ("when", "until", "times_until", "uses", "per", "unless")


@final
@frozen
class Effect:
    """What is done, in which situations, until when, and how often."""

    does: Doing
    when: frozenset[str] = frozenset()
    """The tags that must all be present: `[attack, ranged]`."""
    until: str | None = None
    """The moment that ends it: `round end`."""
    times_until: int = 1
    """How many such moments must pass."""
    uses: int | None = None
    per: str | None = None
    """What renews the uses: round, day, session."""
    unless: frozenset[str] = frozenset()
    """The tags of which none may be present."""

    def fits(self, situation: frozenset[str]) -> bool:
        """Whether it applies in a situation."""
        return self.when <= situation and not self.unless & situation

    @classmethod
    def from_plain(cls, plain: Plain) -> Effect:
        """`{adds: -2, when: [Wits]}`, `{adds: 2, unit: pips}`, `{sets: rule/path, to: 2}`, `{forbids: push}`."""
        if isinstance(plain, Effect):
            return plain
        kinds = [kind for kind in _FORMS if isinstance(plain, Mapping) and kind in plain]
        if len(kinds) != 1:
            raise BadInput("", f"must be one of {', '.join(_FORMS)} in {plain!r}")
        kind, first = _FORMS[kinds[0]]
        level = kind is Caps and not isinstance(plain.get("unless"), list)  # of a cap it is what lifts it, or tags
        shared = {name: v for name, v in plain.items() if name in _SHARED and not (level and name == "unless")}
        own = {first if name == kinds[0] else name: v for name, v in plain.items() if name not in shared}
        return cls(
            read(kind, own, kinds[0]),
            read(frozenset[str], shared.get("when", []), "when"),
            read(str | None, shared.get("until"), "until"),
            read(int, shared.get("times_until", 1), "times_until"),
            read(int | None, shared.get("uses"), "uses"),
            read(str | None, shared.get("per"), "per"),
            read(frozenset[str], shared.get("unless", []), "unless"),
        )

    def to_plain(self) -> Plain:
        name, (kind, first) = next((n, form) for n, form in _FORMS.items() if isinstance(self.does, form[0]))
        own = {(name if f == first else f.rstrip("_")): getattr(self.does, f) for f in kind.__slots__}
        own = {name: v for name, v in own.items() if v != "" or name not in ("unit", "unless")}
        shared = {
            "when": sorted(self.when),
            "unless": sorted(self.unless),
            "until": self.until,
            "uses": self.uses,
            "per": self.per,
        }
        times = {"times_until": self.times_until} if self.times_until != 1 else {}
        return {**own, **{n: v for n, v in shared.items() if v not in (None, []) and n not in own}, **times}


@final
@frozen
class Active:
    """An effect that applies: its source and its rule. `number` is set for effects stored in the scene."""

    effect: Effect
    source: str
    rule: str
    number: int | None = None

    @property
    def limit(self) -> tuple[str, str]:
        """What its uses are counted by: two effects of one source are counted separately."""
        return self.source, phrase(self.effect.to_plain(), whole=True)


@final
@frozen
class Lasting:
    """An effect on someone that lasts until it is used up or its moment comes. Numbers are counted per person."""

    known_by: ClassVar = ("on", "source")
    number: int
    on: str
    effect: Effect
    source: str
    rule: str
    against: str | None = None


@final
@frozen
class Effects:
    """The effects on people in this scene, and how often renewable effects were used."""

    lasting: Open[tuple[Lasting, ...]] = ()
    used: Open[tuple[tuple[str, str, str, int], ...]] = ()
    """Who used which effect of which source, and how often."""
    count: Open[Levels] = field(default_factory=Levels)
    """How many effects were ever laid on each person."""


EFFECTS: Final = Who("effects", Effects)
NONE: Final = Effects()


def _itself(level: Any) -> Any:
    return level


@final
@frozen
class ApplicableEffects:
    """The effects that apply in one situation."""

    on: Who[Any]
    active: tuple[Active, ...]
    used_up: tuple[Active, ...] = ()
    """Those of the sheet that would apply, but have no use left."""

    @property
    def mods(self) -> Mods:
        return tuple(
            Mod(a.effect.does.amount, a.source, a.rule, unit=a.effect.does.unit)
            for a in self.active
            if isinstance(a.effect.does, Adds)
        )

    def figure(self, scene: Scene, which: Figure[T]) -> T:
        """The value of a rulebook figure for this person now."""
        name = f"{which.rule}/{which.path}"
        for a in self.active:
            if isinstance(a.effect.does, Sets) and a.effect.does.figure == name:
                return which.make(a.effect.does.to, scene[BOOK])
        return scene[which]

    def check_allowed(self, action: str, *, rule: str = "", legal: tuple[str, ...] = ()) -> None:
        """Refuse, citing this rule or that of the effect, an action that an effect forbids, and say until when."""
        for a in self.active:
            if a.effect.does == Forbids(action):
                because = f"{self.on} cannot, because of {a.source}{_until(a.effect)}"
                raise Refused(action, because=because, rule=rule or a.rule, legal=legal)

    def granted(self, action: str) -> bool:
        return any(a.effect.does == Grants(action) for a in self.active)

    def knows(self, action: str) -> bool:
        """Whether an effect grants an action, or did until its uses were up."""
        return any(a.effect.does == Grants(action) for a in (*self.active, *self.used_up))

    def check_granted(self, action: str) -> None:
        """Refuse an action that an effect no longer grants because its uses are up."""
        if not self.granted(action):
            used = next(a for a in self.used_up if a.effect.does == Grants(action))
            because = f"{self.on} has used {used.source}" + (f" in this {used.effect.per}" if used.effect.per else "")
            raise Refused(action, because=because, rule=used.rule)

    def extra(self, of: str) -> int:
        return sum(
            a.effect.does.times for a in self.active if isinstance(a.effect.does, Extra) and a.effect.does.of == of
        )

    def swapped(self, name: str) -> str:
        """The name of what is used in place of an attribute or skill."""
        swaps = (a.effect.does for a in self.active if isinstance(a.effect.does, Swaps))
        return next((swap.this for swap in swaps if swap.for_ == name), name)

    def lowered(
        self, level: T, names: Iterable[str], of: Callable[[str], T], worth: Callable[[T], Any] = _itself
    ) -> tuple[T, Active | None]:
        """The lower of a level and of those that hold it down, and which effect does that, if any.

        `names` is what the level is of, `of` gives the level of another ability, `worth` what levels are compared by.
        """
        lowest, why, mine = level, None, frozenset(names)
        for a in self.active:
            does = a.effect.does
            if not isinstance(does, Caps) or does.by in mine or not (does.of == "*" or does.of in mine):
                continue
            other = of(does.by)
            is_mastered = does.unless != "" and worth(other) >= worth(read(type(other), does.unless))
            if not is_mastered and worth(other) < worth(lowest):
                lowest, why = other, a
        return lowest, why

    def at(self, moment: str) -> tuple[str, ...]:
        """The ids of the rules that run at a moment."""
        return tuple(
            a.effect.does.run for a in self.active if isinstance(a.effect.does, At) and a.effect.does.moment == moment
        )


def _until(effect: Effect) -> str:
    """Until when an effect lasts, in words; nothing if that is open."""
    if effect.until is None:
        return ""
    if effect.times_until == 1:
        return f", until the next {effect.until}"
    which = ("second", "third")[effect.times_until - 2] if effect.times_until <= 3 else f"{effect.times_until}th"
    return f", until the {which} {effect.until} from now"


def applying(scene: Scene, who: Who[Any], *tags: str, against: Who[Any] | None = None) -> ApplicableEffects:
    """Every effect on someone that applies in this situation."""
    situation = frozenset(tags)
    own = [a for a in _sheet_effects(scene, who) if a.effect.fits(situation)]
    spent = tuple(a for a in own if not _uses_left(scene, who, a))
    found = [a for a in own if a not in spent] if spent else own
    found += (
        Active(each.effect, each.source, each.rule, each.number)
        for each in _effects(scene).lasting
        if each.on == who.name and each.effect.fits(situation) and each.against in (None, against and against.name)
    )
    for a in found:
        note_row(a.rule, a.source)
    return ApplicableEffects(who, tuple(found), spent)


def effects_of_sheet(scene: Scene, who: Who[Any]) -> tuple[Active, ...]:
    """Every effect of a sheet itself, whatever the situation."""
    return tuple(_sheet_effects(scene, who))


def _sheet_effects(scene: Scene, who: Who[Any]) -> Iterable[Active]:
    """The effects of the sheet itself: talents, gear, conditions. Such a sheet has a method `effects(scene)`.

    It is asked again and again about the same sheet; one that reads nothing but itself and the rulebook is asked once.
    """
    sheet = scene[who]
    bears = getattr(sheet, "effects", None)
    if bears is None:
        return ()
    book = scene.state.unread(BOOK.name)
    known = _KNOWN.get(id(sheet))
    if known is not None and known.sheet is sheet and known.book is book and known.effects.counts():
        scene.read(BOOK.name)
        return known.effects.value
    reads = set[Read]()
    found = kept(lambda: tuple(bears(Scene(scene.state, reads))))
    scene.note_reads(reads)
    if reads <= {BOOK.name}:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(sheet)] = _Known(sheet, book, found)
    return found.value


class _Known(NamedTuple):
    """The effects of a sheet with a rulebook. It keeps the sheet, so that no other has its identity."""

    sheet: object
    book: object
    effects: Kept[tuple[Active, ...]]


MOST_KNOWN: Final = 1024
_KNOWN: Final[dict[int, _Known]] = {}


def _effects(scene: Scene) -> Effects:
    return scene.get(EFFECTS, NONE)


def _uses_left(scene: Scene, who: Who[Any], active: Active) -> bool:
    if active.effect.uses is None:
        return True
    return active.effect.uses > sum(
        n for name, *limit, n in _effects(scene).used if (name, *limit) == (who.name, *active.limit)
    )


@rule("referee.effects.lay")
async def add_effect(
    scene: Scene, on: Who[Any], effect: Effect, source: str, by: str, against: Who[Any] | None = None
) -> None:
    """Lay an effect on someone. `by` is the id of the rule that grants it."""
    await change(EFFECTS, with_effect(scene, on, effect, source, by, against), rule=by)


def with_effect(
    scene: Scene, on: Who[Any], effect: Effect, source: str, by: str, against: Who[Any] | None = None
) -> Effects:
    """The effects in a scene once another is laid on someone; kernels have no rule to await."""
    now = _effects(scene)
    number = now.count.get(on.name, 0) + 1
    laid = Lasting(number, on.name, effect, source, by, against and against.name)
    return replace(now, lasting=(*now.lasting, laid), count=now.count.but(**{on.name: number}))


def lay(on: Who[Any], effect: Effect, *, source: str = "", by: str = "", against: Who[Any] | None = None) -> Call[None]:
    """Lay an effect of the rule that is running on someone: `await lay(target, Effect(Adds(-2), until=ROUND_END))`."""
    now = RUNNING.rule
    if now is None:
        raise TypeError(f"{effect}: an effect is laid by a rule")
    return add_effect(on, effect, source or now.title, by or now.cites, against)


@rule("referee.effects.use")
async def use(scene: Scene, applied: ApplicableEffects) -> None:
    """Effects that took part lose a use, if their uses are limited."""
    for active in applied.active:
        if active.effect.uses is not None:
            await change(EFFECTS, _used(_effects(scene), applied.on, active), rule=active.rule)


def after_use(scene: Scene, applied: ApplicableEffects) -> Effects:
    """For kernels: what `use` leaves of all effects."""
    now = _effects(scene)
    for active in applied.active:
        if active.effect.uses is not None:
            now = _used(now, applied.on, active)
    return now


def _used(now: Effects, on: Who[Any], active: Active) -> Effects:
    if active.number is None:
        return replace(now, used=(*now.used, (on.name, *active.limit, 1)))
    this = (on.name, active.number)
    kept = (_with_a_use_less(each) if (each.on, each.number) == this else each for each in now.lasting)
    return replace(now, lasting=tuple(each for each in kept if each is not None))


def _with_a_use_less(laid: Lasting) -> Lasting | None:
    left = (laid.effect.uses or 0) - 1
    return replace(laid, effect=replace(laid.effect, uses=left)) if left > 0 else None


@rule("referee.effects.moment")
async def moment(scene: Scene, name: str, who: Who[Any] | None = None) -> None:
    """A moment comes (`round end`): effects that last until then end, for one person or for everyone."""
    now = _effects(scene)
    kept = []
    for each in now.lasting:
        if each.effect.until != name or (who is not None and each.on != who.name):
            kept.append(each)
        elif each.effect.times_until > 1:
            kept.append(replace(each, effect=replace(each.effect, times_until=each.effect.times_until - 1)))
    if tuple(kept) != now.lasting:
        await change(EFFECTS, replace(now, lasting=tuple(kept)))


@rule("referee.effects.lift")
async def remove_effects(scene: Scene, on: Who[Any], source: str, if_present: bool = False) -> None:
    """End the effects a source laid on someone; with `if_present` there need not be any."""
    now = _effects(scene)
    kept = tuple(each for each in now.lasting if (each.on, each.source) != (on.name, source))
    if kept == now.lasting and if_present:
        return
    if kept == now.lasting:
        raise Refused("remove effects", because=f"{on} has no effect called {source}", rule="referee.effects.lift")
    await change(EFFECTS, replace(now, lasting=kept))


@rule("referee.effects.renew")
async def renew_uses(scene: Scene, per: str, who: Who[Any]) -> None:
    """A round, day or session begins: the uses it renews are available again."""
    now = _effects(scene)
    renewed = {a.limit for a in _sheet_effects(scene, who) if a.effect.per == per}
    kept = tuple(each for each in now.used if each[0] != who.name or each[1:3] not in renewed)
    if kept != now.used:
        await change(EFFECTS, replace(now, used=kept))
