"""What the embedded service is started with. No environment is read: every value is an argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Config:
    """Files and switches; `metadata` may name folders and single files. `page_size` 0 = no server paging."""

    metadata: tuple[Path, ...]
    state: Path
    codes: tuple[Path, ...] = ()
    required: tuple[Path, ...] = ()
    seeds: tuple[Path, ...] = ()
    assigned: tuple[Path, ...] = ()
    require_csrf: bool = True
    require_if_match: bool = False
    page_size: int = 0
    faults: bool = False


@dataclass(frozen=True, slots=True)
class Ambient:
    """Time and randomness, so that tests can fix them."""

    clock: Callable[[], datetime]
    new_guid: Callable[[], str]
    new_token: Callable[[], str]
