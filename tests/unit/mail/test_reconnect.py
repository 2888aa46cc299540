"""How long the mailroom waits before it connects again."""

from hypothesis import given
from hypothesis import strategies as st

from mail.backoff import Backoff
from mail.errors import ImapLoginRefused, ImapUnreachable
from mail.reconnect import Patience, Retries

LOST = ImapUnreachable("x")
REFUSED = ImapLoginRefused("x")


def retries(jitter: float = 1.0) -> Retries:
    return Retries(Patience(Backoff(0.5, 60.0)), lambda: jitter)


def test_waits_grow_up_to_a_minute():
    some = retries()
    assert [some.wait_after(LOST, 0.0) for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


def test_a_good_minute_makes_the_next_trouble_a_first_one():
    some = retries()
    waits = [some.wait_after(LOST, worked) for worked in (0.0, 59.9, 60.0, 0.0)]
    assert waits == [0.5, 1.0, 0.5, 1.0]


@given(st.lists(st.floats(0, 0.999), min_size=20, max_size=20))
def test_refused_logins_stay_below_what_locks_accounts(jitters):
    some = Retries(Patience(), iter(jitters).__next__)
    at, tries = 0.0, [0.0]
    for _ in jitters:
        at += some.wait_after(REFUSED, 0.0)
        tries.append(at)
    assert all(sum(start <= one < start + 1800 for one in tries) <= 3 for start in tries)
    assert all(later - earlier <= 3600 for earlier, later in zip(tries, tries[1:], strict=False))


def test_a_refusal_after_work_is_a_first_one_again():
    some = retries()
    waits = [some.wait_after(REFUSED, worked) for worked in (0.0, 0.0, 0.5, 0.0)]
    assert waits == [600.0, 1200.0, 600.0, 1200.0]


def test_trouble_of_the_line_does_not_lengthen_the_wait_after_a_refusal():
    some = retries()
    assert [some.wait_after(error, 0.0) for error in (LOST, LOST, REFUSED, LOST)] == [0.5, 1.0, 600.0, 2.0]
