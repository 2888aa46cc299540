"""What the planner says: questions, reasons for the approver, and closing answers."""

import re
from collections.abc import Sequence
from typing import Any

from agent.planning.draft import Problem
from agent.planning.filling import Filled
from agent.planning.history import Done
from agent.planning.slots import Slot
from agent.planning.text import label_words
from wire.call import Finding
from wire.context import EndpointView
from wire.endpoint import Verb

_SHOWN_CODES = 12
_LEADS_ON = re.compile(
    r"(?:[\s,.;]+(?:and|then|und|danach|dann|finally|afterwards|et|puis|y|luego|\(?\d\)?|[a-e]\)))+$", re.IGNORECASE
)
_DEEDS = {
    Verb.CREATE: "create",
    Verb.UPDATE: "change",
    Verb.DELETE: "delete",
    Verb.ACTION: "carry out",
    Verb.READ: "read",
}


def title(view: EndpointView) -> str:
    """How an endpoint is called in texts."""
    return view.label if view.label and view.label != view.endpoint else view.endpoint


def field_name(slot: Slot) -> str:
    """``Sales Order Type (SalesOrderType)``."""
    where = f"{'/'.join(slot.path)}/" if slot.path else ""
    label = slot.field.label
    return f"{label} ({where}{slot.name})" if label and label != slot.name else f"{where}{slot.name}"


def codes_text(slot: Slot) -> str:
    """The codes that may be used, with their texts."""
    codes = slot.field.codes
    if not codes:
        return ""
    shown = ", ".join(f"{c.code} = {c.text}" if c.text else c.code for c in codes[:_SHOWN_CODES])
    more = ", …" if len(codes) > _SHOWN_CODES or slot.field.codes_cut else ""
    return f"; allowed: {shown}{more}"


def ask_missing(view: EndpointView, slots: Sequence[Slot], goal_part: str) -> str:
    """One question for all that is missing."""
    deed = _DEEDS[view.verb]
    wants = "; ".join(f"{field_name(s)}{codes_text(s)}" for s in slots)
    return f"To {deed} {title(view)} ({view.endpoint}) I still need: {wants}. Your words were: “{quoted(goal_part)}”."


def ask_problems(view: EndpointView, problems: Sequence[Problem]) -> str:
    """One question for all stated values that cannot be used."""
    parts = []
    for problem in problems:
        if problem.slot is None:
            parts.append(
                f"{title(view)} ({view.endpoint}) has no field for “{problem.asked}”. Shall I go on without it?"
            )
        elif problem.kind == "code":
            parts.append(
                f"“{problem.asked}” is not an allowed value of {field_name(problem.slot)}{codes_text(problem.slot)}."
            )
        else:
            parts.append(f"You state two values for {field_name(problem.slot)}: {problem.asked}. Which one holds?")
    return " ".join(parts)


def ask_findings(findings: Sequence[Finding], fallback: str) -> str:
    """What validation found and the planner may not decide."""
    if not findings:
        return f"The call was found invalid and I cannot mend it: {fallback}"
    lines = []
    for f in findings:
        allowed = f" Allowed: {', '.join(f.allowed[:_SHOWN_CODES])}." if f.allowed else ""
        lines.append(f"{f.pointer}: {f.message}.{allowed}".replace("..", "."))
    return "I cannot complete this call without you. " + " ".join(lines)


def reason(filled: Filled, goal_part: str) -> str:
    """The paragraph for the approver: what is asked, what is done, and where the values come from."""
    view = filled.view
    sources: dict[str, list[str]] = {}
    for row in filled.draft.rows:
        for name, stated in row.values.items():
            names = sources.setdefault(stated.source, [])
            if name not in names:
                names.append(name)
    paths = dict.fromkeys(r.path for r in filled.draft.rows if r.path)
    items = [f"{len(filled.draft.at(p))} × {p[-1].removeprefix('to_').strip('_')}" for p in paths]
    text = f"The goal says: “{quoted(goal_part)}”. So I {_DEEDS[view.verb]} {title(view)}"
    text += f" with {', '.join(items)}." if items else "."
    told = {
        "earlier step": "Taken from earlier steps",
        "lookup": "Looked up by name",
        "code text": "Codes chosen by their texts",
        "numbered": "Numbered by me",
        "only code": "The only code of its list",
    }
    for source, words in told.items():
        if source in sources:
            text += f" {words}: {', '.join(sources[source])}."
    if filled.unused:
        text += f" Not used, because no field takes it: {', '.join(filled.unused)}."
    return text


def quoted(goal_part: str) -> str:
    """A part of the goal without the words that only lead on to the next part."""
    text = goal_part.strip().rstrip(" .,;:")
    return _LEADS_ON.sub("", text).rstrip(" .,;:")


def answer(done: Sequence[Done], goal: str) -> str:
    """What was found and done, step by step."""
    lines = [_line(step) for step in done]
    return "Done. " + " ".join(lines) if lines else f"Nothing was done for: {goal}"


def _line(step: Done) -> str:
    view = step.view
    data = step.observation.data
    if view.verb is Verb.READ:
        rows = data if isinstance(data, list) else [data] if data else []
        shown = "; ".join(_summary(view, r) for r in rows[:5] if isinstance(r, dict))
        return f"{title(view)}: {len(rows)} found{f' ({shown})' if shown else ''}."
    past = {Verb.CREATE: "created", Verb.UPDATE: "changed", Verb.DELETE: "deleted", Verb.ACTION: "carried out"}[
        view.verb
    ]
    keys = _keys(view, step.records[0] if step.records else {})
    return f"{title(view)}{f' {keys}' if keys else ''} {past}."


def _keys(view: EndpointView, record: dict[str, Any]) -> str:
    return "/".join(str(record[k]) for k in view.keys if record.get(k) not in (None, ""))


def _summary(view: EndpointView, record: dict[str, Any]) -> str:
    parts = [_keys(view, record)] if _keys(view, record) else []
    for field in view.fields:
        value = record.get(field.name)
        if (
            len(parts) < 4
            and field.name not in view.keys
            and value not in (None, "")
            and not isinstance(value, dict | list)
        ):
            words = label_words(field.label) or (field.name,)
            parts.append(f"{field.label or ' '.join(words)} {value}")
    return ", ".join(parts)
