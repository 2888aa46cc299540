"""Events in which mail comes again, or stands between two runs."""

from dataclasses import replace
from random import Random

from evaluation.histories import letters
from evaluation.histories.mailserver import Truth
from evaluation.histories.notes import Letter
from evaluation.histories.replies import Play, own_address
from evaluation.histories.scenes import STRANGERS
from evaluation.histories.shown import read_shown
from evaluation.histories.world import World


def _of_run(world: World, run: int) -> list[Letter]:
    ids = {shown.message_id for _, shown in world.asked(run)}
    return [letter for letter in world.server.letters if letter.answers in ids and not letter.stops]


def _once_more(first: Letter, kind: str) -> Truth:
    """A copy of a yes says no more than the yes; a copy of a no is no new no."""
    return Truth(first.writer, "yes" if first.meaning == "yes" else "unclear", first.answers, first.genuine, kind)


def play_duplicate(world: World, run: int, rng: Random, kind: str) -> bool:
    """The same bytes are delivered once more."""
    known = _of_run(world, run)
    if not known:
        return False
    first = rng.choice(known)
    truth = _once_more(first, kind)
    world.server.receive(first.raw, truth)
    return True


def play_migrated(world: World, run: int, rng: Random, kind: str) -> bool:
    """The same mail with other trace headers, under the stamp it had or a new one."""
    known = _of_run(world, run)
    if not known:
        return False
    first = rng.choice(known)
    trace = f"Received: by mx{world.tick()}.agent.example; Mon, 02 Nov 2026 09:00:00 +0000\r\nX-Spam-Score: 0\r\n"
    truth = _once_more(first, kind)
    kept = {"at": first.at, "stamped": first.stamped} if rng.random() < 0.5 else {}
    world.server.receive(trace.encode() + first.raw, truth, **kept)
    return True


def play_same_id(world: World, run: int, rng: Random, kind: str) -> bool:
    """The approver's mail program sends other content under a Message-ID that it used before."""
    known = [x for x in _of_run(world, run) if x.genuine and x.meaning in ("yes", "no") and _holds_seat(world, x, run)]
    known = [x for x in known if world.server.letters.index(x) in world.server.read]
    if not known:
        return False
    first = rng.choice(known)
    shown = next(s for _, s in world.asked(run) if s.message_id == first.answers)
    words, lines = letters.said("yes", rng)
    name = first.raw.partition(b"Message-ID: <")[2].partition(b"@")[0].decode()
    honest = letters.answer_to(shown, name, first.writer, own_address(first.writer), rng)
    raw = letters.write(honest, words, (*lines, "", f"no. {world.tick()}"), rng)
    truth = Truth(first.writer, "hostile", shown.message_id, True, kind, (run,))
    world.server.receive(raw, truth)
    return True


def crossed(stranger: bool) -> Play:
    """A letter whose address names one run and whose thread another."""

    def play(world: World, run: int, rng: Random, kind: str) -> bool:
        other = (run + 1) % world.scene.runs
        here, there = world.newest(run), world.newest(other)
        if other == run or not here or not there:
            return False
        (posted, shown), (_, foreign) = rng.choice(here), rng.choice(there)
        writer = rng.choice(STRANGERS) if stranger else world.account.addresses[posted.recipient]
        words, lines = letters.said("yes", rng)
        address = own_address(writer)
        thread, quoted = rng.choice(
            ((foreign.message_id, letters.opaque_of(shown)), (shown.message_id, letters.opaque_of(foreign)),
             (foreign.message_id, letters.opaque_of(foreign)))
        )  # fmt: skip
        honest = letters.answer_to(shown, f"m{world.tick()}", writer, address, rng)
        # Some programs quote nothing; then the quote could not name another run.
        envelope = replace(honest, thread=thread, quoted=quoted, shape="thunderbird")
        stops = (run, other) if _is_seat(world, writer, run) else ()
        truth = Truth(writer, "hostile", shown.message_id, True, kind, stops)
        world.server.receive(letters.write(envelope, words, lines, rng), truth)
        world.touch(kind, other)
        return True

    return play


def play_replayed(world: World, run: int, rng: Random, kind: str) -> bool:
    """Somebody sends an approver's signed mail once more, to the address of another run; the signature still holds."""
    other = (run + 1) % world.scene.runs
    there = world.newest(other)
    known = [x for x in _of_run(world, run) if x.genuine and x.meaning == "yes" and _is_seat(world, x.writer, run)]
    known = [x for x in known if world.server.letters.index(x) in world.server.read]
    if other == run or not there or not known:
        return False
    first, (_, foreign) = rng.choice(known), rng.choice(there)
    answered = next(read_shown(p.raw) for p in world.server.posted if read_shown(p.raw).message_id == first.answers)
    raw = first.raw.replace(answered.review.encode(), foreign.review.encode())
    if rng.random() < 0.5:
        raw = raw.replace(answered.message_id.encode(), foreign.message_id.encode())
    world.server.receive(raw, Truth(first.writer, "hostile", foreign.message_id, True, kind))
    world.touch(kind, other)
    return True


def _holds_seat(world: World, letter: Letter, run: int) -> bool:
    return _is_seat(world, letter.writer, run)


def _is_seat(world: World, person: str, run: int) -> bool:
    """Whether the person is an addressee of the newest review in their own right, and of the rule now."""
    asked = {world.account.addresses[posted.recipient] for posted, _ in world.newest(run)}
    return person in asked and person in {*world.rules.approvers, *world.rules.escalate}


AGAIN: dict[str, Play] = {
    "duplicate": play_duplicate,
    "migrated": play_migrated,
    "same_id": play_same_id,
    "crossed": crossed(False),
    "crossed_stranger": crossed(True),
    "replayed": play_replayed,
}
