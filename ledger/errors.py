"""Everything that the ledger refuses to do, and why.

::

    LedgerError
    ├── ContentMissing          a digest is named but its bytes are gone
    ├── ContentAltered          the bytes under a digest no longer hash to it
    ├── RunUnknown              no such run
    ├── StepUnknown             no such step
    ├── RequestUnknown          no such review of a step
    ├── RunClosed               the run has ended
    ├── RunErased               its retention ended: the record is sealed
    ├── KeyReused               the same task key with another request
    ├── DigestAlreadyAsked      the same call was asked at another step
    ├── EvidenceMissing         a decision whose raw mail is gone or altered
    ├── ActRefused              an operator's act that does not fit where the run stands
    ├── GateRefused             the dispatch gate found reasons against a write
    ├── IntentOpen              a write is under way; its outcome comes first
    └── RunHalted               (base) the call halted the run before it raised
        ├── EpochMismatch       the run was started on another ledger
        ├── ForeignExecution    another Temporal execution under this workflow id
        ├── DigestConflict      the same review with another call
        └── IdClash             a mail id of ours exists already in another run
"""


class LedgerError(Exception):
    """Base of all faults that the ledger raises."""


class ContentMissing(LedgerError):
    """Content is named by digest but not stored."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"content {digest} is missing from the store: restore it from a backup or an export")
        self.digest = digest


class ContentAltered(LedgerError):
    """Stored bytes do not hash to their digest."""

    def __init__(self, digest: str, found: str) -> None:
        super().__init__(f"content {digest} was altered: its bytes hash to {found}")
        self.digest = digest


class RunUnknown(LedgerError):
    """The run is not in this ledger."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} is not in this ledger: check the id and the ledger's URL")
        self.run_id = run_id


class ActRefused(LedgerError):
    """The act does not fit where the run stands; the message says what does."""


class StepUnknown(LedgerError):
    """The step was never handed out."""

    def __init__(self, run_id: str, step: int) -> None:
        super().__init__(f"run {run_id} has no step {step}")


class RequestUnknown(LedgerError):
    """No request was recorded for that review."""

    def __init__(self, run_id: str, step: int, review: int) -> None:
        super().__init__(f"run {run_id} has no request for step {step}, review {review}")


class RunClosed(LedgerError):
    """The run has ended and takes no further entries of this kind."""

    def __init__(self, run_id: str, state: str) -> None:
        super().__init__(f"run {run_id} is closed ({state})")
        self.run_id = run_id


class RunErased(LedgerError):
    """The run was erased; its chain takes no further entries."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} was erased by policy: its record is sealed and takes no entries any more")
        self.run_id = run_id


class KeyReused(LedgerError):
    """The task key belongs to a run with another request."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"the task key of run {run_id} was used for another request: give the new one a --key of its own"
        )
        self.run_id = run_id


class EvidenceMissing(LedgerError):
    """A decision stands in the ledger, but its raw mail does not prove it any more."""

    def __init__(self, evidence_id: str, why: str) -> None:
        super().__init__(f"evidence {evidence_id} does not hold: {why}")
        self.evidence_id = evidence_id


class GateRefused(LedgerError):
    """The dispatch gate; ``reasons`` are short codes."""

    def __init__(self, run_id: str, step: int, review: int, reasons: tuple[str, ...]) -> None:
        super().__init__(f"run {run_id}, step {step}, review {review} may not be dispatched: {', '.join(reasons)}")
        self.reasons = reasons


class IntentOpen(LedgerError):
    """A write of this step is under way or its outcome is not known."""

    def __init__(self, run_id: str, step: int) -> None:
        super().__init__(f"run {run_id}, step {step} has a write whose outcome is not recorded yet")


class RunHalted(LedgerError):
    """The ledger halted the run (committed) before raising."""


class EpochMismatch(RunHalted):
    """The run's input names another ledger epoch."""

    def __init__(self, run_id: str, wanted: str, found: str) -> None:
        super().__init__(
            f"run {run_id} was started on ledger epoch {wanted}, this one is {found}: restored or replaced?"
        )


class ForeignExecution(RunHalted):
    """A second Temporal execution works under the run's workflow id."""

    def __init__(self, run_id: str, known: str, found: str) -> None:
        super().__init__(
            f"run {run_id} belongs to execution {known}; {found} (a reset or a second start) may not continue it"
        )


class DigestConflict(RunHalted):
    """The same (run, step, review) was recorded with another call."""

    def __init__(self, run_id: str, step: int, review: int) -> None:
        super().__init__(
            f"run {run_id}, step {step}, review {review} was recorded with another call digest: run halted"
        )


class DigestAlreadyAsked(LedgerError):
    """The same call was put to an approver at another step of this run."""

    def __init__(self, run_id: str, step: int, digest: str) -> None:
        super().__init__(f"run {run_id} asked for call {digest} at step {step} already; it is never asked twice")
        self.step = step


class IdClash(RunHalted):
    """A Message-ID or opaque id of a new request exists already; nothing may be sent."""

    def __init__(self, run_id: str, found: str) -> None:
        super().__init__(f"run {run_id}: mail id {found} belongs to another request; halted before anything was sent")
