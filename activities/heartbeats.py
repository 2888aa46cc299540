"""Heartbeats for every activity that has a heartbeat timeout: a worker that was killed is missed in seconds.

Without them its activity is tried again only when ``start_to_close`` ends, which for SMTP's final dot is twelve minutes.
"""

import asyncio
import contextlib
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

BEATS = 4
"""Beats per heartbeat timeout: three may be lost before a living worker is taken for dead."""


class Heartbeats(Interceptor):
    """Worker interceptor. The worker's ``max_heartbeat_throttle_interval`` must not exceed a beat."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap an activity."""
        return _Beating(next)


class _Beating(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        timeout = activity.info().heartbeat_timeout
        if not timeout:
            return await self.next.execute_activity(input)
        beating = asyncio.create_task(_beat(timeout / BEATS))
        try:
            return await self.next.execute_activity(input)
        finally:
            beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await beating


async def _beat(pause: timedelta) -> None:
    while True:
        await asyncio.sleep(pause.total_seconds())
        activity.heartbeat()
