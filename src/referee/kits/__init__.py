"""What several games share, without a rulebook: every figure is passed in by the system that uses it."""
