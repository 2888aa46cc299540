"""A slice of the differential matrix: the shipped services, what mock-sap serves, and TripPin where the corpus is."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from evaluation.differential.run import Plan, run

ROOT = Path(__file__).resolve().parents[3]
OURS = ("PURCHASE_ORDER", "BUSINESS_PARTNER", "SALES_ORDER")


def judged(metadata: Path, *services: str, mutants: int = 900, expressions: int = 0) -> dict[str, Any]:
    return run(Plan(metadata, mutants, 3, frozenset(services), expressions))


def nothing_wrong(result: dict[str, Any]) -> None:
    assert result["wrong_accepts"] == []
    assert result["wrong_refusals"] == []
    assert result["accepted_mutants"] == []
    assert result["mutants_refused"] == result["rule_named"] == result["mutants"]


def test_shipped_services() -> None:
    result = judged(ROOT / "catalogue" / "services", *OURS)
    nothing_wrong(result)
    assert result["mutants"] >= 300
    assert {row["target"] for row in result["table"]} >= {"embedded"}


def test_services_of_mock_sap() -> None:
    pytest.importorskip("mocksap", reason="mock-sap is not installed: pip install mock-sap==0.22.0")
    names = ("mock_sap_API_SALES_ORDER_SRV_V2", "mock_sap_api_salesorder_V4")
    result = judged(ROOT / "catalogue" / "services", *names)
    nothing_wrong(result)
    assert sum(row["both reject"] for row in result["table"] if row["target"] == "mock-sap") >= 100


@pytest.mark.parametrize(("package", "service"), [("odatapy", "TripPin_V4"), ("pyodata", "Northwind_V2")])
def test_services_that_everybody_knows(package: str, service: str, shared: Path, tmp_path: Path) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    shutil.copy(shared / "corpus" / "edmx" / f"{service}.edmx", tmp_path)
    result = judged(tmp_path, service, expressions=1500)
    nothing_wrong(result)
    assert result["expressions"].get("only_the_target_rejects", []) == []
    assert sum(row["both reject"] for row in result["table"] if row["target"] == package) >= 30
