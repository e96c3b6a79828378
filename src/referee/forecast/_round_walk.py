"""The walk of many fights through the rows of a `TurnRows`: plain Python that numba compiles as it stands.

Nothing but arrays and whole numbers of at most 63 bits is used, so both walk the same fights. Chance is by a linear
congruential generator (Knuth's, of which the upper bits count); each fight begins with a number of its own. A slot is
drawn by Walker's alias method: any slot of the row, and then either it or the one that shares its place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

BEGIN, END, TURNS, RESULTS = 0, 1, 2, 3
"""What a fight is at: initiative, the end of a round, turns, results that waited for equals to act.

Initiative and end go from fighter to fighter.
"""
OVER, UNFINISHED = 4, 5
MISSING = -1
BY_NAME, PICKED, UNKNOWN = -2, -3, -4
"""In place of a row: it is not there yet; it depends on who the two are; on whom the rules pick.

In place of a target: it is not known yet whom the rules pick.
"""
TURN, AT_ONCE, FOLLOWING = 0, 1, 2
"""Kinds of rows by two conditions: a turn; one that others take at the same time; and from here on what follows."""
JOINED = 2045
"""A kind of key: of a condition with what was left aside. In place of a kind of row: such a condition is missing."""
ALONE = 2**20 - 1
"""Stands for the condition of a target, where there is none."""
OWN, BY_WHOM, BY_KIND = 2**20, 2**40, 2**52
"""Where the parts of a row's key begin; the first is the condition of the target."""
ROOTS, BRANCHES = 2046 * BY_KIND, 2047 * BY_KIND
"""Keys of whom the rules pick: whoever acts, then what is seen of one fighter after the other."""
MOST = 64
"""More than there are fighters; results are kept as numbers made of who they are of and whom they are about."""
QUEUE = 4
"""So many results may wait for each fighter."""

MOST_STEPS = 10_000
"""A fight with more is unfinished, as it is in a table of scenes."""


class RowArrays(NamedTuple):
    """What is known: facts and rows by condition, rows of turns by pairs of them, slots by row. See `TurnRows`."""

    names: int
    horizon: int
    at_once: int
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
    stays: Any
    alias: Any
    own: Any
    other: Any
    score: Any
    is_led: Any
    in_round: Any
    seen: Any
    follows: Any
    plain: Any
    aside: Any


class FightArrays(NamedTuple):
    """By fight: what it is at. By fight and fighter: the condition, and what holds for this round."""

    luck: Any
    """The number that chance is at."""
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
    steps: Any
    kinds: Any
    """What kind of row is missing."""
    missing: Any
    """The row in whose conditions something has to be joined."""
    pending: Any
    """What follows at once, and of whom."""
    taken: Any
    waiting: Any
    """How many of the results in the queue have taken effect, and how many there are."""
    queue: Any
    order: Any
    """Room for one fight: everyone in the order of a round."""


def walk(rows: RowArrays, fights: FightArrays, which: Any) -> None:  # noqa: C901, PLR0912, PLR0915  # see below
    """Walk fights until they are over, or until a row is missing: then phase, cursor, kind and target say which.

    It is one long function because compiled arrays are slow to hand on: in several it takes five times as long.
    """
    names, horizon, at_once, side, able, stands, ready, turns_taken, target_rank, begin_row, end_row = rows[:11]
    turn_keys, turn_rows, first, count, stays, alias, own, other, score, is_led, in_round, seen, follows = rows[11:24]
    plain, aside = rows[24:]
    all_luck, phases, cursors, targets, all_rounds, codes, conditions, scores, places, preferred = fights[:10]
    all_steps, kinds, missing, all_pending, all_taken, all_waiting, queue, order = fights[10:]
    for fight in which:
        base, phase, at, to = fight * names, phases[fight], cursors[fight], MISSING
        rounds, luck, row, may_end = all_rounds[fight], all_luck[fight], MISSING, True
        steps, kind, pending = all_steps[fight], TURN, all_pending[fight]
        taken, waiting, results = all_taken[fight], all_waiting[fight], base * QUEUE
        while phase < OVER:
            if phase == BEGIN:
                if at == 0:
                    codes[fight] = end_code(names, side, able, stands, conditions, base)
                    if codes[fight] != MISSING or rounds >= horizon or steps >= MOST_STEPS:
                        phase = OVER if codes[fight] != MISSING else UNFINISHED
                        continue
                while at < names and able[conditions[base + at]] == 0:
                    scores[base + at] = MISSING
                    at += 1
                if at == names:
                    put_in_order(names, base, scores, places, preferred, order)
                    phase, rounds, steps = TURNS, rounds + 1, steps + 1
                    continue
                kind, to = TURN, MISSING
                row = begin_row[plain[conditions[base + at]]] if at_once != 0 else begin_row[conditions[base + at]]
            elif phase == END:
                if at == names:
                    phase, at, steps = BEGIN, 0, steps + 1
                    continue
                kind, to = TURN, MISSING
                row = end_row[plain[conditions[base + at]]] if at_once != 0 else end_row[conditions[base + at]]
            elif pending != MISSING:
                at, kind, to = pending % MOST, FOLLOWING + pending // MOST, MISSING
                key = kind * BY_KIND + conditions[base + at] * OWN
                row = row_of(turn_keys, turn_rows, key + ALONE)
                if row == PICKED:
                    to = picked(names, seen, turn_keys, turn_rows, conditions, base, kind, at)
                    theirs = conditions[base + to] if to >= 0 else ALONE
                    row = row_of(turn_keys, turn_rows, BY_WHOM + key + theirs) if to != UNKNOWN else MISSING
            elif phase == RESULTS:
                if taken == waiting:
                    phase, taken, waiting = TURNS, 0, 0
                else:
                    pending = queue[results + taken] // MOST
                    taken += 1
                continue
            else:
                if may_end and waiting == 0:
                    may_end = False
                    codes[fight] = end_code(names, side, able, stands, conditions, base)
                    if codes[fight] != MISSING:
                        phase = OVER
                        continue
                at = acting(names, ready, turns_taken, conditions, places, base)
                if waiting > 0 and (at == MISSING or scores[base + at] != scores[base + queue[results] % MOST]):
                    phase = RESULTS
                    continue
                if at == MISSING:
                    phase, at = END, 0
                    continue
                kind = TURN
                if at_once != 0:
                    kind = shared(names, able, in_round, conditions, scores, base, at)
                if at_once != 0 and is_led[conditions[base + at]] != 0:
                    to = picked(names, seen, turn_keys, turn_rows, conditions, base, kind, at)
                else:
                    to = target(names, side, target_rank, conditions, base, at)
                mine, theirs = conditions[base + at], conditions[base + to] if to >= 0 else ALONE
                if at_once != 0:
                    mine, theirs = plain[mine], plain[theirs] if to >= 0 else ALONE
                key = kind * BY_KIND + mine * OWN + theirs
                row = row_of(turn_keys, turn_rows, key) if to != UNKNOWN else MISSING
                if row == BY_NAME:
                    row = row_of(turn_keys, turn_rows, (at * names + to + 2) * BY_WHOM + key)
            if row < 0:
                break
            slot, slots, before = first[row], count[row], luck
            if slots > 1:
                luck = (luck * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & 9_223_372_036_854_775_807
                share = (luck >> 10) / 9_007_199_254_740_992 * slots
                slot += int(share)
                if share - int(share) >= stays[slot]:
                    slot = alias[slot]
            mine, theirs = own[slot], other[slot]
            if at_once != 0 and kind < FOLLOWING:
                mine = joined(turn_keys, turn_rows, plain, aside, mine, conditions[base + at])
                if to >= 0:
                    theirs = joined(turn_keys, turn_rows, plain, aside, theirs, conditions[base + to])
                if mine == MISSING or (to >= 0 and theirs == MISSING):
                    luck, kind, missing[fight] = before, JOINED, row
                    break
            may_end = may_end or stands[mine] != stands[conditions[base + at]]
            conditions[base + at] = mine
            if phase >= TURNS:
                steps += 1
                if to >= 0:
                    may_end = may_end or stands[theirs] != stands[conditions[base + to]]
                    conditions[base + to] = theirs
                if at_once != 0:
                    pending, code = MISSING, follows[slot]
                    if code != MISSING:
                        result = code // 4 * MOST + (to if code % 2 != 0 else at)
                        if code // 2 % 2 == 0:
                            pending = result
                        elif waiting == names * QUEUE:
                            phase = UNFINISHED
                        else:
                            queue[results + waiting] = result * MOST + at
                            waiting += 1
                continue
            if phase == BEGIN:
                scores[base + at] = score[slot]
            at += 1
        phases[fight], cursors[fight], targets[fight] = phase, at, to
        all_rounds[fight], all_luck[fight] = rounds, luck
        all_steps[fight], kinds[fight], all_pending[fight] = steps, kind, pending
        all_taken[fight], all_waiting[fight] = taken, waiting


def joined(turn_keys: Any, turn_rows: Any, plain: Any, aside: Any, now: int, before: int) -> int:
    """The condition that somebody is in now, with what was left aside before."""
    if plain[before] == now:
        return before
    return row_of(turn_keys, turn_rows, JOINED * BY_KIND + now * OWN + aside[before])


def shared(names: int, able: Any, in_round: Any, conditions: Any, scores: Any, base: int, at: int) -> int:
    """Whether somebody with the same initiative acts at the same time, or has."""
    for n in range(names):
        condition = conditions[base + n]
        if n != at and scores[base + n] == scores[base + at] and able[condition] != 0 and in_round[condition] != 0:
            return AT_ONCE
    return TURN


def picked(
    names: int, seen: Any, turn_keys: Any, turn_rows: Any, conditions: Any, base: int, kind: int, at: int
) -> int:
    """Whom the rules pick, by what is seen of everyone; MISSING for nobody, UNKNOWN if it was not learned."""
    found = row_of(turn_keys, turn_rows, ROOTS + (kind * MOST + at) * OWN + conditions[base + at])
    for n in range(names):
        if n != at and found != MISSING:
            found = row_of(turn_keys, turn_rows, BRANCHES + found * OWN + seen[conditions[base + n]])
    if found == MISSING:
        return UNKNOWN
    return found if found < names else MISSING


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
    """The row of a turn, as `TurnRows` keeps them."""
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


def put_in_order(names: int, base: int, scores: Any, places: Any, preferred: Any, order: Any) -> None:
    """The order of a round: by score, the highest first; those without a score have no place.

    Among equals of whom several were never preferred, the game master prefers the first listed from now on; the best
    are asked first. Those whom he prefers come first, the earliest of them before the others.
    """
    acting, latest = 0, MISSING
    for n in range(names):
        places[base + n] = MISSING
        latest = max(latest, preferred[base + n])
        if scores[base + n] != MISSING:
            place = acting
            while place > 0 and scores[base + order[place - 1]] < scores[base + n]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = n
            acting += 1
    start = 0
    while start < acting:
        end, fresh, best = start, 0, scores[base + order[start]]
        while end < acting and scores[base + order[end]] == best:
            fresh += 1 if preferred[base + order[end]] == MISSING else 0
            end += 1
        if fresh > 1 and preferred[base + order[start]] == MISSING:
            latest += 1
            preferred[base + order[start]] = latest
        for at in range(start, end):
            place, mine = start, preferred[base + order[at]]
            for other in range(start, end):
                theirs = preferred[base + order[other]]
                if (theirs != MISSING and (mine == MISSING or theirs < mine)) or (theirs == mine and other < at):
                    place += 1
            places[base + order[at]] = place
        start = end
