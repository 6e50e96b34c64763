"""Turns and replies, and what is known of both; no device, no process, one thread."""
