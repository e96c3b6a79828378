"""Checkpoints, which can be lost, and attachments, which cannot."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, delete, select
from sqlalchemy import Row as Record

from referee.core.plain import Plain
from referee.store.connection import Database, check_known
from referee.store.encoding import check_file, check_number, parsed, written
from referee.store.records import BadRecord, CheckpointRecord, File, FileInfo
from referee.store.schema import checkpoints, files, put, uploads


class Attachments(Database):
    """The part of a store that holds checkpoints and attachments."""

    def keep_checkpoint(self, campaign: str, number: int, plain: Plain) -> None:
        row = {"campaign": campaign, "number": check_number(number, "checkpoint")}
        text = written(plain, f"checkpoint {number}")
        with self._writing() as connection:
            check_known(connection, campaign)
            put(connection, checkpoints, {**row, "plain": text})

    def checkpoint(self, campaign: str, at_most: int | None = None) -> CheckpointRecord | None:
        wanted = select(checkpoints.c.number).where(checkpoints.c.campaign == campaign)
        if at_most is not None:
            wanted = wanted.where(checkpoints.c.number <= at_most)
        with self._reading() as connection:
            check_known(connection, campaign)
            for number in connection.execute(wanted.order_by(checkpoints.c.number.desc())).scalars().all():
                one = select(checkpoints.c.plain).filter_by(campaign=campaign, number=number)
                try:
                    return CheckpointRecord(number, parsed(connection.execute(one).scalar()))
                except ValueError:
                    continue  # it is only a cache: an older one, or none, will do
        return None

    def drop_checkpoints(self, campaign: str, below: int | None = None) -> None:
        dropped = delete(checkpoints).where(checkpoints.c.campaign == campaign)
        with self._writing() as connection:
            check_known(connection, campaign)
            connection.execute(dropped if below is None else dropped.where(checkpoints.c.number < below))

    # Attachments.

    def keep_file(self, campaign: str, name: str, media: str, data: bytes, seat: str = "") -> str:
        kept = File(hashlib.sha256(data).hexdigest(), name, media, data)
        check_file(kept)
        with self._writing() as connection:
            check_known(connection, campaign)
            insert_file(connection, campaign, kept)
            row = {"campaign": campaign, "seat": seat, "file": kept.id}
            if seat:
                put(connection, uploads, row, keep=True)
        return kept.id

    def file(self, campaign: str, file_id: str) -> File | None:
        with self._reading() as connection:
            check_known(connection, campaign)
            mine = (files.c.campaign == campaign) & (files.c.id == file_id)
            found = connection.execute(select(files).where(mine)).one_or_none()
        return None if found is None else _file(campaign, found)

    def files(self, campaign: str, seat: str | None = None) -> list[FileInfo]:
        wanted = select(files.c.id, files.c.name, files.c.media, files.c.size).where(files.c.campaign == campaign)
        if seat is not None:
            mine = select(uploads.c.file).where(uploads.c.campaign == campaign, uploads.c.seat == seat)
            wanted = wanted.where(files.c.id.in_(mine))
        with self._reading() as connection:
            check_known(connection, campaign)
            found = connection.execute(wanted.order_by(files.c.id))
            return [FileInfo(each.id, each.name, each.media, each.size) for each in found]


def insert_file(connection: Connection, campaign: str, file: File) -> None:
    """Store an attachment, unless the same bytes are stored already."""
    check_file(file)
    mine = (files.c.campaign == campaign) & (files.c.id == file.id)
    if connection.execute(select(files.c.id).where(mine)).one_or_none() is None:
        values = {"id": file.id, "name": file.name, "media": file.media, "size": len(file.data), "data": file.data}
        put(connection, files, {"campaign": campaign, **values}, keep=True)


def _file(campaign: str, found: Record[Any]) -> File:
    if not isinstance(found.data, bytes) or hashlib.sha256(found.data).hexdigest() != found.id:
        raise BadRecord(campaign, None, f"the file {found.id} is no longer what it was")
    return File(found.id, found.name, found.media, found.data)
