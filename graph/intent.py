"""Which verbs the words of a goal ask for, after its words of other languages were translated."""

from collections.abc import Mapping
from functools import cache

from graph.retrieval.glossary import translate
from graph.search_text import words
from wire.endpoint import Verb

_WORDS: Mapping[Verb, str] = {
    Verb.READ: """read show look list find get see tell which what where how check compare search display view track check
        verify inspect status wo welche welcher wie quel quelle quels qual cual donde kya kaunsa""",
    Verb.CREATE: """create enter add open raise register make new write record place put order buy set issue prepare submit
        start key type offer bill request log insert generate place""",
    Verb.UPDATE: """change update set correct adjust modify extend maintain move edit replace assign block unblock fix reject
        close clear note record lift free""",
    Verb.DELETE: "delete remove erase drop entfernen supprimer supprime eliminar elimina borrar",
}


def verbs_of(text: str) -> frozenset[Verb]:
    """The verbs that ``text`` asks for; empty when no word of it says."""
    said = {*words(text), *translate(text)}
    return frozenset(verb for verb, asking in _tables().items() if not asking.isdisjoint(said))


@cache
def _tables() -> Mapping[Verb, frozenset[str]]:
    return {verb: frozenset(text.split()) for verb, text in _WORDS.items()}
