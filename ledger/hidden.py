"""What a policy masks of everything that a run has called and read: looked up in the record, which keeps it whole."""

from ledger.store import Ledger
from policies.masking import Secret, secrets_of_answer, secrets_of_call
from wire.policy import Policy


def secrets_of_run(ledger: Ledger, policy: Policy, run_id: str) -> tuple[Secret, ...]:
    """The masked values so far; none, and nothing is read, where the policy masks nothing."""
    if not policy.masks or ledger.run(run_id).erased_at is not None:
        return ()
    proposed = [call for s in ledger.steps(run_id) if (call := ledger.proposal(run_id, s.step).call) is not None]
    read = [s for o in ledger.observations(run_id) for s in secrets_of_answer(policy, o.call, o.data)]
    return tuple(dict.fromkeys([*(s for call in proposed for s in secrets_of_call(policy, call)), *read]))
