"""Reading YAML: the one loader, fast where libyaml is there, and never one that makes objects."""

from __future__ import annotations

from typing import Any, Final

import yaml

from referee.core.errors import BadInput

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:
    """One document; the complaint says where it is broken."""
    try:
        return yaml.load(text, _LOADER)  # noqa: S506  # the safe loader, or its twin in C
    except (yaml.YAMLError, ValueError, RecursionError) as problem:  # a date that is none is a ValueError
        raise BadInput("", f"not YAML: {problem}") from None


def load_all_yaml(text: str) -> list[tuple[Any, Any]]:
    """Every document of a file, with its nodes for the numbers of lines. A key that stands twice is an error."""
    for node in yaml.compose_all(text, _LOADER):
        _check_keys_once(node)
    return list(zip(yaml.load_all(text, _LOADER), yaml.compose_all(text, _LOADER), strict=True))  # as above


def _check_keys_once(node: Any) -> None:
    """YAML would silently keep the last of two."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_keys_once(item)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise yaml.YAMLError(f"{key.value!r} stands twice, on line {key.start_mark.line + 1}")
            seen.add(str(key.value))
            _check_keys_once(value)
