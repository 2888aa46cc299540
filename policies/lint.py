"""What is wrong with a policy, and what is likely not meant. Errors make it unusable; warnings are for its author."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from ipaddress import ip_network
from typing import Literal

from policies.people import ROLE, persons_named, speakers_for
from wire.policy import ApprovalRule, Condition, Policy, TrustProfile

Place = tuple[str | int, ...]
LONG_SECONDS = 30 * 86_400
SHORT_RETENTION_DAYS = 90
WIDE_HOSTS = 1 << 24
ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True)
class Finding:
    """One fault. ``place`` is the way to the element, ``mend`` what to do about it."""

    severity: Literal["error", "warning"]
    place: Place
    message: str
    mend: str

    @property
    def field(self) -> str:
        """The place as people write it."""
        return ".".join(str(part) for part in self.place)


def find_errors(policy: Policy) -> tuple[Finding, ...]:
    """Everything that makes the policy unusable."""
    people = (_people(policy), _roles(policy), _delegations(policy))
    sources = (*people, _rules(policy), _calendars(policy), _masks(policy), _trust_errors(policy))
    return tuple(finding for source in sources for finding in source)


def find_warnings(
    policy: Policy, *, now: datetime, zones: Collection[str], languages: Collection[str]
) -> tuple[Finding, ...]:
    """What an author should look at. ``zones``: time zones and ``languages``: reply languages that this installation knows."""
    known = (*_unknown(policy, zones, languages), *_odd_addresses(policy))
    return (*known, *_trust(policy), *_clocks(policy), *_doubts(policy), *_dated(policy, now), *_broad_masks(policy))


def _error(place: Place, message: str, mend: str) -> Finding:
    return Finding("error", place, message, mend)


def _warning(place: Place, message: str, mend: str) -> Finding:
    return Finding("warning", place, message, mend)


def _people(policy: Policy) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, person in enumerate(policy.persons):
        if person.id in seen:
            count = sum(1 for p in policy.persons if p.id == person.id)
            yield _error(
                ("persons", index, "id"),
                f"id '{person.id}' stands {count} times",
                "give each person an id of their own",
            )
        seen.add(person.id)
    addresses = Counter(a.lower() for p in policy.persons for a in p.addresses)
    for index, person in enumerate(policy.persons):
        for address in {a.lower() for a in person.addresses}:
            if addresses[address] > 1:
                yield _error(
                    ("persons", index, "addresses"),
                    f"address '{address}' belongs to {addresses[address]} persons",
                    "an address says who answered: leave it to one person",
                )
    known = {p.id for p in policy.persons}
    for field in ("requesters", "operators"):
        for name in getattr(policy, field):
            if name not in known:
                yield _error((field,), f"no person '{name}'", "add the person, or remove the name")
    yield from _os_users(policy)


def _masks(policy: Policy) -> Iterator[Finding]:
    for index, mask in enumerate(policy.masks):
        place = ("masks", index)
        if mask.id in {other.id for other in policy.masks[:index]}:
            yield _error((*place, "id"), f"mask '{mask.id}' stands twice", "give each mask an id of its own")


def _broad_masks(policy: Policy) -> Iterator[Finding]:
    for index, mask in enumerate(policy.masks):
        if any(not pattern.strip("*.?") for pattern in mask.properties):
            mend = "approvers decide on what they see: name properties"
            yield _warning(("masks", index, "properties"), f"({mask.id}) hides everything", mend)


def _os_users(policy: Policy) -> Iterator[Finding]:
    """One OS user is one person in a role; in another role they may be somebody else."""
    for field in ("requesters", "operators"):
        taken: dict[str, str] = {}
        for index, person in enumerate(policy.persons):
            for user in person.os_users if person.id in getattr(policy, field) else ():
                if taken.setdefault(user, person.id) != person.id:
                    yield _error(
                        ("persons", index, "os_users"),
                        f"OS user '{user}' is both {taken[user]} and {person.id} among the {field}",
                        "leave the user to one of them: nobody could say who acted",
                    )


def _roles(policy: Policy) -> Iterator[Finding]:
    known = {p.id for p in policy.persons}
    for index, role in enumerate(policy.roles):
        if role.id in {other.id for other in policy.roles[:index]}:
            yield _error(("roles", index, "id"), f"role '{role.id}' stands twice", "join the two")
        for name in role.members:
            if name not in known:
                yield _error(("roles", index, "members"), f"no person '{name}'", "add the person, or remove the name")


def _rules(policy: Policy) -> Iterator[Finding]:
    known = {p.id for p in policy.persons} | {f"{ROLE}{role.id}" for role in policy.roles}
    calendars = {calendar.id for calendar in policy.calendars}
    for index, rule in enumerate(policy.rules):
        place = ("rules", index)
        if rule.id in {other.id for other in policy.rules[:index]}:
            yield _error((*place, "id"), f"id '{rule.id}' stands twice", "give each rule an id of its own")
        lines = {"approvers": rule.approvers, "escalate_to": rule.escalate_to}
        lines |= {"deputies": rule.deputies}
        lines |= {"escalate_further": tuple(name for line in rule.escalate_further for name in line)}
        for field, names in lines.items():
            for name in names:
                if name not in known:
                    yield _error(
                        (*place, field), f"({rule.id}) no person '{name}'", "add the person or role, or mend the name"
                    )
        yield from _quorum(policy, rule, place)
        if rule.calendar and rule.calendar not in calendars:
            yield _error(
                (*place, "calendar"), f"({rule.id}) no calendar '{rule.calendar}'", "add it under [[calendars]]"
            )
        if rule.on_deadline == "escalate" and not rule.escalate_to:
            yield _error((*place, "escalate_to"), f"({rule.id}) escalates to nobody", "name who is asked next")
        for number, condition in enumerate(rule.when):
            yield from _condition(policy, condition, (*place, "when", number))


def _quorum(policy: Policy, rule: ApprovalRule, place: Place) -> Iterator[Finding]:
    wanted = {"one": 1, "two-person": 2, "all": 1}.get(str(rule.quorum)) or int(rule.quorum)
    lines = [("quorum", rule.approvers), ("escalate_to", rule.escalate_to)]
    if rule.on_deadline == "escalate":
        lines += [("escalate_further", line) for line in rule.escalate_further]
    for field, names in lines:
        persons = persons_named(policy, names)
        if names and wanted > len(persons):
            yield _error(
                (*place, field),
                f"({rule.id}) quorum {wanted} of {len(persons)} approvers",
                "name more people, or ask for fewer",
            )


def _condition(policy: Policy, condition: Condition, place: Place) -> Iterator[Finding]:
    needs_value = condition.op in ("<", "<=", ">", ">=", "==", "!=")
    if needs_value and condition.value is None:
        yield _error((*place, "value"), f"'{condition.op}' compares with nothing", "give a value")
    if condition.op in ("<", "<=", ">", ">=") and isinstance(condition.value, bool | str):
        yield _error((*place, "value"), f"'{condition.op}' needs a number", "write the threshold as a number")
    if condition.op in ("in", "not in") and not condition.values:
        yield _error((*place, "values"), f"'{condition.op}' has no values", "list them in values")
    if condition.currency and not condition.currency_property:
        yield _error((*place, "currency_property"), "the call's currency is nowhere read from", "name its property")
    known = {policy.base_currency.upper(), *(name.upper() for name in policy.rates)}
    if condition.currency and policy.rates and condition.currency.upper() not in known:
        yield _error((*place, "currency"), f"no rate of {condition.currency}", "add it under [rates], or use another")
    if policy.rates and not policy.base_currency:
        yield _error(("base_currency",), "rates are worth nothing without it", "name the currency that they are in")


def _calendars(policy: Policy) -> Iterator[Finding]:
    for index, calendar in enumerate(policy.calendars):
        for number, hours in enumerate(calendar.hours):
            place = ("calendars", index, "hours", number)
            if hours.opens >= hours.closes:
                yield _error(place, f"{hours.opens} to {hours.closes} is no time", "let it close after it opens")
            if not set(hours.days) <= set(range(1, 8)):
                yield _error((*place, "days"), "days are 1 (Monday) to 7 (Sunday)", "mend the numbers")


def _delegations(policy: Policy) -> Iterator[Finding]:
    known = {p.id for p in policy.persons}
    for index, delegation in enumerate(policy.delegations):
        place = ("delegations", index)
        for field, name in (("from_person", delegation.from_person), ("to_person", delegation.to_person)):
            if name not in known:
                yield _error((*place, field), f"no person '{name}'", "add the person, or remove the delegation")
        if delegation.since.tzinfo is None or delegation.until.tzinfo is None:
            yield _error(place, "since and until need a time zone", "write them as 2026-11-02T08:00:00+01:00 or with Z")
        elif delegation.since >= delegation.until:
            yield _error(place, "since is not before until", "turn them, or remove the delegation")


def _unknown(policy: Policy, zones: Collection[str], languages: Collection[str]) -> Iterator[Finding]:
    for index, person in enumerate(policy.persons):
        if person.timezone not in zones:
            yield _error(
                ("persons", index, "timezone"), f"no time zone '{person.timezone}'", "use a name such as Europe/Berlin"
            )
    for index, calendar in enumerate(policy.calendars):
        if calendar.timezone not in zones:
            yield _error(
                ("calendars", index, "timezone"),
                f"no time zone '{calendar.timezone}'",
                "use a name such as Europe/Berlin",
            )
    for language in policy.languages:
        if language not in languages:
            yield _error(("languages",), f"no reply words of '{language}'", f"known are {', '.join(languages)}")


def _odd_addresses(policy: Policy) -> Iterator[Finding]:
    for index, person in enumerate(policy.persons):
        for address in person.addresses:
            if not ADDRESS.fullmatch(address):
                yield _warning(
                    ("persons", index, "addresses"),
                    f"'{address}' is no plain address: no answer from it is ever believed",
                    "write it as name@domain in ASCII, an international domain in its xn-- form",
                )


def _trust(policy: Policy) -> Iterator[Finding]:
    yield from _profile(policy.trust, ("trust",))
    for name, profile in policy.mailboxes.items():
        yield from _profile(profile, ("mailboxes", name))


def _profile(trust: TrustProfile, place: Place) -> Iterator[Finding]:
    if trust.mode == "authentication-results" and not trust.authserv_id:
        yield _error(
            (*place, "authserv_id"), "nobody vouches for senders", "name the authserv-id of the mailbox's own server"
        )
    if trust.mode == "closed" and not trust.networks:
        yield _warning(
            (*place, "mode"),
            "From is believed as it stands, whoever sent the mail",
            "name the networks that may send (networks) and the server that takes it from them (receiver)",
        )
    if trust.mode != "authentication-results" and trust.authserv_id:
        yield _warning((*place, "authserv_id"), f"is not looked at in mode {trust.mode}", "remove it")
    if trust.mode != "closed" and (trust.networks or trust.receiver):
        yield _warning(
            (*place, "networks"), f"are not looked at in mode {trust.mode}", "remove them, or choose mode closed"
        )
    wide = [network for network in trust.networks if _hosts(network) > WIDE_HOSTS]
    if wide:
        yield _warning((*place, "networks"), f"{wide[0]} is wide", "name the networks that people really send from")


def _clocks(policy: Policy) -> Iterator[Finding]:
    if not policy.clock_probe_seconds:
        yield _warning(
            ("clock_probe_seconds",),
            f"nobody measures the mail server's clock: clock_skew_seconds = {policy.clock_skew_seconds:g} counts alone",
            "leave it out, so that probe mails measure it",
        )
    elif policy.clock_probe_seconds * 2 > policy.clock_probe_valid_seconds:
        yield _warning(
            ("clock_probe_valid_seconds",),
            "one probe mail that is late, and no yes is accepted for a while",
            f"let a measurement count for twice clock_probe_seconds ({policy.clock_probe_seconds}) at least",
        )
    if policy.clock_skew_bound_seconds > 300:
        yield _warning(
            ("clock_skew_bound_seconds",), "is wide: every window loses as much at its end", "mend the clocks instead"
        )


def _trust_errors(policy: Policy) -> Iterator[Finding]:
    """Profiles that could believe nobody, or that it is not known which of them holds."""
    for trust, place in ((policy.trust, ("trust",)), *((p, ("mailboxes", n)) for n, p in policy.mailboxes.items())):
        for network in trust.networks:
            if _hosts(network) < 1:
                yield _error((*place, "networks"), f"'{network}' is no network", "write it as 10.20.0.0/16 or fd00::/8")
        if bool(trust.networks) != bool(trust.receiver):
            yield _error(
                (*place, "receiver"),
                "networks and receiver are only useful together",
                "name the host that stands after 'by' in the topmost Received header, and the networks that may send to it",
            )
    folded = Counter(name.strip().casefold() for name in policy.mailboxes)
    for name in policy.mailboxes:
        if folded[name.strip().casefold()] > 1:
            yield _error(("mailboxes", name), "stands twice (upper and lower case are the same)", "join the two")


def _hosts(network: str) -> int:
    """How many addresses a network has, 0 when it is none. One of IPv6 counts in networks of /64."""
    try:
        found = ip_network(network)
    except ValueError:
        return 0
    return found.num_addresses if found.version == 4 else max(1, found.num_addresses >> 64)


def _doubts(policy: Policy) -> Iterator[Finding]:
    for index, rule in enumerate(policy.rules):
        place = ("rules", index)
        covering = next((other for other in policy.rules[:index] if _covers(other, rule)), None)
        if covering is not None:
            yield _warning(
                place, f"({rule.id}) never matches: '{covering.id}' stands before it", "put it first, or remove it"
            )
        for requester in policy.requesters:
            left = set(persons_named(policy, rule.approvers)) - speakers_for(policy, {requester})
            if len(left) < (rule.quorum if isinstance(rule.quorum, int) else {"two-person": 2}.get(rule.quorum, 1)):
                yield _warning(
                    (*place, "approvers"), f"({rule.id}) nobody is left when {requester} asks", "name somebody else too"
                )
        if rule.window_seconds > LONG_SECONDS:
            yield _warning((*place, "window_seconds"), f"({rule.id}) waits over 30 days", "is that meant?")
        if policy.clock_skew_seconds * 4 > rule.window_seconds:
            yield _warning(
                (*place, "window_seconds"),
                f"({rule.id}) the clock skew eats the window",
                "widen it, or mend the clocks",
            )
    yield from _two_roles(policy)
    yield from _retention(policy)
    for index, person in enumerate(policy.persons):
        if "*" in person.os_users:
            yield _warning(("persons", index, "os_users"), f"whoever runs a command is {person.id}", "name the users")


def _two_roles(policy: Policy) -> Iterator[Finding]:
    """An OS user who asks as one person and approves as another: two persons on paper, one at the keyboard."""
    asking = {user: p.id for p in policy.persons if p.id in policy.requesters for user in p.os_users}
    lines = [names for r in policy.rules for names in (r.approvers, r.escalate_to, r.deputies, *r.escalate_further)]
    approving = {name for names in lines for name in persons_named(policy, names)}
    for index, person in enumerate(policy.persons):
        for user in person.os_users if person.id in approving else ():
            other = asking.get(user, person.id)
            if other != person.id:
                yield _warning(
                    ("persons", index, "os_users"),
                    f"OS user '{user}' asks as {other} and is the approver {person.id}",
                    "nobody approves what they asked for themselves: give each a user of their own",
                )


def _retention(policy: Policy) -> Iterator[Finding]:
    if policy.retention_days is not None and policy.retention_days < SHORT_RETENTION_DAYS:
        yield _warning(
            ("retention_days",),
            f"mails and names of a run are gone {policy.retention_days} days after it closed",
            "only digests show then who allowed what: is that meant?",
        )


def _covers(first: ApprovalRule, second: ApprovalRule) -> bool:
    """Does every call of ``second`` match ``first`` before it?"""
    return (
        not first.when
        and set(second.methods) <= set(first.methods)
        and all(any(fnmatchcase(name, pattern) for pattern in first.services) for name in second.services)
        and all(any(fnmatchcase(name, pattern) for pattern in first.endpoints) for name in second.endpoints)
    )


def _dated(policy: Policy, now: datetime) -> Iterator[Finding]:
    for index, delegation in enumerate(policy.delegations):
        if delegation.until < now:
            yield _warning(("delegations", index), f"ended {delegation.until:%Y-%m-%d}", "remove it")
    for index, calendar in enumerate(policy.calendars):
        if calendar.holidays and max(calendar.holidays) < now.date():
            yield _warning(("calendars", index, "holidays"), "all holidays are past", "add those of the year to come")
