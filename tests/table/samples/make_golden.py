"""Makes golden campaigns: one of every system, played by the code before a landing and stopped in the middle of a step.

`PYTHONPATH=BEFORE/src python -m tests.table.samples.make_golden FOLDER [SYSTEM…]`, as `docs/log-format.md` says. For
each system it writes the campaign as it is exported (`SYSTEM.jsonl.xz`) and what each seat saw (`SYSTEM.json.xz`), and
for one of them the database of its server (`server.db.xz`). What exists is never made anew: code that cannot read it
any more has to learn to.
"""

from __future__ import annotations

import json
import lzma
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, BinaryIO, Final, cast

from tests.table.samples.make_evening import Evening

from referee.core.errors import Refused
from referee.core.questions import Choice, Ruling
from referee.store.export import export_campaign
from referee.store.sqlite import SQLiteStore
from referee.table import draft_desk, master_desk, seat_desk
from referee.table.desk import Desk, DeskCommand
from referee.table.hub import Hub

SERVER: Final = "d6"
"""The system whose campaign is also kept as the database of a server."""


ENDING: Final = frozenset({"end-battle", "new-session", "critical-injury", "pass-time", "wait-until-free"})
"""Actions that a walk leaves out: after them there would be little left to play."""


class Golden(Evening):
    """An evening in which whatever is asked is answered by chance, always by the same."""

    def __init__(self, hub: Hub, system: str, name: str, played: tuple[str, ...], sample: str = "") -> None:
        super().__init__(hub, system, name, played, sample)
        self.random = Random(name)
        self.thrown: Callable[[int], int] = self.random.randrange

    def begin(self, key: str, who: str | None = None, /, **arguments: Any) -> None:
        """An action, with its questions left open."""
        try:
            self.hub.act(self.mo.campaign, self.mo.seat, DeskCommand(Desk.act, key, who, arguments))
        except Refused as why:
            sys.stderr.write(f"{key} is refused: {why}\n")

    def act(self, key: str, who: str | None = None, /, **arguments: Any) -> None:
        """An action to its end."""
        self.begin(key, who, **arguments)
        self.answer()

    def edit(self, name: str, **changes: Any) -> None:
        self.do(DeskCommand(master_desk.edit, name, changes))

    def switch_on(self, **options: Any) -> None:
        """Options, with two underlines where their names have a point."""
        given = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
        self.do(DeskCommand(master_desk.house_rules, {"options": given}))

    def answer(self, most: int = 40) -> None:
        """So many questions, by chance; a ruling by its default."""
        for _ in range(most):
            if not self.view()["questions"]:
                return
            self.do(DeskCommand(self._answer))

    def _answer(self, desk: Desk) -> None:
        key, waiting = self.random.choice(list(desk.campaign.questions(desk.member.id).items()))
        asked: Any = waiting.question
        if isinstance(asked, Choice) and not isinstance(asked, Ruling):
            desk.answer(key, asked.write(self.random.choice(asked.legal)))
        elif (waiting.step, waiting.part) in desk.journal.held or isinstance(asked, Ruling):
            desk.answer(key, None)
        else:
            desk.answer(key, asked.at_random(self.thrown))

    @contextmanager
    def by_hand(self, thrown: Callable[[int], int]) -> Iterator[None]:
        """Dice are typed in, each as it is told here: a number below its sides."""
        before, self.thrown = self.thrown, thrown
        self.do(DeskCommand(master_desk.settings, {"throws": {"*": "leave it"}}))
        yield
        self.do(DeskCommand(master_desk.settings, {"throws": {}}))
        self.thrown = before

    def comes_due(self, who: str, rule: str, after: int, about: str = "") -> None:
        """What rules of that time left on the clock where dice decide whether they do."""
        clock = self.view()["scene"]["clock"]
        new = {"at": clock["now"] + after, "order": 0, "who": who, "rule": rule, "about": about}
        self.edit("clock", deadlines=[*clock["deadlines"], new])

    def walk(self, moves: int) -> None:
        """So many answers and actions by chance."""
        for _ in range(moves):
            if self.view()["questions"]:
                self.answer(1)
            else:
                self.do(DeskCommand(self._act))

    def _act(self, desk: Desk) -> None:
        scene, system = desk.journal.scene, desk.campaign.system
        actions = [each for each in system.actions if each.key not in ENDING]
        self.random.shuffle(actions)
        for action in actions:
            for who in (None,) if action.master else scene.all(system.sheet):
                if (way := action.legal_at_random(scene, who, self.random)) is not None:
                    given = action.plain(who, **way)
                    if who is not None:
                        given.pop(next(iter(action.rule.parameters)))
                    desk.act(action.key, who and who.name, given)
                    return

    def until_asked(self, key: str, who: str | None = None, /, **arguments: Any) -> None:
        """An action as often as it takes until it asks something, and that is left open."""
        for _ in range(20):
            self.begin(key, who, **arguments)
            if self.view()["questions"]:
                return
        raise AssertionError(f"{key} asks nothing")

    def out_of_sight(self, who: str, key: str, **arguments: Any) -> None:
        """Somebody hides, and acts where no player sees it."""
        self.do(DeskCommand(master_desk.hide, who))
        self.act(key, who, **arguments)

    def half_a_draft(self) -> None:
        """A player builds a character by chance, takes one answer back, and is not done yet."""
        one = self.players[0]
        self.do(DeskCommand(draft_desk.begin, "half", fill=True), one)
        (found,) = self.hub.read(self.mo.campaign, one.seat, draft_desk.drafts_of)
        self.do(DeskCommand(draft_desk.answer, "half", list(found.answers)[-1], None), one)

    def beside_the_story(self) -> None:
        """Talk, pictures, free throws, a stop, a draft; real dice are put away again."""
        self.beside_the_rules()
        self.do(DeskCommand(seat_desk.change_seat, self.players[0].seat, real_dice=False), self.players[0])
        self.half_a_draft()

    def back_and_forth(self) -> None:
        """The last things are undone and brought back, and the last one is undone for good."""
        self.went_wrong()
        self.do(DeskCommand(Desk.note, "We leave it at that."))
        self.hub.reveal(*self.mo[:2])

    def seen(self) -> dict[str, Any]:
        """What each seat sees and has been told."""
        found = {}
        for seated in (self.mo, *self.players, self.guest):
            view = self.view(seated)
            told = self.hub.story(self.mo.campaign, seated.seat, 0, view["cursor"])
            found[seated.seat] = {"scene": view["scene"], "asked": view["questions"], "story": told}
        return found

    def keep(self, folder: Path, system: str) -> None:
        if not self.view()["questions"]:
            raise AssertionError(f"nothing is asked in the campaign of {system}")
        with lzma.open(folder / f"{system}.jsonl.xz", "xb") as file:
            export_campaign(self.hub.store, self.mo.campaign, cast(BinaryIO, file), seeds=True)
        with lzma.open(folder / f"{system}.json.xz", "xt", encoding="utf-8") as seen:
            json.dump(self.seen(), seen)


def alien(hub: Hub) -> Golden:
    golden = Golden(hub, "alien", "The derelict", ("Ripa", "Dallow"))
    golden.beside_the_story()
    for skill in ("Observation", "Survival", "Command", "Observation"):
        golden.act("skill-roll", "Ripa", skill=skill)
        golden.act("skill-roll", "Dallow", skill="Piloting", mods=-1)
    golden.edit("Dallow", stress=6)
    for _ in range(4):
        golden.act("skill-roll", "Dallow", skill="Mobility")
    golden.act("pass-time", amount=1, unit="Stretch")
    golden.out_of_sight("Brekk", "skill-roll", skill="Stamina")
    golden.back_and_forth()
    golden.act("skill-roll", "Ripa", skill="Survival")
    golden.until_asked("skill-roll", "Ripa", skill="Observation")
    return golden


def distemper(hub: Hub) -> Golden:
    golden = Golden(hub, "distemper", "The roadblock", ("Ash", "Bell"), "roadblock")
    golden.answer(45)
    golden.beside_the_story()
    golden.edit("Bell", rp=3)
    golden.answer(25)
    golden.back_and_forth()
    golden.answer(5)
    golden.do(DeskCommand(master_desk.end_encounter, "fight"))
    golden.act("check", "Ash", using="Barter")
    golden.act("upkeep", "Bell", item="axe", using="Tinkerer")
    golden.act("hurt", who="Ash", wp=2, rp=1)
    golden.act("negotiate", "Bell", other="raider", using="Barter")
    golden.out_of_sight("lookout", "check", using="Ranged Combat")
    golden.act("opposed-check", "Ash", other="raider", using="Perception", answering="Intimidation")
    golden.edit("Ash", insight=3, wp=6)
    golden.until_asked("check", "Ash", using="Perception")
    return golden


def dime(hub: Hub) -> Golden:
    golden = Golden(hub, "dime", "The ambush", ("Ada", "Rourke"), "ambush")
    golden.answer(60)
    golden.beside_the_story()
    golden.edit("Thug", consequences=[{"name": "Bleeding", "severity": 2}])
    golden.answer(60)
    golden.back_and_forth()
    golden.answer(10)
    golden.do(DeskCommand(master_desk.end_encounter, "fight"))
    golden.answer()
    golden.switch_on(dime__invention__qc=True)
    golden.edit("Ada", lifestyle=3, wealth=4, consequences=[])
    golden.edit("Rourke", consequences=[], dying=None, unconscious=False, dead=False, hp=12)
    golden.act("call-on-lifestyle", "Ada")
    golden.act("flip", "Ada", stat="Dexterity", skill="guns")
    golden.act("set-task", who="Rourke", name="the wheel", stat="Strength", tn=12, tally=3, minutes=10)
    golden.act("work", "Rourke", task="the wheel")
    golden.act("hurt", who="Rourke", points=3)
    golden.out_of_sight("Gunner", "flip", stat="Dexterity", skill="guns")
    golden.act("pass-time", amount=2, unit="Round")
    golden.edit("Ada", consequences=[{"name": "Bleeding", "severity": 1}])
    golden.edit("Thug", hp=-2, dying={})
    golden.comes_due("Ada", "dime.consequence.bleeding", 1)
    golden.comes_due("Thug", "dime.damage.dying", 1)
    golden.until_asked("flip", "Rourke", stat="Strength", skill="melee")
    return golden


def yearzero(hub: Hub) -> Golden:
    golden = Golden(hub, "yearzero", "The roadblock", ("Juno", "Okonkwo"), "roadblock")
    golden.walk(60)
    golden.beside_the_story()
    golden.edit("Juno", willpower=5, stress=3)
    golden.walk(60)
    golden.back_and_forth()
    golden.walk(10)
    golden.answer()
    golden.act("end-battle")
    golden.act("gain-stress", who="Juno", event="getting Suppressed")
    golden.act("panic-check", "Juno", trigger="getting Suppressed")
    for who in ("Juno", "Okonkwo", "Rusk", "Vee"):
        golden.edit(who, damage={}, conditions=[], prone=False, injuries=[])
    with golden.by_hand(lowest):
        golden.act("resist-disease", "Juno", virulence=-2)
        golden.act("critical-injury", patient="Juno", name="a deep cut", days="D6")
        golden.act("pass-time", amount=2, unit="quarter day")
        golden.act("resist-disease", "Okonkwo", virulence=-1)
    golden.act("suppress", who="Okonkwo")
    golden.act("critical-injury", patient="Okonkwo", name="a broken rib", days="2D6")
    golden.act("critical-injury", patient="Vee", name="a cut throat", limit="1 hour", days="D6")
    golden.edit("Okonkwo", damage={})
    golden.act("first-aid", "Okonkwo", patient="Vee", attribute="Strength")
    golden.comes_due("Rusk", "yearzero.marksmanship.effects/bleed", 2, "Torso")
    golden.comes_due("Juno", "yearzero.conditions.disease/death", 20000)
    golden.act("skill-roll", "Juno", skill="Might")
    golden.act("rest", "Juno")
    golden.out_of_sight("Vee", "skill-roll", skill="Move")
    golden.act("pass-time", amount=1, unit="round")
    golden.act("suppress", who="Okonkwo")
    golden.until_asked("skill-roll", "Juno", skill="Might")
    return golden


def d6(hub: Hub) -> Golden:
    golden = Golden(hub, "d6", "The loading dock", ("Mara", "Otto"), "loading-dock")
    golden.answer(70)
    golden.beside_the_story()
    golden.edit("Kwame", wound="Wounded")
    golden.answer(70)
    golden.back_and_forth()
    golden.answer(10)
    golden.act("end-fight")
    golden.switch_on(d6__health__localized_zones=True, d6__health__cpr=True, d6__health__long_combat=True)
    for who in ("Mara", "Otto", "Ines", "Kwame", "guard", "cutter", "stevedore"):
        golden.edit(who, wound="Healthy", stuns=0, unconscious=None, posture="standing", states=[], zones=[])
    golden.act("wake-through", victim="Otto", slept=8)
    golden.act("carry", "Kwame", margin=0)
    with golden.by_hand(lowest):
        golden.act("pass-time", amount=12, unit="round")
        golden.act("end-hazard", victim="Kwame", hazard="carrying")
        golden.act("pass-time", amount=40, unit="hour")
    golden.act("wound", victim="Mara", wound="Wounded")
    golden.act("task", "Kwame", using="First aid", difficulty=12, base_time=10, unit="minute")
    golden.act("carry", "Kwame", margin=0)
    with golden.by_hand(lowest):
        golden.act("pass-time", amount=11, unit="round")
    golden.act("end-hazard", victim="Kwame", hazard="carrying")
    golden.act("wound", victim="cutter", wound="Mortally wounded")
    golden.act("stun", victim="foreman", stuns=1)
    golden.act("stun", victim="stevedore", stuns=9)
    golden.act("damage", victim="Ines", damage="4D")
    golden.act("starve", victim="Ines", want="Serious")
    golden.act("climate", victim="Kwame", climate="Serious")
    golden.act("run", "Mara", speed="Cruise")
    golden.act("suffocate", victim="guard")
    golden.edit("Ines", states=[{"zone": "Head", "state": "Blinded"}, {"zone": "Head", "state": "Silence 1 hour"}])
    golden.comes_due("Ines", "d6.health.localized-effects/pass", 5, "Head: Blinded")
    golden.comes_due("Ines", "d6.health.localized-effects/try", 600, "Head: Silence 1 hour")
    golden.act("pass-time", amount=1, unit="round")
    golden.act("roll", "Kwame", using="Stamina", difficulty=10)
    golden.out_of_sight("foreman", "roll", using="Firearms", difficulty=10)
    golden.edit("stevedore", stuns=3)
    golden.edit("Mara", character_points=5)
    golden.until_asked("roll", "Mara", using="Search", difficulty=15)
    return golden


def lowest(sides: int) -> int:
    return 0


SYSTEMS: Final[dict[str, Callable[[Hub], Golden]]] = {
    "alien": alien,
    "distemper": distemper,
    "dime": dime,
    "yearzero": yearzero,
    "d6": d6,
}


def main(folder: Path, *systems: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for system in systems or SYSTEMS:
        with tempfile.TemporaryDirectory() as place:
            store = SQLiteStore.open(Path(place) / "referee.db")
            hub = Hub(store)
            SYSTEMS[system](hub).keep(folder, system)
            if system == SERVER:
                store.backup(Path(place) / "server.db")
                with (Path(place) / "server.db").open("rb") as file, lzma.open(folder / "server.db.xz", "xb") as kept:
                    shutil.copyfileobj(file, kept)
            hub.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
