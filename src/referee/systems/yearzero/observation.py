"""Observation: noticing, surveying, spotting."""

from __future__ import annotations
