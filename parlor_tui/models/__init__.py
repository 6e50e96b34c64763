"""Which models there are, where they come from, and the folder that keeps them."""
