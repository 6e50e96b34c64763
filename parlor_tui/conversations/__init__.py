"""Conversations on the disk: how one is written, kept, found, and handed on."""
