"""The content store proves what it hands out."""

import pytest
from sqlalchemy import delete, update

from ledger.errors import ContentAltered, ContentMissing
from ledger.schema import CONTENT
from ledger.store import Ledger
from tests.unit.ledger.world import NOON


def test_what_was_put_comes_back(ledger: Ledger):
    digest = ledger.put(b"\x00bytes", "application/octet-stream", NOON)
    assert digest == ledger.put(b"\x00bytes", "application/octet-stream", NOON)
    assert ledger.get(digest) == b"\x00bytes"


def test_missing_content_is_named(ledger: Ledger):
    digest = ledger.put(b"x", "text/plain", NOON)
    with ledger.writing() as connection:
        connection.execute(delete(CONTENT))
    with pytest.raises(ContentMissing, match=digest):
        ledger.get(digest)


def test_altered_content_is_refused(ledger: Ledger):
    digest = ledger.put(b"x", "text/plain", NOON)
    with ledger.writing() as connection:
        connection.execute(update(CONTENT).values(body=b"y"))
    with pytest.raises(ContentAltered, match=digest):
        ledger.get(digest)
