"""What the dictionary learner is made of."""
