"""What approvers do not see in full: values that the policy's masks name, wherever a mail would repeat them. Pure.

The digest and the request keep the real values; only what people read is masked.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from wire.approval import MailContent
from wire.call import PreparedRequest, ProposedCall
from wire.policy import Mask, Policy

DOTS = "••••"
SHORTEST = 4
"""Shorter values are hidden where they stand, but not looked for in other text: "12" is in every sentence."""
_LEAST_FOR_LAST4 = 8
_GAP = r"[\W_]{0,3}"
_FRACTION = re.compile(r"-?\d+\.\d+")
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_LITERAL = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?<=[(,=])(?P<bare>[^'(),=]+)(?=[),])")
"""A key in an OData address, decoded: a quoted string (with or without a type before it), or a number and the like."""


@dataclass(frozen=True)
class Secret:
    """A value that a mask hides, and what is shown instead."""

    mask: str
    value: str
    shown: str


@dataclass(frozen=True)
class Masks:
    """The masks that a policy puts on one endpoint."""

    items: tuple[Mask, ...]

    def __bool__(self) -> bool:
        return bool(self.items)

    def over(self, path: str) -> Mask | None:
        """The first mask whose patterns name that property path (``to_Accounts.IBAN``), or its last name alone."""
        names = (path, path.rpartition(".")[2], f".{path}")
        return next((m for m in self.items if any(fnmatchcase(n, p) for n in names for p in m.properties)), None)

    def hide(self, value: Any, path: str = "") -> Any:
        """The same JSON value with what is masked replaced."""
        return self._walk(value, path, None)[0]

    def secrets(self, value: Any, path: str = "") -> Iterator[Secret]:
        """The masked values in it."""
        yield from self._walk(value, path, None)[1]

    def _walk(self, value: Any, path: str, above: Mask | None) -> tuple[Any, list[Secret]]:
        mask = (self.over(path) if path else None) or above
        if isinstance(value, Mapping):
            walked = {k: self._walk(v, _below(path, k, v), mask) for k, v in value.items()}
            return {k: shown for k, (shown, _) in walked.items()}, [s for _, found in walked.values() for s in found]
        if isinstance(value, list | tuple):
            rows = [self._walk(item, path, mask) for item in value]
            return [shown for shown, _ in rows], [s for _, found in rows for s in found]
        if mask is None or value is None or value == "" or isinstance(value, bool):
            return value, []
        secret = Secret(mask.id, str(value), _shown(str(value), mask))
        return secret.shown, [secret]


def masks_of(policy: Policy, service: str, endpoint: str) -> Masks:
    """The masks of the policy for that endpoint."""
    fits = [
        mask
        for mask in policy.masks
        if any(fnmatchcase(service, p) for p in mask.services) and any(fnmatchcase(endpoint, p) for p in mask.endpoints)
    ]
    return Masks(tuple(fits))


def secrets_of_call(policy: Policy, call: ProposedCall) -> tuple[Secret, ...]:
    """What is masked of a call's key and payload."""
    masks = masks_of(policy, call.service, call.endpoint)
    return tuple(s for part in (call.key, call.payload) if part for s in masks.secrets(part))


def secrets_of_answer(policy: Policy, call: ProposedCall | None, data: Any) -> tuple[Secret, ...]:
    """What is masked of the rows that a call has read."""
    return tuple(masks_of(policy, call.service, call.endpoint).secrets(data)) if call is not None else ()


def hidden_answer(policy: Policy, call: ProposedCall | None, data: Any) -> Any:
    """The rows that a call has read, as people may see them."""
    return masks_of(policy, call.service, call.endpoint).hide(data) if call is not None else data


def masked_call(masks: Masks, call: ProposedCall) -> ProposedCall:
    """The call as people may see it."""
    parts = {name: masks.hide(part) for name in ("key", "payload") if (part := getattr(call, name))}
    return call.model_copy(update=parts) if masks else call


def masked_request(masks: Masks, request: PreparedRequest, secrets: Iterable[Secret]) -> PreparedRequest:
    """The request as people may see it: its body masked by path, its address and headers by value."""
    found = tuple(secrets)
    if not masks or not found:
        return request
    body = request.body
    if body is not None:
        try:
            body = _written(masks.hide(json.loads(body, parse_float=_Number, parse_int=_Number)))
        except ValueError:
            body = scrub(body, found)
    # Written in ASCII there: this stands in a block that escapes all else.
    body = body.replace(DOTS, "****") if body is not None else None
    headers = tuple((name, scrub(value, found)) for name, value in request.headers)
    return request.model_copy(update={"path": _address(request.path, found), "headers": headers, "body": body})


def scrub(text: str, secrets: Iterable[Secret]) -> str:
    """Text of the agent or of a person in which masked values are hidden too, however blanks, points and hyphens group them."""
    for secret in _longest_first(secrets):
        number = _FRACTION.fullmatch(secret.value) is not None
        plain = re.sub(r"[\W_]+", "", secret.value.rstrip("0") if number else secret.value)
        if len(plain) >= SHORTEST:
            spelled = _GAP.join(re.escape(char) for char in plain)
            # 10043.6 and 10,043.60 are one number.
            spelled += f"(?:{_GAP}0+)?" if number else ""
            text = re.sub(
                rf"(?<![^\W_]){spelled}(?![^\W_])", secret.shown.replace("\\", r"\\"), text, flags=re.IGNORECASE
            )
    return text


def _address(path: str, secrets: Iterable[Secret]) -> str:
    """The address of a request with masked keys hidden: whole literals of any length, longer values wherever they stand.

    It is shown decoded where it hides something: percent-encoding would leave to be read what is looked for in plain.
    """
    known = tuple(secrets)
    shown = {secret.value: secret.shown for secret in known}

    def hide(found: re.Match[str]) -> str:
        quoted, bare = found["quoted"], found["bare"]
        value = bare if quoted is None else quoted.replace("''", "'")
        told = shown.get(value, shown.get(value.rstrip("MmLlDdFf")) if quoted is None else None)
        return found[0] if told is None else told if quoted is None else f"'{told}'"

    plain = _ENCODED.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), path)
    text = _LITERAL.sub(hide, plain)
    for secret in _longest_first(known):
        text = text.replace(secret.value, secret.shown) if len(secret.value) >= SHORTEST else text
    text = scrub(text, known)
    return path if text == plain else text


def _longest_first(secrets: Iterable[Secret]) -> list[Secret]:
    return sorted(set(secrets), key=lambda s: (-len(s.value), s.value))


def with_masks_named(content: MailContent, secrets: Iterable[Secret]) -> MailContent:
    """The mail says which masks hid something of it."""
    said = content.model_dump_json()
    names = tuple(dict.fromkeys(secret.mask for secret in secrets if secret.shown in said))
    return content.model_copy(update={"masked": names}) if names else content


def _below(path: str, name: str, value: Any) -> str:
    """OData V2 wraps the rows of a navigation into ``results``, which is no property."""
    if path and name == "results" and isinstance(value, list):
        return path
    return f"{path}.{name}" if path else name


def _shown(value: str, mask: Mask) -> str:
    return f"{DOTS} {value[-4:]}" if mask.show == "last4" and len(value) >= _LEAST_FOR_LAST4 else DOTS


class _Number(str):
    """A JSON number with its own digits."""


def _written(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{_written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
