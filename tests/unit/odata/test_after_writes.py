"""What follows a write: comparing what reads back, look-ups, error bodies."""

from typing import Any

import pytest

from odata.error_body import parse_error_body
from odata.look_up import look_up_by_key, look_up_by_reference
from odata.wire_v2 import read_page as read_v2
from odata.wire_v4 import read_page as read_v4
from odata.written import compare_written
from tests.unit.odata.contracts import orders, people
from wire.endpoint import Verb

SAME: list[tuple[Any, Any]] = [
    ("2", "2.000"),
    (2, "2.0"),
    (12.5, "12.50"),
    ("10", "000010"),
    ("", None),
    ("/Date(1735603200000)/", "2024-12-31T00:00:00"),
    ("2024-12-31", "2024-12-31T08:30:00Z"),
    ("2024-12-31T08:30:00Z", "2024-12-31T09:30:00+01:00"),
    ("abc", "abc  "),
    (True, True),
]
OTHER: list[tuple[Any, Any]] = [
    ("2", "3"),
    ("OR", "RO"),
    (True, False),
    (True, 1),
    ("x", None),
    ("2024-12-31", "2025-01-01T00:00:00"),
    ("2024-12-31T08:30:00Z", "2024-12-31T08:31:00Z"),
    ("A1", "a1"),
]


@pytest.mark.parametrize(("sent", "read"), SAME)
def test_normalised_values_are_the_same(sent: Any, read: Any) -> None:
    assert compare_written({"a": sent}, {"a": read}) == ()


@pytest.mark.parametrize(("sent", "read"), OTHER)
def test_other_values_are_differences(sent: Any, read: Any) -> None:
    (difference,) = compare_written({"a": sent}, {"a": read})
    assert (difference.pointer, difference.sent, difference.read) == ("/a", sent, read)


def test_success_without_effect_is_seen() -> None:
    assert [d.pointer for d in compare_written({"Note": "x", "Kind": "OR"}, {"Kind": "OR"})] == ["/Note"]


def test_entries_are_matched_whatever_their_order() -> None:
    sent = {"Items": {"results": [{"M": "B", "Q": "2"}, {"M": "A", "Q": "1"}]}}
    read = {"Items": [{"M": "A", "Q": "1.000", "Id": 1}, {"M": "B", "Q": "3", "Id": 2}]}
    assert [d.pointer for d in compare_written(sent, read)] == ["/Items/0/Q"]


def test_missing_entries_are_differences() -> None:
    assert [d.pointer for d in compare_written({"Items": [{"M": "A"}]}, {"Items": []})] == ["/Items/0"]


def test_what_was_not_read_says_nothing() -> None:
    sent = {"Items": [{"M": "A"}], "Boss@odata.bind": "People('x')", "Cat": {"__metadata": {"uri": "C(1)"}}}
    assert compare_written(sent, {"Cat": {"Id": 1}}) == ()


def test_look_up_by_reference_quotes_and_limits() -> None:
    request = look_up_by_reference(orders(Verb.READ), "Reference", "run's 1")
    assert request.path == "Orders?$filter=Reference%20eq%20'run''s%201'&$top=2"
    with pytest.raises(ValueError, match="no property Nope"):
        look_up_by_reference(orders(Verb.READ), "Nope", "x")


def test_look_up_by_key_needs_the_whole_key() -> None:
    request = look_up_by_key(people(Verb.READ), {"User": "ann", "First": "Ann"})
    assert request is not None
    assert request.path == "People('ann')"
    assert look_up_by_key(people(Verb.READ), {"First": "Ann"}) is None


V2_ERROR = """{"error":{"code":"/IWBEP/CX","message":{"lang":"en","value":"Bad"},"innererror":{"errordetails":[
{"code":"C1","message":{"value":"Kind is wrong"},"propertyref":"Kind","severity":"error"}]}}}"""
V4_ERROR = '{"error":{"code":"M","message":"Several","details":[{"code":"D","message":"No","target":"Kind"}]}}'
XML_ERROR = '<error xmlns="x"><code>005056</code><message xml:lang="en">Not &lt;found&gt;</message></error>'


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (V2_ERROR, "/IWBEP/CX: Bad; Kind is wrong"),
        (V4_ERROR, "M: Several; No"),
        ('{"odata.error":{"code":"","message":{"value":"Old"}}}', "Old"),
        ('{"error":"invalid_client","error_description":"who?"}', "invalid_client: who?"),
        (XML_ERROR, "005056: Not &lt;found&gt;"),
        ("<html><title>500 Dump</title><body>x</body></html>", "500 Dump"),
        ("plain words", "plain words"),
        ('{"broken', '{"broken'),
        ("", "no message"),
    ],
)
def test_error_bodies_of_all_shapes(text: str, summary: str) -> None:
    assert parse_error_body(text).summary() == summary


def test_details_keep_their_target() -> None:
    assert [d.target for d in parse_error_body(V2_ERROR).details] == ["Kind"]


def test_envelopes_are_taken_off() -> None:
    v2 = {"d": {"results": [{"__metadata": {}, "Id": 1, "To": {"__deferred": {}}, "In": {"results": [{"A": 1}]}}]}}
    v4 = {"@odata.context": "x", "value": [{"@odata.etag": "e", "Id": 1, "In@odata.count": 1, "In": [{"A": 1}]}]}
    assert read_v2(v2).data == read_v4(v4).data == [{"Id": 1, "In": [{"A": 1}]}]
    assert read_v4({"@odata.etag": "e", "Id": 1}).etag == "e"
    assert read_v4({"@odata.context": "x", "value": 5}).data == 5
