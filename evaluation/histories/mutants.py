"""Faults put into the product by injection, so that the oracle can show that it sees them: none patches code.

Each is a ``Wiring`` with one rule undone, by a port (what stands between reading and judging a mail, or between the policy file
and who reads it) or by a ledger whose one method does less than it should. ``likely`` are the kinds of events that it shows in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.histories import faults_in_mail as mail
from evaluation.histories import faults_in_rules as rules
from evaluation.histories.scenes import REQUESTER, STRANGERS
from evaluation.histories.wiring import Wiring
from ledger.store import Ledger
from wire.policy import Policy


@dataclass(frozen=True)
class Mutant:
    """One fault. ``scenes`` are names of scenes in which it can show; all when empty."""

    name: str
    undone: str
    likely: tuple[str, ...]
    wiring: Callable[[], Wiring]
    scenes: tuple[str, ...] = ()


def _with(ledger: type[Ledger]) -> Callable[[], Wiring]:
    return lambda: Wiring(ledger=lambda opened: ledger(opened.engine, opened.random_key))


def _hears(received: mail.Received) -> Callable[[], Wiring]:
    return lambda: Wiring(received=received)


def _rules(policy: Callable[[Policy], Policy]) -> Callable[[], Wiring]:
    return lambda: Wiring(policy=policy)


_TWO = ("both", "both-two-runs", "both-patch", "all", "two-of-three")
_MANY = ("one-two-runs", "four-runs", "operator", "requester")
_DAN = ("delegated", "delegated-both")

MUTANTS: Mapping[str, Mutant] = {
    mutant.name: mutant
    for mutant in (
        Mutant("from-believed", "check 2: any From is believed", ("spoof",), _hears(mail.believes_from)),
        Mutant(
            "requester-counts",
            "check 4: the requester counts",
            ("requester_yes",),
            _hears(mail.takes_for_addressee((REQUESTER,))),
        ),
        Mutant(
            "stranger-counts",
            "check 4: strangers count",
            ("stranger_yes",),
            _hears(mail.takes_for_addressee(STRANGERS)),
        ),
        Mutant(
            "outsider-counts",
            "check 4: any colleague counts",
            ("outsider_yes",),
            _hears(mail.takes_for_addressee(("dora", "eli", "olga", "dan", "rolf"))),
        ),
        Mutant("deadline-ignored", "check 7: no deadline", ("edge_yes",), _hears(mail.always_in_time)),
        Mutant("early-counts", "check 7: before the request was out", ("early_yes",), _hears(mail.never_early)),
        Mutant("skew-ignored", "check 7: no clock skew", ("edge_yes",), _rules(rules.skew_ignored), ("both", "skewed")),
        Mutant(
            "clock-unmeasured", "check 7: probes unheard", ("edge_yes",), _rules(rules.unmeasured), ("measured-behind",)
        ),
        Mutant(
            "superseded-counts",
            "check 6: a yes to an older review counts for the newest",
            ("reissue", "old_yes"),
            _hears(mail.finds_newest),
        ),
        Mutant(
            "unclear-is-yes",
            "check 8: what is not clear is a yes",
            ("unclear", "negated"),
            _hears(mail.answer("unclear", "approve")),
        ),
        Mutant("no-unheard", "a NO is nothing", ("no", "yes"), _hears(mail.answer("reject", "unclear"))),
        Mutant("automatic-read", "check 1: automatic answers are read", ("automatic",), _hears(mail.reads_automatic)),
        Mutant(
            "counted-twice", "quorum: one person counts twice", ("second_yes", "yes"), _hears(mail.another_voter), _TWO
        ),
        Mutant("quorum-one", "quorum: one is enough", ("yes",), _rules(rules.rule(quorum=1)), _TWO),
        Mutant("crossing-unseen", "check 5: ids of two runs", ("crossed",), _hears(mail.first_place_only), _MANY),
        Mutant(
            "ids-forgotten", "check 5: evidence is used again", ("yes", "replayed"), _hears(mail.forgets_ids), _MANY
        ),
        Mutant(
            "delegations-last",
            "check 4: delegations never end",
            ("wait_reminder", "delegate_yes"),
            _rules(rules.delegations_last),
            _DAN,
        ),
        Mutant(
            "policy-pinned",
            "check 9: policy as it was",
            ("remove_approver", "raise_quorum", "yes"),
            lambda: Wiring(policy=rules.pinned()),
            _TWO,
        ),
        Mutant("digest-not-compared", "the bytes may change after the vote", ("yes",), _with(rules.OtherBytes)),
        Mutant("cancel-ignored", "cancelling does nothing", ("cancel", "yes"), _with(rules.NoCancel)),
        Mutant("halt-ignored", "halting does nothing", ("halt", "yes"), _with(rules.NoHalt)),
        Mutant(
            "sent-again",
            "a write with no known outcome is sent again",
            ("died_after", "yes"),
            _with(rules.SendsAgain),
            ("both-two-runs", "delegated"),
        ),
    )
}
