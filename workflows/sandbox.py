"""The sandbox that workflows run in. Only ``wire`` passes through: a clock read in ``policies`` must raise, not pass."""

from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions


def workflow_runner() -> SandboxedWorkflowRunner:
    """The runner for the worker, for tests and for replays."""
    return SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules("wire"))
