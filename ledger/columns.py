"""What all tables share: the metadata object, instants, and the columns that recur."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, DateTime, Dialect, ForeignKey, MetaData, String
from sqlalchemy.types import TypeDecorator

HEAD = "0003"
"""The newest migration (a test compares it with the migrations folder)."""

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Instant(TypeDecorator[datetime]):
    """A UTC instant. Naive times are refused on the way in; SQLite, which drops zones, gets UTC back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"the ledger takes instants with a time zone, not {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def run_column(**kw: Any) -> Column[str]:
    return Column("run_id", String(64), ForeignKey("runs.run_id"), nullable=False, **kw)


def digest_column(name: str, **kw: Any) -> Column[str]:
    return Column(name, String(64), **kw)
