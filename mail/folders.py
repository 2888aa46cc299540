"""Folders by their levels: ``("Runs", "run-a")`` is ``Runs/run-a``, ``Runs.run-a`` or ``INBOX.Runs.run-a`` on the server."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from mail.errors import ImapRefused

_T = TypeVar("_T")
Levels = Sequence[str]


class Ask(Protocol):
    """Runs a command of imapclient; raises ImapUnreachable or ImapRefused."""

    def __call__(self, command: Callable[[Any], _T], /) -> _T:
        """Its answer."""


class Folders:
    """The folders of one connection. What was seen once is taken to exist until the server says otherwise (``forget``)."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._root: tuple[str, str] | None = None
        self._known: set[str] = set()

    def root(self) -> tuple[str, str]:
        """Prefix of personal folders (RFC 2342) and hierarchy separator, asked once."""
        if self._root is None:
            self._root = self._namespace() or ("", self._separator())
        return self._root

    def _namespace(self) -> tuple[str, str] | None:
        if not self._ask(lambda client: client.has_capability("NAMESPACE")):
            return None
        personal = self._ask(lambda client: client.namespace()).personal
        prefix, separator = personal[0] if personal else ("", "")
        return (_text(prefix), _text(separator)) if separator else None

    def _separator(self) -> str:
        listed = self._ask(lambda client: client.list_folders("", ""))
        return _text(listed[0][1]) if listed and listed[0][1] else "/"

    def name(self, levels: Levels) -> str:
        """What the server calls the folder."""
        prefix, separator = self.root()
        return prefix + separator.join(levels)

    def ensure(self, levels: Levels) -> str:
        """The folder's name; it and those above it exist afterwards."""
        names = [self.name(levels[: count + 1]) for count in range(len(levels))]
        for name in names:
            if name not in self._known:
                self._create(name)
            self._known.add(name)
        return names[-1]

    def _create(self, name: str) -> None:
        # Not looked for first: most are new, and some servers read all their folders to find one.
        try:
            self._ask(lambda client: client.create_folder(name))
        except ImapRefused:
            if not self._has(name):
                raise

    def exists(self, levels: Levels) -> bool:
        """Is there such a folder now?"""
        return self._has(self.name(levels))

    def _has(self, name: str) -> bool:
        return bool(self._ask(lambda client: client.folder_exists(name)))

    def forget(self, levels: Levels) -> None:
        """Take nothing about the folder and what stands below it for granted."""
        name, separator = self.name(levels), self.root()[1]
        self._known = {known for known in self._known if known != name and not known.startswith(name + separator)}

    def children(self, levels: Levels) -> list[str]:
        """The last levels of the folders right below; [] when there is no such folder."""
        start = self.name(levels) + self.root()[1]
        listed = self._ask(lambda client: client.list_folders("", f"{start}%"))
        # A name of digits only comes as a number.
        names = (_text(name) for _, _, name in listed)
        return [name.removeprefix(start) for name in names if name.startswith(start) and name != start]

    def rename(self, source: Levels, target: Levels) -> bool:
        """Move a folder with all below it, whatever is above the new place being made; False when the server refuses."""
        self.ensure(target[:-1])
        old, new = self.name(source), self.name(target)
        self.forget(source)
        try:
            self._ask(lambda client: client.rename_folder(old, new))
        except ImapRefused:
            return False
        return True

    def delete(self, levels: Levels) -> None:
        """Delete an empty folder."""
        name = self.name(levels)
        self.forget(levels)
        self._ask(lambda client: client.delete_folder(name))


def _text(value: object) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)
