"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["referee.testing.witness"]

settings.register_profile("referee", deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("proof", parent=settings.get_profile("referee"), derandomize=True, max_examples=20)
settings.load_profile("proof" if "REFEREE_PROOF" in os.environ else "referee")
