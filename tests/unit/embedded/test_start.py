"""Files the service starts with: seeds, assigned values, and one clear line for each wrong input."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from embedded.odata_service.__main__ import main
from embedded.odata_service.app import create_app
from embedded.odata_service.catalogue import load_catalogue
from embedded.odata_service.errors import InputFileError, StartError
from embedded.odata_service.rules import parse_unless


def write(path: Path, entries: object) -> tuple[Path, ...]:
    path.write_text(json.dumps(entries))
    return (path,)


async def test_seed_is_applied_once_in_the_life_of_a_state_file(start, tmp_path):
    seeds = write(tmp_path / "seed.json", [{"service": "ORDERS", "endpoint": "Orders", "record": {"Order": "1"}}])
    await start(seeds=seeds).delete("/ORDERS/Orders('1')")
    assert (await start(seeds=seeds).get("/ORDERS/Orders/$count")).text == "0"


async def test_assigned_values_go_to_the_next_record_once(start, tmp_path):
    entry = {"service": "ORDERS", "endpoint": "Orders", "record": {"Order": "800", "NetAmount": "7.5"}}
    client = start(assigned=write(tmp_path / "assigned.json", [entry]))
    first, second = [
        (await client.post("/ORDERS/Orders", json={"Customer": "C"})).json()["d"]["Order"] for _ in range(2)
    ]
    assert first == "800"
    assert second != "800"


async def test_assigned_answer_of_an_operation(start, tmp_path):
    entry = {"service": "ORDERS", "endpoint": "Release", "record": {"Message": "released"}}
    client = start(assigned=write(tmp_path / "assigned.json", [entry]))
    await client.post("/ORDERS/Orders", json={"Order": "1", "Customer": "C"})
    assert (await client.post("/ORDERS/Release?Order='1'")).json()["d"]["Release"]["Message"] == "released"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"service": "NOPE", "endpoint": "A", "record": {}}, "entry 0: service 'NOPE' is not served"),
        ({"service": "ORDERS", "endpoint": "Nope", "record": {}}, "no entity set 'Nope'"),
        ({"service": "ORDERS", "endpoint": "Orders", "record": {"Order": "1", "Nope": 1}}, "no property 'Nope'"),
        ({"service": "ORDERS", "endpoint": "Orders", "record": {"Customer": "1"}}, "key Order of Orders is missing"),
        ({"service": "ORDERS", "endpoint": "Orders", "record": {"Order": "1", "Discount": "x"}}, "Discount: 'x'"),
        ({"service": "ORDERS", "endpoint": "Orders"}, "service, endpoint and record"),
    ],
)
def test_wrong_seed_names_entry_and_field(config, tmp_path, entry, message):
    with pytest.raises(InputFileError, match=message):
        create_app(replace(config, seeds=write(tmp_path / "seed.json", [entry])))


def test_wrong_csv_names_the_column(config, tmp_path):
    (tmp_path / "bad.csv").write_text("service_file,entity_type\n")
    with pytest.raises(InputFileError, match="bad.csv, line 1: column 'property' is missing"):
        create_app(replace(config, codes=(tmp_path / "bad.csv",)))


def test_unreadable_metadata_is_left_out_and_named(tmp_path):
    (tmp_path / "good.xml").write_bytes((Path(__file__).parent / "metadata" / "ORDERS.edmx").read_bytes())
    (tmp_path / "bad.edmx").write_text("<a>")
    catalogue = load_catalogue((tmp_path,))
    assert list(catalogue.versions.items()) == [("good", "V2")]
    assert catalogue.refused[0].startswith("bad.edmx, line 1: not well-formed XML")


def test_nothing_to_serve(tmp_path):
    with pytest.raises(StartError, match="nothing to serve"):
        load_catalogue((tmp_path,))


def test_missing_folder_is_one_line_and_exit_2(tmp_path, capsys):
    code = main(["--metadata", str(tmp_path / "no"), "--state", str(tmp_path / "s"), "--port", "0"])
    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_unless_grammar():
    assert parse_unless("A&!B C=1") == (("A", "!B"), ("C=1",))
