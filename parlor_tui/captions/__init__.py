"""Speech to words, while the user speaks and once more at the end."""
