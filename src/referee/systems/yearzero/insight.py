"""Insight: reading people, calm, meditation."""

from __future__ import annotations
