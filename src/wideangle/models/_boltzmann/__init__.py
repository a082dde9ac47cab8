"""What all restricted Boltzmann machines share."""
