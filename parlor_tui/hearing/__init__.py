"""From sound to turns: voice activity and the turn machine."""
