"""Metadata and codes of live services: a scripted service behind an httpx transport, one clear line for each failure."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.errors import SourceError
from graph.ingest import Gathered, held_sources, ingest
from graph.reader import SnapshotReader, open_snapshot
from graph.remote import Access, Remote, gather
from graph.service_url import parse_service_url
from odata.auth import BasicAuth
from tests.unit.odata.csdl_samples import v4
from wire.endpoint import CodeList, Verb

AT, LATER = datetime(2026, 3, 1, 8, tzinfo=UTC), datetime(2026, 3, 9, 8, tzinfo=UTC)
URL = "https://erp.test/srv/SHOP"


def _list(name: str, remote: str, *more: str) -> str:
    """A Common.ValueList over the set ``name``."""
    out = (
        '<Record Type="Common.ValueListParameterInOut"><PropertyValue Property="LocalDataProperty" PropertyPath="{}"/>'
    )
    out += f'<PropertyValue Property="ValueListProperty" String="{remote}"/></Record>'
    record = f'<Record><PropertyValue Property="CollectionPath" String="{name}"/><PropertyValue Property="Parameters">'
    inside = f"{record}<Collection>{out}{''.join(more)}</Collection></PropertyValue></Record>"
    return f'<Annotation Term="Common.ValueList">{inside}</Annotation>'


_IN = """<Record Type="Common.ValueListParameterIn"><PropertyValue Property="LocalDataProperty" PropertyPath="Land"/>
<PropertyValue Property="ValueListProperty" String="Land"/></Record>"""
_CONSTANT = """<Record Type="Common.ValueListParameterConstant"><PropertyValue Property="ValueListProperty" String="Kind"/>
<PropertyValue Property="Constant" String="O'K"/></Record>"""
_FIXED = '<Annotation Term="Common.ValueListWithFixedValues"/>'
_PROPERTIES = (
    ("Currency", _list("Currencies", "Code") + _FIXED),
    ("Land", _list("Lands", "Land")),
    ("Region", _list("Regions", "Region", _IN) + _FIXED),
    ("Kind", _list("Kinds", "Kind", _CONSTANT)),
    (
        "Lost",
        '<Annotation Term="Common.ValueListReferences"><Collection><String>../x</String></Collection></Annotation>',
    ),
)
_KEY = (
    '<EntityType Name="{0}"><Key><PropertyRef Name="{1}"/></Key>'
    '<Property Name="{1}" Type="Edm.String">{2}</Property>{3}</EntityType>'
)
_TEXT = '<Annotation Term="Common.Text" Path="Name"/>'
SHOP = v4(
    '<EntityType Name="Order"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/>'
    + "".join(f'<Property Name="{n}" Type="Edm.String">{a.format(n)}</Property>' for n, a in _PROPERTIES)
    + "</EntityType>"
    + _KEY.format("Currency", "Code", _TEXT, '<Property Name="Name" Type="Edm.String"/>')
    + _KEY.format("Land", "Land", "", "")
    + _KEY.format("Region", "Region", "", '<Property Name="Land" Type="Edm.String"/>')
    + _KEY.format("Kind", "Kind", "", "")
    + '<EntityContainer Name="C">'
    + "".join(
        f'<EntitySet Name="{name}" EntityType="Self.{kind}"/>'
        for name, kind in (("Orders", "Order"), ("Currencies", "Currency"), ("Lands", "Land"), ("Regions", "Region"))
    )
    + '<EntitySet Name="Kinds" EntityType="Self.Kind"/></EntityContainer>'
)
ROWS: dict[str, list[dict[str, Any]]] = {
    "Currencies": [{"Code": "USD", "Name": "Dollar"}, {"Code": "EUR", "Name": "Euro"}, {"Code": "EUR", "Name": "x"}],
    "Lands": [{"Land": "DE"}],
    "Regions": [{"Region": "BY"}],
    "Kinds": [{"Kind": "1"}],
}


class Shop:
    """Serves ``SHOP`` and its rows; ``answers`` replaces what a path gives."""

    def __init__(self, **answers: httpx.Response) -> None:
        self.answers, self.asked = answers, list[httpx.URL]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url)
        name = request.url.path.rpartition("/")[2]
        if name in self.answers:
            return self.answers[name]
        if name == "$metadata":
            return httpx.Response(200, content=SHOP, headers={"content-type": "application/xml"})
        return httpx.Response(200, json={"value": ROWS[name]})


async def load(
    tmp_path: Path, shop: Shop, order: Remote, at: datetime = AT, **more: Any
) -> tuple[Gathered, SnapshotReader]:
    """Gather, ingest what came, and open the snapshot."""
    root = tmp_path / "graph"
    access = Access(transport=httpx.MockTransport(shop))
    found = await gather(order, lambda url: access, held_sources([], root), at)
    ingest([], root, gathered=found, at=at, **more)
    return found, open_snapshot(root)


def codes(reader: SnapshotReader, name: str) -> CodeList | None:
    """The code list of a property of ``Orders``."""
    contract = reader.contract("SHOP", "Orders", Verb.CREATE)
    order = contract.type(contract.entity_type)
    found = order.property(name) if order else None
    return found.code_list if found else None


async def test_codes_come_with_text_source_and_time(tmp_path: Path) -> None:
    _, reader = await load(tmp_path, Shop(), Remote([URL], [URL]))
    found = codes(reader, "Currency")
    assert [(code.code, code.text) for code in found.codes] == [("EUR", "Euro"), ("USD", "Dollar")]
    assert (found.fixed, found.source, found.read_at) == (True, f"Currencies of {URL}/", AT.isoformat())


async def test_an_open_or_dependent_list_binds_nobody(tmp_path: Path) -> None:
    _, reader = await load(tmp_path, Shop(), Remote([URL], [URL]))
    assert [codes(reader, name).fixed for name in ("Land", "Region")] == [False, False]


async def test_a_constant_narrows_what_is_asked_for(tmp_path: Path) -> None:
    shop = Shop()
    await load(tmp_path, shop, Remote([URL], [URL]))
    asked = next(url for url in shop.asked if url.path.endswith("Kinds"))
    assert dict(asked.params) == {"$select": "Kind", "$filter": "Kind eq 'O''K'", "$top": "1001"}


async def test_too_long_a_list_is_cut_and_says_so(tmp_path: Path) -> None:
    found, reader = await load(tmp_path, Shop(), Remote([URL], [URL], most_codes=1))
    held = codes(reader, "Currency")
    assert (len(held.codes), held.fixed, held.source.endswith(", truncated after 1")) == (1, False, True)
    assert "codes of SHOP: Currencies: truncated after 1 codes" in found.notes


async def test_lists_elsewhere_are_counted(tmp_path: Path) -> None:
    found, _ = await load(tmp_path, Shop(), Remote([URL], [URL]))
    assert found.notes == ("codes of SHOP: 1 properties have their value list in another service",)


async def test_a_list_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    shop = Shop(Lands=httpx.Response(500, json={"error": {"code": "X", "message": "broken"}}))
    found, reader = await load(tmp_path, shop, Remote([URL], [URL]))
    assert (codes(reader, "Land"), codes(reader, "Currency") is None) == (None, False)
    assert any(note.startswith("codes of SHOP: Lands: status 500") for note in found.notes)


async def test_the_same_codes_later_are_the_same_graph_with_a_newer_time(tmp_path: Path) -> None:
    _, first = await load(tmp_path, Shop(), Remote([URL], [URL]))
    _, second = await load(tmp_path, Shop(), Remote([], [URL]), LATER, keep=True)
    assert first.graph_hash == second.graph_hash
    assert codes(second, "Currency").read_at == LATER.isoformat()
    assert second.read_at("SHOP") == {"service": AT.isoformat(), "valuehelp": LATER.isoformat()}


async def test_codes_of_a_service_that_is_not_loaded_bring_its_metadata(tmp_path: Path) -> None:
    _, reader = await load(tmp_path, Shop(), Remote([], [URL]))
    assert (reader.services(), codes(reader, "Currency") is None) == (["SHOP"], False)


async def test_codes_of_properties_that_went_are_reported(tmp_path: Path) -> None:
    await load(tmp_path, Shop(), Remote([URL], [URL]))
    shorter = httpx.Response(200, content=SHOP.replace(b'"Region"', b'"Area"'), headers={"content-type": "text/xml"})
    access = Access(transport=httpx.MockTransport(Shop(**{"$metadata": shorter})))
    found = await gather(Remote([URL]), lambda url: access, held_sources([], None), AT)
    report = ingest([], tmp_path / "graph", gathered=found, keep=True)
    assert "codes of SHOP: no property SHOP Shop.Order/Region is loaded" in report.warnings


_HTML = httpx.Response(200, html="<html>Log on</html>")
_REDIRECT = httpx.Response(302, headers={"location": "https://login.test/"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(401), "status 401: log on again or check the credentials; give --user with --password-env"),
        (_HTML, "an HTML page in place of an answer: log on again"),
        (_REDIRECT, "status 302: log on again"),
        (httpx.Response(404), "give the root of an OData service, above its entity sets"),
        (httpx.Response(200, content=b"<a/>", headers={"content-type": "text/xml"}), "the root is"),
        (httpx.Response(200, json={}), "not well-formed"),
        (httpx.Response(200, content=b""), "the file is empty"),
        (httpx.Response(503), "the service is busy (503)"),
    ],
)
async def test_each_failure_is_one_line_and_others_load(tmp_path: Path, answer: httpx.Response, words: str) -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        return answer if "BAD" in request.url.path else Shop()(request)

    access = Access(transport=httpx.MockTransport(serve))
    found = await gather(Remote(["https://erp.test/BAD", URL]), lambda url: access, {}.get, AT)
    report = ingest([], tmp_path / "graph", gathered=found)
    assert [item.name for item in report.loaded if item.kind == "service"] == ["SHOP"]
    assert len(report.refused) == 1
    reason = report.refused[0].reason
    assert (words in reason, "\n" in reason, reason.startswith("https://erp.test/BAD")) == (True, False, True), reason


async def test_no_connection_is_one_line() -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    access = Access(transport=httpx.MockTransport(nobody))
    found = await gather(Remote([URL]), lambda url: access, {}.get, AT)
    assert "cannot be reached" in found.refused[0].reason


async def test_login_and_headers_are_sent() -> None:
    seen: list[httpx.Headers] = []

    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers)
        return Shop()(request)

    access = Access(BasicAuth("ann", "pw"), {"APIKey": "k"}, httpx.MockTransport(serve))
    await gather(Remote([URL]), lambda url: access, {}.get, AT)
    assert (seen[0]["authorization"].startswith("Basic "), seen[0]["apikey"]) == (True, "k")


@pytest.mark.parametrize(
    ("text", "name", "root", "path"),
    [
        ("https://h/a/SHOP", "SHOP", "https://h/a/SHOP/", "$metadata"),
        ("https://h/a/SHOP/$metadata?sap-client=100", "SHOP", "https://h/a/SHOP/", "$metadata?sap-client=100"),
        ("X.1=https://h/a/b/", "X.1", "https://h/a/b/", "$metadata"),
        ("https://h/salesorder/0001/", "salesorder_0001", "https://h/salesorder/0001/", "$metadata"),
        ("https://h/V4/Northwind/Northwind.svc", "Northwind", "https://h/V4/Northwind/Northwind.svc/", "$metadata"),
        ("https://h/API;v=2/", "API_v_2", "https://h/API;v=2/", "$metadata"),
        ("https://h/sap/opu/odata/X", "X", "https://h/sap/opu/odata/X/", "$metadata?sap-value-list=all"),
    ],
)
def test_addresses_and_names(text: str, name: str, root: str, path: str) -> None:
    url = parse_service_url(text)
    assert (url.name, url.root, url.metadata_path) == (name, root, path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ftp://h/x", "is no http or https URL"),
        ("https:///x", "is no http or https URL"),
        ("https://h:x/y", "is no URL"),
        ("https://h/", "give it a name: NAME=URL"),
        ("https://ann:secret@h/x", "holds credentials"),
    ],
)
def test_wrong_addresses_say_what_to_do_and_no_secret(text: str, words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        parse_service_url(text)
    assert "secret" not in str(caught.value)


def test_the_document_of_codes_holds_no_time() -> None:
    from graph.code_snapshot import CodesOfSet, codes_document

    lists = [CodesOfSet(name, "k", "", "", False, (("1", ""),), ()) for name in ("B", "A")]
    document = json.loads(codes_document("S", URL, lists))
    assert [item["entity_set"] for item in document["lists"]] == ["A", "B"]
    assert "2026" not in json.dumps(document)
