"""Errors of the mail package.

MailError
├── ComposeError            a mail cannot be made from its content
├── SigningError            a mail cannot be DKIM-signed with the key that is configured
├── SmtpError               a mail was not (known to be) delivered
│   ├── SmtpUnreachable     nothing was handed over: connection, TLS, greeting or login failed; safe to try again
│   ├── SmtpTemporary       the server answered 4xx; safe to try again later
│   ├── SmtpRefused         the server answered 5xx: this mail will never be delivered
│   └── SmtpUnknown         the connection broke after DATA: the server may or may not have taken the mail
├── ImapError               the mailbox cannot be used
│   ├── ImapUnreachable     connection, TLS or a broken line; reconnect
│   └── ImapRefused         a command was answered NO or BAD
│       └── ImapLoginRefused    the login was: trying again soon may lock the account
├── TokenError              no access token is to be had for an account (OAuth 2.0)
│   ├── TokenRefused        the token endpoint says no: somebody must act
│   └── TokenUnavailable    it did not answer, or says that it cannot now; try again
└── KeywordsError           the keyword file is not well formed
"""


class MailError(Exception):
    """Base of all."""


class ComposeError(MailError):
    """Raised when a field of the content cannot stand in a mail (no valid address, unknown time zone)."""


class SigningError(MailError):
    """Raised when the DKIM key cannot be used; the message names what is wrong, never the key."""


class SmtpError(MailError):
    """Base of delivery errors. ``code`` is the SMTP reply code, 0 when there was none."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class SmtpUnreachable(SmtpError):
    """Raised when nothing was handed over; the same bytes may be sent again."""


class SmtpTemporary(SmtpError):
    """Raised on a 4xx answer; the same bytes may be sent again later."""


class SmtpRefused(SmtpError):
    """Raised on a 5xx answer: undeliverable."""


class SmtpUnknown(SmtpError):
    """Raised when the connection broke between DATA and its answer; sending again may make a second, identical copy."""


class ImapError(MailError):
    """Base of mailbox errors."""


class ImapUnreachable(ImapError):
    """Raised when the connection is gone or speaks nonsense; reconnect with backoff."""


class ImapRefused(ImapError):
    """Raised when the server answered NO or BAD."""


class ImapLoginRefused(ImapRefused):
    """Raised when the server knows no such user with that password or token, or no token is to be had: a person must act."""


class TokenError(MailError):
    """Base of what keeps an access token from us; the message says what to do and holds no secret."""


class TokenRefused(TokenError):
    """Raised when the token endpoint (or the folder that keeps its tokens) says no."""


class TokenUnavailable(TokenError):
    """Raised when the token endpoint gave no answer, or one that says to come back later."""


class KeywordsError(MailError):
    """Raised when ``mail/data/keywords.toml`` lacks a language or gives one word two meanings."""
