"""Errors of the graph part.

GraphError
  UnknownTerm            a vocabulary term that does not exist (also an AttributeError)
  SnapshotMissing        there is no snapshot, or not the one asked for
  SnapshotDamaged        what is on disk is not what its hash says
  QueryRefused           a SPARQL query or update that the store does not take
  StoreUnreachable       the SPARQL endpoint does not answer, or wants other credentials
  UnknownEndpoint        no such endpoint in the service
    UnknownService       no service of that id
  NothingToIngest        no source could be loaded at all
  SourceError            a source that is refused
    TableError           a CSV file with a wrong header or row
    BpmnError            a file that is no BPMN
"""

from collections.abc import Sequence


class GraphError(Exception):
    """Root of all errors of this package."""


class UnknownTerm(GraphError, AttributeError):
    """Raised when code misspells a term of a closed vocabulary."""


class SnapshotMissing(GraphError):
    """Raised when nothing was ingested yet, or the snapshot of a run was removed."""


class SnapshotDamaged(GraphError):
    """Raised when the content of a snapshot does not hash to its name."""


class QueryRefused(GraphError):
    """Raised when a store refuses a query or an update."""


class StoreUnreachable(GraphError):
    """Raised when a SPARQL endpoint cannot be reached or refuses the credentials. The text names the address and what to do."""


class NothingToIngest(GraphError):
    """Raised when no file was given or every file was refused; the snapshot that was current stays so."""


class UnknownEndpoint(GraphError):
    """Raised for an endpoint that the service does not have; ``nearest`` are endpoints that exist (service/endpoint)."""

    kind = "endpoint"

    def __init__(self, asked: str, nearest: Sequence[str] = ()) -> None:
        self.asked, self.nearest = asked, tuple(nearest)
        hint = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        super().__init__(f"no {self.kind} {asked!r} in the graph{hint}")

    def __reduce__(self) -> tuple[type["UnknownEndpoint"], tuple[str, tuple[str, ...]]]:
        return type(self), (self.asked, self.nearest)


class UnknownService(UnknownEndpoint):
    """Raised for a service id that no loaded file has (ids are file stems); ``nearest`` are services."""

    kind = "service"


class SourceError(GraphError):
    """A source file that is refused. The text names file, line, element and what to do, in one line."""

    def __init__(self, file: str, line: int | None, element: str, reason: str, advice: str) -> None:
        self.file, self.line, self.element, self.reason, self.advice = file, line, element, reason, advice
        where = file if line is None else f"{file}, line {line}"
        what = f", {element}" if element else ""
        super().__init__(f"{where}{what}: {reason}; {advice}")

    def __reduce__(self) -> tuple[type["SourceError"], tuple[str, int | None, str, str, str]]:
        return type(self), (self.file, self.line, self.element, self.reason, self.advice)


class TableError(SourceError):
    """Raised for a CSV file without the columns it must have."""


class BpmnError(SourceError):
    """Raised for XML that is no BPMN 2.0 model."""
