"""Mail servers, DKIM, Temporal, graph, services and the model's endpoint, with failures put into them."""

import subprocess
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from cli.doctor.brains import look_at_brain
from cli.doctor.engine import look_at_engine
from cli.doctor.finding import Status
from cli.doctor.graphs import look_at_embedder, look_at_graph
from cli.doctor.mail_servers import look_at_dkim, look_at_imap, look_at_smtp
from cli.doctor.services import look_at_services
from mail.dkim_check import Resolve
from settings import Dkim, MailServer, Model, Settings

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
CLOSED = MailServer(port=1, user="u", password=SecretStr("p"))


def test_mail_servers_that_are_not_there_or_not_configured():
    dead = Settings(imap=CLOSED, smtp=CLOSED)
    none = Settings()
    found = [*look_at_imap(dead, 2), *look_at_smtp(dead, 2), *look_at_imap(none, 2), *look_at_smtp(none, 2)]
    assert [f.status for f in found] == [Status.WRONG] * 4
    assert ["COUNTERSIGN_" in f.mend for f in found] == [True] * 4


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("dkim") / "key.pem"
    made = subprocess.run(["openssl", "genrsa", "-traditional", "1024"], capture_output=True, check=True)
    file.write_bytes(made.stdout)
    return file


def record_of(key: Path) -> bytes:
    public = subprocess.run(["openssl", "rsa", "-pubout"], input=key.read_bytes(), capture_output=True, check=True)
    return b"v=DKIM1; k=rsa; p=" + b"".join(public.stdout.split(b"\n")[1:-2])


def make(answer: Resolve) -> Resolve:
    return answer


def unanswered(name: str) -> bytes | None:
    raise OSError("no name server")


def test_the_dns_record_is_compared_with_the_key(key: Path):
    settings = Settings(dkim=Dkim(key_file=key), mail_from="a@bank.example")
    right, other = record_of(key), record_of(key).replace(b"p=MIGf", b"p=MIGd")
    answers: list[Resolve] = [lambda name: right, lambda name: other, lambda name: None, unanswered]
    found = [look_at_dkim(settings, partial(make, answer))[0] for answer in answers]
    assert [f.status for f in found] == [Status.RIGHT, Status.WRONG, Status.WRONG, Status.UNKNOWN]


def test_a_key_that_cannot_sign_is_named(tmp_path: Path):
    (tmp_path / "key.pem").write_text("no key")
    kinds = [tmp_path / "key.pem", tmp_path / "missing.pem", None]
    found = [look_at_dkim(Settings(dkim=Dkim(key_file=file)), lambda: unanswered)[0] for file in kinds]
    assert [f.status for f in found] == [Status.WRONG, Status.WRONG, Status.UNUSED]


def test_a_temporal_that_does_not_answer_leaves_the_rest_unknown():
    found = look_at_engine(Settings(temporal_address="127.0.0.1:1"), NOW)
    assert [f.status for f in found] == [Status.WRONG, Status.UNKNOWN, Status.UNKNOWN]


def test_without_a_graph_nobody_knows_the_services(tmp_path: Path):
    settings = Settings(state_dir=tmp_path)
    assert look_at_graph(settings, NOW)[0].status is Status.WRONG
    assert look_at_services(settings, 2)[0].status is Status.UNKNOWN


def test_a_model_that_is_not_there_is_named():
    (found,) = look_at_embedder(Settings(embedder="no-such-model"))
    assert (found.status, "no-such-model" in found.told) == (Status.WRONG, True)


def answering(status: int, body: object = None) -> httpx.MockTransport:
    return httpx.MockTransport(lambda request: httpx.Response(status, json=body))


def refusing(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


@pytest.mark.parametrize(
    ("transport", "status"),
    [
        (answering(200, {"data": [{"id": "m1"}]}), Status.RIGHT),
        (answering(200, {"data": [{"id": "other"}]}), Status.WARNING),
        (answering(200, ["odd"]), Status.RIGHT),
        (answering(404), Status.WARNING),
        (answering(401), Status.WRONG),
        (httpx.MockTransport(refusing), Status.WRONG),
    ],
)
def test_the_models_endpoint(transport: httpx.MockTransport, status: Status):
    settings = Settings(model=Model(base_url="http://model.example/v1", name="m1", api_key=SecretStr("hunter2")))
    (found,) = look_at_brain(settings, 2, transport)
    assert found.status is status
    assert "hunter2" not in found.told + found.mend


@pytest.mark.parametrize("header", ["authorization", "api-key"])
def test_the_key_goes_where_the_settings_say(header: str):
    seen: dict[str, str] = {}

    def answer(request: httpx.Request) -> httpx.Response:
        seen.update(request.headers)
        return httpx.Response(200, json={"data": []})

    model = Model(base_url="http://model.example/v1", name="m", api_key=SecretStr("k"), api_key_header=header)
    look_at_brain(Settings(model=model), 2, httpx.MockTransport(answer))
    assert seen[header].endswith("k")


def test_the_planner_needs_no_endpoint_and_a_script_is_worth_a_look(tmp_path: Path):
    assert look_at_brain(Settings(), 2)[0].status is Status.RIGHT
    assert look_at_brain(Settings(brain_script=tmp_path / "s.json"), 2)[0].status is Status.WARNING
