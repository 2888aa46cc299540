"""A workflow that no history fits: what a careless change looks like to the replayer."""

from datetime import timedelta

from temporalio import workflow

from wire.task import RunResult, TaskInput
from workflows.agent_task import AgentTask


@workflow.defn(name="AgentTask")
class SleepsFirst(AgentTask):
    """Begins with a timer that runs in flight never started."""

    @workflow.init
    def __init__(self, task: TaskInput) -> None:
        super().__init__(task)

    @workflow.run
    async def run(self, task: TaskInput) -> RunResult:
        """The route, a second later."""
        await workflow.sleep(timedelta(seconds=1))
        return await super().run(task)
