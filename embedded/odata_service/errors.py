"""Errors of the embedded OData service.

ServiceError
├── StartError              the process cannot start (exit code 2)
│   └── InputFileError      a file named on the command line cannot be used
├── MetadataError           a metadata file is refused
└── ODataError              an HTTP answer with an OData error body
    ├── BadRequest          400
    ├── NotFound            404
    ├── NotAllowed          405
    ├── Conflict            409
    └── Precondition        412 and 428
"""

from __future__ import annotations

from dataclasses import dataclass


class ServiceError(Exception):
    """Base of all errors here."""


class StartError(ServiceError):
    """The process cannot start: port in use, folder missing, nothing to serve."""


class InputFileError(StartError):
    """A codes, required, seed or assigned file is missing or wrong; names file and line or field."""


class MetadataError(ServiceError):
    """A metadata file is refused: not XML, DOCTYPE, wrong root. The message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One finding in a refused request; `target` is a JSON pointer or property path into the body."""

    code: str
    message: str
    target: str = ""


class ODataError(ServiceError):
    """An answer with status >= 400; rendered in the form of the version of the service."""

    status = 500

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        target: str = "",
        details: tuple[Detail, ...] = (),
        status: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status or type(self).status
        self.code = code or type(self).__name__
        self.target = target
        self.details = details
        self.headers = headers or {}


class BadRequest(ODataError):
    """The request contradicts the metadata, the codes or the protocol."""

    status = 400


class NotFound(ODataError):
    """No such resource, row or operation."""

    status = 404


class NotAllowed(ODataError):
    """The metadata denies the method on this resource."""

    status = 405


class Conflict(ODataError):
    """The key exists already, or a repeatability id was used for another request."""

    status = 409


class Precondition(ODataError):
    """If-Match is stale (412) or missing where it is demanded (428)."""

    status = 412
