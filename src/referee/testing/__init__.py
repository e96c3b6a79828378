"""Public helpers for testing rules: play a step, scenario files, driver conformance, coverage of the rulebook."""
