"""What counts as not getting on, and threads that can be given up."""

import asyncio
import threading

import pytest

from mail.threads import in_thread
from mail.watchdog import Stall, Watchdog


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_stall_is_told_once_and_again_after_as_long(clock):
    watchdog = Watchdog(10.0, clock)
    watchdog.begin("reading")
    told = []
    for clock.now in (9.9, 10.0, 10.1, 19.9, 20.0):
        told.append(watchdog.stall())
    assert told == [None, Stall("reading", 10.0), None, None, Stall("reading", 20.0)]


def test_each_step_gives_time(clock):
    watchdog = Watchdog(10.0, clock)
    watchdog.begin("reading")
    for clock.now in (9.0, 18.0, 27.0):
        watchdog.step()
    clock.now = 36.9
    assert watchdog.stall() is None
    clock.now = 37.0
    assert watchdog.stall() == Stall("reading", 10.0)


def test_a_wait_is_no_stall_even_when_a_step_comes_at_its_start(clock):
    watchdog = Watchdog(10.0, clock)
    watchdog.begin("waiting for mail", 25.0)
    watchdog.step()
    clock.now = 34.9
    assert watchdog.stall() is None
    clock.now = 35.0
    assert watchdog.stall() is not None


def test_nothing_is_overdue_at_rest_not_even_by_a_thread_given_up(clock):
    watchdog = Watchdog(10.0, clock)
    watchdog.begin("reading")
    watchdog.rest()
    watchdog.step()
    clock.now = 99.0
    assert watchdog.stall() is None


async def test_result_and_error_of_a_thread():
    assert await in_thread(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 7, 0)


async def test_thread_that_hangs_can_be_given_up_and_may_end_later():
    release, ended = threading.Event(), threading.Event()

    def hang() -> None:
        release.wait(20)
        ended.set()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(in_thread(hang), 0.01)
    release.set()
    assert await in_thread(ended.wait, 20)
