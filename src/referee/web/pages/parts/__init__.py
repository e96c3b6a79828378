"""What several pages are made of."""
