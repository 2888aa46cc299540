"""The content store: bytes by SHA-256, beside everything that names them."""

from collections.abc import Iterable
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from ledger.errors import ContentAltered, ContentMissing
from ledger.schema import CONTENT, CONTENT_USES
from ledger.transactions import Store
from policies.canonical import sha256_hex

_BODY = select(CONTENT.c.body).where(CONTENT.c.digest == bindparam("of"))


def put_content(connection: Connection, data: bytes, media_type: str, at: datetime) -> str:
    """Store bytes once; the digest."""
    digest = sha256_hex(data)
    values = {"digest": digest, "media_type": media_type, "body": data, "at": at}
    if connection.dialect.name == "sqlite":
        connection.execute(sqlite_insert(CONTENT).on_conflict_do_nothing(), values)
    else:
        # The row is locked, unchanged: an erasure that would delete it waits, and then sees who names it.
        known = postgresql_insert(CONTENT)
        connection.execute(known.on_conflict_do_update(index_elements=["digest"], set_={"at": CONTENT.c.at}), values)
    return digest


def note_uses(connection: Connection, run_id: str, digests: Iterable[str]) -> None:
    """Remember that the chain of a run names these contents, so that erasing another run leaves them."""
    rows = [{"digest": digest, "run_id": run_id} for digest in sorted(set(digests))]
    if not rows:
        return
    make = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    connection.execute(make(CONTENT_USES).on_conflict_do_nothing(), rows)


def put_model(connection: Connection, model: BaseModel, at: datetime) -> str:
    """Store a wire value as JSON; the digest."""
    return put_content(connection, model.model_dump_json().encode(), "application/json", at)


def get_content(connection: Connection, digest: str) -> bytes:
    """The bytes under a digest, proven by hashing them."""
    body: bytes | None = connection.execute(_BODY, {"of": digest}).scalar()
    if body is None:
        raise ContentMissing(digest)
    if (found := sha256_hex(body)) != digest:
        raise ContentAltered(digest, found)
    return body


class Contents(Store):
    """Bytes in, digest out."""

    def put(self, data: bytes, media_type: str, at: datetime) -> str:
        """Store bytes once; the digest."""
        with self.writing() as connection:
            return put_content(connection, data, media_type, at)

    def get(self, digest: str) -> bytes:
        """The bytes under a digest. Raises ContentMissing or ContentAltered."""
        with self.reading() as connection:
            return get_content(connection, digest)
