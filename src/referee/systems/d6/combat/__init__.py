"""Individual combat: the round, reactions, and what the chapters on weapons and maneuvers add to them."""
