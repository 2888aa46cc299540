"""What every command shares: the settings and how to reach the parts, opened only when a command needs them."""

import getpass
import secrets
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cli.errors import CommandError
from cli.exit_codes import Exit
from ledger.store import Ledger, open_ledger
from policies.people import persons_named
from policies.rulebook import person_of, policy_version
from settings import DEFAULT_STATE, Settings, SettingsError, load_settings
from settings import load_policy as read_policy_file
from wire.policy import Person, Policy

if TYPE_CHECKING:
    from temporalio.client import Client


@dataclass
class Context:
    """Options that stand before the command's name."""

    state_dir: Path | None
    json: bool
    debug: bool

    def settings(self) -> Settings:
        """All settings, or one clear error."""
        try:
            return load_settings(self.state_dir)
        except SettingsError as error:
            raise CommandError(str(error)) from error


def now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


def load_policy(settings: Settings) -> Policy:
    """The policy file as it stands now, or one clear error."""
    try:
        return read_policy_file(settings)
    except SettingsError as error:
        raise CommandError(str(error)) from error


def first_approver(settings: Settings) -> str:
    """Mail address of the first approver of the first rule: whose part is played on the embedded default."""
    policy = load_policy(settings)
    name = persons_named(policy, policy.rules[0].approvers)[0]
    return next(p.addresses[0] for p in policy.persons if p.id == name)


def python_command() -> str:
    """This interpreter as the person types it."""
    return str(_below(Path(sys.executable)))


def starter_command(state: Path) -> str:
    """How the person types commands on this state folder."""
    option = "" if state.absolute() == DEFAULT_STATE.absolute() else f" --state {_below(state)}"
    return f"{python_command()} starter.py{option}"


def _below(path: Path) -> Path:
    """Relative to where the person stands, when it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def requester_of(policy: Policy) -> tuple[Person, str]:
    """Whom of the requesters the operating system's user is, and where that knowledge comes from."""
    return _person_of_user(policy, policy.requesters)


def operator_of(policy: Policy) -> tuple[Person, str]:
    """Whom of the operators the operating system's user is. Raises ``CommandError`` when they are none."""
    person, source = _person_of_user(policy, policy.operators)
    if person.id not in policy.operators:
        raise CommandError(f"{person.id} is no operator of policy {policy.version}: 'operators' names who is")
    return person, source


def actor_of(policy: Policy, requester: str) -> tuple[Person, str, Literal["requester", "operator"]]:
    """Who acts on a run of that requester: the requester, or else an operator, and as which."""
    person, source = _person_of_user(policy, policy.requesters)
    if person.id == requester:
        return person, source, "requester"
    person, source = _person_of_user(policy, policy.operators)
    if person.id not in policy.operators:
        raise CommandError(f"{person.id} is neither the requester nor an operator of policy {policy.version}")
    return person, source, "operator"


def _person_of_user(policy: Policy, role: Collection[str]) -> tuple[Person, str]:
    """The person of that role whom the OS user maps to; without one, whom else they map to, so that it can be said.

    A name counts before ``*``. One user is one person in a role (``policies.lint``), and may be another one in another role.
    """
    user = getpass.getuser()
    source = f"os-user:{user}"
    for persons in ([p for p in policy.persons if p.id in role], policy.persons):
        for name in (user, "*"):
            person = next((p for p in persons if name in p.os_users), None)
            if person is not None:
                return person, source
    raise CommandError(f"policy {policy.version} maps no person to the OS user '{user}': add it to os_users")


def named_person(policy: Policy, name: str) -> Person:
    """A person by id or address."""
    by_address = next((p for p in policy.persons if name.lower() in (a.lower() for a in p.addresses)), None)
    person = person_of(policy, name) or by_address
    if person is None:
        known = ", ".join(p.id for p in policy.persons)
        raise CommandError(f"policy {policy.version} names no person '{name}' (it names: {known})")
    return person


@contextmanager
def ledger_of(settings: Settings, policy: Policy | None = None) -> Iterator[Ledger]:
    """The ledger, closed afterwards. ``policy``: in force, for who writes."""
    ledger = _opened(settings)
    ledger.in_force = policy_version(policy) if policy is not None else ""
    try:
        yield ledger
    finally:
        ledger.dispose()


def _opened(settings: Settings) -> Ledger:
    """The ledger. Raises ``CommandError`` that names the state folder, or the database without its login."""
    from alembic.util import CommandError as MigrationError
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, DBAPIError

    try:
        if settings.ledger.startswith("sqlite:///"):
            Path(settings.ledger.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
        return open_ledger(settings.ledger, random_epoch=lambda: secrets.token_hex(16))
    except OSError as error:
        raise CommandError(f"{settings.state_dir}: no usable state folder ({error.strerror}): check --state") from error
    except (DBAPIError, MigrationError, ArgumentError) as error:
        cause = getattr(error, "orig", None) or error
        shown = settings.ledger if isinstance(error, ArgumentError) else make_url(settings.ledger).render_as_string()
        raise CommandError(
            f"the ledger at {shown} cannot be used: {str(cause).splitlines()[0]}", Exit.FAILED
        ) from error


async def temporal_client(settings: Settings) -> "Client":
    """A connected client. Raises ``CommandError`` that names the address."""
    # The SDK takes half a second to load, and most commands need the ledger alone.
    from temporalio.client import Client
    from temporalio.contrib.pydantic import pydantic_data_converter

    try:
        return await Client.connect(
            settings.temporal_address, namespace=settings.temporal_namespace, data_converter=pydantic_data_converter
        )
    except RuntimeError as error:
        raise CommandError(
            f"no Temporal server at {settings.temporal_address}: start the parts with 'starter.py up', or set "
            "COUNTERSIGN_TEMPORAL_ADDRESS",
            Exit.UNREACHABLE,
        ) from error
