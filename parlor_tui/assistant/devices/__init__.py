"""Which microphone, speaker and camera are used: chosen, opened, lost, found again."""
