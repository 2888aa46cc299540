"""IMAP mailboxes over Maildir folders, in the shape that pymap's sessions ask for.

pymap brings a Maildir backend of its own; it sends back re-serialised bytes instead of the stored ones, sees new mail
only once a second, and leaves lock files behind when it is killed. Here every session of a user shares one object per
folder, which wakes those that IDLE at once.
"""

import shutil
from collections.abc import AsyncIterable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from pymap.backend.mailbox import MailboxDataInterface, MailboxSetInterface
from pymap.concurrent import Event
from pymap.context import subsystem
from pymap.exceptions import NotSupportedError
from pymap.flags import FlagOp
from pymap.interfaces.message import CachedMessage
from pymap.listtree import ListTree
from pymap.mailbox import MailboxSnapshot
from pymap.message import BaseLoadedMessage, BaseMessage
from pymap.mime import MessageContent
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials import FetchRequirement, ObjectId
from pymap.parsing.specials.flag import Answered, Deleted, Draft, Flag, Flagged, Seen
from pymap.selected import SelectedMailbox, SelectedSet

from embedded.mail_server.folder import Entry, MaildirFolder

_LETTERS = {Seen: "S", Answered: "R", Flagged: "F", Deleted: "T", Draft: "D"}
_FLAGS = {letter: flag for flag, letter in _LETTERS.items()}


class StoredMessage(BaseMessage):
    """A message of a folder; its content is read from disk when a command needs it."""

    __slots__ = ["_folder", "recent"]

    def __init__(self, entry: Entry, folder: MaildirFolder, *, recent: bool = False, expunged: bool = False) -> None:
        flags = [_FLAGS[letter] for letter in entry.flags if letter in _FLAGS]
        super().__init__(entry.uid, datetime.fromtimestamp(entry.received, UTC), flags, expunged=expunged)
        self._folder = folder
        self.recent = recent

    async def load_content(self, requirement: FetchRequirement) -> BaseLoadedMessage:
        """Read the stored bytes, unless the command needs none of them."""
        if requirement.has_none(FetchRequirement.CONTENT):
            return BaseLoadedMessage(self, requirement, None)
        content = self._folder.read(self.uid)
        return BaseLoadedMessage(self, requirement, None if content is None else MessageContent.parse(content))


class StoredMailbox(MailboxDataInterface[StoredMessage]):
    """One folder of one user, shared by all sessions."""

    def __init__(self, folder: MaildirFolder) -> None:
        self._folder = folder
        self._mailbox_id = ObjectId.random_mailbox_id()
        self._updated = subsystem.get().new_event()
        self._selected_set = SelectedSet()
        self._sequence = 0
        self._changed: dict[int, int] = {}
        self._gone: dict[int, int] = {}
        self._recent: set[int] = set()

    @property
    def mailbox_id(self) -> ObjectId:
        """Object id of this folder, new in each process."""
        return self._mailbox_id

    @property
    def readonly(self) -> bool:
        """Never."""
        return False

    @property
    def uid_validity(self) -> int:
        """Kept on disk."""
        return self._folder.uidvalidity

    @property
    def selected_set(self) -> SelectedSet:
        """Sessions that have this folder selected."""
        return self._selected_set

    def _message(self, entry: Entry) -> StoredMessage:
        return StoredMessage(entry, self._folder, recent=entry.uid in self._recent)

    def _note(self, changed: Iterable[int] = (), gone: Iterable[int] = ()) -> None:
        """Remember what changed and wake every session that waits."""
        self._sequence += 1
        self._changed.update(dict.fromkeys(changed, self._sequence))
        for uid in gone:
            self._changed.pop(uid, None)
            self._gone[uid] = self._sequence
        self._updated.set()

    async def update_selected(self, selected: SelectedMailbox, *, wait_on: Event | None = None) -> SelectedMailbox:
        """Tell ``selected`` what changed since it last looked."""
        # What happened between the client's last command and its IDLE is news already: waiting would sleep through it.
        if wait_on is not None and selected.mod_sequence == self._sequence:
            await wait_on.or_event(self._updated).wait()
        since, selected.mod_sequence = selected.mod_sequence, self._sequence
        if since is None:
            selected.add_updates([self._message(entry) for entry in self._folder.entries.values()], [])
        else:
            changed = [
                uid for uid, sequence in self._changed.items() if sequence > since and uid in self._folder.entries
            ]
            gone = [uid for uid, sequence in self._gone.items() if sequence > since]
            selected.add_updates([self._message(self._folder.entries[uid]) for uid in changed], gone)
        return selected

    async def append(self, append_msg: AppendMessage, *, recent: bool = False) -> StoredMessage:
        """Store a message; its receipt time is the one given (IMAP APPEND) or now."""
        when = append_msg.when or datetime.now(UTC)
        entry = self._folder.add(bytes(append_msg.literal), int(when.timestamp()), _letters(append_msg.flag_set))
        if recent:
            self._recent.add(entry.uid)
        self._note(changed=[entry.uid])
        return self._message(entry)

    async def copy(self, uid: int, destination: "StoredMailbox", *, recent: bool = False) -> int | None:
        """Copy a message with its receipt time; None when it is gone."""
        entry, content = self._folder.entries.get(uid), self._folder.read(uid)
        if entry is None or content is None:
            return None
        copied = destination._folder.add(content, entry.received, entry.flags)
        destination._arrived(copied.uid, recent)
        return copied.uid

    async def move(self, uid: int, destination: "StoredMailbox", *, recent: bool = False) -> int | None:
        """Move a message with its receipt time; None when it is gone."""
        moved = self._folder.move(uid, destination._folder)
        if moved is None:
            return None
        self._note(gone=[uid])
        destination._arrived(moved.uid, recent)
        return moved.uid

    def _arrived(self, uid: int, recent: bool) -> None:
        if recent:
            self._recent.add(uid)
        self._note(changed=[uid])

    async def get(self, uid: int, cached_msg: CachedMessage) -> StoredMessage:
        """The message, or its last known state marked as expunged."""
        entry = self._folder.entries.get(uid)
        if entry is None:
            lost = Entry(uid, int(cached_msg.internal_date.timestamp()), _letters(cached_msg.permanent_flags))
            return StoredMessage(lost, self._folder, expunged=True)
        return self._message(entry)

    async def update(
        self, uid: int, cached_msg: CachedMessage, flag_set: frozenset[Flag], mode: FlagOp
    ) -> StoredMessage:
        """Change a message's flags."""
        message = await self.get(uid, cached_msg)
        entry = self._folder.set_flags(uid, _letters(mode.apply(message.permanent_flags, flag_set)))
        if entry is None:
            return message
        self._note(changed=[uid])
        return self._message(entry)

    async def delete(self, uids: Iterable[int]) -> None:
        """Remove messages for good."""
        removed = list(uids)
        self._folder.remove(removed)
        self._note(gone=removed)

    async def claim_recent(self, selected: SelectedMailbox) -> None:
        """Hand the recent messages to one session."""
        for uid in self._recent:
            selected.session_flags.add_recent(uid)
        self._recent.clear()

    async def cleanup(self) -> None:
        """Nothing to do: there is no index."""

    async def messages(self) -> AsyncIterable[StoredMessage]:
        """All messages in UID order."""
        for entry in list(self._folder.entries.values()):
            yield self._message(entry)

    async def snapshot(self) -> MailboxSnapshot:
        """Counts of the folder."""
        entries = list(self._folder.entries.values())
        unseen = [number for number, entry in enumerate(entries, 1) if "S" not in entry.flags]
        return MailboxSnapshot(
            self.mailbox_id, False, self.uid_validity, self.permanent_flags, self.session_flags,
            len(entries), len(self._recent), len(unseen), unseen[0] if unseen else None, self._folder.next_uid,
        )  # fmt: skip


def _letters(flags: Iterable[Any]) -> str:
    return "".join(sorted(_LETTERS[flag] for flag in flags if flag in _LETTERS))


class StoredMailboxes(MailboxSetInterface[StoredMailbox]):
    """All folders of one user, in Maildir++ layout: ``.Runs.<run>`` beside the inbox's ``cur``."""

    def __init__(self, home: Path, new_uidvalidity: int) -> None:
        self._home = home
        self._validity = new_uidvalidity
        self.inbox = StoredMailbox(MaildirFolder(home, new_uidvalidity))
        self._open: dict[str, StoredMailbox] = {"INBOX": self.inbox}
        self._subscribed: set[str] = set()

    @property
    def delimiter(self) -> str:
        """Separates levels of folder names."""
        return "/"

    def _path(self, name: str) -> Path:
        parts = [quote(part, safe=" ").replace(".", "%2E") for part in name.split("/")]
        return self._home / ("." + ".".join(parts))

    def _names(self) -> list[str]:
        found = (path.name for path in self._home.iterdir() if path.name.startswith(".") and (path / "cur").is_dir())
        return sorted("/".join(unquote(part) for part in name[1:].split(".")) for name in found)

    async def set_subscribed(self, name: str, subscribed: bool) -> None:
        """Subscriptions are per process."""
        (self._subscribed.add if subscribed else self._subscribed.discard)(name)

    async def list_subscribed(self) -> ListTree:
        """Folders that are subscribed."""
        return ListTree(self.delimiter).update("INBOX", *(name for name in self._names() if name in self._subscribed))

    async def list_mailboxes(self) -> ListTree:
        """All folders."""
        return ListTree(self.delimiter).update("INBOX", *self._names())

    async def get_mailbox(self, name: str) -> StoredMailbox:
        """An existing folder; raises KeyError."""
        key = "INBOX" if name.upper() == "INBOX" else name
        if key not in self._open:
            if not (self._path(key) / "cur").is_dir():
                raise KeyError(name)
            self._open[key] = StoredMailbox(MaildirFolder(self._path(key), self._validity))
        return self._open[key]

    async def add_mailbox(self, name: str) -> ObjectId:
        """Create a folder; raises ValueError when it exists."""
        if name.upper() == "INBOX" or self._path(name).exists():
            raise ValueError(name)
        self._open[name] = StoredMailbox(MaildirFolder(self._path(name), self._validity))
        return self._open[name].mailbox_id

    async def delete_mailbox(self, name: str) -> None:
        """Remove a folder with its messages; raises KeyError."""
        if name not in self._names():
            raise KeyError(name)
        self._open.pop(name, None)
        shutil.rmtree(self._path(name))

    async def rename_mailbox(self, before: str, after: str) -> None:
        """Rename a folder and what stands below it; raises KeyError or ValueError."""
        if before.upper() == "INBOX":
            raise NotSupportedError
        names = self._names()
        if before not in names:
            raise KeyError(before)
        if after in names:
            raise ValueError(after)
        for name in names:
            if name == before or name.startswith(before + "/"):
                self._open.pop(name, None)
                self._path(name).rename(self._path(after + name.removeprefix(before)))
