"""What may be asked for: types of arguments, options of several commands, and checks before anything is read."""
