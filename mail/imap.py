"""One IMAP connection: the only user of imapclient. Reads without setting \\Seen; every failure is a MailError.

IDLE is ended as soon as the socket has something to say: what it says is read by ordinary commands, because imapclient's
``idle_check`` breaks on a line in two packets and cannot tell silence from a dead link.
"""

import contextlib
import imaplib
import re
import select
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from imapclient.exceptions import IMAPClientError

from mail.errors import ImapRefused, ImapUnreachable
from mail.folders import Folders, Levels
from mail.imap_login import ImapSettings as ImapSettings
from mail.imap_login import Link, log_in

_T = TypeVar("_T")
HEADERS_LOOKED_AT = 64_000


@dataclass(frozen=True)
class Selected:
    """A folder as SELECT answered."""

    uidvalidity: int
    uidnext: int


@dataclass(frozen=True)
class Envelope:
    """What is known of a message before its body is fetched. ``received_at`` is INTERNALDATE in UTC."""

    uid: int
    size: int
    received_at: datetime
    headers: bytes


USUAL_HEADER = 16 << 10
LONG_HEADERS = 50
"""Headers above the usual size are asked for again, so many at a time: five hundred long ones would not fit into memory."""
SEARCH_WINDOW = 50_000
"""UIDs asked for in one search of a crowded folder: the answer is one line, and imaplib reads none above a million bytes."""


class Mailbox:
    """A logged-in connection. Raises ImapUnreachable (reconnect) or ImapRefused (NO, BAD) from every method.

    Whoever keeps ``link`` can cut it from another thread; ``alive`` is called after every answered command.
    """

    def __init__(
        self, settings: ImapSettings, link: Link | None = None, alive: Callable[[], None] = lambda: None
    ) -> None:
        self._settings = settings
        self._alive = alive
        logged_in = self._guard(lambda: log_in(settings, link or Link()))
        self._client, self._token = logged_in.client, logged_in.token
        self._waker, self._woken = socket.socketpair()
        self.folders = Folders(lambda command: self._guard(lambda: command(self._client)))
        self._uidnext = 0
        self._is_crowded = False

    def select(self, folder: str = "INBOX") -> Selected:
        """Select ``folder`` for reading and moving."""
        answer = self._guard(lambda: self._client.select_folder(folder))
        self._uidnext = int(answer.get(b"UIDNEXT", 0))
        self._is_crowded = int(answer.get(b"EXISTS", 0)) > SEARCH_WINDOW
        return Selected(int(answer[b"UIDVALIDITY"]), self._uidnext)

    def uids_after(self, last_uid: int) -> list[int]:
        """UIDs above ``last_uid``, ascending. ``n:*`` always answers the highest one, which may be an old one."""
        self._told_of_mail()
        first, found = last_uid + 1, set[int]()
        while self._is_crowded and first + SEARCH_WINDOW < self._uidnext:
            found |= self._search(f"{first}:{first + SEARCH_WINDOW - 1}")
            first += SEARCH_WINDOW
        found |= self._search(f"{first}:*")
        return sorted(uid for uid in found if uid > last_uid)

    def _search(self, uids: str) -> set[int]:
        return set(self._guard(lambda: self._client.search(["UID", uids])))

    def envelopes(self, uids: Sequence[int], header_limit: int) -> list[Envelope]:
        """Size, receipt time and (the first ``header_limit`` bytes of the) headers of ``uids`` that still exist."""
        found = self._envelopes(uids, min(header_limit, USUAL_HEADER))
        cut = [uid for uid, envelope in found.items() if len(envelope.headers) >= USUAL_HEADER]
        for start in range(0, len(cut) if header_limit > USUAL_HEADER else 0, LONG_HEADERS):
            found |= self._envelopes(cut[start : start + LONG_HEADERS], header_limit)
        return list(found.values())

    def _envelopes(self, uids: Sequence[int], header_limit: int) -> dict[int, Envelope]:
        section = f"BODY.PEEK[HEADER]<0.{header_limit}>"
        found = (
            self._guard(lambda: self._client.fetch(list(uids), ["RFC822.SIZE", "INTERNALDATE", section]))
            if uids
            else {}
        )
        return {uid: _envelope(uid, found[uid]) for uid in uids if uid in found and b"INTERNALDATE" in found[uid]}

    def fetch_all(self, uids: Sequence[int]) -> dict[int, bytes]:
        """Whole messages in one command, without setting \\Seen; those that are gone are left out."""
        found = self._guard(lambda: self._client.fetch(list(uids), ["BODY.PEEK[]"])) if uids else {}
        contents = {uid: found.get(uid, {}).get(b"BODY[]") for uid in uids}
        return {uid: content for uid, content in contents.items() if isinstance(content, bytes)}

    def fetch(self, uid: int) -> bytes | None:
        """The whole message, without setting \\Seen; None when it is gone."""
        return self.fetch_all([uid]).get(uid)

    def count(self, criterion: str) -> int:
        """How many messages meet one search criterion, for who wants to see that reading marked none."""
        return len(self._guard(lambda: self._client.search([criterion])))

    def flags(self, uid: int) -> tuple[str, ...]:
        """The flags of a message, for who wants to see that reading set none."""
        found = self._guard(lambda: self._client.get_flags([uid]))
        return tuple(flag.decode() for flag in found.get(uid, ()))

    def move(self, uids: Sequence[int], levels: Levels) -> None:
        """Move messages to the folder at ``levels`` (created when missing); those that are gone are fine: housekeeping."""
        if self.has("MOVE"):
            self._into(levels, lambda folder: self._client.move(list(uids), folder))
            return
        found = self._guard(lambda: self._client.search(["UID", ",".join(map(str, uids))]))
        if found:
            self.copy(found, levels)
            self.remove(*found)

    def copy(self, uids: Sequence[int], levels: Levels) -> None:
        """Copy messages to the folder at ``levels`` (created when missing); those that are gone are left out."""
        self._into(levels, lambda folder: self._client.copy(list(uids), folder))

    def _into(self, levels: Levels, act: Callable[[str], object]) -> None:
        folder = self.folders.ensure(levels)
        try:
            self._guard(lambda: act(folder))
        except ImapRefused:
            # Another room may have archived the folder since we saw it.
            self.folders.forget(levels[:1])
            if self.folders.exists(levels):
                raise
            again = self.folders.ensure(levels)
            self._guard(lambda: act(again))

    def newest_with(self, header: str, text: str, uidnext: int, count: int) -> list[Envelope]:
        """Of the newest messages, ``count`` before ``uidnext`` and all after it, those whose ``header`` holds ``text``."""
        near = ["UID", f"{max(1, uidnext - count)}:*", "HEADER", header, text]
        found = self._guard(lambda: self._client.search(near))
        return self.envelopes(sorted(found), HEADERS_LOOKED_AT)

    def remove(self, *uids: int) -> None:
        """Take messages of ours out of the folder. Without UIDPLUS they are only marked: EXPUNGE would take others' as well."""
        self._guard(lambda: self._client.delete_messages(list(uids)))
        if self.has("UIDPLUS"):
            self._guard(lambda: self._client.uid_expunge(list(uids)))

    def delimiter(self) -> str:
        """The hierarchy separator (``/`` or ``.``)."""
        return self.folders.root()[1]

    def has(self, capability: str) -> bool:
        """Does the server offer ``capability``?"""
        return bool(self._guard(lambda: self._client.has_capability(capability)))

    def noop(self) -> None:
        """Ask the server for news; also tells a dead link from silence."""
        self._guard(self._client.noop)

    def idle(self, seconds: float) -> bool:
        """Wait by IDLE until the server says something or ``seconds`` have passed; True if it did.

        Returns at once when the server told of new mail in the answer to any command since ``uids_after`` asked: it will not
        tell again.
        """
        if self._told_of_mail():
            return True
        spoke = self._guard(self._start_idle) or self._wait_readable(seconds)
        self._guard(self._client.idle_done)
        return spoke

    def _told_of_mail(self) -> bool:
        """Did an answer since the last call hold an untagged EXISTS? (imaplib keeps those that no command asked for.)"""
        told: list[bytes | None] = self._client._imap.response("EXISTS")[1]
        return told != [None]

    def _start_idle(self) -> bool:
        """Send IDLE and read up to its continuation; True if the server already said more than that."""
        connection = self._client._imap
        try:
            self._client.idle()
            spoke = False
        except IMAPClientError:
            # News before the continuation, which imapclient takes for an error.
            spoke = True
            while connection._get_response() is not None:
                continue
        return spoke or self._has_buffered()

    def _has_buffered(self) -> bool:
        """Has imaplib already read more than one line? Polling the socket would not show it."""
        sock = self._client.socket()
        timeout = sock.gettimeout()
        sock.settimeout(0)
        try:
            return bool(self._client._imap.file.peek(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        finally:
            sock.settimeout(timeout)

    def _wait_readable(self, seconds: float) -> bool:
        sock = self._client.socket()
        if isinstance(sock, ssl.SSLSocket) and sock.pending():
            return True
        try:
            poller = select.poll()
            poller.register(sock, select.POLLIN)
            poller.register(self._woken, select.POLLIN)
            ready = {descriptor for descriptor, _ in poller.poll(seconds * 1000)}
        except (OSError, ValueError) as error:
            raise ImapUnreachable(f"{self._where()}: {error}") from error
        if self._woken.fileno() in ready:
            self._woken.recv(64)  # or the next IDLE would end at once, and the one after it
        return sock.fileno() in ready

    def wake(self) -> None:
        """End a waiting IDLE, from another thread."""
        with contextlib.suppress(OSError):
            self._waker.send(b"!")

    def token_due(self) -> bool:
        """Is the token that this connection was opened with about to end? (Never with a password.)"""
        return self._token is not None and self._settings.tokens is not None and self._settings.tokens.due(self._token)

    def append(self, folder: str, content: bytes) -> None:
        """Store a message (the mailroom never does; a probe and tests do)."""
        self._guard(lambda: self._client.append(folder, content))

    def close(self) -> None:
        """Log out; a connection that is already gone is fine."""
        try:
            self._client.logout()
        except (IMAPClientError, imaplib.IMAP4.error, OSError, ValueError):
            with contextlib.suppress(OSError):
                self._client.shutdown()
        self._waker.close()
        self._woken.close()

    def _where(self) -> str:
        return self._settings.where

    def _guard(self, command: Callable[[], _T]) -> _T:
        try:
            answer = command()
        except (imaplib.IMAP4.abort, OSError, EOFError) as error:
            raise ImapUnreachable(f"{self._where()}: {error}") from error
        except (IMAPClientError, imaplib.IMAP4.error) as error:
            raise ImapRefused(f"{self._where()}, {self._settings.username}: {error}") from error
        except (ValueError, KeyError, IndexError) as error:
            # A line that imapclient cannot parse: the stream is out of step.
            raise ImapUnreachable(f"{self._where()}: unexpected answer ({error})") from error
        self._alive()
        return answer


def _envelope(uid: int, item: dict[bytes, Any]) -> Envelope:
    received = item[b"INTERNALDATE"]
    if received.tzinfo is None:
        received = received.replace(tzinfo=UTC)
    headers = next((value for key, value in item.items() if re.match(rb"BODY\[HEADER\]", key)), b"")
    return Envelope(uid, int(item.get(b"RFC822.SIZE", 0)), received.astimezone(UTC), headers or b"")
