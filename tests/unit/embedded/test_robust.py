"""Any text in URL or body is answered with a client error or a result, never with an internal error."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedded.odata_service import edm
from embedded.odata_service.app import create_app
from embedded.odata_service.messages import Request
from embedded.odata_service.query import split_outside
from embedded.odata_service.server import Server
from embedded.odata_service.values import literal_as, to_literal

WORDS = st.sampled_from(
    ["Customer", "Order", "to_Item", "Discount", "eq", "and", "not", "(", ")", "'a'", "1M", "null", ",", "/", "gt",
     "title", "tags", "any", "any(t:t", "author", "genre", "books", "add", "div", "0", "true", "$count", "in", "-",
     "T.Genre'Novel'", "born", "year(", "length(", "round(", "OrderDate", "published", "concat(", "substring("]
)  # fmt: skip
SEGMENTS = st.sampled_from(
    ["Orders", "Books", "('1')", "(1)", "to_Item", "lib.lend", "x", "$value", "chapters", "(", "Main"]
)
EXPRESSIONS = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["Customer", "to_Item", "results", "Discount", "OrderDate", "Blocked", "tags", "author", "title",
                         "chapters", "price", "address", "@odata.type", "author@odata.bind", "__metadata", "to_Note", "x"]),
        inner, max_size=4),
    max_leaves=10,
)  # fmt: skip


@pytest.fixture
def server(config):
    """With one row in each service, so that conditions are evaluated and not only read."""
    app = create_app(replace(config, faults=True))
    order = b'{"Order":"1","Customer":"C","Discount":"1","OrderDate":"2026-01-01T00:00:00","to_Item":[{}]}'
    author = b'{"name":"A","born":1820,"books":[{"ID":1,"title":"T","tags":["a"],"published":"2026-01-01"}]}'
    assert status(app.state.server, Request("POST", "/ORDERS/Orders", body=order)) == 201
    assert status(app.state.server, Request("POST", "/LIBRARY/Authors", body=author)) == 201
    yield app.state.server
    app.state.store.close()


def status(server: Server, request: Request) -> int:
    return server.handle(request).status


fuzz = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@fuzz
@given(EXPRESSIONS, st.sampled_from(["$filter", "$orderby", "$select", "$expand", "$top", "$skiptoken", "$search"]))
def test_any_query_option(server, text, option):
    query = f"{option}={text}".replace("&", "%26").replace("#", "%23")
    for path in ("/ORDERS/Orders", "/LIBRARY/Books", "/LIBRARY/Authors"):
        assert status(server, Request("GET", path, query)) < 500


@fuzz
@given(st.lists(SEGMENTS | st.text(max_size=6), max_size=5))
def test_any_path(server, parts):
    for service in ("ORDERS", "LIBRARY"):
        for method in ("GET", "POST", "PATCH", "DELETE"):
            for path in ("/".join(parts), "".join(parts)):
                assert status(server, Request(method, f"/{service}/{path}", body=b"{}")) in {*range(500), 501}


@fuzz
@given(JSON)
def test_any_body(server, body):
    content = json.dumps(body).encode()
    for path in ("/ORDERS/Orders", "/LIBRARY/Books", "/LIBRARY/Authors", "/LIBRARY/closeLibrary", "/_faults"):
        assert status(server, Request("POST", path, body=content)) < 500


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"Customer":"\\ud800"}', 400),
        (b'{"Customer":"C","Discount":"1e999999"}', 400),
        (b'{"Customer":NaN}', 400),
        (b"[" * 100_000, 400),
    ],
)
def test_hostile_body(server, body, expected):
    assert status(server, Request("POST", "/ORDERS/Orders", body=body)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(" * 5000, 400),
        (" or ".join(["Customer eq 'C'"] * 3000), 200),
        ("Customer add 1 eq 2", 400),
        ("year(Customer) eq 1", 400),
        ("1 div 0 eq 1", 400),
    ],
)
def test_hostile_filter(server, text, expected):
    assert status(server, Request("GET", "/ORDERS/Orders", f"$filter={text}")) == expected


@given(st.text())
def test_string_literal_round_trip(text):
    assert literal_as(to_literal(text, "Edm.String", True), "Edm.String", True) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_decimal_keeps_its_value(number):
    canonical = edm.parse_decimal(str(number))
    assert edm.comparable(canonical, "Edm.Decimal") == number


@given(st.datetimes())
def test_v2_json_date_round_trip(moment):
    canonical = edm.parse_datetime(moment.replace(microsecond=0).isoformat())
    stamp = edm.parse_v2_json_date(f"/Date({edm.v2_milliseconds(canonical)})/")
    assert stamp == (canonical, None)


@given(st.text(alphabet="ab,'()/"))
def test_split_loses_nothing(text):
    assert ",".join(split_outside(text, ",")) == text
