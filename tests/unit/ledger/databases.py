"""Empty databases to test on: SQLite, and PostgreSQL as well when COUNTERSIGN_TEST_POSTGRES names a server.

The variable holds a SQLAlchemy URL of a role that may create databases, e.g. ``postgresql+psycopg://test@127.0.0.1:5432/postgres``.
"""

import os
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

SERVER = os.environ.get("COUNTERSIGN_TEST_POSTGRES", "")
KINDS = ("sqlite", "postgresql") if SERVER else ("sqlite",)


def empty_database(kind: str, folder: Path | None = None) -> str:
    """The URL of a new database; SQLite in memory unless a folder is given."""
    if kind == "sqlite":
        return f"sqlite:///{folder / 'ledger.db'}" if folder else "sqlite://"
    name = f"ledger_{uuid4().hex}"
    engine = create_engine(SERVER, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(SERVER).set(database=name).render_as_string(hide_password=False)
