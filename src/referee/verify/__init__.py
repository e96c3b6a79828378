"""A log checked afterwards: its replay, its dice, its rules."""
