"""What a header section alone says about a mail being ours: every mail is looked at so, and only a few are read whole."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from mail.bounces import delivery_report
from mail.headers import Headers, base_address, decode_words, read_headers, recipients_of, references_of

SUBJECT_MARK = "[approval "
"""Stands in the subject of every mail of ours. No id: a hint that a body is worth reading for one."""

OursAmong = Callable[[Collection[str], Collection[str]], Collection[str]]
"""Which of these Message-IDs and addresses are ours (see ``mail.ports.Judge``)."""


@dataclass(frozen=True)
class Head:
    """Ids and addresses that may be ours, and whether the body is to be read whatever they are."""

    references: tuple[str, ...]
    plus_addresses: tuple[str, ...]
    worth_reading: bool


def read_head(raw_headers: bytes, own_addresses: Iterable[str], most_references: int) -> Head:
    """Read one header section."""
    headers = read_headers(raw_headers)
    own = {base_address(address) for address in own_addresses}
    recipients = recipients_of(headers)
    to_us = [address for address in recipients if base_address(address) in own]
    plus = tuple(address for address in recipients if "+" in address)
    # An address of ours that is not known still names a run, if only one that the ledger has not.
    sure = any("+" in address for address in to_us) or (bool(to_us) and _may_hold_an_id(headers))
    return Head(references_of(headers, most_references), plus, sure)


def worth_reading(heads: Sequence[Head], ours_among: OursAmong) -> list[bool]:
    """Which mails may be ours. The ledger is asked once for all of them: a mailbox holds many strangers."""
    open_heads = [head for head in heads if not head.worth_reading]
    ids = {reference for head in open_heads for reference in head.references}
    addresses = {address for head in open_heads for address in head.plus_addresses}
    ours = set(ours_among(ids, addresses)) if ids or addresses else set()
    return [
        h.worth_reading or not ours.isdisjoint(h.references) or not ours.isdisjoint(h.plus_addresses) for h in heads
    ]


def _may_hold_an_id(headers: Headers) -> bool:
    """No id of ours in the headers, but the body may hold one: a bounce to our address, or a reply that lost its thread."""
    report = "multipart/report" in headers.first("content-type").lower()
    nobody = headers.first("return-path").replace(" ", "") == "<>"
    return report or nobody or _answers(headers) or delivery_report(headers, None, b"") is not None


def _answers(headers: Headers) -> bool:
    return SUBJECT_MARK in decode_words(headers.first("subject")).lower()
