"""Settings files and the policy."""

import json
import os
import zoneinfo
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from cli.doctor.finding import Finding, right, unused, warning, wrong
from mail.keywords import languages_known
from policies.lint import find_errors, find_warnings
from policies.rulebook import parse_policy, policy_version
from policies.trust import trust_in_words, trust_of
from settings import Settings, read_toml
from wire.policy import Policy

SETTINGS_FILE = Path("countersign.toml")


def look_at_settings(settings: Settings) -> Sequence[Finding]:
    """Which files were read. (That they can be read, the caller knows already.)"""
    read = [str(file) for file in (settings.state_dir / "parts.toml", SETTINGS_FILE) if file.exists()]
    told = f"read from {', '.join(read)} and COUNTERSIGN_*" if read else "no file; COUNTERSIGN_* and defaults"
    if read:
        return [right("settings", told)]
    mend = "start the embedded parts with 'starter.py up', write countersign.toml, or check --state"
    return [warning("settings", told, mend)]


def look_at_parts(settings: Settings) -> Sequence[Finding]:
    """The processes that ``starter.py up`` runs for this state folder, when it does."""
    lock = settings.state_dir / "up.lock"
    if not lock.exists():
        return [unused("processes", "'starter.py up' is not running here: the parts are somebody else's to start")]
    try:
        noted: dict[str, int] = json.loads(lock.read_text(encoding="utf-8"))["parts"]
    except (ValueError, KeyError) as error:
        return [wrong("processes", f"{lock} cannot be read ({error})", "stop 'starter.py up' and start it again")]
    ended = [name for name, pid in noted.items() if not _alive(pid)]
    if ended:
        logs = ", ".join(str(settings.state_dir / "logs" / f"{name}.log") for name in ended)
        return [wrong("processes", f"{', '.join(ended)} ended", f"see {logs}; stop 'starter.py up' and start it again")]
    return [right("processes", f"'starter.py up' runs {', '.join(noted)}")]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """A process that ended while nobody has asked for its exit code yet (Linux; elsewhere nobody can tell)."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0] == "Z"


def look_at_policy(settings: Settings, now: datetime) -> Sequence[Finding]:
    """The file in force, what is wrong with it, and whom the mailbox's profile believes."""
    path, mend = settings.policy_file, f"run 'starter.py policy check {settings.policy_file}'"
    parsed = parse_policy(read_toml(path))
    errors = find_errors(parsed) if isinstance(parsed, Policy) else parsed
    if errors or not isinstance(parsed, Policy):
        first = errors[0]
        return [wrong("policy", f"{len(errors)} errors, the first: {first.field}: {first.message}", mend)]
    known = {"zones": zoneinfo.available_timezones(), "languages": languages_known()}
    doubts = find_warnings(parsed, now=now, **known)
    told = f"version {policy_version(parsed)}, {len(parsed.rules)} rule{'' if len(parsed.rules) == 1 else 's'}"
    believes = trust_in_words(trust_of(parsed, settings.imap.user))
    believed = right("trust", f"{settings.imap.user or 'the mailbox'} believes a sender when {believes}")
    if not doubts:
        return [right("policy", told), believed]
    first = doubts[0]
    return [
        warning("policy", f"{told}; {len(doubts)} warnings, the first: {first.field}: {first.message}", mend),
        believed,
    ]
