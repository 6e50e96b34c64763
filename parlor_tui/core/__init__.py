"""The shared inference core: one client's conversation, its memory, its prompts."""
