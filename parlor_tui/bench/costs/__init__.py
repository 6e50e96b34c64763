"""Models that only take the time of real ones: the published costs of the seed on an M3 Pro, and what follows."""
