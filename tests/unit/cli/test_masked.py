"""``show`` and ``audit`` of a run whose policy masks something; the record itself stays whole."""

import pytest

from cli.main import run_command
from ledger.store import open_ledger
from tests.unit.cli.test_erase import POLICY
from tests.unit.ledger.world import World, at, make_call
from wire.call import CallResult, ExecutedCall

SECRET = "DE89370400440532013000"
MASK = '[[masks]]\nid = "order-numbers"\nproperties = ["PurchaseOrder*", "Order", "order"]\n'


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}", random_epoch=lambda: "epoch-1")
    world = World(ledger)
    world.open_run("run-closed", order=SECRET)
    world.answer("approve", run_id="run-closed")
    key = world.dispatch("run-closed", order=SECRET).effect_key
    ledger.record_effect(
        key,
        "executed",
        ExecutedCall(effect_key=key, digest=make_call(SECRET).digest, result=CallResult(status=201)),
        at(7),
    )
    ledger.dispose()
    monkeypatch.setenv("COUNTERSIGN_POLICY_FILE", str(tmp_path / "policy.toml"))

    def run(*arguments: str, masks: str = MASK) -> str:
        (tmp_path / "policy.toml").write_text(POLICY.format(retention="") + masks)
        assert run_command(["--state", str(tmp_path), *arguments]) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("command", ["show", "audit"])
def test_what_the_policy_masks_is_masked_on_the_screen(typed, command):
    shown = typed(command, "run-closed")
    assert SECRET not in shown
    assert "•••• 3000" in shown


def test_an_auditor_can_ask_for_all_of_it(typed):
    assert SECRET in typed("audit", "run-closed", "--unmasked")


@pytest.mark.parametrize("command", ["show", "audit"])
def test_without_masks_everything_is_shown(typed, command):
    assert SECRET in typed(command, "run-closed", masks="")
