"""The campaigns of a server: opened on demand, changed by one thread at a time, stored before anyone is notified."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from logging import getLogger
from tempfile import SpooledTemporaryFile
from threading import Lock
from time import time
from typing import BinaryIO, Final, TypeVar, cast, final

from referee.core.errors import BadInput, RefereeError, Refused
from referee.core.plain import Plain
from referee.journal.lines import SeedCommitted, SeedRevealed
from referee.store.base import Store
from referee.store.export import export_campaign
from referee.store.records import Admission, Conflict, Header, NotInvited, Repeated
from referee.table import seat_desk, storage
from referee.table.access import ANYBODY, Access, Admitted, digest, new_secret
from referee.table.audit import AuditPage, audit
from referee.table.backlog import PublicStory, earlier_feed
from referee.table.campaign import Campaign
from referee.table.codes import as_written
from referee.table.desk import Desk, DeskCommand, LongAgo
from referee.table.imports import import_into
from referee.table.members import Member, NotAllowed, Role
from referee.table.open_campaigns import IDLE, Callback, OpenCampaign, OpenCampaigns
from referee.table.time_limit import HeldTooLong, within_time
from referee.views.feed import Feed

T = TypeVar("T")

LOG: Final = getLogger(__name__)

IN_MEMORY: Final = 2**22
"""How many bytes of a copied campaign are held in memory before it goes to disk."""
TRIES: Final = 3
"""How often a change is tried when another process writes first."""
MOST_STORIES: Final = 8
RENAMED: Final = "renamed"
"""What other servers hear when a campaign has another name."""


class OutOfDate(Refused):
    """The table has moved on since the seat last looked."""


class KeyReused(RefereeError):
    """An idempotency key that was used for another request."""

    def __init__(self) -> None:
        super().__init__("this key was used for something else; every request has a key of its own")


@final
class Hub(Access):
    """The campaigns of one server process. Every method may be called from any thread."""

    def __init__(self, store: Store, clock: Callable[[], float] = time) -> None:
        super().__init__(store, clock)
        self._campaigns = OpenCampaigns(self._open, clock, self._follow)
        self.on_news: Callable[[str, str], None] = _nothing
        """Called with what other servers announce about a campaign, if it is no line."""
        self._stories: dict[str, PublicStory] = {}
        self._stories_lock = Lock()
        store.listen(self._heard, self._missed)

    @property
    def in_memory(self) -> int:
        """How many campaigns are in memory."""
        return len(self._campaigns)

    def evict_idle(self, idle: float = IDLE) -> int:
        """Drop campaigns from memory that no one has used for `idle` seconds; they open again on demand."""
        return self._campaigns.evict_idle(idle)

    def close(self) -> None:
        """Wait for running requests, refuse all later ones, and close the store."""
        self._campaigns.close()
        self.store.close()

    # Campaigns and seats.

    def create(self, name: str, system: str, scene: Mapping[str, Plain], master: str) -> Admitted:
        """Begin a campaign, with its creator as game master."""
        secret = new_secret()
        token_of = partial(self.token_record, secret)
        campaign, seat = storage.begin(self.store, name, system, scene, master, self.clock(), token_of)
        return Admitted(campaign, seat, secret)

    def fork(self, campaign: str, by: str, item: int, name: str) -> Admitted:
        """A new campaign that continues from before an item of the game master's feed."""
        with self._looking(campaign) as (_, current):
            master = self._master(current, by, "fork")
            number = self._feed(current, campaign, by, item, item + 1).line_of(item)
        if number is None:
            raise BadInput("item", "your log has no such item")
        secret = new_secret()
        token_of = partial(self.token_record, secret)
        forked = storage.fork(self.store, campaign, number, name, master, self.clock(), token_of)
        return Admitted(forked, by, secret)

    def import_file(self, file: BinaryIO) -> Header:
        """Import a campaign from an exported file, with a new id and new dice from here on. All of it, or nothing."""
        return import_into(self.store, file, self.clock)[0]

    def import_as(self, file: BinaryIO, master: str) -> Admitted:
        """Import a campaign together with a seat for its new game master."""
        secret = new_secret()
        header, seat = import_into(self.store, file, self.clock, master, partial(self.token_record, secret))
        return Admitted(header.id, seat, secret)

    def open_copy(self, campaign: str, by: str, backup: Store, name: str) -> Admitted:
        """A campaign as a backup has it, as a new campaign of this name; the one that is played stays as it is."""
        with self._looking(campaign) as (_, current):
            master = self._master(current, by, "restore")
        with SpooledTemporaryFile(IN_MEMORY) as file:
            export_campaign(backup, campaign, cast(BinaryIO, file), seeds=True)
            file.seek(0)
            header = self.import_file(cast(BinaryIO, file))
        self.store.rename(header.id, name)
        with self._looking(header.id) as (_, copied):
            known = copied.members.get(by)
        if known is not None and known.is_master:
            return Admitted(header.id, by, self.new_token(header.id, by))
        return self.add_seat(header.id, master.name, Role.MASTER)

    def add_seat(
        self,
        campaign: str,
        name: str,
        role: Role,
        controls: frozenset[str] = frozenset(),
        invitation: str | None = None,
    ) -> Admitted:
        """Someone takes a new seat. Taking the seat and using up the invitation happen together or not at all."""
        seats: list[str] = []
        secret = new_secret()

        def sit_down(current: Campaign) -> None:
            plays = seat_desk.somebody_free(current) if ANYBODY in controls else controls
            seats.append(seat_desk.new_seat(current, "", name, role, plays))

        def admits() -> Admission:
            return Admission(self.token_record(secret, campaign, seats[-1]), invitation)

        self._write(campaign, sit_down, admits=admits)
        return Admitted(campaign, seats[-1], secret)

    def invite(self, campaign: str, by: str, role: Role, controls: frozenset[str] = frozenset(), uses: int = 1) -> str:
        """A code that lets someone join."""
        with self._looking(campaign) as (_, current):
            seat_desk.check_invitation(Desk(current, by), controls, uses)
        return self.new_invitation(campaign, role, controls, uses)

    def invite_standing(self, campaign: str, by: str, *, anew: bool = False) -> str:
        """The code that lets players join until the game master revokes it, or makes another."""
        with self._looking(campaign) as (_, current):
            self._master(current, by, "invite")
        if anew:
            self.revoke_standing_invitation(campaign)
        return self.keep_standing_invitation(campaign)

    def rejoin_link(self, campaign: str, by: str, seat: str) -> str:
        """A secret that lets someone back into their own seat; the game master gives it to them."""
        with self._looking(campaign) as (_, current):
            self._master(current, by, "seat")
            if seat not in current.members:
                raise BadInput("seat", "there is no such seat at this table")
        return self.new_link(campaign, seat)

    def join(self, code: str, name: str) -> Admitted:
        """Join with an invitation."""
        try:
            now = self.clock()
            self._make_for(digest(as_written(code)))
            found = self.store.invitation(digest(as_written(code)), now) or self.store.invitation(digest(code), now)
            if found is None:
                raise NotInvited
            return self.add_seat(found.campaign, name, Role(found.role), frozenset(found.controls), found.digest)
        except NotInvited as why:
            raise Refused("join", because=str(why), rule="referee.table.seats") from None

    def is_seated(self, campaign: str, seat: str) -> bool:
        with self._looking(campaign) as (_, current):
            return seat in current.members

    def rename(self, campaign: str, seat: str, name: str) -> None:
        """Give a campaign another name."""
        with self._looking(campaign) as (entry, current):
            self._master(current, seat, "rename")
            self.store.rename(campaign, name)
        entry.notify()
        self.store.announce(campaign, RENAMED)

    # Reading and acting.

    def read(self, campaign: str, seat: str, read: Callable[[Desk], T]) -> T:
        """Read something from a seat's desk; nothing changes meanwhile."""
        from_line: int | None = None
        while True:
            try:
                with self._looking(campaign, from_line) as (_, current):
                    return within_time(partial(read, Desk(current, seat)))
            except LongAgo as past:
                from_line = self._line_of(campaign, past)

    def act(
        self,
        campaign: str,
        seat: str,
        command: DeskCommand,
        *,
        key: str | None = None,
        expected: int | None = None,
        request: str = "",
    ) -> int:
        """Perform and store a command from a seat; returns how many items the seat has been told.

        If that number was not `expected` before, nothing is done. Repeating a `key` does nothing more and returns the
        same; `request` is the digest of the request sent under that key.
        """

        def perform(current: Campaign) -> None:
            desk = Desk(current, seat)
            count = desk.feed.cursor
            if expected is not None and expected != count:
                because = f"you have been told {count} things, not {expected}: look again"
                raise OutOfDate("version", because=because, rule="referee.table.version")
            command.perform(desk)

        def outcome(current: Campaign) -> Plain:
            count = {"cursor": current.feeds[seat].cursor} if seat in current.feeds else {}
            return {**count, "of": request} if request else count

        stored = self._write(campaign, perform, None if key is None else f"{seat} {key}", outcome)
        if stored.get("of", "") != request:
            raise KeyReused
        return int(stored.get("cursor", 0))

    def story(self, campaign: str, seat: str, start: int, stop: int) -> list[dict[str, Plain]]:
        """Items a seat has been told, numbered by its own count."""
        with self._looking(campaign) as (_, current):
            feed = self._feed(current, campaign, seat, start, stop)
            return feed.items[_within(feed, start, stop)]

    def dated_story(self, campaign: str, seat: str, start: int, stop: int) -> list[dict[str, Plain]]:
        """The same items, each with the time it was written, `at`, in whole seconds since 1970."""
        with self._looking(campaign) as (_, current):
            feed = self._feed(current, campaign, seat, start, stop)
            some = _within(feed, start, stop)
            times = self.store.times(campaign, feed.places[some])
            told = zip(feed.items[some], feed.places[some], strict=True)
            return [{**item, "at": round(times[place])} for item, place in told]

    def public_story(self, campaign: str) -> PublicStory:
        """What everyone may know of a campaign. Those read last are kept."""
        with self._stories_lock:
            found = self._stories.pop(campaign, None) or PublicStory(self.store, campaign)
            self._stories[campaign] = found
            if len(self._stories) > MOST_STORIES:
                del self._stories[next(iter(self._stories))]
        return found

    def reveal(self, campaign: str, by: str) -> str:
        """Reveal and return the seed of the dice, so that everyone can check them, and commit to a new one."""
        revealed: list[str] = []

        def work(current: Campaign) -> None:
            self._master(current, by, "reveal")
            old = current.journal.source
            if old is None:
                raise Refused("reveal", because="the table has thrown no dice yet", rule="referee.table.dice")
            new = storage.new_seed(self.store, campaign)
            current.journal.say(SeedRevealed(by, old.commitment, old.seed.hex()))
            current.journal.say(storage.seed_line(new, "revealed"))
            current.journal.source = new
            current.advance()
            revealed[:] = old.commitment, old.seed.hex()

        self._write(campaign, work)
        self.store.reveal_seed(campaign, revealed[0], self.clock())
        return revealed[1]

    def audit(
        self, campaign: str, seat: str, *, by: str = "", who: str = "", rule: str = "", start: int = 0, most: int = 100
    ) -> AuditPage:
        """What was done by an actor, about a character or by a rule, undone or not; for the game master, in pages."""
        with self._looking(campaign) as (_, current):
            self._master(current, seat, "audit")
        lines = enumerate(storage.read_lines(self.store, campaign))
        return audit(lines, by=by, who=who, rule=rule, start=start, most=most)

    def subscribe(self, campaign: str, callback: Callback) -> Callback:
        """Call back after every change to a campaign, from the thread that made it; returns how to unsubscribe."""
        with self._looking(campaign) as (entry, _):
            return entry.subscribe(callback)

    # Internals.

    def _looking(
        self, campaign: str, from_line: int | None = None
    ) -> AbstractContextManager[tuple[OpenCampaign, Campaign]]:
        """A campaign as it is now, to read it."""
        return self._campaigns.locked(campaign, self._look, from_line)

    @contextmanager
    def _look(self, campaign: str) -> Iterator[int | None]:
        yield self.store.count(campaign) if self.store.is_shared else None

    def _open(self, campaign: str, from_line: int | None) -> Campaign:
        """Open a campaign; it may write lines then, and others may open it at the same moment."""
        with self.store.turn(campaign):
            return storage.open_campaign(self.store, campaign, self.clock, from_line)

    def _follow(self, current: Campaign, campaign: str, count: int) -> bool:
        """Take in what other servers have written; False if the campaign has to be opened anew."""
        lines = storage.read_lines(self.store, campaign, current.count, count)
        committed = [line.commitment for line in lines if isinstance(line, SeedCommitted)]
        source = storage.source_of(self.store, campaign, committed[-1]) if committed else current.journal.source
        try:
            return within_time(partial(current.follow, lines, source))
        except HeldTooLong:
            raise
        except RefereeError:
            LOG.exception("campaign %s could not be followed, and is opened anew", campaign)
            return False

    def _heard(self, campaign: str, what: str) -> None:
        """Another server has written lines, or announces something."""
        if what.isdecimal():
            self._campaigns.heard(campaign, int(what))
        else:
            self.on_news(campaign, what)

    def _missed(self) -> None:
        """Anything may have been written while nobody listened."""
        for each in self._campaigns.ids:
            self._campaigns.heard(each)

    def _write(
        self,
        campaign: str,
        work: Callable[[Campaign], None],
        key: str | None = None,
        outcome: Callable[[Campaign], Plain] = lambda _: None,
        admits: Callable[[], Admission | None] = lambda: None,
    ) -> Plain:
        """Change a campaign; retry if another process wrote first, or if an item is no longer in memory."""
        tries, from_line = TRIES, None
        while True:
            try:
                return self._write_once(campaign, work, key, outcome, admits, from_line)
            except Repeated as again:
                return again.outcome
            except Conflict:
                tries -= 1
                if not tries:
                    raise
            except LongAgo as past:
                from_line = self._line_of(campaign, past)

    def _write_once(
        self,
        campaign: str,
        work: Callable[[Campaign], None],
        key: str | None,
        outcome: Callable[[Campaign], Plain],
        admits: Callable[[], Admission | None],
        from_line: int | None,
    ) -> Plain:
        """Under the campaign's lock, do the work and store the new lines; without the lock, notify the subscribers."""
        with self._campaigns.locked(campaign, self.store.turn, from_line) as (entry, current):
            if key is not None and (known := self.store.remembered(campaign, key)) is not None:
                return known
            before = current.count
            refused = self._try(entry, current, work)
            found = None if refused else outcome(current)
            self._store(entry, current, before, None if refused else key, found, None if refused else admits())
        if current.count > before:
            entry.notify()
        if refused:
            raise refused
        return found

    def _try(self, entry: OpenCampaign, current: Campaign, work: Callable[[Campaign], None]) -> Refused | None:
        """Do the work. A step refused midway leaves lines that say so; any other failure leaves nothing."""
        before = current.count
        entry.campaign = None  # until it is stored, what is in memory may be ahead of the store
        try:
            within_time(partial(work, current))
        except Refused as why:
            if current.count == before:
                entry.campaign = current
                raise
            try:
                within_time(current.advance)
            except RefereeError:
                raise why from None
            return why
        except RefereeError:
            entry.campaign = current if current.count == before else None
            raise
        return None

    def _store(
        self,
        entry: OpenCampaign,
        current: Campaign,
        before: int,
        key: str | None,
        outcome: Plain,
        admits: Admission | None,
    ) -> None:
        """Store the new lines, and a checkpoint if one is due."""
        lines = storage.new_lines(current, before)
        storage.append(self.store, entry.id, before, lines, self.clock(), key, outcome, admits)
        entry.campaign = current
        if current.count - entry.checkpointed >= storage.CHECKPOINT_EVERY:
            self._checkpoint(entry, current)

    def _checkpoint(self, entry: OpenCampaign, current: Campaign) -> None:
        """Store a checkpoint, so that a long campaign opens quickly and takes little memory. Losing one is harmless."""
        found = current.checkpoint()
        if found is None:
            return
        try:
            self.store.keep_checkpoint(entry.id, current.count, found.to_plain())
        except RefereeError:
            LOG.exception("no checkpoint of campaign %s was stored", entry.id)
            return
        entry.checkpointed = current.count
        if len(current.journal.lines) > storage.MOST_LINES:
            entry.campaign = None

    def _line_of(self, campaign: str, past: LongAgo) -> int:
        """The line behind an item no longer in memory."""
        return earlier_feed(self.store, campaign, past.seat, past.item, past.item + 1).line_of(past.item) or 0

    def _feed(self, current: Campaign, campaign: str, seat: str, start: int, stop: int) -> Feed:
        """A seat's feed, including the items from `start` to `stop`."""
        feed = Desk(current, seat).feed
        return feed if start >= feed.before else earlier_feed(self.store, campaign, seat, max(0, start), stop)

    def _master(self, current: Campaign, seat: str, what: str) -> Member:
        if not (member := current.member(seat)).is_master:
            raise NotAllowed(what, because="only the game master may do this", rule="referee.table.seats")
        return member


def _nothing(campaign: str, what: str) -> None:
    """Nobody wants to know."""


def _within(feed: Feed, start: int, stop: int) -> slice:
    """Where the items from `start` to before `stop` are among those in memory."""
    return slice(max(0, start - feed.before), max(0, stop - feed.before))
