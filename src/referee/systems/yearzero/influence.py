"""Influence: manipulation, domination, command, performance, trade."""

from __future__ import annotations
