"""What DocNADE is made of: the words of documents in random order, the distribution of the next word, training."""
