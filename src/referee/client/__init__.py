"""The Python client; it needs nothing of the server."""
