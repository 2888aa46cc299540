"""DKIM signatures under our own mail: the same bytes in, the same bytes out, so that a copy sent again is the same message."""

import base64
from collections.abc import Callable

import dkim
import dkim.crypto

from mail.errors import SigningError

Signer = Callable[[bytes], bytes]
SIGNED = ("from", "to", "subject", "date", "message-id", "reply-to", "in-reply-to", "references", "mime-version",
          "content-type", "auto-submitted")  # fmt: skip


class _Timeless(dkim.DKIM):  # type: ignore[misc]
    """Without the time of signing (``t=``, which RFC 6376 recommends but does not ask for): it would differ in every copy."""

    def gen_header(self, fields, *rest, **options):  # type: ignore[no-untyped-def]
        """The header of dkimpy without its ``t=`` field."""
        return super().gen_header([field for field in fields if field[0] != b"t"], *rest, **options)


def make_signer(domain: str, selector: str, private_key: bytes | None) -> Signer:
    """A signer for mail of ``domain``; ``private_key`` is RSA in PEM, None leaves mail as it is. Raises SigningError."""
    if private_key is None:
        return lambda raw: raw

    def sign(raw: bytes) -> bytes:
        names = {line.partition(b":")[0].strip().lower() for line in raw.partition(b"\r\n\r\n")[0].split(b"\r\n")}
        covered = [name.encode() for name in SIGNED if name.encode() in names]
        try:
            header = _Timeless(raw).sign(
                selector.encode(), domain.encode(), private_key, include_headers=[*covered, b"from"],
                canonicalize=(b"relaxed", b"relaxed"),
            )  # fmt: skip
        except dkim.DKIMException as error:
            raise SigningError(f"mail cannot be DKIM-signed for {domain}: {error}") from error
        return bytes(header) + raw

    sign(b"From: a@" + domain.encode() + b"\r\n\r\n\r\n")
    return sign


def publishes(record: bytes, private_key: bytes) -> bool:
    """Does a DKIM record (RFC 6376, 3.6.1) hold the public half of an RSA key in PEM?"""
    tags = dict(part.strip().partition("=")[::2] for part in record.decode("ascii", "replace").split(";"))
    try:
        given = dkim.crypto.parse_public_key(base64.b64decode("".join(tags.get("p", "").split())))
        own = dkim.crypto.parse_pem_private_key(private_key)
    except (dkim.crypto.UnparsableKeyError, ValueError):
        return False
    return (given["modulus"], given["publicExponent"]) == (own["modulus"], own["publicExponent"])
