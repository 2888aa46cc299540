"""Blocking work beside the event loop that can be given up: a thread that never returns must not hold the process."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_thread(work: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    """Run ``work`` in a thread of its own. Cancelling leaves the thread behind; its result is then dropped.

    asyncio's own threads are few, shared and waited for at the end: one that hangs would hold back everything.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()

    def settle(result: _T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work(*arguments, **options)
        except BaseException as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, name=f"mailroom-{getattr(work, '__name__', 'work')}", daemon=True).start()
    return await done
