"""The oracle can fail: each fault let into the product is seen. And it knows nothing of the product."""

import ast
from pathlib import Path

import pytest

from evaluation.histories import notes, oracle, shown
from evaluation.histories.generator import KINDS, Focus
from evaluation.histories.mutants import MUTANTS
from evaluation.histories.play import PLAYS
from evaluation.histories.run import first_fault
from evaluation.histories.scenes import SCENES
from evaluation.histories.wiring import PRODUCT

PRODUCT_PARTS = {"wire", "policies", "odata", "ledger", "mail", "agent", "graph", "embedded", "activities", "workflows"}


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_fault_is_seen_within_so_many_histories(name: str):
    mutant = MUTANTS[name]
    focus = Focus(mutant.likely, mutant.scenes)
    found = first_fault(mutant.wiring(), 3, range(96), focus)
    assert found is not None, f"nobody saw: {mutant.undone}"
    assert found[1]


def test_the_product_itself_passes_where_its_faults_were_seen():
    focus = Focus(("spoof", "early_yes", "negated", "automatic", "second_yes"), ("both", "two-of-three"))
    assert first_fault(PRODUCT, 3, range(32), focus) is None


@pytest.mark.parametrize("module", [oracle, shown, notes])
def test_the_oracle_imports_nothing_of_the_product(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {str(name).partition(".")[0] for name in names}.isdisjoint(PRODUCT_PARTS)
    own = {name for name in names if str(name).startswith("evaluation")}
    assert own <= {"evaluation.histories.notes", "evaluation.histories.shown"}


def test_every_kind_of_event_can_be_played():
    assert set(KINDS) <= set(PLAYS)
    assert {kind for mutant in MUTANTS.values() for kind in mutant.likely} <= set(PLAYS)
    assert {name for mutant in MUTANTS.values() for name in mutant.scenes} <= {scene.name for scene in SCENES}
