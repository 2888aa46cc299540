"""The endpoint brain: a model behind an OpenAI-compatible URL, asked in two stages, choose and then fill.

A grammar makes an answer well formed, not right: the answer is checked against the schema again, the call goes to the same
validation as the planner's, and what stays unusable after one repair ends the turn with everything that was said on record.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import jsonschema_rs

from agent.chat_client import Exchange
from agent.chat_protocol import ChatConfig, Message, json_of
from agent.errors import BrainFailed, ChatError, ChatMalformed
from agent.fill_answer import call_of, carried_values, grounds_of
from agent.prompt import CHARACTERS_PER_TOKEN, choose_messages, fill_messages, prompt_version, repair_message
from agent.schemas import choice_of, choose_schema, fill_schema
from wire.agent import ModelExchange, Observation, Turn
from wire.call import ProposedCall
from wire.context import EndpointView, TypedContext


class Chat(Protocol):
    """What the brain needs of a chat client."""

    @property
    def config(self) -> ChatConfig:
        """How the endpoint is reached."""
        ...

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, name: str) -> Exchange:
        """One completion; errors come inside the exchange."""
        ...


@dataclass
class _Asking:
    """One turn's exchanges so far."""

    model: str
    exchanges: list[ModelExchange] = field(default_factory=list)

    def record(self, stage: str, exchange: Exchange) -> None:
        """Keep one exchange with the model as it goes into the ledger: what was asked, and the answer or the error, whole."""
        reply, error = exchange.reply, exchange.error
        answer = reply.raw if reply else f"error: {error}\n{error.raw if error else ''}".rstrip()
        self.exchanges.append(
            ModelExchange(
                brain="endpoint",
                model=self.model,
                prompt_version=prompt_version(),
                stage=stage,
                request=exchange.request,
                response=answer,
                prompt_tokens=reply.prompt_tokens if reply else None,
                completion_tokens=reply.completion_tokens if reply else None,
                milliseconds=exchange.milliseconds,
            )
        )


Uncut = Callable[[EndpointView, str], EndpointView]
"""The view before a budget cut it, in the graph of that hash (blocking)."""


def as_shown(view: EndpointView, graph_hash: str) -> EndpointView:
    """What a brain without a graph takes for the whole: the view that it was shown."""
    return view


class EndpointBrain:
    """Two requests a turn, each with at most one repair. ``budget_tokens`` bounds the prompt.

    The chosen call is filled under the schema of the ``uncut`` view, so that a list that was cut for the prompt still binds.
    """

    name: Literal["planner", "endpoint", "faulty"] = "endpoint"

    def __init__(self, chat: Chat, budget_tokens: int = 6000, uncut: Uncut = as_shown) -> None:
        self._chat = chat
        self._budget = budget_tokens
        self._uncut = uncut

    @property
    def model(self) -> str:
        """The configured model's name."""
        return self._chat.config.model

    @property
    def prompt_version(self) -> str:
        """The hash of the prompt texts."""
        return prompt_version()

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        """Choose, then fill. Raises ``BrainFailed`` with the exchanges."""
        asking = _Asking(self.model)
        messages = choose_messages(goal, context, observations, self._budget)
        candidates = list(context.endpoints)
        for stage in ("choose", "choose again"):
            chosen = await self._ask(asking, messages, choose_schema(candidates), stage, _no_fault)
            choice, text, thought = str(chosen["choice"]), str(chosen["text"]).strip(), str(chosen["thought"])
            if choice in ("finish", "ask"):
                return _closing(choice, text, thought, asking)
            view = next(v for v in candidates if choice_of(v) == choice)
            call = await self._fill(asking, goal, context, view, observations)
            if call is not None:
                return Turn(
                    action="call", thought=thought, reason=text or thought, call=call, exchanges=tuple(asking.exchanges)
                )
            # What it asked for again is answered already: it chooses once more, among the others.
            candidates.remove(view)
        raise BrainFailed(f"{self.model}: it asks again for what it has read already", asking.exchanges)

    async def _fill(
        self,
        asking: _Asking,
        goal: str,
        context: TypedContext,
        view: EndpointView,
        observations: Sequence[Observation],
    ) -> ProposedCall | None:
        """The call, or None when it is a read that was made and answered before."""
        view = await asyncio.to_thread(self._uncut, view, context.graph_hash)
        carried = carried_values(context, view, observations)
        messages = fill_messages(goal, view, carried, observations, self._budget)
        refused = [o.call for o in observations if o.kind in ("invalid", "rejected")]
        answered = [o.call for o in observations if o.kind == "result"]
        grounds = grounds_of(goal, observations)

        def fault(answer: Mapping[str, Any]) -> str:
            known = call_of(view, answer, grounds) in refused
            return "this very call was refused before; change it" if known else ""

        answer = await self._ask(asking, messages, fill_schema(view, goal, carried), "fill", fault)
        call = call_of(view, answer, grounds)
        return None if call in answered else call

    async def _ask(
        self,
        asking: _Asking,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        stage: str,
        fault_of: Any,
    ) -> Mapping[str, Any]:
        """One answer that satisfies the schema, after at most one repair."""
        self._check_budget(messages, stage, asking)
        talk = list(messages)
        fault = ""
        for attempt in (stage, f"{stage} repair"):
            exchange = await self._chat.complete(talk, schema, stage)
            asking.record(attempt, exchange)
            if exchange.reply is None:
                raise _failed(exchange.error, stage, asking)
            answer, fault = _checked(exchange.reply.content, schema)
            fault = fault or fault_of(answer)
            if not fault:
                return answer
            talk += [{"role": "assistant", "content": exchange.reply.content}, repair_message(fault)]
        raise BrainFailed(
            f"{self.model}: the answer to “{stage}” is unusable after one repair: {fault}", asking.exchanges
        )

    def _check_budget(self, messages: Sequence[Message], stage: str, asking: _Asking) -> None:
        size = sum(len(m["content"]) for m in messages) // CHARACTERS_PER_TOKEN
        if size > 2 * self._budget:
            told = f"the prompt for “{stage}” needs about {size} tokens, the budget is {self._budget}"
            raise BrainFailed(f"{told}; raise context_tokens or narrow the services", asking.exchanges)


def _closing(choice: str, text: str, thought: str, asking: _Asking) -> Turn:
    said = text or thought
    exchanges = tuple(asking.exchanges)
    if choice == "finish":
        return Turn(action="finish", thought=thought, answer=said, exchanges=exchanges)
    return Turn(action="ask", thought=thought, question=said, exchanges=exchanges)


def _checked(content: str, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The answer and what is wrong with it, "" when it satisfies the schema."""
    try:
        value = json_of(content)
    except ChatMalformed as error:
        return {}, str(error)
    errors = list(jsonschema_rs.validator_for(dict(schema)).iter_errors(value))
    if errors:
        return {}, "; ".join(f"/{'/'.join(map(str, e.instance_path))}: {e.message}" for e in errors[:5])
    return value, ""


def _no_fault(answer: Mapping[str, Any]) -> str:
    return ""


def _failed(error: ChatError | None, stage: str, asking: _Asking) -> BrainFailed:
    retryable = error.retryable if error else False
    after = error.retry_after if error else None
    message = f"{asking.model}: no answer to “{stage}”: {error}"
    return BrainFailed(message, asking.exchanges, retryable=retryable, retry_after=after)
