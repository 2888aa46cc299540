"""A policy file's version and its faults."""

import tomllib
from pathlib import Path

import pytest

from policies.rulebook import PolicyError, policy_version, read_policy

DATA = Path(__file__).parents[3] / "policies" / "data"
SMALL = """
version = "1"
requesters = ["rita"]
[[persons]]
id = "rita"
name = "Rita"
addresses = ["rita@x.example"]
[[persons]]
id = "ann"
name = "Ann"
addresses = ["ann@x.example"]
[[rules]]
id = "all"
approvers = ["ann"]
"""


def read(text):
    return read_policy(tomllib.loads(text), "p.toml")


@pytest.mark.parametrize("name", ["default.toml", "demo.toml"])
def test_shipped_files_are_whole(name):
    assert read((DATA / name).read_text()).rules


def test_version_covers_the_content():
    first, second = read(SMALL), read(SMALL.replace('approvers = ["ann"]', 'approvers = ["ann"]\nwindow_seconds = 60'))
    assert policy_version(first).startswith("1+")
    assert policy_version(first) != policy_version(second)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('approvers = ["ann"]', 'approvers = ["zoe"]', "no person 'zoe'"),
        ('approvers = ["ann"]', 'approvers = ["ann"]\nquorum = 2', "quorum 2 of 1"),
        ('"ann@x.example"', '"RITA@x.example"', "belongs to 2 persons"),
        ('requesters = ["rita"]', 'requesters = ["nobody"]', "requesters: no person 'nobody'"),
        ('version = "1"', "", "version"),
        ('id = "all"', 'id = "all"\nwindow = 3', "rules.0.window"),
        ('id = "ann"', 'id = "rita"', "stands 2 times"),
    ],
)
def test_faults_are_named(old, new, names):
    with pytest.raises(PolicyError, match=names.replace("(", r"\(")) as error:
        read(SMALL.replace(old, new))
    assert str(error.value).startswith("p.toml: ")
