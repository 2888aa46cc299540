"""Random query options ($filter, $orderby, $select, $expand): our verdict beside that of a server that reads and types them."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any
from urllib.parse import quote

from evaluation.differential.expressions import Expressions
from evaluation.differential.http_form import HttpCall
from evaluation.differential.samples import Sample
from evaluation.differential.targets import Target
from graph.reader import SnapshotReader
from odata.validation import compile_validator
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Restrictions, Verb

_SETS = 2
_SHOWN = 40
_SEED = 20_261_130


def compare_expressions(
    snapshot: SnapshotReader, services: Sequence[str], target: Target, count: int
) -> dict[str, Any]:
    """``cells``: how often both accept, both reject, or one does; the other lists hold what differs."""
    contracts = [c for name in services for c in _contracts(snapshot, name, target)]
    cells: Counter[str] = Counter()
    ours: list[dict[str, str]] = []
    theirs: list[dict[str, str]] = []
    for index, contract in enumerate(contracts if count else ()):
        share = count // len(contracts) + (index < count % len(contracts))
        validator = compile_validator(contract)
        for option, text in Expressions(contract, Random(_SEED + index)).options(share):
            call = ProposedCall(
                method="GET", service=contract.service, endpoint=contract.endpoint, query={option: text}
            )
            verdict = validator.validate(call)
            http = HttpCall("GET", contract.endpoint, f"{quote(option, safe='$')}={quote(text, safe='')}")
            answer = target.ask(Sample(0, 0, "valid", "", "", call, contract), http)
            accepted = verdict.kind != "invalid"
            cells[_cell(accepted, answer.opinion)] += 1
            where = {"at": f"{contract.service}/{contract.endpoint}", option: text}
            if not accepted and answer.opinion == "accepts":
                ours.append({**where, "we say": verdict.findings[0].message})
            elif accepted and answer.opinion == "rejects":
                theirs.append({**where, "it says": answer.text})
    return {"cells": dict(cells), "only_we_reject": ours[:_SHOWN], "only_the_target_rejects": theirs[:_SHOWN]}


def _cell(accepted: bool, opinion: str) -> str:
    if opinion == "silent":
        return "silent"
    if opinion == "accepts":
        return "both accept" if accepted else "only we reject"
    return "only the target rejects" if accepted else "both reject"


def _contracts(snapshot: SnapshotReader, service: str, target: Target) -> list[EndpointContract]:
    """Sets without restrictions of their own: no target knows annotations, and open types take any name."""
    found: list[EndpointContract] = []
    for item in snapshot.endpoints():
        if item.service != service or len(found) == _SETS:
            continue
        contract = snapshot.contract(service, item.endpoint, Verb.READ)
        if contract.kind != "EntitySet" or not target.hosts(service, contract.version):
            continue
        limits = contract.restrictions
        closed = not any(t.open for t in contract.types)
        free = limits == Restrictions(sources=limits.sources, draft=limits.draft, allowed=limits.allowed)
        if closed and free and contract.type(contract.entity_type) is not None:
            found.append(contract)
    return found
