"""CSRF, repeatable requests, request log, fault injection."""

import httpx
import pytest

from embedded.odata_service.app import ConnectionDropped

ORDER = {"Customer": "C1", "OrderType": "OR"}
URL = "/ORDERS/Orders"
REPEAT = {
    "repeatability-request-id": "11111111-2222-3333-4444-555555555555",
    "repeatability-first-sent": "Mon, 30 Nov 2026 12:00:00 GMT",
}


async def count(client: httpx.AsyncClient) -> str:
    return (await client.get(f"{URL}/$count")).text


async def test_csrf_token_belongs_to_its_session(start):
    client = start(require_csrf=True)
    refused = await client.post(URL, json=ORDER)
    token = (await client.get("/ORDERS/", headers={"x-csrf-token": "Fetch"})).headers["x-csrf-token"]
    accepted = await client.post(URL, json=ORDER, headers={"x-csrf-token": token})
    client.cookies.clear()
    other = await client.post(URL, json=ORDER, headers={"x-csrf-token": token})
    assert (refused.status_code, refused.headers["x-csrf-token"]) == (403, "Required")
    assert (accepted.status_code, other.status_code) == (201, 403)


async def test_token_of_a_session_stays_the_same(start):
    client = start(require_csrf=True)
    tokens = {
        (await client.get("/ORDERS/", headers={"x-csrf-token": "Fetch"})).headers["x-csrf-token"] for _ in range(3)
    }
    assert len(tokens) == 1


async def test_repeated_request_has_one_effect_and_the_first_answer(client, start):
    first = await client.post(URL, json=ORDER, headers=REPEAT)
    second = await start().post(URL, json=ORDER, headers=REPEAT)
    assert second.json() == first.json()
    assert (second.status_code, second.headers["repeatability-result"]) == (201, "accepted")
    assert second.headers["location"] == first.headers["location"]
    assert await count(client) == "1"


async def test_same_id_with_another_request_is_refused(client):
    await client.post(URL, json=ORDER, headers=REPEAT)
    answer = await client.post(URL, json=ORDER | {"Customer": "C2"}, headers=REPEAT)
    assert (answer.status_code, answer.headers["repeatability-result"]) == (409, "rejected")
    assert await count(client) == "1"


async def test_refused_request_may_be_repeated_with_a_right_body(client):
    assert (await client.post(URL, json={"Nope": 1}, headers=REPEAT)).status_code == 400
    assert (await client.post(URL, json=ORDER, headers=REPEAT)).status_code == 201


async def test_repeated_action_and_delete(client):
    await client.post(URL, json=ORDER | {"Order": "1"})
    for _ in range(2):
        assert (await client.post("/ORDERS/Release?Order='1'", headers=REPEAT)).status_code == 200
    other = REPEAT | {"repeatability-request-id": "delete-1"}
    for _ in range(2):
        assert (await client.delete(f"{URL}('1')", headers=other)).status_code == 204
    assert len((await client.get("/_actions")).json()) == 1


@pytest.mark.parametrize("missing", ["repeatability-request-id", "repeatability-first-sent"])
async def test_repeatability_headers_go_together(client, missing):
    headers = {name: value for name, value in REPEAT.items() if name != missing}
    assert (await client.post(URL, json=ORDER, headers=headers)).status_code == 400


async def test_first_sent_must_be_a_date(client):
    headers = REPEAT | {"repeatability-first-sent": "yesterday"}
    assert (await client.post(URL, json=ORDER, headers=headers)).status_code == 400


async def test_log_shows_every_request_and_writes_apart(client):
    await client.get(f"{URL}?$top=1")
    await client.post(URL, json={"Nope": 1}, headers=REPEAT)
    writes = (await client.get("/_log/writes")).json()
    assert [(entry["method"], entry["path"], entry["status"]) for entry in writes] == [("POST", URL, 400)]
    assert writes[0]["repeatability_id"] == REPEAT["repeatability-request-id"]
    assert [entry["path"] for entry in (await client.get("/_log")).json()][:1] == [f"{URL}?$top=1"]


@pytest.fixture
def faulty(start):
    return start(faults=True, require_csrf=False)


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("503", 503), ("html_login", 200)])
async def test_fault_answers_in_place_of_the_service(faulty, kind, status):
    await faulty.post("/_faults", json={"service": "ORDERS", "kind": kind, "times": 1, "seconds": 3})
    hit = await faulty.post(URL, json=ORDER)
    assert hit.status_code == status
    assert hit.headers.get("retry-after") == (None if kind == "html_login" else "3")
    assert await count(faulty) == "0"


async def test_fault_meets_its_service_only(faulty):
    await faulty.post("/_faults", json={"service": "LIBRARY", "kind": "503"})
    assert (await faulty.get(URL)).status_code == 200
    assert (await faulty.get("/LIBRARY/Books")).status_code == 503


async def test_lost_response_has_its_effect(faulty):
    with pytest.raises(ConnectionDropped):
        await faulty.post(URL, json=ORDER, headers=REPEAT | {"x-fault": "lost_response"})
    assert await count(faulty) == "1"
    assert (await faulty.post(URL, json=ORDER, headers=REPEAT)).headers["repeatability-result"] == "accepted"
    assert await count(faulty) == "1"


async def test_expired_token(start):
    client = start(faults=True, require_csrf=True)
    token = {"x-csrf-token": (await client.get("/ORDERS/", headers={"x-csrf-token": "fetch"})).headers["x-csrf-token"]}
    assert (await client.post(URL, json=ORDER, headers=token | {"x-fault": "expired_token"})).status_code == 403
    assert (await client.post(URL, json=ORDER, headers=token)).status_code == 403


async def test_stale_etag(faulty):
    etag = (await faulty.post(URL, json=ORDER | {"Order": "1"})).headers["etag"]
    headers = {"if-match": etag, "x-fault": "stale_etag"}
    assert (await faulty.patch(f"{URL}('1')", json={"Customer": "C2"}, headers=headers)).status_code == 412


async def test_faults_can_be_cleared(faulty):
    await faulty.post("/_faults", json={"kind": "503", "times": 5})
    await faulty.delete("/_faults")
    assert (await faulty.get(URL)).status_code == 200


async def test_latency_delays_and_answers(faulty):
    await faulty.post("/_faults", json={"kind": "latency", "seconds": 0.001})
    assert (await faulty.get(URL)).status_code == 200


async def test_faults_are_off_by_default(client):
    assert (await client.post("/_faults", json={"kind": "503"})).status_code == 404
    assert (await client.get(URL, headers={"x-fault": "503"})).status_code == 200


@pytest.mark.parametrize("body", [{"kind": "flood"}, {}, {"kind": "503", "times": "many"}])
async def test_unknown_fault_is_400(faulty, body):
    assert (await faulty.post("/_faults", json=body)).status_code == 400


async def test_lost_request_has_no_effect(faulty):
    with pytest.raises(ConnectionDropped):
        await faulty.post(URL, json=ORDER, headers={"x-fault": "lost_request"})
    assert await count(faulty) == "0"


async def test_no_effect_answers_as_if_it_had_one(faulty):
    answer = await faulty.post(URL, json=ORDER, headers={"x-fault": "no_effect"})
    assert (answer.status_code, answer.headers["location"].count("/ORDERS/Orders("), await count(faulty)) == (
        201,
        1,
        "0",
    )


async def test_metadata_is_given_once_a_version(client):
    first = await client.get("/ORDERS/$metadata")
    again = await client.get("/ORDERS/$metadata", headers={"if-none-match": first.headers["etag"]})
    other = await client.get("/ORDERS/$metadata", headers={"if-none-match": '"another"'})
    assert (again.status_code, again.content, other.content) == (304, b"", first.content)
