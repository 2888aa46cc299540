"""Errors of the agent package.

AgentError
├── BrainFailed            the brain has no usable turn; carries the exchanges so that they are recorded
└── ChatError              one request to a model endpoint came to nothing
    ├── ChatConfigError        refused before sending: the settings cannot work
    ├── ChatUnavailable        transport, 408, 409, 429 or 5xx: worth another attempt later (``retry_after``)
    ├── ChatRefused            401, 403, 404, 400, exhausted credit: another attempt would fail the same way
    └── ChatAnswerError        the answer came and cannot be used
        ├── ChatTruncated          ``finish_reason`` length, or the prompt was cut by the server
        └── ChatMalformed          no choice, empty content, or not the JSON that was asked for
"""

from collections.abc import Sequence

from wire.agent import ModelExchange


class AgentError(Exception):
    """Base of the package."""


class BrainFailed(AgentError):
    """No usable turn. ``exchanges`` is what was asked and answered, ``retry_after`` seconds when trying later may help."""

    def __init__(
        self,
        message: str,
        exchanges: Sequence[ModelExchange] = (),
        *,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.exchanges = tuple(exchanges)
        self.retryable = retryable
        self.retry_after = retry_after


class ChatError(AgentError):
    """One request came to nothing. ``raw`` is the answer's text as far as there was one."""

    retryable = False

    def __init__(self, message: str, *, raw: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.raw = raw
        self.retry_after = retry_after


class ChatConfigError(ChatError):
    """The settings cannot work, and nothing was sent."""


class ChatUnavailable(ChatError):
    """The endpoint is down, busy or limits us."""

    retryable = True


class ChatRefused(ChatError):
    """The endpoint will not do this for us, now or later."""


class ChatAnswerError(ChatError):
    """The answer came and cannot be used."""


class ChatTruncated(ChatAnswerError):
    """The answer or the prompt was cut; what is left is never parsed."""


class ChatMalformed(ChatAnswerError):
    """The answer is not a chat completion with content, or its content is not what was asked for."""
