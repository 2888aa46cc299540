"""The scripted brain: says what a script says, right or wrong. For tests of everything that surrounds a brain."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ValidationError

from agent.errors import AgentError, BrainFailed
from wire.agent import ModelExchange, Observation, Turn
from wire.context import TypedContext

SCRIPT_VERSION = "script-1"


class ScriptError(AgentError):
    """A script that cannot be used; the message names the turn and the field."""


class Faulty:
    """Plays turns in order; the last one is repeated. ``{"fail": text}`` raises ``BrainFailed``.

    A value ``{"$from": "<turn>.<path>"}`` inside a call stands for what that turn's answer held there.
    """

    name: Literal["planner", "endpoint", "faulty"] = "faulty"
    model = "script"
    prompt_version = SCRIPT_VERSION

    def __init__(self, script: Sequence[dict[str, Any]]) -> None:
        if not script:
            raise ScriptError("the script has no turns")
        for number, entry in enumerate(script, start=1):
            _check(number, entry)
        self._script = tuple(script)

    @classmethod
    def from_json(cls, text: str) -> "Faulty":
        """A script from a JSON array of turns."""
        try:
            script = json.loads(text)
        except ValueError as error:
            raise ScriptError(f"the script is no JSON: {error}") from error
        if not isinstance(script, list) or not all(isinstance(e, dict) for e in script):
            raise ScriptError("the script is no JSON array of objects")
        return cls(script)

    async def next_turn(self, goal: str, context: TypedContext, observations: Sequence[Observation], turn: int) -> Turn:
        """Entry ``turn`` of the script."""
        entry = self._script[min(turn, len(self._script)) - 1]
        text = json.dumps(entry, ensure_ascii=False, sort_keys=True)
        exchange = ModelExchange(
            brain="faulty",
            model="script",
            prompt_version=SCRIPT_VERSION,
            stage=f"turn {turn}",
            request=goal,
            response=text,
        )
        if "fail" in entry:
            raise BrainFailed(str(entry["fail"]), (exchange,))
        played = Turn.model_validate(_resolve(entry, observations))
        return played.model_copy(update={"exchanges": (exchange,)})


def _check(number: int, entry: dict[str, Any]) -> None:
    if "fail" in entry:
        return
    try:
        Turn.model_validate(entry)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise ScriptError(f"turn {number} of the script, {where}: {fault['msg']}") from error


def _resolve(value: Any, observations: Sequence[Observation]) -> Any:
    if isinstance(value, dict) and set(value) == {"$from"}:
        return _look_up(str(value["$from"]), observations)
    if isinstance(value, dict):
        return {k: _resolve(v, observations) for k, v in value.items()}
    if isinstance(value, list):
        return [_resolve(v, observations) for v in value]
    return value


def _look_up(reference: str, observations: Sequence[Observation]) -> Any:
    number, *path = reference.split(".")
    found: Any = next((o.data for o in observations if str(o.turn) == number), None)
    for step in path:
        if isinstance(found, list):
            found = found[int(step)] if step.isdigit() and int(step) < len(found) else (found[0] if found else None)
            if step.isdigit():
                continue
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        raise ScriptError(f"the script refers to {reference!r}, which no earlier turn answered")
    return found
