"""Waiting for word about a review: signals are only noted here, and every belief comes from the ledger."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from temporalio import workflow

MOST_PENDING = 500


class ApprovalWait:
    """Evidence ids that signals named, in order of arrival, each once. Never raises on what a signal carries."""

    def __init__(self) -> None:
        self._pending: list[str | None] = []
        self._seen: set[str] = set()

    def note(self, envelopes: Iterable[Any]) -> None:
        """Note what a signal names. Anything unreadable still wakes the run, which then asks the ledger."""
        for envelope in envelopes or (None,):
            evidence = envelope.get("evidence_id") if isinstance(envelope, dict) else None
            if not isinstance(evidence, str):
                self._add(None)
            elif evidence not in self._seen:
                self._seen.add(evidence)
                self._add(evidence)

    def _add(self, evidence: str | None) -> None:
        if len(self._pending) < MOST_PENDING and not (evidence is None and None in self._pending):
            self._pending.append(evidence)

    def take(self) -> str | None:
        """The next noted evidence id; None when nothing is noted or a signal named none."""
        return self._pending.pop(0) if self._pending else None

    @property
    def noted(self) -> bool:
        """Whether a signal has come that nobody has looked at."""
        return bool(self._pending)

    async def until(self, instant: datetime | None, summary: str) -> bool:
        """Wait for a signal or for ``instant`` (UTC); True when a signal came."""
        if self.noted:
            return True
        timeout = None if instant is None else max(timedelta(0), instant - workflow.now())
        try:
            await workflow.wait_condition(lambda: self.noted, timeout=timeout, timeout_summary=summary)
        except TimeoutError:
            return False
        return True
