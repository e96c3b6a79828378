"""Experience: the questions after a session, each worth XP, and a Dark Secret that is replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from referee.core import Pick, Prompt, Refused, Scene, action, change, figure, frozen, refuse, rows, rule_on, suggest
from referee.systems.yearzero.sheet import Person, people
from referee.systems.yearzero.talents import anchor_limit

QUESTIONS_RULE: Final = "yearzero.experience.questions"
SECRET_RULE: Final = "yearzero.creation.dark-secret"  # noqa: S105  # a rule
CHANGE_SECRET: Final = "yearzero.experience.change-secret"  # noqa: S105  # a rule


@frozen
class QuestionRow:
    """A question after a session, and what somebody must have for it."""

    name: str
    needs: str = ""


XP_EACH: Final = figure(QUESTIONS_RULE, "xp_each", int)
QUESTIONS: Final = rows(QUESTIONS_RULE, "questions", QuestionRow)
SECRET_QUESTION: Final = figure(SECRET_RULE, "question", str)


def questions(scene: Scene, _: None) -> tuple[str, ...]:
    return scene[QUESTIONS].names


def check_question(scene: Scene, _: None, yes_to: str, target: Person) -> None:
    """Each question once in a session; those about a Pride or a Dark Secret need one."""
    row, sheet = scene[QUESTIONS].look(yes_to), scene[target]
    if yes_to in sheet.questions_had:
        refuse(f"{target} has had XP for this in this session", what=yes_to, rule=QUESTIONS_RULE)
    if row.needs == "pride" and not sheet.pride_used:
        raise Refused(yes_to, because=f"{target} drew on no Pride in this session", rule="yearzero.pride.use")
    if yes_to == scene[SECRET_QUESTION] and not sheet.secret:
        raise Refused(yes_to, because=f"{target} has no Dark Secret", rule=SECRET_RULE)


Yes: TypeAlias = Annotated[str, Pick(questions, check_question)]


@action("answer-questions", QUESTIONS_RULE, SECRET_RULE, master=True)
async def answer_questions(scene: Scene, target: Annotated[Person, Pick(people)], yes_to: tuple[Yes, ...] = ()) -> int:
    """After the session: every question with a yes is worth XP, once."""
    for each in yes_to:
        _ = scene[QUESTIONS][each]  # it takes part
    gained, sheet = len(yes_to) * scene[XP_EACH], scene[target]
    await change(target, replace(sheet, xp=sheet.xp + gained, questions_had=sheet.questions_had | {*yes_to}))
    return gained


NO_LONGER: Final = Prompt("secret-is-past")


def check_change_secret(scene: Scene, who: Person, secret: str) -> None:
    if not secret.strip():
        refuse("say what it is", rule=CHANGE_SECRET)


@action("change-secret", CHANGE_SECRET, check=check_change_secret)
async def change_secret(scene: Scene, who: Person, secret: Annotated[str, suggest("I was one of the raiders")]) -> None:
    """After a session a Dark Secret that has lost its point is replaced at once, if the game master agrees."""
    if not await rule_on(NO_LONGER, True, options=(True, False)):
        refuse("the Dark Secret still matters", rule=CHANGE_SECRET)
    await change(who, replace(scene[who], secret=secret))


# --- Anchors ----------------------------------------------------------------------------------------------------------


ANCHORS: Final = "yearzero.creation.anchors"


def anchors_of(scene: Scene, _: None, target: Person) -> tuple[str, ...]:
    return scene[target].anchors


@action("lose-anchor", f"{ANCHORS}/lost", master=True)
async def lose_anchor(
    scene: Scene, target: Annotated[Person, Pick(people)], anchor: Annotated[str, Pick(anchors_of)]
) -> None:
    """An Anchor has been killed, or has turned somebody away."""
    left = tuple(each for each in scene[target].anchors if each != anchor)
    await change(target, replace(scene[target], anchors=left))


def check_anchor(scene: Scene, who: Person, anchor: str) -> None:
    """No more of them than somebody may have, and each once."""
    most = anchor_limit(scene, scene[who].talents)
    if not anchor or anchor in scene[who].anchors or len(scene[who].anchors) >= most:
        refuse(f"{who} may have {most} Anchors, each once", what=anchor or "anchor", rule=ANCHORS)


@action("choose-anchor", ANCHORS, check=check_anchor)
async def choose_anchor(scene: Scene, who: Person, anchor: Annotated[str, suggest()]) -> None:
    """Somebody has become dear to you."""
    await change(who, replace(scene[who], anchors=(*scene[who].anchors, anchor)))
