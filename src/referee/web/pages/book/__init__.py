"""The rulebook pages."""
