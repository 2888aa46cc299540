"""``starter.py call``: findings that a call can be mended by, the bytes as they would leave, and no write that leaves."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import run_command
from tests.live import CATALOGUE, ORDER, ROOT, policy_text

GOOD = {**ORDER, "Supplier": "17300001"}


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("call")
    (folder / "policy.toml").write_text(policy_text())
    assert run_command(["--state", str(folder), "ingest", str(CATALOGUE), "--json"]) == 0
    return folder


@pytest.fixture
def call(state, capsys, monkeypatch):
    """Runs the command; gives exit code, standard output and the error line."""
    monkeypatch.setenv("COUNTERSIGN_POLICY_FILE", str(state / "policy.toml"))
    capsys.readouterr()

    def run(*arguments, payload=None):
        if payload is not None:
            text = payload if isinstance(payload, str) else json.dumps(payload)
            monkeypatch.setattr("sys.stdin", io.StringIO(text))
            arguments = (*arguments, "--payload", "-")
        code = run_command(["--state", str(state), "call", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_every_finding_says_how_to_mend_it(call):
    wrong = {"PurchaseOrderType": "ZZ", "CompanyCod": "1010", "PurchasingGroup": "0012"}
    code, out, _ = call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", payload=wrong)
    assert (code, out.splitlines()[0].startswith("not valid: ")) == (1, True)
    assert "R04 /payload/CompanyCod" in out
    assert "did you mean: CompanyCode" in out
    assert "given: ZZ" in out


def test_a_valid_write_is_shown_to_the_byte_with_who_would_approve(call):
    code, out, _ = call("create", "PURCHASE_ORDER", "PurchaseOrderSet", "--json", payload=GOOD)
    answer = json.loads(out)
    assert (code, answer["valid"], answer["write"], answer["approval"]["approvers"]) == (0, True, True, ["ann"])
    assert answer["verdict"]["request"]["body"].startswith('{"CompanyCode":"1010"')
    assert len(answer["digest"]) == 64


def test_a_write_never_leaves_from_here(call):
    code, _, err = call("POST", "PURCHASE_ORDER", "PurchaseOrderSet", "--send", payload=GOOD)
    assert (code, "a write never leaves from here" in err) == (2, True)


def test_keys_take_the_form_that_their_types_want(call):
    key = ["--key", "SupplierInvoice=1", "--key", "FiscalYear=2026"]
    _, out, _ = call("GET", "SUPPLIER_INVOICE", "SupplierInvoices", *key)
    assert "GET SUPPLIER_INVOICE/SupplierInvoices(SupplierInvoice='1',FiscalYear='2026')" in out


@pytest.mark.parametrize(
    ("arguments", "payload", "code", "says"),
    [
        (("FETCH", "PURCHASE_ORDER", "PurchaseOrderSet"), None, 2, "no method, give one of GET"),
        (("GET", "PURCHASE_ORDER", "PurchaseOrderSet", "--key", "1"), None, 2, "write it as NAME=VALUE"),
        (("GET", "PURCHASE_ORDER", "X", "--query", "$top=1", "--query", "$top=2"), None, 2, "names $top twice"),
        (("POST", "PURCHASE_ORDER", "PurchaseOrderSet"), '{"a": 1, "a": 2}', 2, "the member a stands twice"),
        (("POST", "PURCHASE_ORDER", "PurchaseOrderSet"), "{", 2, "standard input, line 1"),
        (("POST", "PURCHASE_ORDER", "PurchaseOrderSet"), "[1]", 2, "a payload is a JSON object"),
        (("POST", "PURCHASE_ORDER", "PurchaseOrderSet", "--payload", "nowhere.json"), None, 2, "nowhere.json"),
        (("GET", "PURCHASE_ORDER", "PurchaseOrderSet", "--send"), None, 2, "no address for service PURCHASE_ORDER"),
    ],
)
def test_a_wrong_use_is_one_line(call, arguments, payload, code, says):
    got, _, err = call(*arguments, payload=payload)
    assert (got, says in err) == (code, True), err


def test_without_a_graph_there_is_nothing_to_judge_by(tmp_path, capsys):
    assert run_command(["--state", str(tmp_path), "call", "GET", "S", "E"]) == 12
    assert "no graph in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("service", "endpoint", "place", "meant"),
    [
        ("PURCHASE_ORDER", "PurchaseOrderSt", "/endpoint", "PurchaseOrderSet"),
        ("PURCHASE_ORDR", "X", "/service", "PURCHASE_ORDER"),
    ],
)
def test_a_name_that_does_not_exist_is_named_with_what_was_meant(call, service, endpoint, place, meant):
    code, out, _ = call("GET", service, endpoint, "--json")
    (finding,) = json.loads(out)["verdict"]["findings"]
    assert (code, finding["rule"], finding["pointer"], finding["suggestion"]) == (1, "R01", place, meant)


def test_a_read_is_sent_when_asked(call, state, monkeypatch):
    command = [sys.executable, "-m", "embedded.odata_service", "--metadata", str(CATALOGUE / "services"), "--port", "0"]
    command += ["--seed", str(CATALOGUE / "seed.json"), "--state", str(state / "odata.sqlite")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().split()[-1]
        monkeypatch.setenv("COUNTERSIGN_ODATA__BASE_URL", f"{url}/{{service}}/")
        query = ["--query", "$filter=SupplierName eq 'Nordpump GmbH'", "--send"]
        code, out, _ = call("GET", "BUSINESS_PARTNER", "Suppliers", *query)
        process.terminate()
    assert (code, "HTTP 200: 1 row" in out, "17300001" in out) == (0, True, True)
    code, _, err = call("GET", "BUSINESS_PARTNER", "Suppliers", *query)
    assert (code, "BUSINESS_PARTNER cannot be reached" in err) == (10, True)
    assert Path(state / "odata.sqlite").exists()
