"""The systems, each a stranger to the others."""
