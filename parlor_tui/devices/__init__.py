"""What is listened, spoken and looked with, and the files that can stand in for each."""
