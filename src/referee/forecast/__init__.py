"""The odds of actions: risk cards, decision trees, curves."""
