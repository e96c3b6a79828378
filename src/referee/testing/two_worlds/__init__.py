"""Two worlds that differ in secrets only, and a walk that looks for leaks between them."""
