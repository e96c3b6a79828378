"""Combat: rounds, attacks and reactions, weapons, and what large fights come to."""
