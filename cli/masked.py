"""Lines about a run as people may see them: what the policy keeps out of mails is kept off the screen too."""

from collections.abc import Callable

from cli.context import load_policy
from ledger.hidden import secrets_of_run
from ledger.store import Ledger
from policies.masking import scrub
from settings import Settings


def masker(settings: Settings, ledger: Ledger, run_id: str) -> Callable[[str], str]:
    """Hides, in a line, what the policy masks of that run. What the run learns later is known as well."""
    policy = load_policy(settings)
    return lambda line: scrub(line, secrets_of_run(ledger, policy, run_id))
