"""What metadata states about one element, whichever way it is written: ``sap:`` attributes (V2) or annotations (V4)."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from graph.nquads import GraphWriter
from graph.vocabulary import DCTERMS, RDFS
from odata.csdl_annotations import CAPABILITIES, COMMON, CORE, MEASURES, VALIDATION
from odata.csdl_model import Annotation, Path, Record, Value


class Statements:
    """Annotations of one target by term, its ``sap:`` attributes, and the language of its texts (empty when not stated)."""

    def __init__(self, annotations: tuple[Annotation, ...], sap: Mapping[str, str], language: str = "") -> None:
        self.sap = sap
        self.language = language
        self._by_term: dict[str, list[Annotation]] = {}
        for annotation in annotations:
            self._by_term.setdefault(annotation.term, []).append(annotation)

    def all(self, term: str) -> list[Annotation]:
        """Every annotation with that term, all qualifiers."""
        return self._by_term.get(term, [])

    def value(self, term: str) -> Value:
        """The value of the unqualified annotation, else of the first one; None when there is none."""
        found = self._by_term.get(term)
        if not found:
            return None
        return next((item.value for item in found if not item.qualifier), found[0].value)

    def text(self, term: str) -> str:
        """The value when it is a constant string."""
        value = self.value(term)
        return value if isinstance(value, str) else ""

    def is_true(self, term: str) -> bool:
        """Whether a tagging term is set (its default value is true)."""
        return self.value(term) is True

    def path(self, term: str) -> str:
        """The path when the value is dynamic (V4 ``Path``), else empty."""
        value = self.value(term)
        return value.path if isinstance(value, Path) else ""

    def record(self, term: str) -> Mapping[str, Value]:
        """The members of a record value; empty when there is none."""
        value = self.value(term)
        return value.values if isinstance(value, Record) else {}

    @property
    def label(self) -> str:
        """What people call the element."""
        return self.sap.get("label", "") or self.text(f"{COMMON}.Label")

    @property
    def description(self) -> str:
        """A longer text than the label, where there is one."""
        texts = (
            self.text(f"{CORE}.Description"),
            self.sap.get("quickinfo", ""),
            self.text(f"{COMMON}.QuickInfo"),
            self.text(f"{CORE}.LongDescription"),
        )
        return next((text for text in texts if text), "")


def write_texts(writer: GraphWriter, iri: str, stated: Statements) -> None:
    """Label and description, with their language."""
    writer.text(iri, RDFS.label, stated.label, stated.language)
    writer.text(iri, DCTERMS.description, stated.description, stated.language)


def flag_statement(sap: Mapping[str, str], name: str) -> bool | None:
    """A ``sap:`` boolean: true, false, or not stated."""
    value = sap.get(name)
    return None if value is None else value.strip().lower() == "true"


def texts(value: Value) -> Iterator[str]:
    """Paths and strings in a collection, or the single one."""
    items = value if isinstance(value, tuple) else (value,)
    for item in items:
        if isinstance(item, str) and item:
            yield item
        elif isinstance(item, Path) and item.path:
            yield item.path


def records(value: Value) -> Iterator[Record]:
    """Records in a collection, or the single one."""
    items = value if isinstance(value, tuple) else (value,)
    for item in items:
        if isinstance(item, Record):
            yield item


def as_bool(value: Value) -> bool | None:
    """A constant boolean; None when dynamic or absent."""
    return value if isinstance(value, bool) else None


def number_text(value: Value) -> str:
    """A constant as written: numbers plain, strings (dates) unchanged; empty when dynamic."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value) if isinstance(value, int | str) else ""


def enum_members(value: Value) -> frozenset[str]:
    """Member names of ``Namespace.Type/Member Namespace.Type/Other``, or a number as text."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return frozenset((str(value),))
    if not isinstance(value, str):
        return frozenset()
    return frozenset(part.rpartition("/")[2] for part in value.replace(",", " ").split())


__all__ = [
    "CAPABILITIES",
    "COMMON",
    "CORE",
    "MEASURES",
    "VALIDATION",
    "Statements",
    "as_bool",
    "enum_members",
    "flag_statement",
    "number_text",
    "records",
    "texts",
    "write_texts",
]
