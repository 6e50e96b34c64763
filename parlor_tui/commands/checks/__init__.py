"""What `parlor-tui doctor` looks at."""
