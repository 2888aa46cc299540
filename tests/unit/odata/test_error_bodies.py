"""Whatever a service says about a failure becomes one error body: no text and no JSON makes the reader fail."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odata.error_body import parse_error_body

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
NAMES = st.sampled_from(
    ["error", "odata.error", "message", "value", "code", "innererror", "errordetails", "details", "target"]
)
SHAPES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))


@given(st.text(max_size=300), st.sampled_from(["", "application/json", "application/xml", "text/html"]))
def test_no_text_is_too_odd(text: str, media_type: str) -> None:
    assert parse_error_body(text, media_type).summary()


@given(SHAPES)
def test_no_shape_of_json_is_too_odd(value: Any) -> None:
    assert parse_error_body(json.dumps(value), "application/json").summary()


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"error": {"code": "A", "message": {"lang": "en", "value": "V2"}}}, "A", "V2"),
        ({"error": {"code": "A", "message": "V4"}}, "A", "V4"),
        ({"odata.error": {"code": "A", "message": {"value": "V3"}}}, "A", "V3"),
        ({"error": {"code": "A", "message": "V4", "innererror": {"errordetails": []}}}, "A", "V4"),
    ],
)
def test_each_version_has_its_shape(body: dict[str, Any], code: str, message: str) -> None:
    found = parse_error_body(json.dumps(body))
    assert (found.code, found.message) == (code, message)
