"""Every code block of the documentation runs, and every link leads somewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from referee.core.files import load_yaml
from referee.testing.scenarios import check

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (page.name, text) for page in PAGES for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind == language
    ]


@pytest.mark.parametrize(("page", "code"), blocks("python"), ids=lambda value: value[:24])
def test_python_in_the_docs_runs(page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"docs_{page.removesuffix('.md').replace('-', '_')}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, page, "exec", dont_inherit=True), module.__dict__)


@pytest.mark.parametrize(("page", "text"), blocks("yaml"), ids=lambda value: value[:24])
def test_scenarios_in_the_docs_play_as_they_say(page: str, text: str) -> None:
    plain = load_yaml(text)
    if isinstance(plain, dict) and "steps" in plain:
        assert check(plain).differences == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / link).exists(), link
