"""Access tokens of one account: cached, renewed before they end, never asked for in a hurry after a failure.

Thread-safe: mailbox and outgoing mail may share one source.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from mail.backoff import Backoff
from mail.errors import TokenError, TokenRefused
from mail.oauth import Issued, OAuthSettings, read_answer, token_form
from mail.token_store import Slot

Post = Callable[[OAuthSettings, Mapping[str, str]], tuple[int, bytes]]
"""Posts a form to the token endpoint; answers status and body, or raises TokenUnavailable."""

_PASSING = Backoff(1.0, 60.0)
_REFUSED = Backoff(60.0, 3600.0)

EARLY_SECONDS = 60.0
"""A token is renewed this long before it ends, or in the last quarter of its life if that is shorter."""


class Store(Protocol):
    """Keeps the newest refresh token, see ``mail.token_store``."""

    def held(self) -> AbstractContextManager[Slot]:
        """The slot, while nobody else uses it."""


@dataclass(frozen=True)
class Token:
    """An access token, due for renewal at ``due_at`` on the source's clock."""

    value: str = field(repr=False)
    due_at: float


class TokenSource:
    """The tokens of one account. ``clock`` counts seconds and never goes back."""

    def __init__(
        self,
        settings: OAuthSettings,
        post: Post,
        store: Store,
        clock: Callable[[], float],
        jitter: Callable[[], float],
        passing: Backoff = _PASSING,
        refused: Backoff = _REFUSED,
    ) -> None:
        self._settings, self._post, self._store = settings, post, store
        self._clock, self._jitter = clock, jitter
        self._passing, self._refused = passing, refused
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._unsaved = ""
        self._failures = 0
        self._failed: TokenError | None = None
        self._closed_until = 0.0

    @property
    def cached(self) -> Token | None:
        """The token that ``token`` would answer without asking anybody."""
        return None if self._token is None or self.due(self._token) else self._token

    def token(self) -> Token:
        """One that holds. Raises TokenRefused or TokenUnavailable; until the backoff has passed, the same again unasked."""
        with self._lock:
            if (cached := self.cached) is not None:
                return cached
            if self._failed is not None and self._clock() < self._closed_until:
                raise type(self._failed)(str(self._failed))
            return self._renew()

    def due(self, token: Token) -> bool:
        """Is it time for a new one?"""
        return self._clock() >= token.due_at

    def discard(self, token: Token) -> None:
        """A server refused ``token``: the next one is new."""
        with self._lock:
            if self._token == token:
                self._token = None

    def _renew(self) -> Token:
        try:
            issued = self._ask()
        except TokenError as error:
            backoff = self._refused if isinstance(error, TokenRefused) else self._passing
            self._closed_until = self._clock() + backoff.seconds(self._failures, self._jitter)
            self._failures += 1
            self._failed = error
            raise
        self._failures, self._failed = 0, None
        early = min(EARLY_SECONDS, issued.seconds / 4)
        self._token = Token(issued.access_token, self._clock() + issued.seconds - early)
        return self._token

    def _ask(self) -> Issued:
        settings = self._settings
        if not settings.refresh_token:
            return read_answer(*self._post(settings, token_form(settings, "")), settings)
        with self._store.held() as slot:
            newest = self._unsaved or slot.read() or settings.refresh_token
            issued = read_answer(*self._post(settings, token_form(settings, newest)), settings, (newest,))
            if issued.refresh_token and issued.refresh_token != newest:
                # The old one may be dead already: what cannot be written is kept here and written with the next.
                self._unsaved = issued.refresh_token
                slot.write(issued.refresh_token)
                self._unsaved = ""
        return issued
