"""Which trust profile holds for a mailbox."""

from wire.policy import Policy, TrustProfile


def trust_of(policy: Policy, mailbox: str) -> TrustProfile:
    """The profile of the mailbox that ``mailbox`` logs in to (compared without case), else that of all."""
    wanted = mailbox.strip().casefold()
    own = [profile for name, profile in policy.mailboxes.items() if name.strip().casefold() == wanted]
    # Two entries for one mailbox are an error of the file (policies.lint); until it is mended nobody is believed.
    return policy.trust if not own else own[0] if len(own) == 1 else TrustProfile()
