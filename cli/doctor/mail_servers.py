"""The mail servers: log in to both, send nothing; the key that signs our mail, and its DNS record."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from cli.doctor.finding import Finding, right, unknown, unused, warning, wrong
from mail.dkim_check import Resolve
from mail.dkim_sign import make_signer, publishes
from mail.errors import ImapError, SigningError, SmtpError
from mail.imap import Mailbox
from mail.smtp import sign_in
from mail_accounts import imap_account, smtp_account
from settings import LOOPBACK, MailServer, Settings, SettingsError, dkim_key

FOLDER = "INBOX"
OPEN = "password and mail go over the network in clear"


def look_at_imap(settings: Settings, seconds: float) -> Sequence[Finding]:
    """Log in, select the folder, and see what the server can do."""
    if not settings.imap.port:
        return [wrong("IMAP", "no mailbox is configured", "set COUNTERSIGN_IMAP__HOST, __PORT, __USER and __PASSWORD")]
    account = replace(imap_account(settings), timeout_seconds=seconds)
    mend = "check COUNTERSIGN_IMAP__* (host, port, security, user, password or oauth)"
    try:
        mailbox = Mailbox(account)
    except ImapError as error:
        return [wrong("IMAP", str(error), mend)]
    try:
        selected = mailbox.select(FOLDER)
        has = [name for name in ("IDLE", "MOVE", "UIDPLUS") if mailbox.has(name)]
        told = f"{account.where}, {settings.imap.user}: {FOLDER} (UIDVALIDITY {selected.uidvalidity})"
        told += f", separator {mailbox.delimiter()}, offers {', '.join(has) or 'none of IDLE, MOVE, UIDPLUS'}"
    except ImapError as error:
        return [wrong("IMAP", str(error), f"the login works; {FOLDER} must be there to be read")]
    finally:
        mailbox.close()
    if _is_open(settings.imap):
        return [warning("IMAP", told, f"{OPEN}: set COUNTERSIGN_IMAP__SECURITY to tls or starttls")]
    if "IDLE" not in has:
        return [warning("IMAP", told, "without IDLE the mailbox is asked every 15 s, which answers later")]
    return [right("IMAP", told)]


def look_at_smtp(settings: Settings, seconds: float) -> Sequence[Finding]:
    """EHLO, STARTTLS and login as for a mail; none is sent."""
    if not settings.smtp.port:
        return [wrong("SMTP", "no server is configured", "set COUNTERSIGN_SMTP__HOST, __PORT, __USER and __PASSWORD")]
    account = replace(smtp_account(settings), connect_seconds=seconds)
    try:
        features = sign_in(account)
    except SmtpError as error:
        return [wrong("SMTP", str(error), "check COUNTERSIGN_SMTP__* (host, port, security, user, password or oauth)")]
    who = f"logged in as {account.username}" if account.username else "without a login"
    told = f"{account.host}:{account.port}, security {account.security}, {who}, offers {', '.join(features)}"
    if _is_open(settings.smtp):
        return [warning("SMTP", told, f"{OPEN}: set COUNTERSIGN_SMTP__SECURITY to tls or starttls")]
    return [right("SMTP", told)]


def _is_open(server: MailServer) -> bool:
    return server.security == "none" and server.host not in LOOPBACK


def look_at_dkim(settings: Settings, make_resolver: Callable[[], Resolve]) -> Sequence[Finding]:
    """The key can sign, and DNS publishes its other half."""
    if settings.dkim.key_file is None:
        return [unused("DKIM", "our mail is not signed here (dkim.key_file is not set)")]
    domain, selector = settings.dkim_domain, settings.dkim.selector
    try:
        key = dkim_key(settings)
        make_signer(domain, selector, key)
    except (SettingsError, SigningError, OSError) as error:
        return [wrong("DKIM", str(error), "dkim.key_file must be a readable RSA key in PEM")]
    name = f"{selector}._domainkey.{domain}"
    try:
        record = make_resolver()(name)
    except Exception as error:  # no name server, no network, an odd name: all of them mean that nobody knows
        return [
            unknown("DKIM", f"the key signs for {domain}; DNS does not say whether {name} fits: {error}", "check DNS")
        ]
    return [_compared(name, record, key or b"")]


def _compared(name: str, record: bytes | None, key: bytes) -> Finding:
    if record is None:
        return wrong(
            "DKIM", f"{name} has no TXT record", "publish v=DKIM1; k=rsa; p=… with the public half of dkim.key_file"
        )
    if not publishes(record, key):
        return wrong(
            "DKIM",
            f"{name} publishes another key than dkim.key_file's",
            "publish its public half, or sign with the other",
        )
    return right("DKIM", f"signs for {name.partition('._domainkey.')[2]}, and {name} publishes its key")
