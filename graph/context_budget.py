"""Cutting views to a token budget: what the goal speaks of stays longest, what a call needs always stays.

Keys, required fields, and fields that a carried key or a read-back needs are never cut. Each view is shown in one of a few
levels of detail; verbs that nobody asks for give way first, then views further down, and every cut is said in words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graph.search_text import split_name, tokens
from wire.context import EndpointView, FieldView, NestedView

CHARACTERS_PER_TOKEN = 4
"""A rough measure that needs no tokenizer of any model; names and JSON punctuation come near it."""


@dataclass(frozen=True)
class Level:
    """How many optional fields, codes a field and nested navigations a view shows beside what it must."""

    optional: int
    codes: int
    nested: int
    nested_optional: int


LEVELS = (
    Level(optional=400, codes=100, nested=20, nested_optional=200),
    Level(optional=40, codes=24, nested=8, nested_optional=24),
    Level(optional=20, codes=12, nested=6, nested_optional=12),
    Level(optional=8, codes=6, nested=3, nested_optional=6),
    Level(optional=0, codes=4, nested=1, nested_optional=0),
)
_UNITS = ("Unit", "Currency", "UnitISOCode")
_DROP_AFTER = 2
"""Secondary views are left out after this level, before any other view is cut."""


class Relevance:
    """How much a field has to do with the goal: words of its label and name, and its code texts."""

    def __init__(self, goal: str, kept: frozenset[tuple[str, str]]) -> None:
        self._words = frozenset(tokens(goal))
        self._codes = frozenset(goal.replace(",", " ").replace("'", " ").split())
        self._kept = kept
        # Every level of detail asks again for the same fields. Holding them keeps their ids theirs.
        self._known: dict[int, tuple[FieldView, float]] = {}

    def of(self, field: FieldView) -> float:
        """0 = nothing in common; more = nearer."""
        known = self._known.get(id(field))
        if known is None:
            known = self._known[id(field)] = (field, self._of(field))
        return known[1]

    def _of(self, field: FieldView) -> float:
        own = _words(field.label) | _words_of_name(field.name)
        shared = len(own & self._words) / max(len(own), 1)
        return shared + sum(0.5 for code in field.codes if self.of_code(code.code, code.text) >= 1) + self._inner(field)

    def of_code(self, code: str, text: str) -> float:
        """1 and more: the goal says the code itself or all words of its text."""
        own = _words(text)
        return (len(own & self._words) / len(own) if own else 0.0) + (code in self._codes)

    def of_nested(self, nested: NestedView) -> float:
        """Of the navigation's name and of its fields."""
        own = _words_of_name(nested.name)
        fields = sum(1 for field in nested.fields if self.of(field) > 0)
        return len(own & self._words) + 0.1 * fields + 0.5 * sum(field.required for field in nested.fields)

    def must_stay(self, endpoint: str | None, field: FieldView) -> bool:
        """Whether the field may never be cut."""
        return field.key or field.required or (endpoint or "", field.name) in self._kept

    def _inner(self, field: FieldView) -> float:
        return max((self.of(part) for part in field.fields), default=0.0)


# Labels, names and code texts are the catalogue's: the next goal meets the same ones.
@lru_cache(maxsize=32_768)
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


@lru_cache(maxsize=32_768)
def _words_of_name(name: str) -> frozenset[str]:
    return frozenset(tokens(" ".join(split_name(name))))


def cut_to_budget(
    views: Sequence[EndpointView], relevance: Relevance, budget: int, secondary: Callable[[EndpointView], bool]
) -> tuple[tuple[EndpointView, ...], tuple[str, ...], int]:
    """The views within ``budget`` tokens, what was left out in words, and the tokens used.

    ``views`` stand in order of importance; ``secondary`` tells which may be left out altogether.
    """
    table = _Table(views, relevance)
    places = range(len(views))
    minor = [place for place in reversed(places) if secondary(views[place])]
    major = [place for place in reversed(places) if place not in minor]
    for level in range(1, _DROP_AFTER + 1):
        table.shrink(minor, level, budget)
    table.drop(minor, budget)
    for level in range(1, len(LEVELS)):
        table.shrink(major, level, budget)
    said = [text for place in places for text in _said(views[place], table.shown[place], place in table.dropped)]
    if table.total() > budget:
        said.append(f"required fields alone need {table.total()} tokens, more than the budget of {budget}")
    return (
        tuple(view for place, view in enumerate(table.shown) if place not in table.dropped),
        tuple(said),
        table.total(),
    )


class _Table:
    """Views as they are shown at their present level, with their sizes."""

    def __init__(self, views: Sequence[EndpointView], relevance: Relevance) -> None:
        self._views, self._relevance = views, relevance
        self.shown = [_shown(view, LEVELS[0], relevance) for view in views]
        self._sizes = [_tokens(view) for view in self.shown]
        self.dropped: set[int] = set()

    def total(self) -> int:
        """Tokens of all views that are not dropped."""
        return sum(size for place, size in enumerate(self._sizes) if place not in self.dropped)

    def shrink(self, places: Sequence[int], level: int, budget: int) -> None:
        """Show views at ``level``, one after the other, until the budget holds."""
        for place in places:
            if self.total() > budget and place not in self.dropped:
                self.shown[place] = _shown(self._views[place], LEVELS[level], self._relevance)
                self._sizes[place] = _tokens(self.shown[place])

    def drop(self, places: Sequence[int], budget: int) -> None:
        """Leave views out, one after the other, until the budget holds."""
        for place in places:
            if self.total() > budget:
                self.dropped.add(place)


def _tokens(view: EndpointView) -> int:
    return -(-len(view.model_dump_json(exclude_defaults=True)) // CHARACTERS_PER_TOKEN)


def _shown(view: EndpointView, level: Level, relevance: Relevance) -> EndpointView:
    return view.model_copy(
        update={
            "fields": _fields(view.endpoint, view.fields, level.optional, level, relevance),
            "nested": _nested(view.nested, level, relevance),
        }
    )


def _fields(
    owner: str | None, fields: Sequence[FieldView], optional: int, level: Level, relevance: Relevance
) -> tuple[FieldView, ...]:
    """The fields that must stay and the ``optional`` most relevant others, in their first order."""
    others = [field for field in fields if not relevance.must_stay(owner, field)]
    if len(others) <= optional:
        return tuple(_with_codes(field, level, relevance) for field in fields)
    ranked = sorted(enumerate(others), key=lambda pair: (-relevance.of(pair[1]), pair[0]))
    chosen = {field.name for _, field in ranked[:optional]}
    chosen |= {field.name for field in fields if relevance.must_stay(owner, field)}
    # An amount without its unit or currency is no value.
    units = {f"{name}{unit}" for name in chosen for unit in _UNITS}
    chosen |= {field.name for field in others if field.name in units}
    stays = [field for field in fields if field.name in chosen]
    return tuple(_with_codes(field, level, relevance) for field in stays)


def _with_codes(field: FieldView, level: Level, relevance: Relevance) -> FieldView:
    if len(field.codes) <= level.codes:
        return field
    ranked = sorted(enumerate(field.codes), key=lambda pair: (-relevance.of_code(pair[1].code, pair[1].text), pair[0]))
    places = sorted(place for place, _ in ranked[: level.codes])
    return field.model_copy(update={"codes": tuple(field.codes[place] for place in places), "codes_cut": True})


def _nested(nested: Sequence[NestedView], level: Level, relevance: Relevance) -> tuple[NestedView, ...]:
    places = list(range(len(nested)))
    if len(nested) > level.nested:
        ranked = sorted(places, key=lambda place: (-relevance.of_nested(nested[place]), place))
        places = sorted(ranked[: level.nested])
    return tuple(
        item.model_copy(
            update={
                "fields": _fields(item.target_set, item.fields, level.nested_optional, level, relevance),
                "nested": _nested(item.nested, level, relevance),
            }
        )
        for item in (nested[place] for place in places)
    )


def _said(whole: EndpointView, shown: EndpointView, dropped: bool) -> list[str]:
    name = f"{whole.service}/{whole.endpoint} {whole.verb}"
    if dropped:
        return [f"{name}: left out"]
    said = []
    fields = len(whole.fields) - len(shown.fields)
    nested = len(whole.nested) - len(shown.nested)
    inner = sum(map(_inner_fields, whole.nested)) - sum(map(_inner_fields, shown.nested))
    codes = [field.name for field in shown.fields if field.codes_cut]
    if fields:
        said.append(f"{name}: {fields} optional fields left out")
    if nested:
        said.append(f"{name}: {nested} nested navigations left out")
    if inner:
        said.append(f"{name}: {inner} fields of nested entities left out")
    if codes:
        said.append(f"{name}: codes cut of {', '.join(codes)}")
    return said


def _inner_fields(nested: NestedView) -> int:
    return len(nested.fields) + sum(map(_inner_fields, nested.nested))
