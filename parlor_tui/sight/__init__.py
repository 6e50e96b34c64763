"""Pictures that a client sends."""
