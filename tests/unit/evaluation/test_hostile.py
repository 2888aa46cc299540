"""Mails that try to halt runs: none does, and whoever may answer is heard among them."""

from datetime import UTC, datetime

import pytest

from evaluation.mailroom.hostile import judge_hostile
from ledger.store import open_ledger

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("seed", [1, 2])
def test_hostile_mails_halt_nothing_and_genuine_answers_count(seed: int) -> None:
    ledger = open_ledger("sqlite://", random_epoch=lambda: "e")
    found = judge_hostile(ledger, 150, AT, seed)
    ledger.dispose()
    assert (found.halted, found.believed, found.doubled) == (0, 0, 0)
    assert found.accepted == found.genuine
    assert found.notices <= 40 * 3 * 2


def test_the_same_attempts_by_approvers_halt() -> None:
    """Otherwise the test above would prove nothing."""
    ledger = open_ledger("sqlite://", random_epoch=lambda: "e")
    found = judge_hostile(ledger, 40, AT, by_approvers=True)
    ledger.dispose()
    assert found.halted > 10
