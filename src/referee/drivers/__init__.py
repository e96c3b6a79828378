"""The tables: drivers that run a rule and answer what it asks."""
