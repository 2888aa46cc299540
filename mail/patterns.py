"""Compiled patterns of ``mail/data/patterns.toml``: what programs, gateways and quotes look like."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Patterns:
    """One compiled alternation per kind. ``header_from`` and ``header_other`` match a label with its colon."""

    attribution: re.Pattern[str]
    header_from: re.Pattern[str]
    header_other: re.Pattern[str]
    separator: re.Pattern[str]
    footer: re.Pattern[str]
    program_verb: re.Pattern[str]
    banner: re.Pattern[str]
    disclaimer: re.Pattern[str]
    automatic_subject: re.Pattern[str]
    takes_back: re.Pattern[str]
    bare_no: re.Pattern[str]
    harmless: re.Pattern[str]


def _any(expressions: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{expression})" for expression in expressions), re.IGNORECASE)


@cache
def patterns() -> Patterns:
    """The shipped patterns, compiled once."""
    table = tomllib.loads(resources.files("mail").joinpath("data/patterns.toml").read_text(encoding="utf-8"))
    label = r"^[*_\s]*(?:{})[*_\s]*[:：][*_]*"
    return Patterns(
        attribution=_any([rf"{verb}\b|{verb}(?=[\s:：])|{verb}$" for verb in table["attribution_verbs"]]),
        header_from=re.compile(label.format("|".join(map(re.escape, table["from_labels"]))), re.IGNORECASE),
        header_other=re.compile(label.format("|".join(map(re.escape, table["other_labels"]))), re.IGNORECASE),
        separator=_any(table["separators"]),
        footer=_any(table["footers"]),
        program_verb=_any(table["program_verbs"]),
        banner=_any(table["banners"]),
        disclaimer=_any(table["disclaimers"]),
        automatic_subject=re.compile(rf"^\W*(?:{'|'.join(table['automatic_subjects'])})", re.IGNORECASE),
        takes_back=_any(table["takes_back"]),
        harmless=_any(table["harmless"]),
        bare_no=re.compile(rf"^\W*(?:{'|'.join(table['bare_no'])})\W*$", re.IGNORECASE),
    )
