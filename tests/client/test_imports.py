"""What the client needs: nothing of the server, and httpx, which nothing else needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import referee

SOURCE = Path(referee.__file__).parent
SERVER = ("referee.web", "referee.table", "referee.store", "referee.journal", "referee.views", "referee.systems")
LIBRARIES = ("fastapi", "starlette", "uvicorn", "sqlalchemy", "jinja2")


def loaded_by(module: str) -> set[str]:
    code = f"import sys, {module}; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_client_loads_no_module_of_the_server() -> None:
    loaded = loaded_by("referee.client")
    assert {"referee.client.client", "httpx"} <= loaded
    assert [name for name in sorted(loaded) if name.startswith(SERVER)] == []
    assert [name for name in sorted(loaded) if name.partition(".")[0] in LIBRARIES] == []


def test_importing_the_server_loads_no_httpx() -> None:
    assert "httpx" not in loaded_by("referee.web.server")


def test_httpx_is_imported_by_the_client_alone() -> None:
    users = {path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py") if "httpx" in _imports(path)}
    assert users == {"client"}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found
