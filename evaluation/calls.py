"""Judges call cases: ``python -m evaluation.calls FILE --metadata DIR [--codes CSV] [--required CSV] --json OUT``.

A case is right when the verdict equals ``want`` (undecided counts as valid) and, for an invalid call, one of the findings
names one of its ``rules`` at its ``pointer``. Exit code 1 when any case is wrong.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from graph.errors import GraphError
from graph.ingest import ingest
from graph.reader import open_snapshot
from odata.validation import Validator, compile_validator, unknown_endpoint, verb_of
from wire.call import ProposedCall, Verdict
from wire.endpoint import EndpointContract, Verb

_NEEDED = ("id", "method", "service", "endpoint", "want")


class ContractSource(Protocol):
    """Where contracts come from: a snapshot of the graph."""

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        """The contract of one endpoint and verb; KeyError when the service has no such endpoint."""


class Judge:
    """Validates cases against contracts, compiling each validator once."""

    def __init__(self, source: ContractSource, endpoints: Iterable[tuple[str, str]]) -> None:
        self._source = source
        self._endpoints: dict[str, list[str]] = {}
        for service, endpoint in endpoints:
            self._endpoints.setdefault(service, []).append(endpoint)
        self._validators: dict[tuple[str, str, Verb], Validator] = {}

    def verdict(self, call: ProposedCall) -> Verdict:
        """The verdict on one call."""
        known = self._endpoints.get(call.service, [])
        if call.endpoint not in known:
            bound = [name for name in known if "." in name]
            sets = [name for name in known if "." not in name]
            contracts = (self._source.contract(call.service, name, Verb.READ) for name in sets)
            return unknown_endpoint(call, sets, bound, contracts)
        key = (call.service, call.endpoint, verb_of(call.method))
        if key not in self._validators:
            self._validators[key] = compile_validator(self._source.contract(*key))
        return self._validators[key].validate(call)


def judge_case(case: dict[str, Any], verdict: Verdict) -> dict[str, Any] | None:
    """What is wrong about the verdict on a case, or None."""
    got = "invalid" if verdict.kind == "invalid" else "valid"
    rules, pointer = case.get("rules") or (), case.get("pointer")
    named = any(f.rule in rules and f.pointer == pointer for f in verdict.findings)
    if got == case["want"] and (got == "valid" or named):
        return None
    findings = [f.model_dump(mode="json") for f in verdict.findings]
    want = {"verdict": case["want"], "rules": rules, "pointer": pointer}
    return {"id": case["id"], "want": want, "got": got, "findings": findings}


def read_cases(file: Path) -> list[dict[str, Any]]:
    """The cases of a JSON lines file; decimals keep their digits. Raises ValueError naming file and line."""
    cases: list[dict[str, Any]] = []
    # Not splitlines: JSON strings may hold the line separators that it splits at.
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").split("\n"), 1):
        if line.strip():
            try:
                cases.append(_checked(json.loads(line, parse_float=Decimal)))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{file}, line {number}: {error}; write one case a line") from error
    return cases


def _checked(case: Any) -> dict[str, Any]:
    lacking = [name for name in _NEEDED if not isinstance(case, dict) or name not in case]
    if lacking:
        raise ValueError(f"no call case, it lacks {', '.join(lacking)}")
    if case["want"] not in ("valid", "invalid"):
        raise ValueError(f"want is {case['want']!r}, neither valid nor invalid")
    call_of(case)
    found: dict[str, Any] = case
    return found


def call_of(case: dict[str, Any]) -> ProposedCall:
    """The call of a case."""
    names = ("method", "service", "endpoint", "key", "path", "query", "payload")
    return ProposedCall.model_validate({name: case.get(name) for name in names})


def evaluate(cases: Sequence[dict[str, Any]], judge: Judge) -> dict[str, Any]:
    """``cases, right, wrong`` over all cases."""
    wrong = [w for case in cases if (w := judge_case(case, judge.verdict(call_of(case)))) is not None]
    return {"cases": len(cases), "right": len(cases) - len(wrong), "wrong": wrong}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Prints one line for people; the details stand in OUT."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.calls", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("file", type=Path, help="JSON lines of call cases")
    parser.add_argument(
        "--metadata", type=Path, required=True, help="folder of EDMX files; a service is named by its stem"
    )
    parser.add_argument("--codes", type=Path, help="code lists (codes.csv)")
    parser.add_argument("--required", type=Path, help="required on create (required.csv)")
    parser.add_argument("--json", type=Path, required=True, help="where the result goes")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except (ValueError, GraphError, OSError) as error:
        print(f"evaluation.calls: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    cases = read_cases(options.file)
    wanted = {case["service"] for case in cases}
    sources = [path for path in sorted(options.metadata.iterdir()) if path.stem in wanted]
    sources += [path for path in (options.codes, options.required) if path is not None]
    with tempfile.TemporaryDirectory(prefix="calls-") as folder:
        ingest(sources, Path(folder))
        snapshot = open_snapshot(Path(folder))
        result = evaluate(cases, Judge(snapshot, ((e.service, e.endpoint) for e in snapshot.endpoints())))
    # Encoded first: a result that cannot be written leaves the old one as it is.
    written = json.dumps(result, indent=2, ensure_ascii=False, default=str).encode()
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_bytes(written)
    print(f"{result['right']} of {result['cases']} cases right")
    return 0 if not result["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main())
