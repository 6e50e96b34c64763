"""Models that only take the time of real ones: the published costs of Parlor v1 on an M3 Pro, and what follows."""
