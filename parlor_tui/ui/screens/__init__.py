"""What opens over the talk."""
