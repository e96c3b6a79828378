"""The log and everything that follows from it: lines, undo, open steps, seeded dice."""
