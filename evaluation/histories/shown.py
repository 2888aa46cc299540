"""What a request mail shows to whoever reads it: its bytes, its deadline. Read with the standard library alone."""

import quopri
import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

ASKING = frozenset({"approval_request", "fresh_review_request"})
SHOWING = ASKING | {"approval_reminder", "clarification_request", "escalation_notice"}
TOKEN = re.compile(r"T(\d+)x(\d+)")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_LABEL = re.compile(r"^  (Request|Headers|Exact content): ?(.*)$")


@dataclass(frozen=True)
class Shown:
    """One mail of ours as its reader sees it. ``review`` is its reply address, which all copies of one review share."""

    message_id: str
    kind: str
    review: str
    deadline: datetime | None
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    content: str

    @property
    def token(self) -> str:
        """The name that the generator gave to the call: run and attempt."""
        found = TOKEN.search(self.content)
        return found[0] if found else ""

    @property
    def run(self) -> int:
        """The number of the run, -1 for a mail that shows no call."""
        found = TOKEN.search(self.content)
        return int(found[1]) if found else -1


@lru_cache(maxsize=4096)
def read_shown(raw: bytes) -> Shown:
    """The mail as shown. Raises ValueError for one that has no plain text first."""
    head, _, body = raw.partition(b"\r\n\r\n")
    unfolded = head.decode("ascii").replace("\r\n ", " ").replace("\r\n\t", " ")
    fields = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in unfolded.split("\r\n"))
    }
    kind = fields.get("countersign-message-type", "")
    lines = _labelled(_plain_text(fields, body)) if kind in SHOWING else {}
    method, _, target = lines.get("Request", "").partition(" ")
    until = fields.get("countersign-deadline", "")
    return Shown(
        message_id=fields.get("message-id", "").strip("<>"),
        kind=kind,
        review=fields.get("reply-to", "").partition("<")[2].strip("<> "),
        deadline=datetime.fromisoformat(until) if until else None,
        method=method,
        target=target,
        headers=_headers(lines.get("Headers", "")),
        content=_ESCAPE.sub(lambda found: chr(int(found[1], 16)), lines.get("Exact content", "").replace(" ", "")),
    )


def _plain_text(fields: dict[str, str], body: bytes) -> str:
    """The first part, which a reader without HTML sees."""
    boundary = fields["content-type"].partition('boundary="')[2].partition('"')[0].encode()
    first = body.split(b"--" + boundary)[1]
    heads, _, text = first.partition(b"\r\n\r\n")
    if b"text/plain" not in heads or b"quoted-printable" not in heads:
        raise ValueError(f"a mail of ours begins with another part than plain text: {heads[:80]!r}")
    return quopri.decodestring(text).decode("utf-8")


def _labelled(text: str) -> dict[str, str]:
    """The lines that show the exact request; a long one goes on below, further in."""
    found: dict[str, str] = {}
    label = ""
    for line in text.splitlines():
        begins = _LABEL.match(line)
        if begins:
            label = begins[1]
            found[label] = begins[2].strip()
        elif label and line.startswith("      "):
            found[label] = f"{found[label]} {line.strip()}".strip()
        else:
            label = ""
    return found


def _headers(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (piece.partition(":") for piece in text.split(";") if piece.strip())
    return tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)
