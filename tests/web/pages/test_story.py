"""The story blames no one for what another did, and its figures are true."""

from __future__ import annotations

import re

import pytest
from tests.web.conftest import Running, Visitor

from referee.client import Client, SeatClient
from referee.core.plain import Plain
from referee.table import master_desk
from referee.table.desk import DeskCommand


def words(page: str) -> str:
    """The story on a page, without its tags and times."""
    story = page[page.index('id="story"') : page.index('id="waiting"')]
    return " ".join(re.sub(r"<time.*?</time>|<[^>]+>", " ", story).split())


class Fight:
    """The roadblock, with a hidden lookout: Mo runs it, Anna plays Ash, Ben plays Bell."""

    def __init__(self, server: Running, client: Client, hidden: str = "lookout") -> None:
        self.server = server
        self.mo = client.create("The roadblock", "distemper", sample="roadblock", master="Mo")
        self.anna, self.ben = (
            client.join(self.mo.invite(controls=[who]).code, name) for who, name in (("Ash", "Anna"), ("Bell", "Ben"))
        )
        self.mo.settings(throws={"*": "leave it"})
        if hidden:
            self.act(DeskCommand(master_desk.hide, hidden))

    def act(self, command: DeskCommand) -> None:
        self.server.hub.act(self.mo.campaign, self.mo.seat, command)

    def play(self, answers: dict[str, Plain], until: str) -> None:
        """Answer every question until one that is not to be answered; no Insight is spent."""
        for _ in range(60):
            key = next(each.key for each in self.mo.view().questions)
            if key == until:
                return
            self.mo.answer(key, answers.get(key, "no"))
        raise AssertionError(f"{until} was never asked")

    def page(self, seat: SeatClient, path: str = "") -> str:
        visitor = Visitor(self.server.address, self.mo.campaign, seat.seated.token)
        try:
            return visitor.get(path)
        finally:
            visitor.http.close()


@pytest.fixture
def fight(running: Running, client: Client) -> Fight:
    return Fight(running, client)


INITIATIVE: dict[str, Plain] = {
    "Bell.initiative": [[6, 6]],
    "lookout.initiative": [[5, 4]],
    "Ash.initiative": [[1, 1]],
    "raider.initiative": [[1, 1]],
}
AMBUSHED: dict[str, Plain] = {
    **INITIATIVE,
    "Bell.action": "take-cover",
    "lookout.action": "attack Ash pistol",
    "lookout.check": [[6, 5]],
}


def test_what_someone_hidden_does_is_done_by_someone_unseen(fight: Fight) -> None:
    fight.play(AMBUSHED, until="Ash.action")
    for seat in (fight.anna, fight.ben):
        story = words(fight.page(seat))
        assert "Bell takes cover. Someone unseen acts. Ash: Wounds 11 → 8" in story
        assert story.count("Someone unseen acts.") == 1
        assert "Lookout is gone." in story
        assert "pistol" not in story
    assert "Lookout attacks Ash with the pistol." in words(fight.page(fight.mo))
    assert "unseen" not in words(fight.page(fight.mo))


def test_the_recap_blames_no_one_else_for_what_someone_hidden_did(fight: Fight) -> None:
    fight.play(AMBUSHED, until="Ash.action")
    recap = fight.page(fight.anna, "/history/recap.md")
    assert "- **Someone unseen** acts. Ash: Wounds 11 to 5. Ash: Resilience 9 to 5.\n" in recap
    assert "- **Bell** takes cover.\n" in recap
    assert recap == fight.page(fight.mo, "/history/recap.md")


def test_results_that_take_effect_later_are_not_the_last_actors(running: Running, client: Client) -> None:
    fight = Fight(running, client, hidden="")
    together: dict[str, Plain] = {
        **INITIATIVE,
        "Bell.initiative": [[1, 1]],
        "raider.initiative": [[5, 5]],
        "lookout.initiative": [[5, 3]],  # as the raider: 11
        "lookout.action": "attack Ash pistol",
        "lookout.check": [[6, 5]],
        "raider.action": "take-cover",
    }
    fight.play(together, until="Ash.action")
    story = words(fight.page(fight.anna))
    assert "Raider takes cover. Then this happens: Ash: Wounds 11 → 8" in story
    recap = fight.page(fight.anna, "/history/recap.md")
    assert "- **Raider** takes cover.\n" in recap
    assert "\n- Ash: Wounds 11 to 5. Ash: Resilience 9 to 5.\n" in recap


def test_two_worlds_with_another_attacker_in_hiding_tell_the_same(running: Running, client: Client) -> None:
    told = []
    for name, weapon in (("stalker", "pistol"), ("sniper", "crossbow")):
        fight = Fight(running, client, hidden="")
        fight.act(DeskCommand(master_desk.end_encounter, "fight"))
        item = {"name": weapon, "skill": "Ranged Combat", "wp": 3, "rp": 2}
        fight.act(DeskCommand(master_desk.remove, "lookout"))
        foe = {"kind": "Character", "player": False, "items": [item]}
        fight.act(DeskCommand(master_desk.add, name, foe, hidden=True))
        sides = [["Ash", "Bell"], ["raider", name]]
        fight.act(DeskCommand(master_desk.edit, "fight", {"kind": "Fight", "sides": sides}))
        answers = {**INITIATIVE, "Bell.action": "take-cover", f"{name}.initiative": [[5, 4]]}
        answers |= {f"{name}.action": f"attack Ash {weapon}", f"{name}.check": [[6, 5]]}
        fight.play(answers, until="Ash.action")
        story = fight.server.hub.story(fight.mo.campaign, fight.anna.seat, 5, 99)
        assert any(each.get("unseen") for each in story)
        plain = re.sub(f"{fight.mo.seat}|{fight.anna.seat}|{fight.ben.seat}", "seat", str(story))
        assert name not in plain
        told.append((plain, words(fight.page(fight.anna)), fight.page(fight.ben, "/history/recap.md")))
    assert told[0] == told[1]


def test_a_players_dice_are_told_as_the_players(fight: Fight) -> None:
    fight.mo.settings(throws={})
    fight.anna.roll("3d6")
    fight.anna.roll("4d6kh3", "+1")
    for seat in (fight.anna, fight.mo):
        story = words(fight.page(seat))
        assert re.search(r"Anna rolls 3d6\. \d \d \d = \d+ Anna rolls 4d6kh3 \+1\. \d \d \d \d 4d6kh3\+1 = ", story)
        assert "game master" not in story
    assert "game master" not in fight.page(fight.anna, "/history/recap.md")


def test_a_foe_in_hiding_does_not_appear_until_it_does(fight: Fight) -> None:
    fight.act(DeskCommand(master_desk.add, "lurker", {"kind": "Character", "player": False}, hidden=True))
    assert "Lurker waits, hidden from the players." in words(fight.page(fight.mo))
    assert "Lookout is now hidden from the players." in words(fight.page(fight.mo))
    assert "appears" not in words(fight.page(fight.mo))
    fight.act(DeskCommand(master_desk.hide, "lurker", hidden=False))
    for seat in (fight.mo, fight.anna):
        assert words(fight.page(seat)).count("Lurker appears.") == 1


def test_a_figure_that_was_never_set_is_told_by_what_it_stood_for(fight: Fight) -> None:
    fight.anna.answer("Ash.initiative-before", "extra die")
    for question in fight.mo.view().questions:
        fight.mo.answer(question.key, "no")
    assert "Ash: Insight Dice 2 → 1" in words(fight.page(fight.anna))
    assert "nothing →" not in words(fight.page(fight.anna))


def test_the_dead_are_not_among_the_winners(fight: Fight) -> None:
    fight.mo.settings(turns=False)
    while questions := fight.mo.view().questions:
        fight.act(DeskCommand(master_desk.cancel, questions[0].key))
    for who in ("raider", "lookout", "Bell"):
        fight.act(DeskCommand(master_desk.edit, who, {"dead": True, "wp": 0}))
    assert "over, Ash stands" in fight.page(fight.anna)
    fight.mo.settings(turns=True)
    assert "The fight is over: Ash won." in words(fight.page(fight.anna))
