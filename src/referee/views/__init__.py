"""What each seat is told: redaction, its feed, its questions."""
