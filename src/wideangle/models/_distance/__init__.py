"""The parts of distance metric learning."""
