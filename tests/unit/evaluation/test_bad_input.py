"""Commands of the evaluation given what they cannot use: one line, exit code 2, and what stood stays."""

from pathlib import Path

import pytest

from evaluation.calls import main as calls
from evaluation.fidelity.__main__ import main as fidelity
from evaluation.retrieval.bench import load_bench
from evaluation.retrieval.errors import BenchError

BAD_CASES = [
    "[]",
    "{",
    "[" * 100_000,
    '{"id": "a"}',
    '{"id": "a", "method": "ZZ", "service": "S", "endpoint": "E", "want": "valid"}',
]


@pytest.mark.parametrize("line", BAD_CASES)
def test_a_case_that_is_none_is_named_and_the_old_result_stays(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, out = tmp_path / "cases.jsonl", tmp_path / "out.json"
    cases.write_text(f"\n{line}\n", encoding="utf-8")
    out.write_text("before", encoding="utf-8")
    assert calls([str(cases), "--metadata", str(tmp_path), "--json", str(out)]) == 2
    assert "cases.jsonl, line 2: " in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "before"


def test_a_folder_without_files_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        fidelity([str(tmp_path)])


@pytest.mark.parametrize(
    "row",
    [
        '{"id": "a", "text": null, "type": "single", "gold": []}',
        '{"id": "\\ud800", "text": "t", "type": "single", "gold": []}',
        '{"id": "a", "text": "t", "type": ["single"], "gold": []}',
        "[" * 100_000,
    ],
)
def test_a_query_that_is_none_is_named(row: str, tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(f"{row}\n", encoding="utf-8")
    with pytest.raises(BenchError, match=r"queries\.jsonl, line 1: "):
        load_bench([tmp_path])
