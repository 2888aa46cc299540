"""The mailroom and the line to its server: silence, FIN, RST, BYE, split lines and dribbles at login, in IDLE and in FETCH."""

import asyncio
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ledger.store import open_ledger
from mail.backoff import Backoff
from mail.imap import ImapSettings
from mail.ports import Judge, ReceivedMail
from mail.reconnect import Patience
from mail.room import RoomPorts, run_room
from tests.integration.dovecot import dovecot
from tests.integration.imap_proxy import ImapProxy, imap_proxy
from tests.integration.mail_pair import APPROVALS, MailPair, mail_pair
from tests.integration.mail_room import Office
from tests.integration.mail_room import request as open_request
from tests.integration.test_mail_dovecot import DovecotPair, send
from wire.approval import Judgement

FAULTS = ["silence", "fin", "rst", "bye"]


@dataclass
class Crossing(Office):
    """An office whose room goes through a proxy, with a short time limit on the socket."""

    proxy: ImapProxy = field(default=None)  # type: ignore[assignment]
    surround: Callable[[RoomPorts], RoomPorts] = lambda ports: ports

    def ports(self, signal: Any = None) -> RoomPorts:
        """As ``surround`` has them."""
        return self.surround(super().ports(signal))

    def settings(self, **changes: Any) -> Any:
        """Through the proxy."""
        timeout = changes.pop("timeout_seconds", 2.0)
        settings = super().settings(**changes)
        account: ImapSettings = replace(settings.imap, port=self.proxy.port, timeout_seconds=timeout)
        return replace(settings, imap=account)


@pytest.fixture(scope="module")
def dovecot_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailPair]:
    with dovecot() as server:
        yield DovecotPair(tmp_path_factory.mktemp("dovecot"), imap_port=server.imap_port, server=server)


@pytest.fixture(scope="module")
def embedded_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailPair]:
    with mail_pair(tmp_path_factory.mktemp("pair")) as pair:
        yield pair


@pytest.fixture(params=["dovecot", "embedded"])
def crossing(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Crossing]:
    pair = request.getfixturevalue(f"{request.param}_pair")
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "e")
    with imap_proxy(pair.imap_port) as proxy:
        yield Crossing(pair, ledger, [open_request(f"{tmp_path.name}-{number}") for number in range(2)], proxy=proxy)
    ledger.dispose()


async def answered(crossing: Crossing, number: int) -> None:
    """A reply to request ``number`` is sent now, and its signal comes."""
    await asyncio.to_thread(send, crossing, number)
    assert (await crossing.next_signal())[0] == crossing.requests[number].run_id


def said(crossing: Crossing, event: str) -> list[dict[str, Any]]:
    return [facts for name, facts in crossing.events if name == event]


@pytest.mark.parametrize("fault", FAULTS)
async def test_in_idle(crossing: Crossing, fault: str) -> None:
    async with crossing.room(idle_seconds=0.3):
        crossing.proxy.arm(b"IDLE", fault, whole=2)
        await crossing.until("mailbox_failed")
        await answered(crossing, 0)
    assert crossing.proxy.count(b" LOGIN ") >= 2


@pytest.mark.parametrize("fault", FAULTS)
async def test_in_the_middle_of_a_message(crossing: Crossing, fault: str) -> None:
    async with crossing.room(idle_seconds=0.3):
        crossing.proxy.arm(b"BODY.PEEK[]", fault)
        await answered(crossing, 0)
    assert said(crossing, "mailbox_failed") != []


@pytest.mark.parametrize("fault", FAULTS)
async def test_at_login(crossing: Crossing, fault: str) -> None:
    crossing.proxy.arm(b" LOGIN ", fault, whole=0)
    async with crossing.room():
        await answered(crossing, 0)
    # Not taken for a refused password, after which nobody would try again for minutes.
    assert {name for name, _ in crossing.events if name.endswith(("_failed", "_refused"))} == {"mailbox_failed"}


async def test_line_in_two_packets_breaks_nothing(crossing: Crossing) -> None:
    crossing.proxy.arm(b"IDLE", "split", whole=14)  # the continuation has 10 or 11
    async with crossing.room(idle_seconds=20.0, timeout_seconds=20.0):
        assert await asyncio.to_thread(crossing.proxy.wait_for, b"IDLE\r\n")
        await answered(crossing, 0)
        await answered(crossing, 1)
    assert said(crossing, "mailbox_failed") == []
    assert crossing.proxy.met.is_set()


@pytest.mark.parametrize(("command", "doing"), [(b"BODY.PEEK[]", "reading"), (b"SELECT", "connecting")])
async def test_dribble_that_no_time_limit_ends_is_cut(crossing: Crossing, command: bytes, doing: str) -> None:
    crossing.proxy.arm(command, "dribble", whole=4)
    await asyncio.to_thread(send, crossing, 0)
    async with crossing.room(stall_seconds=1.0, timeout_seconds=20.0):
        assert (await crossing.next_signal())[0] == crossing.requests[0].run_id
    # On a busy machine more may stall after it.
    assert said(crossing, "stalled")[0]["doing"] == doing
    assert said(crossing, "mailbox_failed") != []


@dataclass
class HangsOnce:
    """A ledger that does not come back from its first batch until released."""

    judge: Judge
    released: threading.Event
    hangs: Iterator[bool] = field(default_factory=lambda: iter([True]))

    def ours_among(self, message_ids: Collection[str], addresses: Collection[str]) -> Collection[str]:
        """As the ledger says."""
        return self.judge.ours_among(message_ids, addresses)

    def judge_batch(self, mails: Sequence[ReceivedMail], at: datetime) -> Sequence[Judgement]:
        """Late, the first time."""
        if next(self.hangs, False):
            self.released.wait(30)
        return self.judge.judge_batch(mails, at)


async def test_reader_whose_thread_hangs_is_given_up(crossing: Crossing) -> None:
    released = threading.Event()
    crossing.surround = lambda ports: replace(ports, judge=HangsOnce(ports.judge, released))
    async with crossing.room(stall_seconds=1.0, timeout_seconds=20.0):
        await answered(crossing, 0)
        released.set()
    assert [facts["thread_given_up"] for facts in said(crossing, "stalled")][:2] == [False, True]


class Counted:
    """The ledger, telling of every finished poll."""

    def __init__(self, ledger: Any, polls: asyncio.Queue[None]) -> None:
        self._ledger, self._polls, self._loop = ledger, polls, asyncio.get_running_loop()

    def save_read_past(self, *arguments: Any) -> None:
        """A poll has ended."""
        self._ledger.save_read_past(*arguments)
        self._loop.call_soon_threadsafe(self._polls.put_nowait, None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


async def test_many_polls_are_one_login(crossing: Crossing) -> None:
    polls: asyncio.Queue[None] = asyncio.Queue()
    crossing.surround = lambda ports: replace(ports, progress=Counted(ports.progress, polls))
    async with crossing.room(idle_seconds=0.001, timeout_seconds=20.0):
        for _ in range(300):
            await asyncio.wait_for(polls.get(), 30)
        await answered(crossing, 0)
    assert crossing.proxy.count(b" LOGIN ") == 1
    assert crossing.proxy.count(b"IDLE\r\n") >= 300


async def test_refused_login_is_not_tried_again_soon(crossing: Crossing) -> None:
    stop = asyncio.Event()
    settings = crossing.settings(patience=Patience(Backoff(0.1, 0.5)))
    settings = replace(settings, imap=replace(settings.imap, username=APPROVALS, password="wrong", timeout_seconds=20))
    task = asyncio.create_task(run_room(settings, crossing.ports(), stop))
    await crossing.until("login_refused")
    stop.set()
    await task
    [facts] = said(crossing, "login_refused")
    assert facts["retry_in"] >= 300
    assert "check user and password" in facts["error"]
