"""From settings to the accounts that mail is read from and handed in with."""

import random
import time

from mail.imap_login import ImapSettings
from mail.login_gate import LoginGate
from mail.oauth import OAuthSettings
from mail.smtp import SmtpSettings
from mail.token_endpoint import post_form
from mail.token_store import RefreshTokenFile
from mail.tokens import TokenSource
from settings import MailOAuth, Settings, oauth_secret


def imap_account(settings: Settings) -> ImapSettings:
    """The approvals mailbox. Raises ``SettingsError`` when a file that holds a secret cannot be read."""
    server = settings.imap
    return ImapSettings(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password.get_secret_value(),
        security=server.security,
        tokens=_tokens(settings, server.oauth),
        mechanism=_mechanism(server.oauth),
    )


def smtp_account(settings: Settings) -> SmtpSettings:
    """Where our mail is handed in. Raises ``SettingsError`` when a file that holds a secret cannot be read."""
    server = settings.smtp
    return SmtpSettings(
        host=server.host,
        port=server.port,
        username=server.user,
        password=server.password.get_secret_value(),
        security=server.security,
        tokens=_tokens(settings, server.oauth),
        mechanism=_mechanism(server.oauth),
        gate=LoginGate(time.monotonic, random.Random().random),
    )


def _tokens(settings: Settings, oauth: MailOAuth | None) -> TokenSource | None:
    if oauth is None:
        return None
    account = OAuthSettings(
        token_url=oauth.token_url,
        client_id=oauth.client_id,
        client_secret=oauth_secret(oauth.client_secret, oauth.client_secret_file),
        refresh_token=oauth_secret(oauth.refresh_token, oauth.refresh_token_file),
        scope=oauth.scope,
        timeout_seconds=oauth.timeout_seconds,
        proxy=oauth.proxy.get_secret_value() if oauth.proxy is not None else None,
    )
    store = RefreshTokenFile(settings.state_dir / "oauth", account)
    return TokenSource(account, post_form, store, time.monotonic, random.Random().random)


def _mechanism(oauth: MailOAuth | None) -> str:
    return "" if oauth is None else oauth.mechanism
