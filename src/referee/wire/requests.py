"""The bodies of requests, checked for form and size. Unknown fields are refused."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from referee.wire.limits import LONGEST_NAME, LONGEST_NOTE, LONGEST_TITLE
from referee.wire.replies import RoleName

LONGEST_WORD: Final = 200
LONGEST_ANSWER: Final = 5_000
MOST_NAMES: Final = 64


def _printable(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("must be printable characters")
    return name


def _short(answer: JsonValue) -> JsonValue:
    if len(json.dumps(answer)) > LONGEST_ANSWER:
        raise ValueError(f"must be at most {LONGEST_ANSWER} characters of JSON")
    return answer


Answer = Annotated[JsonValue, AfterValidator(_short)]
Word = Annotated[str, Field(min_length=1, max_length=LONGEST_WORD)]
"""A name or key: of an action, a character, a question."""
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable)]
"""The name of a person."""
Title = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]
"""The name of a campaign."""
Names = Annotated[list[Word], Field(max_length=MOST_NAMES)]
Values = Annotated[dict[str, JsonValue], Field(max_length=500)]
HandlingName = Literal["do it", "ask", "leave it"]
ExposureName = Literal["state", "bars", "figures", "sheet"]
Number = Annotated[int, Field(ge=0, le=10**9)]


class RequestBody(BaseModel):
    """The body of any request."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TableRequest(RequestBody):
    """Something done at a table."""

    expected: Number | None = Field(
        None, description="The cursor of this seat when it decided; if it has moved since, nothing is done."
    )


# --- campaigns and seats ----------------------------------------------------------------------------------------------


class NewCampaign(RequestBody):
    name: Title = Field(description="The name of the campaign.", examples=["Thursday nights"])
    system: Word = Field(description="The rule system.", examples=["coin"])
    sample: Word | None = Field(None, description="Start with a sample of the system.", examples=["derelict"])
    scene: Values | None = Field(None, description="Or with your own scene: names with their sheets.")
    master: Name = Field(description="The name of the game master.", examples=["Mo"])


class CampaignChange(RequestBody):
    name: Title = Field(examples=["Friday nights"])


class NewInvitation(RequestBody):
    role: RoleName = Field("player", description="The role in which someone joins.")
    controls: Names = Field([], description="Whom they will play.", examples=[["Ripa"]])
    uses: int = Field(1, ge=1, le=64, description="How often the code can be used.")
    stays: bool = Field(
        False,
        description="The one code of the table page, by which players join until it is revoked; nothing else counts.",
    )


class JoinRequest(RequestBody):
    code: Annotated[str, Field(min_length=1, max_length=64)] = Field(examples=["kX3_9aQmZb2c"])
    name: Name = Field(examples=["Anna"])


class SeatChange(TableRequest):
    name: Name | None = None
    real_dice: bool | None = Field(None, description="Whether their throws are made by hand and typed in.")
    role: RoleName | None = Field(None, description="The game master's to change.")
    controls: Names | None = Field(
        None,
        description="Whom they play. Players take free characters, if the table lets them.",
    )


class HandoverRequest(TableRequest):
    to: Word = Field(description="The seat that receives it.")
    character: Word | None = Field(None, description="Who is played by that seat from now on.", examples=["Ripa"])
    table: bool = Field(False, description="Whether the table itself is handed over: that seat is game master.")


class NewToken(RequestBody):
    name: Name = Field(description="What it is for.", examples=["dice tower"])


# --- playing ----------------------------------------------------------------------------------------------------------


class ActionRequest(TableRequest):
    action: Word = Field(description="The key of an action.", examples=["toss"])
    who: Word | None = Field(None, description="Who acts; null for the game master's own actions.", examples=["Ripa"])
    arguments: Values = Field({}, examples=[{"bet": 2}])


class AnswerRequest(TableRequest):
    question: Word = Field(description="The key of a question for this seat.", examples=["Ripa.push"])
    answer: Answer = Field(None, description="An option, a number, pips of dice; null accepts a held throw.")


class CancelRequest(TableRequest):
    question: Word = Field(description="A question of the step to cancel.")


class StandingAnswer(TableRequest):
    """An answer that is given automatically whenever something is asked."""

    prompt: Word = Field(description="Whenever this is asked …", examples=["push"])
    answer: Answer = Field(None, description="… this is the answer; null removes it.", examples=["no"])


class DiceRequest(TableRequest):
    dice: Annotated[list[Word], Field(min_length=1, max_length=20)] = Field(examples=[["3d6", "1d20"]])
    hidden: bool = Field(False, description="Only the game master sees it, and only the game master may use this.")


class NoteRequest(TableRequest):
    text: str = Field("", max_length=LONGEST_NOTE, examples=["The lamp goes out."])
    to: Names | None = Field(None, description="The seats it is whispered to; everyone if none are named.")
    file: str | None = Field(None, max_length=64, description="A picture handed out with it.")
    title: str = Field("", max_length=LONGEST_TITLE, description="With a title it is kept as a handout.")


class PageRequest(TableRequest):
    page: str = Field("", max_length=32, description="The id of a page; empty for a new one.")
    title: str = Field("", max_length=LONGEST_TITLE, examples=["The key"])
    text: str = Field("", max_length=LONGEST_NOTE, description="Markdown; without title and text a page is removed.")
    shared: bool = Field(False, description="Whether everyone may read and write it.")
    before: str | None = Field(None, max_length=LONGEST_NOTE, description="What it must still say.")


class PortraitRequest(TableRequest):
    file: str | None = Field(None, pattern="^[0-9a-f]{64}$", description="The id of a picture; without it, none.")
    left: int = Field(50, ge=0, le=100, description="Where the square lies, in per cent of the room there is.")
    top: int = Field(50, ge=0, le=100)
    share: int = Field(100, ge=10, le=100, description="The share of the shorter side that the square takes.")


class OddsRequest(RequestBody):
    action: Word = Field(examples=["toss"])
    who: Word | None = Field(None, examples=["Ripa"])
    arguments: Values = Field({}, examples=[{"bet": 2}])


Point = str | int | bool


class CurveRequest(OddsRequest):
    along: Word = Field(description="An argument, or a field of the one who acts.", examples=["purse"])
    values: Annotated[list[Point], Field(min_length=1, max_length=60)] = Field(examples=[[0, 1, 2, 3]])


class ForecastRequest(RequestBody):
    encounter: Word | None = Field(None, description="Which one, if several stand in the scene.")
    changes: Annotated[list[Word], Field(max_length=20)] = Field(
        [], description="Changes to the scene or to who decides how.", examples=[["policy=cautious", "Ripa.purse=5"]]
    )
    compare: Annotated[list[Word], Field(max_length=20)] = Field(
        [], description="Further changes, to compare without and with them.", examples=[["Ripa=default"]]
    )
    fights: int = Field(10_000, ge=1, le=1_000_000, description="How many are played, unless the chances are exact.")


# --- drafts -----------------------------------------------------------------------------------------------------------


class NewDraft(TableRequest):
    kind: Literal["creation", "advancement"] = Field("creation", description="Build a character, or let one grow.")
    character: Word | None = Field(None, description="Who grows.", examples=["Ripa"])
    seat: Word | None = Field(None, description="Whose draft it is; the game master may begin one for another seat.")
    template: Word | None = Field(None, description="Begin with the answers of a template.")
    answers: Values = Field({}, description="Begin with these answers, such as those of a finished sheet.")
    fill: bool = Field(False, description="Let chance answer everything that is missing.")


class DraftAnswer(TableRequest):
    field: Word = Field(examples=["skills"])
    answer: Answer = Field(None, description="An option, a list, a level, a text; null takes the answer back.")
    part: Word | None = Field(None, description="Of levels, the one that is set.", examples=["Piloting"])


class DraftRoll(TableRequest):
    field: Word = Field(description="A field that is rolled.", examples=["coins"])


class DraftFill(TableRequest):
    step: Word | None = Field(None, description="Only what is missing in this step.")
    template: Word | None = Field(None, description="Take over a template instead of asking chance.")


class DraftFinish(TableRequest):
    hidden: bool = Field(False, description="Whether the character enters hidden; the game master's to say.")


# --- for the game master ----------------------------------------------------------------------------------------------


class EditRequest(TableRequest):
    name: Word = Field(description="What is changed, or added to the scene.", examples=["Ripa"])
    changes: Values = Field(description="Its fields; with `kind` if it is new.", examples=[{"purse": 0}])


class RemovalRequest(TableRequest):
    name: Word


class EncounterRequest(TableRequest):
    encounter: Word = Field(description="Its name in the scene.", examples=["fight"])


class VisibilityRequest(TableRequest):
    name: Word
    hidden: bool = Field(True, description="Whether it is hidden from the players.")


class ExposureRequest(TableRequest):
    name: Word = Field(examples=["raider 2"])
    shown: ExposureName = Field(description="What others see of the sheet: a state in words, bars, figures, all of it.")


class HouseRules(TableRequest):
    options: Annotated[dict[str, bool | str], Field(max_length=500)] = Field(
        {}, description="Optional rules on or off, or the choice of a rule that has several."
    )
    set: dict[str, dict[str, Any]] = Field({}, description="Changed figures: by rule, then by path.")
    add: dict[str, dict[str, list[Any]]] = Field({}, description="Further rows: by rule, then by path.")


class SettingsChange(TableRequest):
    undo: Literal["game master", "own", "anyone"] | None = None
    offer_after: Annotated[int, Field(ge=0, le=86_400)] | None = None
    turns: bool | None = None
    throws: Annotated[dict[str, HandlingName], Field(max_length=200)] | None = Field(
        None, description="By the name of a throw, or `*`: throw, show the game master first, or leave it to people."
    )
    rulings: Annotated[dict[str, HandlingName], Field(max_length=200)] | None = Field(
        None, description="By the prompt of a ruling, or `*`: take the default, propose it, or ask without it."
    )
    foes: ExposureName | None = Field(None, description="What players see of the sheets of those whom no one plays.")
    players_pick: bool | None = Field(None, description="Whether players take a free character themselves.")
    invite_shown: bool | None = Field(None, description="Whether players see the standing invitation too.")


class UndoRequest(TableRequest):
    item: Number = Field(description="The id of the item to undo, with everything after it.", examples=[17])


class ForkRequest(RequestBody):
    item: Number = Field(description="The id of the item before which the fork continues.", examples=[17])
    name: Title = Field(examples=["What if"])


class EmptyRequest(TableRequest):
    """A request without fields of its own."""


EMPTY_REQUEST: Final = EmptyRequest(expected=None)
