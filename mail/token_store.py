"""Keeps rotated refresh tokens: Microsoft sends a new one with every access token, and each lasts 90 days; others end the old
one at once.

One file an application and sign-in, readable by the owner only, replaced whole. Worker and mailroom may share an account, so
the newest token is read and replaced under a lock.
"""

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from mail.errors import TokenRefused
from mail.oauth import OAuthSettings


class Slot(Protocol):
    """Where the newest refresh token of one sign-in stands."""

    def read(self) -> str | None:
        """The newest one; None when none was ever rotated."""

    def write(self, refresh_token: str) -> None:
        """Replace it. Raises TokenRefused when it cannot be kept."""


class RefreshTokenFile:
    """The file of one sign-in. The configured token names it, so that a newly configured one starts afresh."""

    def __init__(self, folder: Path, settings: OAuthSettings) -> None:
        named = "\0".join((settings.token_url, settings.client_id, settings.refresh_token))
        self._folder = folder
        self._file = folder / f"{hashlib.sha256(named.encode()).hexdigest()[:16]}.json"

    @contextmanager
    def held(self) -> Iterator[Slot]:
        """The slot, while nobody else uses it. Raises TokenRefused before anything is asked for when it could not be kept."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        with os.fdopen(handle, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self

    def read(self) -> str | None:
        """The newest token that was kept."""
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))["refresh_token"]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error) from error
        except (ValueError, KeyError, TypeError):
            raise TokenRefused(f"{self._file}: not readable; remove it and set a new oauth.refresh_token") from None
        return str(kept)

    def write(self, refresh_token: str) -> None:
        """Written whole, synced, then put in place."""
        try:
            handle, draft = tempfile.mkstemp(prefix=".new-", dir=self._folder)  # 0600
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump({"refresh_token": refresh_token}, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(draft, self._file)
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> TokenRefused:
        what = f"rotated refresh tokens cannot be kept in {self._folder}: {error.strerror or error}"
        return TokenRefused(f"{what}; make that folder writable for this account")
