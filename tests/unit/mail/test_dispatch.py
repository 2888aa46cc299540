"""The outbox: at least once, a failure holds up no other item, and what can never be delivered is given up with its reason."""

from datetime import UTC, datetime, timedelta

import pytest

from mail.backoff import Backoff
from mail.dispatch import Dispatcher
from mail.errors import SmtpRefused, SmtpTemporary
from tests.unit.mail.sample_content import CONTENT
from wire.approval import OutboxItem
from wire.mail import Delivered

AT = datetime(2026, 1, 1, tzinfo=UTC)


def item(number: int, kind: str = "signal", **payload) -> OutboxItem:
    return OutboxItem(id=number, kind=kind, key=f"k{number}", run_id=f"run-{number}", payload=payload)


class Shelf:
    """An outbox in memory, and what was done with it."""

    def __init__(self, *items: OutboxItem) -> None:
        self.items = {one.id: one for one in items}
        self.errors: list[str] = []

    def pending_outbox(self, kind, limit=100):
        return [one for one in self.items.values() if one.kind == kind]

    def done(self, item_id, at):
        del self.items[item_id]

    def failed(self, item_id, error, at):
        self.errors.append(error)


class Bench:
    """A dispatcher with a clock that stands still until moved."""

    def __init__(self, *items: OutboxItem, failing=(), refuse: Exception | None = None) -> None:
        self.shelf, self.now, self.failing, self.refuse = Shelf(*items), AT, set(failing), refuse
        self.signals: list[str] = []
        self.mails: list[str] = []
        self.dispatcher = Dispatcher(
            self.shelf, self.signal, self.deliver, lambda *_: None, lambda: self.now, lambda: 0.0, Backoff(10, 100)
        )

    async def signal(self, run_id, payload):
        if run_id in self.failing:
            raise ConnectionError("engine is down")
        self.signals.append(run_id)

    def deliver(self, raw, sender, recipient):
        if self.refuse is not None:
            raise self.refuse
        self.mails.append(recipient)
        return Delivered(accepted_at="", response="")


async def test_a_failing_signal_holds_up_no_other():
    bench = Bench(item(1), item(2), failing={"run-1"})
    assert await bench.dispatcher.dispatch("signal") == 1
    assert (bench.signals, list(bench.shelf.items)) == (["run-2"], [1])
    assert bench.shelf.errors == ["ConnectionError: engine is down"]


async def test_a_failed_signal_waits_and_is_sent_again():
    bench = Bench(item(1), failing={"run-1"})
    await bench.dispatcher.dispatch("signal")
    bench.failing.clear()
    assert await bench.dispatcher.dispatch("signal") == 0
    bench.now += timedelta(seconds=6)
    assert await bench.dispatcher.dispatch("signal") == 1


async def test_a_mail_goes_to_its_addressee():
    bench = Bench(item(1, "mail", **CONTENT.model_dump(mode="json")))
    assert await bench.dispatcher.dispatch("mail") == 1
    assert bench.mails == ["ann@corp.example"]


@pytest.mark.parametrize(
    ("error", "left"), [(SmtpRefused("550 unknown", 550), 0), (SmtpTemporary("451 later", 451), 1)]
)
async def test_only_a_refusal_for_good_gives_a_mail_up(error, left):
    bench = Bench(item(1, "mail", **CONTENT.model_dump(mode="json")), refuse=error)
    assert await bench.dispatcher.dispatch("mail") == 0
    assert len(bench.shelf.items) == left
    assert str(error) in bench.shelf.errors[0]


def test_backoff_grows_to_its_bound():
    waits = [Backoff(1, 8).seconds(attempt, lambda: 0.0) for attempt in range(6)]
    assert waits == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
