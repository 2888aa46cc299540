"""DKIM (RFC 6376) verified here: raw message and a resolver in, the domain that signed out.

A signature says that its domain saw these bytes, not where they were sent: so it must cover what tells one mail from
another (Message-ID, date, subject), or an old YES could be sent again to another request's address.
"""

from collections.abc import Callable, Collection

from mail.headers import Headers

Resolve = Callable[[str], bytes | None]
"""TXT record of a name, its strings joined; None when there is none. Raises OSError when no server answers."""

MUST_COVER = frozenset({"from", "subject", "date", "message-id"})
MOST_SIGNATURES = 5
SMALLEST_KEY = 1024


def no_dns(name: str) -> bytes | None:
    """For profiles that need no DNS."""
    raise OSError(f"no resolver is configured to ask for {name}")


def verified_domain(raw: bytes, headers: Headers, allowed: Collection[str], resolve: Resolve) -> tuple[str | None, str]:
    """The first of ``allowed`` (lower case) whose signature verifies; else None and why the nearest one does not."""
    fault = f"no DKIM signature of {' or '.join(sorted(allowed))}"
    for number, value in enumerate(headers.all("dkim-signature")[:MOST_SIGNATURES]):
        tags = signature_tags(value)
        domain = tags.get("d", "").lower().rstrip(".")
        if domain not in allowed:
            continue
        fault = _uncovered(tags) or _failed(raw, number, resolve)
        if not fault:
            return domain, ""
    return None, fault


def signature_tags(value: str) -> dict[str, str]:
    """Tag -> value of a DKIM-Signature field (RFC 6376, 3.2), white space removed."""
    pairs = (tag.partition("=") for tag in value.split(";"))
    return {name.strip().lower(): "".join(text.split()) for name, _, text in pairs}


def _uncovered(tags: dict[str, str]) -> str:
    if "l" in tags:
        return "the DKIM signature covers only a part of the body (l=)"
    if tags.get("a", "").lower() not in {"rsa-sha256", "ed25519-sha256"}:
        return f"the DKIM signature is of the kind {tags.get('a', '')[:20] or 'unnamed'}"
    missing = MUST_COVER - set(tags.get("h", "").lower().split(":"))
    return f"the DKIM signature does not cover {', '.join(sorted(missing))}" if missing else ""


def _failed(raw: bytes, number: int, resolve: Resolve) -> str:
    """Why signature ``number`` does not verify, an empty string when it does."""
    import dkim  # loads DNS and cryptography, which only this trust profile needs

    def txt(name: bytes, timeout: int = 5) -> bytes | None:
        return resolve(name.decode("ascii", "replace").rstrip("."))

    try:
        checked = dkim.DKIM(raw, minkey=SMALLEST_KEY)
        return "" if checked.verify(idx=number, dnsfunc=txt) else "the DKIM signature does not verify"
    except OSError as error:
        return f"DNS did not answer for the DKIM key: {error}"
    except (dkim.DKIMException, ValueError, TypeError, KeyError, IndexError) as error:
        return f"the DKIM signature does not verify: {error}"
