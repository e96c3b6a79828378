"""The Python client; it needs nothing of the server."""

from __future__ import annotations

from referee.client.calls import ApiError, Event, updated_view
from referee.client.client import Client, SeatClient

__all__ = ["ApiError", "Client", "Event", "SeatClient", "updated_view"]
