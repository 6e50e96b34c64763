"""What the events say about time."""
