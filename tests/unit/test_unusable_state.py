"""A state folder or ledger that cannot be used is one line that names it, never a password."""

import pytest

from cli.context import ledger_of
from cli.errors import CommandError
from settings import Settings


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"state_dir": "/dev/null"}, "/dev/null: no usable state folder"),
        ({"ledger_url": "sqlite:////dev/null/ledger.sqlite"}, "state folder"),
        ({"ledger_url": "nonsense"}, "ledger at nonsense"),
        ({"ledger_url": "postgresql+psycopg://u:hidden@127.0.0.1:1/x"}, r"u:\*\*\*@127.0.0.1:1/x"),
    ],
)
def test_one_line_that_names_it(changes: dict[str, str], named: str):
    with pytest.raises(CommandError, match=named) as caught, ledger_of(Settings(**changes)):
        pass
    assert "\n" not in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_a_ledger_of_a_newer_version(tmp_path):
    settings = Settings(state_dir=tmp_path)
    with ledger_of(settings) as ledger, ledger.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CommandError, match="9999"), ledger_of(settings):
        pass
