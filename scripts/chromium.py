"""A headless Chromium that takes pictures, spoken to over its debugging pipe: no port, no network, no further package."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text",
    "--remote-debugging-pipe",
)  # fmt: skip


class ChromiumError(Exception):
    """The browser did not do what it was asked; the message says what."""


@dataclass(frozen=True)
class Screen:
    """What a picture is taken with: CSS pixels, ``scale`` pixels of the picture for each; ``height`` 0 for the whole page."""

    width: int
    scale: float = 1.0
    dark: bool = False
    height: int = 0


Take = Callable[[str, Screen], bytes]


def find_chromium() -> str | None:
    """The browser's path, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium(program: str, profile: Path) -> Iterator[Take]:
    """A browser with that empty profile; the function that it gives takes one picture (PNG) of one HTML document."""
    ours, theirs = os.pipe(), os.pipe()
    command = [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]

    def connect() -> None:
        # The browser reads commands from descriptor 3 and writes answers to 4. First out of the way, then into place.
        incoming, outgoing = os.dup(ours[0]), os.dup(theirs[1])
        os.dup2(incoming, 3)
        os.dup2(outgoing, 4)

    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=connect, close_fds=False
    )
    os.close(ours[0])
    os.close(theirs[1])
    try:
        with os.fdopen(ours[1], "wb", buffering=0) as out, os.fdopen(theirs[0], "rb") as back:
            yield _Browser(out, back).take
    finally:
        process.terminate()
        process.wait(timeout=30)


class _Browser:
    """The browser's debugging protocol: NUL-terminated JSON, one answer to each command."""

    def __init__(self, out: Any, back: Any) -> None:
        self._out, self._back, self._number, self._read = out, back, 0, b""

    def take(self, document: str, screen: Screen) -> bytes:
        """A picture of the whole page, however long."""
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        metrics = {
            "width": screen.width,
            "height": 800,
            "deviceScaleFactor": screen.scale,
            "mobile": screen.width < 500,
        }
        self._ask("Emulation.setDeviceMetricsOverride", metrics, session)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if screen.dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", {"features": scheme}, session)
        frame = self._ask("Page.getFrameTree", {}, session)["frameTree"]["frame"]["id"]
        self._ask("Page.setDocumentContent", {"frameId": frame, "html": document}, session)
        size = self._ask("Page.getLayoutMetrics", {}, session)["cssContentSize"]
        height = min(size["height"], screen.height or size["height"])
        clip = {"x": 0, "y": 0, "width": screen.width, "height": height, "scale": 1}
        asked = {"format": "png", "clip": clip, "captureBeyondViewport": True, "optimizeForSpeed": False}
        data = self._ask("Page.captureScreenshot", asked, session)["data"]
        self._ask("Target.closeTarget", {"targetId": target})
        return base64.b64decode(data)

    def _ask(self, method: str, params: Mapping[str, Any], session: str | None = None) -> Any:
        self._number += 1
        command = {"id": self._number, "method": method, "params": params}
        command |= {"sessionId": session} if session else {}
        self._out.write(json.dumps(command).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ChromiumError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]

    def _next(self) -> bytes:
        while b"\0" not in self._read:
            more = self._back.read1(1 << 16)
            if not more:
                raise ChromiumError("the browser ended; does it start on this machine?")
            self._read += more
        message, _, self._read = self._read.partition(b"\0")
        return message
