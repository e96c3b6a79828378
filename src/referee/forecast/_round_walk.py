"""The walk of many fights through the rows of a `BrokenDown`: plain Python that numba compiles as it stands.

Whole numbers stay below 2**63 and nothing but arrays is used, so both walk the same fights. Chance is by two small
generators whose difference is taken (L'Ecuyer 1988); each fight has its own numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

BEGIN, TURNS, END = 0, 1, 2
"""What a fight is at: initiative, turns, the end of the round. Initiative and end go from fighter to fighter."""
OVER, UNFINISHED = 3, 4
MISSING = -1
BY_NAME = -2
MOVED_ON = -3
"""In place of a row: it is not there yet; it depends on who the two are; nothing is left to chance here."""


class RowArrays(NamedTuple):
    """What is known: facts and rows by condition, rows of turns by pairs of them, slots by row. See `BrokenDown`."""

    names: int
    horizon: int
    side: Any
    able: Any
    stands: Any
    ready: Any
    turns_taken: Any
    target_rank: Any
    begin_row: Any
    end_row: Any
    turn_keys: Any
    turn_rows: Any
    first: Any
    count: Any
    upto: Any
    own: Any
    other: Any
    score: Any


class FightArrays(NamedTuple):
    """By fight: what it is at. By fight and fighter: the condition, and what holds for this round."""

    one: Any
    two: Any
    """The numbers of chance."""
    phases: Any
    cursors: Any
    """Who is next, or acts."""
    targets: Any
    rounds: Any
    codes: Any
    """How it ended."""
    conditions: Any
    scores: Any
    places: Any
    """In this round's order."""
    preferred: Any
    """How early the game master came to prefer them among equals."""


def walk(rows: RowArrays, fights: FightArrays, which: Any) -> None:
    """Walk fights until they are over, or until a row is missing: then phase, cursor and target say which."""
    for fight in which:
        while fights.phases[fight] < OVER:
            if fights.phases[fight] == BEGIN:
                row = begin_row(rows, fights, fight)
            elif fights.phases[fight] == TURNS:
                row = turn_row(rows, fights, fight)
            else:
                row = end_row(rows, fights, fight)
            if row == MISSING:
                break
            if row != MOVED_ON:
                happen(rows, fights, fight, drawn(rows, fights, fight, row))


def begin_row(rows: RowArrays, fights: FightArrays, fight: int) -> int:
    """The next roll of initiative; after the last one turns begin."""
    base, at = fight * rows.names, fights.cursors[fight]
    if at == 0:
        fights.codes[fight] = end_code(rows, fights.conditions, base)
        if fights.codes[fight] != MISSING or fights.rounds[fight] >= rows.horizon:
            fights.phases[fight] = OVER if fights.codes[fight] != MISSING else UNFINISHED
            return MOVED_ON
    while at < rows.names and rows.able[fights.conditions[base + at]] == 0:
        fights.scores[base + at] = MISSING
        at += 1
    fights.cursors[fight] = at
    if at < rows.names:
        return rows.begin_row[fights.conditions[base + at]]  # type: ignore[no-any-return]
    put_in_order(rows.names, base, fights.scores, fights.places, fights.preferred)
    fights.phases[fight] = TURNS
    fights.rounds[fight] += 1
    return MOVED_ON


def turn_row(rows: RowArrays, fights: FightArrays, fight: int) -> int:
    """The next turn; after the last one the round ends."""
    base = fight * rows.names
    fights.codes[fight] = end_code(rows, fights.conditions, base)
    if fights.codes[fight] != MISSING:
        fights.phases[fight] = OVER
        return MOVED_ON
    at = acting(rows, fights.conditions, fights.places, base)
    if at == MISSING:
        fights.phases[fight], fights.cursors[fight] = END, 0
        return MOVED_ON
    to = target(rows, fights.conditions, base, at)
    fights.cursors[fight], fights.targets[fight] = at, to
    theirs = fights.conditions[base + to] if to != MISSING else 1_048_575
    key = fights.conditions[base + at] * 1_048_576 + theirs
    row = row_of(rows, key)
    return row if row != BY_NAME else row_of(rows, (at * rows.names + to + 2) * 1_099_511_627_776 + key)


def end_row(rows: RowArrays, fights: FightArrays, fight: int) -> int:
    """What the end of the round does to the next fighter; after the last one another round begins."""
    at = fights.cursors[fight]
    if at == rows.names:
        fights.phases[fight], fights.cursors[fight] = BEGIN, 0
        return MOVED_ON
    return rows.end_row[fights.conditions[fight * rows.names + at]]  # type: ignore[no-any-return]


def drawn(rows: RowArrays, fights: FightArrays, fight: int, row: int) -> int:
    """A slot of a row, by chance."""
    fights.one[fight] = fights.one[fight] * 40_014 % 2_147_483_563
    fights.two[fight] = fights.two[fight] * 40_692 % 2_147_483_399
    share = ((fights.one[fight] - fights.two[fight]) % 2_147_483_562 + 0.5) / 2_147_483_562
    low, high = rows.first[row], rows.first[row] + rows.count[row] - 1
    while low < high:
        middle = (low + high) // 2
        if share < rows.upto[middle]:
            high = middle
        else:
            low = middle + 1
    return low  # type: ignore[no-any-return]


def happen(rows: RowArrays, fights: FightArrays, fight: int, slot: int) -> None:
    """What a slot says comes about."""
    base, at, phase = fight * rows.names, fights.cursors[fight], fights.phases[fight]
    fights.conditions[base + at] = rows.own[slot]
    if phase == TURNS:
        if fights.targets[fight] != MISSING:
            fights.conditions[base + fights.targets[fight]] = rows.other[slot]
        return
    if phase == BEGIN:
        fights.scores[base + at] = rows.score[slot]
    fights.cursors[fight] = at + 1


def end_code(rows: RowArrays, conditions: Any, base: int) -> int:
    """How a fight ended: the side that stands (0 for none) and a bit for everyone out; MISSING while it goes on."""
    standing, code, bit = MISSING, 0, 64
    for n in range(rows.names):
        if rows.stands[conditions[base + n]] != 0 and standing != rows.side[n]:
            if standing != MISSING:
                return MISSING
            standing = rows.side[n]
        if rows.able[conditions[base + n]] == 0:
            code += bit
        bit *= 2
    return code + standing + 1


def row_of(rows: RowArrays, key: int) -> int:
    """The row of a turn."""
    last = len(rows.turn_keys) - 1
    place = (key % 1_000_003 * 7_919 + key // 1_000_003) & last
    while rows.turn_keys[place] not in (MISSING, key):
        place = (place + 1) & last
    return rows.turn_rows[place]  # type: ignore[no-any-return]


def acting(rows: RowArrays, conditions: Any, places: Any, base: int) -> int:
    """Whose turn it is: the best place in the order among those who acted least often; MISSING if nobody is ready."""
    found = MISSING
    for n in range(rows.names):
        if rows.ready[conditions[base + n]] == 0:
            continue
        if found != MISSING:
            mine, best = rows.turns_taken[conditions[base + n]], rows.turns_taken[conditions[base + found]]
            if mine > best or (mine == best and places[base + n] > places[base + found]):
                continue
        found = n
    return found


def target(rows: RowArrays, conditions: Any, base: int, at: int) -> int:
    """Whom a policy attacks: the lowest rank, the first listed among equals; MISSING if there is nobody."""
    found, lowest = MISSING, 0
    for n in range(rows.names):
        rank = rows.target_rank[conditions[base + n]]
        if rows.side[n] != rows.side[at] and rank != MISSING and (found == MISSING or rank < lowest):
            found, lowest = n, rank
    return found


def put_in_order(names: int, base: int, scores: Any, places: Any, preferred: Any) -> None:
    """The order of a round: by score, the highest first; those without a score have no place."""
    for n in range(names):
        places[base + n] = MISSING
    for place in range(names):
        first = MISSING
        for n in range(names):
            if places[base + n] != MISSING or scores[base + n] == MISSING:
                continue
            if first == MISSING or scores[base + n] > scores[base + first]:
                first = n
        if first == MISSING:
            return
        places[base + preferred_among(names, base, first, scores, places, preferred)] = place


def preferred_among(names: int, base: int, first: int, scores: Any, places: Any, preferred: Any) -> int:
    """Who of those with the same score comes next: the earliest preferred.

    Where several equals were never preferred, the first listed of all is from now on.
    """
    listed, fresh, latest = MISSING, 0, MISSING
    for n in range(names):
        latest = max(latest, preferred[base + n])
        if scores[base + n] == scores[base + first]:
            listed = n if listed == MISSING else listed
            fresh += 1 if preferred[base + n] == MISSING else 0
    if fresh > 1 and preferred[base + listed] == MISSING and places[base + listed] == MISSING:
        preferred[base + listed] = latest + 1
    chosen = first
    for n in range(names):
        if scores[base + n] != scores[base + first] or places[base + n] != MISSING or preferred[base + n] == MISSING:
            continue
        if preferred[base + chosen] == MISSING or preferred[base + n] < preferred[base + chosen]:
            chosen = n
    return chosen
