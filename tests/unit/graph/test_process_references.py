"""Derived ``refersTo`` that needs the processes: parts that a step addresses, reference documents, repeated sets."""

from graph.known import Known
from graph.nquads import GraphWriter
from graph.refers_to import write_derived
from graph.vocabulary import OD
from odata.csdl import read_csdl
from tests.unit.odata.csdl_samples import v2


def _type(name: str, keys: str, *properties: str) -> str:
    refs = "".join(f'<PropertyRef Name="{key}"/>' for key in keys.split())
    members = "".join(
        f'<Property Name="{member}" Type="Edm.String" MaxLength="10"/>' for member in (*keys.split(), *properties)
    )
    return f'<EntityType Name="{name}"><Key>{refs}</Key>{members}</EntityType>'


def _known(*steps: str, order: tuple[str, ...] = ("Order", "OrderItem", "OrderText")) -> Known:
    """Orders and deliveries, and a process with those steps in order, each ``SERVICE/Set mode``."""
    types = {
        "SALES": [_type(name, "Order" if name == "Order" else f"Order {name}") for name in order],
        "SHIP": [_type("Delivery", "Delivery", "ReferenceSDDocument", "ReferenceSDDocumentCategory")],
    }
    known = Known()
    for service, made in types.items():
        names = order if service == "SALES" else ("Delivery",)
        sets = "".join(f'<EntitySet Name="{name}" EntityType="Shop.{name}"/>' for name in names)
        data = v2(f'{"".join(made)}<EntityContainer Name="C">{sets}</EntityContainer>')
        known.add_service(service, read_csdl(data, f"{service}.edmx"))
    for number, step in enumerate(steps):
        address, mode = step.split(" ")
        endpoint = known.endpoint(*address.split("/"))
        assert endpoint is not None
        known.add_node("file", "P", f"n{number}", number)
        known.bind(known.nodes("P", f"n{number}")[0], endpoint, mode)
    return known


def _edges(known: Known) -> set[str]:
    """Derived edges as ``Set/property -> Set/property``."""
    writer = GraphWriter("urn:derived")
    write_derived(writer, known)
    ends: dict[str, dict[str, str]] = {}
    for line in writer.lines():
        subject, predicate, value, *_ = line.split(" ")
        ends.setdefault(subject, {})[predicate.strip("<>")] = value.strip('<>"').rpartition("/")[2]
    return {
        f"{edge[OD.fromEndpoint]}/{edge[OD.fromPropertyName]} -> {edge[OD.toEndpoint]}/{edge[OD.toPropertyName]}"
        for edge in ends.values()
        if OD.fromEndpoint in edge
    }


def test_a_part_takes_the_key_of_its_whole_where_a_step_addresses_it() -> None:
    assert _edges(_known("SALES/Order create", "SALES/OrderText create")) == {"Order/Order -> OrderText/Order"}
    assert _edges(_known("SALES/Order create")) == set()


def test_a_reference_document_is_what_the_nearest_step_before_created() -> None:
    found = _edges(_known("SALES/Order create", "SHIP/Delivery create"))
    assert found == {"Order/Order -> Delivery/ReferenceSDDocument"}


def test_no_document_is_referred_to_that_comes_later_or_was_only_read() -> None:
    assert _edges(_known("SHIP/Delivery create", "SALES/Order create")) == set()
    assert _edges(_known("SALES/Order read", "SHIP/Delivery create")) == set()


def test_what_was_created_is_addressed_by_its_key_later() -> None:
    assert _edges(_known("SHIP/Delivery create", "SHIP/Delivery update")) == {"Delivery/Delivery -> Delivery/Delivery"}
    assert _edges(_known("SHIP/Delivery update", "SHIP/Delivery create")) == set()
