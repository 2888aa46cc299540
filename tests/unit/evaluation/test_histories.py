"""Counting in histories."""

from datetime import timedelta

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHistory

from evaluation.bench.histories import activity_counts, event_counts, read_events, resumptions, shape
from tests.unit.evaluation.events import PARKED_THEN_ANSWERED, SIGNAL, TASK, history, second


def test_reads_kind_time_and_activity_of_each_event():
    event = HistoryEvent(event_type="EVENT_TYPE_ACTIVITY_TASK_SCHEDULED")
    event.event_time.FromDatetime(second(7))
    event.activity_task_scheduled_event_attributes.activity_type.name = "send_request"
    [read] = read_events(WorkflowHistory("run", [event]))
    assert read == ("ACTIVITY_TASK_SCHEDULED", second(7), "send_request")


def test_counts_activities_by_type():
    events = history("act:propose", "act:read", "act:propose", "ACTIVITY_TASK_COMPLETED")
    assert activity_counts(events) == {"propose": 2, "read": 1}


def test_counts_events_by_type():
    assert event_counts(history(*TASK, *TASK))["WORKFLOW_TASK_STARTED"] == 2


def test_shape_is_the_activities_around_the_signals():
    events = history("act:a", "act:b", SIGNAL, "act:c", SIGNAL, "act:d", "act:e", "act:f")
    assert shape(events) == (2, 1, 3)


def test_shape_without_a_wait_is_one_stretch():
    assert shape(history("act:a")) == (1,)


def test_a_run_has_resumed_when_the_task_after_the_signal_is_completed():
    [found] = resumptions(PARKED_THEN_ANSWERED)
    assert found.resumed_at - found.signalled_at == timedelta(seconds=3)
    assert found.parked_at == second(4)


def test_a_task_that_had_started_before_the_signal_does_not_count():
    events = history("TIMER_STARTED", "WORKFLOW_TASK_STARTED", SIGNAL, "WORKFLOW_TASK_COMPLETED", *TASK)
    [found] = resumptions(events)
    assert found.resumed_at == second(6)


def test_a_signal_before_the_wait_finds_nobody_parked():
    [found] = resumptions(history("TIMER_STARTED", "TIMER_CANCELED", SIGNAL, *TASK))
    assert found.parked_at is None


def test_a_signal_that_nobody_acted_upon_is_no_resumption():
    assert resumptions(history("TIMER_STARTED", SIGNAL)) == ()
