"""What may come of it: risk cards, decision trees, curves."""
