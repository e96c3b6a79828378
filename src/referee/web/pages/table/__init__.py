"""The table: the story, who is here, the questions to me and what I may do."""
