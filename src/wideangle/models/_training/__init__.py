"""What the training of every model shares; a model's own trainer adds its gradient."""
