"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the real corpus and benchmark (not part of the repository); skips when it is absent."""
    root = Path(os.environ.get("COUNTERSIGN_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not (root / "corpus").is_dir():
        pytest.skip(f"no corpus at {root}: set COUNTERSIGN_SHARED to the folder that holds it")
    return root
