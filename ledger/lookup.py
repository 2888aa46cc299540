"""Which request of ours does a mail name? (design.md section 4, "Where a reply finds its request")"""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, select

from ledger.schema import RUNS
from ledger.schema_approval import REQUESTS, SENT_IDS
from ledger.text import storable
from policies.evidence_checks import Named, ReviewKey, name_request
from policies.people import fold_address
from wire.mail import ParsedReply

MOST_IDS = 200
"""Ids looked at per place: a mail with more of them is no reply of a person."""


def find_named(connection: Connection, parsed: ParsedReply) -> Named | None:
    """What the mail names, by plus-address, then thread, then body; None when it carries nothing of ours."""
    thread = _sent_ids(connection, parsed.references)
    bounced = _sent_ids(connection, parsed.bounced_ids) if parsed.automatic == "bounce" else []
    addresses = [fold_address(address) for address in parsed.recipients]
    refs = [ref.casefold() for ref in parsed.body_refs]
    places = [
        ("bounced message", bounced[:1]),
        ("address", _requests(connection, REQUESTS.c.reply_address, addresses)),
        # Only the last of ours: older ones are the history of the thread.
        ("thread", thread[:1]),
        ("body", _requests(connection, REQUESTS.c.opaque_id, refs)),
    ]
    return name_request(places) or name_request([("run id", _runs(connection, [*_plus_parts(addresses), *refs]))])


def ours_among(connection: Connection, message_ids: Iterable[str], addresses: Iterable[str]) -> frozenset[str]:
    """Which of these are Message-IDs and reply addresses of ours. For many mails at once: one that carries none of them names
    nothing of ours in its header section, unless it went to an address of ours that is not known."""
    folded = {address: fold_address(address) for address in addresses}
    known = _known(connection, REQUESTS.c.reply_address, folded.values())
    ids = _known(connection, SENT_IDS.c.message_id, message_ids)
    return frozenset(ids | {address for address, fold in folded.items() if fold in known})


def _known(connection: Connection, column: ColumnElement[str], wanted: Iterable[str]) -> set[str]:
    askable = [item for item in dict.fromkeys(wanted) if item == storable(item, 320)]
    parts = [askable[start : start + MOST_IDS] for start in range(0, len(askable), MOST_IDS)]
    return {found for part in parts for found in connection.scalars(select(column).where(column.in_(part)))}


def _requests(connection: Connection, column: ColumnElement[str], wanted: Iterable[str]) -> list[ReviewKey]:
    order = _askable(wanted)
    query = select(column.label("id"), REQUESTS.c.run_id, REQUESTS.c.step, REQUESTS.c.review).where(column.in_(order))
    found = {row.id: ReviewKey(row.run_id, row.step, row.review) for row in connection.execute(query)} if order else {}
    return [found[item] for item in order if item in found]


def _sent_ids(connection: Connection, wanted: Iterable[str]) -> list[ReviewKey]:
    order = _askable(wanted)
    query = select(SENT_IDS).where(SENT_IDS.c.message_id.in_(order))
    found = {r.message_id: ReviewKey(r.run_id, r.step, r.review) for r in connection.execute(query)} if order else {}
    return [found[item] for item in order if item in found]


def _runs(connection: Connection, wanted: list[str]) -> list[ReviewKey]:
    # A run that is named without a request of it: enough to refuse instead of leaving the mail untouched.
    order = _askable(wanted)
    found = set(connection.scalars(select(RUNS.c.run_id).where(RUNS.c.run_id.in_(order)))) if order else set()
    return [ReviewKey(run_id, 0, 0) for run_id in order if run_id in found]


def _askable(wanted: Iterable[str]) -> list[str]:
    """Distinct ids in order, without those that no database would take and that none of ours can equal."""
    return [item for item in dict.fromkeys(wanted) if item == storable(item, 320)][:MOST_IDS]


def _plus_parts(addresses: Iterable[str]) -> list[str]:
    locals_ = (address.rpartition("@")[0] for address in addresses)
    return [local.partition("+")[2] for local in locals_ if "+" in local]
