"""Cutting views to a token budget: what the goal speaks of stays longest, what a call needs always stays.

Keys, required fields, and fields that a carried key or a read-back needs are never cut. Each view is shown in one of a few
levels of detail; views further down give way first, and every cut is said in words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    Level(optional=16, codes=12, nested=4, nested_optional=10),
    Level(optional=6, codes=6, nested=2, nested_optional=4),
    Level(optional=0, codes=4, nested=1, nested_optional=0),
)
_DROP_AFTER = 2
"""From this level on, views that no process binds and no clause ranks first are left out before more is cut."""


class Relevance:
    """How much a field has to do with the goal: words of its label and name, and its code texts."""

    def __init__(self, goal: str, kept: frozenset[tuple[str, str]]) -> None:
        self._words = frozenset(tokens(goal))
        self._codes = frozenset(goal.replace(",", " ").replace("'", " ").split())
        self._kept = kept

    def of(self, field: FieldView) -> float:
        """0 = nothing in common; more = nearer."""
        own = frozenset(tokens(field.label)) | frozenset(tokens(" ".join(split_name(field.name))))
        shared = len(own & self._words) / max(len(own), 1)
        return shared + sum(0.5 for code in field.codes if self.of_code(code.code, code.text) >= 1) + self._inner(field)

    def of_code(self, code: str, text: str) -> float:
        """1 and more: the goal says the code itself or all words of its text."""
        own = frozenset(tokens(text))
        return (len(own & self._words) / len(own) if own else 0.0) + (code in self._codes)

    def of_nested(self, nested: NestedView) -> float:
        """Of the navigation's name and of its fields."""
        own = frozenset(tokens(" ".join(split_name(nested.name))))
        fields = sum(1 for field in nested.fields if self.of(field) > 0)
        return len(own & self._words) + 0.1 * fields + 0.5 * sum(field.required for field in nested.fields)

    def must_stay(self, endpoint: str | None, field: FieldView) -> bool:
        """Whether the field may never be cut."""
        return field.key or field.required or (endpoint or "", field.name) in self._kept

    def _inner(self, field: FieldView) -> float:
        return max((self.of(part) for part in field.fields), default=0.0)


def cut_to_budget(
    views: Sequence[EndpointView], relevance: Relevance, budget: int, secondary: Callable[[EndpointView], bool]
) -> tuple[tuple[EndpointView, ...], tuple[str, ...], int]:
    """The views within ``budget`` tokens, what was left out in words, and the tokens used.

    ``views`` stand in order of importance; ``secondary`` tells which may be left out altogether.
    """
    levels = [0] * len(views)
    shown = [_shown(view, LEVELS[0], relevance) for view in views]
    sizes = [_tokens(view) for view in shown]
    dropped: set[int] = set()

    def total() -> int:
        return sum(size for place, size in enumerate(sizes) if place not in dropped)

    for level in range(1, len(LEVELS)):
        for place in reversed(range(len(views))):
            if total() > budget and place not in dropped:
                levels[place] = level
                shown[place] = _shown(views[place], LEVELS[level], relevance)
                sizes[place] = _tokens(shown[place])
        if level >= _DROP_AFTER:
            for place in reversed(range(len(views))):
                if total() > budget and secondary(views[place]):
                    dropped.add(place)
    kept = tuple(view for place, view in enumerate(shown) if place not in dropped)
    said = [text for place, view in enumerate(shown) for text in _said(views[place], view, place in dropped)]
    if total() > budget:
        said.append(f"required fields alone need {total()} tokens, more than the budget of {budget}")
    return kept, tuple(said), total()


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
    ranked = sorted(enumerate(others), key=lambda pair: (-relevance.of(pair[1]), pair[0]))
    chosen = {field.name for _, field in ranked[:optional]}
    stays = [field for field in fields if field.name in chosen or relevance.must_stay(owner, field)]
    return tuple(_with_codes(field, level, relevance) for field in stays)


def _with_codes(field: FieldView, level: Level, relevance: Relevance) -> FieldView:
    if len(field.codes) <= level.codes:
        return field
    ranked = sorted(enumerate(field.codes), key=lambda pair: (-relevance.of_code(pair[1].code, pair[1].text), pair[0]))
    places = sorted(place for place, _ in ranked[: level.codes])
    return field.model_copy(update={"codes": tuple(field.codes[place] for place in places), "codes_cut": True})


def _nested(nested: Sequence[NestedView], level: Level, relevance: Relevance) -> tuple[NestedView, ...]:
    ranked = sorted(enumerate(nested), key=lambda pair: (-relevance.of_nested(pair[1]), pair[0]))
    places = sorted(place for place, _ in ranked[: level.nested])
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
