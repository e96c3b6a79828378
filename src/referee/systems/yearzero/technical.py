"""Technical: modern and high technology."""

from __future__ import annotations
