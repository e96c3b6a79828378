"""The same actions in a terminal."""
