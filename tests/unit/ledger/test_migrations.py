"""The migrations make exactly the tables of the metadata."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from ledger.columns import HEAD, METADATA
from ledger.migrations import configuration
from ledger.store import Ledger, open_ledger


def differences(connection: Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, METADATA))


def test_upgrade_head_equals_the_metadata(ledger: Ledger):
    with ledger.reading() as connection:
        assert differences(connection) == []


def test_the_comparison_sees_a_missing_table(ledger: Ledger):
    with ledger.writing() as connection:
        connection.exec_driver_sql("DROP TABLE leases")
    with ledger.reading() as connection:
        assert differences(connection) != []


def test_head_is_the_newest_migration():
    assert ScriptDirectory.from_config(configuration()).get_current_head() == HEAD


def test_opening_again_keeps_the_epoch(shared_url: str):
    first = open_ledger(shared_url, random_epoch=lambda: "one")
    again = open_ledger(shared_url, random_epoch=lambda: "two")
    assert (first.epoch, again.epoch) == ("one", "one")
    first.dispose()
    again.dispose()
