"""The systems. None of them knows another."""
