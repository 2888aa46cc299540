"""Dovecot for tests: skipped where it is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaluation.dovecot import Dovecot, DovecotMissing, running_dovecot

__all__ = ["Dovecot", "dovecot"]


@contextmanager
def dovecot() -> Iterator[Dovecot]:
    """A running server; skips the test where Dovecot is not installed."""
    try:
        with running_dovecot() as running:
            yield running
    except DovecotMissing as missing:
        pytest.skip(str(missing))
