"""A goal into clauses: the separate things that are asked for, in the order of the text.

Cut at sentence ends, semicolons, list numbers, words of sequence ("and then", "danach", "ensuite", "después", "phir") and at
commas or "and" before a verb of doing. A clause without a word that search counts is joined to its neighbour.
"""

import re
from functools import cache

from graph.search_text import tokens, words

MOST_CLAUSES = 12

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


def split_clauses(goal: str) -> tuple[str, ...]:
    """The clauses of ``goal``, stripped; one when it asks for one thing, none when it is empty."""
    parts = [goal]
    for pattern in (_STRONG, _SEQUENCE):
        parts = [piece for part in parts for piece in pattern.split(part)]
    pieces = [piece for part in parts for piece in _split_before_verbs(part)]
    clauses: list[str] = []
    for piece in (text.strip(" \t\r\n,;:.-") for text in pieces):
        if not piece:
            continue
        if clauses and not (tokens(piece) and tokens(clauses[-1])):
            clauses[-1] = f"{clauses[-1]} {piece}"
        else:
            clauses.append(piece)
    if len(clauses) > MOST_CLAUSES:
        clauses = [*clauses[: MOST_CLAUSES - 1], "; ".join(clauses[MOST_CLAUSES - 1 :])]
    return tuple(clauses)


def _split_before_verbs(text: str) -> list[str]:
    """Cut at commas and "and" when a verb of doing follows within two words, or ends the piece (verb-last languages)."""
    pieces: list[str] = []
    start = 0
    for match in _SOFT.finditer(text):
        following = words(_SOFT.split(text[match.end() :], maxsplit=1)[0])
        if _starts_action(following) and tokens(text[start : match.start()]):
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]


def _starts_action(following: list[str]) -> bool:
    opening = following[:2] + following[-1:]
    return len(following) >= 2 and any(word in _folded_verbs() for word in opening)


@cache
def _folded_verbs() -> frozenset[str]:
    return frozenset(word for verb in _VERBS for word in words(verb))
