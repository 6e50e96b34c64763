"""From the microphone's blocks and the talk key to what the talk is told of the user."""
