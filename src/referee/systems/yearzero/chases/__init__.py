"""Chases: who flees and who follows, the maneuvers, and what lies in the way."""
