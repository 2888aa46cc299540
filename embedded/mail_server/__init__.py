"""Embedded mail server: SMTP submission and IMAP over Maildir folders, for the default without a mail system of one's own."""
