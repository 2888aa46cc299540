"""Canonical N-Quads: written by us, read back by Oxigraph, the same again."""

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from graph.nquads import GraphWriter, graph_hash, sorted_lines

_TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))


@given(_TEXTS)
def test_any_text_survives(text: str) -> None:
    writer = GraphWriter("urn:g")
    writer.string("urn:s", "urn:p", text)
    (quad,) = parse("".join(writer.lines()).encode(), RdfFormat.N_QUADS)
    assert quad.object == Literal(text)
    assert quad.graph_name == NamedNode("urn:g")


def test_canonical_forms() -> None:
    writer = GraphWriter("urn:g")
    writer.text("urn:s", "urn:p", 'a "b"\\\n', "de")
    writer.boolean("urn:s", "urn:p", False)
    writer.integer("urn:s", "urn:p", None)
    assert sorted_lines([writer.lines()]) == [
        '<urn:s> <urn:p> "a \\"b\\"\\\\\\n"@de <urn:g> .\n',
        '<urn:s> <urn:p> "false"^^<http://www.w3.org/2001/XMLSchema#boolean> <urn:g> .\n',
    ]


def test_what_is_not_stated_is_not_written() -> None:
    writer = GraphWriter("urn:g")
    writer.text("urn:s", "urn:p", "")
    writer.text("urn:s", "urn:p", None)
    writer.flag("urn:s", "urn:p", False)
    assert writer.lines() == set()


def test_hash_of_known_lines() -> None:
    # printf '<a> <b> <c> <d> .\n' | sha256sum
    assert graph_hash(["<a> <b> <c> <d> .\n"])[:12] == "05f8db3f7e2e"
