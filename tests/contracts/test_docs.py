"""Every code block of the documentation runs, and every link leads somewhere."""

from __future__ import annotations

import re
import subprocess
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


@pytest.mark.parametrize(("page", "text"), blocks("console"), ids=lambda value: value[:24])
def test_commands_in_the_docs_answer_as_they_say(page: str, text: str, tmp_path: Path) -> None:
    command, _, shown = text.removeprefix("$ ").partition("\n")
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == shown


PLAYED = [("README.md", "alien --seed hull"), pytest.param("docs/playing.md", None, marks=pytest.mark.slow)]
COMMAND = re.compile(r"^`referee play (.*)`$", re.MULTILINE)


@pytest.mark.parametrize(("page", "words"), PLAYED)
def test_scenes_of_the_docs_are_what_is_played(page: str, words: str | None, tmp_path: Path) -> None:
    text = (ROOT / page).read_text("utf-8")
    shown = next(block for kind, block in BLOCK.findall(text) if kind == "text").splitlines()
    typed = [line.removeprefix(">").strip() for line in shown if line.startswith(">")]
    words = words or COMMAND.findall(text)[0]
    command = [sys.executable, "-m", "referee.cli.main", "play", *words.split(), "--log", str(tmp_path / "log")]
    done = subprocess.run(command, input="\n".join([*typed, "quit"]), capture_output=True, text=True, check=True)
    parted = re.sub(r"^> |none: ", lambda found: f"{found[0].strip()}\n", done.stdout, flags=re.MULTILINE)
    played = iter(parted.splitlines())
    for line in shown:
        if not line.startswith(">"):
            assert line in played, line
