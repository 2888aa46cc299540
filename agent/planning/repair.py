"""Repair: what validation says of a call, applied to it where the answer is certain; anything else is asked."""

import copy
from collections.abc import Sequence
from typing import Any

from agent.planning.values import same
from wire.agent import Observation
from wire.call import Finding, ProposedCall


def findings_of(observation: Observation) -> tuple[Finding, ...]:
    """The findings in an observation's data, however they were laid out; what is none is left out."""
    data = observation.data
    rows = data.get("findings", [data]) if isinstance(data, dict) else data if isinstance(data, list) else []
    found = []
    for row in rows:
        if isinstance(row, dict) and {"rule", "pointer", "message"} <= set(row):
            known = {k: v for k, v in row.items() if k in Finding.model_fields and v is not None}
            found.append(Finding.model_validate(known))
    return tuple(found)


def repaired(call: ProposedCall, findings: Sequence[Finding], stated: Sequence[Any]) -> ProposedCall | None:
    """The call with every finding mended, or None when one of them needs a person.

    ``stated``: values that come from the goal. One of them is respelled at most (``or`` -> ``OR``, ``10`` -> ``000010``),
    never replaced and never dropped.
    """
    body = call.model_dump()
    for finding in findings:
        if not _mend(body, finding, stated):
            return None
    mended = ProposedCall.model_validate(body)
    return None if mended == call else mended


def _mend(body: dict[str, Any], finding: Finding, stated: Sequence[Any]) -> bool:
    parent, name = _locate(body, finding.pointer)
    if parent is None:
        return False
    present = parent.get(name) if isinstance(parent, dict) else None
    if not isinstance(parent, dict) or name not in parent:
        return False
    options = [finding.suggestion] if finding.suggestion else list(finding.allowed)
    spelled = [o for o in options if not isinstance(present, dict | list) and _respelled(o, present)]
    if len(spelled) == 1:
        parent[name] = spelled[0]
        return True
    if any(_respelled(s, present) for s in stated):
        return False
    if finding.pointer.startswith("/payload/") or finding.pointer.startswith("/query/"):
        del parent[name]
        return True
    return False


def _respelled(option: Any, present: Any) -> bool:
    return str(option).casefold() == str(present).casefold() or same(option, present)


def _locate(body: dict[str, Any], pointer: str) -> tuple[Any, str]:
    """Parent and last token of a JSON pointer (RFC 6901); (None, "") when the path is not there."""
    tokens = [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]
    here: Any = copy.copy(body)
    here = body
    for token in tokens[:-1]:
        if isinstance(here, dict) and token in here:
            here = here[token]
        elif isinstance(here, list) and token.isdigit() and int(token) < len(here):
            here = here[int(token)]
        else:
            return None, ""
    return (here, tokens[-1]) if tokens else (None, "")
