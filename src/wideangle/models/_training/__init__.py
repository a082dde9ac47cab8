"""What the training of all models shares. The trainer of each model adds its gradient."""
