"""Two worlds that differ only in secrets, and a walk that looks for leaks between them."""
