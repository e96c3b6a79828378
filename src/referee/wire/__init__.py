"""Requests, replies and problems, as server and client share them."""
