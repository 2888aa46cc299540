"""Events of the surroundings: time, policy, service, and what fails."""

from dataclasses import replace
from datetime import timedelta
from random import Random

from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from evaluation.histories.catalogue import order_key
from evaluation.histories.notes import Rules
from evaluation.histories.replies import Play
from evaluation.histories.scenes import WINDOW
from evaluation.histories.service import NEWER, WITHOUT_NOTE
from evaluation.histories.world import World
from wire.activity_signatures import DecisionQuery


def wait(share: float, more: float) -> Play:
    """Time passes: a share of the window and some seconds."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        world.advance(world.at + timedelta(seconds=WINDOW * share + rng.uniform(0, more)))
        world.touch(kind)
        return True

    return play


def play_policy(world: World, run: int, rng: Random, kind: str) -> bool:
    """Policy is edited while runs are parked."""
    rules = world.rules
    changed = _edited(rules, kind, rng)
    if changed == rules:
        return False
    world.enact(changed)
    world.touch(kind)
    return True


def _edited(rules: Rules, kind: str, rng: Random) -> Rules:
    if kind == "remove_approver" and len(rules.approvers) > 1:
        gone = rng.choice(rules.approvers)
        return replace(rules, approvers=tuple(person for person in rules.approvers if person != gone))
    if kind == "raise_quorum" and 0 < rules.quorum < len(rules.approvers):
        return replace(rules, quorum=rules.quorum + 1)
    if kind == "end_delegations":
        return replace(rules, lent=())
    if kind == "swap_approver":
        gone = rng.choice(rules.approvers)
        taken = tuple("cleo" if person == gone else person for person in rules.approvers)
        return rules if "cleo" in rules.approvers else replace(rules, approvers=taken)
    return rules


def play_service(world: World, run: int, rng: Random, kind: str) -> bool:
    """The service changes: an order by another hand, or its metadata."""
    if kind == "drift":
        key = order_key(run, 0)
        if world.scene.method != "PATCH" or key not in world.service.orders:
            return False
        world.service.change(key, f"changed {world.tick()}")
        return True
    world.service.metadata = WITHOUT_NOTE if kind == "void" else NEWER
    world.touch(kind)
    return True


def play_write_fault(world: World, run: int, rng: Random, kind: str) -> bool:
    """The next write's answer is lost, or the worker dies around it."""
    world.service.faults.append(kind)
    calm = kind == "died_after" or world.scene.repeatable
    world.touch(("lost_repeatable" if kind.startswith("lost") else kind) if calm else f"{kind}_for_good")
    return True


def play_room(world: World, run: int, rng: Random, kind: str) -> bool:
    """The mailroom goes down or comes back."""
    world.troubles.room_up = kind.endswith("up")
    world.touch(kind)
    return True


def play_signals(world: World, run: int, rng: Random, kind: str) -> bool:
    """The next signals do not arrive, or are delivered and not recorded as delivered."""
    if kind == "signal_lost":
        world.troubles.unreachable += rng.randint(1, 3)
    else:
        world.troubles.forgetful += 1
    world.touch(kind)
    return True


def play_handmade(world: World, run: int, rng: Random, kind: str) -> bool:
    """Signals by hand: nonsense, and some with every field right."""
    evidence = [world.stage.ledger.mails(world.run_id(run))[-1:], ()][rng.randrange(2)]
    payload = {
        "run_id": world.run_id(run), "step": 1, "review": 0, "outcome": "accepted", "answer": "approve", "person": "ann",
        "evidence_id": evidence[0].raw_digest if evidence else "f" * 64,
    }  # fmt: skip
    world.engine.signal(world.run_id(run), rng.choice((payload, None, 5, "approve", [payload], {"evidence_id": 3})))
    return True


def play_mailbox(world: World, run: int, rng: Random, kind: str) -> bool:
    """The mailbox is read twice, renumbered, or in another order."""
    if kind == "rescan":
        world.server.renumber()
    elif kind == "shuffle":
        world.server.shuffle(rng)
    if kind != "shuffle" and world.troubles.room_up:
        world.poll()
    world.touch(kind)
    return True


def play_smtp_refuses(world: World, run: int, rng: Random, kind: str) -> bool:
    """The server refuses our next mail."""
    world.server.refusals += 1
    world.touch(kind)
    return True


def play_clock(world: World, run: int, rng: Random, kind: str) -> bool:
    """The mail server's clock is set anew, and a probe sees it."""
    if not world.scene.measured:
        return False
    world.pump()
    world.server.skew = rng.choice((-45, -7, 0, 4, 50))
    world.measure_clock()
    world.touch(kind)
    return True


def play_foreign(world: World, run: int, rng: Random, kind: str) -> bool:
    """Another execution under the run's workflow id (a reset) asks the ledger."""
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, workflow_run_id="another execution")
    query = DecisionQuery(run_id=world.run_id(run), step=1, review=0)
    try:
        world.stage.loop.run_until_complete(environment.run(world.activities["read_decision"], query))
    except ApplicationError:
        world.note_act("halt", run, "ledger")
        return True
    raise AssertionError("a foreign execution was served")


def play_engine_cancel(world: World, run: int, rng: Random, kind: str) -> bool:
    """The execution is cancelled in Temporal."""
    world.note_act("cancel", run, "temporal")
    world.engine.cancel(world.run_id(run))
    world.engine.settle()
    return True


TROUBLES: dict[str, Play] = {
    "wait_reminder": wait(0.78, 20),
    "wait_deadline": wait(1.0, 30),
    "wait_long": wait(1.2, 400),
    "remove_approver": play_policy,
    "raise_quorum": play_policy,
    "end_delegations": play_policy,
    "swap_approver": play_policy,
    "drift": play_service,
    "void": play_service,
    "snapshot": play_service,
    "lost_before": play_write_fault,
    "lost_after": play_write_fault,
    "died_before": play_write_fault,
    "died_after": play_write_fault,
    "mailroom_down": play_room,
    "mailroom_up": play_room,
    "signal_lost": play_signals,
    "signal_twice": play_signals,
    "handmade": play_handmade,
    "poll_twice": play_mailbox,
    "rescan": play_mailbox,
    "shuffle": play_mailbox,
    "smtp_refuses": play_smtp_refuses,
    "clock": play_clock,
    "foreign": play_foreign,
    "engine_cancel": play_engine_cancel,
}
