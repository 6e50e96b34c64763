"""A talk that runs by itself."""
