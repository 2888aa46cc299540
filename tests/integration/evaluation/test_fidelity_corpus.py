"""The audit on real files: every BPMN model of the corpus, and its smaller metadata documents."""

import shutil
from pathlib import Path

from evaluation.fidelity.audit import audit

_LARGEST = 60_000


def test_every_process_model_is_held_and_nothing_invented(shared: Path, tmp_path: Path) -> None:
    found = audit(shared / "corpus" / "bpmn", tmp_path)
    assert [result.name for result in found.results if not result.perfect] == []
    assert found.passed


def test_metadata_is_held_and_nothing_invented(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for path in (shared / "corpus" / "edmx").glob("*.edmx"):
        if path.stat().st_size <= _LARGEST:
            shutil.copy(path, tmp_path / "files")
    found = audit(tmp_path / "files", tmp_path / "scratch")
    assert [result.name for result in found.results if not result.perfect] == []
    assert found.passed
