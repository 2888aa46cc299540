"""Alembic migrations, run on an open connection: no configuration file is needed."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def configuration(connection: Connection | None = None) -> Config:
    """An Alembic configuration of this folder."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Bring the database up inside the caller's transaction."""
    command.upgrade(configuration(connection), revision)
