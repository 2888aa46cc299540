"""Stage 1: claim the run and retrieve its typed context from the graph snapshot that its input names."""

from temporalio import activity

from activities.guard import off_loop, own_run
from activities.ports import Parts
from wire.activity_signatures import Retrieved
from wire.context import TypedContext
from wire.task import RunState, TaskInput


class RetrieveStage:
    """Holds the parts for ``retrieve_context``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @activity.defn
    async def retrieve_context(self, task: TaskInput) -> Retrieved:
        """Claim the run for this execution and retrieve its typed context."""
        parts = self._parts
        await own_run(parts, task.run_id, task.ledger_epoch)
        context = await off_loop(parts.graphs.context, task.goal, task.graph_hash, task.services)
        digest = await off_loop(_record, parts, task.run_id, context)
        return Retrieved(
            context_digest=digest,
            endpoints=tuple(f"{e.service}/{e.endpoint} {e.verb.value}" for e in context.endpoints),
            processes=tuple(dict.fromkeys(step.process for step in context.chain)),
            out_of_scope=context.out_of_scope,
        )


def _record(parts: Parts, run_id: str, context: TypedContext) -> str:
    at = parts.now()
    digest = parts.ledger.put(context.model_dump_json().encode(), "application/json", at)
    facts = {
        "retriever": context.retriever,
        "graph_hash": context.graph_hash,
        "endpoints": len(context.endpoints),
        "out_of_scope": context.out_of_scope,
        "tokens": context.tokens,
    }
    parts.ledger.note(run_id, "context_retrieved", facts, {"context": digest}, at)
    parts.ledger.set_state(run_id, RunState.REASONING, "", at)
    return digest
