"""Rows, links, number ranges and logs in one SQLite file.

Every public write belongs to a transaction opened by `Store.transaction()`; reads need none. One process, one
connection: requests are handled one after the other, so a transaction never meets another.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from embedded.odata_service.errors import StartError

KEY_SEPARATOR = "\x1f"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
    id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL, collection TEXT NOT NULL, key TEXT NOT NULL,
    version INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, UNIQUE (service, collection, key));
CREATE TABLE IF NOT EXISTS links (
    service TEXT NOT NULL, collection TEXT NOT NULL, key TEXT NOT NULL, nav TEXT NOT NULL,
    target TEXT NOT NULL, target_key TEXT NOT NULL,
    PRIMARY KEY (service, collection, key, nav, target, target_key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS number_ranges (
    service TEXT NOT NULL, collection TEXT NOT NULL, property TEXT NOT NULL, last TEXT NOT NULL,
    PRIMARY KEY (service, collection, property)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS assigned (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL UNIQUE, service TEXT NOT NULL, endpoint TEXT NOT NULL,
    record TEXT NOT NULL, used INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS applied (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repeatability (
    request_id TEXT PRIMARY KEY, first_sent TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
    headers TEXT NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS request_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
    body_digest TEXT NOT NULL, repeatability_id TEXT, status INTEGER);
CREATE TABLE IF NOT EXISTS action_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, service TEXT NOT NULL, operation TEXT NOT NULL,
    collection TEXT, key TEXT, parameters TEXT NOT NULL);
"""


@dataclass(slots=True)
class Row:
    """One stored entity. `key` is the storage key; contained rows have their parent's key as prefix."""

    id: int
    collection: str
    key: str
    version: int
    type: str
    data: dict[str, Any]

    @property
    def etag(self) -> str:
        return f'W/"{self.id}.{self.version}"'


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of one collection: all, those below a key prefix, those with exact keys, those with equal properties."""

    collection: str
    prefix: str | None = None
    keys: tuple[str, ...] | None = None
    equal: Mapping[str, Any] = field(default_factory=dict)


def key_text(values: Sequence[Any]) -> str:
    """Canonical key values joined; booleans and numbers in their JSON text form."""
    return KEY_SEPARATOR.join(value if isinstance(value, str) else json.dumps(value) for value in values)


class Store:
    """Opens (and creates) the state file; `StartError` when it cannot be used."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise StartError(f"state file {path.name}: {error}") from error

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; nested use joins the outer transaction."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # rows

    def select(self, service: str, selection: Selection, limit: int | None = None, offset: int = 0) -> list[Row]:
        """Matching rows in the order in which they were created."""
        where, values = self._condition(service, selection)
        query = f"SELECT id, collection, key, version, type, data FROM rows WHERE {where} ORDER BY id LIMIT ? OFFSET ?"
        rows = self._db.execute(query, (*values, -1 if limit is None else limit, offset))
        return [Row(id_, name, key, version, type_, json.loads(data)) for id_, name, key, version, type_, data in rows]

    def count(self, service: str, selection: Selection) -> int:
        where, values = self._condition(service, selection)
        return int(self._db.execute(f"SELECT count(*) FROM rows WHERE {where}", values).fetchone()[0])

    @staticmethod
    def _condition(service: str, selection: Selection) -> tuple[str, list[Any]]:
        where = ["service = ?", "collection = ?"]
        values: list[Any] = [service, selection.collection]
        if selection.keys is not None:
            where.append(f"key IN ({','.join('?' * len(selection.keys))})")
            values += selection.keys
        if selection.prefix is not None:
            where.append("key >= ? AND key < ?")
            # "\x1f" + 1 is the first character after every key below the prefix.
            values += [selection.prefix + KEY_SEPARATOR, selection.prefix + "\x20"]
        for name, value in selection.equal.items():
            where.append("json_extract(data, ?) IS ?")
            values += [f'$."{name}"', int(value) if isinstance(value, bool) else value]
        return " AND ".join(where), values

    def get(self, service: str, collection: str, key: str) -> Row | None:
        found = self.select(service, Selection(collection, keys=(key,)))
        return found[0] if found else None

    def insert(self, service: str, collection: str, key: str, type_name: str, data: dict[str, Any]) -> Row:
        """Raises sqlite3.IntegrityError when the key exists."""
        cursor = self._db.execute(
            "INSERT INTO rows (service, collection, key, version, type, data) VALUES (?, ?, ?, 1, ?, ?)",
            (service, collection, key, type_name, json.dumps(data)),
        )
        return Row(int(cursor.lastrowid or 0), collection, key, 1, type_name, data)

    def update(self, service: str, row: Row, data: dict[str, Any]) -> Row:
        self._db.execute(
            "UPDATE rows SET data = ?, version = version + 1 WHERE service = ? AND id = ?",
            (json.dumps(data), service, row.id),
        )
        return Row(row.id, row.collection, row.key, row.version + 1, row.type, data)

    def delete(self, service: str, row: Row) -> None:
        self._db.execute("DELETE FROM rows WHERE service = ? AND id = ?", (service, row.id))
        self._db.execute(
            "DELETE FROM links WHERE service = ? AND ((collection = ? AND key = ?) OR (target = ? AND target_key = ?))",
            (service, row.collection, row.key, row.collection, row.key),
        )

    # links

    def link(self, service: str, row: Row, nav: str, target: str, target_key: str) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?)",
            (service, row.collection, row.key, nav, target, target_key),
        )

    def unlink(self, service: str, row: Row, nav: str) -> None:
        self._db.execute(
            "DELETE FROM links WHERE service = ? AND collection = ? AND key = ? AND nav = ?",
            (service, row.collection, row.key, nav),
        )

    def linked_keys(self, service: str, row: Row, nav: str) -> tuple[str, ...]:
        found = self._db.execute(
            "SELECT target_key FROM links WHERE service = ? AND collection = ? AND key = ? AND nav = ?",
            (service, row.collection, row.key, nav),
        )
        return tuple(key for (key,) in found)

    # number ranges and assigned values

    def last_number(self, service: str, collection: str, prop: str) -> str | None:
        found = self._db.execute(
            "SELECT last FROM number_ranges WHERE service = ? AND collection = ? AND property = ?",
            (service, collection, prop),
        ).fetchone()
        return str(found[0]) if found else None

    def set_last_number(self, service: str, collection: str, prop: str, last: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO number_ranges VALUES (?, ?, ?, ?)", (service, collection, prop, last))

    def add_assigned(self, source: str, service: str, endpoint: str, record: Mapping[str, Any]) -> None:
        """`source` names the line of the file: the same line is never queued twice."""
        self._db.execute(
            "INSERT OR IGNORE INTO assigned (source, service, endpoint, record) VALUES (?, ?, ?, ?)",
            (source, service, endpoint, json.dumps(record)),
        )

    def take_assigned(self, service: str, endpoint: str) -> dict[str, Any]:
        """The values the next record of this endpoint gets; each entry is used once."""
        found = self._db.execute(
            "SELECT id, record FROM assigned WHERE service = ? AND endpoint = ? AND used = 0 ORDER BY id LIMIT 1",
            (service, endpoint),
        ).fetchone()
        if found is None:
            return {}
        self._db.execute("UPDATE assigned SET used = 1 WHERE id = ?", (found[0],))
        record: dict[str, Any] = json.loads(found[1])
        return record

    def mark_applied(self, digest: str) -> bool:
        """True the first time a digest is seen."""
        return self._db.execute("INSERT OR IGNORE INTO applied VALUES (?)", (digest,)).rowcount == 1

    # repeatability

    def stored_answer(self, request_id: str) -> tuple[str, int, dict[str, str], bytes] | None:
        """(fingerprint, status, headers, body) of the first answer under this id."""
        found = self._db.execute(
            "SELECT fingerprint, status, headers, body FROM repeatability WHERE request_id = ?", (request_id,)
        ).fetchone()
        return (found[0], found[1], json.loads(found[2]), bytes(found[3])) if found else None

    def store_answer(
        self, request_id: str, first_sent: str, fingerprint: str, status: int, headers: dict[str, str], body: bytes
    ) -> None:
        self._db.execute(
            "INSERT INTO repeatability VALUES (?, ?, ?, ?, ?, ?)",
            (request_id, first_sent, fingerprint, status, json.dumps(headers), body),
        )

    # logs

    def log_request(
        self, at: str, method: str, path: str, digest: str, repeatability_id: str | None, status: int | None = None
    ) -> int:
        """Opens the log row of a write before it is handled, so that a killed one is seen too (status NULL)."""
        cursor = self._db.execute(
            "INSERT INTO request_log (at, method, path, body_digest, repeatability_id, status) VALUES (?, ?, ?, ?, ?, ?)",
            (at, method, path, digest, repeatability_id, status),
        )
        return int(cursor.lastrowid or 0)

    def log_status(self, log_id: int, status: int) -> None:
        self._db.execute("UPDATE request_log SET status = ? WHERE id = ?", (status, log_id))

    def request_log(self, writes_only: bool, since: int = 0) -> list[dict[str, Any]]:
        names = ("id", "method", "path", "body_digest", "repeatability_id", "status", "at")
        condition = " AND method NOT IN ('GET', 'HEAD', 'OPTIONS')" if writes_only else ""
        query = f"SELECT {', '.join(names)} FROM request_log WHERE id > ?{condition} ORDER BY id"
        return [dict(zip(names, found, strict=True)) for found in self._db.execute(query, (since,))]

    def log_action(self, at: str, service: str, operation: str, row: Row | None, parameters: Mapping[str, Any]) -> None:
        self._db.execute(
            "INSERT INTO action_log (at, service, operation, collection, key, parameters) VALUES (?, ?, ?, ?, ?, ?)",
            (at, service, operation, row.collection if row else None, row.key if row else None, json.dumps(parameters)),
        )

    def action_log(self, service: str | None = None) -> list[dict[str, Any]]:
        names = ("id", "at", "service", "operation", "collection", "key", "parameters")
        query = f"SELECT {', '.join(names)} FROM action_log WHERE service = coalesce(?, service) ORDER BY id"
        found = [dict(zip(names, row, strict=True)) for row in self._db.execute(query, (service,))]
        return [entry | {"parameters": json.loads(entry["parameters"])} for entry in found]
