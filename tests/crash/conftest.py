"""One deployment for all tests whose kills leave it usable, and one count that most of them make."""

import pytest

from tests.live import ONE_WRITE, live_system, plan, policy_text


@pytest.fixture(scope="package")
def new_plan(tmp_path_factory):
    """A plan in a folder of its own; all share one graph, so that its texts are embedded once."""
    graph = tmp_path_factory.mktemp("graph")

    def make(name):
        return plan(tmp_path_factory.mktemp(name), ONE_WRITE, policy_text(), graph=graph)

    return make


@pytest.fixture(scope="package")
def live(new_plan):
    with live_system(new_plan("crash")) as system:
        yield system


@pytest.fixture
def orders(live):
    """How many purchase orders came about since the test began."""
    before = live.orders()
    return lambda: live.orders() - before
