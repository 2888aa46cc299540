"""All activities of a worker, registered under the names of their signatures."""

from collections.abc import Callable
from typing import Any

from activities.close import CloseStage
from activities.contexts import Contexts
from activities.decision import DecisionStage
from activities.dispatch import DispatchStage
from activities.notice import NoticeStage
from activities.ports import Parts
from activities.propose import ProposeStage
from activities.read import ReadStage
from activities.request import RequestStage
from activities.retrieve import RetrieveStage
from activities.validate import ValidateStage


def all_activities(parts: Parts, mailbox: str) -> list[Callable[..., Any]]:
    """The stages in the order of a run. ``mailbox`` is the account that the mailroom reads."""
    contexts = Contexts()
    return [
        RetrieveStage(parts, contexts).retrieve_context,
        ProposeStage(parts, contexts).propose_call,
        ValidateStage(parts).validate_call,
        ReadStage(parts).execute_read,
        RequestStage(parts).send_request,
        DecisionStage(parts, mailbox).read_decision,
        DispatchStage(parts).dispatch_write,
        NoticeStage(parts).send_notice,
        CloseStage(parts).close_run,
    ]
