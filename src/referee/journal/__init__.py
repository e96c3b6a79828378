"""The log and all that follows from it: lines, undo, open steps, seeded dice."""
