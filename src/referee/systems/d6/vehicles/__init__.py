"""Vehicles: what they are, how they move, chases."""
