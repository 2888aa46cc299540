"""Measures computed from what an experiment recorded."""

from evaluation.bench.countersign_cost import machine_milliseconds
from evaluation.bench.engine_cost import cpu_per_run
from evaluation.bench.ledger_size import grown
from evaluation.bench.recorded import LedgerSize, ProductRun, Write
from tests.unit.evaluation.events import PARKED_THEN_ANSWERED, SIGNAL, TASK, history, second


def run(events) -> ProductRun:
    write = Write(replied_at=second(5), opened_at=second(9), recorded_at=second(11), alone=True)
    return ProductRun(registered_at=second(0), closed_at=second(12), writes=(write,), events=events)


def test_time_waiting_for_a_reply_is_not_the_machines():
    times = machine_milliseconds(run(PARKED_THEN_ANSWERED))
    assert times == {"to parked 1": 4000, "reply 1 to effect": 6000, "last effect to end": 1000, "whole": 11000}


def test_a_run_answered_before_it_was_parked_gives_no_latency():
    assert machine_milliseconds(run(history(SIGNAL, *TASK))) is None


def test_cpu_is_shared_out_over_all_rounds():
    rounds = [(1, {"worker": 0.1, "mail": 9.0}), (3, {"worker": 0.3, "mail": 9.0})]
    assert cpu_per_run(rounds, ["worker"]) == {"worker": 100.0}


def test_growth_counts_tables_and_media_types_that_are_new():
    before = LedgerSize({"runs": 2}, {}, 5, 1, 0, 1)
    after = LedgerSize({"runs": 5, "audit": 7}, {"message/rfc822": 10}, 9, 3, 1, 2)
    assert grown(before, after) == LedgerSize({"runs": 3, "audit": 7}, {"message/rfc822": 10}, 4, 2, 1, 1)
