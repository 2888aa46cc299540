"""Errors of the embedded mail server.

MailServerError
├── UsersFileError      the users file is missing or not well formed
└── FolderError         a folder on disk cannot be read as a Maildir of ours
"""


class MailServerError(Exception):
    """Base of all; the message says what to do."""


class UsersFileError(MailServerError):
    """Raised when the users file cannot be used."""


class FolderError(MailServerError):
    """Raised when a Maildir folder on disk is damaged."""
