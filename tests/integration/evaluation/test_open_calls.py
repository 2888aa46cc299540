"""The open call cases against the real metadata."""

from pathlib import Path

from evaluation.calls import main


def test_open_cases_are_all_right(shared: Path, tmp_path: Path) -> None:
    bench = shared / "bench"
    arguments = [
        str(bench / "calls.jsonl"),
        "--metadata",
        str(shared / "corpus/edmx"),
        "--codes",
        str(bench / "codes.csv"),
    ]
    arguments += ["--required", str(bench / "required.csv"), "--json", str(tmp_path / "out.json")]
    assert main(arguments) == 0
