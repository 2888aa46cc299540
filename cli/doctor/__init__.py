"""``doctor``: is every part right, and if not, how is it mended?

finding.py        one line about one part            running.py      checks side by side, each bounded in time
command.py        the command itself                 checks.py       every check, in order
rules.py          settings files and policy
ledgers.py        database, migrations, chains       engine.py       Temporal: namespace, search attributes, workers
mailroom.py       lease, progress, outbox, clock     mail_servers.py IMAP, SMTP, DKIM
graphs.py         snapshot, age, embedding model     services.py     $metadata of every OData service
brains.py         the model's endpoint
"""
