"""Benchmark folders: joined, read leniently, and refused with the place of what is wrong."""

import json
from pathlib import Path

import pytest

from evaluation.retrieval.bench import load_bench
from evaluation.retrieval.errors import BenchError, UnknownChoice


def row(name: str, **more) -> dict[str, object]:
    return {"id": name, "text": "t", "type": "single", "gold": [{"service": "S.edmx", "endpoint": "A"}], **more}


def folder(path: Path, *rows: dict[str, object] | str, twins: str = "") -> Path:
    path.mkdir()
    lines = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in rows]
    (path / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    if twins:
        (path / "twins.csv").write_text(f"service,endpoint,twin_service,twin_endpoint\n{twins}\n", encoding="utf-8")
    return path


def test_folders_add_up_and_equal_rows_count_once(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", row("1"), row("2"), twins="S,A,T,A")
    two = folder(tmp_path / "two", row("2"), row("3"), twins="S,A,U,A")
    bench = load_bench([one, two])
    assert [query.id for query in bench.queries] == ["1", "2", "3"]
    assert bench.twins["S", "A"] == {("T", "A"), ("U", "A")}
    assert bench.twins["U", "A"] == {("S", "A")}


def test_one_id_with_two_contents_is_an_error(tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one", row("1")), folder(tmp_path / "two", row("1", text="other"))
    with pytest.raises(BenchError, match=r"two/queries.jsonl, line 1: query 1 .*another id"):
        load_bench([one, two])


def test_a_query_needs_little(tmp_path: Path) -> None:
    bench = load_bench([folder(tmp_path / "one", row("1", text="a\u2028b"))])
    assert (bench.queries[0].gold, bench.queries[0].text) == ((("S", "A"),), "a\u2028b")
    assert bench.twins == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: "),
        ('{"id": "1", "text": "t", "type": "single"}', "lacks 'gold'"),
        ('{"id": "1", "text": "t", "type": "single", "gold": []}', "has no gold"),
        ('{"id": "1", "text": "t", "type": "single", "gold": [{"service": "S"}]}', "lacks 'endpoint'"),
        ("[]", "line 1: "),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        load_bench([folder(tmp_path / "one", line)])


def test_a_folder_without_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"queries\.jsonl: no such file"):
        load_bench([tmp_path])


@pytest.mark.parametrize("told", ["A", "S/A", "S.edmx/A", {"service": "S", "endpoint": "A"}, ["A"]])
def test_instead_of_is_read_in_any_form(tmp_path: Path, told: object) -> None:
    also = [{"service": "S", "endpoint": "B", "instead_of": told}]
    query = load_bench([folder(tmp_path / "one", row("1", also=also))]).queries[0]
    assert query.instead_of == {("S", "B"): {("S", "A")}}


def test_an_unknown_split_names_those_that_exist(tmp_path: Path) -> None:
    bench = load_bench([folder(tmp_path / "one", row("1", split="train"))])
    assert bench.of_split("train").queries == bench.queries
    with pytest.raises(UnknownChoice, match="train"):
        bench.of_split("dev")
