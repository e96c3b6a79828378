"""Public helpers for testing rules: play a step, scenario files, driver conformance, coverage of the rulebook."""

from referee.testing.play import play

__all__ = ["play"]
