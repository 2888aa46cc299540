"""A goal into clauses: the separate things that are asked for, in the order of the text.

Cut at sentence ends, semicolons, list numbers, words of sequence ("and then", "danach", "ensuite", "después", "phir") and at
commas or "and" before a verb of doing. A clause without a word that search counts is joined to its neighbour.
"""

import re
from collections.abc import Sequence
from functools import cache

from graph.search_text import tokens, words

MOST_CLAUSES = 12
_MARGIN = " \t\r\n,;:.।-()"

_STRONG = re.compile(
    r"""
    (?<=[.!?।])\s+(?=\S)                       # sentences, danda included
    | [;\n]+
    | \s*(?:→|->)\s*
    | (?:^|(?<=[\s,;:.]))(?:\(?\d{1,2}[.)]|\([a-h]\)|[Ss]tep\s+\d+:?|[Ss]chritt\s+\d+:?)\s+
    """,
    re.VERBOSE,
)
_SEQUENCE = re.compile(
    r"""
    (?:,\s*)?\b(?:and\s+then|then|after\s+that|afterwards|finally|next,|and\s+finally
    |und\s+dann|danach|dann|anschlie(?:ß|ss)end|schlie(?:ß|ss)lich|zum\s+Schluss
    |et\s+ensuite|ensuite|puis|apr(?:è|e)s\s+cela|enfin
    |y\s+luego|luego|despu(?:é|e)s|finalmente|por\s+(?:ú|u)ltimo
    |uske\s+baad|phir|aur\s+phir)\b[,:]?\s+
    | (?:और\s+फिर|फिर|उसके\s+बाद)\s+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SOFT = re.compile(r"\s*,\s*(?:and\s+|und\s+|et\s+|y\s+|aur\s+|और\s+)?|\s+(?:and|und|et|y|aur|और)\s+", re.IGNORECASE)

_VERBS = frozenset(
    """
    accept add adjust announce approve assign attach bill block book buy cancel change charge check clear close compare
    confirm convert copy create credit cut decline delete deliver discard enter extend find finish fix follow get give have
    inform invoice issue key list look maintain make mark move note offer open order park pay pick place plan post print put
    raise read receive record refund register reject release remove report request return reverse save see send set ship
    show start store take tell track transfer turn type unblock update validate verify write
    anlegen ändern bestellen buchen buche erfassen erfasse erstellen erstelle freigeben freigabe genehmigen lege liefern
    löschen lösche nachsehen anfordern eintragen umbuchen ergänzen erweitern prüfen prüfe stornieren storniere verschicken
    zeige zeigen ablehnen melden machen schreiben lesen
    créer crée crer passer passe saisir enregistrer enregistre vérifier vérifie livrer facturer annuler envoyer approuver
    comptabiliser ouvrir retrouver modifier lire afficher payer
    crear crea registrar registra aprobar aprueba enviar envía contabilizar contabiliza comprobar cancelar anular leer
    mostrar muestra facturar entregar pagar modificar cambiar
    banao karo bhejo chalao dekho
    """.split()  # noqa: SIM905
)


Span = tuple[int, int]


def split_clauses(goal: str) -> tuple[str, ...]:
    """The clauses of ``goal``: disjoint substrings of it, in order; one when it asks for one thing, none when empty."""
    spans: list[Span] = [(0, len(goal))]
    for pattern in (_STRONG, _SEQUENCE):
        spans = [piece for span in spans for piece in _cut(goal, span, list(pattern.finditer(goal, *span)))]
    spans = [piece for span in spans for piece in _cut(goal, span, _before_verbs(goal, span))]
    merged: list[Span] = []
    for start, end in (_strip(goal, span) for span in spans):
        if start >= end:
            continue
        counts = bool(tokens(goal[start:end]))
        if merged and (len(merged) == MOST_CLAUSES or not counts or not tokens(goal[slice(*merged[-1])])):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(goal[start:end] for start, end in merged)


def _cut(goal: str, span: Span, separators: list[re.Match[str]]) -> list[Span]:
    edges = [span[0], *(edge for match in separators for edge in match.span()), span[1]]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _strip(goal: str, span: Span) -> Span:
    start, end = span
    while start < end and goal[start] in _MARGIN:
        start += 1
    while start < end and goal[end - 1] in _MARGIN:
        end -= 1
    return start, end


def _before_verbs(goal: str, span: Span) -> list[re.Match[str]]:
    """Commas and "and" before a verb of doing, or before a piece that ends in one (verb-last languages)."""
    found: list[re.Match[str]] = []
    start = span[0]
    for match in _SOFT.finditer(goal, *span):
        following = words(_SOFT.split(goal[match.end() : span[1]], maxsplit=1)[0])
        if asks_to_do(following) and tokens(goal[start : match.start()]):
            found.append(match)
            start = match.end()
    return found


def asks_to_do(said: Sequence[str]) -> bool:
    """Whether a piece of text, given as its ``words``, opens with a verb of doing or ends in one (verb-last languages)."""
    opening = [*said[:2], *said[-1:]]
    return len(said) >= 2 and any(word in _folded_verbs() for word in opening)


@cache
def _folded_verbs() -> frozenset[str]:
    return frozenset(word for verb in _VERBS for word in words(verb))
