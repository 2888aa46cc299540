"""What the stages are given: the parts of the system, already opened; built once by the worker."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from activities.live_metadata import LiveMetadata
from agent.ports import Brain
from graph.views import GraphView
from ledger.store import Ledger
from odata.client import ODataClient
from wire.context import TypedContext
from wire.endpoint import ODataVersion
from wire.mail import Delivered
from wire.policy import Policy


class Graphs(Protocol):
    """The graph snapshots, by hash."""

    def current(self) -> str:
        """Hash of the snapshot that new runs get."""
        ...

    def at(self, graph_hash: str) -> GraphView:
        """The snapshot of that hash, opened read-only."""
        ...

    def warm(self) -> None:
        """Load what the first search would wait for. Raises ``graph.errors.SnapshotMissing``."""
        ...

    def context(self, goal: str, graph_hash: str, services: tuple[str, ...]) -> TypedContext:
        """The typed context for a goal on that snapshot, of these services only when any are given."""
        ...


class Services(Protocol):
    """The OData services that calls go to."""

    def client(self, service: str, version: ODataVersion) -> ODataClient:
        """A client for the service. Raises ``activities.errors.ServiceUnknown`` when no address is configured."""
        ...

    def repeatable(self, service: str) -> bool:
        """Whether the service keeps OASIS Repeatable Requests, so that sending the same id again is a look-up."""
        ...

    def known_metadata(self, service: str) -> LiveMetadata | None:
        """The ``$metadata`` that this process read last from the service; None when it never did."""
        ...

    async def live_metadata(self, service: str, version: ODataVersion) -> LiveMetadata:
        """``$metadata`` as it is now. Raises ``odata.errors.CallError``, ``activities.errors.ServiceUnknown``."""
        ...


Mailer = Callable[[bytes, str], Delivered]
"""Sends raw bytes to one address. Raises ``mail.errors`` as its tree says."""


@dataclass(frozen=True)
class MailIdentity:
    """Who our mails come from. ``approvals`` is the base address that plus-addresses extend."""

    approvals: str
    name: str
    operator: str

    @property
    def domain(self) -> str:
        """Right side of our Message-IDs."""
        return self.approvals.rpartition("@")[2]

    def plus(self, opaque: str) -> str:
        """The address that carries an opaque id."""
        local, _, domain = self.approvals.rpartition("@")
        return f"{local}+{opaque}@{domain}"


@dataclass(frozen=True)
class Parts:
    """Everything a stage may use."""

    ledger: Ledger
    graphs: Graphs
    brain: Brain
    services: Services
    mailer: Mailer
    policy: Callable[[], Policy]
    identity: MailIdentity
    now: Callable[[], datetime]
