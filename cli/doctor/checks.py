"""Every check that there is, in the order in which they are told."""

from collections.abc import Sequence
from functools import partial

from cli.context import now
from cli.doctor.brains import look_at_brain
from cli.doctor.engine import look_at_engine
from cli.doctor.graphs import look_at_embedder, look_at_graph
from cli.doctor.ledgers import look_at_ledger
from cli.doctor.mail_servers import look_at_dkim, look_at_imap, look_at_smtp
from cli.doctor.mailroom import look_at_clock, look_at_mailroom
from cli.doctor.rules import look_at_parts, look_at_policy, look_at_settings
from cli.doctor.running import Check
from cli.doctor.services import look_at_services
from mail.dns import make_resolver
from settings import Settings


def checks_of(settings: Settings, seconds: float) -> Sequence[Check]:
    """Every check; what they wait for ends before their time does, so that they can say what it was."""
    at, patience = now(), max(0.4, seconds * 0.8)
    policy = f"run 'starter.py policy check {settings.policy_file}'"
    return (
        Check("settings", partial(look_at_settings, settings), "check the settings files"),
        Check("processes", partial(look_at_parts, settings), "see 'starter.py up'"),
        Check("policy", partial(look_at_policy, settings, at), policy),
        Check("ledger", partial(look_at_ledger, settings), "check COUNTERSIGN_LEDGER_URL"),
        Check("Temporal", partial(look_at_engine, settings, at), "check COUNTERSIGN_TEMPORAL_ADDRESS"),
        Check("mailroom", partial(look_at_mailroom, settings, at), "see the mailroom's log"),
        Check("clock", partial(look_at_clock, settings, at), "see the mailroom's log"),
        Check("IMAP", partial(look_at_imap, settings, patience), "check COUNTERSIGN_IMAP__*"),
        Check("SMTP", partial(look_at_smtp, settings, patience), "check COUNTERSIGN_SMTP__*"),
        Check("DKIM", partial(look_at_dkim, settings, make_resolver), "check COUNTERSIGN_DKIM__*"),
        Check("graph", partial(look_at_graph, settings, at), "run 'starter.py ingest'"),
        Check("services", partial(look_at_services, settings, patience), "check odata.* in the settings"),
        Check("embedding model", partial(look_at_embedder, settings), "check COUNTERSIGN_EMBEDDER"),
        Check("brain", partial(look_at_brain, settings, patience), "check COUNTERSIGN_MODEL__*"),
    )
