"""Signs of life of an activity."""

import asyncio
import dataclasses
from datetime import timedelta

import pytest
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.heartbeats import BEATS, Heartbeats


class Waits(ActivityInboundInterceptor):
    """An activity that ends when it is told to."""

    def __init__(self):
        self.begun, self.enough = asyncio.Event(), asyncio.Event()

    async def execute_activity(self, input):
        self.begun.set()
        await self.enough.wait()
        return "done"


def environment(timeout):
    made = ActivityEnvironment()
    made.info = dataclasses.replace(made.info, heartbeat_timeout=timeout)
    return made


async def execute(env, inner):
    wrapped = Heartbeats().intercept_activity(inner)

    async def run():
        return await wrapped.execute_activity(ExecuteActivityInput(fn=run, args=(), executor=None, headers={}))

    return await env.run(run)


async def test_an_activity_beats_for_as_long_as_it_runs():
    env, inner, beats = environment(timedelta(milliseconds=20)), Waits(), []

    def note(*details):
        beats.append(details)
        if len(beats) > BEATS:
            inner.enough.set()

    env.on_heartbeat = note
    assert await execute(env, inner) == "done"
    assert len(beats) == BEATS + 1


def beating():
    return [task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__name__", "") == "_beat"]


@pytest.mark.parametrize(("timeout", "beaters"), [(None, 0), (timedelta(0), 0), (timedelta(hours=1), 1)])
async def test_only_a_heartbeat_timeout_makes_it_beat(timeout, beaters):
    inner = Waits()
    running = asyncio.create_task(execute(environment(timeout), inner))
    await inner.begun.wait()
    found = len(beating())
    inner.enough.set()
    assert (await running, found, beating()) == ("done", beaters, [])
