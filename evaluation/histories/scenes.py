"""The worlds in which histories begin: people, rules, runs, service; some dozens, each at the point where replies can come."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from evaluation.histories.notes import Lent, Rules
from evaluation.reply_matrix.words import languages
from wire.policy import ApprovalRule, Delegation, Person, Policy, TrustProfile

START = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
DOMAIN = "corp.example"
APPROVALS = "approvals@agent.example"
SERVER = "mx.agent.example"
REQUESTER = "rita"
OPERATORS = ("olga", "otto")
PEOPLE = ("ann", "bob", "cleo", "dan", "dora", "eli", "rita", "rolf", "olga", "otto")
ADDRESSES: dict[str, tuple[str, ...]] = {
    name: (f"{name}@{DOMAIN}", f"{name}.{name}son@{DOMAIN}") if name in ("ann", "bob") else (f"{name}@{DOMAIN}",)
    for name in PEOPLE
}
STRANGERS = ("eve@corp.example", "mallory@evil.example", "accounting@corp.example", "anne@corp.example")
WINDOW = 600


@dataclass(frozen=True)
class Scene:
    """One world. ``skew`` is how far the mail server's clock is ahead, ``bound`` what policy allows for it; where it is
    ``measured``, probe mails tell instead.
    """

    name: str
    rules: Rules
    runs: int = 1
    method: Literal["POST", "PATCH"] = "POST"
    repeatable: bool = True
    skew: int = 0
    bound: int = 0
    on_deadline: Literal["reissue", "escalate", "expire"] = "reissue"
    tail: int = 600
    timers_first: bool = False
    continue_after_reject: bool = True
    measured: bool = False

    @property
    def margin(self) -> int:
        """Seconds at the edges of a window that the difference of the clocks may cost."""
        return self.bound + abs(self.skew) + 1 if self.bound or self.skew else 0


def policy_of(scene: Scene, rules: Rules) -> Policy:
    """The product's policy that says what the generator's rules say."""
    rule = ApprovalRule(
        id="orders",
        approvers=rules.approvers,
        quorum=rules.quorum or "all",
        window_seconds=WINDOW,
        grace_seconds=5,
        tail_seconds=scene.tail,
        max_reviews=3,
        on_deadline=scene.on_deadline,
        escalate_to=rules.escalate,
        deputies=rules.deputies,
    )
    return Policy(
        version=scene.name,
        persons=tuple(Person(id=name, name=name.title(), addresses=ADDRESSES[name]) for name in PEOPLE),
        rules=(rule,),
        requesters=(REQUESTER,),
        operators=OPERATORS,
        delegations=tuple(
            Delegation(from_person=lent.giver, to_person=lent.taker, since=lent.since, until=lent.until)
            for lent in rules.lent
        ),
        trust=TrustProfile(authserv_id=SERVER),
        languages=tuple(words.language for words in languages()),
        clock_skew_seconds=float(scene.bound),
        clock_probe_seconds=600 if scene.measured else 0,
        continue_after_reject=scene.continue_after_reject,
    )


def _lent(giver: str, taker: str, since: int = -3600, until: int = 7200) -> Lent:
    return Lent(giver, taker, START + timedelta(seconds=since), START + timedelta(seconds=until))


ONE = Rules(("ann",), 1, escalate=("cleo",), deputies=("dora",))
EITHER = Rules(("ann", "bob"), 1, escalate=("cleo", "eli"), deputies=("dora",))
BOTH = Rules(("ann", "bob"), 2, escalate=("cleo", "eli"), deputies=("dora",))
ALL = Rules(("ann", "bob", "cleo"), 0, deputies=("dora", "eli"))
TWO_OF = Rules(("ann", "bob", "cleo"), 2, deputies=("dora",))
# The requester stands among the approvers and never counts; nor does whoever may answer for her.
WITH_REQUESTER = Rules(("ann", "rita", "rolf", "bob"), 1, deputies=("dora",), lent=(_lent("rita", "rolf"),))
DELEGATED = Rules(("ann", "bob"), 1, deputies=("dora",), lent=(_lent("ann", "dan", until=300), _lent("rita", "eli")))
DELEGATED_BOTH = Rules(
    ("ann", "bob"), 2, deputies=("dora",), lent=(_lent("ann", "dan"), _lent("bob", "dan", since=300))
)
OPERATOR_APPROVES = Rules(("ann", "otto"), 1, deputies=("dora", "cleo"))

SCENES = (
    Scene("one", ONE),
    Scene("one-patch", ONE, method="PATCH", on_deadline="escalate"),
    Scene("one-two-runs", ONE, runs=2, bound=3, skew=2),
    Scene("either", EITHER, runs=2, on_deadline="expire", timers_first=True),
    Scene("both", BOTH, skew=-3, bound=3),
    Scene("both-two-runs", BOTH, runs=2, repeatable=False),
    Scene("both-patch", BOTH, method="PATCH", timers_first=True),
    Scene("all", ALL, on_deadline="expire", tail=0),
    Scene("two-of-three", TWO_OF, runs=2, continue_after_reject=False),
    Scene("requester", WITH_REQUESTER, runs=2),
    Scene("delegated", DELEGATED, repeatable=False),
    Scene("delegated-both", DELEGATED_BOTH, runs=2),
    Scene("operator", OPERATOR_APPROVES, runs=3),
    Scene("four-runs", ONE, runs=4, timers_first=True),
    Scene("measured-behind", ONE, skew=-6, measured=True),
    Scene("measured-ahead", BOTH, skew=7, measured=True, runs=2),
    Scene("skewed", EITHER, skew=-5, bound=5, on_deadline="escalate", timers_first=True),
)
"""Every history plays in one of these."""
