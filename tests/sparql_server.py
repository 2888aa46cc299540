"""A real Oxigraph server (the PyPI package ``oxigraph`` ships the binary) on a free port of the loopback."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest


@contextmanager
def oxigraph_server(folder: Path) -> Iterator[str]:
    """Start the server over a store in ``folder``; gives its base URL. Skips when the binary is not installed."""
    binary = shutil.which("oxigraph", path=str(Path(sys.executable).parent)) or shutil.which("oxigraph")
    if binary is None:
        pytest.skip("no oxigraph binary: pip install oxigraph")
    port = _free_port()
    command = [binary, "serve", "--location", str(folder / "server"), "--bind", f"127.0.0.1:{port}"]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=8), trust_env=False) as client:
            client.get(f"{url}/query", params={"query": "ASK {}"}).raise_for_status()
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
