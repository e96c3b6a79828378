"""Requests, replies and problems, shared by server and client."""
