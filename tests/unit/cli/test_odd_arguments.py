"""Arguments that no command can use: one line that says why, exit code 2, no stack trace."""

import pytest

from cli.main import run_command
from graph.sources import find_sources

EXPLAIN = ("policy", "explain", "--service", "S", "--endpoint", "Orders")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "\udcff goal"), "is no UTF-8"),
        (("policy", "check", "{folder}"), "Is a directory"),
        ((*EXPLAIN, "--payload", "@{folder}/nowhere"), "No such file"),
        ((*EXPLAIN, "--payload", "@{folder}/deep.json"), "nested too deeply"),
        ((*EXPLAIN, "--at", "9999-12-31T23:59:59-14:00"), "nearer to now"),
        ((*EXPLAIN, "--at", "0001-01-01T00:00:00+14:00"), "nearer to now"),
    ],
)
def test_one_line_and_exit_code_2(arguments, said, tmp_path, capsys):
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    code = run_command(["--state", str(tmp_path), *(argument.format(folder=tmp_path) for argument in arguments)])
    told = capsys.readouterr().err
    assert code == 2
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("command", ["search", "ingest"])
def test_a_file_as_state_folder_is_wrong_use(command, tmp_path, capsys):
    file = tmp_path / "state"
    file.touch()
    assert run_command(["--state", str(file), command, *(["goal"] if command == "search" else [])]) == 2
    assert str(file) in capsys.readouterr().err


def test_a_file_name_that_is_no_text_is_read_and_shown_with_a_replacement(tmp_path):
    (tmp_path / "a\udcff.edmx").write_bytes(b"<x/>")
    assert [(source.shown, source.name) for source in find_sources([tmp_path])] == [("a\ufffd.edmx", "a\ufffd")]
