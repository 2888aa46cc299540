"""The ledger: reachable, at the newest migration, and the chains of the newest runs whole."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from cli.doctor.finding import Finding, right, unknown, warning, wrong
from ledger.columns import HEAD
from ledger.health import newest_runs, revision_of
from ledger.store import Ledger, open_ledger
from policies.canonical import sha256_hex
from settings import Settings

SPOT_CHECKED = 5


def look_at_ledger(settings: Settings) -> Sequence[Finding]:
    """Nothing is created or migrated: that is left to the parts. Of the epoch only a hash is shown: mail ids rest on it."""
    fault = _fault(settings)
    if fault is not None:
        return [fault]
    with opened(settings) as ledger:
        runs = newest_runs(ledger, SPOT_CHECKED)
        broken = [f"{v.run_id}: {v.faults[0]}" for v in map(ledger.verify, runs) if not v.intact]
        told = f"{shown(settings)}, migration {HEAD}, epoch {sha256_hex(ledger.epoch.encode())[:8]}"
    if broken:
        mend = "run 'starter.py audit RUN' for each; restore the database from a backup that verifies"
        return [right("ledger", told), wrong("chains", f"{len(broken)} of {len(runs)} do not hold: {broken[0]}", mend)]
    return [
        right("ledger", told),
        right("chains", f"verified: the newest {len(runs)} hold" if runs else "no runs yet"),
    ]


def _fault(settings: Settings) -> Finding | None:
    where = shown(settings)
    file = settings.ledger.removeprefix("sqlite:///") if settings.ledger.startswith("sqlite:///") else ""
    if file and not Path(file).exists():
        mend = "start 'starter.py up' or a worker, which makes it; or check --state and COUNTERSIGN_LEDGER_URL"
        return wrong("ledger", f"{where} does not exist", mend)
    try:
        revision = revision_of(settings.ledger)
    except (SQLAlchemyError, ImportError) as error:
        cause = str(getattr(error, "orig", None) or error).splitlines()[0]
        return wrong("ledger", f"{where} cannot be read: {cause}", "check COUNTERSIGN_LEDGER_URL and the database")
    if revision is None:
        return wrong("ledger", f"{where} holds no ledger", "start the worker, which makes it; or check ledger_url")
    if revision != HEAD:
        told = f"{where} stands at migration {revision}, this release needs {HEAD}"
        mend = (
            "start worker or mailroom of this release, which migrates it"
            if revision < HEAD
            else "use the newer release"
        )
        return (warning if revision < HEAD else wrong)("ledger", told, mend)
    return None


def shown(settings: Settings) -> str:
    """The database without its login."""
    try:
        return make_url(settings.ledger).render_as_string(hide_password=True)
    except ArgumentError:
        return "ledger_url (no SQLAlchemy URL)"


@contextmanager
def opened(settings: Settings) -> Iterator[Ledger]:
    """A ledger that is known to be at the newest migration."""
    ledger = open_ledger(settings.ledger, random_epoch=lambda: secrets.token_hex(16))
    try:
        yield ledger
    finally:
        ledger.dispose()


def unreadable(settings: Settings, part: str) -> Finding | None:
    """What to say of a part that the ledger knows of, when the ledger itself cannot be used."""
    fault = _fault(settings)
    return None if fault is None else unknown(part, "the ledger cannot be asked", "mend the ledger first")
