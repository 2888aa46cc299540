"""Requests over real metadata: every set of four SAP services, all properties filled, becomes a mail as promised."""

import re
from pathlib import Path
from typing import Any

import pytest

from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot
from mail.business_content import describe_call
from mail.compose_subject import LONGEST
from mail.html_text import HIDDEN, html_to_text
from tests.unit.mail.sample_content import bodies, read, with_
from wire.approval import MailContent
from wire.call import ProposedCall
from wire.endpoint import EndpointContract, Property, StructuredType, Verb

SERVICES = ("API_SALES_ORDER_SRV", "API_BUSINESS_PARTNER", "API_PURCHASEORDER_PROCESS_SRV", "CE_SALESORDER_0001_V4")
VALUES = {
    "Edm.Decimal": "1234567.500", "Edm.Boolean": True, "Edm.DateTime": "/Date(1796083200000)/", "Edm.Date": "2026-12-01",
    "Edm.Time": "PT14H30M", "Edm.Int32": 7, "Edm.Int16": 7, "Edm.Byte": 7, "Edm.Double": 1.5,
}  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> SnapshotReader:
    root = tmp_path_factory.mktemp("graph")
    ingest([shared / "corpus" / "edmx" / f"{service}.edmx" for service in SERVICES], root)
    return open_snapshot(root)


def value(spec: Property) -> Any:
    return VALUES.get(spec.type, f"{spec.name[:8]}-x")


def filled(kind: StructuredType, contract: EndpointContract, levels: int) -> dict[str, Any]:
    """Every property, and two rows of every navigation, ``levels`` deep."""
    payload = {p.name: value(p) for p in kind.properties if p.type.startswith("Edm.")}
    for navigation in kind.navigations if levels else ():
        target = contract.type(navigation.target_type)
        if target is not None and target.name != kind.name:
            payload[navigation.name] = [filled(target, contract, levels - 1)] * 2
    return payload


def mails(snapshot: SnapshotReader, language: str) -> list[tuple[dict[str, Any], MailContent]]:
    made: list[tuple[dict[str, Any], MailContent]] = []
    for endpoint in snapshot.endpoints():
        if endpoint.kind != "EntitySet":
            continue
        contract = snapshot.contract(endpoint.service, endpoint.endpoint, Verb.CREATE)
        kind = contract.type(contract.entity_type)
        if kind is None:
            continue
        payload = filled(kind, contract, levels=2 if len(made) % 10 == 0 else 0)
        call = ProposedCall(method="POST", service=endpoint.service, endpoint=endpoint.endpoint, payload=payload)
        said = describe_call(call, contract, None, language)
        content = with_(title=str(said.title), lines=said.lines, tables=said.tables, language=language)
        made.append((payload, content))
    return made


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_set_makes_a_mail_that_says_the_same_twice_and_leaves_nothing_out(snapshot, language):
    made = mails(snapshot, language)
    assert len(made) > 100
    for payload, content in made:
        text, rich = bodies(content)
        shown = html_to_text(rich)
        plain = re.sub(r"mailto:\S+|[\u2068\u2069]", "", text)
        assert re.findall(r"\w+", plain) == re.findall(r"\w+", shown)
        assert HIDDEN not in shown
        texts = [given for given in payload.values() if isinstance(given, str) and given.endswith("-x")]
        assert [given for given in texts if given not in plain] == []
        assert len(str(read(content)["Subject"])) <= LONGEST
