"""What one element of a document says of itself, by annotations and by ``sap:`` attributes: plain look-ups."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

_SPACES = {
    "Core": "Org.OData.Core.V1",
    "Capabilities": "Org.OData.Capabilities.V1",
    "Validation": "Org.OData.Validation.V1",
    "Measures": "Org.OData.Measures.V1",
    "Repeatability": "Org.OData.Repeatability.V1",
    "Common": "com.sap.vocabularies.Common.v1",
}
# Numbers beyond it are compared as they are written.
_DIGITS = 400
_PATHS = ("$PropertyPath", "$NavigationPropertyPath", "$AnnotationPath", "$ModelElementPath")


@dataclass(frozen=True)
class Said:
    """``path`` names the element; ``language`` is that of its texts."""

    path: str
    annotations: Mapping[str, Any] = field(default_factory=dict)
    sap: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    def every(self, term: str) -> list[tuple[str, Any]]:
        """(qualifier, value) of all annotations with the term (``Core.Computed``), in document order."""
        return [
            (full.partition("!")[0].partition("#")[2], value)
            for full, value in self.annotations.items()
            if "@" not in full and self._is(full, term)
        ]

    def inner(self, term: str, inner: str) -> Any:
        """The value of an annotation that stands on the first annotation with ``term``; None when there is none."""
        for full in self.annotations:
            outer, _, inside = full.partition("@")
            if inside and self._is(outer, term) and self._is(inside, inner):
                return self.annotations[full]
        return None

    @staticmethod
    def _is(full: str, term: str) -> bool:
        """Whether a term as it is kept is the one asked for; documents use the usual aliases without declaring them."""
        vocabulary, _, name = term.partition(".")
        return full.partition("!")[0].partition("#")[0] in (f"{_SPACES[vocabulary]}.{name}", term)

    def value(self, term: str) -> Any:
        """The unqualified value, else the first; None when nothing is said."""
        found = self.every(term)
        return next((value for qualifier, value in found if not qualifier), found[0][1] if found else None)

    def true(self, term: str) -> bool:
        """Whether a tag is set."""
        return self.value(term) is True

    def text(self, term: str) -> str:
        """A constant string, a name that is written as another kind of constant included."""
        value = self.value(term)
        return path_text(value) if not dynamic_path(value) else ""

    def dynamic(self, term: str) -> str:
        """The path of a value that stands in the entity."""
        value = self.value(term)
        return dynamic_path(value)

    def record(self, term: str) -> Mapping[str, Any]:
        """The members of a record."""
        value = self.value(term)
        return value if is_record(value) else {}

    def sap_flag(self, name: str) -> bool | None:
        """A ``sap:`` boolean, None when it is not stated."""
        stated = self.sap.get(name)
        return None if stated is None else stated.strip().lower() == "true"


def is_record(value: Any) -> bool:
    """Whether a value is a Record: expressions are dicts, too, with a key of their kind."""
    return isinstance(value, dict) and not any(key.startswith("$") and key != "$Type" for key in value)


def dynamic_path(value: Any) -> str:
    """The path of a ``Path`` expression; other expressions by their kind; empty for constants."""
    if not isinstance(value, dict) or is_record(value):
        return ""
    kind = next(key for key in value if key.startswith("$") and key != "$Type")
    if kind == "$Path":
        return str(value[kind])
    return "" if kind == "$EnumMember" or kind in _PATHS else f"<{kind[1:]}>"


def listed(value: Any) -> list[Any]:
    """Items of a collection, or the single value."""
    return value if isinstance(value, list) else [value]


def paths_of(value: Any) -> Iterator[str]:
    """Texts and paths in a collection, empty ones left out."""
    for item in listed(value):
        text = item if isinstance(item, str) else path_text(item)
        if text:
            yield text


def path_text(value: Any) -> str:
    """A path of whatever kind."""
    if isinstance(value, dict):
        return next((str(value[kind]) for kind in (*_PATHS, "$EnumMember") if kind in value), dynamic_path(value))
    return value if isinstance(value, str) else ""


def records_of(value: Any) -> list[Mapping[str, Any]]:
    """Records in a collection, or the single one."""
    return [item for item in listed(value) if is_record(item)]


def constant_text(value: Any) -> str:
    """A constant as text; empty for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | str) else ""


def number(text: str) -> str:
    """The same text for equal numbers; other texts (dates) unchanged."""
    if not text.isascii() or "_" in text:
        return text
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    return format(value.normalize(), "f") if value.is_finite() and abs(value.adjusted()) < _DIGITS else text


def members_of(value: Any) -> set[str]:
    """Member names (or the number) of an enumeration value."""
    text = str(value["$EnumMember"]) if isinstance(value, dict) and "$EnumMember" in value else value
    if isinstance(text, bool) or not isinstance(text, str | int):
        return set()
    return {part.rpartition("/")[2] for part in str(text).replace(",", " ").split()}
