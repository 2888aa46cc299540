"""The command over a small catalogue of its own: what it writes, what adds up, and one line for what is wrong."""

import json
from pathlib import Path

import pytest

from evaluation.retrieval.command import main
from evaluation.retrieval.world import join_tables
from graph.retrieval.factory import NAMES

SERVICE = """<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema Namespace="N" xmlns="http://docs.oasis-open.org/odata/ns/edm">
<EntityType Name="Order"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/></EntityType>
<EntityType Name="Invoice"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/></EntityType>
<EntityContainer Name="C"><EntitySet Name="Orders" EntityType="N.Order"/><EntitySet Name="Invoices" EntityType="N.Invoice"/>
</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"""


def query(name: str, endpoint: str, text: str, kind: str = "single", **more) -> str:
    gold = [] if kind == "out_of_scope" else [{"service": "SHOP", "endpoint": endpoint}]
    return json.dumps({"id": name, "text": text, "type": kind, "gold": gold, **more})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name in ("bench", "metadata"):
        (tmp_path / name).mkdir()
    (tmp_path / "metadata" / "SHOP.edmx").write_text(SERVICE)
    rows = [
        query("1", "Orders", "all orders", split="train"),
        query("2", "Invoices", "one invoice", split="dev"),
        query("3", "", "reset my password", "out_of_scope", split="dev"),
    ]
    (tmp_path / "bench" / "queries.jsonl").write_text("\n".join(rows))
    return tmp_path


def run(shop: Path, *more: str) -> int:
    return main(
        [
            "--bench",
            str(shop / "bench"),
            "--metadata",
            str(shop / "metadata"),
            "--json",
            str(shop / "out" / "found.json"),
        ]
        + ["--cache", str(shop / "cache"), *more]
    )


def found(shop: Path):
    return json.loads((shop / "out" / "found.json").read_text())


def test_what_is_written(shop: Path) -> None:
    assert run(shop, "--method", "bm25", "--method", "dense") == 0
    told = found(shop)
    assert told["results"]["bm25"]["all"]["recall@3"] == 1
    assert told["results"]["bm25"]["out_of_scope"]["n"] == 1
    assert told["results"]["bm25"]["single"]["golds_evicted@3"] == 0
    assert sorted(told["rankings"]["dense"]) == ["1", "2", "3"]
    assert told["rankings"]["bm25"]["1"][0] == ["SHOP", "Orders"]


def test_comparisons_name_both_sides_and_their_interval(shop: Path) -> None:
    assert run(shop, "--method", "countersign", "--method", "dense") == 0
    row = next(row for row in found(shop)["comparisons"] if (row["type"], row["metric"]) == ("all", "recall@3"))
    assert (row["a"], row["b"], row["n"], row["delta"], row["p"]) == ("countersign", "dense", 2, 0, 1)
    assert {"ci_low", "ci_high", "p_by_process", "p_holm", "clusters"} <= set(row)


def test_all_methods_run_without_a_process_layer(shop: Path) -> None:
    assert run(shop) == 0
    told = found(shop)
    assert {name: table["all"]["recall@10"] for name, table in told["results"].items()} == dict.fromkeys(NAMES, 1)
    assert set(told["controls"]) == {"dense_2k", "placebo", "backward", "left_out"}


def test_a_split_is_a_part(shop: Path) -> None:
    assert run(shop, "--method", "bm25", "--split", "train") == 0
    assert list(found(shop)["rankings"]["bm25"]) == ["1"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--split", "test"], "split 'test': the benchmark has dev, train"),
        (["--method", "psychic"], "method 'psychic': known are dense, tokens"),
        (["--model", "no-such-model"], "embedding model 'no-such-model'"),
        (["--bench", "no-such-folder"], "no-such-folder/queries.jsonl: no such file"),
        (["--metadata", "no-such-folder"], "no-such-folder: no such folder"),
    ],
)
def test_what_is_wrong_is_one_line(
    shop: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert run(shop, *more) == 2
    error = capsys.readouterr().err.splitlines()
    assert (len(error), message in error[-1]) == (1, True)


def test_a_process_layer_that_points_nowhere_is_one_line(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["process_id,node_id,service_file,endpoint,mode", *(f"P,T{n},GONE.edmx,Sets,read" for n in range(3))]
    (shop / "bench" / "bindings.csv").write_text("\n".join(rows))
    assert run(shop, "--method", "bm25") == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "GONE" in line]
    assert len(said) == 1
    assert said[0].startswith("3 rows of the process layer")


def test_a_gold_that_is_not_there_is_said_and_not_found(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (shop / "bench" / "queries.jsonl").open("a") as file:
        file.write("\n" + query("4", "Ghosts", "ghosts"))
    assert run(shop, "--method", "bm25") == 0
    assert "query 4: not in the metadata: SHOP/Ghosts; counted as not found" in capsys.readouterr().err
    assert found(shop)["results"]["bm25"]["all"]["recall@10"] == pytest.approx(2 / 3, abs=1e-5)


def test_tables_are_joined_row_by_row(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("a,b\n1,2\n3,\n")
    two.write_text('b,a,note\n2,1,\n"x, y",4,"n"\n')
    assert join_tables([one, two]).splitlines() == ["a,b,note", "1,2,", "3,,", '4,"x, y",n']
