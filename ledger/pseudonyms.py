"""What of an audit event may stay when its run is erased: technical facts as they are, people as pseudonyms, nothing else.

The public part is made when the event is written and is what its hash covers, beside a salted digest of the whole payload: so
an erasure only takes away, and can say nothing that the event did not say.
"""

from collections.abc import Mapping
from typing import Any

from policies.canonical import canonical_json, sha256_hex

PERSONS = frozenset(
    {
        "requester",
        "person",
        "principal",
        "approvers",
        "actor",
        "from",
        "to",
        "about",
        "settled_by",
        "votes",
        "lifted_by",
    }
)
"""Keys whose strings name people. Whatever stands under no key of these two sets is not public."""

TECHNICAL = frozenset(
    {
        "action", "brain", "call_digest", "cause", "clock", "closed_at", "content", "contents", "deadline",
        "details", "effect_key", "epoch", "evidence_id", "exchanges", "findings", "graph_hash", "how", "kind",
        "mail", "message_id", "message_ids", "message_type", "metadata_digest", "outcome", "policy_version",
        "received_at", "repeatability_id", "request_digest", "residues", "role", "rule_id", "runs", "settled", "state",
        "status", "temporal_run_id", "until",
    }
)  # fmt: skip
"""Keys whose strings are ids, digests, instants or words of our own. Numbers and truth values are public everywhere."""


def pseudonym(key: str, person: str) -> str:
    """Stands for a person in one run; who has not its key learns nothing from it but that two are the same or not."""
    return f"person-{sha256_hex(f'{key}/person/{person}'.encode('utf-8', 'backslashreplace'))[:20]}"


def public_part(payload: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The part of a payload that names nobody."""
    kept = {}
    for name, value in payload.items():
        if name in PERSONS:
            kept[name] = hide(value, key)
        elif name == "details" and isinstance(value, dict):
            kept[name] = public_part(value, key)
        elif name in TECHNICAL or isinstance(value, bool | int | float) or value is None:
            kept[name] = value
    return kept


def hide(value: Any, key: str) -> Any:
    """Every person in a value as a pseudonym; of a mapping they are the keys."""
    if isinstance(value, dict):
        return {pseudonym(key, name): held for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [hide(item, key) for item in value]
    return pseudonym(key, value) if isinstance(value, str) and value else value


def fits(public: Any, payload: Any, key: str) -> bool:
    """Whether a public part says nothing but what the payload says, whichever keys were public when it was made."""
    if isinstance(public, dict) and isinstance(payload, dict):
        known = payload | {pseudonym(key, name): held for name, held in payload.items()}
        return all(name in known and fits(held, known[name], key) for name, held in public.items())
    if isinstance(public, list) and isinstance(payload, list):
        return len(public) == len(payload) and all(fits(a, b, key) for a, b in zip(public, payload, strict=True))
    return bool(public == payload) or (isinstance(payload, str) and public == pseudonym(key, payload))


def whole_digest(key: str, seq: int, payload: Mapping[str, Any]) -> str:
    """Commits an event to its whole payload; salted, so that nobody finds out what was erased by trying."""
    return sha256_hex(canonical_json({"salt": key, "seq": seq, "payload": payload}))
