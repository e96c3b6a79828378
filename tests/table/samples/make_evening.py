"""Makes the samples `evening-FORMAT-SYSTEM.jsonl`: rich evenings, as the Referee of that format exported them.

Run once for every released format, and kept: `python tests/table/samples/make_evening.py`. An existing sample is never
made anew; a Referee that cannot read it any more has to learn to.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee import registry
from referee.core.errors import Refused
from referee.journal.lines import FORMAT
from referee.store.export import export_campaign
from referee.store.sqlite import SQLiteStore
from referee.table import master_desk, seat_desk, undo_desk
from referee.table.access import Admitted
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub
from referee.table.members import Role
from referee.testing.scenarios import samples

HERE = Path(__file__).parent


class Evening:
    """A campaign with a game master, two players and a spectator."""

    def __init__(self, hub: Hub, system: str, name: str, played: Iterable[str], sample: str = "") -> None:
        self.hub = hub
        loaded = registry.load(system)
        found = dict(samples(loaded))
        scene = found[sample or next(iter(found))]
        self.mo = hub.create(name, system, loaded.plain(scene), "Mo")
        self.players = [self.join(who.title(), Role.PLAYER, frozenset({who})) for who in played]
        self.guest = self.join("Guest", Role.SPECTATOR)

    def join(self, name: str, role: Role, controls: frozenset[str] = frozenset()) -> Admitted:
        return self.hub.join(self.hub.invite(*self.mo[:2], role, controls), name)

    def do(self, command: DeskCommand, seated: Admitted | None = None) -> None:
        """Something that may be refused in its middle, by the dice."""
        with suppress(Refused):
            self.hub.act(self.mo.campaign, (seated or self.mo).seat, command)

    def view(self, seated: Admitted | None = None) -> Any:
        return self.hub.read(self.mo.campaign, (seated or self.mo).seat, Desk.view)

    def answer_all(self, *answers: Any) -> None:
        """Whatever is asked, the first of these answers that is legal; held throws stand."""
        for _ in range(20):
            if not (asked := self.view()["questions"]):
                return
            key = asked[0]["key"]
            for answer in [None] if "held" in asked[0] else answers:
                self.do(DeskCommand(Desk.answer, key, answer))
                if [each["key"] for each in self.view()["questions"]][:1] != [key]:
                    break

    def beside_the_rules(self) -> None:
        """A whisper, a picture, free throws open and hidden, a stop, real dice, an edit, somebody in hiding."""
        one, two = self.players
        self.do(DeskCommand(Desk.note, "The door is open.", to=[one.seat]))
        self.do(DeskCommand(Desk.note, "Whom can we trust?"), one)
        picture = self.hub.store.keep_file(self.mo.campaign, "map.txt", "text/plain", b"You are here.")
        self.do(DeskCommand(Desk.note, "A map", file=picture))
        self.do(DeskCommand(Desk.roll, "3d6", "1d20"), two)
        self.do(DeskCommand(Desk.roll, "2d6", hidden=True))
        self.do(DeskCommand(Desk.stop), self.guest)
        self.do(DeskCommand(Desk.resume))
        self.do(DeskCommand(seat_desk.change_seat, one.seat, real_dice=True), one)
        self.do(DeskCommand(Desk.standing, "agrees", "no"), two)

    def went_wrong(self) -> None:
        """The last three things are undone, brought back, and undone again."""
        told = self.view()["cursor"]
        items = self.hub.story(*self.mo[:2], 0, told)
        began = [item["id"] for item in items if item["kind"] in ("began", "edited")]
        self.do(DeskCommand(undo_desk.undo, began[-3]))
        self.do(DeskCommand(undo_desk.redo))
        self.do(DeskCommand(undo_desk.undo, began[-1]))

    def overrule(self) -> None:
        """Of two throws that are held one stands, of the other something else is said."""
        self.do(DeskCommand(master_desk.settings, {"throws": {"throw": "ask"}}))
        for other in (False, True):
            self.do(DeskCommand(Desk.roll, "1d6"))
            (asked,) = (each for each in self.view()["questions"] if "held" in each)
            said = [[asked["held"][0][0] % 6 + 1]] if other else None
            self.do(DeskCommand(Desk.answer, asked["key"], said))
        self.do(DeskCommand(master_desk.settings, {"throws": {}}))

    def fork(self) -> None:
        """The story goes on otherwise; the seed so far is revealed first, so that the fork can be checked by itself."""
        self.hub.reveal(*self.mo[:2])
        told = self.view()["cursor"]
        self.do(DeskCommand(Desk.roll, "2d6"))
        self.mo = self.hub.fork(*self.mo[:2], told, "Otherwise")

    def export(self) -> None:
        self.hub.reveal(*self.mo[:2])
        name = f"evening-{FORMAT}-{self.hub.store.header(self.mo.campaign).system}"
        with (HERE / f"{name}.jsonl").open("xb") as file:
            export_campaign(self.hub.store, self.mo.campaign, file, seeds=True)
        view = self.view()
        found = {"scene": view["scene"], "asked": view["questions"]}
        (HERE / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def alien(hub: Hub) -> None:
    evening = Evening(hub, "alien", "The derelict", ("Ripa", "Dallow"))
    ripa, dallow = evening.players
    evening.beside_the_rules()
    evening.do(DeskCommand(Desk.act, "skill-roll", "Ripa", {"skill": "Observation"}), ripa)
    evening.do(DeskCommand(Desk.answer, "Ripa.skill", [[6, 1, 2, 2, 3, 4, 5], [1]]), ripa)
    evening.answer_all("yes", [[5, 5, 5, 5, 5, 5], [6, 6]], [[3]], "no")
    evening.do(DeskCommand(Desk.act, "skill-roll", "Dallow", {"skill": "Piloting", "mods": -1}), dallow)
    evening.answer_all("yes", "no")
    evening.do(DeskCommand(master_desk.edit, "Brekk", {"stress": 4}))
    evening.do(DeskCommand(master_desk.hide, "Brekk"))
    evening.do(DeskCommand(Desk.act, "skill-roll", "Brekk", {"skill": "Stamina"}))
    evening.answer_all("yes", "no")
    evening.went_wrong()
    evening.overrule()
    evening.do(DeskCommand(Desk.act, "pass-time", None, {"amount": 1, "unit": "Shift"}))
    evening.fork()
    evening.do(DeskCommand(master_desk.hide, "Brekk", hidden=False))
    evening.do(DeskCommand(Desk.act, "skill-roll", "Dallow", {"skill": "Command"}))
    evening.do(DeskCommand(Desk.note, "And so on."))
    evening.export()


def den(hub: Hub) -> None:
    evening = Evening(hub, "den", "The cellar", ("ana", "bo"))
    ana, bo = evening.players
    evening.beside_the_rules()
    for who, keep in (("ana", "no"), ("bo", "yes"), ("ana", "yes")):
        evening.do(DeskCommand(Desk.act, "deal", who))
        evening.answer_all(keep, "QS", "KS", "AS", "7H", "8H", "9H")
    evening.do(DeskCommand(Desk.act, "duel", "ana", {"against": "bo"}), ana)
    evening.do(DeskCommand(Desk.answer, "ana.duel", [[6, 6]]), ana)
    evening.do(DeskCommand(master_desk.edit, "bo", {"coins": 1}))
    evening.do(DeskCommand(Desk.act, "borrow", "bo"), bo)
    evening.answer_all("3")
    evening.do(DeskCommand(master_desk.edit, "bo", {"coins": 9}))
    evening.do(DeskCommand(Desk.act, "borrow", "bo"), bo)
    evening.do(DeskCommand(master_desk.cancel, "bo.sum"))
    evening.went_wrong()
    evening.overrule()
    evening.do(DeskCommand(seat_desk.change_seat, ana.seat, real_dice=False))
    evening.do(DeskCommand(Desk.act, "duel", "bo", {"against": "ana"}))
    evening.fork()
    evening.do(DeskCommand(Desk.act, "deal", "bo"))
    evening.export()


def main() -> None:
    sys.path.insert(0, str(HERE.parent / "systems"))
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(SQLiteStore.open(Path(folder) / "referee.db"))
        for make in (alien, den):
            make(hub)
        hub.close()


if __name__ == "__main__":
    main()
