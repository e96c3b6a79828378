"""Crafting: making, repairing and improving premodern things."""

from __future__ import annotations
