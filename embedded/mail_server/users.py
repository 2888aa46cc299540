"""The users file: who has a mailbox here."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedded.mail_server.errors import UsersFileError


@dataclass(frozen=True)
class User:
    """One mailbox. ``address`` is lower case and is the login name on both sides."""

    address: str
    password: str


def load_users(path: Path) -> dict[str, User]:
    """Users by address; raises UsersFileError naming the element.

    The file is a JSON list of ``{"address": …, "password": …}``.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsersFileError(f"users file {path}: {error.strerror}; give a readable file with --users") from error
    except ValueError as error:
        raise UsersFileError(f"users file {path}: no JSON ({error})") from error
    if not isinstance(content, list) or not content:
        raise UsersFileError(f'users file {path}: must be a list of {{"address", "password"}} with at least one entry')
    users: dict[str, User] = {}
    for number, entry in enumerate(content):
        user = _user(path, number, entry)
        if user.address in users:
            raise UsersFileError(f"users file {path}, entry {number}: {user.address} stands twice; remove one")
        users[user.address] = user
    return users


def _user(path: Path, number: int, entry: Any) -> User:
    where = f"users file {path}, entry {number}"
    address = entry.get("address") if isinstance(entry, dict) else None
    password = entry.get("password") if isinstance(entry, dict) else None
    if (
        not isinstance(address, str)
        or address.count("@") != 1
        or "+" in address
        or "/" in address
        or any(c.isspace() for c in address)
    ):
        raise UsersFileError(f"{where}: 'address' must be one plain mail address without a plus part")
    if not isinstance(password, str) or not password:
        raise UsersFileError(f"{where}: 'password' must be a text that is not empty")
    return User(address.lower(), password)


def mailbox_of(users: dict[str, User], recipient: str) -> User | None:
    """The user who gets mail for ``recipient``: the address itself, or without its plus part."""
    local, _, domain = recipient.lower().rpartition("@")
    return users.get(f"{local}@{domain}") or users.get(f"{local.partition('+')[0]}@{domain}")
