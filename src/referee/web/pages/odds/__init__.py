"""The odds pages."""
