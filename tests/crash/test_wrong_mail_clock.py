"""A mail server whose clock goes wrong while people are asked: nothing is written until it is right and they answer again."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ledger.records import MailRow
from tests.live import GOAL, ONE_WRITE, live_system, plan, policy_text, until
from wire.approval import Outcome
from wire.task import RunState


def restart_mail(live: Any, ahead: float) -> None:
    """Another clock: the server ends, and comes back with it; so does the mailroom, which then measures at once."""
    live.kill("mailroom")
    live.kill("mail")
    part = live.deployment.mail()
    live.deployment.supervisor.start(replace(part, command=[*part.command, f"--clock-ahead={ahead}"]))
    live.restart("mailroom")


def kept_back(live: Any, run_id: str) -> list[MailRow]:
    return [mail for mail in live.ledger.mails(run_id) if (mail.outcome, mail.check) == (Outcome.REFUSED, 7)]


@pytest.mark.parametrize("ahead", [-600.0, 600.0])
async def test_a_yes_under_a_wrong_clock_writes_nothing_and_counts_when_it_is_given_again(tmp_path, ahead: float):
    with live_system(plan(tmp_path, ONE_WRITE, policy_text())) as live:
        run_id = live.start(GOAL)
        await live.settled(run_id, RunState.AWAITING_APPROVAL)
        restart_mail(live, ahead)
        request = live.request_mail(run_id)
        live.reply(request, "APPROVE")
        await until(lambda: bool(kept_back(live, run_id)), "the answer is kept back")
        told = json.loads(live.cli("--json", "doctor", "--seconds", "60").stdout)["findings"]
        assert {f["part"]: f["status"] for f in told}["clock"] == "wrong"
        assert (live.writes(), live.ledger.run(run_id).state) == ([], RunState.AWAITING_APPROVAL)
        restart_mail(live, 0.0)
        live.reply(request, "APPROVE!")
        await until(lambda: bool(live.writes()), "the order is written")
