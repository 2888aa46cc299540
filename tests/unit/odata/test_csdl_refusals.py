"""Only a DOCTYPE, ill-formed XML or a wrong root is refused, each with one line that names file, place and remedy."""

import pytest

from odata.csdl import read_csdl
from odata.csdl_policy import CsdlPolicy, Defect
from odata.errors import DocumentTypeRefused, IllFormedXml, InvalidMetadata, MetadataError, WrongRoot
from tests.unit.odata.csdl_samples import v4

_BOMB = b'<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<x>&b;</x>'


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", IllFormedXml, "the file is empty"),
        (b"  \n ", IllFormedXml, "the file is empty"),
        (b'<?xml version="1.0" encoding="x-no"?><a/>', IllFormedXml, "not well-formed XML"),
        (b'{"error": "no"}', IllFormedXml, "line 1: not well-formed XML"),
        (v4("<EntityType Name='A'/>")[:150], IllFormedXml, "fetch it again"),
        (_BOMB, DocumentTypeRefused, "line 2, element x: a DOCTYPE is not allowed"),
        (b"<!DOCTYPE html><html><body>Log on</body></html>", DocumentTypeRefused, "HTML page"),
        (b"<html><body>Log on</body></html>", WrongRoot, "element html: the root is html in namespace (none)"),
        (b'<Edmx xmlns="urn:other"/>', WrongRoot, "save the service's $metadata"),
    ],
)
def test_refused_in_one_line(data: bytes, error: type[MetadataError], words: str) -> None:
    with pytest.raises(error) as caught:
        read_csdl(data, "sales.edmx")
    assert words in str(caught.value)
    assert str(caught.value).startswith("sales.edmx")
    assert "\n" not in str(caught.value)


def test_external_entity_is_never_fetched() -> None:
    data = b'<!DOCTYPE x SYSTEM "http://192.0.2.1/x.dtd"><x/>'
    with pytest.raises(DocumentTypeRefused):
        read_csdl(data, "x.edmx")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_and_byte_order_marks(encoding: str) -> None:
    text = v4('<EntityType Name="Käufer"/>').decode()
    document = read_csdl(text.encode(encoding), "sales.edmx")
    assert list(document.types) == ["Shop.Käufer"]


def test_defects_are_reported_by_default_and_refused_on_demand() -> None:
    data = v4('<EntityType Name="A"><Property Name="P" Type="Shop.Missing"/></EntityType>')
    assert "type Shop.Missing is not declared" in str(read_csdl(data, "a.edmx").findings[0])
    with pytest.raises(InvalidMetadata, match=r"a.edmx, line 5, element Property Shop.A/P"):
        read_csdl(data, "a.edmx", CsdlPolicy({Defect.DANGLING_TYPE: "refuse"}))
    assert read_csdl(data, "a.edmx", CsdlPolicy({Defect.DANGLING_TYPE: "ignore"})).findings == ()
