"""One module for each command that has no screen."""
