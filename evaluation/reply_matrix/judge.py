"""Writes the generated cases in the form of a folder of reply cases, has them judged, and counts by group."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scipy.stats import beta

from evaluation.replies import judge_folder
from evaluation.reply_matrix.answers import approvals, commented, near_misses, rejections
from evaluation.reply_matrix.automatic import automatic
from evaluation.reply_matrix.case import Case
from evaluation.reply_matrix.forgeries import forgeries
from evaluation.reply_matrix.genuine import again, delegated, genuine
from evaluation.reply_matrix.html_tricks import html_tricks
from evaluation.reply_matrix.interfaces import foreign_menus
from evaluation.reply_matrix.wordless import wordless
from evaluation.reply_matrix.words import languages

COUNTED = ("accepted", "late")
"""Outcomes in which a mail was believed and read as a YES."""


def all_cases() -> tuple[Case, ...]:
    """Every generated case, named once."""
    sources = (
        approvals(),
        rejections(),
        commented(),
        near_misses(),
        html_tricks(),
        wordless(),
        foreign_menus(),
        automatic(),
        forgeries(),
        genuine(),
        delegated(),
        again(),
    )
    cases = {case.name: case for source in sources for case in source}
    return tuple(cases.values())


def write_cases(folder: Path, cases: Iterable[Case]) -> None:
    """``*.eml``, ``context.json`` and ``expected.tsv``, as ``evaluation.replies`` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = tuple(cases)
    lines = ["file\twant\tshows"]
    for case in cases:
        (folder / f"{case.name}.eml").write_bytes(case.raw)
        lines.append(f"{case.name}\t{'|'.join(case.want)}\t{' '.join(case.shows.split())}")
    (folder / "expected.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    overrides = {case.name: case.override for case in cases if case.override}
    (folder / "context.json").write_text(json.dumps(world() | {"cases": overrides}, indent=1), encoding="utf-8")


def world() -> dict[str, Any]:
    """Two open requests of two runs, one approver, all languages."""
    common = {"review": 0, "requester": "rita@corp.example", "approvers": ["ann@corp.example"]}
    return {
        "requests": [
            {
                "run_id": "r-7f3a", "step": 2, **common, "address": "approvals+r-7f3a.s2.n9Qk4@agent.example",
                "ref": "r-7f3a.s2.n9Qk4", "message_id": "<req.r-7f3a.s2@agent.example>",
                "sent_at": "2026-11-02T08:00:00Z", "deadline": "2026-11-02T16:00:00Z",
            },
            {
                "run_id": "r-0001", "step": 1, **common, "address": "approvals+r-0001.s1.k2Lm8@agent.example",
                "ref": "r-0001.s1.k2Lm8", "message_id": "<req.r-0001.s1@agent.example>",
                "sent_at": "2026-11-02T07:30:00Z", "deadline": "2026-11-02T15:30:00Z",
            },
        ],
        "trust": {"authserv_id": "mx.agent.example"},
        "received_at": "2026-11-02T08:15:05Z",
        "languages": [words.language for words in languages()],
    }  # fmt: skip


def judge(folder: Path, cases: Iterable[Case]) -> dict[str, Any]:
    """Judge a folder written from ``cases``; counts by group with 95 % upper bounds, and every case that is not as wanted."""
    cases = tuple(cases)
    outcomes = judge_folder(folder)["cases"]
    assert isinstance(outcomes, dict)
    got = {case.name: outcomes[case.name] for case in cases}
    wrong = [
        {"case": c.name, "want": list(c.want), **got[c.name], "shows": c.shows}
        for c in cases
        if got[c.name]["outcome"] not in c.want
    ]
    return {"groups": {name: _count(name, cases, got) for name in _groups(cases)}, "wrong": wrong}


def _groups(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(case.group for case in cases))


def _count(group: str, cases: Iterable[Case], got: dict[str, dict[str, str]]) -> dict[str, Any]:
    own = [case for case in cases if case.group == group]
    right = sum(1 for case in own if got[case.name]["outcome"] in case.want)
    believed = sum(1 for case in own if got[case.name]["outcome"] in COUNTED and not set(case.want) & set(COUNTED))
    return {
        "cases": len(own),
        "right": right,
        "wrongly_believed": believed,
        "upper_95": upper_bound(believed, len(own)),
    }


def upper_bound(events: int, trials: int) -> float:
    """Clopper-Pearson, one-sided 95 %: the rate that the true one does not exceed."""
    return 1.0 if events >= trials else float(beta.ppf(0.95, events + 1, trials - events))
