"""Typed contexts written by hand: a purchasing chain in V2, a requisition with bound actions in V4."""

from typing import Any

from wire.agent import Observation
from wire.call import ProposedCall
from wire.context import CarryOver, ChainStep, EndpointView, FieldView, NestedView, TypedContext
from wire.endpoint import Cardinality, Code, Verb

CURRENCIES = (Code(code="EUR", text="Euro"), Code(code="USD", text="US dollar"), Code(code="CHF", text="Swiss franc"))
ORDER_TYPES = (Code(code="NB", text="Standard purchase order"), Code(code="FO", text="Framework order"))
UNITS = (Code(code="PC", text="Piece"), Code(code="KG", text="Kilogram"))


def field(name: str, label: str = "", type: str = "Edm.String", **more: Any) -> FieldView:
    """A field with its usual facets."""
    return FieldView(name=name, label=label or name, type=type, **more)


ITEMS = NestedView(
    name="to_Items",
    target="demo.Item",
    target_set="PurchaseOrderItemSet",
    cardinality=Cardinality.MANY,
    nesting="array",
    fields=(
        field("PurchaseOrder", "Purchase Order", key=True, max_length=10),
        field("PurchaseOrderItem", "Item", key=True, max_length=5),
        field("Material", "Material", required=True, max_length=40),
        field("OrderQuantity", "Order Quantity", "Edm.Decimal", required=True),
        field("OrderQuantityUnit", "Order Unit", codes=UNITS),
        field("Plant", "Plant", required=True, max_length=4),
        field("NetPriceAmount", "Net Price", "Edm.Decimal"),
        field("DeliveryDate", "Delivery Date", "Edm.DateTime"),
    ),
)

SUPPLIERS = EndpointView(
    service="BUSINESS_PARTNER",
    endpoint="Suppliers",
    kind="EntitySet",
    verb=Verb.READ,
    version="4.0",
    label="Supplier",
    method="GET",
    rank=2,
    keys=("Supplier",),
    fields=(field("Supplier", "Supplier", key=True), field("SupplierName", "Supplier Name")),
)

ORDER = EndpointView(
    service="PURCHASE_ORDER",
    endpoint="PurchaseOrderSet",
    kind="EntitySet",
    verb=Verb.CREATE,
    version="2.0",
    label="Purchase Order",
    method="POST",
    rank=1,
    keys=("PurchaseOrder",),
    fields=(
        field("PurchaseOrder", "Purchase Order", key=True, writable=False),
        field("PurchaseOrderType", "Order Type", default="NB", codes=ORDER_TYPES),
        field("CompanyCode", "Company Code", required=True, max_length=4),
        field("PurchasingOrganization", "Purchasing Organization", required=True, max_length=4),
        field("PurchasingGroup", "Purchasing Group", required=True, max_length=3),
        field("Supplier", "Supplier", required=True, max_length=10),
        field("DocumentCurrency", "Currency", codes=CURRENCIES),
    ),
    nested=(ITEMS,),
    reference_property="ExternalReference",
)

INVOICE = EndpointView(
    service="SUPPLIER_INVOICE",
    endpoint="SupplierInvoices",
    kind="EntitySet",
    verb=Verb.CREATE,
    version="4.0",
    label="Supplier Invoice",
    method="POST",
    rank=3,
    keys=("SupplierInvoice", "FiscalYear"),
    fields=(
        field("SupplierInvoice", "Invoice", key=True, writable=False),
        field("FiscalYear", "Fiscal Year", key=True, writable=False),
        field("CompanyCode", "Company Code", required=True),
        field("InvoicingParty", "Invoicing Party", required=True),
        field("SupplierInvoiceNumber", "Invoice Number of Supplier", required=True),
        field("DocumentDate", "Invoice Date", "Edm.Date", required=True),
        field("InvoiceGrossAmount", "Gross Amount", "Edm.Decimal", required=True),
        field("DocumentCurrency", "Currency", codes=CURRENCIES),
        field("PurchaseOrder", "Purchase Order"),
    ),
)

RELEASE = EndpointView(
    service="PURCHASE_ORDER",
    endpoint="ReleasePurchaseOrder",
    kind="FunctionImport",
    verb=Verb.ACTION,
    version="2.0",
    label="Release purchase order",
    method="ACTION",
    rank=4,
    fields=(field("PurchaseOrder", "Purchase Order", required=True, nullable=False),),
)

SUBMIT = EndpointView(
    service="REQUISITION",
    endpoint="SubmitRequisition",
    kind="Action",
    verb=Verb.ACTION,
    version="4.0",
    label="Submit requisition",
    method="ACTION",
    rank=1,
    keys=("Requisition",),
    bound_path="Requisitions/demo.SubmitRequisition",
)


def carry(source: EndpointView | str, name: str, target: EndpointView, to: str, from_set: str = "") -> CarryOver:
    """A declared carry-over between two views."""
    service = source.service if isinstance(source, EndpointView) else source
    endpoint = from_set or (source.endpoint if isinstance(source, EndpointView) else "")
    return CarryOver(
        from_service=service,
        from_endpoint=endpoint,
        from_property=name,
        to_service=target.service,
        to_endpoint=target.endpoint,
        to_property=to,
    )


CARRIES = (
    carry(SUPPLIERS, "Supplier", ORDER, "Supplier"),
    carry(ORDER, "PurchaseOrder", INVOICE, "PurchaseOrder"),
    carry(ORDER, "Supplier", INVOICE, "InvoicingParty"),
    carry(ORDER, "PurchaseOrder", RELEASE, "PurchaseOrder"),
)


def context(goal: str, *views: EndpointView, carries: tuple[CarryOver, ...] = CARRIES) -> TypedContext:
    """The purchasing context for a goal."""
    chosen = views or (ORDER, SUPPLIERS, INVOICE, RELEASE)
    chain = tuple(
        ChainStep(
            process_id="P", process="Procure to pay", node_id=f"T{i}", label=label, position=i,
            service=view.service, endpoint=view.endpoint, verb=view.verb,
        )
        for i, (view, label) in enumerate(
            ((SUPPLIERS, "Find supplier"), (ORDER, "Create purchase order"), (INVOICE, "Enter supplier invoice"))
        )
        if view in chosen
    )  # fmt: skip
    return TypedContext(
        goal=goal, clauses=(goal,), graph_hash="g", retriever="r", endpoints=chosen, chain=chain, carries=carries
    )


def result(turn: int, call: ProposedCall | None, data: Any) -> Observation:
    """The answer to a read."""
    return Observation(turn=turn, kind="result", call=call, data=data)


def written(turn: int, call: ProposedCall | None, data: Any) -> Observation:
    """The answer to a write."""
    return Observation(turn=turn, kind="written", call=call, data=data)
