"""The core as the terminal has it, what it does without, and the models it offers."""
