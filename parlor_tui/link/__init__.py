"""The Realtime protocol between the terminal and the core: both ends of it, and the child process."""
