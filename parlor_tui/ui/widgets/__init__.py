"""The parts of the screen. Each draws what it is told and asks nobody."""
