"""Combat: rounds, attacks and reactions, small units and large battles."""
