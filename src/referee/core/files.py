"""Reading YAML: the one loader. It is fast where libyaml is installed, and never creates objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

from referee.core.errors import BadInput

_SAFE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SAFE):  # type: ignore[misc]  # whichever of the two safe loaders is installed
    """A key that appears twice is an error; YAML would silently keep the last one."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and (key.tag, key.value) in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is there twice", key.start_mark)
            seen.add((key.tag, str(key.value)))
        return super().construct_mapping(node, deep)


def load_yaml(text: str) -> Any:
    """Read one document; the error says where it is malformed."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506  # the safe loader, or its twin in C
    except (yaml.YAMLError, ValueError, RecursionError) as problem:  # an impossible date is a ValueError
        raise BadInput("", f"not YAML: {_one_line(problem)}") from None


def load_yaml_file(path: Path) -> Any:
    """Read the one document of a file; every error starts with the file's name."""
    try:
        return load_yaml(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as problem:
        raise BadInput(str(path), f"not a text in UTF-8: {problem}") from None
    except BadInput as problem:
        raise BadInput(str(path), str(problem)) from None


def load_all_yaml(text: str) -> list[tuple[Any, Any]]:
    """Every document of a file, with its nodes for the line numbers."""
    loader = _Loader(text)
    found = []
    while loader.check_node():
        node = loader.get_node()
        found.append((loader.construct_document(node), node))
    return found


Place: TypeAlias = tuple[str | int, ...]
"""A place in a document: keys, and numbers in lists."""


def line_at(node: Any, place: Place) -> int:
    """The line of a place, or of as much of it as the document contains."""
    line = int(node.start_mark.line) + 1
    for step in place:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = int(node.start_mark.line) + 1
        elif isinstance(node, yaml.MappingNode) and (
            found := [(key, value) for key, value in node.value if str(key.value) == str(step)]
        ):
            line = int(found[0][0].start_mark.line) + 1
            node = found[0][1]
        else:
            break
    return line


def _one_line(problem: Exception) -> str:
    """What is wrong and where, without the excerpt that YAML adds."""
    mark = getattr(problem, "problem_mark", None)
    parts = (getattr(problem, "context", None), getattr(problem, "problem", None))
    said = " ".join(" ".join(part for part in parts if part).split() or str(problem).split())
    return f"{said} (line {mark.line + 1}, column {mark.column + 1})" if mark else said
