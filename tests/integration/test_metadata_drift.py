"""Metadata changes between approval and dispatch: what it changes of the call voids the approval, all else goes on."""

import shutil

import pytest

from tests.live import CATALOGUE, FINISH, GOAL, ORDER, READ_SUPPLIER, call, live_system, plan, policy_text, until
from wire.task import RunState

SCRIPT = [
    READ_SUPPLIER,
    call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", payload={**ORDER, "YourReference": "by phone it"}),
    call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", payload={**ORDER, "YourReference": "phone"}),
    FINISH,
]
SERVICE = "services/PURCHASE_ORDER.edmx"
REFERENCE = b'<Property Name="YourReference" Type="Edm.String" MaxLength="12"'


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drift")
    shutil.copytree(CATALOGUE, folder / "catalogue")
    with live_system(plan(folder, SCRIPT, policy_text(), (folder / "catalogue",))) as system:
        system.metadata = folder / "catalogue" / SERVICE
        yield system


@pytest.fixture
def change(live):
    """Gives the running service other metadata; the old one is back after the test."""
    original = live.metadata.read_bytes()

    def to(old, new):
        live.kill("odata")
        assert original.count(old) == 1
        live.metadata.write_bytes(original.replace(old, new))
        live.restart("odata")

    yield to
    live.kill("odata")
    live.metadata.write_bytes(original)
    live.restart("odata")


def events(live, run_id, kind):
    return [event.payload for event in live.ledger.trail(run_id) if event.kind == kind]


async def approved_while(live, goal, change):
    run_id = live.start(goal)
    item = live.request_mail(run_id)
    change()
    live.reply(item, "APPROVE")
    return run_id


async def test_a_change_that_touches_nothing_goes_on_and_is_on_record(live, change):
    old, new = b'sap:label="Your reference"', b'sap:label="Reference of the supplier"'
    run_id = await approved_while(live, f"{GOAL} (another label)", lambda: change(old, new))
    await until(lambda: [e.outcome for e in live.ledger.effects(run_id)] == ["executed"], "the write")
    (seen,) = events(live, run_id, "metadata_changed")
    assert (seen["drifted"], seen["step"], seen["validated"] != seen["now"]) == (False, 2, True)
    assert live.cli("cancel", run_id, "--reason", "seen enough").returncode == 0


async def test_what_is_no_longer_valid_is_void_and_goes_back_to_the_agent(live, change):
    writes = live.orders()
    run_id = await approved_while(live, f"{GOAL} (shorter)", lambda: change(REFERENCE, REFERENCE.replace(b"12", b"8")))
    item = live.request_mail(run_id, step=3)
    (void,) = events(live, run_id, "approval_void")
    assert (void["step"], live.orders() - writes, live.ledger.effects(run_id)) == (2, 0, ())
    assert not live.ledger.request(run_id, 2, 0).is_live
    live.reply(item, "APPROVE")
    assert await live.settled(run_id, RunState.COMPLETED, RunState.FAILED) is RunState.COMPLETED
    assert [e.step for e in live.ledger.effects(run_id)] == [3]


async def test_another_verdict_on_the_same_bytes_asks_afresh(live, change):
    """The supplier's reference now comes from a list that nobody has read: what the approver saw said nothing of that."""
    before, old = live.orders(), REFERENCE
    run_id = await approved_while(live, f"{GOAL} (listed)", lambda: change(old, old + b' sap:value-list="standard"'))
    await until(lambda: len(live.ledger.requests(run_id, 2)) == 2, "a fresh review")
    assert live.orders() == before
    assert [r.cause for r in live.ledger.requests(run_id, 2)] == ["first", "drifted"]
    await until(lambda: live.request_mail(run_id, step=2).mail.review == "1", "the mail of the fresh review")
    live.approve(run_id, 2)
    await until(lambda: [e.review for e in live.ledger.effects(run_id)] == [1], "the write")
    assert live.cli("cancel", run_id, "--reason", "seen enough").returncode == 0
