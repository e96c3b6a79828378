"""The table over HTTP: every action, view and question, and a stream of what happens."""
