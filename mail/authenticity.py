"""Is the sender who they say? (design.md, check 2.) Believes what the trust profile of the mailbox names, and nothing else.

Raw message in, ``wire.mail.Authenticity`` out. Every doubt is a refusal that says which. The one thing asked of the outside
is DNS, by the ``resolve`` that is given, and only under the profile that verifies signatures here.
"""

import re

from mail.auth_results import AuthResults, Result, ResultsError, parse_nameless_results, parse_results
from mail.automatic import through_list
from mail.dkim_check import Resolve, no_dns, signature_tags, verified_domain
from mail.headers import Headers, read_headers, strip_quoted
from mail.received import intranet_fault
from wire.mail import Authenticity
from wire.policy import TrustProfile

_ADDR_SPEC = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_SINGLE = ("from", "sender", "message-id", "date", "subject", "in-reply-to", "references", "reply-to")


def check_authenticity(raw: bytes, trust: TrustProfile, resolve: Resolve = no_dns) -> Authenticity:
    """Judge ``raw`` (a whole message or, when it is not read, its header section). ``resolve`` answers TXT records."""
    headers = read_headers(raw)
    address, fault = _author(headers)
    if address is None:
        return _refused(None, fault)
    fault = _header_fault(headers, address)
    if fault:
        return _refused(address, fault)
    if trust.mode == "closed":
        return _within(headers, address, trust)
    if trust.mode == "microsoft365":
        return _by_microsoft(headers, address, trust)
    if trust.mode == "dkim":
        return _by_signature(raw, headers, address, trust, resolve)
    return _by_results(headers, address, trust)


def _within(headers: Headers, address: str, trust: TrustProfile) -> Authenticity:
    """Of a closed intranet: where networks are named, our own server must have taken the mail from an address in them."""
    if not trust.networks and not trust.receiver:
        return Authenticity(authenticated=True, address=address, method="closed mailbox")
    fault = intranet_fault(headers, trust.receiver, trust.networks)
    if fault:
        return _refused(address, fault)
    return Authenticity(authenticated=True, address=address, method=f"closed intranet (by {trust.receiver})")


def _by_signature(raw: bytes, headers: Headers, address: str, trust: TrustProfile, resolve: Resolve) -> Authenticity:
    """A signature of the author's own domain, or of one that policy names for it, that verifies here."""
    domain = address.rpartition("@")[2]
    allowed = {domain, *(name.lower() for name in trust.dkim_domains)}
    signer, fault = verified_domain(raw, headers, allowed, resolve)
    if signer is None:
        return _refused(address, fault)
    return Authenticity(authenticated=True, address=address, method=f"dkim verified here ({signer})")


def _by_microsoft(headers: Headers, address: str, trust: TrustProfile) -> Authenticity:
    """Exchange Online renames foreign results and removes ``X-MS-Exchange-Organization-*`` of others at its border."""
    results: list[tuple[Result, ...]] = []
    for value in headers.all("authentication-results"):
        try:
            results.append(parse_nameless_results(value))
        except ResultsError:
            continue
    if len(results) > 1:
        return _refused(address, "more than one Authentication-Results without authserv-id")
    if _is_internal(headers, trust):
        return Authenticity(authenticated=True, address=address, method="sent within the tenant")
    if not results:
        return _refused(address, "no Authentication-Results of Exchange Online")
    return _by_methods(results[0], address, trust)


def _is_internal(headers: Headers, trust: TrustProfile) -> bool:
    if not trust.tenant_id:
        return False
    wanted = {
        "x-ms-exchange-organization-authas": "internal",
        "x-ms-exchange-crosstenant-authas": "internal",
        "x-ms-exchange-crosstenant-id": trust.tenant_id.lower(),
    }
    return all(tuple(v.strip().lower() for v in headers.all(name)) == (value,) for name, value in wanted.items())


def _refused(address: str | None, reason: str) -> Authenticity:
    return Authenticity(authenticated=False, address=address, reason=reason)


def _author(headers: Headers) -> tuple[str | None, str]:
    """The one addr-spec of the one From field, lower case; a display name is never looked at."""
    fields = headers.all("from")
    if len(fields) != 1:
        return None, "no From" if not fields else "more than one From"
    address = _single_address(fields[0])
    return (address, "") if address else (None, "From is not exactly one plain address")


def _single_address(value: str) -> str | None:
    """The address of a field that holds one mailbox (RFC 5322, 3.4), None when anything about it is ambiguous."""
    if any(ord(char) < 32 or "\ud800" <= char <= "\udfff" for char in value):
        return None
    bare = strip_quoted(value).strip()
    if "<" in bare or ">" in bare:
        found = re.fullmatch(r"[^<>@,;:]*<([^<>]*)>", bare)
        bare = found[1].strip() if found else ""
    found = _ADDR_SPEC.fullmatch(bare)
    return found[0].lower() if found and ".." not in bare else None


def _header_fault(headers: Headers, address: str) -> str:
    """What about the header section forbids believing it, an empty string if nothing does."""
    doubled = next((name for name in _SINGLE if len(headers.all(name)) > 1), None)
    if doubled:
        return f"more than one {doubled} header"
    if headers.defects:
        return "a header line is malformed"
    for name in ("sender", "resent-from", "resent-sender"):
        others = headers.all(name)
        if any(_single_address(other) != address for other in others):
            return f"{name} is not the From address"
    if through_list(headers):
        return "came through a mailing list"
    return _signature_fault(headers, address.rpartition("@")[2])


def _signature_fault(headers: Headers, domain: str) -> str:
    """A DKIM signature of the author's domain that leaves From or the end of the body open proves nothing (RFC 6376, 8.2)."""
    for value in headers.all("dkim-signature"):
        tags = signature_tags(value)
        if not _aligned(tags.get("d", ""), domain):
            continue
        if "l" in tags:
            return "the DKIM signature covers only a part of the body (l=)"
        if "from" not in tags.get("h", "").lower().split(":"):
            return "the DKIM signature does not cover From"
    return ""


def _aligned(signer: str, domain: str) -> bool:
    """Same domain, or the signer is a parent of it with at least two labels."""
    signer = signer.lower().rstrip(".")
    return bool(signer) and (signer == domain or (signer.count(".") >= 1 and domain.endswith(f".{signer}")))


def _by_results(headers: Headers, address: str, trust: TrustProfile) -> Authenticity:
    if not trust.authserv_id:
        return _refused(address, "the trust profile names no authserv-id")
    wanted = trust.authserv_id.lower()
    own: list[AuthResults] = []
    for value in headers.all("authentication-results"):
        try:
            results = parse_results(value)
        except ResultsError as error:
            if wanted in value.lower():
                return _refused(address, f"Authentication-Results that name our server are malformed: {error}")
            continue
        if results.authserv_id == wanted:
            own.append(results)
    if len(own) != 1:
        found = "no" if not own else "more than one"
        return _refused(address, f"{found} Authentication-Results of {trust.authserv_id}")
    return _by_methods(own[0].results, address, trust)


def _by_methods(results: tuple[Result, ...], address: str, trust: TrustProfile) -> Authenticity:
    """A pass of one trusted method aligned with From; an explicit DMARC fail beats any pass."""
    domain = address.rpartition("@")[2]
    dmarc = [result for result in results if result.method == "dmarc"]
    if len(dmarc) > 1 or any(result.value in {"fail", "permerror", "temperror"} for result in dmarc):
        return _refused(address, "our server says dmarc=" + ",".join(result.value for result in dmarc))
    for result in results:
        if result.method not in trust.methods or result.value != "pass":
            continue
        if result.method == "dmarc" and result.properties.get("header.from", "").lower().rstrip(".") == domain:
            return Authenticity(authenticated=True, address=address, method="dmarc")
        if result.method == "dkim" and _dkim_domain(result.properties) == domain:
            return Authenticity(authenticated=True, address=address, method="dkim")
        if result.method == "auth" and result.properties.get("smtp.auth", "").lower() == address:
            return Authenticity(authenticated=True, address=address, method="auth")
    stated = ", ".join(f"{result.method}={result.value}" for result in results) or "none"
    return _refused(address, f"no aligned pass of {' or '.join(trust.methods)} ({stated[:200]})")


def _dkim_domain(properties: dict[str, str]) -> str:
    return (
        properties.get("header.d", "").lower().rstrip(".") or properties.get("header.i", "").rpartition("@")[2].lower()
    )
