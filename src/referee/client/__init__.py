"""The Python client; it needs none of the server's code."""

from __future__ import annotations

from referee.client.calls import ApiError, Event, apply_view_patch
from referee.client.client import Client, SeatClient

__all__ = ["ApiError", "Client", "Event", "SeatClient", "apply_view_patch"]
