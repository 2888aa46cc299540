"""Documents say what is there: every command is listed, every path in the layout exists, the changelog names the version."""

import re
import tomllib
from pathlib import Path

import pytest

from cli.exit_codes import Exit
from cli.main import app
from graph.ingest import ingest
from settings import Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLES = ("imap", "smtp", "dkim", "odata", "model", "graph_endpoint")  # documented by their fields
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [command.name for command in app.registered_commands])
def test_every_command_is_documented(name):
    assert f"`{name}" in COMMANDS


@pytest.mark.parametrize("code", list(Exit), ids=lambda c: c.name)
def test_every_exit_code_is_documented(code):
    assert f"| {int(code)} |" in COMMANDS


@pytest.mark.parametrize("folder", re.findall(r"^\| `(\w+)/` \|", README, re.MULTILINE))
def test_the_layout_names_real_folders(folder):
    assert (ROOT / folder).is_dir()


@pytest.mark.parametrize(
    "page", ["README.md", *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs").rglob("*.md")))]
)
def test_links_between_documents_resolve(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t]
    assert [t for t in targets if t and not ((ROOT / page).parent / t).exists()] == []


@pytest.mark.parametrize(
    "file", sorted(set(re.findall(r"`((?:\w+/)+\w+\.py)`", (ROOT / "docs/architecture.md").read_text())))
)
def test_the_architecture_names_real_files(file):
    assert (ROOT / file).is_file()


def test_the_example_of_own_services_loads_without_a_word(tmp_path):
    page = (ROOT / "docs" / "your-own-services.md").read_text(encoding="utf-8")
    files = re.findall(r"`mine/([\w.]+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL)
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = ingest([tmp_path], tmp_path / "graph")
    assert len(report.loaded) == 4
    assert (report.refused, report.unresolved, report.violations, report.warnings) == ((), (), (), ())


def test_the_changelog_has_a_place_for_what_is_not_released():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog or f"## [{version}]" in changelog


@pytest.mark.parametrize("field", [name for name in Settings.model_fields if name not in TABLES])
def test_every_setting_is_documented(field):
    assert f"`{field}`" in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
