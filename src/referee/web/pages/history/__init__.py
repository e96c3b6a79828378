"""The history pages: story, audit, recap."""
