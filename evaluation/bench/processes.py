"""CPU and memory of the parts, read from the operating system."""

from collections.abc import Mapping

import psutil

MEBIBYTE = 2**20


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """User and system seconds that each process has used so far, ended children included."""
    return {name: _cpu(psutil.Process(pid)) for name, pid in pids.items()}


def resident_mebibytes(pids: Mapping[str, int]) -> dict[str, float]:
    """Resident memory of each process and its children, in MiB."""
    return {name: _resident(psutil.Process(pid)) / MEBIBYTE for name, pid in pids.items()}


def used_between(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """What each process used from one reading to the next."""
    return {name: after[name] - before[name] for name in before}


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    own = times.user + times.system + times.children_user + times.children_system
    return float(own + sum(_cpu(child) for child in process.children()))


def _resident(process: psutil.Process) -> int:
    return int(process.memory_info().rss + sum(child.memory_info().rss for child in process.children(recursive=True)))
