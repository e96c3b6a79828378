"""The Python client; it needs nothing of the server."""

from __future__ import annotations

from referee.client.calls import ApiError, Event, brought_up_to_date
from referee.client.client import Client, SeatClient

__all__ = ["ApiError", "Client", "Event", "SeatClient", "brought_up_to_date"]
