"""Pictures for the documentation: the script runs, and what the documentation shows is small."""

import pytest

from scripts.chromium import find_chromium
from scripts.screenshots import IMAGES, LARGEST, SHOTS, main


def test_the_script_writes_every_picture(tmp_path):
    if find_chromium() is None:
        pytest.skip("no Chromium on the PATH")
    assert main([str(tmp_path)]) == 0
    pictures = {path.stem: path.read_bytes() for path in tmp_path.glob("*.png")}
    assert set(pictures) == {shot.name for shot in SHOTS}
    assert all(picture.startswith(b"\x89PNG") and len(picture) <= LARGEST for picture in pictures.values())


def test_without_a_browser_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([str(tmp_path)]) == 3
    assert "no Chromium" in capsys.readouterr().err


def test_the_pictures_of_the_documentation_are_those_and_small():
    sizes = {path.stem: path.stat().st_size for path in IMAGES.glob("*.png")}
    assert set(sizes) == {shot.name for shot in SHOTS}
    assert sum(sizes.values()) < 1_000_000
