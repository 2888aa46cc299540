"""Pictures of our mails for the documentation: ``python -m scripts.screenshots [FOLDER]``; needs Chromium, says so without it.

The mails are made from the shipped catalogue by the product itself (``scripts/sample_mails.py``): a picture is what people get.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.errors import GraphError
from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot
from mail.compose_html import render_html
from mail.compose_view import view_of
from scripts.chromium import ChromiumError, Screen, chromium, find_chromium
from scripts.sample_mails import INVOICED, ORDERED, evidence, fresh_review, sample_request
from wire.approval import MailContent

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
LARGEST = 150_000
"""Bytes of one picture in the repository."""


@dataclass(frozen=True)
class Shot:
    """One picture: which mail, on what."""

    name: str
    mail: Callable[[SnapshotReader], MailContent]
    screen: Screen


# Long pages are cut below what they are shown for.
DESKTOP, PHONE, PHONE_DARK = Screen(760, height=1_250), Screen(390, height=1_250), Screen(390, dark=True, height=1_250)
SHOTS = (
    Shot("request-desktop", lambda snapshot: sample_request(snapshot, ORDERED), DESKTOP),
    Shot("request-phone", lambda snapshot: sample_request(snapshot, INVOICED), PHONE),
    Shot("request-phone-dark", lambda snapshot: sample_request(snapshot, INVOICED), PHONE_DARK),
    Shot("fresh-review-phone", fresh_review, PHONE),
    Shot("evidence-desktop", evidence, DESKTOP),
)


def take_pictures(folder: Path, program: str) -> list[Path]:
    """All pictures into ``folder``. Raises ChromiumError, GraphError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory(prefix="screenshots-") as scratch:
        ingest([ROOT / "catalogue"], Path(scratch, "graph"))
        snapshot = open_snapshot(Path(scratch, "graph"))
        with chromium(program, Path(scratch, "profile")) as take:
            for shot in SHOTS:
                picture = take(render_html(view_of(shot.mail(snapshot))), shot.screen)
                if len(picture) > LARGEST:
                    raise ChromiumError(f"{shot.name}: {len(picture)} bytes, more than {LARGEST}")
                written.append(folder / f"{shot.name}.png")
                written[-1].write_bytes(picture)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.screenshots", description=(__doc__ or "").split(":")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=IMAGES, help="where the pictures go")
    folder: Path = parser.parse_args(arguments).folder
    program = find_chromium()
    if program is None:
        print("screenshots: no Chromium on the PATH, nothing written", file=sys.stderr)
        return 3
    try:
        written = take_pictures(folder, program)
    except (ChromiumError, GraphError, OSError) as error:
        print(f"screenshots: {error}", file=sys.stderr)
        return 1
    for path in written:
        print(f"{path}  {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
