"""Processes, bindings, seed, goals and queries agree with the shipped metadata."""

from typing import Any

import pytest

from tests.unit.catalogue.catalogue_files import (
    EntityType,
    Service,
    children,
    lines,
    local,
    node_ids,
    processes,
    rows,
    seed,
    service_of,
    services,
)

QUERY_TYPES = {"single", "schema", "codes", "navigation_chain", "process_goal", "workflow", "probe", "out_of_scope"}
each_process = pytest.mark.parametrize("process_id", processes())


@each_process
def test_flows_join_nodes_and_nodes_know_their_flows(process_id):
    process, nodes = processes()[process_id], node_ids(process_id)
    flows = {f.get("id"): (f.get("sourceRef"), f.get("targetRef")) for f in children(process, "sequenceFlow")}
    named = {(e.text, local(e)) for e in process.iter() if local(e) in ("incoming", "outgoing")}
    assert {end for pair in flows.values() for end in pair} <= nodes
    assert named == {(f, way) for f in flows for way in ("incoming", "outgoing")}


@each_process
def test_every_task_has_a_name_and_words(process_id):
    tasks = [e for e in processes()[process_id].iter() if local(e).endswith("Task")]
    assert all(t.get("name") and next(children(t, "documentation")).text for t in tasks)


@each_process
def test_lanes_hold_existing_nodes(process_id):
    placed = [e.text for e in children(processes()[process_id], "flowNodeRef")]
    assert len(placed) == len(set(placed))
    assert set(placed) <= node_ids(process_id)


def test_processes_use_loops_timers_and_subprocesses():
    tags = [local(e) for p in processes().values() for e in p.iter()]
    assert len(processes()) >= 5
    assert {"subProcess", "boundaryEvent", "timerEventDefinition", "parallelGateway"} <= set(tags)
    assert sum(any(n in reachable(a, a[n], set()) for n in a) for a in map(arcs_of, processes())) >= 4


def kind_of(service: Service, endpoint: str) -> set[str]:
    if endpoint in service.sets:
        return {"EntitySet"}
    return {"FunctionImport"} if service.version == "V2" else {"Action", "Function"}


def test_bindings_join_nodes_and_endpoints():
    for row in rows("bindings.csv"):
        service = service_of(row)
        assert row["node_id"] in node_ids(row["process_id"]), row
        assert service.has(row["endpoint"]), row
        assert row["endpoint_kind"] in kind_of(service, row["endpoint"]), row


def test_reference_properties_take_a_long_text():
    named = [(service_of(r), r) for r in rows("bindings.csv") if r["reference_property"]]
    assert len(named) >= 10
    for service, row in named:
        assert row["reference_property"] in service.members(row["endpoint"]), row
        assert row["mode"] in ("create", "action"), row


def test_bindings_name_their_author_and_confidence():
    assert all(row["author"] and 0 < float(row["confidence"]) <= 1 for row in rows("bindings.csv"))


def test_carry_over_takes_what_exists_to_where_it_fits():
    bound = {(r["process_id"], r["node_id"]) for r in rows("bindings.csv")}
    for row in rows("carryover.csv"):
        source, target = service_of(row, "from_service"), service_of(row, "to_service")
        assert row["from_property"] in source.members(row["from_entity"]), row
        assert row["to_property_or_parameter"] in target.members(row["to_entity_or_operation"]), row
        assert {(row["process_id"], row["from_node"]), (row["process_id"], row["to_node"])} <= bound, row


def code_table() -> dict[tuple[str, str, str], set[str]]:
    table: dict[tuple[str, str, str], set[str]] = {}
    for r in rows("codes.csv"):
        table.setdefault((service_of(r).name, r["entity_type"], r["property"]), set()).add(r["code"])
    return table


def test_seed_holds_declared_properties_and_listed_codes():
    table = code_table()
    for row in seed():
        service = services()[row["service"]]
        assert set(row["record"]) <= service.members(row["endpoint"]), row
        for name, value in row["record"].items():
            codes = table.get((service.name, service.sets[row["endpoint"]], name))
            assert codes is None or value in codes, row


def test_seed_keys_are_whole_and_unique():
    keys = []
    for row in seed():
        names = services()[row["service"]].fields(row["endpoint"]).keys
        keys.append((row["service"], row["endpoint"], *(row["record"][k] for k in names)))
    assert len(keys) == len(set(keys))


def seeded(service: str, endpoint: str, name: str) -> set[Any]:
    found = (r["record"].get(name) for r in seed() if (r["service"], r["endpoint"]) == (service, endpoint))
    return {value for value in found if value is not None}


@pytest.mark.parametrize(
    ("service", "endpoint", "name", "master"),
    [
        ("PURCHASE_ORDER", "PurchaseOrderSet", "Supplier", ("BUSINESS_PARTNER", "Suppliers", "Supplier")),
        (
            "SUPPLIER_INVOICE",
            "SupplierInvoices",
            "PurchaseOrder",
            ("PURCHASE_ORDER", "PurchaseOrderSet", "PurchaseOrder"),
        ),
        ("PURCHASE_ORDER", "PurchaseOrderItemSet", "Material", ("PRODUCT", "Products", "Product")),
        ("SALES_ORDER", "SalesOrderSet", "SoldToParty", ("BUSINESS_PARTNER", "Customers", "Customer")),
        ("SALES_ORDER", "SalesOrderItemSet", "Material", ("PRODUCT", "Products", "Product")),
        (
            "OUTBOUND_DELIVERY",
            "OutboundDeliverySet",
            "ReferenceDocument",
            ("SALES_ORDER", "SalesOrderSet", "SalesOrder"),
        ),
        ("SOURCING", "InfoRecords", "Material", ("PRODUCT", "Products", "Product")),
    ],
)
def test_seeded_documents_refer_to_seeded_rows(service, endpoint, name, master):
    assert seeded(service, endpoint, name) <= seeded(*master)


def test_seed_is_big_enough_to_work_with():
    assert len(seeded("BUSINESS_PARTNER", "BusinessPartners", "BusinessPartner")) >= 12
    assert len(seeded("PRODUCT", "Products", "Product")) >= 20


def check_record(service: Service, entity: EntityType, record: dict[str, Any]) -> None:
    """Names of a record exist; nested rows are checked against the type their navigation ends in."""
    for name, value in record.items():
        if isinstance(value, list):
            for nested in value:
                check_record(service, service.types[entity.navigations[name]], nested)
        else:
            assert name in entity.properties, name


def check_path(service: Service, endpoint: str, path: list[str]) -> None:
    """A dotted path of the ``uses`` grammar: navigations and row numbers, then a property or parameter."""
    if endpoint in service.operations:
        assert path[-1] in service.operations[endpoint], path
        return
    entity = service.fields(endpoint)
    for part in path[:-1]:
        entity = entity if part.isdigit() else service.types[entity.navigations[part]]
    assert path[-1] in entity.properties, path


def goal_calls() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(goal, call) for goal in lines("goals.jsonl") for call in goal["calls"]]


def test_goals_send_what_the_endpoints_take():
    for _, call in goal_calls():
        service = services()[call["service"]]
        assert set(call["must"]) | set(call.get("if_sent", {})) <= service.members(call["endpoint"]), call
        if call["endpoint"] in service.sets:
            check_record(service, service.fields(call["endpoint"]), call["items"] or {})


def test_goals_use_what_earlier_calls_return():
    for goal, call in goal_calls():
        for target, source in (call["uses"] or {}).items():
            check_path(services()[call["service"]], call["endpoint"], target.split("."))
            for one in source if isinstance(source, list) else [source]:
                index, *path = one.split(".")
                earlier = goal["calls"][int(index)]
                check_path(services()[earlier["service"]], earlier["endpoint"], path)


def holds(condition: str, given: dict[str, Any]) -> bool:
    """One condition of the ``unless`` grammar: ``P``, ``!P`` or ``P=v``."""
    if condition.startswith("!"):
        return condition[1:] not in given
    name, equals, value = condition.partition("=")
    return name in given and (not equals or given[name] == value)


def missing(service: Service, set_name: str, given: dict[str, Any]) -> set[str]:
    """What a create of this set needs and does not get, by metadata or by the curated list."""
    demanded = set(service.required.get(set_name, ()))
    for row in rows("required.csv"):
        alternatives = [part.split("&") for part in row["unless"].split()]
        if (service_of(row).name, row["entity_set"]) == (service.name, set_name):
            lifted = any(all(holds(c, given) for c in part) for part in alternatives)
            demanded |= set() if lifted else {row["property"]}
    return demanded - set(given)


def sent_records(call: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The set and the names given for the header and for each nested row of a create."""
    service, uses = services()[call["service"]], call["uses"] or {}
    header = {**call["must"], **call.get("if_sent", {}), **{t: "" for t in uses if "." not in t}}
    found = [(call["endpoint"], header)]
    for nav, nested in (call["items"] or {}).items():
        target = service.fields(call["endpoint"]).navigations[nav]
        (set_name,) = (s for s, t in service.sets.items() if t == target)
        carried = {t.rpartition(".")[2]: "" for t in uses if t.startswith(f"{nav}.")}
        found += [(set_name, {**row, **carried}) for row in nested]
    return found


@pytest.mark.parametrize("call", [c for _, c in goal_calls() if c["method"] == "POST"], ids=lambda c: c["endpoint"])
def test_goals_give_what_a_create_requires(call):
    for set_name, given in sent_records(call):
        assert not missing(services()[call["service"]], set_name, given)


def test_queries_name_existing_endpoints():
    for query in lines("queries.jsonl"):
        for hit in [*query["gold"], *query.get("also", []), *([query["seed"]] if "seed" in query else [])]:
            service = services()[hit["service"]]
            assert service.has(hit["endpoint"]), query
            assert hit["kind"] in kind_of(service, hit["endpoint"]), query


def test_queries_cover_all_types_and_languages():
    queries = lines("queries.jsonl")
    assert len(queries) >= 60
    assert {q["type"] for q in queries} == QUERY_TYPES
    assert {"en", "de", "fr", "es", "hi", "gu"} <= {q["lang"] for q in queries}


def test_query_details_exist():
    for query in lines("queries.jsonl"):
        names = [*query.get("fields", []), *([query["property"]] if "property" in query else [])]
        nodes = [n for part in query.get("path", {}).values() for n in part]
        gold = query["gold"][0] if query["gold"] else {}
        assert not names or set(names) <= services()[gold["service"]].members(gold["endpoint"]), query
        assert not nodes or set(nodes) <= node_ids(query["process_id"]), query


def arcs_of(process_id: str) -> dict[str, set[str]]:
    """Arcs of the happy course: sequence flows, a subprocess entered at its start and left at its end."""
    arcs: dict[str, set[str]] = {}
    for flow in children(processes()[process_id], "sequenceFlow"):
        arcs.setdefault(flow.get("sourceRef", ""), set()).add(flow.get("targetRef", ""))
    for sub in children(processes()[process_id], "subProcess"):
        name, after = sub.get("id", ""), arcs.get(sub.get("id", ""), set())
        arcs[name] = {e.get("id", "") for e in children(sub, "startEvent")}
        arcs |= {e.get("id", ""): after for e in children(sub, "endEvent")}
    return arcs


def reachable(arcs: dict[str, set[str]], start: set[str], avoid: set[str]) -> set[str]:
    found, open_ends = set(start), list(start)
    while open_ends:
        fresh = arcs.get(open_ends.pop(), set()) - found - avoid
        found |= fresh
        open_ends += fresh
    return found


def on_the_way(process_id: str, path: dict[str, list[str]]) -> set[str]:
    """Nodes on some course from a node of ``from`` to one of ``to`` that touches none of ``avoid``."""
    arcs, avoid = arcs_of(process_id), set(path["avoid"])
    back: dict[str, set[str]] = {}
    for source, targets in arcs.items():
        for target in targets:
            back.setdefault(target, set()).add(source)
    return reachable(arcs, set(path["from"]), avoid) & reachable(back, set(path["to"]), avoid)


@pytest.mark.parametrize("query", [q for q in lines("queries.jsonl") if "path" in q], ids=lambda q: q["id"])
def test_golds_of_a_process_are_its_bound_steps(query):
    nodes = on_the_way(query["process_id"], query["path"])
    bound = {(service_of(r).name, r["endpoint"]) for r in rows("bindings.csv") if r["node_id"] in nodes}
    assert {(g["service"], g["endpoint"]) for g in query["gold"]} == bound


@pytest.mark.parametrize("name", ["queries.jsonl", "goals.jsonl"])
def test_ids_and_texts_are_unique(name):
    records = lines(name)
    for part in ("id", "text" if name == "queries.jsonl" else "goal"):
        assert len({r[part] for r in records}) == len(records)


def test_only_out_of_scope_queries_have_no_gold():
    assert all(bool(q["gold"]) == (q["type"] != "out_of_scope") for q in lines("queries.jsonl"))


def test_twins_exist_and_are_not_the_same():
    for row in rows("twins.csv"):
        assert services()[row["service"]].has(row["endpoint"]), row
        assert services()[row["twin_service"]].has(row["twin_endpoint"]), row
        assert (row["service"], row["endpoint"]) != (row["twin_service"], row["twin_endpoint"])
