"""Medical Aid: first aid, death saves, care."""

from __future__ import annotations
