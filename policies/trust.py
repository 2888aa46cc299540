"""Which trust profile holds for a mailbox, and what it believes, in words."""

from wire.policy import Policy, TrustProfile


def trust_of(policy: Policy, mailbox: str) -> TrustProfile:
    """The profile of the mailbox that ``mailbox`` logs in to (compared without case), else that of all."""
    wanted = mailbox.strip().casefold()
    own = [profile for name, profile in policy.mailboxes.items() if name.strip().casefold() == wanted]
    # Two entries for one mailbox are an error of the file (policies.lint); until it is mended nobody is believed.
    return policy.trust if not own else own[0] if len(own) == 1 else TrustProfile()


def trust_in_words(trust: TrustProfile) -> str:
    """When a sender is believed."""
    methods = " or ".join(f"{method}=pass" for method in trust.methods)
    if trust.mode == "dkim":
        others = f" or of {', '.join(trust.dkim_domains)}" if trust.dkim_domains else ""
        return f"a DKIM signature of the author's domain{others} verifies here"
    if trust.mode == "microsoft365":
        inside = f", or that the mail never left tenant {trust.tenant_id}" if trust.tenant_id else ""
        return f"Exchange Online says {methods} for the domain of From{inside}"
    if trust.mode == "closed":
        within = f"{trust.receiver} took the mail from {', '.join(trust.networks)}"
        return within if trust.networks else "always: From is believed as it stands"
    if not trust.authserv_id:
        return "never: no authserv_id is named"
    return f"{trust.authserv_id} says {methods} for the domain of From"
