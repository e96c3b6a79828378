"""Scholar: knowledge, languages, contacts."""

from __future__ import annotations
