"""What is kept of a picture: what shows it, and nothing that says where, when or by whom it was made."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, PngImagePlugin
from tests.pictures import chunk, png

from referee.client import ApiError, Client, SeatClient
from referee.web.errors import Problem
from referee.web.pictures import cleaned, media_of, size_of

if TYPE_CHECKING:
    from tests.web.conftest import Market, Party, Running

SECRET = b"47.3769N 8.5417E"


def drawn(mode: str = "RGB", size: tuple[int, int] = (48, 32)) -> Image.Image:
    """A picture in which no two corners look the same."""
    found = Image.new("RGB", size)
    found.putdata([(x * 5 % 256, y * 7 % 256, (x + y) % 256) for y in range(size[1]) for x in range(size[0])])
    return found.convert(mode)


def exif(orientation: int = 1) -> bytes:
    found = Image.Exif()
    found[0x0112] = orientation
    found[0x010E] = SECRET.decode()
    found.get_ifd(0x8825)[0x001D] = SECRET.decode()
    return found.tobytes()


def written(picture: Image.Image, form: str, **more: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **more)
    return file.getvalue()


def texts() -> PngImagePlugin.PngInfo:
    found = PngImagePlugin.PngInfo()
    for kind in (found.add_text, found.add_itxt):
        kind("Comment", SECRET.decode())
    return found


MADE: dict[str, Callable[[], bytes]] = {
    "a photograph": lambda: written(drawn(), "JPEG", exif=exif(), comment=SECRET, icc_profile=SECRET * 9),
    "one in passes": lambda: written(drawn(), "JPEG", exif=exif(), progressive=True, xmp=SECRET),
    "one for print": lambda: written(drawn("CMYK"), "JPEG", exif=exif()),
    "one in grey": lambda: written(drawn("L"), "JPEG", exif=exif()),
    "one with another behind its end": lambda: written(drawn(), "JPEG") + written(drawn(), "JPEG", exif=exif()),
    "a PNG": lambda: written(drawn("RGBA"), "PNG", exif=exif(), pnginfo=texts(), icc_profile=SECRET * 9),
    "one of few colours": lambda: written(drawn("P"), "PNG", transparency=3, pnginfo=texts()),
    "one that moves": lambda: written(drawn(), "PNG", save_all=True, append_images=[drawn().rotate(90)], exif=exif()),
    "one with something behind its end": lambda: written(drawn(), "PNG") + SECRET,
    "a WebP": lambda: written(drawn(), "WEBP", exif=exif(), xmp=SECRET, icc_profile=SECRET * 9),
    "one that one sees through": lambda: written(drawn("RGBA"), "WEBP", exif=exif()),
    "one without loss": lambda: written(drawn("RGBA"), "WEBP", lossless=True, exif=exif(), exact=True),
}


@pytest.mark.parametrize("what", MADE)
def test_what_is_kept_looks_the_same_and_says_nothing(what: str) -> None:
    data = MADE[what]()
    kept = cleaned(data)
    assert SECRET not in kept
    assert b"xif" not in kept
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(kept)) as after:
        assert after.size == (48, 32) == size_of(kept)
        assert after.convert("RGBA").tobytes() == before.convert("RGBA").tobytes()
        assert not getattr(after, "is_animated", False)
        assert {"exif", "comment", "icc_profile", "xmp", "Comment"}.isdisjoint(after.info)
    assert cleaned(kept) == kept
    assert media_of(kept) == media_of(data)


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_photograph_stays_the_right_way_up(orientation: int) -> None:
    kept = cleaned(written(drawn(), "JPEG", exif=exif(orientation)))
    assert SECRET not in kept
    with Image.open(io.BytesIO(kept)) as found:
        assert dict(found.getexif()) == ({0x0112: orientation} if orientation > 1 else {})
    assert size_of(kept) == ((32, 48) if orientation > 4 else (48, 32))
    assert cleaned(kept) == kept


def flat(width: int, height: int) -> bytes:
    """A picture that is small as a file, however large it is to look at."""
    return written(Image.new("1", (width, height)), "PNG")


def test_pixels_are_counted() -> None:
    assert size_of(cleaned(flat(5_000, 5_000))) == (5_000, 5_000)
    with pytest.raises(Problem, match="has 20000 × 20000 pixels; at most 25 million are accepted"):
        cleaned(flat(20_000, 20_000))


def test_the_size_that_counts_is_that_of_what_is_shown() -> None:
    """The first part of a WebP may say anything."""
    small, large = written(drawn(), "WEBP", exif=exif()), written(Image.new("RGB", (9_000, 9_000)), "WEBP")
    frame = large[12:]
    forged = b"RIFF" + (4 + 18 + len(frame)).to_bytes(4, "little") + b"WEBP" + small[12:30] + frame
    assert size_of(forged) == (48, 32)
    with pytest.raises(Problem, match="damaged"):
        cleaned(forged)


def of_many_passes(count: int) -> bytes:
    data = written(drawn(), "JPEG", progressive=True)
    return data[:-2] + data[data.rindex(b"\xff\xda") : -2] * count + data[-2:]


def of_two_frames() -> bytes:
    data = written(drawn(), "JPEG")
    at = data.index(b"\xff\xc0")
    return data[:at] + data[at : at + 19] + data[at:]


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no picture": (lambda: b"GIF89a" + bytes(99), "must be a picture"),
    "a page": (lambda: b"<svg onload='alert(1)'/>", "must be a picture"),
    "a moving WebP": (
        lambda: written(drawn(), "WEBP", save_all=True, append_images=[drawn().rotate(90)]),
        "moving",
    ),
    "a PNG cut off": (lambda: png(40, 30)[:-20], "damaged"),
    "a PNG with a wrong sum": (lambda: png(40, 30).replace(b"IDAT", b"IDAU"), "damaged"),
    "a PNG of many parts": (lambda: png(1, 1, *[chunk(b"tEXt", b"")] * 20_000), "too many parts"),
    "two heads": (lambda: png(1, 1, chunk(b"IHDR", bytes(13))), "damaged"),
    "a JPEG without pixels": (lambda: written(drawn(), "JPEG").partition(b"\xff\xda")[0], "damaged"),
    "a JPEG of many passes": (lambda: of_many_passes(90), "too many parts"),
    "a JPEG of two frames": (of_two_frames, "browsers do not show"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    make, why = REFUSED[what]
    with pytest.raises(Problem, match=why):
        cleaned(make())


@pytest.mark.parametrize("what", MADE)
def test_damaged_pictures_are_refused_or_cleaned_and_never_crash(what: str) -> None:
    data = MADE[what]()
    for at in range(0, len(data), 7):
        for spoilt in (data[:at], data[:at] + b"\xff" + data[at + 1 :], data[:at] + data[at + 5 :]):
            try:
                kept = cleaned(spoilt)
            except Problem:
                continue
            assert SECRET not in kept
            assert cleaned(kept) == kept


# --- who may use them -------------------------------------------------------------------------------------------------


def test_what_a_photograph_says_reaches_nobody(party: Party) -> None:
    photograph = MADE["a photograph"]()
    file = party.anna.upload_picture("me.jpg", photograph)
    party.anna.note("This is me", file=file)
    for seat in (party.anna, party.mo):
        assert SECRET not in seat.picture(file)
        assert seat.picture(file) == cleaned(photograph)


def test_a_photograph_kept_by_an_older_referee_is_cleaned_when_it_is_sent(running: Running, party: Party) -> None:
    store, campaign = running.hub.store, party.mo.campaign
    file = store.keep_file(campaign, "me.jpg", "image/jpeg", MADE["a photograph"]())
    assert SECRET not in party.mo.picture(file)
    huge = store.keep_file(campaign, "huge.png", "image/png", flat(20_000, 20_000))
    with pytest.raises(ApiError) as why:
        party.mo.picture(huge)
    assert why.value.status == 422


def hand_out(seat: SeatClient, file: str) -> None:
    seat.note("Look", file=file)


def wear(seat: SeatClient, file: str) -> None:
    seat.set_portrait("Ash", file)


def test_knowing_the_id_of_a_picture_opens_nothing(client: Client) -> None:
    """A player who has the same file knows its id; whether the game master keeps it too looks the same from there."""
    told = []
    for is_kept in (False, True):
        mo = client.create("The market", "distemper", sample="market", master="Mo")
        anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
        other = client.create("Elsewhere", "distemper", sample="market", master="Eve")
        file = other.upload_picture("wolf.png", png(8, 8))
        if is_kept:
            assert mo.upload_picture("wolf.png", png(8, 8)) == file
        for use in (SeatClient.picture, hand_out, wear):
            with pytest.raises(ApiError) as why:
                use(anna, file)
            assert why.value.status == 404
            told.append((is_kept, str(why.value)))
        assert anna.upload_picture("wolf.png", png(8, 8)) == file  # her own copy is hers to show
        anna.note("Look", file=file)
        anna.set_portrait("Ash", file)
        assert anna.picture(file) == png(8, 8)
    assert [why for is_kept, why in told if is_kept] == [why for is_kept, why in told if not is_kept]


def test_pictures_of_others_do_not_count_for_a_player(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.web.api import notes

    monkeypatch.setattr(notes, "MOST_OF_ONE", 2)
    monkeypatch.setattr(notes, "MOST_FILES", 5)
    mo = client.create("The market", "distemper", sample="market", master="Mo")
    anna = client.join(mo.invite(controls=["Ash"]).code, "Anna")
    for width in range(1, 6):
        mo.upload_picture("a.png", png(width))
    for width in (7, 8):
        anna.upload_picture("a.png", png(width))
    with pytest.raises(ApiError, match="this table keeps of each player at most 2 pictures"):
        anna.upload_picture("a.png", png(9))
    with pytest.raises(ApiError, match="this campaign keeps at most 5 pictures"):
        mo.upload_picture("a.png", png(10))


def test_a_form_takes_a_picture_as_large_as_the_api_does(market: Market) -> None:
    """Without our script a photograph is sent as it is."""
    noise = Image.effect_noise((1_200, 900), 90).convert("RGB")
    photograph = written(noise, "JPEG", quality=95, exif=exif(6))
    assert len(photograph) > 256 * 1024
    for where, fields in (("portrait", {"who": "Ash"}), ("notes/handouts", {"title": "Me"})):
        sent = market.anna.http.post(
            f"{market.anna.table}/{where}", data=fields, files={"picture": ("me.jpg", photograph, "image/jpeg")}
        )
        assert sent.status_code == 303, sent.text
    assert 'data-width="900" data-height="1200"' in market.anna.raw("/portrait?who=Ash")
