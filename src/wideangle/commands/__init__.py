"""What the commands do: one file a command, a function of typed arguments with a typed result, and how to show it."""
