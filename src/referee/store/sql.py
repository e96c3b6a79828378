"""A store in any database that SQLAlchemy supports: its parts combined, and the check that reads them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import func, select

from referee.store.attachments import Attachments
from referee.store.base import Store
from referee.store.campaigns import CampaignLogs
from referee.store.records import BadRecord, StoreError, StoreProblem
from referee.store.schema import lines
from referee.store.secrets import Secrets

TOLD: Final = 20
"""How many bad lines of a campaign are reported one by one."""


class SqlStore(CampaignLogs, Secrets, Attachments, Store):
    """A store in a database that SQLAlchemy supports."""

    def check(self) -> list[StoreProblem]:
        problems = list(self._whole())
        try:
            known = self.headers()
        except StoreError as problem:
            return [*problems, StoreProblem(None, None, f"the list of campaigns cannot be read: {problem}")]
        for each in known:
            problems += self._campaign(each.id)
        return problems

    def close(self) -> None:
        self._engine.dispose()

    def _whole(self) -> Iterator[StoreProblem]:
        """What the database reports about itself."""
        yield from ()

    def _campaign(self, campaign: str) -> Iterator[StoreProblem]:
        """What is wrong with one campaign; each part is checked, whatever was wrong with the others."""
        try:
            self.header(campaign)
        except StoreError as problem:
            yield _problem(campaign, problem)
        yield from self._log(campaign)
        try:
            for each in self.files(campaign):
                self.file(campaign, each.id)
            self.seeds(campaign)
            self.invitations(campaign)
        except StoreError as problem:
            yield _problem(campaign, problem)

    def _log(self, campaign: str) -> Iterator[StoreProblem]:
        try:
            with self._reading() as connection:
                mine = select(func.count()).select_from(lines).where(lines.c.campaign == campaign)
                held = connection.execute(mine).scalar()
            count = self.count(campaign)
        except StoreError as problem:
            yield _problem(campaign, problem)
            return
        if held != count:
            yield StoreProblem(campaign, None, f"{held} lines are kept where there should be {count}")
        start, told = 0, 0
        while start < count:
            if told == TOLD:
                yield StoreProblem(campaign, start, "further lines were not looked at: too many are wrong")
                return
            try:
                for row in self.lines(campaign, start, count):
                    start = row.number + 1
            except StoreError as problem:
                found = _problem(campaign, problem)
                yield found
                told += 1
                if found.line is None:
                    return
                start = found.line + 1


def _problem(campaign: str, problem: StoreError) -> StoreProblem:
    if isinstance(problem, BadRecord):
        return StoreProblem(campaign, problem.line, problem.problem)
    return StoreProblem(campaign, None, str(problem))
