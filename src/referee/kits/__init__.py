"""What several games share, without a rulebook: a game brings its figures, and its rules stay its own."""
