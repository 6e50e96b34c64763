"""A whole talk that goes on while faults happen: what was lost, started again, and grew."""
