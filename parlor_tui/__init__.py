"""A terminal assistant one talks to, that runs wholly on one's own machine."""

__version__ = "0.1.0"
