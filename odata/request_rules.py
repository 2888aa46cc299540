"""Rules about requests as they are sent, not about calls: headers and change sets (R53, R55, R57).

R54 (token and session belong together) cannot be seen in a request; ``odata.session`` keeps it.
"""

from collections.abc import Sequence

from odata.findings import Report
from wire.call import Finding, PreparedRequest
from wire.endpoint import EndpointContract

_CHANGES = frozenset({"PATCH", "MERGE", "PUT", "DELETE"})


def check_headers(request: PreparedRequest, contract: EndpointContract) -> tuple[Finding, ...]:
    """R53: If-Match where concurrency is controlled. R55: a body is JSON, and says so; version headers fit the service."""
    report = Report()
    headers = {name.lower(): value for name, value in request.headers}
    if contract.restrictions.concurrency and request.method in _CHANGES and "if-match" not in headers:
        report.add("R53", "/headers/If-Match", "this set controls concurrency: send the ETag that was read")
    media_type = headers.get("content-type", "").split(";", 1)[0]
    if request.body is not None and media_type != "application/json":
        report.add("R55", "/headers/Content-Type", "a body is application/json", media_type, ("application/json",))
    other = "dataserviceversion" if contract.version.startswith("4") else "odata-version"
    if other in headers:
        report.add("R55", f"/headers/{other}", f"the service speaks OData {contract.version}", headers[other])
    return tuple(report.findings)


def check_change_set(requests: Sequence[PreparedRequest], maximum: int | None = None) -> tuple[Finding, ...]:
    """R57: a change set holds writes only, of one service, no more than the service takes."""
    report = Report()
    for index, request in enumerate(requests):
        if request.method == "GET":
            report.add("R57", f"/{index}/method", "a change set holds writes only: read outside of it", request.method)
        if request.service != requests[0].service:
            report.add("R57", f"/{index}/service", "a change set goes to one service", request.service)
    if maximum is not None and len(requests) > maximum:
        report.add("R57", "", f"{len(requests)} requests, the service takes {maximum}", len(requests))
    return tuple(report.findings)
