"""The mailroom on real servers: Dovecot in full size, the embedded server in a smaller one."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluation.bench.measure import Goal, Measure, at_least, at_most
from evaluation.bench.numbers import median, percentile
from evaluation.dovecot import DovecotMissing
from evaluation.mailroom.mails import StoredMail
from evaluation.mailroom.measuring import (
    IDLE_SECONDS,
    Size,
    World,
    measure_alone,
    measure_crowd,
    measure_folders,
    measure_logins,
)
from evaluation.mailroom.servers import Server, dovecot_server, embedded_server

FULL = Size(replies=1000, strangers=49_000, alone=100, steady_seconds=30.0, folders=10_000, archived=25)
SMALL = Size(replies=200, strangers=4_800, alone=30, steady_seconds=10.0, folders=1_000, archived=1_000)

UNINDEXED = "\nmailbox_list_index = no\n"
"""By default Dovecot keeps an index of its folders and reads it whole whenever one is made or renamed."""

Serve = Callable[[Iterable[StoredMail], int], AbstractContextManager[Server]]


def mailroom_measures(folder: Path, full: Size = FULL, small: Size = SMALL) -> list[Measure]:
    """All measures. ``folder`` is made."""
    names = iter(("embedded-mail", "embedded-folders"))

    def embedded(mails: Iterable[StoredMail], folders: int) -> AbstractContextManager[Server]:
        return embedded_server(folder / next(names), mails, folders)

    place = folder / "Dovecot"
    place.mkdir(parents=True)
    try:
        measures = _one_server("Dovecot", dovecot_server, full, place)
        every = replace(full, archived=full.folders)
        measures += _folders("Dovecot, mailbox_list_index = no", partial(dovecot_server, extra=UNINDEXED), every)
    except DovecotMissing as missing:
        measures = [Measure("Dovecot: skipped", 1, "", note=str(missing))]
    place = folder / "embedded"
    place.mkdir()
    return [*measures, *_one_server("embedded", embedded, small, place)]


def _one_server(name: str, serve: Serve, size: Size, place: Path) -> list[Measure]:
    world = World(place, size)
    measures = []
    try:
        with serve(world.mails, 0) as server:
            measures += _crowd(name, world, server, size)
            measures += _alone(name, world, server)
            measures += _logins(name, world, server, size)
    finally:
        world.ledger.dispose()
    return [*measures, *_folders(name, serve, size)]


def _folders(name: str, serve: Serve, size: Size) -> list[Measure]:
    with serve((), size.folders) as server:
        listed, archived = measure_folders(server, size.archived)
    whole = archived / size.archived * size.folders
    note = f"reckoned from {size.archived} in {archived:.1f} s" if size.archived < size.folders else ""
    return [
        Measure(f"{name}: {size.folders} run folders listed", listed, "s"),
        Measure(f"{name}: {size.folders} run folders archived", whole, "s", note=note),
    ]


def _crowd(name: str, world: World, server: Server, size: Size) -> list[Measure]:
    found = measure_crowd(world, server)
    note = f"{size.replies} replies in random order among {size.strangers} strangers' mails, first look at the mailbox"
    return [
        Measure(f"{name}: replies matched and signalled", found.signalled, "s", _goal(name, at_most(60)), note),
        Measure(f"{name}: the same replies filed, too", found.filed, "s", _goal(name, at_most(60))),
        Measure(f"{name}: replies accepted", found.accepted, "replies", at_least(size.replies)),
        Measure(f"{name}: strangers' mails left in the inbox", found.left, "mails", at_least(size.strangers)),
        Measure(f"{name}: mails marked as seen", found.seen_strangers, "mails", at_most(0)),
        Measure(f"{name}: peak resident memory of the room", found.mebibytes, "MiB"),
        Measure(f"{name}: CPU of the room until all was filed", found.cpu_seconds, "s"),
    ]


def _alone(name: str, world: World, server: Server) -> list[Measure]:
    times = measure_alone(world, server)
    note = (
        f"from the server's acceptance, the room idle in a mailbox of {len(world.crowd)}+ mails; {len(times)} replies"
    )
    return [
        Measure(f"{name}: reply to signal, median", median(times), "s", note=note),
        Measure(f"{name}: reply to signal, p99", percentile(times, 0.99), "s", at_most(3)),
    ]


def _logins(name: str, world: World, server: Server, size: Size) -> list[Measure]:
    if server.logins() is None:
        return []
    rounds, logins = measure_logins(world, server, size.steady_seconds)
    hours = rounds * IDLE_SECONDS / 3600
    note = f"{logins} in {rounds} poll rounds, which stand for {hours:.1f} h of IDLE of {IDLE_SECONDS:.0f} s each"
    return [Measure(f"{name}: logins an hour in steady state", logins / hours, "logins", at_most(1), note)]


def _goal(name: str, goal: Goal) -> Goal | None:
    return goal if name == "Dovecot" else None
