"""Survival: living off the land."""

from __future__ import annotations
