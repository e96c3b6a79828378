"""Pictures of characters: who may set them, who gets to see them, and as what they are sent."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import pytest
from tests.pictures import png
from tests.web.conftest import Market, Visitor

from referee.client import ApiError, Client
from referee.table.hub import Hub
from referee.table.portraits import Portrait
from referee.web.pictures import size_of


def upload(by: Visitor, data: bytes, status: int = 303, **fields: str) -> str:
    found = by.http.post(f"{by.table}/portrait", data=fields, files={"picture": ("me.png", data, "image/png")})
    assert found.status_code == status, found.text
    return found.text


def picture_in(page: str) -> str | None:
    found = re.search(r'<image href="([^"]+)"', page)
    return found and found[1]


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(40, 30), (40, 30)),
        (b"\xff\xd8\xff\xe0\x00\x04JF\xff\xc0\x00\x0b\x08\x00\x10\x00\x20\x01\x01\x11\x00", (32, 16)),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"), (100, 50)),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), None),
        (b"\xff\xd8\xff", None),
        (b"GIF89a" + bytes(20), None),
    ],
)
def test_the_size_of_a_picture_is_read_from_its_bytes(data: bytes, size: tuple[int, int] | None) -> None:
    assert size_of(data) == size


class CountedBytes(bytes):
    """Bytes that count how many of them are looked at."""

    looked_at = 0

    def __getitem__(self, where: Any) -> Any:
        found = super().__getitem__(where)
        self.looked_at += len(found) if isinstance(found, bytes) else 1
        return found


def test_a_jpeg_of_endless_segments_is_left_after_a_few_kilobytes() -> None:
    data = CountedBytes(b"\xff\xd8" + b"\xff\xe0\x00\x02" * 2_000_000)
    assert size_of(data) is None
    assert data.looked_at < 4096


def test_a_picture_that_does_not_say_its_size_is_refused_when_it_is_uploaded(market: Market) -> None:
    upload(market.anna, b"\xff\xd8" + b"\xff\xe0\x00\x02" * 1_000, 422, who="Ash")


def test_a_picture_that_was_never_there_costs_no_look_at_the_story(
    market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("the story was read")

    monkeypatch.setattr(Hub, "story", read)
    assert (
        market.zoe.http.get(f"/api/v1/campaigns/{market.zoe.table.split('/')[-1]}/files/{'0' * 64}").status_code == 404
    )


def test_a_square_is_cut_out_of_a_picture() -> None:
    assert Portrait("f", 40, 30).box == "5.0 0.0 30.0 30.0"
    assert Portrait("f", 40, 30, left=0, top=100, share=50).box == "0.0 15.0 15.0 15.0"


def test_a_player_uploads_and_cuts_a_picture_and_everyone_sees_it(market: Market) -> None:
    anna, zoe = market.anna, market.zoe
    assert picture_in(zoe.raw("")) is None
    upload(anna, png(40, 30), who="Ash")
    assert 'viewBox="5.0 0.0 30.0 30.0"' in anna.raw("/portrait?who=Ash")
    assert anna.post("/portrait", who="Ash", left="0", top="0", share="50").endswith("/sheet/Ash")
    for page in ("", "/sheet/Ash"):
        sent = zoe.raw(page)
        assert 'viewBox="0.0 0.0 15.0 15.0"' in sent
        assert picture_in(sent)
    where = picture_in(zoe.raw("")) or ""
    reply = zoe.http.get(where)
    assert reply.headers["content-type"] == "image/png"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert size_of(reply.content) == (40, 30)
    anna.post("/portrait", who="Ash", remove="yes")
    assert picture_in(zoe.raw("/sheet/Ash")) is None
    assert zoe.http.get(where).status_code == 404


def test_one_may_set_only_the_picture_of_whom_one_plays(market: Market) -> None:
    others = [name for name in re.findall(r"/sheet/([^\"]+)", market.anna.raw("")) if name != "Ash"]
    assert others
    for name in set(others):
        market.anna.get(f"/portrait?who={name}", 403)
        upload(market.anna, png(8, 8), 403, who=unquote(name))
    market.zoe.get("/portrait?who=Ash", 403)
    upload(market.anna, b"<svg onload='alert(1)'/>", 422, who="Ash")
    upload(market.anna, b"\x89PNG\r\n\x1a\n" + bytes(64), 422, who="Ash")
    market.anna.post("/portrait", 422, who="Ash", left="0", top="0", share="5")


def test_a_hidden_characters_picture_is_sent_to_nobody_else(client: Client) -> None:
    worlds = []
    for is_set in (False, True):
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
        scene = mo.view().scene
        name = next(each for each in scene if each != "Ash" and scene[each]["kind"] == scene["Ash"]["kind"])
        mo.hide(name)
        file = mo.upload_picture("wolf.png", png(8, 8))
        before = anna.view().cursor
        if is_set:
            mo.set_portrait(name, file)
        with pytest.raises(ApiError):
            anna.picture(file)
        view = anna.view()
        worlds.append((view.cursor - before, view.portraits, sorted(view.scene)))
        if is_set:
            assert mo.view().portraits[name]["file"] == file
            mo.hide(name, hidden=False)
            assert anna.view().portraits[name]["file"] == file
            assert anna.picture(file) == png(8, 8)
    assert worlds[0] == worlds[1]
