"""One deployment for all tests whose kills leave it usable, and one count that most of them make."""

import pytest

from tests.live import ONE_WRITE, live_system, plan, policy_text


@pytest.fixture(scope="package")
def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crash")
    with live_system(plan(folder, ONE_WRITE, policy_text())) as system:
        yield system


@pytest.fixture
def orders(live):
    """How many purchase orders came about since the test began."""
    before = live.orders()
    return lambda: live.orders() - before
