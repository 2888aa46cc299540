"""The embedded OData service as a process: killed with SIGKILL and started again, on the same state file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
METADATA = ROOT / "tests/unit/embedded/metadata"
ORDER = {"Customer": "C1", "to_Item": [{"Material": "A"}, {"Material": "B"}]}
REPEAT = {
    "repeatability-request-id": "0f0f0f0f-0000-4000-8000-000000000001",
    "repeatability-first-sent": "Mon, 30 Nov 2026 12:00:00 GMT",
}


class Process:
    """One state file, any number of lives; `url` is that of the running life."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def command(self, port: int = 0) -> list[str]:
        return [
            *(sys.executable, "-m", "embedded.odata_service", "--metadata", str(METADATA)),
            *("--state", str(self._state), "--port", str(port), "--no-csrf", "--faults"),
        ]

    def start(self) -> str:
        self._process = subprocess.Popen(self.command(), cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("listening on http://")
        self.url = line.split()[-1]
        return self.url

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def stop(self) -> int:
        assert self._process is not None
        self._process.terminate()
        self._process.communicate()
        code, self._process = self._process.returncode, None
        return code


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    running = Process(tmp_path / "state.sqlite")
    running.start()
    yield running
    running.kill()


def create(url: str, **headers: str) -> httpx.Response:
    return httpx.post(f"{url}/ORDERS/Orders", json=ORDER, headers=headers)


@pytest.mark.crash
def test_rows_and_number_range_survive_kill(process):
    first = create(process.url).json()["d"]["Order"]
    process.kill()
    url = process.start()
    second = create(url).json()["d"]["Order"]
    items = httpx.get(f"{url}/ORDERS/Orders('{first}')/to_Item").json()["d"]["results"]
    assert [item["Item"] for item in items] == ["10", "20"]
    assert int(second) == int(first) + 1


@pytest.mark.crash
def test_one_effect_when_killed_between_commit_and_answer(process):
    with pytest.raises(httpx.RemoteProtocolError):
        create(process.url, **REPEAT, **{"x-fault": "lost_response"})
    process.kill()
    answer = create(process.start(), **REPEAT)
    assert (answer.status_code, answer.headers["repeatability-result"]) == (201, "accepted")
    assert httpx.get(f"{process.url}/ORDERS/Orders/$count").text == "1"


@pytest.mark.crash
def test_request_log_survives_kill(process):
    create(process.url, **REPEAT)
    process.kill()
    writes = httpx.get(f"{process.start()}/_log/writes").json()
    assert [(entry["method"], entry["status"], entry["repeatability_id"]) for entry in writes] == [
        ("POST", 201, REPEAT["repeatability-request-id"])
    ]


def test_port_in_use_is_one_line_and_exit_2(process, tmp_path):
    other = Process(tmp_path / "other.sqlite")
    port = int(process.url.rpartition(":")[2])
    done = subprocess.run(other.command(port), cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_second_process_on_one_state_file_is_refused(process):
    done = subprocess.run(process.command(), cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "is in use by another process" in done.stderr


def test_sigterm_stops_cleanly(process):
    assert process.stop() == 0
