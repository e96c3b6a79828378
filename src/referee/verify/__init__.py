"""Checks a log afterwards: its replay, its dice, its rules."""
