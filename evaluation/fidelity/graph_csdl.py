"""One service as the graph holds it -> facts of the structural classes."""

from collections.abc import Iterator

from evaluation.fidelity.facts import FactTable
from evaluation.fidelity.stored import StoredGraph, name_of, term_of
from graph.vocabulary import OD

FACETS = [
    "edmType",
    "collection",
    "nullable",
    "maxLength",
    "precision",
    "scale",
    "default",
    "unicode",
    "fixedLength",
    "srid",
    "collation",
    "concurrencyToken",
    "storeGenerated",
    "mode",
]
_NAVIGATION = ["nullable", "partner", "onDelete", "association", "role", "contains"]
_TYPED = ((OD.EntityType, "entity_types"), (OD.ComplexType, "complex_types"))


def terms(graph: StoredGraph, subject: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """(term, value) of the literals that are said of a subject."""
    for name in names:
        predicate = getattr(OD, name)
        if graph.has(subject, predicate):
            yield name, graph.text(subject, predicate)


class ServiceFacts:
    """Walks one service graph; ``paths`` maps the IRI of every element to its path in the document."""

    def __init__(self, graph: StoredGraph, table: FactTable) -> None:
        self.graph = graph
        self.table = table
        self.paths: dict[str, str] = {}

    def structure(self) -> None:
        """Everything but operations and annotations."""
        for service in self.graph.of_type(OD.Service):
            self.table.add("services", "version", self.graph.text(service, OD.version))
            for node in self.graph.all(service, OD.reference):
                number = self.graph.text(node, OD.position)
                self.table.add("services", "reference", number, self.graph.text(node, OD.uri))
                for namespace in self.graph.all(node, OD.includes):
                    self.table.add("services", "includes", number, namespace)
            for node in self.graph.all(service, OD.schema):
                self._schema(node)
            for node in self.graph.all(service, OD.entityContainer):
                self._container(node)
            for node in self.graph.all(service, OD.endpoint):
                self._set(node)
        for class_iri, name in _TYPED:
            for node in self.graph.of_type(class_iri):
                self._structured(node, name)
        self._values()
        self._associations()

    def _schema(self, node: str) -> None:
        namespace = self.graph.text(node, OD.namespace)
        self.paths[node] = namespace
        self.table.add("schemas", namespace, "namespace", namespace)
        for alias in self.graph.all(node, OD.alias):
            self.table.add("schemas", namespace, "alias", alias)

    def _container(self, node: str) -> None:
        name = self.paths[node] = self.graph.text(node, OD.qualifiedName)
        self.table.add("containers", name, "name", name)
        for other in self.graph.all(node, OD.extends):
            self.table.add("containers", name, "extends", other)

    def set_path(self, node: str) -> str:
        """``Container/Set``; the graph names members of further containers with the container's name."""
        container, name = self.graph.text(node, OD.container), self.graph.text(node, OD.name)
        for prefix in (f"{container}.", f"{container.rpartition('.')[2]}."):
            name = name.removeprefix(prefix)
        return f"{container}/{name}"

    def _set(self, node: str) -> None:
        graph = self.graph
        for class_iri, name in ((OD.EntitySet, "entity_sets"), (OD.Singleton, "singletons")):
            if class_iri not in graph.types(node):
                continue
            path = self.paths[node] = self.set_path(node)
            self.table.add(name, path, "type", " | ".join(map(name_of, graph.all(node, OD.entityType))))
            self.table.add_all(name, (path,), terms(graph, node, ["inServiceDocument"]))
            for binding in graph.all(node, OD.binding):
                ends = graph.text(binding, OD.bindingPath), graph.text(binding, OD.bindingTarget)
                self.table.add("navigation_bindings", path, *ends)

    def _structured(self, node: str, class_name: str) -> None:
        graph, table = self.graph, self.table
        name = self.paths[node] = graph.text(node, OD.qualifiedName)
        table.add(class_name, name, "name", name)
        table.add_all(class_name, (name,), terms(graph, node, ["abstract", "openType", "hasStream"]))
        for base in graph.all(node, OD.baseType):
            table.add("base_types", name, name_of(base))
        for key in graph.all(node, OD.key):
            position = graph.text(key, OD.position)
            table.add("keys", name, position, graph.text(key, OD.path), graph.text(key, OD.alias))
        for item in graph.all(node, OD.property):
            path = self.paths[item] = f"{name}/{graph.text(item, OD.name)}"
            table.add("properties", path, "position", graph.text(item, OD.position))
            table.add_all("properties", (path,), terms(graph, item, FACETS))
        for item in graph.all(node, OD.refinement):
            self.paths[item] = f"{name}/{graph.text(item, OD.name)}"
        for predicate in (OD.navigation, OD.unresolvedNavigation):
            for item in graph.all(node, predicate):
                self._navigation(item, name)

    def _navigation(self, node: str, owner: str) -> None:
        graph = self.graph
        name = graph.text(node, OD.name)
        path = self.paths[node] = f"{owner}/{name}"
        self.table.add("navigation_properties", path, "name", name)
        self.table.add_all("navigation_properties", (path,), terms(graph, node, _NAVIGATION))
        for target in graph.all(node, OD.targetType):
            self.table.add("navigation_properties", path, "targetType", name_of(target))
        for cardinality in graph.all(node, OD.cardinality):
            self.table.add("navigation_properties", path, "cardinality", term_of(cardinality))
        for predicate, side in ((OD.constraint, "here"), (OD.targetConstraint, "there")):
            for item in graph.all(node, predicate):
                ends = graph.text(item, OD.dependent), graph.text(item, OD.principal)
                self.table.add("referential_constraints", path, side, graph.text(item, OD.position), *ends)

    def _values(self) -> None:
        graph, table = self.graph, self.table
        for node in graph.of_type(OD.EnumType):
            name = self.paths[node] = graph.text(node, OD.qualifiedName)
            table.add_all("enum_types", (name,), terms(graph, node, ["underlyingType", "flags"]))
            for member in graph.all(node, OD.member):
                simple, position = graph.text(member, OD.name), graph.text(member, OD.position)
                self.paths[member] = f"{name}/{simple}"
                table.add("enum_members", name, position, simple, graph.text(member, OD.value))
        for node in graph.of_type(OD.TypeDefinition):
            name = self.paths[node] = graph.text(node, OD.qualifiedName)
            facets = ["underlyingType", "maxLength", "precision", "scale", "unicode", "srid", "collation"]
            table.add_all("type_definitions", (name,), terms(graph, node, facets))

    def _associations(self) -> None:
        graph, table = self.graph, self.table
        for node in graph.of_type(OD.Association):
            name = self.paths[node] = graph.text(node, OD.qualifiedName)
            table.add("associations", name, "name", name)
            for end in graph.all(node, OD.end):
                position, role = graph.text(end, OD.position), graph.text(end, OD.role)
                target = " | ".join(map(name_of, graph.all(end, OD.targetType)))
                cardinality = " | ".join(map(term_of, graph.all(end, OD.cardinality)))
                table.add("associations", name, "end", position, role, target, cardinality)
                for action in graph.all(end, OD.onDelete):
                    table.add("associations", name, "onDelete", position, action)
        for node in graph.of_type(OD.AssociationSet):
            path = self.paths[node] = f"{graph.text(node, OD.container)}/{graph.text(node, OD.name)}"
            table.add("associations", path, "association", graph.text(node, OD.association))
            for end in graph.all(node, OD.end):
                table.add("associations", path, "end", graph.text(end, OD.role), graph.text(end, OD.entitySet))
