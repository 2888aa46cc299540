"""Canonical JSON (RFC 8785) and digests over it: the one way anything here is hashed."""

import hashlib
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """RFC 8785 bytes of a JSON value. Raises ``rfc8785.CanonicalizationError`` for what JSON cannot hold."""
    return rfc8785.dumps(value)


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 lower-case hex characters."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 (hex) over the canonical JSON of ``value``."""
    return sha256_hex(canonical_json(value))
