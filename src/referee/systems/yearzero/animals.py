"""Animal Handling: riding, commanding, training and taming animals."""

from __future__ import annotations
