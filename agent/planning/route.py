"""The route: the planned steps set against what came of earlier turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.planning.calls import bound_parts
from agent.planning.history import Done
from agent.planning.selection import Step
from wire.agent import Observation
from wire.call import ProposedCall
from wire.context import EndpointView
from wire.endpoint import Verb

_GOOD = ("result", "written")


@dataclass(frozen=True)
class Progress:
    """Steps done, and the step at hand with the observations of its unsuccessful tries."""

    done: tuple[Done, ...]
    step: Step | None
    tries: tuple[Observation, ...] = ()


def progress(steps: Sequence[Step], observations: Sequence[Observation]) -> Progress:
    """Observations are matched to steps in order; those of no step are passed over."""
    rest = sorted(observations, key=lambda o: o.turn)
    done: list[Done] = []
    for step in steps:
        tries: list[Observation] = []
        while rest and (rest[0].call is None or is_call_of(step.view, rest[0].call)):
            tries.append(rest.pop(0))
            if tries[-1].kind in _GOOD:
                break
        if tries and tries[-1].kind in _GOOD:
            done.append(Done(step.view, tries[-1]))
        else:
            return Progress(tuple(done), step, tuple(tries or rest[:1]))
    return Progress(tuple(done), None)


def is_call_of(view: EndpointView, call: ProposedCall) -> bool:
    """Whether a call is one on this view."""
    endpoint = bound_parts(view)[0] if view.bound_path else view.endpoint
    methods = {
        Verb.READ: ("GET",),
        Verb.CREATE: ("POST",),
        Verb.UPDATE: ("PATCH", "PUT"),
        Verb.DELETE: ("DELETE",),
        Verb.ACTION: ("GET",) if view.method == "GET" else ("ACTION",),
    }
    return (call.service, call.endpoint) == (view.service, endpoint) and call.method in methods[view.verb]
