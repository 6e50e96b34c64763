"""From the reply's tokens to sound."""
