"""Dovecot for tests: skipped where it is not installed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from evaluation.dovecot import Dovecot, DovecotMissing, running_dovecot

__all__ = ["Dovecot", "dovecot"]


@contextmanager
def dovecot(extra: str = "", files: Mapping[str, str] | None = None) -> Iterator[Dovecot]:
    """A running server, see ``running_dovecot``; skips the test where Dovecot is not installed."""
    try:
        with running_dovecot(extra, files) as running:
            yield running
    except DovecotMissing as missing:
        pytest.skip(str(missing))
