"""XML that few programs write: what may be refused is refused by all readers, everything else is read by all of them."""

import codecs
from pathlib import Path

import pytest

from evaluation.fidelity.audit import audit
from evaluation.fidelity.readable import kind_of
from tests.unit.evaluation.fidelity.odd_metadata import entity, v4
from tests.unit.evaluation.fidelity.planting import failing

_TEXT = v4(entity('<Property Name="größe"/>')).decode()


def _declared(encoding: str, text: str = _TEXT) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>{text}'


def _described(term: str) -> bytes:
    inside = f'<Property Name="P" Type="Edm.Decimal"><Annotation Term="Org.OData.Validation.V1.{term}/></Property>'
    return v4(entity(inside))


READ = {
    "utf-16": _declared("utf-16").encode("utf-16"),
    "utf-32": _declared("utf-32").encode("utf-32"),
    "gb18030": _declared("GB18030").encode("gb18030"),
    "utf-16 by its declaration, utf-8 by its mark": codecs.BOM_UTF8 + _declared("utf-16").encode(),
    "utf-8 by its declaration, utf-16 by its mark": _declared("utf-8").encode("utf-16"),
    "namespace with an umlaut": _TEXT.replace("<edmx:Edmx", '<edmx:Edmx xmlns:q="http://größe/"').encode(),
    "namespace with a space": _TEXT.replace("<edmx:Edmx", '<edmx:Edmx xmlns:q="urn:a b"').encode(),
    "two of one xml:id": _TEXT.replace("<Key", '<Key xml:id="a"')
    .replace("<Property ", '<Property xml:id="a" ')
    .encode(),
    "language without its extension": _TEXT.replace("<Schema", '<Schema xml:lang="en-a"').encode(),
    "exponent beyond memory": _described('Maximum" Decimal="1E999999999"'),
    "infinity": _described('Maximum" Float="INF"'),
    "digits beyond any integer": _described(f'Maximum" Int="{"9" * 5000}"'),
    "underscore in a number": _described('Maximum" Int="1_0"'),
}
REFUSED = {
    "version": f'<?xml version="2.0"?>{_TEXT}'.encode(),
    "unknown encoding": _declared("nonsense", v4().decode()).encode(),
    "doctype": b"<!DOCTYPE a>" + v4(),
    "prefix of nothing": _TEXT.replace("<Key", '<q:x xmlns:r="not a uri"/><Key').encode(),
}


@pytest.mark.parametrize("name", READ)
def test_it_is_read_whole(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "odd.xml").write_bytes(READ[name])
    found = audit(tmp_path / "in", tmp_path / "work")
    assert (failing(found), found.refused, found.files) == ({}, [], 1)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_the_rules(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "odd.xml").write_bytes(REFUSED[name])
    found = audit(tmp_path / "in", tmp_path / "work")
    assert (kind_of(REFUSED[name]).name, [item.allowed for item in found.refused], found.passed) == ("", [True], True)
