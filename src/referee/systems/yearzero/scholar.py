"""Scholar: knowledge, languages, contacts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from referee.core import Effect, Mod, Mods, Pick, Scene, action, figure, formula, frozen, lay, refuse, rows
from referee.core.effects import Adds
from referee.systems.yearzero.activities import Route
from referee.systems.yearzero.effects import OUTCOME, Outcome, effect_table
from referee.systems.yearzero.harm import check_able
from referee.systems.yearzero.rolls import Attempt, roll_once
from referee.systems.yearzero.sheet import SPECIALTIES, Helpers, Person
from referee.systems.yearzero.skills import Gear, plain
from referee.systems.yearzero.talents import LANGUAGE, parts

SUBJECT: Final = effect_table("yearzero.scholar.use", "Scholar")
EFFECTS: Final = effect_table(
    "yearzero.scholar.general-effects", "Scholar", bonus="bonus_effects", general=True, beside=SUBJECT
)

LANGUAGES: Final = "yearzero.scholar.unlearned-language"
CONTACTS: Final = "yearzero.scholar.contacts"
UNLEARNED: Final = "unlearned language"
"""The tag of social rolls in a language that was not learned."""
SOCIAL_PENALTY: Final = figure(LANGUAGES, "social_insight_influence_dm", int)
SOCIAL_BONUS: Final = figure(LANGUAGES, "bonus_to_next_social_roll_per_success", int)
LANGUAGE_SPECIALTY: Final = figure(LANGUAGES, "specialty", str)
CONTACT_SPECIALTY: Final = figure(CONTACTS, "specialty", str)

Secrecy: TypeAlias = Literal["public", "illegal", "secret"]


@frozen
class Rarity:
    """How rare a language is."""

    name: str
    dm: int
    examples: tuple[str, ...] = ()


@frozen
class Topic:
    """What one wants to understand of a foreign language."""

    name: str
    dm: int
    x: int


@frozen
class FactionScore:
    """How well somebody knows a faction."""

    name: str
    level: int
    dm: int
    meaning: str = ""


@frozen
class Faction:
    """A faction one has no tie to, by its size."""

    name: str
    public: int
    illegal: int
    secret: int


RARITIES: Final = rows(LANGUAGES, "rarity", Rarity)
TOPICS: Final = rows(LANGUAGES, "understanding", Topic)
FACTION_SCORES: Final = rows(CONTACTS, "faction_score", FactionScore, by="level")
FACTIONS: Final = rows(CONTACTS, "no_connection", Faction)


# --- languages --------------------------------------------------------------------------------------------------------


LEARNED: Final = "learned"
"""A language that everybody here speaks well."""


def ranked(scene: Scene, who: Person) -> tuple[str, ...]:
    """The languages somebody has a rank of fluency in."""
    known = (parts(name) for name in scene[who].talents)
    return tuple(about for base, about in known if base in (LANGUAGE, "Linguist"))


def languages_for(scene: Scene, who: Person) -> tuple[str, ...]:
    return (LEARNED, *scene[RARITIES].names, *ranked(scene, who))


def check_language(scene: Scene, who: Person, language: str) -> None:
    """One that was learned, by its rank of fluency, or how rare it is; the book names examples."""
    if how_rare(scene, language) is None and language not in languages_for(scene, who):
        refuse(f"how rare is {language}?", what=language, rule=LANGUAGES, legal=languages_for(scene, who))


Language: TypeAlias = Annotated[str, Pick(languages_for, check_language)]
"""A language with a rank of fluency, `learned`, or how rare one is that was not learned."""


def how_rare(scene: Scene, language: str) -> str | None:
    """How rare a language is that the book names, or that is named by its rarity."""
    return next((row.name for row in scene[RARITIES] if language in (row.name, *row.examples)), None)


def rarities(scene: Scene, who: Person) -> tuple[str, ...]:
    return scene[RARITIES].names


def check_rarity(scene: Scene, who: Person, language: str) -> None:
    """How rare it is, or a language that the book names."""
    if how_rare(scene, language) is None:
        refuse(f"how rare is {language}?", what=language, rule=LANGUAGES, legal=rarities(scene, who))


Unlearned: TypeAlias = Annotated[str, Pick(rarities, check_rarity)]
"""A language that was not learned, by how rare it is or by its name."""


@formula(f"{LANGUAGES}/spoken")
def spoken(scene: Scene, who: Person, language: str) -> str:
    """A language that somebody has a rank in, or how rare it is to them."""
    return language if language in ranked(scene, who) else how_rare(scene, language) or language


@formula(LANGUAGES)
def rarity(scene: Scene, language: str) -> Mods:
    """The rarer a language, the harder it is; one that was learned is rare no more."""
    if language not in scene[RARITIES]:
        return ()
    return (Mod(scene[RARITIES][language].dm, f"{language} language", LANGUAGES),)


@formula(f"{LANGUAGES}/foreign")
def foreign(scene: Scene, language: str) -> Mods:
    """What a language that was not learned takes from a social roll."""
    if language not in scene[RARITIES]:
        return ()
    return (Mod(scene[SOCIAL_PENALTY], UNLEARNED, LANGUAGES), *rarity(scene, language))


def social_tags(scene: Scene, language: str) -> tuple[str, ...]:
    """A rank of fluency counts by the name of the language."""
    if language == LEARNED:
        return ()
    return (UNLEARNED,) if language in scene[RARITIES] else (language,)


@action("understand-language", LANGUAGES, bands=OUTCOME, turn=check_able)
async def understand(
    scene: Scene,
    who: Person,
    topic: Annotated[str, TOPICS],
    language: Unlearned,
    intended: bool = True,
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
) -> Outcome:
    """Get the gist of speech in a language that was not learned: at a penalty, or with more successes."""
    row = scene[TOPICS][topic]
    own = (*mods, *rarity(scene, spoken(scene, who, language)))
    attempt = Attempt("Scholar", scene[LANGUAGE_SPECIALTY], gear, own, helpers, surplus=False)
    return plain(await roll_once(who, Route(row.dm, row.x).of(attempt, topic, LANGUAGES, aimed=intended)))


@action("prepare-words", f"{LANGUAGES}/social", bands=OUTCOME, turn=check_able)
async def prepare_words(
    scene: Scene, who: Person, language: Unlearned, gear: Gear = "", mods: Mods = (), helpers: Helpers = ()
) -> Outcome:
    """Find words in a language that was not learned: each success helps the next social roll in it."""
    own = (*mods, *rarity(scene, spoken(scene, who, language)))
    rolled = await roll_once(who, Attempt("Scholar", scene[LANGUAGE_SPECIALTY], gear, own, helpers))
    if rolled.success:
        bonus = Adds(rolled.successes * scene[SOCIAL_BONUS])
        await lay(who, Effect(bonus, frozenset((UNLEARNED,)), uses=1), source="words found", by=LANGUAGES)
    return plain(rolled)


# --- contacts ---------------------------------------------------------------------------------------------------------


def factions_of(scene: Scene, who: Person) -> tuple[str, ...]:
    return tuple(scene[who].factions)


def check_faction(scene: Scene, who: Person, faction: str) -> None:
    """Any faction will do; a tie to it is on the sheet."""
    if not faction:
        refuse("which faction?")


def contact_specialties(scene: Scene, who: Person) -> tuple[str, ...]:
    return ("", *scene[SPECIALTIES["Scholar"]].names)


@formula(CONTACTS)
def contact_modification(scene: Scene, who: Person, faction: str, size: str, secrecy: Secrecy) -> Mod:
    """By the Faction Score; without a tie, by how large and how secret the faction is."""
    score = scene[who].factions.get(faction, 0)
    if score:
        found = scene[FACTION_SCORES].at(score)
        return Mod(found.dm, found.name, CONTACTS)
    dm: int = getattr(scene[FACTIONS][size], secrecy)
    return Mod(dm, f"{size}, {secrecy}", CONTACTS)


@action("find-contact", CONTACTS, bands=OUTCOME, turn=check_able)
async def find_contact(
    scene: Scene,
    who: Person,
    faction: Annotated[str, Pick(factions_of, check_faction)],
    size: Annotated[str, FACTIONS] = "medium",
    secrecy: Secrecy = "public",
    specialty: Annotated[str, Pick(contact_specialties)] = "",
    gear: Gear = "",
    mods: Mods = (),
    helpers: Helpers = (),
    goal: str = "",
) -> Outcome:
    """Turn up somebody who has not been met yet, for information, items or favours."""
    own = contact_modification(scene, who, faction, size, secrecy)
    covers = specialty or scene[CONTACT_SPECIALTY]
    attempt = Attempt("Scholar", covers, gear, (*mods, own), helpers, goal=goal, surplus=False)
    return plain(await roll_once(who, attempt))
