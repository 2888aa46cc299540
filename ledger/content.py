"""The content store: bytes by SHA-256, beside everything that names them."""

from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from ledger.errors import ContentAltered, ContentMissing
from ledger.schema import CONTENT
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
        connection.execute(postgresql_insert(CONTENT).on_conflict_do_nothing(), values)
    return digest


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
