"""The tables: whoever runs a rule and answers what it asks."""
