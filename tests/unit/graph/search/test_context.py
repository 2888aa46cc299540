"""What an agent is shown for a goal."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.context import build_context
from graph.retrieval.base import Corpus, Retriever
from graph.retrieval.factory import make_retriever
from tests.unit.graph.search.shop import MemoryView
from wire.context import EndpointView, TypedContext
from wire.endpoint import Verb

CHAIN = "Enter a rush sales order for customer 10100001, then ship the goods and post the goods issue"


@pytest.fixture
def retriever(corpus: Corpus) -> Retriever:
    return make_retriever("countersign", corpus)


@pytest.fixture
def chain(shop: MemoryView, retriever: Retriever) -> TypedContext:
    return build_context(CHAIN, shop, retriever)


def find(context: TypedContext, endpoint: str, verb: Verb) -> EndpointView:
    return next(view for view in context.endpoints if (view.endpoint, view.verb) == (endpoint, verb))


def test_clauses_point_to_their_endpoints(chain: TypedContext) -> None:
    assert len(chain.clauses) == 3
    assert find(chain, "SalesOrders", Verb.CREATE).clause == 0
    assert find(chain, "PostGoodsIssue", Verb.ACTION).clause == 2


def test_chain_is_in_order_with_bindings(chain: TypedContext) -> None:
    bound = [(step.node_id, step.endpoint, step.verb) for step in chain.chain if step.endpoint]
    assert bound[:2] == [("T1", "SalesOrders", Verb.CREATE), ("T2", "Deliveries", Verb.CREATE)]
    ship = next(step for step in chain.chain if step.node_id == "T2")
    assert (ship.follows, ship.condition, ship.reference_property) == (("T1",), "stock is there", "Order")


def test_carried_keys_are_those_of_shown_endpoints(chain: TypedContext) -> None:
    assert ("SalesOrders", "Deliveries") in {(row.from_endpoint, row.to_endpoint) for row in chain.carries}
    shown = {view.endpoint for view in chain.endpoints} | {"SalesOrderItems"}
    assert all({row.from_endpoint, row.to_endpoint} <= shown for row in chain.carries)


def test_create_shows_required_fields_and_hides_computed_ones(chain: TypedContext) -> None:
    view = find(chain, "SalesOrders", Verb.CREATE)
    fields = {field.name: field for field in view.fields}
    assert fields["SalesOrderType"].required
    assert fields["SoldToParty"].required_unless == "ReferenceDocument"
    assert "NetAmount" not in fields
    assert (view.method, view.keys) == ("POST", ("SalesOrder",))


def test_nested_entities_are_two_levels_deep_and_never_go_back(chain: TypedContext) -> None:
    item = find(chain, "SalesOrders", Verb.CREATE).nested[0]
    assert (item.name, item.nesting, item.target_set) == ("to_Item", "results", "SalesOrderItems")
    assert [deeper.name for deeper in item.nested] == ["to_Schedule"]
    assert "Material" in {field.name for field in item.fields if field.required}


def test_operation_shows_parameters_and_the_way_to_it(chain: TypedContext) -> None:
    view = find(chain, "PostGoodsIssue", Verb.ACTION)
    assert (view.method, view.bound_path, view.keys) == ("ACTION", "Deliveries/D.PostGoodsIssue", ("Delivery",))
    assert [(field.name, field.required) for field in view.fields] == [("PostingDate", True), ("Note", False)]


def test_reference_property_of_a_binding_is_shown(chain: TypedContext) -> None:
    assert find(chain, "Deliveries", Verb.CREATE).reference_property == "Order"


def test_later_step_is_present_though_the_goal_does_not_name_it(shop: MemoryView, retriever: Retriever) -> None:
    context = build_context("Type in the sales order, then do all that follows", shop, retriever, k=1)
    assert {"SalesOrders", "Deliveries", "PostGoodsIssue", "Invoices"} <= {view.endpoint for view in context.endpoints}


def test_denied_verbs_are_not_shown(corpus: Corpus, retriever: Retriever) -> None:
    view = MemoryView(denied=frozenset({("Products", Verb.CREATE)}))
    shown = [
        item.verb for item in build_context("gross weight of a product", view, retriever).endpoints if item.rank == 1
    ]
    assert shown == [Verb.READ, Verb.UPDATE]


def test_delete_is_shown_only_when_asked_for(shop: MemoryView, retriever: Retriever) -> None:
    def verbs(goal: str) -> set[Verb]:
        return {view.verb for view in build_context(goal, shop, retriever).endpoints}

    assert Verb.DELETE not in verbs("change the bank account of a business partner")
    assert Verb.DELETE in verbs("delete the bank account of a business partner")


@pytest.mark.parametrize(
    "goal", ["write me a poem about spring", "book me a flight to Lisbon", "Wie wird das Wetter?", ""]
)
def test_strange_goals_are_out_of_scope(goal: str, shop: MemoryView, retriever: Retriever) -> None:
    context = build_context(goal, shop, retriever)
    assert context.out_of_scope
    assert context.endpoints == ()
    assert "nothing is near" in context.cut[0]


@pytest.mark.parametrize(
    "goal",
    [
        "create a sales order for customer 4711",
        "Lege einen Kundenauftrag für Kunde 4711 an",
        "créer une commande client pour le client 4711",
        "crear un pedido de venta para el cliente 4711",
        "ग्राहक 4711 के लिए बिक्री आदेश बनाओ",
    ],
)
def test_real_goals_are_in_scope_in_each_language(goal: str, shop: MemoryView, retriever: Retriever) -> None:
    context = build_context(goal, shop, retriever)
    assert not context.out_of_scope
    assert context.endpoints[0].endpoint == "SalesOrders"


def test_small_budget_cuts_optional_fields_and_says_so(
    shop: MemoryView, retriever: Retriever, chain: TypedContext
) -> None:
    small = build_context(CHAIN, shop, retriever, budget_tokens=2000)
    assert small.tokens <= 2000 < chain.tokens
    assert any("optional fields left out" in text for text in small.cut)


def test_code_that_the_goal_names_survives_the_cut(shop: MemoryView, retriever: Retriever) -> None:
    view = find(build_context(CHAIN, shop, retriever, budget_tokens=2000), "SalesOrders", Verb.CREATE)
    kind = next(field for field in view.fields if field.name == "SalesOrderType")
    assert kind.codes_cut
    assert "RO" in {code.code for code in kind.codes}


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 6000))
def test_required_fields_are_never_cut(shop: MemoryView, retriever: Retriever, budget: int) -> None:
    context = build_context(CHAIN, shop, retriever, budget_tokens=budget)
    view = find(context, "SalesOrders", Verb.CREATE)
    assert {"SalesOrder", "SalesOrderType", "SoldToParty"} <= {field.name for field in view.fields}
    assert context.tokens <= budget or any("more than the budget" in text for text in context.cut)


def test_the_same_goal_gives_the_same_context(shop: MemoryView, corpus: Corpus, chain: TypedContext) -> None:
    assert build_context(CHAIN, shop, make_retriever("countersign", corpus)) == chain


@pytest.mark.parametrize("name", ["dense", "bm25", "hybrid"])
def test_every_retriever_can_feed_a_context(name: str, shop: MemoryView, corpus: Corpus) -> None:
    context = build_context(CHAIN, shop, make_retriever(name, corpus))
    assert context.retriever == name
    assert {"SalesOrders", "Deliveries", "PostGoodsIssue"} <= {view.endpoint for view in context.endpoints}


def test_navigations_between_shown_endpoints_are_named_with_their_cardinality(
    shop: MemoryView, retriever: Retriever
) -> None:
    context = build_context("sales orders and their sales order items", shop, retriever)
    links = {(link.endpoint, link.navigation, link.target, link.cardinality.value) for link in context.links}
    assert ("SalesOrders", "to_Item", "SalesOrderItems", "*") in links
    assert {"SalesOrders", "SalesOrderItems"} <= {view.endpoint for view in context.endpoints}


def test_links_start_at_what_is_shown_and_those_that_end_there_come_first(
    shop: MemoryView, retriever: Retriever
) -> None:
    context = build_context("enter a sales order", shop, retriever, k=1)
    shown = {view.endpoint for view in context.endpoints}
    assert {link.endpoint for link in context.links} <= shown
    ends = [link.target in shown for link in context.links]
    assert ends == sorted(ends, reverse=True)
