"""Stage 1: claim the run and retrieve its typed context from the graph snapshot that its input names."""

from temporalio import activity

from activities.contexts import Contexts
from activities.guard import on_own_run
from activities.ports import Parts
from activities.told import reasoning
from wire.activity_signatures import Retrieved
from wire.context import TypedContext
from wire.task import RunState, TaskInput


class RetrieveStage:
    """Holds the parts for ``retrieve_context``."""

    def __init__(self, parts: Parts, contexts: Contexts) -> None:
        self._parts = parts
        self._contexts = contexts

    @activity.defn
    async def retrieve_context(self, task: TaskInput) -> Retrieved:
        """Claim the run for this execution and retrieve its typed context."""
        return await on_own_run(self._parts, task.run_id, lambda _: self._retrieve(task), task.ledger_epoch)

    def _retrieve(self, task: TaskInput) -> Retrieved:
        context = self._parts.graphs.context(task.goal, task.graph_hash, task.services)
        digest = _record(self._parts, task.run_id, context)
        self._contexts.keep(digest, context)
        return Retrieved(
            context_digest=digest,
            endpoints=tuple(f"{e.service}/{e.endpoint} {e.verb.value}" for e in context.endpoints),
            processes=tuple(dict.fromkeys(step.process for step in context.chain)),
            out_of_scope=context.out_of_scope,
        )


def _record(parts: Parts, run_id: str, context: TypedContext) -> str:
    at = parts.now()
    body = context.model_dump_json().encode()
    facts = {
        "retriever": context.retriever,
        "graph_hash": context.graph_hash,
        "endpoints": len(context.endpoints),
        "out_of_scope": context.out_of_scope,
        "tokens": context.tokens,
    }
    with parts.ledger.jointly(run_id):
        digest = parts.ledger.put(body, "application/json", at)
        parts.ledger.note(run_id, "context_retrieved", facts, {"context": digest}, at)
        parts.ledger.set_state(run_id, RunState.REASONING, reasoning(1), at)
    return digest
