"""The bounds of the code's shape: file and function sizes, docstrings, and nothing of one machine in the tree."""

import ast
import re
import statistics
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60


def python_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return [ROOT / name for name in listed if (ROOT / name).exists()]


FILES = python_files()
PRODUCT = [f for f in FILES if "tests" not in f.relative_to(ROOT).parts]


def functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(ROOT)))
def test_file_and_function_bounds(file: Path) -> None:
    assert file.read_text(encoding="utf-8").count("\n") <= MOST_FILE_LINES
    assert [f"{n.name}: {lines(n)} lines" for n in functions(file) if lines(n) > MOST_FUNCTION_LINES] == []


def test_functions_are_small_on_the_whole() -> None:
    sizes = sorted(lines(n) for f in PRODUCT for n in functions(f))
    assert statistics.median(sizes) <= 10
    assert sizes[int(len(sizes) * 0.95)] <= 40


@pytest.mark.parametrize("file", PRODUCT, ids=lambda f: str(f.relative_to(ROOT)))
def test_modules_say_what_they_are_for(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert not source.strip() or ast.get_docstring(ast.parse(source))


def test_tree_names_no_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    pattern = re.compile(r"(?<![\w.])/(work|root|farm)/")
    found = [
        name
        for name in listed
        if name.endswith((".py", ".md", ".toml", ".lock", ".yml", "Makefile", "run"))
        and (ROOT / name).is_file()
        and pattern.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []
