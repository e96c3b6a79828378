"""A digital table that knows the rules of role-playing games."""

__version__ = "0.1.0"
