"""The table: the story, who is here, what is asked of me and what I may do."""
