"""Errors of the OData part.

ODataError
  MetadataError            a metadata file cannot be read at all
    DocumentTypeRefused    it declares a DOCTYPE
    IllFormedXml           it is no XML, or broken XML
    WrongRoot              it is XML, but no CSDL
    InvalidMetadata        a policy stricter than the default refuses a defect
  CallError                a service gave no usable result
    NotApproved            a write that is not the approved one, or breaks a rule of requests: it never left
    Retryable              nothing took effect; the same request may be sent again later
      NotSent              it never left: no connection
      NoAnswer             a read that got no answer in time
      Busy                 429 or 503, with the seconds of Retry-After
    OutcomeUnknown         a write left and nobody knows what became of it: look it up, never repeat it
    LoginRequired          401, a redirect or a login page in place of an answer
    TokenRefused           the service refused a fresh CSRF token
    AnswerTooLarge         the answer exceeds the limit of bytes
    UnreadableAnswer       the answer is no OData
    ForeignLink            a link leads to another origin
    AmbiguousLookUp        a look-up found more than one entity
    ServiceError           the service answered with an error
      NotFound             404 or 410
      PreconditionFailed   412: the entity has changed since
      PreconditionRequired 428: the service wants If-Match
"""

from odata.error_body import ErrorBody

__all__ = [
    "AmbiguousLookUp",
    "AnswerTooLarge",
    "Busy",
    "CallError",
    "DocumentTypeRefused",
    "ForeignLink",
    "IllFormedXml",
    "InvalidMetadata",
    "LoginRequired",
    "MetadataError",
    "NoAnswer",
    "NotApproved",
    "NotFound",
    "NotSent",
    "ODataError",
    "OutcomeUnknown",
    "PreconditionFailed",
    "PreconditionRequired",
    "Retryable",
    "ServiceError",
    "TokenRefused",
    "UnreadableAnswer",
    "WrongRoot",
]


class ODataError(Exception):
    """Root of all errors of this package."""


class MetadataError(ODataError):
    """A metadata file that is refused. The text names file, line, element and what to do, in one line."""

    def __init__(self, file: str, line: int | None, element: str, reason: str, advice: str) -> None:
        self.file, self.line, self.element, self.reason, self.advice = file, line, element, reason, advice
        where = file if line is None else f"{file}, line {line}"
        what = f", element {element}" if element else ""
        super().__init__(f"{where}{what}: {reason}; {advice}")

    def __reduce__(self) -> tuple[type["MetadataError"], tuple[str, int | None, str, str, str]]:
        return type(self), (self.file, self.line, self.element, self.reason, self.advice)


class DocumentTypeRefused(MetadataError):
    """Raised when the file declares a DOCTYPE: entities could read local files, call hosts or exhaust memory."""


class IllFormedXml(MetadataError):
    """Raised when the file is empty, is no XML, or breaks off in the middle."""


class WrongRoot(MetadataError):
    """Raised when the root element is not the one that the file must have (an HTML page, for example)."""


class InvalidMetadata(MetadataError):
    """Raised for a defect in well-formed metadata, and only when the policy says ``refuse`` (see ``odata.csdl_policy``)."""


class CallError(ODataError):
    """A request without a usable result. ``request`` is method and path; no header, token or body is ever in the text."""

    def __init__(self, request: str, reason: str) -> None:
        self.request, self.reason = request, reason
        super().__init__(f"{request}: {reason}")

    def __reduce__(self) -> tuple[type["CallError"], tuple[object, ...]]:
        return type(self), (self.request, self.reason)


class NotApproved(CallError):
    """Raised before anything is sent, when the bytes of a write are not those that its approval bound."""


class Retryable(CallError):
    """Nothing took effect: the same request may be sent again."""


class NotSent(Retryable):
    """Raised when no connection came about, so that not one byte of the request left."""


class NoAnswer(Retryable):
    """Raised for a read that got no answer in time."""


class Busy(Retryable):
    """Raised for 429 and 503. ``retry_after`` is in seconds; None when the service names no time."""

    def __init__(self, request: str, status: int, retry_after: float | None) -> None:
        self.status, self.retry_after = status, retry_after
        wait = "" if retry_after is None else f", retry after {retry_after:g} s"
        super().__init__(request, f"the service is busy ({status}{wait})")

    def __reduce__(self) -> tuple[type["Busy"], tuple[object, ...]]:
        return type(self), (self.request, self.status, self.retry_after)


class OutcomeUnknown(CallError):
    """Raised for a write that left and got no readable answer. ``status`` when a gateway or the service sent one."""

    def __init__(self, request: str, reason: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(request, f"outcome unknown, {reason}: look the write up, do not repeat it")
        self.reason = reason

    def __reduce__(self) -> tuple[type["OutcomeUnknown"], tuple[object, ...]]:
        return type(self), (self.request, self.reason, self.status)


class LoginRequired(CallError):
    """Raised for 401, redirects and HTML in place of an answer: the credentials are missing, wrong or expired."""


class TokenRefused(CallError):
    """Raised when the service asks for a CSRF token again right after it issued one."""


class AnswerTooLarge(CallError):
    """Raised when one answer has more bytes than the caller allows."""


class UnreadableAnswer(CallError):
    """Raised for a successful status whose body is no OData of the version."""


class ForeignLink(CallError):
    """Raised when a next link leads to another origin: credentials are never sent there."""


class AmbiguousLookUp(CallError):
    """Raised when a look-up that must name one entity found several."""


class ServiceError(CallError):
    """Raised for an error answer. ``body`` holds code, message, target and details of whatever shape was sent."""

    def __init__(self, request: str, status: int, body: ErrorBody) -> None:
        self.status, self.body = status, body
        super().__init__(request, f"status {status}, {body.summary()}")

    def __reduce__(self) -> tuple[type["ServiceError"], tuple[object, ...]]:
        return type(self), (self.request, self.status, self.body)


class NotFound(ServiceError):
    """Raised for 404 and 410."""


class PreconditionFailed(ServiceError):
    """Raised for 412: the entity is not the one whose ETag was sent. A fresh review follows."""


class PreconditionRequired(ServiceError):
    """Raised for 428: the service changes entities only with If-Match."""
