"""A process that judges a numbered row of replies, one line of output for each; run by ``test_ledger_processes``.

``python -m tests.crash.ledger_judge URL COUNT`` says ``ready``, waits for a line of input, and judges replies 0 to COUNT - 1,
each a YES to a run of its own.
"""

import sys

from ledger.judging import IncomingMail
from ledger.store import open_ledger
from tests.unit.ledger.world import make_mail, make_policy


def reply(number: int) -> IncomingMail:
    """The YES of ann to run ``number``."""
    return make_mail(number, "approve", "ann", f"run-{number}/1/1")


def main() -> None:
    """Judge them all."""
    url, count = sys.argv[1], int(sys.argv[2])
    ledger, policy = open_ledger(url, random_epoch=lambda: "child"), make_policy()
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        mail = reply(number)
        print(ledger.judge_batch([mail], policy, mail.received_at)[0].outcome, flush=True)


if __name__ == "__main__":
    main()
