"""Slots: the fields a record can hold, each with the phrases by which a goal may name it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.planning.text import dice, endpoint_words, label_words, name_words, same_word
from agent.planning.words import FILLERS
from wire.context import EndpointView, FieldView, NestedView

DATE_TYPES = frozenset({"Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"})
INTEGER_TYPES = frozenset({"Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Byte", "Edm.SByte"})
NUMERIC_TYPES = INTEGER_TYPES | {"Edm.Decimal", "Edm.Double", "Edm.Single"}
ACCEPTED = 0.6
_PER_WORD = 0.002


@dataclass(frozen=True)
class Slot:
    """One field at ``path`` (navigation or complex property names from the root record, empty = the root).

    ``owner``: words of the nested set that may stand before the field's own; ``record``: words of the set it belongs to.
    """

    path: tuple[str, ...]
    field: FieldView
    aliases: tuple[tuple[str, ...], ...]
    owner: tuple[str, ...] = ()
    record: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The property's name."""
        return self.field.name

    @property
    def words(self) -> frozenset[str]:
        """All tokens of all aliases."""
        return frozenset(w for alias in self.aliases for w in alias)

    def score(self, phrase: Sequence[str]) -> float:
        """How well a phrase that ends at (or starts from) a value names this field, 0 to about 1."""
        best = 0.0
        for length in range(1, min(len(phrase), 5) + 1):
            part = tuple(phrase[-length:])
            found = max((self._one(alias, part) for alias in self.aliases), default=0.0)
            # Of two names that fit alike, the longer one says more.
            best = max(best, found + _PER_WORD * length if found else 0.0)
        return best

    def _one(self, alias: tuple[str, ...], part: tuple[str, ...]) -> float:
        known = (*alias, *self.owner)
        # The word next to the value is the head: "supplier invoice NP-1" is no supplier.
        if not alias or not any(same_word(w, part[0]) for w in known) or not any(same_word(w, part[-1]) for w in known):
            return 0.0
        score = dice(alias, part)
        if self.owner and score < 1:
            score = max(score, 0.95 * dice((*self.owner, *alias), part))
        return score


def slots_of(
    view: EndpointView, extra: dict[tuple[str, str], list[tuple[str, ...]]], *, writing: bool
) -> tuple[Slot, ...]:
    """All slots of a view, nested ones included. ``extra``: aliases learnt from carry-overs by (set, property)."""
    found = list(_fields((), view.fields, view.endpoint, extra, writing, ()))
    if view.verb == "create":
        for nested in view.nested:
            found += _nested((), nested, extra, writing)
    return tuple(found)


def _nested(
    path: tuple[str, ...], nested: NestedView, extra: dict[tuple[str, str], list[tuple[str, ...]]], writing: bool
) -> Iterable[Slot]:
    here = (*path, nested.name)
    owner = tuple(dict.fromkeys(name_words(nested.target_set or nested.target)))
    yield from _fields(here, nested.fields, nested.target_set or "", extra, writing, owner)
    for deeper in nested.nested:
        yield from _nested(here, deeper, extra, writing)


def _fields(
    path: tuple[str, ...],
    fields: Sequence[FieldView],
    endpoint: str,
    extra: dict[tuple[str, str], list[tuple[str, ...]]],
    writing: bool,
    owner: tuple[str, ...],
) -> Iterable[Slot]:
    for field in fields:
        if writing and not field.writable:
            continue
        if field.fields:
            yield from _fields((*path, field.name), field.fields, endpoint, extra, writing, owner)
        else:
            yield Slot(
                path,
                field,
                _aliases(field, endpoint_words(endpoint), extra.get((endpoint, field.name), [])),
                owner,
                endpoint_words(endpoint),
            )


def _aliases(field: FieldView, record: tuple[str, ...], learnt: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    name = name_words(field.name)
    found = [label_words(field.label), name, tuple(w for w in name if w not in FILLERS), *learnt]
    bare = tuple(w for w in name if w not in record)
    if bare != name:
        # Within an invoice "gross amount" is the invoice's gross amount.
        found.append(bare)
    for alias in list(found):
        for last in ("number", "id", "code", "key", "type", "date"):
            if len(alias) > 1 and alias[-1] == last and last not in ("type", "date"):
                found.append(alias[:-1])
    if name[-1:] == ("item",) or name[-2:] in (("item", "number"), ("item", "id")):
        found.append(("item",))
    found += _roles(name)
    return tuple(dict.fromkeys(a for a in found if a))


def _roles(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Other names of a party or text whose technical name says its role: SoldToParty is the customer."""
    roles: list[tuple[str, ...]] = []
    if name == ("sold", "to", "party"):
        roles += [("customer",), ("sold", "to")]
    if name == ("invoicing", "party"):
        roles += [("supplier",), ("invoicing", "party")]
    if name[-1:] == ("customer",) and name[:1] == ("purchase",):
        roles += [("customer", "reference"), ("your", "reference")]
    return roles


def is_date(field: FieldView) -> bool:
    """Whether the field holds a day or an instant."""
    return field.type in DATE_TYPES


def is_numeric(field: FieldView) -> bool:
    """Whether the field holds a number."""
    return field.type in NUMERIC_TYPES


def role(slot: Slot) -> str:
    """What an item field is by its words: quantity, unit, price, currency, product, item, or ""."""
    words = set(name_words(slot.name))
    if "currency" in words:
        return "currency"
    if "unit" in words and not is_numeric(slot.field):
        return "unit"
    if is_numeric(slot.field) and words & {"price", "amount", "value", "cost"} and "unit" not in words - {"price"}:
        return "price"
    if is_numeric(slot.field) and words & {"quantity", "count", "pieces"}:
        return "quantity"
    if words & {"percent", "percentage"}:
        return "percent"
    if name_words(slot.name) in (("product",), ("product", "id"), ("product", "number"), ("sku",), ("product", "code")):
        return "product"
    return ""
