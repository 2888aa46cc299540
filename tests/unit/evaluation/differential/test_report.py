"""What counts: wrong accepts, wrong refusals, and silence that counts for nothing."""

from typing import Any

import pytest

from evaluation.differential.http_form import HttpCall
from evaluation.differential.matrix import Judge
from evaluation.differential.report import report_of, table_text
from evaluation.differential.run import start_target
from evaluation.differential.samples import Kind, Sample
from evaluation.differential.targets import Answer, NotInstalled, Opinion, answer_of
from tests.unit.odata.contracts import orders
from tests.unit.odata.rule_cases import ORDER
from wire.call import ProposedCall

RIGHT, WRONG = ORDER, {**ORDER, "Nope": 1}


class Says:
    """A target with one opinion of each body."""

    name = about = "says"

    def __init__(self, right: Opinion, wrong: Opinion) -> None:
        self.right, self.wrong = right, wrong

    def hosts(self, service: str, version: str) -> bool:
        return True

    def ask(self, sample: Sample, http: HttpCall) -> Answer:
        return Answer(self.wrong if b"Nope" in http.body else self.right, 200)

    def close(self) -> None: ...


def sample(number: int, kind: Kind, payload: dict[str, Any]) -> Sample:
    call = ProposedCall(method="POST", service="ORDERS", endpoint="Orders", payload=payload)
    return Sample(number, 0, kind, "R04" if kind != "valid" else "", "/payload/Nope", call, orders())


def result(target: Says, kind: Kind, payload: dict[str, Any]) -> dict[str, Any]:
    judge = Judge([target], {"ORDERS": ["Orders"]})
    judged = judge.judge([sample(0, "valid", RIGHT), sample(1, kind, payload)])
    return report_of(judged, [target], [])


def test_a_mutant_that_we_accept_and_a_target_rejects_is_a_wrong_accept() -> None:
    found = result(Says("accepts", "accepts"), "mutant", RIGHT)
    assert (len(found["wrong_accepts"]), len(found["accepted_mutants"])) == (0, 1)
    stricter = Judge([target := Says("accepts", "rejects")], {"ORDERS": ["Orders"]})
    judged = stricter.judge([sample(0, "valid", RIGHT), sample(1, "mutant", RIGHT)])
    judged[1].answers["says"] = Answer("rejects", 400)
    assert len(report_of(judged, [target], [])["wrong_accepts"]) == 1


def test_a_neighbour_that_all_accept_and_we_refuse_is_a_wrong_refusal() -> None:
    assert len(result(Says("accepts", "accepts"), "neighbour", WRONG)["wrong_refusals"]) == 1
    assert len(result(Says("accepts", "rejects"), "neighbour", WRONG)["refused_valid"]) == 1


def test_who_refuses_the_valid_call_says_nothing_of_its_mutants() -> None:
    found = result(Says("rejects", "rejects"), "mutant", WRONG)
    assert [row["rule"] for row in found["table"]] == []
    assert found["mutants_judged"] == 0


def test_the_table_has_a_row_for_each_rule_and_target() -> None:
    found = result(Says("accepts", "accepts"), "mutant", WRONG)
    assert table_text(found["table"]).splitlines()[-1] == "| R04 | says | 0 | 0 | 1 | 0 |"
    assert found["only_we_reject"][0]["source"].startswith("OData")


@pytest.mark.parametrize(
    ("status", "opinion"),
    [(201, "accepts"), (204, "accepts"), (400, "rejects"), (404, "rejects"), (500, "silent"), (501, "silent")]
)  # fmt: skip
def test_opinion_of_a_status(status: int, opinion: str) -> None:
    assert answer_of(status, "").opinion == opinion


def test_a_target_that_is_not_installed_is_named() -> None:
    def make() -> Says:
        raise NotInstalled("pip install says==1")

    absent: list[str] = []
    assert start_target(make, absent) is None
    assert absent == ["pip install says==1"]
