"""What a model file is: its header and arrays, checks of its content, and files of older formats."""
