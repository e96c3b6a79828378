"""Names of files that people save, made from what they called something."""

from __future__ import annotations

import re
from urllib.parse import quote

LONGEST = 80


def file_name(name: str, ending: str) -> str:
    """A name that every system can store: `The market recap.md`."""
    said = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', " ", name)
    said = re.sub(r"\s+", " ", said).strip(" .")[:LONGEST].strip(" .")
    return f"{said or 'referee'}{ending}"


def attachment(name: str) -> str:
    """The header by which a browser saves a file under a name, whatever letters it has."""
    plain = re.sub(r'[^ -~]|["\\]', "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
