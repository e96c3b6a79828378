"""Campaigns copied from one database to another, both ways."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.postgres import open_postgres
from tests.store.test_store import HEADER, open_sqlite, rows

from referee.cli.campaigns import copy_campaigns
from referee.store.base import Store
from referee.store.copying import copy_campaign
from referee.store.records import Invitation, LogRow, Taken, Token
from referee.store.sqlite import SQLiteStore

Opener = Callable[[Path], Store]


@pytest.mark.parametrize(("source", "target"), [(open_sqlite, open_postgres), (open_postgres, open_sqlite)])
def test_a_campaign_is_copied_with_all_but_dice_to_be_thrown(tmp_path: Path, source: Opener, target: Opener) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    with closing(source(tmp_path / "here")) as ours, closing(target(tmp_path / "there")) as theirs:
        ours.create(HEADER)
        ours.append("lamp", 0, rows(0, 1200))
        ours.keep_seed("lamp", "in use", b"seed")
        ours.keep_token(Token("digest", "lamp", "ana", "browser", 1.0))
        ours.keep_invitation(Invitation("code", "lamp", "player", uses=3))
        picture = ours.keep_file("lamp", "face.png", "image/png", b"face", "ana")
        ours.archive("lamp", 5.0)
        copy_campaign(ours, theirs, "lamp")
        assert theirs.header("lamp") == HEADER
        assert list(theirs.lines("lamp")) == list(ours.lines("lamp"))
        assert theirs.headers()[0].archived == 5.0
        assert theirs.token("digest", 2.0) == Token("digest", "lamp", "ana", "browser", 1.0)
        assert [each.uses for each in theirs.invitations("lamp")] == [3]
        assert [each.id for each in theirs.files("lamp", "ana")] == [picture] == [hashlib.sha256(b"face").hexdigest()]
        assert [each.revealed is not None for each in theirs.seeds("lamp")] == [True]
        assert [each.revealed is not None for each in ours.seeds("lamp")] == [False]
        with pytest.raises(Taken):
            copy_campaign(ours, theirs, "lamp")


def test_a_dry_run_only_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = tmp_path / "ours.sqlite", tmp_path / "theirs.sqlite"
    with closing(SQLiteStore.open(ours)) as store:
        store.create(HEADER)
        store.append("lamp", 0, [LogRow(0, 1.0, {"kind": "edited"})])
    copy_campaigns(str(ours), str(theirs), dry_run=True, as_json=False)
    assert not theirs.exists()
    copy_campaigns(str(ours), str(theirs), dry_run=False, as_json=False)
    copy_campaigns(str(ours), str(theirs), dry_run=False, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        f"would be copied to {theirs}: campaigns: 1, lines: 1; there already: 0",
        f"copied to {theirs}: campaigns: 1, lines: 1; there already: 0",
        f"copied to {theirs}: campaigns: 0, lines: 0; there already: 1",
    ]
