"""The process that started the parts is killed: whoever comes next must not start a second server on their files."""

import os
import signal
import subprocess
import sys

import pytest

from embedded.deployment import AlreadyRunning, Deployment
from tests.crash.leave_a_part_behind import plan
from tests.live import ROOT, until

pytestmark = pytest.mark.crash


@pytest.fixture
def holder(tmp_path):
    command = [sys.executable, "-m", "tests.crash.leave_a_part_behind", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        sleeper = int(process.stdout.readline())
        yield process, sleeper
        process.kill()
    if not gone(sleeper):
        os.kill(sleeper, signal.SIGKILL)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def free(state):
    try:
        Deployment(plan(state)).stop()
    except AlreadyRunning:
        return False
    return True


def test_a_second_one_is_told_who_holds_the_folder(holder, tmp_path):
    with pytest.raises(AlreadyRunning, match=rf"already up \(process {holder[0].pid}\)"):
        Deployment(plan(tmp_path))


async def test_parts_left_behind_are_named_and_keep_the_folder_until_they_end(holder, tmp_path):
    process, sleeper = holder
    process.kill()
    process.wait()
    with pytest.raises(AlreadyRunning, match=rf"died and left parts running .*\(sleeper {sleeper}\)"):
        Deployment(plan(tmp_path))
    os.kill(sleeper, signal.SIGKILL)
    await until(lambda: free(tmp_path), "the folder is free again")
