"""How old what was read from live services is, in words, and what is stale."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


@dataclass(frozen=True)
class Age:
    """``what`` was read at that instant (ISO 8601), so long before now."""

    what: str
    read_at: str
    age: timedelta
    stale: bool

    def __str__(self) -> str:
        return f"{self.what}, read {in_words(self.age)} ago{' (stale)' if self.stale else ''}"

    def as_json(self) -> dict[str, object]:
        """The age as JSON values."""
        seconds = round(self.age.total_seconds())
        return {"what": self.what, "read_at": self.read_at, "age_seconds": seconds, "stale": self.stale}


def ages_of(read_at: Mapping[str, str], now: datetime, stale_days: float) -> list[Age]:
    """What (as people call it) -> instant, as ages, oldest first."""
    limit = timedelta(days=stale_days)
    found = []
    for what, instant in read_at.items():
        age = now - datetime.fromisoformat(instant)
        found.append(Age(what, instant, age, age > limit))
    return sorted(found, key=lambda item: (-item.age, item.what))


def in_words(age: timedelta) -> str:
    """``3 days``, ``2 hours``, ``less than a minute``."""
    seconds = age.total_seconds()
    for unit, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        count = int(seconds // unit)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"
