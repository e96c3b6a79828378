"""The live table without HTTP."""
