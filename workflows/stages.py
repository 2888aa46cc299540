"""How each stage is run: timeouts and retries by activity (temporal.md section 3)."""

from datetime import timedelta
from typing import Any

from temporalio.common import RetryPolicy

FINAL_ERRORS = ["ForeignExecution", "EpochMismatch", "RunHalted", "BrainFailed", "DigestConflict", "DigestAlreadyAsked"]


HEARTBEAT = timedelta(seconds=20)
"""After so long without a sign of life an activity is tried again elsewhere (``activities.heartbeats`` gives the signs)."""


def _options(start_to_close: float, schedule_to_close: float | None, attempts: int) -> dict[str, Any]:
    return {
        "heartbeat_timeout": HEARTBEAT,
        "start_to_close_timeout": timedelta(seconds=start_to_close),
        "schedule_to_close_timeout": timedelta(seconds=schedule_to_close) if schedule_to_close else None,
        "retry_policy": RetryPolicy(
            initial_interval=timedelta(seconds=1),
            maximum_interval=timedelta(seconds=30),
            maximum_attempts=attempts,
            non_retryable_error_types=FINAL_ERRORS,
        ),
    }


RETRIEVE = _options(120, 600, 3)
PROPOSE = _options(180, 900, 5)
VALIDATE = _options(60, 300, 5)
READ = _options(60, 300, 5)
SEND = _options(720, 3600, 0)
LEDGER = _options(30, None, 0)
# The write repeats safely: its intent row is first, and a second attempt finds it and looks the outcome up.
DISPATCH = _options(300, None, 0)
CLOSE = _options(60, None, 0)
