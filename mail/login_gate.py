"""Keeps everything that sends from repeating a login that was just refused: many mails wait, and each would try on its own.

Mailbox and outgoing mail mostly share an account. The two logins of the mailroom and the one of the worker make nine tries in
half an hour at most; Entra ID locks after ten by default. Thread-safe.
"""

import threading
from collections.abc import Callable

from mail.backoff import Backoff

REFUSED = Backoff(600.0, 3600.0)
"""Waits after a refused login, for IMAP and SMTP: at most three tries in half an hour."""


class LoginGate:
    """Of one account in one process. ``clock`` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float], jitter: Callable[[], float], backoff: Backoff = REFUSED) -> None:
        self._clock, self._jitter, self._backoff = clock, jitter, backoff
        self._lock = threading.Lock()
        self._said = ""
        self._refusals = 0
        self._until = 0.0

    def refusal(self) -> str:
        """What was said when the login was refused, while it is not to be tried again; else empty."""
        with self._lock:
            left = self._until - self._clock()
            return f"{self._said}; tried again in {max(left, 1):.0f} s" if self._refusals and left > 0 else ""

    def refused(self, said: str) -> None:
        """The login was refused now."""
        with self._lock:
            self._said = said
            self._until = self._clock() + self._backoff.seconds(self._refusals, self._jitter)
            self._refusals += 1

    def passed(self) -> None:
        """The login worked."""
        with self._lock:
            self._refusals = 0
