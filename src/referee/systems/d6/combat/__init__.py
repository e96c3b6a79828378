"""Combat: a module for each part of the chapter."""
