"""Probes of the machine: what its GPU, processor, memory, heat and fans are doing, as far as they tell."""
