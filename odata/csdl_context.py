"""What the readers of all CSDL versions share while reading one document: names, facets, findings, annotations."""

import re
from collections.abc import Mapping, Sequence

from lxml import etree

from odata.csdl_annotations import CORE, annotations_of
from odata.csdl_model import Annotation, Finding, Property, Scale
from odata.csdl_policy import CsdlPolicy, Defect
from odata.errors import InvalidMetadata
from odata.safe_xml import attribute, children, first_child, line_of, local_name

SAP = "http://www.sap.com/Protocols/SAPData"
METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
STORE_ANNOTATION = "http://schemas.microsoft.com/ado/2009/02/edm/annotation"
_SAP_PREFIX = f"{{{SAP}}}"
_PRIMITIVES = """Binary Boolean Byte Date DateTime DateTimeOffset Decimal Double Duration Guid Int16 Int32 Int64 SByte Single
    Stream String Time TimeOfDay"""
_INTEGER = re.compile("[+-]?[0-9]{1,100}")
_UNQUALIFIED_PRIMITIVES = frozenset(_PRIMITIVES.split())


class CsdlContext:
    """Collects while the document is walked.

    ``aliases`` maps alias -> namespace for the whole document, ``declared`` simple name -> qualified names in it.
    """

    def __init__(
        self, file: str, policy: CsdlPolicy, aliases: Mapping[str, str], declared: Mapping[str, Sequence[str]]
    ) -> None:
        self.file = file
        self.policy = policy
        self.aliases = aliases
        self.declared = declared
        self.namespace = ""
        self.findings: list[Finding] = []
        self.annotations: dict[str, list[Annotation]] = {}
        self._annotated: set[str] = set()

    def report(self, defect: Defect, line: int, element: str, message: str) -> None:
        """Note a defect, or refuse the file when the policy asks for that."""
        reaction = self.policy.reaction(defect)
        if reaction == "refuse":
            raise InvalidMetadata(self.file, line or None, element, message, "mend the file or relax the policy")
        if reaction == "report":
            self.findings.append(Finding(line, element, message))

    def name_of(self, element: etree._Element, name: str = "Name") -> str:
        """A required attribute; empty (and reported) when it is missing."""
        value = element.get(name)
        if not value:
            self.report(Defect.MISSING_ATTRIBUTE, line_of(element), local_name(element), f"has no {name}, left out")
        return value or ""

    def named(self, element: etree._Element, tag: str) -> list[tuple[etree._Element, str]]:
        """Children of that tag with their names; those without one, or with one that is taken, are reported and left out."""
        found: dict[str, etree._Element] = {}
        for child in children(element, tag):
            name = self.name_of(child)
            if name in found:
                label = f"{tag} {name}"
                self.report(Defect.DUPLICATE, line_of(child), label, "is declared twice, the first one is kept")
            elif name:
                found[name] = child
        return [(child, name) for name, child in found.items()]

    def qualify(self, name: str, line: int = 0) -> str:
        """``alias.Name`` or ``Name`` -> ``Namespace.Name``; names of Edm stay."""
        prefix, dot, simple = name.rpartition(".")
        if dot:
            return f"{self.aliases.get(prefix, prefix)}.{simple}"
        if name in _UNQUALIFIED_PRIMITIVES:
            return f"Edm.{name}"
        if not name:
            return ""
        own, known = f"{self.namespace}.{name}", self.declared.get(name, ())
        taken = known[0] if len(known) == 1 and own not in known else own
        self.report(Defect.UNQUALIFIED_NAME, line, name, f"is not qualified, taken as {taken}")
        return taken

    def type_ref(self, text: str | None, line: int = 0) -> tuple[str, bool]:
        """``Collection(T)`` -> (T, True), ``T`` -> (T, False); names qualified."""
        text = (text or "Edm.String").strip()
        if text.startswith("Collection(") and text.endswith(")"):
            return self.qualify(text[11:-1].strip(), line), True
        return self.qualify(text, line), False

    def property(self, element: etree._Element, name: str, type_text: str | None, nullable: bool = True) -> Property:
        """A Property, Parameter or ReturnType with its facets."""
        type_name, collection = self.type_ref(type_text, line_of(element))
        collection = collection or element.get("CollectionKind") in ("List", "Bag")
        sap = sap_attributes(element)
        scale = self._scale(element)
        return Property(
            name=name,
            type=type_name,
            collection=collection,
            nullable=self.boolean(element, "Nullable", nullable),
            max_length=self._integer(element, "MaxLength"),
            precision=self._integer(element, "Precision"),
            scale="variable" if sap.get("variable-scale") == "true" else scale,
            default=attribute(element, "DefaultValue"),
            unicode=self.boolean(element, "Unicode", True),
            fixed_length=self.boolean(element, "FixedLength", False),
            srid=element.get("SRID"),
            collation=element.get("Collation") or "",
            concurrency=element.get("ConcurrencyMode") == "Fixed",
            store_generated=attribute(element, "StoreGeneratedPattern", STORE_ANNOTATION) or "",
            mode=(element.get("Mode") or "") if local_name(element) == "Parameter" else "",
            sap=sap,
            line=line_of(element),
        )

    def boolean(self, element: etree._Element, name: str, default: bool) -> bool:
        """An XML boolean attribute (``true``/``1``, any case)."""
        value = element.get(name)
        if value is None:
            return default
        return value.strip().lower() in ("true", "1")

    def _integer(self, element: etree._Element, name: str) -> int | None:
        value = element.get(name)
        if value is None or value.strip().lower() == "max":
            return None
        number = integer_of(value)
        if number is None:
            self._bad_facet(element, name, value)
        return number

    def _scale(self, element: etree._Element) -> Scale:
        value = element.get("Scale")
        if value is None:
            return None
        lowered = value.strip().lower()
        if lowered == "variable":
            return "variable"
        if lowered == "floating":
            return "floating"
        return self._integer(element, "Scale")

    def _bad_facet(self, element: etree._Element, name: str, value: str) -> None:
        label = f"{local_name(element)} {element.get('Name', '')}".strip()
        self.report(Defect.BAD_FACET, line_of(element), label, f"{name}={value!r} is no number, taken as not given")

    def annotate(self, target: str, element: etree._Element) -> None:
        """Keep the inline annotations and the V2 Documentation of ``element`` under ``target``; a second element of that name
        is left out with what it says."""
        if target in self._annotated:
            return
        self._annotated.add(target)
        found = annotations_of(element, self.aliases)
        documentation = first_child(element, "Documentation")
        if documentation is not None:
            found += _documentation(documentation)
        if found:
            # What stands elsewhere about the element comes after what it says itself, wherever it stands.
            self.annotations[target] = found + self.annotations.get(target, [])

    def target_path(self, text: str) -> str:
        """An annotation target with aliases replaced, in the path and in an overload's parentheses."""
        head, bracket, rest = text.partition("(")
        segments = head.split("/")
        segments[0] = self._dealias(segments[0])
        head = "/".join(segments)
        if not bracket:
            return head
        inner, _, tail = rest.rpartition(")")
        names = [self._dealias_type(part.strip()) for part in inner.split(",")] if inner else []
        return f"{head}({','.join(names)}){tail}"

    def _dealias_type(self, text: str) -> str:
        if text.startswith("Collection("):
            return f"Collection({self._dealias(text[11:].rstrip(')'))})"
        return self._dealias(text)

    def _dealias(self, name: str) -> str:
        prefix, dot, simple = name.rpartition(".")
        if dot and prefix in self.aliases:
            return f"{self.aliases[prefix]}.{simple}"
        return name


def integer_of(text: str) -> int | None:
    """An XML integer; None for other texts, and for longer ones than any facet has."""
    return int(text) if _INTEGER.fullmatch(text.strip()) else None


def sap_attributes(element: etree._Element) -> dict[str, str]:
    """All ``sap:`` attributes by their local name."""
    return {
        str(key)[len(_SAP_PREFIX) :]: str(value)
        for key, value in element.attrib.items()
        if str(key).startswith(_SAP_PREFIX)
    }


def _documentation(element: etree._Element) -> list[Annotation]:
    terms = {"Summary": f"{CORE}.Description", "LongDescription": f"{CORE}.LongDescription"}
    texts = ((local_name(part), "".join(part.itertext()).strip()) for part in children(element, *terms))
    return [Annotation(terms[name], text, line=line_of(element)) for name, text in texts if text]
