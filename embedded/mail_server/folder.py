"""One Maildir folder on disk. All that IMAP must remember of a message (UID, receipt time, flags) is in its file name, so that
no index can be out of step with the files after a crash: a message is in the folder exactly when its file is.

Name: ``<receipt, Unix seconds>.U<uid>.countersign:2,<flags>``. ``uidvalidity`` holds the folder's UIDVALIDITY and an upper
bound of the UIDs handed out; UIDs are reserved in blocks, and a UID is never used twice.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from embedded.mail_server.errors import FolderError

_NAME = re.compile(r"(\d+)\.U(\d+)\.countersign:2,([A-Za-z]*)")
_BLOCK = 64


@dataclass(frozen=True)
class Entry:
    """One message of a folder. ``received`` is Unix time in whole seconds, ``flags`` the Maildir letters."""

    uid: int
    received: int
    flags: str

    @property
    def name(self) -> str:
        """File name in ``cur``."""
        return f"{self.received}.U{self.uid}.countersign:2,{self.flags}"


class MaildirFolder:
    """Messages of one folder, held as names; contents are read when asked for."""

    def __init__(self, path: Path, new_uidvalidity: int) -> None:
        self.path = path
        for part in ("tmp", "new", "cur"):
            (path / part).mkdir(parents=True, exist_ok=True)
        self.uidvalidity, self._reserved = self._load_validity(new_uidvalidity)
        self.entries = self._load_entries()
        self.next_uid = max([self._reserved, *(uid + 1 for uid in self.entries)])
        self._adopt_foreign()

    def add(self, content: bytes, received: int, flags: str) -> Entry:
        """Store a message durably; it is visible only once it is whole."""
        entry = Entry(self._take_uid(), received, flags)
        temporary = self.path / "tmp" / entry.name
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(self.path / "cur" / entry.name)
        self.entries[entry.uid] = entry
        return entry

    def read(self, uid: int) -> bytes | None:
        """The bytes of a message as they were stored, None when it is gone."""
        entry = self.entries.get(uid)
        try:
            return None if entry is None else (self.path / "cur" / entry.name).read_bytes()
        except FileNotFoundError:
            return None

    def set_flags(self, uid: int, flags: str) -> Entry | None:
        """Change a message's flags; None when it is gone."""
        entry = self.entries.get(uid)
        if entry is None:
            return None
        changed = replace(entry, flags="".join(sorted(set(flags))))
        (self.path / "cur" / entry.name).rename(self.path / "cur" / changed.name)
        self.entries[uid] = changed
        return changed

    def remove(self, uids: Iterable[int]) -> None:
        """Delete messages; those already gone are fine."""
        for uid in uids:
            entry = self.entries.pop(uid, None)
            if entry is not None:
                (self.path / "cur" / entry.name).unlink(missing_ok=True)

    def move(self, uid: int, target: "MaildirFolder") -> Entry | None:
        """Move a message by one rename; None when it is gone."""
        entry = self.entries.pop(uid, None)
        if entry is None:
            return None
        moved = replace(entry, uid=target._take_uid())
        (self.path / "cur" / entry.name).rename(target.path / "cur" / moved.name)
        target.entries[moved.uid] = moved
        return moved

    def _take_uid(self) -> int:
        uid = self.next_uid
        if uid >= self._reserved:
            self._reserved = uid + _BLOCK
            self._save_validity()
        self.next_uid = uid + 1
        return uid

    def _load_validity(self, new: int) -> tuple[int, int]:
        file = self.path / "uidvalidity"
        if not file.exists():
            self.uidvalidity, self._reserved = new, 1
            self._save_validity()
            return new, 1
        numbers = file.read_text(encoding="ascii", errors="replace").split()
        if len(numbers) != 2 or not all(number.isdigit() for number in numbers):
            raise FolderError(f"{file}: must hold two numbers; restore it or remove the folder")
        return int(numbers[0]), int(numbers[1])

    def _save_validity(self) -> None:
        temporary = self.path / "tmp" / "uidvalidity"
        temporary.write_text(f"{self.uidvalidity} {self._reserved}\n", encoding="ascii")
        temporary.rename(self.path / "uidvalidity")

    def _load_entries(self) -> dict[int, Entry]:
        found = (_NAME.fullmatch(file.name) for file in (self.path / "cur").iterdir())
        entries = [Entry(int(name[2]), int(name[1]), name[3]) for name in found if name is not None]
        return {entry.uid: entry for entry in sorted(entries, key=lambda entry: entry.uid)}

    def _adopt_foreign(self) -> None:
        """Give a UID to files that another program left in this Maildir; their time of change is their receipt."""
        foreign = [
            file for part in ("new", "cur") for file in (self.path / part).iterdir() if not _NAME.fullmatch(file.name)
        ]
        for file in sorted(foreign):
            entry = Entry(self._take_uid(), int(file.stat().st_mtime), "")
            file.rename(self.path / "cur" / entry.name)
            self.entries[entry.uid] = entry
