"""The bodies of replies. A system's own data (sheets, arguments, figures) is plain data; the rest is typed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

RoleName = Literal["game master", "player", "spectator"]
Data = dict[str, Any]


class Reply(BaseModel):
    """The body of any reply."""


class Done(Reply):
    """It is done, and stored."""

    cursor: int = Field(description="How many items this seat has been sent by now.", examples=[18])


class Health(Reply):
    status: Literal["ok", "cannot write"]
    version: str
    streams: int = Field(description="Live streams that are open now.")


# --- campaigns and seats ----------------------------------------------------------------------------------------------


class Ready(Reply):
    """Whether requests may be sent to a server."""

    ready: bool


class SeatInfo(Reply):
    id: str = Field(examples=["9c1f03ab"])
    name: str = Field(examples=["Anna"])
    role: RoleName
    controls: list[str] = Field(description="The characters they play.", examples=[["Ripa"]])
    real_dice: bool


class You(SeatInfo):
    standing: Data = Field(description="Standing answers: prompts with their answers.")
    notes: dict[str, str] = Field(default={}, description="Your own notes, by the character they are about.")


class CampaignInfo(Reply):
    id: str = Field(examples=["5f0c6a1e9b3d2c48"])
    name: str = Field(examples=["Thursday nights"])
    system: str = Field(examples=["coin"])
    created: float = Field(description="Seconds since 1970.")
    seat: str = Field(description="Your seat there.")
    role: RoleName


class Campaigns(Reply):
    campaigns: list[CampaignInfo]


class NewSeat(Reply):
    campaign: str
    seat: str
    token: str = Field(description="The secret of the seat. It is shown only this once.")


class InvitationCode(Reply):
    code: str = Field(description="It is shown only this once.")
    link: str


class InvitationInfo(Reply):
    id: str
    role: RoleName
    controls: list[str]
    uses: int = Field(description="How often it can still be used.")
    expires: float | None


class Invitations(Reply):
    invitations: list[InvitationInfo]


class TokenInfo(Reply):
    id: str
    name: str
    created: float
    expires: float | None
    this: bool = Field(description="Whether it is the one sent with this request.")


class Tokens(Reply):
    tokens: list[TokenInfo]


class TokenSecret(Reply):
    id: str
    token: str = Field(description="It is shown only this once.")


class Seats(Reply):
    seats: list[SeatInfo]


# --- the table --------------------------------------------------------------------------------------------------------


class QuestionInfo(Reply):
    """A question for you."""

    model_config = ConfigDict(extra="allow")
    key: str = Field(description="Answer it by this key.", examples=["Ripa.push"])
    prompt: str = Field(description="What is asked.", examples=["push"])
    who: str = Field(examples=["Ripa"])
    audience: str
    options: list[str] | None = None
    barred: dict[str, str] | None = Field(None, description="Options that are not legal, and by which rule.")
    rule: str | None = Field(None, description="The rule that asks.", examples=["coin.toss.toss"])
    preselected: bool | None = Field(None, description="For a ruling: whether no answer (null) means its default.")


class DeadlineText(Reply):
    """A rule that will come due for someone, and when, in the units of the game."""

    who: str
    rule: str
    about: str = Field(description="What it concerns, if the rule says.")
    in_: str = Field(alias="in", examples=["2 Stretches 3 Rounds"])


class ClockText(Reply):
    """Time in the units of the game."""

    now: str = Field(examples=["1 Shift"])
    deadlines: list[DeadlineText] = Field(description="What will come due, as far as you may know.")


class View(Reply):
    """The table as your seat may see it now."""

    campaign: CampaignInfo
    cursor: int = Field(description="How many items your seat has been sent; send it as `expected`.")
    you: You
    seats: list[SeatInfo]
    scene: dict[str, Data] = Field(description="Everything in the scene by name, with what you may see of it.")
    time: ClockText
    questions: list[QuestionInfo]
    waiting_for: list[str] = Field(description="Whom the table waits for.")
    stopped: bool
    settings: Data
    states: dict[str, Data] = Field(
        {},
        description="Of whom you do not see the sheet: `state` (the key of a word), or `share` (how they stand) "
        "and `bars`, in tenths; `out` if nothing is left of them, and then `things`, what they visibly carry.",
    )
    portraits: dict[str, Data] = Field({}, description="The pictures of characters: `file`, and the square of it.")


class Questions(Reply):
    cursor: int
    questions: list[QuestionInfo]
    waiting_for: list[str]


class ActionInfo(Reply):
    """An action, whether it is legal now, and the choices for its arguments."""

    model_config = ConfigDict(extra="allow")
    action: str
    rule: str
    says: str
    master: bool
    parameters: Data
    legal: bool | None = None
    because: str | None = Field(None, description="Why it is not legal.")
    barred_by: str | None = Field(None, description="The rule that forbids it.")
    alternatives: list[str] | None = Field(None, description="What would be legal instead.")
    choices: Data | None = Field(None, description="The options for each argument that has to be chosen.")


class BarredChoice(Reply):
    """An option that may not be picked, and why not."""

    option: Any
    because: str
    rule: str


class Choices(Reply):
    """What may be picked for each argument of an action."""

    choices: Data
    barred: dict[str, list[BarredChoice]]


class Actions(Reply):
    who: str | None
    actions: list[ActionInfo]


class FeedItem(Reply):
    """Something your seat has been sent."""

    model_config = ConfigDict(extra="allow")
    id: int
    kind: str


class LogPage(Reply):
    cursor: int
    items: list[FeedItem]
    at: list[int] = Field(description="When each of the items was written, in whole seconds since 1970.")
    earlier: int | None = Field(None, description="Send this as `before` for the previous page; null at the beginning.")


class UndoPreview(Reply):
    """What an undo would remove: the item and everything after it."""

    items: list[FeedItem]


class UndoRequests(Reply):
    requests: dict[str, int] = Field(description="By seat: the item to before which it asks to go back, as you count.")


class Audit(Reply):
    lines: list[Data]
    undone_throws: dict[str, int] = Field(description="How many throws and draws each actor has undone so far.")


class RevealedSeed(Reply):
    seed: str


class PageReply(Reply):
    id: str
    title: str
    text: str
    owner: str = Field(description="The seat that wrote it first.")
    by: str = Field(description="The seat that wrote it last.")
    shared: bool


class HandoutReply(Reply):
    by: str
    title: str
    text: str
    file: str = Field(description="The id of a picture, or empty.")
    to: list[str] | None = Field(description="The seats it was for; null for everyone.")


class NotebookReply(Reply):
    pages: list[PageReply]
    handouts: list[HandoutReply]


class UploadedFile(Reply):
    file: str = Field(description="The id to hand it out by.")
    media: str
    size: int


class OddsCard(Reply):
    """The odds of an action. Every chance is an exact fraction with its float; sampled ones have their error."""

    now: Data | None
    asked: Data
    pairs: Data
    decisions: list[Data]
    best: Data | None
    curve: Data
    unknown: str = Field(description="What the odds depend on and you do not know.")
    complete: bool = Field(description="Whether every decision on the way is in it.")
    missing: Data = Field(
        description="What has no figure, and why: `because` and `what`, by answer or option. At a question the whole "
        "card may have none: `no-stake` (nothing hoped for is being decided) or `same` (all answers lead to the same)."
    )
    assumes: list[Data] = Field(
        default=[], description="Decisions about what you may not see, and how the odds take them to fall."
    )
    against: bool | None = Field(
        default=False, description="Whether whoever is asked hopes that it fails; null if nobody can tell."
    )
    toward_others: bool = Field(
        default=False, description="Whether that rule does not name whoever is asked: an attack on a friend."
    )
    about: str = Field(
        default="", description="At a question: the rule whose outcomes these are, the innermost that is still open."
    )
    good: list[str] = Field(default=[], description="The bands that are good for whoever that rule is about.")
    around: Data | None = Field(
        default=None, description="The same for the rule around it, if that is still open and its figures differ."
    )


class CurveReply(Reply):
    along: str
    at: list[str]
    lines: Data
    samples: bool
    missing: str = Field(description="Why there are no figures at all; usually empty.")


class ForecastReply(Reply):
    """A forecast of an encounter: how far it is, and what is known so far."""

    state: Literal["none", "waiting", "running", "done"]
    place: int = Field(0, description="While it waits: 1 is the next to begin.")
    fights: int = 0
    played: int = Field(0, description="How many are counted so far.")
    cut_short: bool = Field(False, description="Time ran out before all were played; what is known so far counts.")
    unknown: str = Field("", description="Something hidden from you that it depends on.")
    problem: str = ""
    found: list[Data] = Field([], description="As it is, and with the changes to compare.")
    moved: Data = Field({}, description="By how much the changes move the chance of each ending.")


class DraftLack(Reply):
    """Something that stands between a draft and its end."""

    step: str
    key: str = Field(description="The field or budget.")
    because: str = Field(examples=["3 left to spend"])
    rule: str


class DraftSummary(Reply):
    """A draft; its player and the game master may see it."""

    id: str = Field(examples=["1f0b3c9d"])
    seat: str = Field(description="Whose it is.")
    kind: Literal["creation", "advancement"]
    character: str | None = Field(None, description="Who grows.")
    name: str = Field(description="The name chosen so far.")
    finished: str | None = Field(None, description="The character that came of it.")
    lacks: list[DraftLack]


class DraftDetail(DraftSummary):
    """A draft as it stands: every field with its options, prices and what is barred; budgets; what is missing."""

    answers: Data
    budgets: list[Data] = Field(description="Points: total, spent and left.")
    unspent: list[str] = Field(description="Budgets of which something is left that need not be spent.")
    untouched: list[str] = Field(description="Steps in which nothing is chosen, though something could be.")
    steps: list[Data] = Field(description="The steps with their fields, in order.")
    templates: list[str]


class DraftList(Reply):
    drafts: list[DraftSummary]


class BegunDraft(Done):
    """The draft has begun."""

    draft: str = Field(description="Its id.")


# --- systems and rules ------------------------------------------------------------------------------------------------


class SystemInfo(Reply):
    name: str
    title: str
    version: int


class Systems(Reply):
    systems: list[SystemInfo]


class SampleInfo(Reply):
    name: str
    title: str


class SystemDetail(SystemInfo):
    actions: list[ActionInfo]
    sheets: list[Data] = Field(description="What a scene may hold: kinds with their fields, types and audiences.")
    options: list[Data] = Field(description="What a campaign decides: optional rules, and rules with several choices.")
    samples: list[SampleInfo]
    policies: list[str]


class SampleDetail(SampleInfo):
    system: str
    scene: dict[str, Data]


class RuleSummary(Reply):
    id: str
    chapter: str
    kind: str
    optional: bool
    rule: str
    on: bool | None = Field(None, description="Whether it is played in this campaign.")
    choice: str | None = Field(None, description="Which of several ways it is played in this campaign; perhaps off.")


class Rules(Reply):
    rules: list[RuleSummary]


class RuleDetail(RuleSummary):
    values: Any
    refs: list[str]
    unclear: str
    choices: dict[str, str] = Field(description="The ways to play it, with their words.")
    excludes: list[str] = Field(description="Options that cannot be used together with it.")
    option: list[str] = Field(description="Options without which it is not played.")
    runs: list[Data]
    tables: list[str]
    also_carried_out_by: list[str]


class ErrorReply(BaseModel):
    """What went wrong, in one shape for every error."""

    error: str = Field(description="What kind of error this is; programs go by it.", examples=["refused"])
    message: str = Field(description="A sentence for people.", examples=["toss: ana has 0"])
    rule: str | None = Field(default=None, description="The rule that says so.", examples=["coin.toss.toss"])
    legal: list[str] = Field(default=[], description="What would be legal instead.")
    where: str | None = Field(default=None, description="The part of what was sent that does not fit.")
