"""The table: rule by target, and every difference with an example and the specification that decides it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from evaluation.differential.http_form import http_call
from evaluation.differential.matrix import Judged
from evaluation.differential.targets import Target
from odata.rules import RULES

CELLS = ("both reject", "both accept", "only we reject", "only the target rejects")
CODES = ("R25", "R26", "R27", "R28")


def report_of(judged: Sequence[Judged], targets: Sequence[Target], absent: Sequence[str]) -> dict[str, Any]:
    """The result as it is written. ``wrong_accepts`` and ``wrong_refusals`` are to be empty."""
    mutants = [j for j in judged if j.sample.kind == "mutant"]
    valid = [j for j in judged if j.sample.kind != "mutant"]
    return {
        "targets": [target.about for target in targets],
        "absent": list(absent),
        "services": len({j.sample.call.service for j in judged}),
        "valid": sum(j.sample.kind == "valid" for j in judged),
        "neighbours": sum(j.sample.kind == "neighbour" for j in judged),
        "mutants": len(mutants),
        "mutants_judged": sum(bool(_outside(j)) for j in mutants),
        "mutants_refused": sum(not j.accepted for j in mutants),
        "rule_named": sum(j.named for j in mutants),
        "table": list(_table(mutants, targets)),
        "table_of_valid": list(_table(valid, targets)),
        "wrong_accepts": [_shown(j) for j in mutants if _wrongly_accepted(j)],
        "accepted_mutants": [_shown(j) for j in mutants if j.accepted and not _wrongly_accepted(j)],
        "wrong_refusals": [_shown(j) for j in valid if _wrongly_refused(j)],
        "refused_valid": [_shown(j) for j in valid if not j.accepted and not _wrongly_refused(j)],
        "valid_only_targets_reject": _grouped(valid, targets, "only the target rejects"),
        "only_we_reject": _grouped(mutants, targets, "only we reject"),
        "not_named": [_shown(j) for j in mutants if not j.accepted and not j.named],
        "codes": f"{', '.join(CODES)}: no target knows code lists; our own mutants and the call cases judge them alone",
    }


def _outside(judged: Judged) -> dict[str, str]:
    """Opinions of programs that we did not write."""
    return {name: answer.opinion for name, answer in judged.answers.items() if name != "embedded"}


def _wrongly_accepted(judged: Judged) -> bool:
    return judged.accepted and "rejects" in {answer.opinion for answer in judged.answers.values()}


def _wrongly_refused(judged: Judged) -> bool:
    opinions = {answer.opinion for answer in judged.answers.values()}
    return not judged.accepted and opinions == {"accepts"}


def _table(judged: Iterable[Judged], targets: Sequence[Target]) -> Iterable[dict[str, Any]]:
    rows: dict[tuple[str, str], Counter[str]] = {}
    for item in judged:
        for name in item.answers:
            rows.setdefault((item.sample.rule or "valid", name), Counter())[item.cell(name)] += 1
    order = {target.name: index for index, target in enumerate(targets)}
    for (rule, name), counts in sorted(rows.items(), key=lambda row: (row[0][0], order[row[0][1]])):
        yield {"rule": rule, "target": name, **{cell: counts[cell] for cell in CELLS}}


def _grouped(judged: Iterable[Judged], targets: Sequence[Target], cell: str) -> list[dict[str, Any]]:
    """Differences by rule, reason and target, each with one example."""
    groups: dict[tuple[str, str, str], list[Judged]] = {}
    for item in judged:
        for name in item.answers:
            if item.cell(name) == cell:
                why = "".join(c for c in item.sample.why if not c.isdigit())
                groups.setdefault((item.sample.rule, why, name), []).append(item)
    return [
        {
            "rule": rule,
            "why": why,
            "target": name,
            "count": len(items),
            "source": RULES[rule].source if rule in RULES else "",
            "example": _shown(items[0]),
        }
        for (rule, why, name), items in sorted(groups.items(), key=lambda group: group[0])
    ]


def _shown(judged: Judged) -> dict[str, Any]:
    sample = judged.sample
    http = http_call(sample.contract, sample.call)
    return {
        "sample": sample.number,
        "call": sample.label,
        "rule": sample.rule,
        "pointer": sample.pointer,
        "why": sample.why,
        "request": f"{http.method} {http.path}?{http.query}"[:300],
        "body": http.body.decode()[:600],
        "findings": [f"{f.rule} {f.pointer}: {f.message}" for f in judged.findings][:4],
        "answers": {name: f"{a.opinion} {a.status} {a.text}"[:300] for name, a in judged.answers.items()},
    }


def table_text(rows: Sequence[dict[str, Any]]) -> str:
    """The table as Markdown."""
    lines = ["| rule | target | " + " | ".join(CELLS) + " |", "|---|---|" + "---:|" * len(CELLS)]
    lines += [f"| {r['rule']} | {r['target']} | " + " | ".join(str(r[c]) for c in CELLS) + " |" for r in rows]
    return "\n".join(lines)
