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
"""In place of a row: it is not there yet; it depends on who the two are."""


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


def walk(rows: RowArrays, fights: FightArrays, which: Any) -> None:  # noqa: C901, PLR0912, PLR0915  # see below
    """Walk fights until they are over, or until a row is missing: then phase, cursor and target say which.

    It is one long function because compiled arrays are slow to hand on: in several it takes five times as long.
    """
    names, horizon, side, able, stands, ready, turns_taken, target_rank, begin_row, end_row = rows[:10]
    turn_keys, turn_rows, first, count, upto, own, other, score = rows[10:]
    ones, twos, phases, cursors, targets, all_rounds, codes, conditions, scores, places, preferred = fights
    for fight in which:
        base, phase, at, to = fight * names, phases[fight], cursors[fight], MISSING
        rounds, one, two, row = all_rounds[fight], ones[fight], twos[fight], MISSING
        while phase < OVER:
            if phase == BEGIN:
                if at == 0:
                    codes[fight] = end_code(names, side, able, stands, conditions, base)
                    if codes[fight] != MISSING or rounds >= horizon:
                        phase = OVER if codes[fight] != MISSING else UNFINISHED
                        continue
                while at < names and able[conditions[base + at]] == 0:
                    scores[base + at] = MISSING
                    at += 1
                if at == names:
                    put_in_order(names, base, scores, places, preferred)
                    phase, rounds = TURNS, rounds + 1
                    continue
                row = begin_row[conditions[base + at]]
            elif phase == TURNS:
                codes[fight] = end_code(names, side, able, stands, conditions, base)
                if codes[fight] != MISSING:
                    phase = OVER
                    continue
                at = acting(names, ready, turns_taken, conditions, places, base)
                if at == MISSING:
                    phase, at = END, 0
                    continue
                to = target(names, side, target_rank, conditions, base, at)
                theirs = conditions[base + to] if to != MISSING else 1_048_575
                key = conditions[base + at] * 1_048_576 + theirs
                row = row_of(turn_keys, turn_rows, key)
                if row == BY_NAME:
                    row = row_of(turn_keys, turn_rows, (at * names + to + 2) * 1_099_511_627_776 + key)
            else:
                if at == names:
                    phase, at = BEGIN, 0
                    continue
                row = end_row[conditions[base + at]]
            if row == MISSING:
                break
            slot, last = first[row], first[row] + count[row] - 1
            if slot < last:
                one = one * 40_014 % 2_147_483_563
                two = two * 40_692 % 2_147_483_399
                share = ((one - two) % 2_147_483_562 + 0.5) / 2_147_483_562
                while slot < last:
                    middle = (slot + last) // 2
                    if share < upto[middle]:
                        last = middle
                    else:
                        slot = middle + 1
            conditions[base + at] = own[slot]
            if phase == TURNS:
                if to != MISSING:
                    conditions[base + to] = other[slot]
                continue
            if phase == BEGIN:
                scores[base + at] = score[slot]
            at += 1
        phases[fight], cursors[fight], targets[fight] = phase, at, to
        all_rounds[fight], ones[fight], twos[fight] = rounds, one, two


def end_code(names: int, side: Any, able: Any, stands: Any, conditions: Any, base: int) -> int:
    """How a fight ended: the side that stands (0 for none) and a bit for everyone out; MISSING while it goes on."""
    standing, code, bit = MISSING, 0, 64
    for n in range(names):
        if stands[conditions[base + n]] != 0 and standing != side[n]:
            if standing != MISSING:
                return MISSING
            standing = side[n]
        if able[conditions[base + n]] == 0:
            code += bit
        bit *= 2
    return code + standing + 1


def hashed(key: int, size: int) -> int:
    """Where to look first for a key in a table of a size that is a power of two."""
    return (key % 1_000_003 * 7_919 + key // 1_000_003) & (size - 1)


def row_of(turn_keys: Any, turn_rows: Any, key: int) -> int:
    """The row of a turn, as `BrokenDown` keeps them."""
    last = len(turn_keys) - 1
    place = hashed(key, len(turn_keys))
    while turn_keys[place] != MISSING and turn_keys[place] != key:  # numba makes more of it
        place = (place + 1) & last
    return int(turn_rows[place])


def acting(names: int, ready: Any, turns_taken: Any, conditions: Any, places: Any, base: int) -> int:
    """Whose turn it is: the best place in the order among those who acted least often; MISSING if nobody is ready."""
    found = MISSING
    for n in range(names):
        if ready[conditions[base + n]] == 0:
            continue
        if found != MISSING:
            mine, best = turns_taken[conditions[base + n]], turns_taken[conditions[base + found]]
            if mine > best or (mine == best and places[base + n] > places[base + found]):
                continue
        found = n
    return found


def target(names: int, side: Any, target_rank: Any, conditions: Any, base: int, at: int) -> int:
    """Whom a policy attacks: the lowest rank, the first listed among equals; MISSING if there is nobody."""
    found, lowest = MISSING, 0
    for n in range(names):
        rank = target_rank[conditions[base + n]]
        if side[n] != side[at] and rank != MISSING and (found == MISSING or rank < lowest):
            found, lowest = n, rank
    return found


def put_in_order(names: int, base: int, scores: Any, places: Any, preferred: Any) -> None:
    """The order of a round: by score, the highest first; those without a score have no place.

    Among equals, those whom the game master prefers come first, the earliest of them before the others.
    """
    if has_equals(names, base, scores):
        prefer(names, base, scores, preferred)
    for n in range(base, base + names):
        places[n] = MISSING if scores[n] == MISSING else 0
        for other in range(base, base + names):
            if scores[n] == MISSING or scores[other] < scores[n] or other == n:
                continue
            mine, theirs = preferred[n], preferred[other]
            is_before = theirs != MISSING and (mine == MISSING or theirs < mine)
            if scores[other] > scores[n] or is_before or (mine == theirs and other < n):
                places[n] += 1


def has_equals(names: int, base: int, scores: Any) -> bool:
    for n in range(base, base + names):
        for other in range(base, n):
            if scores[n] == scores[other] != MISSING:
                return True
    return False


def prefer(names: int, base: int, scores: Any, preferred: Any) -> None:
    """Among equals of whom several were never preferred, the first listed is from now on; the best are asked first."""
    asked = 2**62
    while True:
        best = MISSING
        for n in range(base, base + names):
            if scores[n] < asked:
                best = max(best, scores[n])
        if best == MISSING:
            return
        asked, listed, fresh, latest = best, MISSING, 0, MISSING
        for n in range(base, base + names):
            latest = max(latest, preferred[n])
            if scores[n] == best:
                listed = n if listed == MISSING else listed
                fresh += 1 if preferred[n] == MISSING else 0
        if fresh > 1 and preferred[listed] == MISSING:
            preferred[listed] = latest + 1
