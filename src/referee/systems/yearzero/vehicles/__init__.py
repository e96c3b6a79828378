"""Vehicles: what they are, who rides in them, how they are driven, what harms them and how they are repaired."""
