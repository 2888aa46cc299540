"""Ingestion of a folder that goes on when it breaks on a file: what broke it is left out and counts as not held."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.fidelity.reading import model_files
from graph.errors import NothingToIngest

Ingest = Callable[[Sequence[Path], Path], dict[str, str]]


def ingest_folder(folder: Path, extra: Sequence[Path], scratch: Path, ingest: Ingest) -> tuple[Path, dict[str, str]]:
    """(root of the snapshot, file -> reason of what is not in it). Raises ``NothingToIngest``.

    ``ingest`` takes sources and a root, and returns what it refused.
    """
    root = scratch / "snapshot"
    try:
        return root, ingest([folder, *extra], root)
    except NothingToIngest:
        raise
    except Exception as error:  # the product broke; find the files that break it, and load the others without them
        broken = _breaking(folder, scratch, ingest)
        if not broken:
            raise RuntimeError(f"the ingestion breaks on no single file of {folder}, only on all of them") from error
    sound = scratch / "sound"
    shutil.copytree(folder, sound, ignore=lambda inside, names: _left_out(Path(inside), names, folder, broken))
    again = scratch / "snapshot-of-sound"
    return again, {**ingest([sound, *extra], again), **broken}


def _breaking(folder: Path, scratch: Path, ingest: Ingest) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, path in enumerate(model_files(folder)):
        try:
            ingest([path], scratch / f"alone-{number}")
        except NothingToIngest:
            continue
        except Exception as error:  # any kind: this is the search for what breaks
            found[path.relative_to(folder).as_posix()] = f"the ingestion broke: {type(error).__name__}: {error}"
        shutil.rmtree(scratch / f"alone-{number}", ignore_errors=True)
    return found


def _left_out(inside: Path, names: Sequence[str], folder: Path, broken: dict[str, str]) -> list[str]:
    return [name for name in names if (inside / name).relative_to(folder).as_posix() in broken]
