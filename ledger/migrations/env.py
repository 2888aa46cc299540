"""Alembic's entry: migrates on the connection that the caller put into the configuration."""

from alembic import context

from ledger import schema, schema_approval, schema_clock
from ledger.columns import METADATA

assert schema.META.metadata is schema_approval.EFFECTS.metadata is schema_clock.CLOCK_PROBES.metadata is METADATA

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
