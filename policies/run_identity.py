"""Deterministic identity: run ids, effect keys, and the ids that mail carries.

The run id is the Temporal workflow id and the checkpoint key. It covers the task key alone, never the policy version, so that
asking again after a change of policy is no second order.
"""

import base64
import hashlib
import re
from uuid import UUID, uuid5

from policies.canonical import canonical_json, digest
from wire.task import TaskRequest

RUN_ID = re.compile(r"run-[a-z2-7]{26}")
EFFECTS = UUID("6d0b6a53-3f0c-5b7e-9b53-0c1a6a5f2f11")


def _base32(data: bytes, length: int) -> str:
    return base64.b32encode(hashlib.sha256(data).digest()).decode("ascii").lower()[:length]


def request_digest(request: TaskRequest) -> str:
    """SHA-256 (hex) of what was asked, by whom, of whom: two requests under one key must agree in it."""
    return digest(
        {
            "approvers": sorted(request.approvers),
            "dry_run": request.dry_run,
            "goal": request.goal,
            "requester": request.requester,
            "services": sorted(request.services),
        }
    )


def derive_run_id(request: TaskRequest) -> str:
    """``run-`` + 26 base32 characters over the caller's key, or else over the request itself."""
    key = {"key": request.key} if request.key is not None else {"request": request_digest(request)}
    return "run-" + _base32(canonical_json(key), 26)


def effect_key(run_id: str, step: int, review: int, kind: str, call_digest: str) -> str:
    """``run_id/step/review/kind/digest``: names one effect, and no other call can ever share it."""
    return f"{run_id}/{step}/{review}/{kind}/{call_digest}"


def repeatability_id(key: str) -> UUID:
    """UUIDv5 of an effect key, sent as ``Repeatability-Request-ID`` (OASIS Repeatable Requests 1.0)."""
    return uuid5(EFFECTS, key)


def opaque_id(epoch: str, run_id: str, step: int, review: int, call_digest: str) -> str:
    """26 base32 characters that say *which request*, never who; lower case, because gateways fold the local part."""
    return _base32(canonical_json([epoch, run_id, step, review, call_digest]), 26)


def message_id(epoch: str, key: str, addressee: int, domain: str) -> str:
    """Message-ID (without angle brackets, RFC 5322 3.6.4) of one copy of one mail of ours."""
    return f"{uuid5(EFFECTS, f'{epoch}/{key}')}.{addressee}@{domain}"


def person_token(epoch: str, person: str) -> str:
    """What stands for a person in search attributes, which no codec encrypts."""
    return "p-" + _base32(canonical_json([epoch, person]), 10)
