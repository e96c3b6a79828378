"""The package that docs/adding-a-system.md builds, written from the page and installed through its entry points."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent.parent / "docs" / "adding-a-system.md"
FILE: Final = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND: Final = re.compile(r"^```console in=tutorial\n\$ referee (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """Every file of the page, by its path."""
    return dict(FILE.findall(PAGE.read_text("utf-8")))


def commands() -> list[tuple[str, str]]:
    """Every command of the page, and what it prints."""
    return COMMAND.findall(PAGE.read_text("utf-8"))


def install(folder: Path) -> Path:
    """Write the package into a folder, so that it is installed for whoever has the folder in their path."""
    for path, text in files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    project = tomllib.loads(files()["pyproject.toml"])["project"]
    points = "\n".join(f"{name} = {where}" for name, where in project["entry-points"]["referee.systems"].items())
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    (about / "entry_points.txt").write_text(f"[referee.systems]\n{points}\n", "utf-8")
    return folder
