"""Errors of the OData part.

    ODataError
      MetadataError            a metadata file cannot be read at all
        DocumentTypeRefused    it declares a DOCTYPE
        IllFormedXml           it is no XML, or broken XML
        WrongRoot              it is XML, but no CSDL
        InvalidMetadata        a policy stricter than the default refuses a defect
"""

__all__ = ["DocumentTypeRefused", "IllFormedXml", "InvalidMetadata", "MetadataError", "ODataError", "WrongRoot"]


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
