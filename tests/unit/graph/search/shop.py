"""A small catalogue in memory: sales, delivery, billing, purchasing, partners, and one order-to-cash process."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graph.context_chain import layer_of
from graph.endpoint_view import links_of_set, view_of
from graph.views import Binding, EndpointSummary, Follows, ProcessLayer, ProcessNode
from wire.context import CarryOver, EndpointView, Link
from wire.endpoint import (
    Cardinality,
    Code,
    CodeList,
    EndpointContract,
    NavigationProperty,
    Operation,
    Permission,
    Property,
    StructuredType,
    Verb,
)

ORDER_TYPES = tuple(Code(code=f"Z{n:02}", text=f"House type {n}") for n in range(30)) + (
    Code(code="OR", text="Standard order"),
    Code(code="RO", text="Rush order"),
)


def prop(name: str, label: str, **facets: object) -> Property:
    return Property(name=name, type="Edm.String", label=label, **facets)


def optional(prefix: str, count: int) -> tuple[Property, ...]:
    return tuple(prop(f"{prefix}{n}", f"{prefix} field {n}") for n in range(count))


ITEM = StructuredType(
    name="S.SalesOrderItem",
    kind="entity",
    keys=("SalesOrder", "Item"),
    properties=(
        prop("SalesOrder", "Sales order", key=True, creatable=Permission.DENIED),
        prop("Item", "Item", key=True),
        prop("Material", "Material", required=True),
        prop("Quantity", "Requested quantity"),
        *optional("Logistics", 12),
    ),
    navigations=(
        NavigationProperty(name="to_Schedule", target_type="S.ScheduleLine", cardinality=Cardinality.MANY),
        NavigationProperty(name="to_Order", target_type="S.SalesOrder", cardinality=Cardinality.ONE),
    ),
)
SCHEDULE = StructuredType(
    name="S.ScheduleLine",
    kind="entity",
    keys=("Line",),
    properties=(prop("Line", "Schedule line", key=True), prop("ConfirmedDate", "Confirmed date", computed=True)),
)
ORDER = StructuredType(
    name="S.SalesOrder",
    kind="entity",
    label="Sales Order",
    keys=("SalesOrder",),
    properties=(
        prop("SalesOrder", "Sales order", key=True, computed=True),
        prop(
            "SalesOrderType",
            "Sales order type",
            required=True,
            code_list=CodeList(codes=ORDER_TYPES, fixed=True, source="codes.csv"),
        ),
        prop("SoldToParty", "Customer", required=True, required_unless="ReferenceDocument"),
        prop("PurchaseOrderByCustomer", "Customer reference"),
        prop("NetAmount", "Net amount", computed=True),
        *optional("Extra", 80),
    ),
    navigations=(
        NavigationProperty(
            name="to_Item",
            target_type="S.SalesOrderItem",
            cardinality=Cardinality.MANY,
            target_set="SalesOrderItems",
            nesting="results",
        ),
    ),
)
TYPES = {item.name: item for item in (ORDER, ITEM, SCHEDULE)}


def simple(name: str, label: str, *fields: tuple[str, str]) -> StructuredType:
    keyed = [prop(part, text, key=place == 0) for place, (part, text) in enumerate(fields)]
    found = StructuredType(name=name, kind="entity", label=label, keys=(fields[0][0],), properties=tuple(keyed))
    TYPES[name] = found
    return found


simple(
    "D.Delivery",
    "Outbound Delivery",
    ("Delivery", "Delivery"),
    ("Order", "Sales order"),
    ("GoodsIssueDate", "Goods issue"),
)
simple("B.Invoice", "Customer Invoice", ("Invoice", "Billing document"), ("Payer", "Payer"), ("Delivery", "Delivery"))
simple(
    "P.PurchaseOrder",
    "Purchase Order",
    ("PurchaseOrder", "Purchase order"),
    ("Supplier", "Supplier"),
    ("Plant", "Plant"),
)
simple("M.Partner", "Business Partner", ("Partner", "Business partner"), ("Name", "Name"), ("TaxNumber", "Tax number"))
simple("M.BankAccount", "Bank Account", ("Account", "Bank account"), ("Iban", "IBAN"), ("Holder", "Account holder"))
simple("H.Product", "Product", ("Product", "Product number"), ("Weight", "Gross weight"), ("Unit", "Base unit"))

POST_GOODS_ISSUE = Operation(
    name="PostGoodsIssue",
    qualified_name="D.PostGoodsIssue",
    kind="Action",
    http_method="POST",
    label="Post goods issue",
    bound_to="D.Delivery",
    parameters=(prop("PostingDate", "Posting date", nullable=False), prop("Note", "Note")),
)

SETS = (
    ("SALES", "SalesOrders", "S.SalesOrder"),
    ("SALES", "SalesOrderItems", "S.SalesOrderItem"),
    ("DELIVERY", "Deliveries", "D.Delivery"),
    ("BILLING", "Invoices", "B.Invoice"),
    ("PURCHASING", "PurchaseOrders", "P.PurchaseOrder"),
    ("MASTER", "Partners", "M.Partner"),
    ("MASTER", "BankAccounts", "M.BankAccount"),
    ("MASTER", "Products", "H.Product"),
)


def iri(service: str, endpoint: str) -> str:
    return f"urn:shop:{service}:{endpoint}"


def summary(service: str, endpoint: str, type_name: str) -> EndpointSummary:
    owner = TYPES[type_name]
    return EndpointSummary(
        iri=iri(service, endpoint),
        service=service,
        endpoint=endpoint,
        kind="EntitySet",
        version="4.0",
        label=owner.label,
        description="",
        service_title=service.title(),
        entity_type=type_name,
        properties=tuple((item.name, item.label) for item in owner.properties),
        navigations=tuple((item.name, "") for item in owner.navigations),
        targets=tuple(item.target_type for item in owner.navigations),
        verbs=(Verb.READ, Verb.CREATE, Verb.UPDATE, Verb.DELETE),
    )


ACTION = EndpointSummary(
    iri=iri("DELIVERY", "PostGoodsIssue"),
    service="DELIVERY",
    endpoint="PostGoodsIssue",
    kind="Action",
    version="4.0",
    label="Post goods issue",
    description="",
    service_title="Delivery",
    entity_type=None,
    properties=(("PostingDate", "Posting date"),),
    navigations=(),
    verbs=(Verb.ACTION,),
    http_method="POST",
    bound_to="D.Delivery",
)


def node(number: int, kind: str, label: str, documentation: str = "", lane: str = "") -> ProcessNode:
    return ProcessNode(
        f"urn:shop:node:{number}", "P_OTC", "Order to cash", f"T{number}", kind, label, documentation, lane, number
    )


NODES = (
    node(0, "startEvent", "Customer orders goods"),
    node(1, "userTask", "Enter sales order", "Type in what the customer wants", "Sales"),
    node(2, "serviceTask", "Ship the goods", "Make an outbound delivery for the order", "Shipping"),
    node(3, "manualTask", "Load the truck", "", "Shipping"),
    node(4, "serviceTask", "Book the goods out of stock", "Goods issue", "Shipping"),
    node(5, "userTask", "Look at the customer's invoice", "", "Billing"),
)


@dataclass
class MemoryView:
    """A ``GraphView`` over lists."""

    graph_hash: str = "a" * 64
    summaries: list[EndpointSummary] = field(default_factory=lambda: [*(summary(*item) for item in SETS), ACTION])
    nodes: Sequence[ProcessNode] = NODES
    denied: frozenset[tuple[str, Verb]] = frozenset()

    def endpoints(self) -> Sequence[EndpointSummary]:
        shown = [
            replace(item, verbs=tuple(verb for verb in item.verbs if (item.endpoint, verb) not in self.denied))
            for item in self.summaries
        ]
        return sorted(shown, key=lambda item: item.iri)

    def process_nodes(self) -> Sequence[ProcessNode]:
        return self.nodes

    def follows(self) -> Sequence[Follows]:
        pairs = [(0, 1, ""), (1, 2, "stock is there"), (2, 3, ""), (3, 4, ""), (4, 5, ""), (5, 1, "repeat order")]
        return [Follows(f"urn:shop:node:{a}", f"urn:shop:node:{b}", text) for a, b, text in pairs]

    def bindings(self) -> Sequence[Binding]:
        rows = (
            (1, "SALES", "SalesOrders", Verb.CREATE),
            (2, "DELIVERY", "Deliveries", Verb.CREATE),
            (4, "DELIVERY", "PostGoodsIssue", Verb.ACTION),
            (5, "BILLING", "Invoices", Verb.READ),
        )
        return [
            Binding(f"urn:shop:node:{number}", iri(service, name), verb, "", "Order" if name == "Deliveries" else "")
            for number, service, name, verb in rows
        ]

    def carries(self) -> Sequence[CarryOver]:
        def carry(*names: str) -> CarryOver:
            keys = ("from_service", "from_endpoint", "from_property", "to_service", "to_endpoint", "to_property")
            return CarryOver(**dict(zip(keys, names, strict=True)))

        return [
            carry("SALES", "SalesOrders", "SalesOrder", "DELIVERY", "Deliveries", "Order"),
            carry("MASTER", "Products", "Product", "SALES", "SalesOrderItems", "Material"),
            carry("MASTER", "Partners", "Partner", "PURCHASING", "PurchaseOrders", "Supplier"),
        ]

    def layer(self) -> ProcessLayer:
        return layer_of(self)

    def contract(self, service: str, endpoint: str, verb: Verb) -> EndpointContract:
        found = next(item for item in self.summaries if (item.service, item.endpoint) == (service, endpoint))
        return EndpointContract(
            service=service,
            endpoint=endpoint,
            kind=found.kind,
            verb=verb,
            version=found.version,
            graph_hash=self.graph_hash,
            metadata_digest="b" * 64,
            label=found.label,
            entity_type=found.entity_type,
            types=tuple(TYPES.values()),
            operations=(POST_GOODS_ISSUE,) if endpoint == "PostGoodsIssue" else (),
            sets=tuple((name, entity_type) for owner, name, entity_type in SETS if owner == service),
        )

    def uncut(self, service: str, endpoint: str, verb: Verb) -> EndpointView:
        return view_of(self.contract(service, endpoint, verb))

    def links(self, service: str, endpoint: str) -> Sequence[Link]:
        return links_of_set(self.contract(service, endpoint, Verb.READ))


def with_hash(view: MemoryView, graph_hash: str) -> MemoryView:
    return replace(view, graph_hash=graph_hash)
