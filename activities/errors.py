"""Errors of the stages.

StageError
└── ServiceUnknown      no address is configured for a service
"""


class StageError(Exception):
    """Root of all errors that stages raise themselves."""


class ServiceUnknown(StageError):
    """Raised when settings hold no address for a service of the graph."""

    def __init__(self, service: str) -> None:
        super().__init__(f"no address for service {service}: set odata.base_url or odata.services.{service}.url")
