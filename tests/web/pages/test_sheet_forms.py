"""The game master's form for a sheet: every person of every sample opens in it and is saved from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.web.conftest import Visitor

from referee import registry
from referee.core.plain import Plain
from referee.web.demo import samples
from referee.web.plain_browser import Page

if TYPE_CHECKING:
    from tests.web.conftest import Running

    from referee.client import Client

SAMPLES = [(system, sample) for system in registry.names() for sample in samples(system)]


Seat = Callable[[str, str], Visitor]


@pytest.fixture
def seated(running: Running, client: Client) -> Iterator[Seat]:
    """Mo, who runs a sample of a system."""
    visitors: list[Visitor] = []

    def sit(system: str, sample: str) -> Visitor:
        mo = client.create("Sheets", system, sample=sample, master="Mo")
        visitors.append(Visitor(running.address, mo.campaign, mo.seated.token))
        return visitors[-1]

    yield sit
    for each in visitors:
        each.http.close()


def people_of(system: str, sample: str) -> list[str]:
    kind = registry.load(system).sheet.__name__
    return [name for name, plain in samples(system)[sample][1].items() if plain["kind"] == kind]


def form_of(mo: Visitor, name: str) -> dict[str, list[str]]:
    """What a browser sends when somebody's sheet is saved at once."""
    return sent_by(mo.raw(f"/master/person?name={quote(name)}"))


def sent_by(page: str) -> dict[str, list[str]]:
    """What a browser sends of the form of a sheet as it stands on a page."""
    found: dict[str, list[str]] = {}
    for key, value in Page("/", page).to("/master/person")[0].fields:
        found.setdefault(key, []).append(value)
    return found


def api(mo: Visitor) -> str:
    return mo.table.replace("/table/", "/api/v1/campaigns/")


def scene_of(mo: Visitor) -> dict[str, dict[str, Plain]]:
    found: dict[str, dict[str, Plain]] = mo.http.get(api(mo)).json()["scene"]
    return found


@pytest.mark.parametrize(("system", "sample"), SAMPLES)
def test_a_sheet_opens_empty_by_name_and_by_copy(seated: Seat, system: str, sample: str) -> None:
    mo = seated(system, sample)
    mo.get("/master/person")
    for name in people_of(system, sample):
        mo.get(f"/master/person?name={quote(name)}")
        mo.get(f"/master/person?copy=scene/{quote(name)}")
        mo.get(f"/master/person?copy={sample}/{quote(name)}")


@pytest.mark.parametrize(("system", "sample"), SAMPLES)
def test_a_sheet_that_nobody_touched_is_saved_as_it_was(seated: Seat, system: str, sample: str) -> None:
    mo = seated(system, sample)
    before = scene_of(mo)
    for name in people_of(system, sample):
        mo.post("/master/person", **form_of(mo, name))
    assert scene_of(mo) == before


@pytest.mark.parametrize(
    ("system", "sample", "name", "field", "number"),
    [
        ("alien", "derelict", "Ripa", "stress", 3),
        ("d6", "warehouse", "Mara", "character_points", 7),
        ("dime", "noon", "Delia", "wealth", 4),
        ("distemper", "market", "Ash", "insight", 2),
        ("yearzero", "camp", "Juno", "xp", 4),
    ],
)
def test_one_field_that_is_changed_on_a_sheet_is_the_only_one_saved(
    seated: Seat, system: str, sample: str, name: str, field: str, number: int
) -> None:
    mo = seated(system, sample)
    before = scene_of(mo)
    assert before[name][field] != number
    mo.post("/master/person", **form_of(mo, name) | {f"f-{field}": [str(number)]})
    assert scene_of(mo) == {**before, name: {**before[name], field: number}}


def test_a_sheet_with_fifty_things_is_saved(seated: Seat) -> None:
    mo = seated("d6", "warehouse")
    many = [{"name": f"rope {number}"} for number in range(50)]
    mo.http.post(f"{api(mo)}/edits", json={"name": "Mara", "changes": {"equipment": many}}).raise_for_status()
    mo.post("/master/person", **form_of(mo, "Mara") | {"f-equipment.49.name": ["lantern"]})
    assert [each["name"] for each in scene_of(mo)["Mara"]["equipment"]][48:] == ["rope 48", "lantern"]


# --- a form that was open while somebody played -----------------------------------------------------------------------


def edit(mo: Visitor, name: str, **changes: Plain) -> None:
    mo.http.post(f"{api(mo)}/edits", json={"name": name, "changes": changes}).raise_for_status()


def test_a_form_that_was_open_writes_over_nothing_it_did_not_change(seated: Seat) -> None:
    mo = seated("distemper", "market")
    edit(mo, "Ash", wp=10, insight=2, items=[{"name": "rifle"}, {"name": "knife"}], skills={"Tactics": 1, "Barter": 1})
    typed = form_of(mo, "Ash")
    edit(
        mo,
        "Ash",
        wp=4,
        items=[{"name": "knife", "condition": 1}, {"name": "rope"}],
        skills={"Tactics": 1, "Survival": 2},
    )
    mo.post(
        "/master/person", **typed | {"f-insight": ["1"], "f-items.1.jammed": ["no", "yes"], "f-skills.Barter": ["3"]}
    )
    ash = scene_of(mo)["Ash"]
    assert (ash["wp"], ash["insight"]) == (4, 1)
    assert ash["skills"] == {"Tactics": 1, "Survival": 2, "Barter": 3}
    assert [(each["name"], each["condition"], each["jammed"]) for each in ash["items"]] == [
        ("knife", 1, True),
        ("rope", 3, False),
    ]


def test_rows_keep_their_identity_when_play_puts_them_in_another_order(seated: Seat) -> None:
    mo = seated("distemper", "market")
    edit(mo, "Ash", items=[{"name": "rifle"}, {"name": "knife"}, {"name": "axe"}])
    typed = form_of(mo, "Ash")
    edit(mo, "Ash", items=[{"name": "axe"}, {"name": "rifle"}, {"name": "knife"}])
    mo.post("/master/person", **typed | {"f-items.0.condition": ["2"], "drop": ["f-items.1"]})
    assert [(each["name"], each["condition"]) for each in scene_of(mo)["Ash"]["items"]] == [("axe", 3), ("rifle", 2)]


def test_a_row_that_is_gone_is_not_brought_back_by_editing_it(seated: Seat) -> None:
    mo = seated("distemper", "market")
    edit(mo, "Ash", items=[{"name": "rifle"}])
    typed = form_of(mo, "Ash")
    edit(mo, "Ash", items=[])
    said = mo.post("/master/person", 422, **typed | {"f-items.0.condition": ["2"]})
    assert "rifle" in said
    assert "no longer there" in said
    mo.post("/master/person", **typed | {"f-wp": ["3"]})
    assert scene_of(mo)["Ash"]["items"] == []


def test_what_was_undone_in_the_meantime_stays_undone(seated: Seat) -> None:
    mo = seated("distemper", "market")
    edit(mo, "Ash", wp=3)
    typed = form_of(mo, "Ash")
    item = max(each["id"] for each in mo.http.get(f"{api(mo)}/log").json()["items"] if each["kind"] == "edited")
    mo.post("/undo", item=item)
    before = scene_of(mo)["Ash"]["wp"]
    mo.post("/master/person", **typed | {"f-insight": ["1"]})
    assert (scene_of(mo)["Ash"]["wp"], scene_of(mo)["Ash"]["insight"]) == (before, 1)
    assert before != 3


def test_a_form_that_is_older_than_the_log_in_memory_or_no_number_at_all_breaks_nothing(seated: Seat) -> None:
    mo = seated("distemper", "market")
    typed = form_of(mo, "Ash")
    for seen in ("0", "999999", "-1", "zzz"):
        assert mo.http.post(f"{mo.table}/master/person", data={**typed, "seen": seen}).status_code in (303, 422)


# --- things from the catalogue ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "sample", "name", "field", "key"),
    [
        ("d6", "warehouse", "Mara", "equipment", "Assault rifle (M16)"),
        ("dime", "noon", "Delia", "items", "derringer"),
        ("distemper", "market", "Ash", "items", "pistol"),
        ("yearzero", "camp", "Juno", "things", "Battleaxe"),
    ],
)
def test_a_thing_is_picked_by_name_and_saved_with_the_form(
    seated: Seat, system: str, sample: str, name: str, field: str, key: str
) -> None:
    mo = seated(system, sample)
    before = scene_of(mo)[name][field]
    page = mo.post("/master/person", 200, **form_of(mo, name) | {"more": [f"f-{field}"], f"f-{field}+pick": [key]})
    assert scene_of(mo)[name][field] == before
    edit(mo, name, **{field: [*before, {"name": "a letter"}]})
    mo.post("/master/person", **sent_by(page))
    names = [each["name"] for each in scene_of(mo)[name][field]]
    assert names == [*(each["name"] for each in before), "a letter", key if system != "yearzero" else "Battleaxe 2"]


def test_the_form_says_of_each_thing_what_its_row_says(seated: Seat) -> None:
    mo = seated("d6", "warehouse")
    edit(mo, "Mara", equipment=[{"name": "Assault rifle (M16)"}])
    page = mo.get("/master/person?name=Mara")
    assert "Damage 5D, Range 5/10/30/60 m" in page


def test_names_that_the_book_lists_are_offered_in_rows(seated: Seat) -> None:
    """A merit, a wound: nobody has to know how it is spelled."""
    mo = seated("d6", "warehouse")
    edit(mo, "Mara", merits=[{"name": "Absolute direction"}])
    page = mo.get("/master/person?name=Mara")
    assert 'name="f-merits.0.name" value="Absolute direction" list="names-merits.name"' in page
    assert (
        "<option>Absolute direction</option>"
        in page.partition('<datalist id="names-merits.name">')[2].partition("</datalist>")[0]
    )
