"""Every campaign of a server: opened when it is asked for, changed by one at a time, kept before anybody is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from logging import getLogger
from secrets import token_hex
from time import time
from typing import BinaryIO, Final, TypeVar, final

from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain
from referee.journal.lines import Line
from referee.store.base import Store
from referee.store.export import import_campaign
from referee.store.records import Admission, Conflict, Header, NotInvited, Repeated
from referee.table import storage
from referee.table.access import Access, Admitted, digest, new_secret
from referee.table.audit import Audited, audit
from referee.table.backlog import hear_again
from referee.table.campaign import TABLE, Campaign
from referee.table.desk import Desk, LongAgo, new_seat
from referee.table.members import Member, NotAllowed, Role
from referee.table.open_campaigns import IDLE, Listener, OpenCampaign, OpenCampaigns
from referee.views.feed import Feed

T = TypeVar("T")

LOG: Final = getLogger(__name__)

TRIES: Final = 3
"""How often something is done anew when another process wrote first."""


class OutOfDate(Refused):
    """The table has moved on since the seat last looked."""


@final
class Hub(Access):
    """The campaigns of one server process. Every method may be called from any thread."""

    def __init__(self, store: Store, clock: Callable[[], float] = time) -> None:
        super().__init__(store, clock)
        self._tables = OpenCampaigns(
            lambda campaign, reach: storage.open_campaign(store, campaign, clock, reach), clock
        )

    def forget(self, idle: float = IDLE) -> int:
        """Forget campaigns that nobody has used for so many seconds; they open again when they are asked for."""
        return self._tables.forget(idle)

    def close(self) -> None:
        """Wait for what is being done, let nobody in any more, and close the store."""
        self._tables.close()
        self.store.close()

    # Campaigns and seats.

    def create(self, name: str, system: str, scene: Mapping[str, Plain], master: str) -> Admitted:
        """Begin a campaign with somebody as its game master."""
        secret = new_secret()
        token_of = partial(self.token_of, secret)
        campaign, seat = storage.begin(self.store, name, system, scene, master, self.clock(), token_of)
        return Admitted(campaign, seat, secret)

    def fork(self, campaign: str, by: str, item: int, name: str) -> Admitted:
        """A campaign of its own that goes on from before an item, which the game master names by their own count."""
        with self._tables.at(campaign) as (_, current):
            master = self._master(current, by, "fork")
            number = self._heard(current, campaign, by, item, item + 1).line_of(item)
        if number is None:
            raise BadInput("item", "your log has no such item")
        secret = new_secret()
        token_of = partial(self.token_of, secret)
        forked = storage.fork(self.store, campaign, number, name, master, self.clock(), token_of)
        return Admitted(forked, by, secret)

    def import_campaign(self, file: BinaryIO) -> Header:
        """A campaign out of an exported file, under an id of its own; its dice are new from here on."""
        storage.check_system(file)
        header = import_campaign(self.store, file, token_hex(8), check_line=Line.from_plain)
        try:
            with self._tables.at(header.id) as (table, current):
                self._checkpoint(table, current)
        except RefereeError:
            self.store.archive(header.id, self.clock())
            raise
        return header

    def sit(
        self,
        campaign: str,
        name: str,
        role: Role,
        controls: frozenset[str] = frozenset(),
        invitation: str | None = None,
    ) -> Admitted:
        """Somebody takes a new seat. It is theirs, and their invitation used, all at once or not at all."""
        seats: list[str] = []
        secret = new_secret()

        def sit_down(current: Campaign) -> None:
            seats.append(new_seat(current, "", name, role, controls))

        def admits() -> Admission:
            return Admission(self.token_of(secret, campaign, seats[-1]), invitation)

        self._change(campaign, sit_down, admits=admits)
        return Admitted(campaign, seats[-1], secret)

    def invite(self, campaign: str, by: str, role: Role, controls: frozenset[str] = frozenset(), uses: int = 1) -> str:
        """A code by which somebody may join."""
        with self._tables.at(campaign) as (_, current):
            self._master(current, by, "invite")
        return self.let_in(campaign, role, controls, uses)

    def link_back(self, campaign: str, by: str, seat: str) -> str:
        """A secret by which whoever sits in a seat takes it again; the game master gives it to them."""
        with self._tables.at(campaign) as (_, current):
            self._master(current, by, "seat")
            if seat not in current.members:
                raise BadInput("seat", "there is no such seat at this table")
        return self.give_link(campaign, seat)

    def join(self, code: str, name: str) -> Admitted:
        """Join by an invitation."""
        try:
            if (found := self.store.invitation(digest(code), self.clock())) is None:
                raise NotInvited
            return self.sit(found.campaign, name, Role(found.role), frozenset(found.controls), found.digest)
        except NotInvited as why:
            raise Refused("join", because=str(why), rule="referee.table.seats") from None

    def is_seated(self, campaign: str, seat: str) -> bool:
        with self._tables.at(campaign) as (_, current):
            return seat in current.members

    def rename(self, campaign: str, seat: str, name: str) -> None:
        """Give a campaign another name."""
        with self._tables.at(campaign) as (table, current):
            self._master(current, seat, "rename")
            self.store.rename(campaign, name)
        table.tell()

    # Looking and doing.

    def look(self, campaign: str, seat: str, read: Callable[[Desk], T], *, reach: int | None = None) -> T:
        """Read something from a seat; nothing changes meanwhile. It is read from the campaign as of line `reach` on."""
        try:
            with self._tables.at(campaign, reach) as (_, current):
                return read(Desk(current, seat))
        except LongAgo as told:
            return self.look(campaign, seat, read, reach=self._reach(campaign, told))

    def do(
        self,
        campaign: str,
        seat: str,
        work: Callable[[Desk], object],
        *,
        key: str | None = None,
        expected: int | None = None,
        of: str = "",
    ) -> Plain:
        """Do one thing from a seat. It is kept when this returns; the same key again does nothing more.

        `expected` is how much the seat had been told when it decided; if it has been told more since, nothing is done.
        `of` says what was asked for; it is remembered with the key.
        """

        def at_the_desk(current: Campaign) -> None:
            desk = Desk(current, seat)
            count = desk.telling.cursor
            if expected is not None and expected != count:
                because = f"you have been told {count} things, not {expected}: look again"
                raise OutOfDate("version", because=because, rule="referee.table.version")
            work(desk)

        def cursor(current: Campaign) -> Plain:
            count = {"cursor": current.tellings[seat].cursor} if seat in current.tellings else {}
            return {**count, "of": of} if of else count

        return self._change(campaign, at_the_desk, None if key is None else f"{seat} {key}", cursor)

    def story(self, campaign: str, seat: str, start: int, stop: int) -> list[dict[str, Plain]]:
        """Items a seat has been told, by its own count."""
        with self._tables.at(campaign) as (_, current):
            telling = self._heard(current, campaign, seat, start, stop)
            return telling.items[_within(telling, start, stop)]

    def dated_story(self, campaign: str, seat: str, start: int, stop: int) -> list[dict[str, Plain]]:
        """The same items, each with when it was written, `at`, in whole seconds since 1970."""
        with self._tables.at(campaign) as (_, current):
            telling = self._heard(current, campaign, seat, start, stop)
            some = _within(telling, start, stop)
            times = self.store.times(campaign, telling.places[some])
            told = zip(telling.items[some], telling.places[some], strict=True)
            return [{**item, "at": round(times[place])} for item, place in told]

    def reveal(self, campaign: str, by: str) -> str:
        """Reveal the seed of the dice, so that everybody can check them, and commit to a new one; the revealed one."""
        revealed: list[str] = []

        def work(current: Campaign) -> None:
            self._master(current, by, "reveal")
            old = current.journal.source
            if old is None:
                raise Refused("reveal", because="the table has thrown no dice yet", rule="referee.table.dice")
            new = storage.new_seed(self.store, campaign)
            current.journal.say(by, "revealed", commitment=old.commitment, seed=old.seed.hex())
            current.journal.say(TABLE, "seed", commitment=new.commitment)
            current.journal.source = new
            current.go_on()
            revealed[:] = old.commitment, old.seed.hex()

        self._change(campaign, work)
        self.store.reveal_seed(campaign, revealed[0], self.clock())
        return revealed[1]

    def audit(
        self, campaign: str, seat: str, *, by: str = "", who: str = "", rule: str = "", start: int = 0, most: int = 100
    ) -> list[Audited]:
        """What was done by an actor, about a character or by a rule, undone or not; for the game master, by pages."""
        with self._tables.at(campaign) as (_, current):
            self._master(current, seat, "audit")
        lines = enumerate(storage.read_lines(self.store, campaign))
        return audit(lines, by=by, who=who, rule=rule, start=start, most=most)

    def listen(self, campaign: str, listener: Listener) -> Callable[[], None]:
        """Be called whenever a campaign has changed, from whichever thread changed it; gives how to stop."""
        with self._tables.at(campaign) as (table, _):
            return table.listen(listener)

    # How it is done.

    def _change(
        self,
        campaign: str,
        work: Callable[[Campaign], None],
        key: str | None = None,
        outcome: Callable[[Campaign], Plain] = lambda _: None,
        tries: int = TRIES,
        reach: int | None = None,
        admits: Callable[[], Admission | None] = lambda: None,
    ) -> Plain:
        with self._tables.at(campaign, reach) as (table, current):
            if key is not None and (known := self.store.remembered(campaign, key)) is not None:
                return known
            before = current.count
            try:
                refused = self._worked(table, current, work)
                found = None if refused else outcome(current)
                self._keep(table, current, before, None if refused else key, found, None if refused else admits())
            except Repeated as again:
                return again.outcome
            except Conflict:
                if tries == 1:
                    raise
                return self._change(campaign, work, key, outcome, tries - 1, reach, admits)
            except LongAgo as told:
                return self._change(campaign, work, key, outcome, tries, self._reach(campaign, told), admits)
        if current.count > before:
            table.tell()
        if refused:
            raise refused
        return found

    def _worked(self, table: OpenCampaign, current: Campaign, work: Callable[[Campaign], None]) -> Refused | None:
        """Do something. A step refused in its middle has left lines that say so; any other failure leaves nothing."""
        before = current.count
        table.campaign = None  # until all is well it may be ahead of what is kept
        try:
            work(current)
        except Refused as why:
            if current.count == before:
                table.campaign = current
                raise
            try:
                current.go_on()
            except RefereeError:
                raise why from None
            return why
        except RefereeError:
            table.campaign = current if current.count == before else None
            raise
        return None

    def _keep(
        self,
        table: OpenCampaign,
        current: Campaign,
        before: int,
        key: str | None,
        outcome: Plain,
        admits: Admission | None,
    ) -> None:
        """What is new, before anybody is told of it."""
        lines = storage.new_lines(current, before)
        storage.append(self.store, table.id, before, lines, self.clock(), key, outcome, admits)
        table.campaign = current
        if current.count - table.checkpointed >= storage.CHECKPOINT_EVERY:
            self._checkpoint(table, current)

    def _checkpoint(self, table: OpenCampaign, current: Campaign) -> None:
        """So that a long campaign opens quickly, and takes little memory. Losing one loses nothing."""
        found = current.checkpoint()
        if found is None:
            return
        try:
            self.store.keep_checkpoint(table.id, current.count, found.to_plain())
        except RefereeError:
            LOG.exception("no checkpoint of campaign %s was kept", table.id)
            return
        table.checkpointed = current.count
        if len(current.journal.lines) > storage.MOST_LINES:
            table.campaign = None

    def _reach(self, campaign: str, told: LongAgo) -> int:
        """The line behind something that was told long ago."""
        return hear_again(self.store, campaign, told.seat, told.item, told.item + 1).line_of(told.item) or 0

    def _heard(self, current: Campaign, campaign: str, seat: str, start: int, stop: int) -> Feed:
        """What a seat was told, some items of it at least."""
        telling = Desk(current, seat).telling
        return telling if start >= telling.before else hear_again(self.store, campaign, seat, max(0, start), stop)

    def _master(self, current: Campaign, seat: str, what: str) -> Member:
        if not (member := current.member(seat)).is_master:
            raise NotAllowed(what, because="only the game master may do this", rule="referee.table.seats")
        return member


def _within(telling: Feed, start: int, stop: int) -> slice:
    """Where the items from one to before another are among those kept."""
    return slice(max(0, start - telling.before), max(0, stop - telling.before))
