"""Drafts in the browser: a list of them, and one with its steps."""
