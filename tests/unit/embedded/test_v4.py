"""V4: literals, lambdas, inheritance, containment, references, operations."""

from typing import Any

import httpx
import pytest

GUID = "00000000-0000-0000-0000-000000000001"


async def create(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    answer = await client.post(f"/LIBRARY/{path}", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
async def library(client):
    await create(
        client,
        "Authors",
        {
            "name": "Anne",
            "born": 1820,
            "address": {"City": "Thornton"},
            "books": [
                {
                    "ID": 1,
                    "title": "Agnes",
                    "price": 12.5,
                    "genre": "Novel",
                    "published": "1847-12-01",
                    "tags": ["a", "b"],
                },
                {"ID": 2, "title": "Tenant", "price": 9, "rights": "Lend,Read", "tags": []},
            ],
        },
    )
    return client


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("genre eq T.Genre'Novel'", [1]),
        ("rights has T.Rights'Lend'", [2]),
        ("contains(title,'nan')", [2]),
        ("published ge 1847-01-01", [1]),
        ("year(published) eq 1847", [1]),
        ("tags/any(t:t eq 'b')", [1]),
        ("author/name eq 'Anne' and price lt 10", [2]),
        ("ID in (2,3)", [2]),
        (f"author_ID eq {GUID}", [1, 2]),
        ("tags/$count eq 0", [2]),
        ("author/books/any(b:b/price gt 12)", [1, 2]),
    ],
)
async def test_filter(library, text, expected):
    answer = await library.get("/LIBRARY/Books", params={"$filter": text})
    assert [row["ID"] for row in answer.json()["value"]] == expected


@pytest.mark.parametrize(
    "query",
    [
        "$filter=published ge datetime'1847-01-01T00:00:00'",
        "$filter=substringof('a',title)",
        "$filter=author/books/title eq 'x'",
        "$filter=ID eq 'x'",
        "$inlinecount=allpages",
        "$expand=title",
        "$expand=author($expand=books($top=x))",
    ],
)
async def test_refuses_option(library, query):
    answer = await library.get(f"/LIBRARY/Books?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["target"].startswith("$")


async def test_nested_expand_with_options(library):
    answer = await library.get(
        "/LIBRARY/Authors?$expand=books($filter=price gt 10;$select=title;$count=true)&$count=true"
    )
    body = answer.json()
    assert body["@odata.count"] == 1
    assert body["value"][0]["books@odata.count"] == 1
    assert [{k: v for k, v in book.items() if "@" not in k} for book in body["value"][0]["books"]] == [
        {"title": "Agnes"}
    ]


async def test_entity_form(library):
    answer = await library.get("/LIBRARY/Books(1)")
    book = answer.json()
    assert book["@odata.context"] == "http://svc/LIBRARY/$metadata#Books/$entity"
    assert book["@odata.etag"] == answer.headers["etag"]
    assert (book["price"], book["tags"], book["author_ID"]) == (12.5, ["a", "b"], GUID)


async def test_ieee754_strings_on_demand(library):
    answer = await library.get("/LIBRARY/Books(1)", headers={"accept": "application/json;IEEE754Compatible=true"})
    assert answer.json()["price"] == "12.5"


async def test_open_type_keeps_dynamic_property(library):
    rows = (await library.get("/LIBRARY/Authors?$filter=born eq 1820")).json()["value"]
    assert [(row["born"], row["address"]) for row in rows] == [(1820, {"City": "Thornton", "Zip": None})]


async def test_derived_type_and_cast(library):
    await create(library, "Books", {"@odata.type": "#lib.Comic", "ID": 3, "title": "C", "colours": 4, "tags": []})
    cast = (await library.get("/LIBRARY/Books/lib.Comic")).json()["value"]
    assert [(row["ID"], row["@odata.type"]) for row in cast] == [(3, "#lib.Comic")]


async def test_contained_rows_live_below_their_parent(library):
    created = await library.post("/LIBRARY/Books(1)/chapters", json={"heading": "One"})
    assert created.headers["location"] == "http://svc/LIBRARY/Books(1)/chapters(1)"
    assert (await library.get("/LIBRARY/Books(1)/chapters(1)")).json()["heading"] == "One"
    assert (await library.get("/LIBRARY/Books(2)/chapters")).json()["value"] == []


async def test_bind_sets_foreign_key_and_links(library):
    body = {
        "ID": 4,
        "title": "D",
        "tags": [],
        "author@odata.bind": f"Authors({GUID})",
        "similar@odata.bind": ["Books(1)"],
    }
    await create(library, "Books", body)
    assert (await library.get("/LIBRARY/Books(4)/author")).json()["name"] == "Anne"
    assert [row["ID"] for row in (await library.get("/LIBRARY/Books(4)/similar")).json()["value"]] == [1]


async def test_to_one_deep_insert_creates_target_first(client):
    created = await create(client, "Books", {"title": "E", "tags": [], "author": {"name": "Emily"}})
    assert created["author"]["name"] == "Emily"
    assert created["author_ID"] == created["author"]["ID"]


async def test_singleton(client):
    assert (await client.patch("/LIBRARY/Main", json={"name": "Central"})).status_code == 204
    assert (await client.get("/LIBRARY/Main")).json()["name"] == "Central"
    assert (await client.delete("/LIBRARY/Main")).status_code == 405


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ({"title": "x" * 21, "tags": []}, "/title"),
        ({"title": "x", "tags": "a"}, "/tags"),
        ({"title": "x", "tags": [], "genre": "Opera"}, "/genre"),
        ({"title": "x", "tags": [], "genre": "Novel,Essay"}, "/genre"),
        ({"title": "x", "tags": [], "price": "5.5"}, "/price"),
        ({"title": "x", "tags": [], "price": 1.234}, "/price"),
        ({"title": "x", "tags": [], "published": "1900-02-29"}, "/published"),
        ({"title": "x", "tags": [], "colours": 1}, "/colours"),
        ({"title": "x", "tags": [], "createdAt": "2026-01-01T00:00:00Z"}, "/createdAt"),
        ({"title": "x", "tags": [], "@odata.type": "#lib.Author"}, "/@odata.type"),
        ({"title": "x", "tags": [], "chapters": {"results": []}}, "/chapters"),
        ({"title": "x", "tags": [], "author": [{}]}, "/author"),
        ({"title": "x", "tags": [], "author@odata.bind": "Books(1)"}, "/author@odata.bind"),
        ({"title": None, "tags": []}, "/title"),
        ({"tags": []}, "/title"),
    ],
)
async def test_create_refuses(client, body, target):
    answer = await client.post("/LIBRARY/Books", json=body)
    assert answer.status_code == 400
    assert [item["target"] for item in answer.json()["error"]["details"]] == [target]


async def test_insertable_false_is_405(client):
    assert (await client.post("/LIBRARY/Archive", json={"title": "x", "tags": []})).status_code == 405


async def test_bound_action_on_entity(library):
    before = (await library.get("/LIBRARY/Books(1)")).headers["etag"]
    answer = await library.post("/LIBRARY/Books(1)/lib.lend", json={"days": 14})
    assert answer.json()["title"] == "Agnes"
    assert answer.headers["etag"] != before
    assert (await library.get("/_actions")).json()[0]["parameters"] == {"days": 14}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("Books(1)/lib.lend", {}, 400),
        ("Books(1)/lib.lend", {"days": "14"}, 400),
        ("Books(1)/lib.lend", {"days": 1, "nope": 1}, 400),
        ("Books(9)/lib.lend", {"days": 1}, 404),
        ("Books/lib.lend", {"days": 1}, 404),
        ("closeLibrary", {"reason": None}, 204),
        ("cheapest", {}, 405),
    ],
)
async def test_action_parameters(library, path, body, status):
    assert (await library.post(f"/LIBRARY/{path}", json=body)).status_code == status


async def test_functions(library):
    assert (await library.get("/LIBRARY/cheapest(max=5)")).json()["value"] is True
    assert (await library.get("/LIBRARY/cheapest(max=@m)?@m=5.5")).status_code == 200
    assert (await library.get("/LIBRARY/cheapest()")).status_code == 400
    assert (await library.get("/LIBRARY/Books/lib.count(genre=T.Genre'Novel')")).status_code == 200


async def test_next_link(start, library):
    page = (await start(page_size=1).get("/LIBRARY/Books?$select=ID")).json()
    assert page["@odata.nextLink"] == "http://svc/LIBRARY/Books?$select=ID&$skiptoken=1"
