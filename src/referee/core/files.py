"""Reading YAML: the one loader, fast where libyaml is there, and never one that makes objects."""

from __future__ import annotations

from typing import Any, Final

import yaml

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:
    """One document; `yaml.YAMLError` says where it is broken."""
    return yaml.load(text, _LOADER)  # noqa: S506  # the safe loader, or its twin in C


def load_all_yaml(text: str) -> list[tuple[Any, Any]]:
    """Every document of a file, with its nodes for the numbers of lines."""
    return list(zip(yaml.load_all(text, _LOADER), yaml.compose_all(text, _LOADER), strict=True))  # as above
