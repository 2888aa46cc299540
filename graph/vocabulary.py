"""The vocabularies of the graph. Closed: a term that is not listed here raises ``UnknownTerm``.

Our own terms (``OD``) name what CSDL names, since no maintained RDF vocabulary for CSDL exists. BPMN is told in BBO,
code lists in SKOS, provenance in PROV.
"""

from graph.errors import UnknownTerm


class Vocabulary:
    """Terms as attributes, each the full IRI: ``OD.EntitySet``. ``terms`` are words in one text."""

    def __init__(self, namespace: str, terms: str) -> None:
        self.namespace = namespace
        self.terms = frozenset(terms.split())
        self.__dict__.update({term: f"{namespace}{term}" for term in self.terms})

    def __getattr__(self, term: str) -> str:
        # Reached only for what __dict__ does not hold.
        raise UnknownTerm(f"{term!r} is no term of <{self.namespace}>")


_OD_CLASSES = """
    Service EntitySet Singleton EntityType ComplexType EnumType EnumMember TypeDefinition Key Property
    NavigationProperty ReferentialConstraint NavigationPropertyBinding Operation Action Function FunctionImport
    Schema EntityContainer Association AssociationEnd Lane
    Parameter ReturnType ValueList ValueListParameter Requirement AssociationSet
    Reference ProcessNode Participant MessageFlow Follows Binding CarryOver Catalog
"""
_OD_VALUES = "Denied Verified ZeroOrOne One Many"
_OD_TERMS = """
    name qualifiedName alias file version metadataDigest inService container endpoint
    entityType entitySet baseType abstract openType hasStream key property navigation path position edmType collection
    nullable maxLength precision scale default unicode fixedLength srid concurrencyToken storeGenerated mode line
    targetType cardinality partner contains onDelete constraint targetConstraint dependent principal association role end
    binding bindingPath bindingTarget member value underlyingType flags operation bound boundTo boundCollection composable
    httpMethod parameter returns entitySetPath actionFor signature bindable
    creatable updatable deletable readable addressable creatableSource updatableSource deletableSource readableSource
    computed computedDefault immutable optional mandatory dynamicControl filterable sortable requiredInFilter
    filterRestriction restrictedFilter expandable alternateKey
    textProperty unitProperty fixedUnit displayFormat semantics valueListKind valueList qualifier collectionPath collectionRoot
    parameterKind localProperty remoteProperty constant codeList fixed
    minimum maximum exclusiveMinimum exclusiveMaximum pattern multipleOf minItems maxItems
    updateMethod nonInsertable nonUpdatable nonInsertableNavigation nonUpdatableNavigation requiredOnCreate requiredFilter
    nonFilterable nonSortable nonExpandable requiresFilter topSupported skipSupported countable draft optimisticConcurrency
    repeatability deepInsert deepInsertSource searchable requirement unless why
    process node kind lane participant documentation subprocessOf attachedTo calledElement eventKind
    source target condition includes uri namespace
    processId nodeId endpointName serviceName note referenceProperty reviewedBy confidence unresolved row
    fromProperty toProperty fromNode toNode fromEndpoint toEndpoint fromPropertyName toPropertyName origin
    schema entityContainer extends multiplicity collation inServiceDocument bindingParameter unresolvedNavigation
    refinement reference
    inLane loop nonInterrupting eventSubprocess forCompensation defaultFlow instantiate
    refersTo follows binds digest readAt truncated snapshot graph violation
"""

OD = Vocabulary("https://w3id.org/countersign/odata#", f"{_OD_CLASSES} {_OD_VALUES} {_OD_TERMS}")
_BBO_CLASSES = """
    Process FlowNode Task UserTask ServiceTask SendTask ReceiveTask ManualTask BusinessRuleTask ScriptTask SubProcess
    AdHocSubProcess Transaction CallActivity StartEvent EndEvent IntermediateCatchEvent IntermediateThrowEvent BoundaryEvent
    ExclusiveGateway InclusiveGateway ParallelGateway ComplexGateway EventBasedGateway SequenceFlow
"""
BBO = Vocabulary("http://w3id.org/bbo#", f"{_BBO_CLASSES} has_sourceRef has_targetRef")
RDF = Vocabulary("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "type")
RDFS = Vocabulary("http://www.w3.org/2000/01/rdf-schema#", "label")
SKOS = Vocabulary("http://www.w3.org/2004/02/skos/core#", "ConceptScheme Concept inScheme notation prefLabel")
SAP = "http://www.sap.com/Protocols/SAPData#"
DCTERMS = Vocabulary("http://purl.org/dc/terms/", "title description source")
PROV = Vocabulary("http://www.w3.org/ns/prov#", "wasAttributedTo")
XSD = Vocabulary("http://www.w3.org/2001/XMLSchema#", "boolean integer decimal string dateTime")
