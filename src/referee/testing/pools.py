"""What a question would be rolled with before anybody throws: `dice: {attack: {base: 5, mods: [+2 aim]}}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.errors import BadInput
from referee.core.modifiers import Mod
from referee.core.plain import Plain, spoken, unknown
from referee.core.questions import Draw, Question, Roll, described
from referee.testing.expectations import Difference, Misplaced, Where, compare

TERM: Final = re.compile(r"\s*(\d+)\s*([^\d+][^+]*?)\s*")
"""One kind of dice in a pool, `6 base`."""


def names_of(question: Question[Any]) -> tuple[str, str]:
    """What a question is called: by itself, and with whoever rolls."""
    return spoken(str(question.name)), spoken(f"{question.who or 'game master'}.{question.name}")


def stops_at(expected: Plain, question: Question[Any]) -> bool:
    """Whether a step is played no further than this question, whose pool is all that is expected."""
    if expected is None or not is_pool(question):
        return False
    return not isinstance(expected, Mapping) or any(spoken(str(name)) in names_of(question) for name in expected)


def is_pool(question: Question[Any]) -> bool:
    """Whether dice or cards answer a question."""
    return isinstance(question, (Roll, Draw))


def compare_pools(expected: Plain, asked: Sequence[Question[Any]], where: Where) -> Iterator[Difference]:
    """Compare the pool of each question that is named, as it was asked last; without a name, that of the first."""
    pools = [each for each in asked if is_pool(each)]
    if not isinstance(expected, Mapping):
        if not pools:
            yield Difference(where, "nothing is rolled")
            return
        expected = {str(pools[0].name): expected}
    for name, wanted in expected.items():
        here = (*where, str(name))
        found = next((each for each in reversed(pools) if spoken(str(name)) in names_of(each)), None)
        if found is None:
            known = tuple(dict.fromkeys(f"{each.who or 'game master'}.{each.name}" for each in pools))
            others = ", ".join(dict.fromkeys(f"{each.who}.{each.name}" for each in asked if each not in pools))
            first = f"; asked as well: {others}" if others else ""
            yield Difference(here, f"nothing is rolled for it: {unknown(str(name), known)}{first}")
        else:
            plain = _wanted(wanted, here)
            yield from compare(plain, _found(found, plain), here)


def _wanted(plain: Plain, where: Where) -> dict[str, Plain]:
    """A pool as it is expected: `6 base + 1 stress`, how many dice, or what is named of it."""
    if isinstance(plain, str):
        terms = [TERM.fullmatch(each) for each in plain.split("+")]
        if not all(terms):
            raise Misplaced(where, f"must be such as '6 base + 1 stress', not {plain!r}")
        return {**{each[2]: int(each[1]) for each in terms if each}, "size": sum(int(e[1]) for e in terms if e)}
    if isinstance(plain, int) and not isinstance(plain, bool):
        return {"size": plain}
    if not isinstance(plain, Mapping):
        raise Misplaced(where, "must be such as '6 base + 1 stress', a number of dice, or {base: 6, mods: […]}")
    wanted = dict(plain)
    dice = wanted.pop("dice", None)
    inner = _wanted(dice, (*where, "dice")) if dice is not None else {}
    mods = wanted.get("mods")
    if isinstance(mods, list):
        wanted["mods"] = [_mod(each, (*where, "mods", at)) for at, each in enumerate(mods)]
    return {**inner, **wanted}


def _mod(plain: Plain, where: Where) -> dict[str, Plain]:
    """A modifier as it is written, `+4 Agility`; of its fields, only those that are named."""
    if isinstance(plain, Mapping):
        return dict(plain)
    try:
        fields: dict[str, Plain] = Mod.from_plain(plain).to_plain()
    except BadInput as problem:
        raise Misplaced(where, str(problem)) from None
    return {name: each for name, each in fields.items() if each != ""}


def _found(question: Question[Any], wanted: Mapping[str, Plain]) -> dict[str, Plain]:
    plain = described(question)
    dice: dict[str, int] = plain.pop("dice", {})
    none = {name: 0 for name, count in wanted.items() if count == 0 and name not in dice}
    mods = plain.get("mods")
    if isinstance(wanted.get("mods"), Mapping) and isinstance(mods, list):
        plain["mods"] = {}
        for each in mods:
            plain["mods"][each["label"]] = plain["mods"].get(each["label"], 0) + each["amount"]
    size = {"size": sum(dice.values())} if isinstance(question, Roll) else {}
    return {**none, **plain, **dice, **size}
