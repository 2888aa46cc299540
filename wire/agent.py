"""One ReAct turn: what a brain answered, and what it is told back."""

from typing import Any, Literal

from wire.base import Wire
from wire.call import ProposedCall


class ModelExchange(Wire):
    """One request to a model and its answer, as recorded. The planner's ``request`` is its own input digest."""

    brain: Literal["planner", "endpoint", "faulty"]
    model: str
    prompt_version: str
    stage: str
    request: str
    response: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    milliseconds: int | None = None


class Turn(Wire):
    """What a brain decided in one turn. ``reason`` is the paragraph that the approver sees as the agent's words."""

    action: Literal["call", "finish", "ask"]
    thought: str
    reason: str = ""
    call: ProposedCall | None = None
    question: str = ""
    answer: str = ""
    exchanges: tuple[ModelExchange, ...] = ()


class Observation(Wire):
    """What came of an earlier turn, told to the brain as data, never as instruction."""

    turn: int
    kind: Literal["result", "written", "invalid", "rejected", "failed"]
    call: ProposedCall | None = None
    text: str = ""
    data: Any = None
