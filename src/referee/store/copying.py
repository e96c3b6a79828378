"""A campaign copied from one store to another, whichever databases they are: everything but dice still to be thrown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import time

from referee.store.base import Store
from referee.store.records import File, LogRow, Seed, Token


def copy_campaign(source: Store, target: Store, campaign: str) -> None:
    """Copy a campaign with its seats, invitations and attachments; `Taken` if the target has it already.

    The seed in use is retired in the copy, which commits to a new one when it is opened: no dice fall twice.
    """
    summary = next(each for each in source.headers() if each.id == campaign)
    target.add_campaign(source.header(campaign), _parts(source, campaign))
    seats = {each.seat for each in source.tokens(campaign)}
    for seat in seats:
        for info in source.files(campaign, seat):
            if (found := source.file(campaign, info.id)) is not None:
                target.keep_file(campaign, found.name, found.media, found.data, seat)
    for each in source.invitations(campaign):
        target.keep_invitation(each)
    if summary.archived is not None:
        target.archive(campaign, summary.archived)


def _parts(source: Store, campaign: str) -> Iterator[LogRow | File | Seed | Token]:
    for info in source.files(campaign):
        if (found := source.file(campaign, info.id)) is not None:
            yield found
    for seed in source.seeds(campaign):
        yield seed if seed.revealed is not None else replace(seed, revealed=time())
    yield from source.tokens(campaign)
    yield from source.lines(campaign)
